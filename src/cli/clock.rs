//! `clock confirm`.

use crate::domain::Event;

use super::args::ClockCommand;
use super::{Context, Outcome, operator};

pub async fn run(context: &Context, command: &ClockCommand) -> anyhow::Result<Outcome> {
    let ClockCommand::Confirm = command;
    let ledger = context.ledger().await?;
    let recorded = ledger.confirm_clock(context.system.now(), &operator(), None).await?;
    ledger.db.close().await;
    if let Some(entry) = recorded.first().and_then(|one| one.entry())
        && let Event::ClockConfirmed(confirmed) = &entry.event
    {
        println!("The clock is confirmed: new entries are dated from {} on.", entry.at);
        println!("The newest entry before is dated {}.", confirmed.newest);
        println!("Changes of a division that took effect by that date stay in effect: adjudge tournament list");
    }
    Ok(Outcome::Done)
}
