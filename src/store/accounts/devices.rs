//! Devices: creating, naming and revoking them. [`super::pairing`] pairs them.

use crate::domain::Event;
use crate::domain::accounts::{Device, Pairing};
use crate::domain::event::{DeviceKind, DeviceMade, DeviceNamed, DeviceSet, DeviceSetting};
use crate::domain::ledger::Actor;
use crate::system::System;

use super::pairing::{CodeValidity, set_code};
use super::tokens::server_draft;
use crate::store::accounts::staff::{PeopleError, people};
use crate::store::db::Arg;
use crate::store::ledger::{Ledger, LedgerError};
use crate::store::statements as sql;
use crate::store::transaction::Transaction;

/// A device that was just created.
#[derive(Clone, Debug)]
pub struct CreatedDevice {
    pub device: String,
    pub label: String,
    /// The code that pairs it. The database keeps only its hash.
    pub code: String,
}

/// Creates a device and the code that pairs it.
///
/// # Errors
/// If the label is taken or the write fails.
pub async fn create(
    ledger: &Ledger,
    system: &System,
    by: &Actor,
    of: (DeviceKind, &str),
    setting: DeviceSetting,
    good: CodeValidity,
) -> Result<CreatedDevice, PeopleError> {
    let made = create_all(ledger, system, by, of, vec![setting], good).await?;
    made.into_iter().next().ok_or(PeopleError::NoSuchDevice)
}

/// Creates many devices of one kind, each with its code: all of them or none.
///
/// # Errors
/// If a label is taken (the error names it) or the write fails.
pub async fn create_all(
    ledger: &Ledger,
    system: &System,
    by: &Actor,
    (kind, tournament): (DeviceKind, &str),
    settings: Vec<DeviceSetting>,
    good: CodeValidity,
) -> Result<Vec<CreatedDevice>, PeopleError> {
    let now = system.now();
    let mut tx = ledger.begin().await?;
    let people = people(ledger).await?;
    if let Some(taken) = settings.iter().find(|setting| people.device_labelled(&setting.label, tournament).is_some()) {
        return Err(PeopleError::LabelTaken(taken.label.clone()));
    }
    let (mut drafts, mut made) = (Vec::with_capacity(settings.len()), Vec::with_capacity(settings.len()));
    for setting in settings {
        let (device, label) = (system.new_id(now)?, setting.label.clone());
        let event = Event::DeviceMade(DeviceMade {
            device: device.clone(),
            device_kind: kind,
            tournament: tournament.to_owned(),
            setting,
        });
        drafts.push(server_draft(by, event));
        made.push((device, label));
    }
    tx.append(now, drafts).await?;
    let mut coded = Vec::with_capacity(made.len());
    for (device, label) in made {
        let code = set_code(&mut tx, system, &device, good).await?;
        coded.push(CreatedDevice { device, label, code });
    }
    tx.commit().await?;
    Ok(coded)
}

/// Records that a director confirmed a device that was paired with a printed code.
///
/// # Errors
/// If there is no such device or the write fails.
pub async fn confirm(ledger: &Ledger, system: &System, by: &Actor, device: &str) -> Result<(), PeopleError> {
    let device = find(ledger, device).await?;
    if device.pairing != Pairing::Unconfirmed {
        return Err(PeopleError::NotShown);
    }
    let confirmed = server_draft(by, Event::DeviceConfirmed(named(&device)));
    ledger.record(system.now(), vec![confirmed]).await?;
    Ok(())
}

/// Renames or moves a device.
///
/// # Errors
/// If there is no such device, the label is another's, or the write fails.
pub async fn set(
    ledger: &Ledger,
    system: &System,
    by: &Actor,
    device: &str,
    setting: DeviceSetting,
) -> Result<(), PeopleError> {
    // The write lock comes first: no other request can take the label between the check and the write.
    let mut tx = ledger.begin().await?;
    let people = people(ledger).await?;
    let device = people.device(device).ok_or(PeopleError::NoSuchDevice)?;
    if people.device_labelled(&setting.label, &device.tournament).is_some_and(|other| other.id != device.id) {
        return Err(PeopleError::LabelTaken(setting.label));
    }
    let event = Event::DeviceSet(DeviceSet { device: device.id.clone(), setting });
    tx.append(system.now(), vec![server_draft(by, event)]).await?;
    tx.commit().await?;
    Ok(())
}

/// Revokes a device. Its secret and its code are no longer accepted.
///
/// # Errors
/// If there is no such device or the write fails.
pub async fn revoke(ledger: &Ledger, system: &System, by: &Actor, device: &str) -> Result<(), PeopleError> {
    let device = find(ledger, device).await?;
    let mut tx = ledger.begin().await?;
    revoke_in(&mut tx, system, by, &[device]).await?;
    tx.commit().await?;
    Ok(())
}

/// Revokes those of the given devices that were never paired. Set-up is over, and the unused codes of a printed sheet
/// must no longer work.
///
/// # Errors
/// If the write fails.
pub async fn revoke_unpaired(ledger: &Ledger, system: &System, by: &Actor, some: &[String]) -> Result<(), PeopleError> {
    // The write lock comes first: none of them can be paired between the check and the write.
    let mut tx = ledger.begin().await?;
    let people = people(ledger).await?;
    let waiting = people.devices().filter(|device| device.pairing == Pairing::Waits && some.contains(&device.id));
    let waiting: Vec<Device> = waiting.cloned().collect();
    revoke_in(&mut tx, system, by, &waiting).await?;
    tx.commit().await?;
    Ok(())
}

async fn revoke_in(
    tx: &mut Transaction<'_>,
    system: &System,
    by: &Actor,
    devices: &[Device],
) -> Result<(), PeopleError> {
    let drafts = devices.iter().map(|device| server_draft(by, Event::DeviceRevoked(named(device)))).collect();
    tx.append(system.now(), drafts).await?;
    for device in devices {
        tx.execute(sql::VOID_CREDENTIAL, &[Arg::Text(&device.id)]).await?;
        tx.execute(sql::CONSUME_PAIRING, &[Arg::Text(&device.id)]).await?;
    }
    Ok(())
}

pub(in crate::store) async fn find(ledger: &Ledger, device: &str) -> Result<Device, PeopleError> {
    people(ledger).await?.device(device).cloned().ok_or(PeopleError::NoSuchDevice)
}

pub(in crate::store) fn named(device: &Device) -> DeviceNamed {
    DeviceNamed { device: device.id.clone(), label: device.setting.label.clone() }
}

/// The actor by which the ledger names a device.
pub(in crate::store) fn actor(device: &Device) -> Actor {
    Actor { id: device.id.clone(), name: device.setting.label.clone(), role: device.kind.as_str().to_owned() }
}

/// The hashes of the secrets of all devices and staff, by id.
///
/// # Errors
/// If the database fails.
pub async fn hashes(ledger: &Ledger) -> Result<Vec<(String, String)>, LedgerError> {
    let rows = ledger.db.fetch(sql::CREDENTIALS, &[]).await?;
    rows.iter().map(|row| Ok((row.text("subject")?, row.text("hash")?))).collect()
}
