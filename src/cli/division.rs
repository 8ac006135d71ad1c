//! `division set`.

use std::collections::BTreeSet;

use anyhow::{Context as _, anyhow, bail};
use serde_json::{Map, Value};

use crate::domain::division::DivisionOrder;
use crate::domain::event::DivisionSet;
use crate::domain::fields::Fields;
use crate::domain::settings::{SETTING_KEYS, Settings};
use crate::domain::{Event, FaultCode, Setup, Tournament};
use crate::snapshot::{check_later, setup_of};
use crate::store::Draft;

use super::args::{DivisionCommand, SetDivision};
use super::ruleset::named;
use super::tournament::lexica;
use super::{Context, Outcome, operator};

pub async fn run(context: &Context, command: DivisionCommand) -> anyhow::Result<Outcome> {
    let DivisionCommand::Set(asked) = command;
    let ledger = context.ledger().await?;
    // The write lock comes first: no one else can change the division between the look and the write.
    let mut tx = ledger.begin().await?;
    let now = ledger.effective(context.system.now()).await?;
    let setup = setup_of(&ledger, now).await?;
    let tournament = setup.tournament(&asked.tournament).with_context(|| {
        format!("there is no tournament {:?}; adjudge tournament list shows the tournaments", asked.tournament)
    })?;
    let set = ordered(context, &setup, tournament, &asked, &now.day_in(&tournament.time_zone))?;
    if setup.switch_asks_another(tournament, &set) {
        bail!(
            "in {} a second person must approve another lexicon or ruleset (two_person): use the desk or the API, or turn two_person off",
            tournament.id
        );
    }
    let mut then = setup.ordered(&tournament.id, &set)?;
    // A change whose day has come takes effect at once.
    then.apply_due(now)?;
    let summary = summary(&set, tournament, &then);
    tx.append(now, vec![Draft::of(&tournament.id, operator(), Event::DivisionSet(set))]).await?;
    tx.commit().await?;
    ledger.db.close().await;
    println!("{summary}");
    Ok(Outcome::Done)
}

/// The event that carries out an order, checked together with the changes that wait for their day.
fn ordered(
    context: &Context,
    setup: &Setup,
    tournament: &Tournament,
    asked: &SetDivision,
    today: &str,
) -> anyhow::Result<DivisionSet> {
    let division = order(setup, asked)?.wanted(setup, tournament)?;
    let others = setup.settings_of_divisions(&tournament.id);
    let others = others.iter().map(|(other, settings)| (other.as_str(), settings));
    division.check(tournament.settings.names(), others)?;
    let lexica = lexica(context, setup, &division, today)?;
    let set = division.ordered(tournament, setup, lexica)?;
    let then = setup.ordered(&tournament.id, &set)?;
    check_later(&then, &context.folder.lexicons(), &tournament.id, &set.division)?;
    Ok(set)
}

/// The order that the arguments describe.
fn order(setup: &Setup, asked: &SetDivision) -> anyhow::Result<DivisionOrder> {
    let mut settings = Settings::default();
    let mut keys = BTreeSet::new();
    for pair in &asked.settings {
        check_no_division(pair)?;
        settings.set(pair)?;
        keys.insert(pair.split_once('=').map_or(pair.as_str(), |(key, _)| key).to_owned());
    }
    Ok(DivisionOrder {
        id: asked.division.clone(),
        lexicon: asked.lexicon.clone(),
        second: asked.second.clone(),
        ruleset: asked.ruleset.as_deref().map(|ruleset| named(setup, ruleset)).transpose()?,
        settings,
        keys: keys.into_iter().collect(),
        from: asked.from.clone(),
        cancel: asked.cancel,
        reason: asked.reason.as_deref().map(reason).transpose()?,
        is_whole: false,
    })
}

/// Refuses a setting that names its division, which `tournament create` accepts.
fn check_no_division(pair: &str) -> anyhow::Result<()> {
    let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
    match key.rsplit_once('.') {
        Some((division, setting)) if SETTING_KEYS.contains(&setting) => {
            bail!(
                "--set {pair}: leave off {division}. and write --set {setting}={value}, since the command names the division"
            )
        }
        _ => Ok(()),
    }
}

/// A reason, in the same form as in a request.
fn reason(text: &str) -> anyhow::Result<String> {
    let body = Map::from_iter([("reason".to_owned(), Value::from(text))]);
    let mut fields = Fields::of(&body, FaultCode::InvalidRequest);
    let reason = fields.note("reason");
    fields.finish(reason).map_err(|faults| anyhow!(faults.first().detail.clone()))
}

/// The settings that hold now, and the changes that the order cancelled or that wait.
fn summary(set: &DivisionSet, tournament: &Tournament, then: &Setup) -> String {
    let (own, id) = (&tournament.id, &set.division);
    let from = set.from.as_ref().map_or_else(|| "from now on".to_owned(), |from| format!("from {from} on"));
    let mut lines = vec![format!("Division {id} of {own} plays with {} under {} {from}.", set.lexicon.id, set.ruleset)];
    lines.extend(set.replaced.iter().map(|field| format!("Taken back: {field}.")));
    lines.extend(then.waiting(own, id).iter().map(|field| format!("Waits for its day: {field}.")));
    lines.join("\n")
}
