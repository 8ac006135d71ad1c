//! `division set`.

use anyhow::{Context as _, bail};

use crate::domain::division::WantedDivision;
use crate::domain::{Division, Event, Floor, Tournament};
use crate::present::floor_of;
use crate::store::Draft;

use super::args::{DivisionCommand, SetDivision};
use super::ruleset::named;
use super::tournament::set;
use super::{Context, Outcome, operator};

pub async fn run(context: &Context, command: DivisionCommand) -> anyhow::Result<Outcome> {
    let DivisionCommand::Set(asked) = command;
    let ledger = context.ledger().await?;
    // The write lock comes first: nobody can change the division between the look and the write.
    let mut tx = ledger.begin().await?;
    let now = context.world.now();
    let floor = floor_of(&ledger, now).await?;
    let tournament = floor.tournament(&asked.tournament).with_context(|| {
        format!("there is no tournament {:?}; adjudge tournament list shows them", asked.tournament)
    })?;
    let division = wanted(&floor, tournament, &asked)?;
    division.check(tournament.settings.names(), floor.settings_of_divisions(&tournament.id))?;
    let set = set(context, &floor, division, &now.day_in(&tournament.time_zone))?;
    if floor.switch_asks_another(tournament, &set) {
        bail!("in {} another lexicon or ruleset needs two persons (two_person): use the desk", tournament.id);
    }
    let said = match &set.from {
        Some(from) => format!("from {from} on"),
        None => "from now on".to_owned(),
    };
    println!(
        "Division {} of {} plays with {} under {} {said}.",
        set.division, tournament.id, set.lexicon.id, set.ruleset
    );
    tx.append(now, vec![Draft::of(&tournament.id, operator(), Event::DivisionSet(set))]).await?;
    tx.commit().await?;
    ledger.db.close().await;
    Ok(Outcome::Done)
}

/// The division as it would be: what was said, and of the rest what it is now.
fn wanted(floor: &Floor, tournament: &Tournament, asked: &SetDivision) -> anyhow::Result<WantedDivision> {
    let before: Option<&Division> = tournament.divisions().find(|division| division.id == asked.division);
    let lexicon = asked.lexicon.clone().or_else(|| before.map(|before| before.lexicon.id.clone()));
    let ruleset = asked.ruleset.clone().or_else(|| before.map(|before| before.ruleset.name.clone()));
    let ruleset = named(floor, &ruleset.context("a new division needs --ruleset")?)?;
    let kept = before.and_then(|before| before.second.as_ref()).filter(|_| ruleset.needs_second());
    let second = asked.second.clone().or_else(|| kept.map(|second| second.id.clone()));
    let mut settings = before.map(|before| before.settings.clone()).unwrap_or_default();
    for pair in &asked.settings {
        settings.set(pair)?;
    }
    Ok(WantedDivision {
        id: asked.division.clone(),
        lexicon: lexicon.context("a new division needs --lexicon")?,
        second,
        ruleset,
        settings,
        from: asked.from.clone(),
    })
}
