//! `staff add | list | reset | remove`.

use anyhow::{Context as _, bail};
use serde_json::json;

use crate::domain::accounts::Staff;
use crate::domain::player_name::MAX_NAME_CHARS;
use crate::domain::player_name::normal_name;
use crate::domain::{Role, SERVER_LOG};
use crate::snapshot::setup_of;
use crate::store::Ledger;
use crate::store::accounts::staff::{self, NewStaff};

use super::args::{NameInTournament, StaffCommand};
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
            print_secret(role, &staff::add_staff(&ledger, &context.system, &operator(), new).await?);
        }
        StaffCommand::List(output) => list(staff::people(&ledger).await?.staff(), output.json),
        StaffCommand::Reset(NameInTournament { name, tournament }) => {
            let staff = named(&ledger, &name, tournament.as_deref()).await?;
            print_secret(staff.role, &staff::reset_staff(&ledger, &context.system, &operator(), &staff).await?);
        }
        StaffCommand::Remove(NameInTournament { name, tournament }) => {
            let staff = named(&ledger, &name, tournament.as_deref()).await?;
            staff::remove_staff(&ledger, &context.system, &operator(), &staff).await?;
            println!("{} is removed and can no longer sign in.", staff.name);
        }
    }
    ledger.db.close().await;
    Ok(Outcome::Done)
}

/// Prints the secret on standard output, for programs, and what it is on standard error.
fn print_secret(role: Role, secret: &str) {
    let kind = if role == Role::Judge { "PIN, valid at a paired device" } else { "passphrase" };
    eprintln!("The {kind}, shown only this once:");
    println!("{secret}");
}

async fn named(ledger: &Ledger, name: &str, tournament: Option<&str>) -> anyhow::Result<Staff> {
    let people = staff::people(ledger).await?;
    let all = people.staff_named(name).map(|staff| (staff.tournament.as_str(), staff)).collect();
    only(all, name, tournament)
        .cloned()
        .map_err(|why| why.into_error("no one", "adjudge staff list shows who may sign in"))
}

/// A name as it is recorded.
pub(super) fn name_of(typed: &str) -> anyhow::Result<String> {
    normal_name(typed)
        .with_context(|| format!("a name has 1 to {MAX_NAME_CHARS} visible characters and no control characters"))
}

pub(super) async fn check_tournament(context: &Context, ledger: &Ledger, tournament: &str) -> anyhow::Result<()> {
    let is_there =
        tournament == SERVER_LOG || setup_of(ledger, context.system.now()).await?.tournament(tournament).is_some();
    if !is_there {
        bail!("there is no tournament {tournament:?}; adjudge tournament list shows the tournaments");
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
