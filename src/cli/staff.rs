//! `staff add | list | reset | remove`.

use anyhow::{Context as _, bail};
use serde_json::json;

use crate::domain::fields::MAX_NAME_CHARS;
use crate::domain::names::normal_name;
use crate::domain::people::Staff;
use crate::domain::{Role, SERVER_LOG};
use crate::snapshot::floor_of;
use crate::store::Ledger;
use crate::store::people::{self, NewStaff};

use super::args::StaffCommand;
use super::named::only;
use super::{Context, Outcome, operator};

pub async fn run(context: &Context, command: StaffCommand) -> anyhow::Result<Outcome> {
    let ledger = context.ledger().await?;
    match command {
        StaffCommand::Add { name, role, tournament, plays } => {
            let name = name_of(&name)?;
            let plays = plays.as_deref().map(name_of).transpose()?;
            check_tournament(context, &ledger, &tournament).await?;
            let new = NewStaff { name, role, tournament, plays, passphrase: None };
            tell(role, &people::add_staff(&ledger, &context.system, &operator(), new).await?);
        }
        StaffCommand::List { json } => list(people::people(&ledger).await?.staff(), json),
        StaffCommand::Reset { name, tournament } => {
            let staff = named(&ledger, &name, tournament.as_deref()).await?;
            tell(staff.role, &people::reset_staff(&ledger, &context.system, &operator(), &staff).await?);
        }
        StaffCommand::Remove { name, tournament } => {
            let staff = named(&ledger, &name, tournament.as_deref()).await?;
            people::remove_staff(&ledger, &context.system, &operator(), &staff).await?;
            println!("{} may not sign in any more.", staff.name);
        }
    }
    ledger.db.close().await;
    Ok(Outcome::Done)
}

/// Says the secret, and only that, so that a program can read it; what it is for goes to standard error.
fn tell(role: Role, secret: &str) {
    let kind = if role == Role::Judge { "PIN, good at a paired device" } else { "passphrase" };
    eprintln!("The {kind}, shown this once:");
    println!("{secret}");
}

async fn named(ledger: &Ledger, name: &str, tournament: Option<&str>) -> anyhow::Result<Staff> {
    let people = people::people(ledger).await?;
    let all = people.staff_named(name).map(|staff| (staff.tournament.as_str(), staff)).collect();
    only(all, name, tournament).cloned().map_err(|why| why.of("nobody", "adjudge staff list shows who may sign in"))
}

/// A name as it is recorded.
pub(super) fn name_of(typed: &str) -> anyhow::Result<String> {
    normal_name(typed).with_context(|| {
        format!("a name has 1 to {MAX_NAME_CHARS} characters that can be seen and no control characters")
    })
}

pub(super) async fn check_tournament(context: &Context, ledger: &Ledger, tournament: &str) -> anyhow::Result<()> {
    let is_there =
        tournament == SERVER_LOG || floor_of(ledger, context.system.now()).await?.tournament(tournament).is_some();
    if !is_there {
        bail!("there is no tournament {tournament:?}; adjudge tournament list shows them");
    }
    Ok(())
}

fn list<'a>(staff: impl Iterator<Item = &'a Staff>, as_json: bool) {
    let state = |one: &Staff| if one.is_locked { "locked: adjudge staff reset" } else { "" };
    if as_json {
        let all: Vec<_> = staff
            .map(|one| {
                json!({
                    "id": one.id, "name": one.name, "role": one.role, "tournament": one.tournament, "plays": one.plays,
                    "locked": one.is_locked,
                })
            })
            .collect();
        println!("{}", json!({ "staff": all }));
        return;
    }
    for one in staff {
        println!("{:<10} {:<16} {}  {}", one.role, one.tournament, one.name, state(one));
    }
}
