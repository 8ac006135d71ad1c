//! Tokens and principals: who may send requests to the server. A token is 256 random bits; the database keeps its hash.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::domain::accounts::meet;
use crate::domain::event::{TokenCreated, TokenRevoked};
use crate::domain::ledger::{Actor, Hash, base_log};
use crate::domain::player_name;
use crate::domain::{Entry, Event, Role, SERVER_LOG, Timestamp};
use crate::system::{NoRandomness, System};

use crate::store::db::{Arg, Db, DbError, Row};
use crate::store::ledger::{Draft, Ledger, LedgerError, read_entry};
use crate::store::statements as sql;
use crate::store::transaction::Transaction;

/// An authenticated principal: the holder of a token, a paired device, or a staff member who signed in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal {
    /// The id of the token, device or staff member, a `UUIDv7`; the actor's id in the ledger.
    pub id: String,
    /// A tournament's id, or `server` for all of them.
    pub tournament: String,
    pub role: Role,
    pub name: String,
    /// Lower-case hex SHA-256 of the secret.
    pub secret_sha256: String,
    /// Microseconds since 1970.
    pub created_us: i64,
    /// The divisions that a station serves; empty means all of them.
    pub divisions: Vec<String>,
    /// The player that a staff member is.
    pub plays: Option<String>,
    /// For a client's token: how many requests a minute it may make, if not the default.
    pub per_minute: Option<u32>,
    pub by: Credential,
}

/// The credential that authenticated a principal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Credential {
    Token,
    /// A cookie that stays valid for the device's whole event.
    Device,
    /// A cookie that stays valid until it was idle too long; the principal's hash is that of its secret.
    Session,
}

/// Why a token could not be created or revoked.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error(transparent)]
    NoRandomness(#[from] NoRandomness),
    #[error("there is a token named {0:?} in this tournament: revoke it or choose another name")]
    NameTaken(String),
    #[error("the token {0:?} was revoked already")]
    Revoked(String),
}

impl From<DbError> for TokenError {
    fn from(error: DbError) -> Self {
        Self::Ledger(error.into())
    }
}

/// The hash under which a secret is stored.
#[must_use]
pub fn sha256_hex(secret: &str) -> String {
    Hash::of(secret.as_bytes()).to_string()
}

/// A secret of 256 random bits, for a token or a cookie.
///
/// # Errors
/// If the system has no randomness.
pub(in crate::store) fn new_secret(system: &System) -> Result<String, NoRandomness> {
    Ok(URL_SAFE_NO_PAD.encode(system.random_bytes::<32>()?))
}

/// Every token that is not revoked, by name.
///
/// # Errors
/// If the database fails.
pub async fn principals(db: &Db) -> Result<Vec<Principal>, DbError> {
    let rows = db.fetch(sql::TOKENS, &[]).await?;
    rows.iter()
        .map(|row| {
            let role = row.text("role")?;
            Ok(Principal {
                id: row.text("id")?,
                tournament: row.text("tournament")?,
                role: Role::named(&role)
                    .ok_or_else(|| DbError::Impossible { what: format!("a token has the role {role:?}") })?,
                name: row.text("name")?,
                secret_sha256: row.text("secret_sha256")?,
                created_us: row.int("created_us")?,
                divisions: Vec::new(),
                plays: None,
                per_minute: per_minute(row)?,
                by: Credential::Token,
            })
        })
        .collect()
}

/// How many requests a minute the row of a token allows.
fn per_minute(row: &Row) -> Result<Option<u32>, DbError> {
    Ok(row.int_or_null("per_minute")?.and_then(|most| u32::try_from(most).ok()))
}

/// A token to create.
#[derive(Clone, Copy, Debug)]
pub struct NewToken<'a> {
    pub role: Role,
    pub tournament: &'a str,
    pub name: &'a str,
    /// How many requests a minute a client may make; `None` for the default.
    pub per_minute: Option<u32>,
}

/// Creates a token, recorded, and returns its secret, which is shown once and not stored.
///
/// # Errors
/// If the name is taken or the write fails.
pub async fn create(ledger: &Ledger, system: &System, by: &Actor, new: NewToken<'_>) -> Result<String, TokenError> {
    let NewToken { role, tournament, name, per_minute } = new;
    let now = system.now();
    let id = system.new_id(now)?;
    let secret = new_secret(system)?;
    let event = Event::TokenCreated(TokenCreated {
        token: id.clone(),
        name: name.to_owned(),
        role,
        tournament: tournament.to_owned(),
        per_minute,
    });
    let is_taken = |row: &Row| {
        let is_same = row.text("name").is_ok_and(|taken| player_name::are_same(&taken, name));
        is_same && row.text("tournament").is_ok_and(|other| meet(&other, tournament))
    };
    let mut tx = ledger.begin().await?;
    if tx.fetch(sql::TOKENS, &[]).await?.iter().any(is_taken) {
        return Err(TokenError::NameTaken(name.to_owned()));
    }
    tx.append(now, vec![server_draft(by, event)]).await?;
    tx.execute(
        sql::ADD_TOKEN,
        &[
            Arg::Text(&id),
            Arg::Text(tournament),
            Arg::Text(role.as_str()),
            Arg::Text(name),
            Arg::Text(&sha256_hex(&secret)),
            Arg::Int(now.micros()),
            per_minute.map_or(Arg::NoInt, |most| Arg::Int(most.into())),
        ],
    )
    .await?;
    tx.commit().await?;
    Ok(secret)
}

/// Revokes a token, recorded. The running server applies it within a second.
///
/// # Errors
/// If it is revoked already or the write fails.
pub async fn revoke(ledger: &Ledger, system: &System, by: &Actor, principal: &Principal) -> Result<(), TokenError> {
    let now = system.now();
    let mut tx = ledger.begin().await?;
    if !mark_revoked(&mut tx, now, &principal.id).await? {
        return Err(TokenError::Revoked(principal.name.clone()));
    }
    tx.append(now, vec![revocation(by, principal.id.clone(), principal.name.clone())]).await?;
    tx.commit().await?;
    Ok(())
}

/// Revokes every token whose row disagrees with the ledger, recorded, and gives their names.
///
/// # Errors
/// If the database fails.
pub async fn revoke_forged(ledger: &Ledger, system: &System, by: &Actor) -> Result<Vec<String>, LedgerError> {
    let odd = odd(ledger).await?;
    if odd.is_empty() {
        return Ok(Vec::new());
    }
    let now = system.now();
    let mut tx = ledger.begin().await?;
    let mut drafts = Vec::with_capacity(odd.len());
    for (id, name) in &odd {
        // Its row may be marked as revoked already while the ledger has no entry for that.
        mark_revoked(&mut tx, now, id).await?;
        drafts.push(revocation(by, id.clone(), name.clone()));
    }
    tx.append(now, drafts).await?;
    tx.commit().await?;
    Ok(odd.into_iter().map(|(_, name)| name).collect())
}

/// Marks a token as revoked; false if it was already.
async fn mark_revoked(tx: &mut Transaction<'_>, now: Timestamp, id: &str) -> Result<bool, DbError> {
    Ok(tx.execute(sql::REVOKE_TOKEN, &[Arg::Int(now.micros()), Arg::Text(id)]).await? > 0)
}

fn revocation(by: &Actor, token: String, name: String) -> Draft {
    server_draft(by, Event::TokenRevoked(TokenRevoked { token, name }))
}

/// An entry of the log `server`.
pub(in crate::store) fn server_draft(by: &Actor, event: Event) -> Draft {
    Draft::of(SERVER_LOG, by.clone(), event)
}

/// Of a token: tournament, role, name, and how many requests a minute it may make.
type Holding = (String, String, String, Option<u32>);

/// The set-up entries in force of the log `server` and its continuations. No other log is read, so a fault in another
/// log does not affect authentication.
async fn server_setup(ledger: &Ledger) -> Result<Vec<Entry>, LedgerError> {
    let rows = ledger.db.fetch(sql::SETUP_AFTER, &[Arg::Int(0)]).await?;
    let (mut found, sound) = (Vec::new(), ledger.sound_sizes().await?);
    for row in rows {
        let log = row.text("log")?;
        if base_log(&log) == SERVER_LOG && sound.is_in_force(&log, row.int("seq")?) {
            found.push(read_entry(&row)?);
        }
    }
    Ok(found)
}

/// Tokens whose row disagrees with the ledger (forged or altered), by id and name. A token that is revoked in the row
/// and in the ledger is accepted nowhere and is not listed.
///
/// # Errors
/// If the database fails or holds an unreadable entry.
pub async fn odd(ledger: &Ledger) -> Result<Vec<(String, String)>, LedgerError> {
    let mut said: BTreeMap<String, (Option<Holding>, bool)> = BTreeMap::new();
    let entries = server_setup(ledger).await?;
    let count = entries.len();
    for entry in entries {
        match entry.event {
            Event::TokenCreated(made) => {
                let holding = (made.tournament, made.role.to_string(), made.name, made.per_minute);
                said.entry(made.token).or_default().0 = Some(holding);
            }
            Event::TokenRevoked(ended) => said.entry(ended.token).or_default().1 = true,
            _ => {}
        }
    }
    let mut odd = Vec::new();
    for row in ledger.db.fetch(sql::ALL_TOKENS, &[]).await? {
        let (id, name) = (row.text("id")?, row.text("name")?);
        let found = (row.text("tournament")?, row.text("role")?, name.clone(), per_minute(&row)?);
        let is_right = match said.get(&id) {
            Some((made, is_revoked)) if *is_revoked == (row.int("revoked")? == 1) => {
                *is_revoked || made.as_ref() == Some(&found)
            }
            _ => false,
        };
        if !is_right {
            odd.push((id, name));
        }
    }
    // If a set-up entry was added between the two reads, the next check decides.
    if !odd.is_empty() && server_setup(ledger).await?.len() != count {
        odd.clear();
    }
    Ok(odd)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// FAULTS H7: tokens, device cookies and session cookies are all made here.
    #[test]
    fn ten_thousand_secrets_have_256_bits_each_and_are_all_different() {
        let mut seen = BTreeSet::new();
        let mut ever = [0_u8; 32];
        let mut always = [u8::MAX; 32];
        for _ in 0..10_000 {
            let secret = new_secret(&System::Real).unwrap();
            let bits: [u8; 32] = URL_SAFE_NO_PAD.decode(&secret).unwrap().try_into().unwrap();
            for ((ever, always), byte) in ever.iter_mut().zip(&mut always).zip(bits) {
                *ever |= byte;
                *always &= byte;
            }
            assert!(seen.insert(bits), "made twice");
        }
        // No bit is the same in all of them.
        assert_eq!((ever, always), ([u8::MAX; 32], [0; 32]));
    }
}
