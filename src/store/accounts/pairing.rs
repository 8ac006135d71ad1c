//! Pairing: the codes that devices show once, and the secrets that they get for them.

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

/// How long a code is good, unless it is on a printed sheet.
const CODE_US: i64 = 10 * 60 * 1_000_000;

/// How often a code may be mistyped.
const MAX_TRIES: i64 = 5;

/// How many characters find a code; the others are what must not be guessed.
const PREFIX_CHARS: usize = 3;

/// How often a code is drawn anew whose beginning is another's. There are 32,768 of them.
const MAX_DRAWS: usize = 32;

/// How long a code that was just made is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeValidity {
    /// Ten minutes.
    Minutes,
    /// Until it is used: it is on a printed sheet, and a director confirms what shows it.
    UntilUsed,
}

/// A device that showed its code.
#[derive(Clone, Debug)]
pub struct Paired {
    pub device: Device,
    /// 256 bits, for its cookie; kept nowhere else.
    pub secret: String,
}

/// A new code for a device, in place of any before: for one that lost its pairing, or has to be pointed to another
/// address. What it is and what it did stay its own.
///
/// # Errors
/// Where there is no such device or nothing can be written.
pub async fn new_code(ledger: &Ledger, system: &System, by: &Actor, device: &str) -> Result<String, PeopleError> {
    let found = find(ledger, device).await?;
    let mut tx = ledger.begin().await?;
    tx.append(system.now(), vec![server_draft(by, Event::DeviceCodeMade(named(&found)))]).await?;
    let code = set_code(&mut tx, system, device, CodeValidity::Minutes).await?;
    tx.commit().await?;
    Ok(code)
}

/// Draws a code for a device and keeps its hash.
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

/// A code with a beginning that no other one has: of two with the same one only the newer can be found, and on a printed
/// sheet of sixty a card would be dead now and then. Should all be taken, the last one drawn takes an older one's place.
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

/// Trades a code for the secret of its device, once; `None` where the code is wrong, too old, used, or was mistyped too
/// often.
///
/// # Errors
/// Where nothing can be written.
pub async fn pair(ledger: &Ledger, system: &System, typed: &str) -> Result<Option<Paired>, PeopleError> {
    let Some(code) = human_code::read(typed) else { return Ok(None) };
    let now = system.now();
    let mut tx = ledger.begin().await?;
    let rows = tx.fetch(sql::PAIRING, &[Arg::Text(prefix_of(&code))]).await?;
    let Some(row) = rows.first() else { return Ok(None) };
    let (device, until) = (row.text("device")?, row.int_or_null("until_us")?);
    // A code of a time that is still to come was made before the clock was set back: it gets no longer life by that.
    let is_timely = until.is_none_or(|until| (1..=CODE_US).contains(&(until - now.micros())));
    let is_over = row.int("fails")? >= MAX_TRIES || !is_timely;
    if is_over || row.text("hash")? != sha256_hex(&code) {
        tx.execute(sql::FAIL_PAIRING, &[Arg::Text(&device)]).await?;
        tx.commit().await?;
        return Ok(None);
    }
    let Some(mut device) = people(ledger).await?.device(&device).cloned() else { return Ok(None) };
    let secret = new_secret(system)?;
    // What was confirmed once need not be again.
    let waits = until.is_none() && device.pairing != Pairing::Paired;
    device.pairing = if waits { Pairing::Unconfirmed } else { Pairing::Paired };
    let label = device.setting.label.clone();
    let event = Event::DevicePaired(DevicePaired { device: device.id.clone(), label: label.clone(), waits });
    tx.append(now, vec![server_draft(&actor(&device), event)]).await?;
    tx.execute(sql::SET_CREDENTIAL, &[Arg::Text(&device.id), Arg::Text(&sha256_hex(&secret))]).await?;
    tx.execute(sql::CONSUME_PAIRING, &[Arg::Text(&device.id)]).await?;
    // Whoever signed in at what was this device before signs in anew.
    tx.execute(sql::END_SESSIONS_AT, &[Arg::Text(&device.id)]).await?;
    tx.commit().await?;
    Ok(Some(Paired { device, secret }))
}
