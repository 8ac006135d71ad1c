//! Tokens: who may speak to the server. A token is 256 random bits; the database keeps its hash.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use crate::domain::event::{TokenCreated, TokenRevoked};
use crate::domain::ledger::{Actor, Hash};
use crate::domain::{Event, Role, SERVER_LOG};
use crate::world::{NoChance, World};

use super::db::{Arg, Db, DbError};
use super::ledger::{Draft, Ledger, LedgerError};
use super::statements as sql;

/// Somebody who holds a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// The token's id, a `UUIDv7`; the actor's id in the ledger.
    pub id: String,
    pub tournament: String,
    pub role: Role,
    pub name: String,
    /// Lower-case hex SHA-256 of the secret.
    pub secret_sha256: String,
    /// Microseconds since 1970.
    pub created_us: i64,
}

/// Why a token could not be made or revoked.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error(transparent)]
    NoChance(#[from] NoChance),
    #[error("there is a token named {0:?}: revoke it or choose another name")]
    NameTaken(String),
    #[error("there is no token named {0:?}; adjudge token list shows them")]
    NoSuchToken(String),
}

impl From<DbError> for TokenError {
    fn from(error: DbError) -> Self {
        Self::Ledger(error.into())
    }
}

/// The hash under which a secret is kept.
#[must_use]
pub fn hash_of(secret: &str) -> String {
    Hash(Sha256::digest(secret.as_bytes()).into()).to_string()
}

/// Every token that is not revoked, by name.
///
/// # Errors
/// Where the database fails.
pub async fn holders(db: &Db) -> Result<Vec<Holder>, DbError> {
    let rows = db.fetch(sql::TOKENS, &[]).await?;
    rows.iter()
        .map(|row| {
            let role = row.text("role")?;
            Ok(Holder {
                id: row.text("id")?,
                tournament: row.text("tournament")?,
                role: Role::named(&role)
                    .ok_or_else(|| DbError::Impossible { what: format!("a token has the role {role:?}") })?,
                name: row.text("name")?,
                secret_sha256: row.text("secret_sha256")?,
                created_us: row.int("created_us")?,
            })
        })
        .collect()
}

/// Makes a token, recorded, and returns its secret, which is shown once and kept nowhere.
///
/// # Errors
/// Where the name is taken or nothing can be written.
pub async fn create(
    ledger: &Ledger,
    world: &World,
    by: &Actor,
    role: Role,
    tournament: &str,
    name: &str,
) -> Result<String, TokenError> {
    let now = world.now();
    let id = world.new_id(now)?;
    let secret = URL_SAFE_NO_PAD.encode(world.secret::<32>()?);
    let event = Event::TokenCreated(TokenCreated {
        token: id.clone(),
        name: name.to_owned(),
        role,
        tournament: tournament.to_owned(),
    });
    let mut tx = ledger.db.begin_write().await?;
    if tx.fetch(sql::TOKENS, &[]).await?.iter().any(|row| row.text("name").is_ok_and(|taken| taken == name)) {
        return Err(TokenError::NameTaken(name.to_owned()));
    }
    ledger.append(&mut tx, now, vec![server_draft(by, event)]).await?;
    tx.execute(
        sql::ADD_TOKEN,
        &[
            Arg::Text(&id),
            Arg::Text(tournament),
            Arg::Text(role.as_str()),
            Arg::Text(name),
            Arg::Text(&hash_of(&secret)),
            Arg::Int(now.micros()),
        ],
    )
    .await?;
    tx.commit().await?;
    Ok(secret)
}

/// Revokes a token by its name, recorded. The running server honours it within a second.
///
/// # Errors
/// Where there is no such token or nothing can be written.
pub async fn revoke(ledger: &Ledger, world: &World, by: &Actor, name: &str) -> Result<(), TokenError> {
    let holder = holders(&ledger.db).await?.into_iter().find(|holder| holder.name == name);
    let holder = holder.ok_or_else(|| TokenError::NoSuchToken(name.to_owned()))?;
    let now = world.now();
    let event = Event::TokenRevoked(TokenRevoked { token: holder.id.clone(), name: holder.name });
    let mut tx = ledger.db.begin_write().await?;
    if tx.execute(sql::REVOKE_TOKEN, &[Arg::Int(now.micros()), Arg::Text(&holder.id)]).await? == 0 {
        return Err(TokenError::NoSuchToken(name.to_owned()));
    }
    ledger.append(&mut tx, now, vec![server_draft(by, event)]).await?;
    tx.commit().await?;
    Ok(())
}

fn server_draft(by: &Actor, event: Event) -> Draft {
    Draft { log: SERVER_LOG.to_owned(), actor: by.clone(), event }
}
