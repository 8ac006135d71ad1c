//! Pairing: a device shows a code once and gets a secret of its own for it.

use crate::domain::accounts::{Device, Pairing};
use crate::domain::event::DevicePaired;
use crate::domain::ledger::Actor;
use crate::domain::{Event, human_code};
use crate::system::System;

use super::devices::{actor, find, named};
use super::tokens::{new_secret, server_draft, sha256_hex};
use crate::store::accounts::staff::{PeopleError, people};
use crate::store::db::Arg;
use crate::store::ledger::Ledger;
use crate::store::statements as sql;
use crate::store::transaction::Transaction;

/// How long a code is valid, unless it is on a printed sheet.
const CODE_US: i64 = 10 * 60 * 1_000_000;

/// How often a code may be mistyped.
const MAX_TRIES: i64 = 5;

/// The number of characters that find a code's row. The other characters are the secret part.
const PREFIX_CHARS: usize = 3;

/// How many codes are drawn at most to find one with an unused prefix. There are 32,768 prefixes.
const MAX_DRAWS: usize = 32;

/// How long a new code is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeValidity {
    /// Ten minutes.
    Minutes,
    /// Until it is used: the code is on a printed sheet, and a director confirms the device that shows it.
    UntilUsed,
}

/// A device that was paired by its code.
#[derive(Clone, Debug)]
pub struct Paired {
    pub device: Device,
    /// 256 bits, for its cookie. The database keeps only its hash.
    pub secret: String,
}

/// Creates a new code for a device, in place of any earlier one: for a device that lost its pairing or needs another
/// address. The device keeps its identity and its history.
///
/// # Errors
/// If there is no such device or the write fails.
pub async fn new_code(ledger: &Ledger, system: &System, by: &Actor, device: &str) -> Result<String, PeopleError> {
    let found = find(ledger, device).await?;
    let mut tx = ledger.begin().await?;
    tx.append(system.now(), vec![server_draft(by, Event::DeviceCodeMade(named(&found)))]).await?;
    let code = set_code(&mut tx, system, device, CodeValidity::Minutes).await?;
    tx.commit().await?;
    Ok(code)
}

/// Draws a code for a device and stores its hash.
pub(in crate::store) async fn set_code(
    tx: &mut Transaction<'_>,
    system: &System,
    device: &str,
    good: CodeValidity,
) -> Result<String, PeopleError> {
    let until = match good {
        CodeValidity::Minutes => Arg::Int(system.now().micros() + CODE_US),
        CodeValidity::UntilUsed => Arg::NoInt,
    };
    let code = free_code(tx, system).await?;
    let beginning = prefix_of(&code);
    for row in tx.fetch(sql::PAIRING, &[Arg::Text(beginning)]).await? {
        tx.execute(sql::CONSUME_PAIRING, &[Arg::Text(&row.text("device")?)]).await?;
    }
    tx.execute(sql::SET_PAIRING, &[Arg::Text(device), Arg::Text(beginning), Arg::Text(&sha256_hex(&code)), until])
        .await?;
    Ok(code)
}

/// A code whose prefix no other code has. Of two codes with one prefix only the newer can be found, and on a printed
/// sheet of sixty a card would not work now and then. If all prefixes are taken, the last code drawn replaces an older
/// one.
async fn free_code(tx: &mut Transaction<'_>, system: &System) -> Result<String, PeopleError> {
    let mut code = human_code::written(system.random_bytes()?);
    for _ in 0..MAX_DRAWS {
        if tx.fetch(sql::PAIRING, &[Arg::Text(prefix_of(&code))]).await?.is_empty() {
            break;
        }
        code = human_code::written(system.random_bytes()?);
    }
    Ok(code)
}

fn prefix_of(code: &str) -> &str {
    code.get(..PREFIX_CHARS).unwrap_or_default()
}

/// Exchanges a code for the secret of its device, once. Gives `None` if the code is wrong, expired, used, or was
/// mistyped too often.
///
/// # Errors
/// If the write fails.
pub async fn pair(ledger: &Ledger, system: &System, typed: &str) -> Result<Option<Paired>, PeopleError> {
    let Some(code) = human_code::read(typed) else { return Ok(None) };
    let now = system.now();
    let mut tx = ledger.begin().await?;
    let rows = tx.fetch(sql::PAIRING, &[Arg::Text(prefix_of(&code))]).await?;
    let Some(row) = rows.first() else { return Ok(None) };
    let (device, until) = (row.text("device")?, row.int_or_null("until_us")?);
    // A code that expires too far ahead was made before the clock was set back. That does not extend its validity.
    let is_timely = until.is_none_or(|until| (1..=CODE_US).contains(&(until - now.micros())));
    let is_over = row.int("fails")? >= MAX_TRIES || !is_timely;
    if is_over || row.text("hash")? != sha256_hex(&code) {
        tx.execute(sql::FAIL_PAIRING, &[Arg::Text(&device)]).await?;
        tx.commit().await?;
        return Ok(None);
    }
    let Some(mut device) = people(ledger).await?.device(&device).cloned() else { return Ok(None) };
    let secret = new_secret(system)?;
    // A device that was confirmed once needs no second confirmation.
    let waits = until.is_none() && device.pairing != Pairing::Paired;
    device.pairing = if waits { Pairing::Unconfirmed } else { Pairing::Paired };
    let label = device.setting.label.clone();
    let event = Event::DevicePaired(DevicePaired { device: device.id.clone(), label: label.clone(), waits });
    tx.append(now, vec![server_draft(&actor(&device), event)]).await?;
    tx.execute(sql::SET_CREDENTIAL, &[Arg::Text(&device.id), Arg::Text(&sha256_hex(&secret))]).await?;
    tx.execute(sql::CONSUME_PAIRING, &[Arg::Text(&device.id)]).await?;
    // A person who was signed in at this device signs in again.
    tx.execute(sql::END_SESSIONS_AT, &[Arg::Text(&device.id)]).await?;
    tx.commit().await?;
    Ok(Some(Paired { device, secret }))
}
