//! `ruleset list | show`.

use anyhow::Context as _;
use serde_json::json;

use crate::domain::Ruleset;

use super::Outcome;
use super::args::RulesetCommand;

pub fn run(command: &RulesetCommand) -> anyhow::Result<Outcome> {
    match command {
        RulesetCommand::List { json } => list(*json),
        RulesetCommand::Show { name, json: true } => println!("{}", serde_json::to_string_pretty(&named(name)?)?),
        RulesetCommand::Show { name, json: false } => {
            named(name)?;
            print!("{}", Ruleset::shipped_text(name).unwrap_or_default());
        }
    }
    Ok(Outcome::Done)
}

/// The ruleset of that name.
pub fn named(name: &str) -> anyhow::Result<Ruleset> {
    Ruleset::shipped(name).with_context(|| {
        let known: Vec<&str> = Ruleset::shipped_names().collect();
        format!("there is no ruleset {name:?}; this version has {}", known.join(", "))
    })
}

fn list(as_json: bool) {
    let all: Vec<Ruleset> = Ruleset::shipped_names().filter_map(Ruleset::shipped).collect();
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
