//! `demo`: a ready tournament on the built-in lexicon, in a folder of its own.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::bail;

use crate::domain::Role;
use crate::domain::event::{DeviceKind, DeviceSetting};
use crate::log::Log;
use crate::snapshot::{Snapshot, setup_of};
use crate::store::accounts::devices;
use crate::store::accounts::pairing::{self, CodeValidity};
use crate::store::accounts::staff::{self, NewStaff};
use crate::store::accounts::tokens::{self, NewToken};
use crate::store::{DataDirError, Ledger};

use super::serve::{InitialAccess, new_ledger, run};
use super::tournament::{NewTournament, create};
use super::{Context, Outcome, operator};

/// The id of the tournament that `demo` creates.
const TOURNAMENT: &str = "demo";
const STATION: &str = "Station 1";
const CLIENT: &str = "demo client";
const DIRECTOR: &str = "Director";
const JUDGE: &str = "Judge";
const TABLET: &str = "Judge's device 1";

/// The files that a folder without a demonstration may hold: those of a ledger that was begun.
const OWN_FILES: [&str; 5] = ["adjudge.toml", "adjudge.lock", "keys", "lexicons", "checkpoints"];

/// Why `demo` does not use a folder.
#[derive(Debug, thiserror::Error)]
enum NotADemo {
    #[error(
        "{} holds other files than a demonstration's: name an empty folder, adjudge demo --data FOLDER", .0.display()
    )]
    OtherFiles(PathBuf),
    #[error(
        "{0} holds a ledger that is no demonstration, and nothing was written to it: serve it with adjudge serve, or name another folder, adjudge demo --data FOLDER"
    )]
    OtherLedger(String),
}

pub async fn demo(context: &Context) -> anyhow::Result<Outcome> {
    let root = context.folder.root();
    if !context.folder.key().exists() && has_other_files(root)? {
        bail!(NotADemo::OtherFiles(root.to_owned()));
    }
    let log = Log::start(&context.config.log)?;
    let _claim = context.folder.claim()?;
    let ledger = match context.folder.open().await {
        Ok(ledger) => {
            check_is_demo(context, &ledger).await?;
            ledger
        }
        Err(DataDirError::NotInitialised(_)) => new_ledger(context).await?,
        Err(error) => return Err(error.into()),
    };
    let snapshot = Snapshot::read(&ledger, context.system.now(), &context.folder.lexicons()).await?;
    if snapshot.setup.tournament(TOURNAMENT).is_none() {
        let wanted = NewTournament::parse(TOURNAMENT, "Demonstration", "UTC", &["A:wordnik:wespa".to_owned()], &[])?;
        create(context, &ledger, &wanted).await?;
    }
    if snapshot.holder_named(STATION).is_none() {
        // Browsers on this machine use this token without having it; its secret is not stored.
        tokens::create(&ledger, &context.system, &operator(), token(Role::Station, STATION)).await?;
    }
    if let Some(before) = snapshot.holder_named(CLIENT) {
        tokens::revoke(&ledger, &context.system, &operator(), before).await?;
    }
    let snapshot = Snapshot::read(&ledger, context.system.now(), &context.folder.lexicons()).await?;
    let list = snapshot.setup.active().first().map(|name| name.title.clone()).unwrap_or_default();
    let token = tokens::create(&ledger, &context.system, &operator(), token(Role::Client, CLIENT)).await?;
    let (director, passphrase) = (DIRECTOR, staff_secret(context, &ledger, DIRECTOR, Role::Director).await?);
    let (judge, pin) = (JUDGE, staff_secret(context, &ledger, JUDGE, Role::Judge).await?);
    let tablet = tablet_code(context, &ledger).await?;
    let access = InitialAccess { open_station: Some(STATION.to_owned()), first_run: None };
    run(context, ledger, None, access, &log, |running| {
        let address = running.address();
        println!("adjudge demonstration: tournament `{TOURNAMENT}`, lexicon: {list}.");
        println!();
        println!("  Station (on this machine):  http://{address}/station");
        println!("  Director:                   http://{address}/sign-in   {director}, {passphrase}");
        println!("  Judge's device:             http://{address}/pair#{tablet}   then {judge}, PIN {pin}");
        println!("  Client token (this run):    {token}");
        println!();
        println!("  curl -s http://{address}/api/v1/tournaments/demo/slips \\");
        println!("    -H 'Authorization: Bearer {token}' -H 'Idempotency-Key: first' \\");
        println!("    -H 'Content-Type: application/json' -d '{{\"division\":\"A\",\"words\":[\"CAT\",\"QI\"]}}'");
        println!();
        println!("Stop with Ctrl+C. The demonstration stays in {}.", context.folder.root().display());
    })
    .await
}

/// Whether a folder holds files that `demo` did not create. A folder that does not exist holds none.
fn has_other_files(folder: &Path) -> io::Result<bool> {
    let files = match fs::read_dir(folder) {
        Ok(files) => files,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    for file in files {
        let name = file?.file_name();
        if !OWN_FILES.iter().any(|own| name == *own) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Refuses a ledger that holds a tournament other than the demonstration's, or none: what `demo` creates there (a
/// director, a judge, a token) would stay for ever, and the code for the first director would no longer be printed.
async fn check_is_demo(context: &Context, ledger: &Ledger) -> anyhow::Result<()> {
    let setup = setup_of(ledger, context.system.now()).await?;
    let is_demo = setup.tournament(TOURNAMENT).is_some() && setup.tournaments().count() == 1;
    if is_demo {
        return Ok(());
    }
    bail!(NotADemo::OtherLedger(format!("{:?}", context.folder.address())))
}

const fn token(role: Role, name: &'static str) -> NewToken<'static> {
    NewToken { role, tournament: TOURNAMENT, name, per_minute: None }
}

/// Creates a person of the demonstration, or resets them: a new PIN or passphrase at each run.
async fn staff_secret(context: &Context, ledger: &Ledger, name: &str, role: Role) -> anyhow::Result<String> {
    if let Some(staff) = staff::people(ledger).await?.staff_named(name).next() {
        return Ok(staff::reset_staff(ledger, &context.system, &operator(), staff).await?);
    }
    let tournament = TOURNAMENT.to_owned();
    let new = NewStaff { name: name.to_owned(), role, tournament, plays: None, passphrase: None };
    Ok(staff::add_staff(ledger, &context.system, &operator(), new).await?)
}

/// The pairing code of the demonstration's device for judges.
async fn tablet_code(context: &Context, ledger: &Ledger) -> anyhow::Result<String> {
    if let Some(device) = staff::people(ledger).await?.device_labelled(TABLET, TOURNAMENT) {
        return Ok(pairing::new_code(ledger, &context.system, &operator(), &device.id).await?);
    }
    let setting = DeviceSetting { label: TABLET.to_owned(), ..DeviceSetting::default() };
    let kind = (DeviceKind::Tablet, TOURNAMENT);
    Ok(devices::create(ledger, &context.system, &operator(), kind, setting, CodeValidity::Minutes).await?.code)
}
