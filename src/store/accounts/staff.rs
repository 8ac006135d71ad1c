//! Staff: adding and removing people, and the hashes of their PINs and passphrases. Every change is an entry of the log
//! `server`.

use crate::domain::accounts::{MAX_TRIES, People, Staff};
use crate::domain::event::{SignInRefused, StaffAdded, StaffNamed};
use crate::domain::ledger::Actor;
use crate::domain::{Event, Role};
use crate::system::{NoRandomness, System};

use super::secrets::{hash_secret, new_secret};
use super::tokens::server_draft;
use crate::store::db::{Arg, DbError};
use crate::store::ledger::{Ledger, LedgerError};
use crate::store::statements as sql;

/// Why staff or a device could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum PeopleError {
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error(transparent)]
    NoRandomness(#[from] NoRandomness),
    #[error(
        "the name {0:?} is taken in this tournament, or for all tournaments (upper and lower case do not matter): choose another"
    )]
    NameTaken(String),
    #[error("no one is named {0:?}; adjudge staff list shows who may sign in")]
    NoSuchStaff(String),
    #[error("the label {0:?} is taken in this tournament: choose another label, or unpair that device")]
    LabelTaken(String),
    #[error("there is no such device; adjudge station list shows the devices")]
    NoSuchDevice,
    #[error("this device was not paired yet, or is confirmed already; adjudge station list shows its state")]
    NotShown,
    #[error("the passphrase cannot be hashed: {0}")]
    Hash(String),
}

impl From<DbError> for PeopleError {
    fn from(error: DbError) -> Self {
        Self::Ledger(error.into())
    }
}

/// A person who is to sign in.
#[derive(Clone, Debug)]
pub struct NewStaff {
    pub name: String,
    pub role: Role,
    pub tournament: String,
    pub plays: Option<String>,
    /// A passphrase that they chose. Without one they get a random one; a judge always gets a random PIN.
    pub passphrase: Option<String>,
}

/// All staff and all devices, as the log says now.
///
/// # Errors
/// If the ledger cannot be read.
pub async fn people(ledger: &Ledger) -> Result<People, LedgerError> {
    let mut people = People::default();
    for (_, entry) in ledger.setup_after(0).await? {
        people.apply(&entry);
    }
    Ok(people)
}

/// Adds a person, and returns the PIN or passphrase, which is shown once and not stored.
///
/// # Errors
/// If the name is taken or the write fails.
pub async fn add_staff(ledger: &Ledger, system: &System, by: &Actor, new: NewStaff) -> Result<String, PeopleError> {
    let now = system.now();
    let staff = system.new_id(now)?;
    let secret = match new.passphrase {
        Some(passphrase) if new.role != Role::Judge => passphrase,
        _ => new_secret(system, new.role)?,
    };
    let hash = hash_secret(secret.clone()).await?;
    let mut tx = ledger.begin().await?;
    if people(ledger).await?.has_staff_named(&new.name, &new.tournament) {
        return Err(PeopleError::NameTaken(new.name));
    }
    let event = Event::StaffAdded(StaffAdded {
        staff: staff.clone(),
        name: new.name,
        role: new.role,
        tournament: new.tournament,
        plays: new.plays,
    });
    tx.append(now, vec![server_draft(by, event)]).await?;
    tx.execute(sql::SET_CREDENTIAL, &[Arg::Text(&staff), Arg::Text(&hash)]).await?;
    tx.commit().await?;
    Ok(secret)
}

/// Gives a person a new PIN or passphrase, and ends their sessions.
///
/// # Errors
/// If the write fails.
pub async fn reset_staff(ledger: &Ledger, system: &System, by: &Actor, staff: &Staff) -> Result<String, PeopleError> {
    let now = system.now();
    let secret = new_secret(system, staff.role)?;
    let hash = hash_secret(secret.clone()).await?;
    let mut tx = ledger.begin().await?;
    tx.append(now, vec![server_draft(by, Event::StaffReset(named(staff)))]).await?;
    tx.execute(sql::SET_CREDENTIAL, &[Arg::Text(&staff.id), Arg::Text(&hash)]).await?;
    tx.execute(sql::END_SESSIONS, &[Arg::Text(&staff.id)]).await?;
    tx.commit().await?;
    Ok(secret)
}

/// Gives a person the passphrase that they chose, and ends their sessions except the one in which they chose it.
/// `proved` is the hash of the current passphrase, which they entered to prove who they are.
///
/// # Errors
/// If they were given another one meanwhile or may no longer sign in, or the write fails.
pub async fn choose_passphrase(
    ledger: &Ledger,
    system: &System,
    staff: &Staff,
    (proved, chosen): (&str, String),
    session: &str,
) -> Result<(), PeopleError> {
    let hash = hash_secret(chosen).await?;
    let by = Actor { id: staff.id.clone(), name: staff.name.clone(), role: staff.role.to_string() };
    // The write lock comes first: no one can reset the passphrase between the check and the write.
    let mut tx = ledger.begin().await?;
    let rows = tx.fetch(sql::CREDENTIAL, &[Arg::Text(&staff.id)]).await?;
    let kept = rows.first().map(|row| row.text("hash")).transpose()?;
    if kept.as_deref() != Some(proved) {
        return Err(PeopleError::NoSuchStaff(staff.name.clone()));
    }
    tx.append(system.now(), vec![server_draft(&by, Event::PassphraseChosen(named(staff)))]).await?;
    tx.execute(sql::SET_CREDENTIAL, &[Arg::Text(&staff.id), Arg::Text(&hash)]).await?;
    tx.execute(sql::END_OTHER_SESSIONS, &[Arg::Text(&staff.id), Arg::Text(session)]).await?;
    tx.commit().await?;
    Ok(())
}

/// Removes a person, who may then no longer sign in. What they did stays under their name.
///
/// # Errors
/// If the write fails.
pub async fn remove_staff(ledger: &Ledger, system: &System, by: &Actor, staff: &Staff) -> Result<(), PeopleError> {
    let mut tx = ledger.begin().await?;
    tx.append(system.now(), vec![server_draft(by, Event::StaffRemoved(named(staff)))]).await?;
    tx.execute(sql::VOID_CREDENTIAL, &[Arg::Text(&staff.id)]).await?;
    tx.execute(sql::END_SESSIONS, &[Arg::Text(&staff.id)]).await?;
    tx.commit().await?;
    Ok(())
}

fn named(staff: &Staff) -> StaffNamed {
    StaffNamed { staff: staff.id.clone(), name: staff.name.clone() }
}

/// The hash of a person's PIN or passphrase, and how many failed attempts there were in a row.
///
/// # Errors
/// If the database fails.
pub async fn credential(ledger: &Ledger, subject: &str) -> Result<Option<(String, u64)>, DbError> {
    let rows = ledger.db.fetch(sql::CREDENTIAL, &[Arg::Text(subject)]).await?;
    rows.first().map(|row| Ok((row.text("hash")?, row.count("fails")?))).transpose()
}

/// Records another failed attempt, and gives how many there were in a row. At the maximum only a new PIN helps.
///
/// # Errors
/// If the write fails.
pub async fn record_failed_attempt(
    ledger: &Ledger,
    system: &System,
    by: &Actor,
    staff: &Staff,
) -> Result<u64, PeopleError> {
    let mut tx = ledger.begin().await?;
    let rows = tx.fetch(sql::CREDENTIAL, &[Arg::Text(&staff.id)]).await?;
    let fails = rows.first().map(|row| row.count("fails")).transpose()?.unwrap_or(0) + 1;
    let event = Event::SignInRefused(SignInRefused {
        staff: staff.id.clone(),
        name: staff.name.clone(),
        fails,
        is_locked: staff.has_pin() && fails >= MAX_TRIES,
    });
    tx.append(system.now(), vec![server_draft(by, event)]).await?;
    let counted = i64::try_from(fails).unwrap_or(i64::MAX);
    tx.execute(sql::SET_FAILS, &[Arg::Int(counted), Arg::Text(&staff.id)]).await?;
    tx.commit().await?;
    Ok(fails)
}
