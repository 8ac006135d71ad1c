//! Sessions: who signed in, at which device, and since when. The browser has 256 random bits, the database has their
//! hash.

use crate::domain::Event;
use crate::domain::accounts::Staff;
use crate::domain::event::SignedIn;
use crate::domain::ledger::Actor;
use crate::system::System;

use super::tokens::{new_secret, server_draft, sha256_hex};
use crate::store::accounts::staff::PeopleError;
use crate::store::db::{Arg, DbError};
use crate::store::ledger::{Appended, Ledger, LedgerError};
use crate::store::statements as sql;

/// A session that has not ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    pub staff: String,
    /// The paired device at which it began.
    pub device: Option<String>,
    /// Microseconds since 1970.
    pub began_us: i64,
    /// When it was last used, to the minute.
    pub seen_us: i64,
}

/// Begins a session, recorded, and returns its secret. Earlier failed attempts are forgotten.
///
/// # Errors
/// If the write fails.
pub async fn create(
    ledger: &Ledger,
    system: &System,
    staff: &Staff,
    device: Option<&str>,
) -> Result<String, PeopleError> {
    let clock = system.now();
    let secret = new_secret(system)?;
    let event = Event::SignedIn(SignedIn {
        staff: staff.id.clone(),
        name: staff.name.clone(),
        device: device.map(str::to_owned),
    });
    let by = Actor { id: staff.id.clone(), name: staff.name.clone(), role: staff.role.to_string() };
    let mut tx = ledger.begin().await?;
    let recorded = tx.append(clock, vec![server_draft(&by, event)]).await?;
    let began = recorded.first().and_then(Appended::entry).map_or(clock, |entry| entry.at);
    tx.execute(sql::SET_FAILS, &[Arg::Int(0), Arg::Text(&staff.id)]).await?;
    let device = device.map_or(Arg::NoText, Arg::Text);
    tx.execute(
        sql::ADD_SESSION,
        &[Arg::Text(&sha256_hex(&secret)), Arg::Text(&staff.id), device, Arg::Int(began.micros())],
    )
    .await?;
    tx.commit().await?;
    Ok(secret)
}

/// The session whose secret has this hash.
///
/// # Errors
/// If the database fails.
pub async fn session(ledger: &Ledger, hash: &str) -> Result<Option<Session>, DbError> {
    let rows = ledger.db.fetch(sql::SESSION, &[Arg::Text(hash)]).await?;
    let read = |row: &crate::store::db::Row| {
        Ok(Session {
            staff: row.text("staff")?,
            device: row.text_or_null("device")?,
            began_us: row.int("began_us")?,
            seen_us: row.int("seen_us")?,
        })
    };
    rows.first().map(read).transpose()
}

impl Session {
    /// When the session began and was last used, in the time that holds now. Times later than now were written before
    /// the clock was set back; the session is as old as it was then.
    #[must_use]
    pub fn as_of(&self, now_us: i64) -> (i64, i64) {
        let ahead = (self.seen_us - now_us).max(0);
        (self.began_us - ahead, self.seen_us - ahead)
    }
}

/// Records when a session began and was last used, both in microseconds since 1970.
///
/// # Errors
/// If the write fails.
pub async fn touch(ledger: &Ledger, (began_us, now_us): (i64, i64), hash: &str) -> Result<(), LedgerError> {
    let mut tx = ledger.begin().await?;
    tx.execute(sql::SEE_SESSION, &[Arg::Int(now_us), Arg::Int(began_us), Arg::Text(hash)]).await?;
    tx.commit().await
}

/// Ends a session.
///
/// # Errors
/// If the write fails.
pub async fn delete(ledger: &Ledger, hash: &str) -> Result<(), LedgerError> {
    let mut tx = ledger.begin().await?;
    tx.execute(sql::END_SESSION, &[Arg::Text(hash)]).await?;
    tx.commit().await
}
