//! `recheck`.

use anyhow::{Context as _, bail};

use crate::domain::Timestamp;
use crate::domain::recheck::Recheck;
use crate::domain::slip_filter::Selection;
use crate::snapshot::{NO_DATE_LIMIT, open_for_play, setup_of};

use super::args::RecheckSlips;
use super::{Context, Outcome};

/// Lists the look-ups that would differ under another lexicon; exit 1 if any would.
pub async fn run(context: &Context, asked: &RecheckSlips) -> anyhow::Result<Outcome> {
    let ledger = context.ledger().await?;
    let setup = setup_of(&ledger, context.system.now()).await?;
    if setup.tournament(&asked.tournament).is_none() {
        bail!("there is no tournament {:?}; adjudge tournament list shows the tournaments", asked.tournament);
    }
    let lexicon = open_for_play(&setup, &context.folder.lexicons(), &asked.lexicon, NO_DATE_LIMIT)?;
    let from = asked.since.as_deref().map(since).transpose()?;
    let selection = Selection { division: asked.division.clone(), from, ..Selection::default() };
    let mut found = Recheck::default();
    let mut pages = ledger.slips(&asked.tournament, u64::MAX);
    while let Some(some) = pages.page().await? {
        for record in some.iter().filter(|record| selection.fits(record)) {
            found.take(record, &*lexicon, lexicon.alphabet(), lexicon.lengths());
        }
    }
    ledger.db.close().await;
    if asked.output.json {
        println!("{}", serde_json::to_string_pretty(&found)?);
    } else {
        print(&found, &asked.lexicon);
    }
    Ok(if found.differ.is_empty() { Outcome::Done } else { Outcome::No })
}

/// A time, or a day in UTC.
fn since(said: &str) -> anyhow::Result<Timestamp> {
    let moment = Timestamp::parse_any(said).or_else(|| Timestamp::parse_any(&format!("{said}T00:00:00Z")));
    moment.with_context(|| {
        format!("--since {said:?}: write a day or a time in UTC, like 2026-11-29 or 2026-11-29T09:12:00Z")
    })
}

fn print(found: &Recheck, lexicon: &str) {
    for one in &found.differ {
        let standing = if one.standing { "standing" } else { "no longer standing" };
        println!(
            "slip {}, opinion {}: {} was {} and would be {} ({standing})",
            one.number,
            one.ordinal,
            one.words.join(" "),
            one.recorded,
            one.would_be
        );
    }
    println!("{} look-ups compared with {lexicon}: {} differ.", found.checked, found.differ.len());
    if found.not_covered > 0 {
        println!("{} could not be compared: {lexicon} does not cover a word of them.", found.not_covered);
    }
}
