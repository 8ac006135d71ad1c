//! `init`, `serve`, `demo`.

use std::io::IsTerminal as _;
use std::path::Path;

use anyhow::bail;
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::EnvFilter;

use crate::app::{self, Options, Running};
use crate::domain::event::{DeviceKind, DeviceSetting};
use crate::domain::{Role, code};
use crate::edge::{Certified, Named, Wire};
use crate::present::Present;
use crate::store::pairing::{self, Good};
use crate::store::people::{self, NewStaff};
use crate::store::tokens::{self, NewToken};
use crate::store::{Ledger, devices};

use super::tournament::{NewTournament, create};
use super::{Context, Outcome, complain, operator};

/// What `demo` makes.
const DEMO_TOURNAMENT: &str = "demo";
const DEMO_STATION: &str = "Station 1";
const DEMO_CLIENT: &str = "demo client";
const DEMO_DIRECTOR: &str = "Director";
const DEMO_JUDGE: &str = "Judge";
const DEMO_TABLET: &str = "Judge's device 1";

pub async fn init(context: &Context, join: Option<&Path>) -> anyhow::Result<Outcome> {
    if let Some(key) = join {
        context.folder.join(key).await?.db.close().await;
        println!(
            "{} is ready: this server shares the ledger in {:?}.",
            context.folder.root().display(),
            context.folder.address()
        );
        return Ok(Outcome::Done);
    }
    new_ledger(context).await?.db.close().await;
    Ok(Outcome::Done)
}

/// Makes a ledger, and says where: a folder whose name was mistyped is found out by that.
async fn new_ledger(context: &Context) -> anyhow::Result<Ledger> {
    let ledger = context.folder.init(&context.world, &operator()).await?;
    println!("A new ledger and its signing key are in {}.", context.folder.root().display());
    println!("Keep a copy of {} in a safe place.", context.folder.key().display());
    Ok(ledger)
}

pub async fn serve(context: &Context, tls: bool) -> anyhow::Result<Outcome> {
    start_log(context)?;
    let _claim = context.folder.claim()?;
    let ledger = open_or_init(context).await?;
    let certified = context.config.own_certificate.clone().or_else(|| tls.then(|| context.venue()));
    let door = Entry { open_station: None, first_run: Some(code::written(context.world.secret()?)) };
    run(context, ledger, certified, door, greet).await
}

fn greet(running: &Running) {
    tell_address(running);
    if let Some(code) = running.first_run() {
        let here = format!("{}://{}", running.trust().scheme(), running.address());
        println!("There is no director yet. Within 15 minutes, on this machine: {here}/first-run#{code}");
        println!("or from elsewhere open /first-run and type {code}.");
    }
}

/// Says where the server answers, and by what devices may know it.
fn tell_address(running: &Running) {
    let trust = running.trust();
    if let Named::Failed(why) = &trust.named {
        complain(format_args!("warning: the name adjudge.local is not told to the network: {why}"));
    }
    if !trust.is_tls() {
        println!("adjudge answers at http://{}/", running.address());
        if let Some(named) = trust.urls().first().filter(|_| trust.named == Named::Told) {
            println!("and to the network at {named}/");
        }
        return;
    }
    for url in trust.urls() {
        println!("adjudge answers at {url}/");
    }
    let (whose, fingerprint) = match &trust.wire {
        Wire::Plain => return,
        Wire::Venue(authority) => ("the venue CA", authority.fingerprint),
        Wire::Own(certificate) => ("the certificate", certificate.fingerprint),
    };
    println!("SHA-256 fingerprint of {whose}:");
    println!("  {fingerprint}");
    if let (Wire::Venue(_), Some(page)) = (&trust.wire, trust.urls().first()) {
        println!("Each device must install that CA once; how: {page}/trust");
    }
}

const fn demo_token(role: Role, name: &'static str) -> NewToken<'static> {
    NewToken { role, tournament: DEMO_TOURNAMENT, name, per_minute: None }
}

pub async fn demo(context: &Context) -> anyhow::Result<Outcome> {
    start_log(context)?;
    let _claim = context.folder.claim()?;
    let ledger = open_or_init(context).await?;
    let present = Present::read(&ledger, context.world.now(), &context.folder.lexicons()).await?;
    if present.floor.tournament(DEMO_TOURNAMENT).is_none() {
        let wanted =
            NewTournament::parse(DEMO_TOURNAMENT, "Demonstration", "UTC", &["A:wordnik:wespa".to_owned()], &[])?;
        create(context, &ledger, &wanted).await?;
    }
    if present.holder_named(DEMO_STATION).is_none() {
        // Browsers on this machine use this token without knowing it; its secret is not kept.
        tokens::create(&ledger, &context.world, &operator(), demo_token(Role::Station, DEMO_STATION)).await?;
    }
    if let Some(before) = present.holder_named(DEMO_CLIENT) {
        tokens::revoke(&ledger, &context.world, &operator(), before).await?;
    }
    let present = Present::read(&ledger, context.world.now(), &context.folder.lexicons()).await?;
    let list = present.floor.active().first().map(|name| name.title.clone()).unwrap_or_default();
    let token =
        tokens::create(&ledger, &context.world, &operator(), demo_token(Role::Client, DEMO_CLIENT)).await?;
    let (director, passphrase) = (DEMO_DIRECTOR, demo_staff(context, &ledger, DEMO_DIRECTOR, Role::Director).await?);
    let (judge, pin) = (DEMO_JUDGE, demo_staff(context, &ledger, DEMO_JUDGE, Role::Judge).await?);
    let tablet = demo_tablet(context, &ledger).await?;
    let door = Entry { open_station: Some(DEMO_STATION.to_owned()), first_run: None };
    run(context, ledger, None, door, |running| {
        let address = running.address();
        println!("adjudge demonstration: tournament `{DEMO_TOURNAMENT}`. Its word list: {list}.");
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
        println!("Stop with Ctrl+C. Everything is kept in {}.", context.folder.root().display());
    })
    .await
}

/// How somebody comes in who has no token.
struct Entry {
    open_station: Option<String>,
    first_run: Option<String>,
}

/// Somebody of the demonstration, with a new PIN or passphrase at each run.
async fn demo_staff(context: &Context, ledger: &Ledger, name: &str, role: Role) -> anyhow::Result<String> {
    if let Some(staff) = people::people(ledger).await?.staff_named(name).next() {
        return Ok(people::reset_staff(ledger, &context.world, &operator(), staff).await?);
    }
    let tournament = DEMO_TOURNAMENT.to_owned();
    let new = NewStaff { name: name.to_owned(), role, tournament, plays: None, passphrase: None };
    Ok(people::add_staff(ledger, &context.world, &operator(), new).await?)
}

/// The code of the demonstration's judge's device.
async fn demo_tablet(context: &Context, ledger: &Ledger) -> anyhow::Result<String> {
    if let Some(device) = people::people(ledger).await?.device_labelled(DEMO_TABLET, DEMO_TOURNAMENT) {
        return Ok(pairing::new_code(ledger, &context.world, &operator(), &device.id).await?);
    }
    let setting = DeviceSetting { label: DEMO_TABLET.to_owned(), ..DeviceSetting::default() };
    let kind = (DeviceKind::Tablet, DEMO_TOURNAMENT);
    Ok(devices::make(ledger, &context.world, &operator(), kind, setting, Good::ForNow).await?.code)
}

/// The ledger that is there, or a new one where the folder is empty.
async fn open_or_init(context: &Context) -> anyhow::Result<Ledger> {
    match context.folder.open().await {
        Ok(ledger) => Ok(ledger),
        Err(crate::store::FolderError::NotInitialised(_)) => new_ledger(context).await,
        Err(error) => Err(error.into()),
    }
}

async fn run(
    context: &Context,
    ledger: Ledger,
    certified: Option<Certified>,
    door: Entry,
    greet: impl FnOnce(&Running),
) -> anyhow::Result<Outcome> {
    let mut interrupted = signal(SignalKind::interrupt())?;
    let mut terminated = signal(SignalKind::terminate())?;
    let options = Options {
        folder: context.folder.clone(),
        listen: context.config.listen,
        limits: context.config.limits,
        certified,
        world: context.world.clone(),
        outside: context.outside(),
        mdns: context.config.mdns,
        open_station: door.open_station,
        first_run: door.first_run,
    };
    let mut running = app::start(ledger, options).await?;
    greet(&running);
    let is_broken = tokio::select! {
        _ = interrupted.recv() => false,
        _ = terminated.recv() => false,
        () = running.broken() => true,
    };
    if is_broken {
        running.abandon().await;
        complain(
            "the storage failed, so the server stopped; check the disk, then start again: everything is checked first",
        );
        return Ok(Outcome::Broken);
    }
    tracing::info!("stopping");
    running.stop().await;
    Ok(Outcome::Done)
}

/// The log goes to standard error: standard output is for what a command was asked for.
fn start_log(context: &Context) -> anyhow::Result<()> {
    let level = &context.config.log;
    if !["error", "warn", "info", "debug"].contains(&level.as_str()) {
        bail!("{level:?} is no log level: choose error, warn, info or debug");
    }
    // Of the libraries only what is wrong: their debug lines show statements and addresses.
    let filter = EnvFilter::try_new(format!("warn,adjudge={level}"))?;
    let started = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        // Where the log is a file on a full disk it would complain about that on standard error, which fails as
        // well, and panic within the scribe.
        .log_internal_errors(false)
        .try_init();
    if started.is_err() {
        bail!("the log is already started");
    }
    Ok(())
}
