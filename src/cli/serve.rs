//! `init` and `serve`.

use std::path::Path;

use tokio::signal::unix::{SignalKind, signal};

use crate::app::{self, Options, Running};
use crate::domain::code;
use crate::edge::{Certified, Named, Wire};
use crate::log::Log;
use crate::store::Ledger;

use super::{Context, Outcome, complain, operator};

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
pub(super) async fn new_ledger(context: &Context) -> anyhow::Result<Ledger> {
    let ledger = context.folder.init(&context.world, &operator()).await?;
    println!("A new ledger and its signing key are in {}.", context.folder.root().display());
    println!("Keep a copy of {} in a safe place.", context.folder.key().display());
    Ok(ledger)
}

pub async fn serve(context: &Context, tls: bool) -> anyhow::Result<Outcome> {
    let log = Log::start(&context.config.log)?;
    let _claim = context.folder.claim()?;
    let ledger = open_or_init(context).await?;
    let certified = context.config.own_certificate.clone().or_else(|| tls.then(|| context.venue()));
    let access = InitialAccess { open_station: None, first_run: Some(code::written(context.world.secret()?)) };
    run(context, ledger, certified, access, &log, greet).await
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

/// How people get in who have no token yet: the station open to this machine, the first director's code.
pub(super) struct InitialAccess {
    pub open_station: Option<String>,
    pub first_run: Option<String>,
}

/// The ledger that is there, or a new one where the folder is empty.
async fn open_or_init(context: &Context) -> anyhow::Result<Ledger> {
    match context.folder.open().await {
        Ok(ledger) => Ok(ledger),
        Err(crate::store::FolderError::NotInitialised(_)) => new_ledger(context).await,
        Err(error) => Err(error.into()),
    }
}

pub(super) async fn run(
    context: &Context,
    ledger: Ledger,
    certified: Option<Certified>,
    access: InitialAccess,
    log: &Log,
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
        open_station: access.open_station,
        first_run: access.first_run,
        dropped_log_lines: Some(log.dropped()),
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
        // Not by `complain`, which would wait for whoever reads standard error.
        tracing::error!(
            "the storage failed, so the server stopped; check the disk, then start again: everything is checked first",
        );
        return Ok(Outcome::Broken);
    }
    tracing::info!("stopping");
    running.stop().await;
    Ok(Outcome::Done)
}
