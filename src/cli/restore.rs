//! `restore`: going on with what lies there.

use crate::domain::SERVER_LOG;
use crate::domain::event::{ClosedLog, Restored};
use crate::domain::ledger::family;
use crate::store::restore::restore;

use super::ledger::{entries, tell};
use super::{Context, Outcome, operator};

const ENTER_AGAIN: &str = "What was ruled in the lost entries is not in the ledger: keep the sheets of those slips.";
const SET_UP_AGAIN: &str = "Tokens, word lists and tournaments of the lost entries have to be made again.";

pub async fn run(context: &Context) -> anyhow::Result<Outcome> {
    let _claim = context.folder.claim()?;
    let ledger = context.folder.reopen(&context.world).await?;
    let outside = context.outside();
    let copies = outside.read(&ledger).await?;
    tell(&copies);
    let done = restore(&ledger, &context.world, &operator(), &copies).await;
    if done.is_ok() {
        // At once, so that the same backup put back again is noticed.
        let logs = ledger.logs().await?;
        outside.keep(&ledger, &context.world, logs).await?;
    }
    ledger.db.close().await;
    let done = done?;
    if done.has_new_indexes {
        println!("Indexes of the database were damaged, and are made anew from its rows.");
    }
    if done.continued.is_empty() && done.revoked.is_empty() && !done.has_new_indexes {
        println!("Every log is whole: there is nothing to restore.");
        return Ok(Outcome::Done);
    }
    for (log, said) in &done.continued {
        report(log, said);
    }
    for name in &done.revoked {
        println!("The token {name:?} was not what its entries say, and is revoked.");
    }
    println!("Nothing was changed or deleted. Start the server again: adjudge serve");
    Ok(Outcome::Done)
}

fn report(log: &str, said: &Restored) {
    for closed in &said.closed {
        println!("{}: closed with {}{}", closed.log, entries(closed.size), found(closed));
    }
    println!("{log}: goes on from here");
    let Some(last) = said.closed.last() else { return };
    if last.lost() > 0 {
        println!("  {}", if family(log) == SERVER_LOG { SET_UP_AGAIN } else { ENTER_AGAIN });
    }
    if last.sound < last.size {
        println!("  What the entries from {} on set up is not in force any more: make it again.", last.sound);
    }
    if last.vouched() < last.size {
        println!("  Nobody vouches for the entries from {} on.", last.vouched());
        if family(log) != SERVER_LOG {
            println!("  Slips with such an entry are in question: a director settles each, on the desk.");
        }
    }
}

fn found(closed: &ClosedLog) -> String {
    let lost = match (closed.lost(), &closed.checkpoint) {
        (lost @ 1.., Some(known)) => format!(
            "; the newest checkpoint known has {}, so {} lost",
            known.size,
            if lost == 1 { "1 is".to_owned() } else { format!("{lost} are") }
        ),
        _ => String::new(),
    };
    let fault = closed.fault.as_ref().map_or(String::new(), |fault| format!("; {fault}"));
    format!("{lost}{fault}")
}
