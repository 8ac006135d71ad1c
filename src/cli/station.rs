//! `station create | code | list | confirm | revoke`.

use anyhow::{Context as _, bail};
use serde_json::json;

use crate::domain::event::{DeviceKind, DeviceSetting};
use crate::domain::people::{Device, Pairing};
use crate::present::floor_of;
use crate::store::pairing::{self, Good};
use crate::store::people::people;
use crate::store::{Ledger, devices};

use super::args::StationCommand;
use super::staff::check_name;
use super::{Context, Outcome, operator};

pub async fn run(context: &Context, command: StationCommand) -> anyhow::Result<Outcome> {
    let ledger = context.ledger().await?;
    let by = operator();
    match command {
        StationCommand::Create { name, tournament, divisions, hall, tablet, sheet } => {
            check_name(&name)?;
            let floor = floor_of(&ledger, context.world.now()).await?;
            let Some(own) = floor.tournament(&tournament) else {
                bail!("there is no tournament {tournament:?}; adjudge tournament list shows them");
            };
            if divisions.iter().any(|division| own.division(division).is_err()) {
                bail!(own.no_such_division());
            }
            let kind = if tablet { DeviceKind::Tablet } else { DeviceKind::Station };
            let good = if sheet { Good::UntilUsed } else { Good::ForNow };
            let setting = DeviceSetting { label: name, divisions, hall };
            let made = devices::make(&ledger, &context.world, &by, (kind, &tournament), setting, good).await?;
            tell(&made.code, good);
        }
        StationCommand::Code { name } => {
            let device = labelled(&ledger, &name).await?;
            tell(&pairing::new_code(&ledger, &context.world, &by, &device.id).await?, Good::ForNow);
        }
        StationCommand::List { json } => list(people(&ledger).await?.devices(), json),
        StationCommand::Confirm { name } => {
            let device = labelled(&ledger, &name).await?;
            devices::confirm(&ledger, &context.world, &by, &device.id).await?;
            println!("{name} is confirmed.");
        }
        StationCommand::Revoke { name } => {
            let device = labelled(&ledger, &name).await?;
            devices::revoke(&ledger, &context.world, &by, &device.id).await?;
            println!("{name} is ended: it opens nothing any more.");
        }
    }
    ledger.db.close().await;
    Ok(Outcome::Done)
}

/// Says the code, and only that, so that a program can read it; what it is for goes to standard error.
fn tell(code: &str, good: Good) {
    match good {
        Good::ForNow => eprintln!("Open /pair at the device and type this code; good once, for ten minutes:"),
        Good::UntilUsed => {
            eprintln!("Open /pair at the device and type this code; good once, then confirm the device:");
        }
    }
    println!("{code}");
}

async fn labelled(ledger: &Ledger, label: &str) -> anyhow::Result<Device> {
    let found = people(ledger).await?.device_labelled(label).cloned();
    found.with_context(|| format!("there is no device {label:?}; adjudge station list shows them"))
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
