//! Staff and devices: adding them, and the hashes of what lets them in. Every change is an entry of the log `server`.

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};

use crate::domain::event::{SignInRefused, StaffAdded, StaffNamed};
use crate::domain::ledger::Actor;
use crate::domain::people::{MOST_TRIES, People, Staff};
use crate::domain::{Event, Role, code};
use crate::world::{NoChance, World};

use super::db::{Arg, DbError};
use super::ledger::{Ledger, LedgerError};
use super::statements as sql;
use super::tokens::server_draft;

/// Why staff or a device could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum PeopleError {
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error(transparent)]
    NoChance(#[from] NoChance),
    #[error("there is somebody named {0:?} already: names differ by more than upper and lower case")]
    NameTaken(String),
    #[error("there is nobody named {0:?}; adjudge staff list shows who may sign in")]
    NoSuchStaff(String),
    #[error("there is a device labelled {0:?} already: choose another label, or revoke it")]
    LabelTaken(String),
    #[error("there is no such device; adjudge station list shows them")]
    NoSuchDevice,
    #[error("this device has not shown its code, or is confirmed already")]
    NotShown,
    #[error("the passphrase cannot be hashed: {0}")]
    Hash(String),
}

impl From<DbError> for PeopleError {
    fn from(error: DbError) -> Self {
        Self::Ledger(error.into())
    }
}

/// Somebody who is to sign in.
#[derive(Clone, Debug)]
pub struct NewStaff {
    pub name: String,
    pub role: Role,
    pub tournament: String,
    pub plays: Option<String>,
    /// A passphrase of his own; without one he gets a random one, and a judge always gets a random PIN.
    pub passphrase: Option<String>,
}

/// Everybody and every device, as the log says now.
///
/// # Errors
/// Where the ledger cannot be read.
pub async fn people(ledger: &Ledger) -> Result<People, LedgerError> {
    let mut people = People::default();
    for (_, entry) in ledger.setup_after(0).await? {
        people.apply(&entry);
    }
    Ok(people)
}

/// Adds somebody, and returns the PIN or passphrase, which is shown once and kept nowhere.
///
/// # Errors
/// Where the name is taken or nothing can be written.
pub async fn add_staff(ledger: &Ledger, world: &World, by: &Actor, new: NewStaff) -> Result<String, PeopleError> {
    let now = world.now();
    let staff = world.new_id(now)?;
    let secret = match new.passphrase {
        Some(passphrase) if new.role != Role::Judge => passphrase,
        _ => new_secret(world, new.role)?,
    };
    let hash = hashed(secret.clone()).await?;
    let mut tx = ledger.db.begin_write().await?;
    if people(ledger).await?.staff_named(&new.name).is_some() {
        return Err(PeopleError::NameTaken(new.name));
    }
    let event = Event::StaffAdded(StaffAdded {
        staff: staff.clone(),
        name: new.name,
        role: new.role,
        tournament: new.tournament,
        plays: new.plays,
    });
    ledger.append(&mut tx, now, vec![server_draft(by, event)]).await?;
    tx.execute(sql::SET_CREDENTIAL, &[Arg::Text(&staff), Arg::Text(&hash)]).await?;
    tx.commit().await?;
    Ok(secret)
}

/// Gives somebody a new PIN or passphrase, and ends his sessions.
///
/// # Errors
/// Where there is nobody of that name or nothing can be written.
pub async fn reset_staff(ledger: &Ledger, world: &World, by: &Actor, name: &str) -> Result<String, PeopleError> {
    let (now, staff) = (world.now(), staff_named(ledger, name).await?);
    let secret = new_secret(world, staff.role)?;
    let hash = hashed(secret.clone()).await?;
    let mut tx = ledger.db.begin_write().await?;
    ledger.append(&mut tx, now, vec![server_draft(by, Event::StaffReset(named(&staff)))]).await?;
    tx.execute(sql::SET_CREDENTIAL, &[Arg::Text(&staff.id), Arg::Text(&hash)]).await?;
    tx.execute(sql::END_SESSIONS, &[Arg::Text(&staff.id)]).await?;
    tx.commit().await?;
    Ok(secret)
}

/// Somebody may not sign in any more. What he did stays his.
///
/// # Errors
/// Where there is nobody of that name or nothing can be written.
pub async fn remove_staff(ledger: &Ledger, world: &World, by: &Actor, name: &str) -> Result<(), PeopleError> {
    let staff = staff_named(ledger, name).await?;
    let mut tx = ledger.db.begin_write().await?;
    ledger.append(&mut tx, world.now(), vec![server_draft(by, Event::StaffRemoved(named(&staff)))]).await?;
    tx.execute(sql::VOID_CREDENTIAL, &[Arg::Text(&staff.id)]).await?;
    tx.execute(sql::END_SESSIONS, &[Arg::Text(&staff.id)]).await?;
    tx.commit().await?;
    Ok(())
}

async fn staff_named(ledger: &Ledger, name: &str) -> Result<Staff, PeopleError> {
    let found = people(ledger).await?.staff_named(name).cloned();
    found.ok_or_else(|| PeopleError::NoSuchStaff(name.to_owned()))
}

fn named(staff: &Staff) -> StaffNamed {
    StaffNamed { staff: staff.id.clone(), name: staff.name.clone() }
}

/// The hash of somebody's PIN or passphrase, and how often in a row another one was tried.
///
/// # Errors
/// Where the database fails.
pub async fn credential(ledger: &Ledger, subject: &str) -> Result<Option<(String, u64)>, DbError> {
    let rows = ledger.db.fetch(sql::CREDENTIAL, &[Arg::Text(subject)]).await?;
    rows.first().map(|row| Ok((row.text("hash")?, row.count("fails")?))).transpose()
}

/// Counts another wrong try, recorded; how many there were in a row. At the most only a new PIN helps.
///
/// # Errors
/// Where nothing can be written.
pub async fn refused(ledger: &Ledger, world: &World, by: &Actor, staff: &Staff) -> Result<u64, PeopleError> {
    let mut tx = ledger.db.begin_write().await?;
    let rows = tx.fetch(sql::CREDENTIAL, &[Arg::Text(&staff.id)]).await?;
    let fails = rows.first().map(|row| row.count("fails")).transpose()?.unwrap_or(0) + 1;
    let event = Event::SignInRefused(SignInRefused {
        staff: staff.id.clone(),
        name: staff.name.clone(),
        fails,
        is_locked: staff.has_pin() && fails >= MOST_TRIES,
    });
    ledger.append(&mut tx, world.now(), vec![server_draft(by, event)]).await?;
    let counted = i64::try_from(fails).unwrap_or(i64::MAX);
    tx.execute(sql::SET_FAILS, &[Arg::Int(counted), Arg::Text(&staff.id)]).await?;
    tx.commit().await?;
    Ok(fails)
}

/// A judge types six digits at a paired device; everybody else has a passphrase of 100 bits.
fn new_secret(world: &World, role: Role) -> Result<String, NoChance> {
    if role == Role::Judge {
        let drawn = u64::from_be_bytes(world.secret::<8>()?);
        return Ok(format!("{:06}", drawn % 1_000_000));
    }
    Ok(code::phrase(&world.secret::<20>()?))
}

/// Hashes slowly, on a thread for it. Argon2id, 19 MiB, two passes.
///
/// # Errors
/// Where it cannot be hashed.
pub async fn hashed(secret: String) -> Result<String, PeopleError> {
    let hash = move || Argon2::default().hash_password(secret.as_bytes()).map(|hash| hash.to_string());
    let done = tokio::task::spawn_blocking(hash).await.map_err(|error| PeopleError::Hash(error.to_string()))?;
    done.map_err(|error| PeopleError::Hash(error.to_string()))
}

/// Whether it is the secret of that hash. Where there is no hash it takes as long and is not.
pub async fn is_secret(secret: String, hash: Option<String>) -> bool {
    // The hash of nothing that can be typed.
    const NOBODY: &str =
        "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$wWKIQYwzUCYbXAVQpmSyC5oOJnjVYrSUYBqWWwrmPJE";
    let checked = tokio::task::spawn_blocking(move || {
        let is_known = hash.is_some();
        let hash = hash.unwrap_or_else(|| NOBODY.to_owned());
        let fits = PasswordHash::new(&hash)
            .is_ok_and(|hash| Argon2::default().verify_password(secret.as_bytes(), &hash).is_ok());
        fits && is_known
    });
    checked.await.unwrap_or(false)
}
