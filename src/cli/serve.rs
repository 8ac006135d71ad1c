//! `init` and `serve`.

use std::fs;
use std::path::Path;

use tokio::signal::unix::{SignalKind, signal};

use crate::app::{self, Options, Server};
use crate::domain::human_code;
use crate::log::Log;
use crate::store::Ledger;
use crate::transport::{CertificateSource, MdnsStatus, Transport};

use super::{Context, Outcome, complain, operator};

pub async fn init(context: &Context, join: Option<&Path>) -> anyhow::Result<Outcome> {
    if let Some(key) = join {
        context.folder.join(key).await?.db.close().await;
        println!(
            "{} is ready: this server shares the ledger in {:?}. Next: adjudge serve",
            context.folder.root().display(),
            context.folder.address()
        );
        return Ok(Outcome::Done);
    }
    new_ledger(context).await?.db.close().await;
    Ok(Outcome::Done)
}

/// Creates a ledger and prints where.
pub(super) async fn new_ledger(context: &Context) -> anyhow::Result<Ledger> {
    let ledger = context.folder.init(&context.system, &operator()).await?;
    let root = context.folder.root();
    println!(
        "A new ledger and its signing key are in {}.",
        fs::canonicalize(root).unwrap_or_else(|_| root.to_owned()).display()
    );
    println!("Keep a copy of {} in a safe place.", context.folder.key().display());
    Ok(ledger)
}

/// Creates the ledger of a server and says so clearly: nothing else shows that the folder was mistyped and the event's
/// ledger is elsewhere.
async fn new_ledger_to_serve(context: &Context) -> anyhow::Result<Ledger> {
    println!("*** NEW LEDGER: {} held none. ***", context.folder.root().display());
    let ledger = new_ledger(context).await?;
    println!(
        "If the ledger of your event is elsewhere, stop now with Ctrl+C and name its folder: adjudge serve --data FOLDER"
    );
    Ok(ledger)
}

pub async fn serve(context: &Context, tls: bool) -> anyhow::Result<Outcome> {
    let log = Log::start(&context.config.log)?;
    let _claim = context.folder.claim()?;
    let ledger = open_or_init(context).await?;
    let certified = context.config.own_certificate.clone().or_else(|| tls.then(|| context.venue()));
    let access =
        InitialAccess { open_station: None, first_run: Some(human_code::written(context.system.random_bytes()?)) };
    run(context, ledger, certified, access, &log, greet).await
}

fn greet(server: &Server) {
    tell_address(server);
    if let Some(code) = server.first_run() {
        let here = format!("{}://{}", server.identity().scheme(), server.address());
        println!(
            "There is no director yet. Make the first one within 15 minutes, on this machine: {here}/first-run#{code}"
        );
        println!("or on another device: open /first-run and type {code}");
    }
}

/// Prints the server's addresses, and the fingerprint by which devices can verify it.
fn tell_address(server: &Server) {
    let identity = server.identity();
    if let MdnsStatus::Failed(why) = &identity.mdns {
        complain(format_args!("warning: the name adjudge.local is not announced on the network: {why}"));
    }
    if !identity.is_tls() {
        println!("adjudge answers at http://{}/", server.address());
        if let Some(named) = identity.urls().first().filter(|_| identity.mdns == MdnsStatus::Announced) {
            println!("and for the network at {named}/");
        }
        return;
    }
    for url in identity.urls() {
        println!("adjudge answers at {url}/");
    }
    let (whose, fingerprint) = match &identity.transport {
        Transport::Http => return,
        Transport::VenueCa(authority) => ("the venue CA", authority.fingerprint),
        Transport::OwnCertificate(certificate) => ("the certificate", certificate.fingerprint),
    };
    println!("SHA-256 fingerprint of {whose}:");
    println!("  {fingerprint}");
    if let (Transport::VenueCa(_), Some(page)) = (&identity.transport, identity.urls().first()) {
        println!("Each device must install that CA once; {page}/trust explains how.");
    }
}

/// How people without a token get access: the station open to this machine, and the code for the first director.
pub(super) struct InitialAccess {
    pub open_station: Option<String>,
    pub first_run: Option<String>,
}

/// Opens the existing ledger, or creates one if the folder is empty.
async fn open_or_init(context: &Context) -> anyhow::Result<Ledger> {
    match context.folder.open().await {
        Ok(ledger) => Ok(ledger),
        Err(crate::store::DataDirError::NotInitialised(_)) => new_ledger_to_serve(context).await,
        Err(error) => Err(error.into()),
    }
}

pub(super) async fn run(
    context: &Context,
    ledger: Ledger,
    certified: Option<CertificateSource>,
    access: InitialAccess,
    log: &Log,
    greet: impl FnOnce(&Server),
) -> anyhow::Result<Outcome> {
    let mut interrupted = signal(SignalKind::interrupt())?;
    let mut terminated = signal(SignalKind::terminate())?;
    let options = Options {
        folder: context.folder.clone(),
        listen: context.config.listen,
        limits: context.config.limits,
        certified,
        system: context.system.clone(),
        checkpoint_copies: context.checkpoint_copies(),
        mdns: context.config.mdns,
        open_station: access.open_station,
        first_run: access.first_run,
        dropped_log_lines: Some(log.dropped()),
    };
    let mut server = app::start(ledger, options).await?;
    greet(&server);
    let is_broken = tokio::select! {
        _ = interrupted.recv() => false,
        _ = terminated.recv() => false,
        () = server.storage_failed() => true,
    };
    if is_broken {
        server.stop_after_storage_fault().await;
        // Not by `complain`, which would wait for a reader of standard error.
        tracing::error!(
            "the storage failed, so the server stopped; check the disk, then start again: the start verifies the whole ledger",
        );
        return Ok(Outcome::Broken);
    }
    tracing::info!("stopping");
    server.stop().await;
    Ok(Outcome::Done)
}
