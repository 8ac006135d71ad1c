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
        println!("The time is {}; the newest entry before was of {}.", entry.at, confirmed.newest);
        println!("What came into force by its day until then stays so: adjudge tournament list shows it.");
    }
    Ok(Outcome::Done)
}
