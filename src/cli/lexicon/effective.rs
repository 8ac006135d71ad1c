//! `lexicon effective`: changes the day from which a lexicon may be used, as an act of its own.

use anyhow::bail;
use serde_json::json;

use crate::cli::args::SetEffective;
use crate::cli::{Context, Outcome, operator};
use crate::domain::event::{LexiconEffectiveSet, LexiconImported};
use crate::domain::fields::MAX_NOTE_CHARS;
use crate::domain::time::Timestamp;
use crate::domain::{Event, LexiconName, SERVER_LOG, Setup};
use crate::lexicon::built_in;
use crate::lexicon::import::check_day;
use crate::snapshot::setup_of;
use crate::store::{Draft, Ledger};

use super::found;

pub async fn run(context: &Context, ledger: &Ledger, asked: SetEffective) -> anyhow::Result<Outcome> {
    let SetEffective { id, from, always: _, reason, output } = asked;
    if id == built_in::ID {
        bail!("the built-in list {id} is always in force");
    }
    if let Some(from) = &from {
        check_day(from)?;
    }
    if reason.trim().is_empty() || reason.chars().count() > MAX_NOTE_CHARS || reason.contains(char::is_control) {
        bail!("--reason has 1 to {MAX_NOTE_CHARS} characters and no control characters: say why the day is changed");
    }
    // The write lock comes first: no division can begin to play with the lexicon between the check and the write.
    let mut tx = ledger.begin().await?;
    let now = context.system.now();
    let setup = setup_of(ledger, now).await?;
    let known = found(&setup, &id)?;
    let before = known.effective_from.clone();
    if before != from {
        refuse_in_play(&setup, known, from.as_deref(), now)?;
        let lexicon = known.lexicon.clone();
        let set = LexiconEffectiveSet { lexicon, effective_from: from.clone(), reason: reason.trim().to_owned() };
        tx.append(now, vec![Draft::of(SERVER_LOG, operator(), Event::LexiconEffectiveSet(set))]).await?;
        tx.commit().await?;
    }
    if output.json {
        println!("{}", json!({ "id": known.lexicon.id, "effective_from": from, "before": before }));
        return Ok(Outcome::Done);
    }
    let day = |from: &Option<String>| from.as_ref().map_or("always".to_owned(), |from| format!("from {from} on"));
    if before == from {
        println!("{} is in force {} already: nothing was changed.", known.lexicon.id, day(&from));
    } else {
        println!("{} is in force {}; it was {}.", known.lexicon.id, day(&from), day(&before));
    }
    Ok(Outcome::Done)
}

/// A lexicon that a division plays with, or will before that day, stays in force.
fn refuse_in_play(setup: &Setup, known: &LexiconImported, from: Option<&str>, now: Timestamp) -> anyhow::Result<()> {
    let Some(from) = from else { return Ok(()) };
    for tournament in setup.tournaments() {
        let is_later = from > now.day_in(&tournament.time_zone).as_str();
        let plays = tournament.divisions().find(|division| division.lexica().any(|name| *name == known.lexicon));
        if let Some(division) = plays.filter(|_| is_later) {
            bail!(
                "division {} of {} plays with {} today: give it another list first, or an earlier day",
                division.id,
                tournament.id,
                known.lexicon.id
            );
        }
        let orders = setup.waiting_divisions(&tournament.id).flat_map(|division| {
            setup.later_plans(&tournament.id, division).into_iter().map(move |(day, plan)| (division, day, plan))
        });
        let is_of = |name: &LexiconName| *name == known.lexicon;
        let too_early = orders.into_iter().find(|(_, day, plan)| {
            day.as_str() < from && (is_of(&plan.lexicon) || plan.second.as_ref().is_some_and(is_of))
        });
        if let Some((division, day, _)) = too_early {
            bail!(
                "division {division} of {tournament} is to play with {id} from {day} on: take that back first (adjudge \
                 division set {tournament} {division} --cancel), or name a day no later than {day}",
                tournament = tournament.id,
                id = known.lexicon.id
            );
        }
    }
    Ok(())
}
