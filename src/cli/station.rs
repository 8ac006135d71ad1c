//! `station create | code | list | confirm | revoke`.

use anyhow::bail;
use serde_json::json;

use crate::domain::accounts::{Device, Pairing};
use crate::domain::event::{DeviceKind, DeviceSetting};
use crate::snapshot::setup_of;
use crate::store::Ledger;
use crate::store::accounts::devices;
use crate::store::accounts::pairing::{self, CodeValidity};
use crate::store::accounts::staff::people;

use super::args::{NameInTournament, StationCommand};
use super::named::only;
use super::staff::name_of;
use super::{Context, Outcome, operator};

pub async fn run(context: &Context, command: StationCommand) -> anyhow::Result<Outcome> {
    let ledger = context.ledger().await?;
    let by = operator();
    match command {
        StationCommand::Create { name, tournament, divisions, hall, tablet, sheet } => {
            let name = name_of(&name)?;
            let hall = if hall.is_empty() { hall } else { name_of(&hall)? };
            let setup = setup_of(&ledger, context.system.now()).await?;
            let Some(own) = setup.tournament(&tournament) else {
                bail!("there is no tournament {tournament:?}; adjudge tournament list shows the tournaments");
            };
            if divisions.iter().any(|division| own.division(division).is_err()) {
                bail!(own.no_such_division());
            }
            let kind = if tablet { DeviceKind::Tablet } else { DeviceKind::Station };
            let good = if sheet { CodeValidity::UntilUsed } else { CodeValidity::Minutes };
            let setting = DeviceSetting { label: name, divisions, hall };
            let made = devices::create(&ledger, &context.system, &by, (kind, &tournament), setting, good).await?;
            print_code(&made.code, good);
        }
        StationCommand::Code(NameInTournament { name, tournament }) => {
            let device = labelled(&ledger, &name, tournament.as_deref()).await?;
            print_code(&pairing::new_code(&ledger, &context.system, &by, &device.id).await?, CodeValidity::Minutes);
        }
        StationCommand::List(output) => list(people(&ledger).await?.devices(), output.json),
        StationCommand::Confirm(NameInTournament { name, tournament }) => {
            let device = labelled(&ledger, &name, tournament.as_deref()).await?;
            devices::confirm(&ledger, &context.system, &by, &device.id).await?;
            println!("{name} is confirmed.");
        }
        StationCommand::Revoke(NameInTournament { name, tournament }) => {
            let device = labelled(&ledger, &name, tournament.as_deref()).await?;
            devices::revoke(&ledger, &context.system, &by, &device.id).await?;
            println!("{name} is unpaired and removed.");
        }
    }
    ledger.db.close().await;
    Ok(Outcome::Done)
}

/// Prints the code on standard output, for programs, and its use on standard error.
fn print_code(code: &str, good: CodeValidity) {
    match good {
        CodeValidity::Minutes => {
            eprintln!("Open /pair on the device and type this code, which is valid once and for ten minutes:");
        }
        CodeValidity::UntilUsed => {
            eprintln!("Open /pair on the device and type this code, which is valid once; then confirm the device:");
        }
    }
    println!("{code}");
}

async fn labelled(ledger: &Ledger, label: &str, tournament: Option<&str>) -> anyhow::Result<Device> {
    let people = people(ledger).await?;
    let all = people.devices_labelled(label).map(|device| (device.tournament.as_str(), device)).collect();
    only(all, label, tournament)
        .cloned()
        .map_err(|why| why.into_error("no device", "adjudge station list shows the devices"))
}

fn list<'a>(devices: impl Iterator<Item = &'a Device>, as_json: bool) {
    let state = |device: &Device| match device.pairing {
        Pairing::Waits => "not paired",
        Pairing::Unconfirmed => "not confirmed",
        Pairing::Paired => "paired",
    };
    if as_json {
        let all: Vec<_> = devices
            .map(|device| {
                json!({
                    "id": device.id, "label": device.setting.label, "kind": device.kind,
                    "tournament": device.tournament, "divisions": device.setting.divisions,
                    "hall": device.setting.hall, "state": state(device),
                })
            })
            .collect();
        println!("{}", json!({ "devices": all }));
        return;
    }
    for device in devices {
        let served = device.setting.divisions.join(" ");
        println!(
            "{:<8} {:<16} {:<14} {}  {served}",
            device.kind.as_str(),
            device.tournament,
            state(device),
            device.setting.label
        );
    }
}
