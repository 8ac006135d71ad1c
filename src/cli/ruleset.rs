//! `ruleset list | show | copy | set`.

use anyhow::{Context as _, bail};
use serde_json::json;

use crate::domain::event::RulesetSet;
use crate::domain::player_name::NamePolicy;
use crate::domain::{Event, Ruleset, SERVER_LOG, Setup, Tournament, is_id};
use crate::snapshot::setup_of;
use crate::store::Draft;

use super::args::RulesetCommand;
use super::{Context, Outcome, operator};

pub async fn run(context: &Context, command: RulesetCommand) -> anyhow::Result<Outcome> {
    match command {
        RulesetCommand::List(output) => list(&setup(context).await?, output.json),
        RulesetCommand::Show { name, output } => show(&setup(context).await?, &name, output.json)?,
        RulesetCommand::Copy { from, name } => {
            record(context, |setup| copy(setup, &from, &name)).await?;
            println!("The ruleset {name} is a copy of {from}. Next: adjudge ruleset set {name} KEY=VALUE");
        }
        RulesetCommand::Set { name, pairs } => {
            record(context, |setup| changed(setup, &name, &pairs)).await?;
            println!("The ruleset {name} is changed for every division that plays by it.");
        }
    }
    Ok(Outcome::Done)
}

/// The set-up, with the directors' own rulesets.
async fn setup(context: &Context) -> anyhow::Result<Setup> {
    let ledger = context.ledger().await?;
    let setup = setup_of(&ledger, context.system.now()).await?;
    ledger.db.close().await;
    Ok(setup)
}

async fn record(context: &Context, make: impl FnOnce(&Setup) -> anyhow::Result<RulesetSet>) -> anyhow::Result<()> {
    let ledger = context.ledger().await?;
    let mut tx = ledger.begin().await?;
    let now = context.system.now();
    let set = make(&setup_of(&ledger, now).await?)?;
    tx.append(now, vec![Draft::of(SERVER_LOG, operator(), Event::RulesetSet(set))]).await?;
    tx.commit().await?;
    ledger.db.close().await;
    Ok(())
}

fn copy(setup: &Setup, from: &str, name: &str) -> anyhow::Result<RulesetSet> {
    if !is_id(name) {
        bail!(
            "{name:?} cannot name a ruleset: use 1 to 32 letters, digits, . _ or -, beginning with a letter or digit"
        );
    }
    if names(setup).iter().any(|one| one.eq_ignore_ascii_case(name)) {
        bail!("a ruleset {name} exists already: choose another name");
    }
    let original = named(setup, from)?;
    let title = format!("{} ({name})", original.title);
    let ruleset = Ruleset { name: name.to_owned(), title, ..original };
    Ok(RulesetSet { ruleset, copied_from: Some(from.to_owned()) })
}

fn changed(setup: &Setup, name: &str, pairs: &[String]) -> anyhow::Result<RulesetSet> {
    if Ruleset::shipped(name).is_some() {
        bail!(
            "{name} is a federation's ruleset: copy it first with adjudge ruleset copy {name} NAME, and change the copy"
        );
    }
    let plays_by_it = |one: &&Tournament| setup.uses_ruleset(one, name);
    if let Some(one) = setup.tournaments().filter(|one| one.settings.two_person()).find(plays_by_it) {
        bail!(
            "{} plays by {name}, and there a second person must approve a change (two_person): copy it, change the copy, and use the desk or the API",
            one.id
        );
    }
    let mut ruleset = named(setup, name)?;
    for pair in pairs {
        let (key, value) = pair.split_once('=').with_context(|| format!("{pair:?}: write KEY=VALUE"))?;
        ruleset = ruleset.with(key, value)?;
    }
    let keeps_names = |one: &&Tournament| one.settings.names() == NamePolicy::Full;
    if ruleset.escalates()
        && let Some(one) = setup.tournaments().filter(plays_by_it).find(|one| !keeps_names(one))
    {
        bail!(
            "{} plays by {name} and records no full names (setting names), so earlier challenges cannot be counted: leave the values of escalation as they are",
            one.id
        );
    }
    Ok(RulesetSet { ruleset, copied_from: None })
}

fn show(setup: &Setup, name: &str, as_json: bool) -> anyhow::Result<()> {
    let ruleset = named(setup, name)?;
    match Ruleset::shipped_text(name) {
        _ if as_json => println!("{}", serde_json::to_string_pretty(&ruleset)?),
        Some(text) => print!("{text}"),
        None => print!("{}", ruleset.to_toml()),
    }
    Ok(())
}

/// The ruleset of that name: a shipped one, or a director's own.
pub fn named(setup: &Setup, name: &str) -> anyhow::Result<Ruleset> {
    setup.ruleset(name).with_context(|| format!("there is no ruleset {name:?}; there are {}", names(setup).join(", ")))
}

fn names(setup: &Setup) -> Vec<String> {
    let own = setup.own_rulesets().map(|one| one.name.clone());
    Ruleset::shipped_names().map(str::to_owned).chain(own).collect()
}

fn list(setup: &Setup, as_json: bool) {
    let shipped = Ruleset::shipped_names().filter_map(Ruleset::shipped);
    let all: Vec<Ruleset> = shipped.chain(setup.own_rulesets().cloned()).collect();
    if as_json {
        let shown =
            |one: &Ruleset| json!({"name": one.name, "title": one.title, "edition": one.edition, "status": one.status});
        println!("{}", json!({"rulesets": all.iter().map(shown).collect::<Vec<_>>()}));
        return;
    }
    for Ruleset { name, title, edition, status, .. } in all {
        println!("{name:<14} {title}: {edition}; {status}");
    }
}
