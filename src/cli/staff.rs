//! `staff add | list | reset | remove`.

use anyhow::bail;
use serde_json::json;

use crate::domain::fields::LONGEST_NAME;
use crate::domain::names::is_name;
use crate::domain::people::Staff;
use crate::domain::{Role, SERVER_LOG};
use crate::present::floor_of;
use crate::store::Ledger;
use crate::store::people::{self, NewStaff};

use super::args::StaffCommand;
use super::{Context, Outcome, operator};

pub async fn run(context: &Context, command: StaffCommand) -> anyhow::Result<Outcome> {
    let ledger = context.ledger().await?;
    match command {
        StaffCommand::Add { name, role, tournament, plays } => {
            check_name(&name)?;
            check_tournament(context, &ledger, &tournament).await?;
            let new = NewStaff { name, role, tournament, plays, passphrase: None };
            tell(role, &people::add_staff(&ledger, &context.world, &operator(), new).await?);
        }
        StaffCommand::List { json } => list(people::people(&ledger).await?.staff(), json),
        StaffCommand::Reset { name } => {
            let role = people::people(&ledger).await?.staff_named(&name).map(|staff| staff.role);
            let secret = people::reset_staff(&ledger, &context.world, &operator(), &name).await?;
            tell(role.unwrap_or(Role::Director), &secret);
        }
        StaffCommand::Remove { name } => {
            people::remove_staff(&ledger, &context.world, &operator(), &name).await?;
            println!("{name} may not sign in any more.");
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

pub(super) fn check_name(name: &str) -> anyhow::Result<()> {
    if !is_name(name) || name.trim().is_empty() {
        bail!("a name has 1 to {LONGEST_NAME} characters and no control characters");
    }
    Ok(())
}

pub(super) async fn check_tournament(context: &Context, ledger: &Ledger, tournament: &str) -> anyhow::Result<()> {
    let is_there =
        tournament == SERVER_LOG || floor_of(ledger, context.world.now()).await?.tournament(tournament).is_some();
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
