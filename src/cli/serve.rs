//! `init`, `serve`, `demo`, `healthcheck`.

use std::io::IsTerminal as _;
use std::path::Path;
use std::time::Duration;

use anyhow::bail;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::EnvFilter;

use crate::app::{self, Options};
use crate::domain::event::{DeviceKind, DeviceSetting};
use crate::domain::{Role, code};
use crate::present::Present;
use crate::store::devices::{self, Good};
use crate::store::people::{self, NewStaff};
use crate::store::{Ledger, tokens};

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
    let ledger = context.folder.init(&context.world, &operator()).await?;
    ledger.db.close().await;
    println!("A new ledger and its signing key are in {}.", context.folder.root().display());
    println!("Keep a copy of {} in a safe place.", context.folder.key().display());
    Ok(Outcome::Done)
}

pub async fn serve(context: &Context) -> anyhow::Result<Outcome> {
    start_log(context)?;
    let _claim = context.folder.claim()?;
    let ledger = open_or_init(context).await?;
    let door = Entry { open_station: None, first_run: Some(code::written(context.world.secret()?)) };
    run(context, ledger, door, |address, first_run| {
        println!("adjudge answers at http://{address}/");
        if let Some(code) = first_run {
            println!("There is no director yet. Within 15 minutes, on this machine: http://{address}/first-run#{code}");
            println!("or from elsewhere open /first-run and type {code}.");
        }
    })
    .await
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
        tokens::create(&ledger, &context.world, &operator(), Role::Station, DEMO_TOURNAMENT, DEMO_STATION).await?;
    }
    if present.holder_named(DEMO_CLIENT).is_some() {
        tokens::revoke(&ledger, &context.world, &operator(), DEMO_CLIENT).await?;
    }
    let present = Present::read(&ledger, context.world.now(), &context.folder.lexicons()).await?;
    let list = present.floor.active().first().map(|name| name.title.clone()).unwrap_or_default();
    let token =
        tokens::create(&ledger, &context.world, &operator(), Role::Client, DEMO_TOURNAMENT, DEMO_CLIENT).await?;
    let (director, passphrase) = (DEMO_DIRECTOR, demo_staff(context, &ledger, DEMO_DIRECTOR, Role::Director).await?);
    let (judge, pin) = (DEMO_JUDGE, demo_staff(context, &ledger, DEMO_JUDGE, Role::Judge).await?);
    let tablet = demo_tablet(context, &ledger).await?;
    let door = Entry { open_station: Some(DEMO_STATION.to_owned()), first_run: None };
    run(context, ledger, door, |address, _| {
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
    if people::people(ledger).await?.staff_named(name).is_some() {
        return Ok(people::reset_staff(ledger, &context.world, &operator(), name).await?);
    }
    let tournament = DEMO_TOURNAMENT.to_owned();
    let new = NewStaff { name: name.to_owned(), role, tournament, plays: None, passphrase: None };
    Ok(people::add_staff(ledger, &context.world, &operator(), new).await?)
}

/// The code of the demonstration's judge's device.
async fn demo_tablet(context: &Context, ledger: &Ledger) -> anyhow::Result<String> {
    if let Some(device) = people::people(ledger).await?.device_labelled(DEMO_TABLET) {
        return Ok(devices::new_code(ledger, &context.world, &device.id).await?);
    }
    let setting = DeviceSetting { label: DEMO_TABLET.to_owned(), ..DeviceSetting::default() };
    let kind = (DeviceKind::Tablet, DEMO_TOURNAMENT);
    Ok(devices::make(ledger, &context.world, &operator(), kind, setting, Good::ForNow).await?.1)
}

/// The ledger that is there, or a new one where the folder is empty.
async fn open_or_init(context: &Context) -> anyhow::Result<Ledger> {
    match context.folder.open().await {
        Ok(ledger) => Ok(ledger),
        Err(crate::store::FolderError::NotInitialised(_)) => {
            Ok(context.folder.init(&context.world, &operator()).await?)
        }
        Err(error) => Err(error.into()),
    }
}

async fn run(
    context: &Context,
    ledger: Ledger,
    door: Entry,
    greet: impl FnOnce(std::net::SocketAddr, Option<&str>),
) -> anyhow::Result<Outcome> {
    let mut interrupted = signal(SignalKind::interrupt())?;
    let mut terminated = signal(SignalKind::terminate())?;
    let options = Options {
        folder: context.folder.clone(),
        listen: context.config.listen,
        limits: context.config.limits,
        world: context.world.clone(),
        outside: context.outside(),
        open_station: door.open_station,
        first_run: door.first_run,
    };
    let mut running = app::start(ledger, options).await?;
    greet(running.address(), running.first_run());
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

/// Asks the server at the configured address whether it is up.
pub async fn healthcheck(context: &Context) -> anyhow::Result<Outcome> {
    // Ids and secrets need randomness; a container without it must not look healthy.
    context.world.secret::<16>()?;
    let answer = tokio::time::timeout(Duration::from_secs(3), ask(context)).await;
    match answer {
        Ok(Ok(head)) if head.starts_with("HTTP/1.1 200 ") => Ok(Outcome::Done),
        Ok(Ok(head)) => {
            eprintln!("adjudge: the server answered {}", head.lines().next().unwrap_or("nothing"));
            Ok(Outcome::No)
        }
        Ok(Err(error)) => {
            eprintln!("adjudge: no server at {}: {error}", context.config.listen);
            Ok(Outcome::No)
        }
        Err(_) => {
            eprintln!("adjudge: the server at {} did not answer within 3 seconds", context.config.listen);
            Ok(Outcome::No)
        }
    }
}

async fn ask(context: &Context) -> std::io::Result<String> {
    let mut address = context.config.listen;
    if address.ip().is_unspecified() {
        address.set_ip(std::net::Ipv4Addr::LOCALHOST.into());
    }
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await?;
    let mut head = vec![0; 64];
    let read = stream.read(&mut head).await?;
    head.truncate(read);
    Ok(String::from_utf8_lossy(&head).into_owned())
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
