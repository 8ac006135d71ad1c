//! `restore`: continues a ledger that lost or changed entries.

use crate::domain::SERVER_LOG;
use crate::domain::accounts::People;
use crate::domain::event::{ClosedLog, Restored};
use crate::domain::ledger::base_log;
use crate::snapshot::setup_of;
use crate::store::accounts::staff::people;
use crate::store::integrity::restore::{RestoreError, restore};
use crate::store::{DataDirError, Ledger, LedgerError};

use super::ledger::{entries, print_troubles};
use super::{Context, Outcome, operator};

const KEEP_SHEETS: &str = "The rulings of the lost entries are not in the ledger: keep the sheets of those slips.";
const SET_UP_AGAIN: &str =
    "Staff, devices, tokens, lexicons, tournaments and settings of the lost entries must be made again.";

pub async fn run(context: &Context) -> anyhow::Result<Outcome> {
    let _claim = context.folder.claim()?;
    let ledger = match context.folder.reopen_after_loss(&context.system).await {
        Err(DataDirError::Ledger(LedgerError::Db(error))) if error.is_damage() => {
            return Err(RestoreError::from(error).into());
        }
        opened => opened?,
    };
    let checkpoint_copies = context.checkpoint_copies();
    let copies = checkpoint_copies.read(&ledger).await?;
    print_troubles(&copies);
    let done = restore(&ledger, &context.system, &operator(), &copies).await;
    if done.is_ok() {
        // At once, so that the next start notices if the same backup is put back again.
        let logs = ledger.logs().await?;
        checkpoint_copies.update(&ledger, &context.system, logs).await?;
    }
    let (closed, gone) = match &done {
        Ok(done) => (closed_with_faults(&ledger).await?, tournaments_gone(context, &ledger, &done.continued).await),
        Err(_) => Default::default(),
    };
    let in_force = people(&ledger).await.ok();
    ledger.db.close().await;
    let done = done?;
    if done.has_new_indexes {
        println!("The database's damaged indexes were rebuilt from its rows.");
    }
    if done.continued.is_empty() && done.revoked.is_empty() && !done.has_new_indexes {
        for (log, open) in &closed {
            println!("{log}: was closed with its fault, and is continued as {open}");
        }
        let whole = if closed.is_empty() { "Every log" } else { "Every other log" };
        println!("{whole} is whole: there is nothing to restore.");
        return Ok(Outcome::Done);
    }
    for (log, said) in &done.continued {
        report(log, said);
    }
    for tournament in gone {
        println!("The tournament {tournament} is no longer set up. Make it again, with its title and divisions:");
        println!("  adjudge tournament create {tournament} --title TITLE --division ID:LEXICON:RULESET");
    }
    for name in &done.revoked {
        println!("The token {name:?} did not match its entries and is revoked.");
    }
    if done.continued.iter().any(|(log, _)| base_log(log) == SERVER_LOG) {
        print_in_force(in_force.as_ref());
    }
    println!("Nothing was changed or deleted. Next: adjudge serve");
    Ok(Outcome::Done)
}

/// The logs that were closed with a fault, now or earlier, each with the log that continues it.
async fn closed_with_faults(ledger: &Ledger) -> anyhow::Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    for log in ledger.logs().await? {
        if ledger.closed(&log).await?.is_some_and(|closed| closed.fault.is_some()) {
            let open = ledger.open_log(&log).await?;
            found.push((log, open));
        }
    }
    Ok(found)
}

/// The tournaments whose logs were continued and whose creation is no longer in force. If the set-up cannot be read
/// none is named, and the next start says why.
async fn tournaments_gone(context: &Context, ledger: &Ledger, continued: &[(String, Restored)]) -> Vec<String> {
    let Ok(setup) = setup_of(ledger, context.system.now()).await else { return Vec::new() };
    let names = continued.iter().map(|(log, _)| base_log(log)).filter(|name| *name != SERVER_LOG);
    names.filter(|name| setup.tournament(name).is_none()).map(str::to_owned).collect()
}

/// Prints which staff and devices are left, so that a director knows whom to add again.
fn print_in_force(people: Option<&People>) {
    let Some(people) = people else { return };
    let staff: Vec<&str> = people.staff().map(|one| one.name.as_str()).collect();
    let devices: Vec<&str> = people.devices().map(|device| device.setting.label.as_str()).collect();
    let list = |names: &[&str]| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    println!("Staff in force: {}. Add others again: adjudge staff add", list(&staff));
    println!("Devices in force: {}. Make others again and pair them: adjudge station create", list(&devices));
}

fn report(log: &str, said: &Restored) {
    for closed in &said.closed {
        println!("{}: closed with {}{}", closed.log, entries(closed.size), found(closed));
    }
    println!("{log}: goes on from here");
    let Some(last) = said.closed.last() else { return };
    if last.lost() > 0 {
        println!("  {}", if base_log(log) == SERVER_LOG { SET_UP_AGAIN } else { KEEP_SHEETS });
    }
    if last.sound < last.size {
        println!("  Everything that the entries from {} on set up is no longer in force: make it again.", last.sound);
    }
    if last.vouched() < last.size {
        println!("  No signature covers the entries from {} on.", last.vouched());
        if base_log(log) != SERVER_LOG {
            println!("  Slips with such an entry are in question: a director decides on each, on the desk.");
        }
    }
}

fn found(closed: &ClosedLog) -> String {
    let lost = match (closed.lost(), &closed.checkpoint) {
        (lost @ 1.., Some(known)) => format!(
            "; the newest known checkpoint covers {}, so {} lost",
            known.size,
            if lost == 1 { "1 is".to_owned() } else { format!("{lost} are") }
        ),
        _ => String::new(),
    };
    let fault = closed.fault.as_ref().map_or(String::new(), |fault| format!("; {fault}"));
    format!("{lost}{fault}")
}
