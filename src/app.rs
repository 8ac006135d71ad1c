//! The wiring: one running server, from an opened ledger to an address that answers.

use std::collections::BTreeSet;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use axum_server::Handle;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

use crate::domain::SERVER_LOG;
use crate::log::DroppedLines;
use crate::snapshot::{self, LedgerClock, Snapshot, SnapshotError};
use crate::store::integrity::sampling::read_samples;
use crate::store::integrity::verify::{VerifyError, verify_all};
use crate::store::{CheckpointCopies, DataDir, Ledger, LedgerError, LedgerWriter};
use crate::system::System;
use crate::transport::{
    self, CertificateSource, HostNames, Limits, MdnsRegistration, MdnsStatus, ServerIdentity, TlsError, Transport,
};
use crate::web::state::{AppState, Parts};
use crate::web::{self, CachedWriteProbe, FirstRunCode, RateLimits, SignInThrottle, StreamLimiter};

/// How many requests may wait for the next refresh of the snapshot; all of them share it.
const MAX_WAITING_REFRESHES: usize = 64;

/// How long requests under way may take to end when the server stops.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(8);

/// How often checkpoints are copied. The contract allows once a second.
const COPY_INTERVAL: Duration = Duration::from_secs(1);

/// How long requests under way may take to end after the storage broke.
const STORAGE_FAULT_GRACE: Duration = Duration::from_millis(700);

/// How to serve.
#[derive(Clone, Debug)]
pub struct Options {
    pub folder: DataDir,
    /// Port 0 takes any free one.
    pub listen: SocketAddr,
    pub limits: Limits,
    /// The certificate that proves the server's identity; without one the server speaks plain HTTP.
    pub certified: Option<CertificateSource>,
    pub system: System,
    /// The copies of checkpoints: written while the server runs, and compared at start.
    pub checkpoint_copies: CheckpointCopies,
    /// Whether the name `adjudge.local` is announced on the network.
    pub mdns: bool,
    /// The name of a station token that browsers on this machine may use without a code.
    pub open_station: Option<String>,
    /// The code for the first director, if the server has no director yet.
    pub first_run: Option<String>,
    /// Counts the lines that the log dropped.
    pub dropped_log_lines: Option<DroppedLines>,
}

/// Why a server did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("cannot listen on {address}: if another program uses the port, choose another with --listen")]
    Listen { address: SocketAddr, source: std::io::Error },
    #[error(transparent)]
    Tls(#[from] TlsError),
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    #[error(
        "{verify}; the server does not start on a broken ledger. Put back the newest backup, or continue with what is there: adjudge restore"
    )]
    Verify { verify: VerifyError },
    #[error(
        "{verify}; the server does not start on a damaged database file. Put back the newest backup. Without one, run adjudge restore: it rebuilds damaged indexes; it cannot rebuild other pages, and then says which files to move away before the event can continue"
    )]
    Damaged { verify: VerifyError },
    #[error("the ledger could not be checked: {0}")]
    Unchecked(VerifyError),
    #[error(transparent)]
    Copies(#[from] LedgerError),
}

/// A running server.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    first_run: Option<String>,
    identity: Arc<ServerIdentity>,
    handle: Handle<SocketAddr>,
    listener_task: JoinHandle<std::io::Result<()>>,
    writer: JoinHandle<()>,
    /// The tasks that refresh the snapshot and copy checkpoints.
    helpers: [JoinHandle<()>; 2],
    stop: watch::Sender<bool>,
    ledger: Ledger,
    system: System,
    checkpoint_copies: CheckpointCopies,
    /// The mDNS registration of the server's name, while it is announced.
    mdns: Option<MdnsRegistration>,
}

/// Starts to serve an opened ledger, after checking all of it.
///
/// # Errors
/// If the address is in use, the ledger is broken, or its entries cannot be understood.
pub async fn start(ledger: Ledger, options: Options) -> Result<Server, StartError> {
    let failed = |source| StartError::Listen { address: options.listen, source };
    let listener = TcpListener::bind(options.listen).map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let host = HostNames::detect();
    let (tls, transport) = match &options.certified {
        Some(certified) => {
            let (tls, transport) = certified.server_config(&host, options.system.now())?;
            (Some(tls), transport)
        }
        None => (None, Transport::Http),
    };
    let (registration, mdns) =
        if options.mdns { register_mdns(address, options.system.clone()).await } else { (None, MdnsStatus::Off) };
    let identity = Arc::new(ServerIdentity { transport, addresses: host.reachable_at(address), mdns });

    let (lexicons, copies) = (options.folder.lexicons(), options.checkpoint_copies.read(&ledger).await?);
    copies.tell();
    // The lexica are opened while the ledger is checked, and used only if it is sound.
    let (verified, first) =
        tokio::join!(verify_all(&ledger, &copies.kept), Snapshot::read(&ledger, options.system.now(), &lexicons));
    verified.map_err(|verify| match verify {
        verify if verify.is_of_file() => StartError::Damaged { verify },
        verify if verify.is_damage() => StartError::Verify { verify },
        verify => StartError::Unchecked(verify),
    })?;
    ledger.arm().await.map_err(SnapshotError::from)?;
    let first = first?;
    let ledger_clock = LedgerClock::read(&ledger).await.map_err(SnapshotError::from)?;
    let first = first.with_clock_checked(&ledger, &options.system, &lexicons, &ledger_clock).await?;
    let repaired = if first.has_failures() { first.repaired(&ledger, &options.system, &lexicons).await } else { None };
    let first = repaired.unwrap_or(first).with_shipped_rulesets(&ledger, &options.system, &lexicons).await;
    first.log_failures();
    let first_run = options.first_run.filter(|_| first.is_unconfigured());
    let (sender, snapshot) = watch::channel(Arc::new(first));
    let (refreshes, wanted) = mpsc::channel(MAX_WAITING_REFRESHES);
    let keeper =
        snapshot::refresh_loop(ledger.clone(), options.system.clone(), lexicons, sender, ledger_clock.clone(), wanted);
    let keeper = tokio::spawn(keeper);
    let (writer, writing) = LedgerWriter::start(ledger.clone(), options.system.clone());
    let copying = copy_checkpoints(ledger.clone(), options.system.clone(), options.checkpoint_copies.clone());
    let copier = tokio::spawn(copying);

    let open_station = options.open_station.map(Arc::from);
    let (stop, stopping) = watch::channel(false);
    let app = AppState::new(Parts {
        ledger: ledger.clone(),
        writer,
        system: options.system.clone(),
        open_station,
        rate_limits: RateLimits::default(),
        sign_in: SignInThrottle::default(),
        first_run: FirstRunCode::new(first_run.clone(), options.system.monotonic()),
        lan_reached: AtomicBool::new(false),
        stream_limit: StreamLimiter::default(),
        write_probe: CachedWriteProbe::default(),
        checkpoint_copies: options.checkpoint_copies.clone(),
        identity: Arc::clone(&identity),
        dropped_log_lines: options.dropped_log_lines,
        lexicons: options.folder.lexicons().into(),
        ledger_clock,
        snapshot,
        refreshes,
        stopping,
    });
    let handle = Handle::new();
    let listener_task =
        transport::serve(listener, web::router(app), options.limits, tls, handle.clone()).map_err(failed)?;
    Ok(Server {
        address,
        first_run,
        identity,
        handle,
        listener_task,
        writer: writing,
        helpers: [keeper, copier],
        stop,
        ledger,
        system: options.system,
        checkpoint_copies: options.checkpoint_copies,
        mdns: registration,
    })
}

/// Announces the server's name by mDNS, or logs why it cannot: the server runs without it.
async fn register_mdns(address: SocketAddr, system: System) -> (Option<MdnsRegistration>, MdnsStatus) {
    match tokio::task::spawn_blocking(move || MdnsRegistration::start(address, &system)).await {
        Ok(Ok(registration)) => (Some(registration), MdnsStatus::Announced),
        Ok(Err(error)) => (None, MdnsStatus::Failed(error.to_string())),
        Err(error) => (None, MdnsStatus::Failed(error.to_string())),
    }
}

/// Copies the checkpoints of logs that grew and reads some of their entries again, once a second. The first round
/// copies the checkpoints of all logs, since the command line may have written while no server ran. Every other log
/// takes its turn, one a second: a log that does not grow may be truncated as well.
async fn copy_checkpoints(ledger: Ledger, system: System, copies: CheckpointCopies) {
    let mut logs: BTreeSet<String> = ledger.logs().await.unwrap_or_default().into_iter().collect();
    let (mut known, mut turn, mut was_overgrown, mut is_start) = (logs.clone(), 0, false, true);
    loop {
        let overgrown = ledger.db.overgrown_log();
        if let Some(bytes) = overgrown.filter(|_| !was_overgrown) {
            tracing::warn!(bytes, "the write-ahead log grows: another program holds the database open for reading");
        }
        was_overgrown = overgrown.is_some();
        if let Err(error) = copies.update(&ledger, &system, logs.clone()).await {
            tracing::error!(%error, "checkpoints could not be kept outside");
        }
        // After the copies, which must not wait for it; and not at the start, which has just read every entry.
        for log in logs.iter().filter(|_| !is_start) {
            if let Err(error) = read_samples(&ledger, &system, log).await {
                tracing::error!(%error, log, "entries could not be read again");
            }
        }
        is_start = false;
        tokio::time::sleep(COPY_INTERVAL).await;
        logs = ledger.newest().take_changed();
        known.extend(logs.iter().cloned());
        logs.insert(SERVER_LOG.to_owned());
        turn = (turn + 1) % known.len().max(1);
        logs.extend(known.iter().nth(turn).cloned());
    }
}

/// Withdraws the mDNS announcement.
async fn withdraw_mdns(registration: Option<MdnsRegistration>) {
    if let Some(registration) = registration {
        let _ = tokio::task::spawn_blocking(move || registration.stop()).await;
    }
}

impl Server {
    /// The address at which it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The code for the first director, if there is none yet.
    #[must_use]
    pub fn first_run(&self) -> Option<&str> {
        self.first_run.as_deref()
    }

    /// The server's transport and addresses.
    #[must_use]
    pub fn identity(&self) -> &ServerIdentity {
        &self.identity
    }

    /// Resolves when any part of the server found the storage broken, or when the writer ended although the server was
    /// not stopped: the server must not continue.
    pub async fn storage_failed(&mut self) {
        let health = self.ledger.db.health().clone();
        tokio::select! {
            () = health.failed() => {}
            _ = &mut self.writer => {}
        }
    }

    /// Stops after the storage broke: responses under way, which are all refusals, may still be sent.
    pub async fn stop_after_storage_fault(self) {
        // Acknowledged entries may be lost with the database: the next start detects that by these copies.
        self.checkpoint_copies.keep_newest(&self.ledger);
        self.stop.send_replace(true);
        self.handle.graceful_shutdown(Some(STORAGE_FAULT_GRACE));
        self.helpers.iter().for_each(JoinHandle::abort);
        withdraw_mdns(self.mdns).await;
        let _ = tokio::time::timeout(2 * STORAGE_FAULT_GRACE, self.listener_task).await;
    }

    /// Accepts no new requests, lets those under way end, writes what was accepted, and closes the ledger.
    pub async fn stop(self) {
        self.stop.send_replace(true);
        self.handle.graceful_shutdown(Some(SHUTDOWN_GRACE));
        self.helpers.iter().for_each(JoinHandle::abort);
        withdraw_mdns(self.mdns).await;
        // Each of these ends by itself: the server at the deadline, the writer with its last handle.
        let _ = self.listener_task.await;
        for helper in self.helpers {
            let _ = helper.await;
        }
        let _ = self.writer.await;
        let logs = self.ledger.logs().await.unwrap_or_default();
        if let Err(error) = self.checkpoint_copies.update(&self.ledger, &self.system, logs).await {
            tracing::error!(%error, "checkpoints could not be kept outside");
        }
        self.ledger.db.close().await;
    }
}
