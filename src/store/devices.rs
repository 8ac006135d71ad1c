//! Devices: the codes by which they are paired, and the secrets that they get for them.

use crate::domain::event::{DeviceKind, DeviceMade, DeviceNamed, DevicePaired, DeviceSet, DeviceSetting};
use crate::domain::ledger::Actor;
use crate::domain::people::{Device, Pairing};
use crate::domain::{Event, code};
use crate::world::World;

use super::db::Arg;
use super::ledger::{Ledger, LedgerError};
use super::people::{PeopleError, people};
use super::statements as sql;
use super::tokens::{hash_of, new_secret, server_draft};

/// How long a code is good, unless it is on a printed sheet.
const CODE_US: i64 = 10 * 60 * 1_000_000;

/// How often a code may be mistyped.
const MOST_TRIES: i64 = 5;

/// How many characters find a code; the others are what must not be guessed.
const BEGINNING: usize = 3;

/// How long a code that was just made is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Good {
    /// Ten minutes.
    ForNow,
    /// Until it is used: it is on a printed sheet, and a director confirms what shows it.
    UntilUsed,
}

/// A device that showed its code.
#[derive(Clone, Debug)]
pub struct Entered {
    pub device: Device,
    /// 256 bits, for its cookie; kept nowhere else.
    pub secret: String,
}

/// Makes a device and the code by which it is paired.
///
/// # Errors
/// Where the label is taken or nothing can be written.
pub async fn make(
    ledger: &Ledger,
    world: &World,
    by: &Actor,
    (kind, tournament): (DeviceKind, &str),
    setting: DeviceSetting,
    good: Good,
) -> Result<(String, String), PeopleError> {
    let now = world.now();
    let device = world.new_id(now)?;
    let mut tx = ledger.db.begin_write().await?;
    if people(ledger).await?.device_labelled(&setting.label).is_some() {
        return Err(PeopleError::LabelTaken(setting.label));
    }
    let event = Event::DeviceMade(DeviceMade {
        device: device.clone(),
        device_kind: kind,
        tournament: tournament.to_owned(),
        setting,
    });
    ledger.append(&mut tx, now, vec![server_draft(by, event)]).await?;
    let code = code::written(world.secret()?);
    set_code(&mut tx, world, &device, &code, good).await?;
    tx.commit().await?;
    Ok((device, code))
}

/// A new code for a device, in place of any before: for one that lost its pairing, or has to be pointed to another
/// address. What it is and what it did stay its own.
///
/// # Errors
/// Where there is no such device or nothing can be written.
pub async fn new_code(ledger: &Ledger, world: &World, by: &Actor, device: &str) -> Result<String, PeopleError> {
    let found = find(ledger, device).await?;
    let code = code::written(world.secret()?);
    let mut tx = ledger.db.begin_write().await?;
    ledger.append(&mut tx, world.now(), vec![server_draft(by, Event::DeviceCodeMade(named(&found)))]).await?;
    set_code(&mut tx, world, device, &code, Good::ForNow).await?;
    tx.commit().await?;
    Ok(code)
}

async fn set_code(
    tx: &mut super::db::Tx,
    world: &World,
    device: &str,
    code: &str,
    good: Good,
) -> Result<(), PeopleError> {
    let until = match good {
        Good::ForNow => Arg::Int(world.now().micros() + CODE_US),
        Good::UntilUsed => Arg::NoInt,
    };
    let beginning = code.get(..BEGINNING).unwrap_or_default();
    // Two codes with one beginning are rare; the older one is of no use any more.
    for row in tx.fetch(sql::PAIRING, &[Arg::Text(beginning)]).await? {
        tx.execute(sql::SPEND_PAIRING, &[Arg::Text(&row.text("device")?)]).await?;
    }
    tx.execute(sql::SET_PAIRING, &[Arg::Text(device), Arg::Text(beginning), Arg::Text(&hash_of(code)), until]).await?;
    Ok(())
}

/// Trades a code for the secret of its device, once; `None` where the code is wrong, too old, used, or was mistyped too
/// often.
///
/// # Errors
/// Where nothing can be written.
pub async fn pair(ledger: &Ledger, world: &World, typed: &str) -> Result<Option<Entered>, PeopleError> {
    let Some(code) = code::read(typed) else { return Ok(None) };
    let beginning = code.get(..BEGINNING).unwrap_or_default();
    let now = world.now();
    let mut tx = ledger.db.begin_write().await?;
    let rows = tx.fetch(sql::PAIRING, &[Arg::Text(beginning)]).await?;
    let Some(row) = rows.first() else { return Ok(None) };
    let (device, until) = (row.text("device")?, row.int_or_null("until_us")?);
    let is_over = row.int("fails")? >= MOST_TRIES || until.is_some_and(|until| now.micros() >= until);
    if is_over || row.text("hash")? != hash_of(&code) {
        tx.execute(sql::FAIL_PAIRING, &[Arg::Text(&device)]).await?;
        tx.commit().await?;
        return Ok(None);
    }
    let Some(mut device) = people(ledger).await?.device(&device).cloned() else { return Ok(None) };
    let secret = new_secret(world)?;
    // What was confirmed once need not be again.
    let waits = until.is_none() && device.pairing != Pairing::Paired;
    device.pairing = if waits { Pairing::Unconfirmed } else { Pairing::Paired };
    let label = device.setting.label.clone();
    let event = Event::DevicePaired(DevicePaired { device: device.id.clone(), label: label.clone(), waits });
    ledger.append(&mut tx, now, vec![server_draft(&actor(&device), event)]).await?;
    tx.execute(sql::SET_CREDENTIAL, &[Arg::Text(&device.id), Arg::Text(&hash_of(&secret))]).await?;
    tx.execute(sql::SPEND_PAIRING, &[Arg::Text(&device.id)]).await?;
    // Whoever signed in at what was this device before signs in anew.
    tx.execute(sql::END_SESSIONS_AT, &[Arg::Text(&device.id)]).await?;
    tx.commit().await?;
    Ok(Some(Entered { device, secret }))
}

/// A director says that the device which showed a printed code is the right one.
///
/// # Errors
/// Where there is no such device or nothing can be written.
pub async fn confirm(ledger: &Ledger, world: &World, by: &Actor, device: &str) -> Result<(), PeopleError> {
    let device = find(ledger, device).await?;
    if device.pairing != Pairing::Unconfirmed {
        return Err(PeopleError::NotShown);
    }
    let confirmed = server_draft(by, Event::DeviceConfirmed(named(&device)));
    ledger.record(world.now(), vec![confirmed]).await?;
    Ok(())
}

/// Names a device anew, or moves it.
///
/// # Errors
/// Where there is no such device, the label is another's, or nothing can be written.
pub async fn set(
    ledger: &Ledger,
    world: &World,
    by: &Actor,
    device: &str,
    setting: DeviceSetting,
) -> Result<(), PeopleError> {
    // The write lock comes first: nobody can take the label between the look and the write.
    let mut tx = ledger.db.begin_write().await?;
    let people = people(ledger).await?;
    let device = people.device(device).ok_or(PeopleError::NoSuchDevice)?;
    if people.device_labelled(&setting.label).is_some_and(|other| other.id != device.id) {
        return Err(PeopleError::LabelTaken(setting.label));
    }
    let event = Event::DeviceSet(DeviceSet { device: device.id.clone(), setting });
    ledger.append(&mut tx, world.now(), vec![server_draft(by, event)]).await?;
    tx.commit().await?;
    Ok(())
}

/// Ends a device. Its secret and its code open nothing any more.
///
/// # Errors
/// Where there is no such device or nothing can be written.
pub async fn revoke(ledger: &Ledger, world: &World, by: &Actor, device: &str) -> Result<(), PeopleError> {
    let device = find(ledger, device).await?;
    let mut tx = ledger.db.begin_write().await?;
    ledger.append(&mut tx, world.now(), vec![server_draft(by, Event::DeviceRevoked(named(&device)))]).await?;
    tx.execute(sql::VOID_CREDENTIAL, &[Arg::Text(&device.id)]).await?;
    tx.execute(sql::SPEND_PAIRING, &[Arg::Text(&device.id)]).await?;
    tx.commit().await?;
    Ok(())
}

async fn find(ledger: &Ledger, device: &str) -> Result<Device, PeopleError> {
    people(ledger).await?.device(device).cloned().ok_or(PeopleError::NoSuchDevice)
}

fn named(device: &Device) -> DeviceNamed {
    DeviceNamed { device: device.id.clone(), label: device.setting.label.clone() }
}

/// As the ledger names a device.
fn actor(device: &Device) -> Actor {
    Actor { id: device.id.clone(), name: device.setting.label.clone(), role: device.kind.as_str().to_owned() }
}

/// The hashes of the secrets of all devices and staff, by id.
///
/// # Errors
/// Where the database fails.
pub async fn hashes(ledger: &Ledger) -> Result<Vec<(String, String)>, LedgerError> {
    let rows = ledger.db.fetch(sql::CREDENTIALS, &[]).await?;
    rows.iter().map(|row| Ok((row.text("subject")?, row.text("hash")?))).collect()
}
