//! The wiring: one running server, from an opened ledger to an address that answers.

use std::collections::BTreeSet;
use std::net::{SocketAddr, TcpListener};
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum_server::Handle;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;

use crate::domain::clock::ClockDoubt;
use crate::domain::{SERVER_LOG, Timestamp};
use crate::edge::{self, Certified, Limits, Machine, Named, TlsError, Told, Trust, Wire};
use crate::log::DroppedLines;
use crate::present::{self, LedgerClock, Present, PresentError};
use crate::store::sample::read_samples;
use crate::store::verify::{VerifyError, verify_all};
use crate::store::{Folder, Ledger, LedgerError, Outside, Scribe};
use crate::web::{self, Audience, Door, Pulse, Quotas};
use crate::world::World;

/// How many requests may wait for the next look at the ledger; all of them share it.
const LOOKS_WAITING: usize = 64;

/// How long requests under way may take to end at a stop.
const LONGEST_GOODBYE: Duration = Duration::from_secs(8);

/// How often checkpoints are copied. The contract allows once a second.
const COPY_EVERY: Duration = Duration::from_secs(1);

/// The same where the storage broke.
const SHORTEST_GOODBYE: Duration = Duration::from_millis(700);

/// What every request handler is given. Each layer that a request passes has its own, so it is cheap to clone.
#[derive(Clone, Debug)]
pub struct App(Arc<Parts>);

/// What an [`App`] is made of.
#[derive(Debug)]
pub struct Parts {
    pub ledger: Ledger,
    pub scribe: Scribe,
    pub world: World,
    /// In a demonstration: the token that browsers on this machine use as a station.
    pub open_station: Option<Arc<str>>,
    pub quotas: Quotas,
    pub door: Door,
    pub audience: Audience,
    pub pulse: Pulse,
    /// The copies of checkpoints outside the ledger, and what they tell of it.
    pub outside: Outside,
    /// How the server speaks and where, for people who must trust it.
    pub trust: Arc<Trust>,
    /// How many lines the log lacks, where there is one.
    pub dropped_log_lines: Option<DroppedLines>,
    /// Where the files of the lexica are.
    pub lexicons: Arc<Path>,
    ledger_clock: LedgerClock,
    present: watch::Receiver<Arc<Present>>,
    /// The way to have the present looked at now.
    looks: mpsc::Sender<oneshot::Sender<()>>,
    /// Whether the server is stopping: whoever follows it ends then.
    stopping: watch::Receiver<bool>,
}

impl Deref for App {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

impl App {
    /// Waits until what was just set up is so. Should that take too long, it will be so a little later.
    pub async fn look_now(&self) {
        let (over, seen) = oneshot::channel();
        if self.looks.send(over).await.is_ok() {
            // It ends by being dropped.
            let _ = seen.await;
        }
    }

    /// Resolves when the server stops.
    pub async fn stopped(&self) {
        let mut stopping = self.stopping.clone();
        let _ = stopping.wait_for(|is_stopping| *is_stopping).await;
    }

    /// The effective time: the later of the machine's clock and the newest entry that is known. Source: CONTRACT 3.6.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.ledger_clock.effective(self.world.now())
    }

    /// Why the machine's clock is not believed, if it is not.
    #[must_use]
    pub fn clock_doubt(&self) -> Option<ClockDoubt> {
        self.ledger_clock.doubt(self.world.now(), &self.present.borrow().floor)
    }

    /// What is so now; hold on to it for the whole of a request.
    #[must_use]
    pub fn present(&self) -> Arc<Present> {
        Arc::clone(&self.present.borrow())
    }
}

/// How to serve.
#[derive(Clone, Debug)]
pub struct Options {
    pub folder: Folder,
    /// Port 0 takes any free one.
    pub listen: SocketAddr,
    pub limits: Limits,
    /// By what it proves who it is; without it speaks plain HTTP.
    pub certified: Option<Certified>,
    pub world: World,
    /// Where copies of checkpoints are kept, and compared at start.
    pub outside: Outside,
    /// Whether the network is told the name `adjudge.local`.
    pub mdns: bool,
    /// The name of a station token that browsers on this machine may use without a code.
    pub open_station: Option<String>,
    /// The code by which the first director may come in, should there be nobody yet.
    pub first_run: Option<String>,
    /// What counts the lines that the log could not take.
    pub dropped_log_lines: Option<DroppedLines>,
}

/// Why a server did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("cannot listen on {address}; is another program using it? choose another with --listen")]
    Listen { address: SocketAddr, source: std::io::Error },
    #[error(transparent)]
    Tls(#[from] TlsError),
    #[error(transparent)]
    Present(#[from] PresentError),
    #[error(
        "{verify}; the server does not start on such a ledger. Put back the newest backup, or go on with what lies there: adjudge restore"
    )]
    Verify { verify: VerifyError },
    #[error(
        "{verify}; the server does not start on such a file. Put back the newest backup; where there is none: adjudge restore, which mends damaged indexes, and where it cannot mend the file says what to move away first"
    )]
    Damaged { verify: VerifyError },
    #[error("the ledger could not be checked: {0}")]
    Unchecked(VerifyError),
    #[error(transparent)]
    Copies(#[from] LedgerError),
}

/// A server that answers.
#[derive(Debug)]
pub struct Running {
    address: SocketAddr,
    first_run: Option<String>,
    trust: Arc<Trust>,
    handle: Handle<SocketAddr>,
    server: JoinHandle<std::io::Result<()>>,
    scribe: JoinHandle<()>,
    /// The tasks that keep the present up to date and copy checkpoints.
    helpers: [JoinHandle<()>; 2],
    stop: watch::Sender<bool>,
    ledger: Ledger,
    world: World,
    outside: Outside,
    /// The server's name, while the network is told it.
    told: Option<Told>,
}

/// Starts to serve an opened ledger, after checking all of it.
///
/// # Errors
/// Where the address is taken, the ledger is broken, or what it says cannot be understood.
pub async fn start(ledger: Ledger, options: Options) -> Result<Running, StartError> {
    let failed = |source| StartError::Listen { address: options.listen, source };
    let listener = TcpListener::bind(options.listen).map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let machine = Machine::now();
    let (tls, wire) = match &options.certified {
        Some(certified) => {
            let (tls, wire) = certified.wire(&machine, options.world.now())?;
            (Some(tls), wire)
        }
        None => (None, Wire::Plain),
    };
    let (told, named) = if options.mdns { tell_name(address, options.world.clone()).await } else { (None, Named::Not) };
    let trust = Arc::new(Trust { wire, reached: machine.reached(address), named });

    let (lexicons, copies) = (options.folder.lexicons(), options.outside.read(&ledger).await?);
    copies.tell();
    // The lexica are opened while the ledger is checked, and used only where it is sound.
    let (verified, first) =
        tokio::join!(verify_all(&ledger, &copies.kept), Present::read(&ledger, options.world.now(), &lexicons));
    verified.map_err(|verify| match verify {
        verify if verify.is_of_file() => StartError::Damaged { verify },
        verify if verify.is_damage() => StartError::Verify { verify },
        verify => StartError::Unchecked(verify),
    })?;
    ledger.arm().await.map_err(PresentError::from)?;
    let first = first?;
    let ledger_clock = LedgerClock::read(&ledger).await.map_err(PresentError::from)?;
    let first = first.with_clock_checked(&ledger, &options.world, &lexicons, &ledger_clock).await?;
    let healed = if first.has_failures() { first.healed(&ledger, &options.world, &lexicons).await } else { None };
    let first = healed.unwrap_or(first).with_shipped_rulesets(&ledger, &options.world, &lexicons).await;
    first.complain();
    let first_run = options.first_run.filter(|_| first.has_no_holders());
    let (sender, present) = watch::channel(Arc::new(first));
    let (looks, wanted) = mpsc::channel(LOOKS_WAITING);
    let keeper =
        present::keep_up(ledger.clone(), options.world.clone(), lexicons, sender, ledger_clock.clone(), wanted);
    let keeper = tokio::spawn(keeper);
    let (scribe, writing) = Scribe::start(ledger.clone(), options.world.clone());
    let copying = copy_checkpoints(ledger.clone(), options.world.clone(), options.outside.clone());
    let copier = tokio::spawn(copying);

    let open_station = options.open_station.map(Arc::from);
    let (stop, stopping) = watch::channel(false);
    let app = App(Arc::new(Parts {
        ledger: ledger.clone(),
        scribe,
        world: options.world.clone(),
        open_station,
        quotas: Quotas::default(),
        door: Door::new(first_run.clone(), options.world.passed()),
        audience: Audience::default(),
        pulse: Pulse::default(),
        outside: options.outside.clone(),
        trust: Arc::clone(&trust),
        dropped_log_lines: options.dropped_log_lines,
        lexicons: options.folder.lexicons().into(),
        ledger_clock,
        present,
        looks,
        stopping,
    }));
    let handle = Handle::new();
    let server = edge::serve(listener, web::router(app), options.limits, tls, handle.clone()).map_err(failed)?;
    Ok(Running {
        address,
        first_run,
        trust,
        handle,
        server,
        scribe: writing,
        helpers: [keeper, copier],
        stop,
        ledger,
        world: options.world,
        outside: options.outside,
        told,
    })
}

/// Tells the network the server's name, or says why it cannot be: the server goes on without.
async fn tell_name(address: SocketAddr, world: World) -> (Option<Told>, Named) {
    match tokio::task::spawn_blocking(move || Told::begin(address, &world)).await {
        Ok(Ok(told)) => (Some(told), Named::Told),
        Ok(Err(error)) => (None, Named::Failed(error.to_string())),
        Err(error) => (None, Named::Failed(error.to_string())),
    }
}

/// Copies the checkpoints of logs that grew and reads some of their entries again, once a second: first the checkpoints of
/// all logs, since the command line may have written while no server ran. The others are looked at in turn, one a second: what nobody writes to may
/// be cut as well.
async fn copy_checkpoints(ledger: Ledger, world: World, outside: Outside) {
    let mut logs: BTreeSet<String> = ledger.logs().await.unwrap_or_default().into_iter().collect();
    let (mut known, mut turn, mut was_overgrown, mut is_start) = (logs.clone(), 0, false, true);
    loop {
        let overgrown = ledger.db.overgrown_log();
        if let Some(bytes) = overgrown.filter(|_| !was_overgrown) {
            tracing::warn!(bytes, "the write-ahead log grows: another program holds the database open for reading");
        }
        was_overgrown = overgrown.is_some();
        if let Err(error) = outside.keep(&ledger, &world, logs.clone()).await {
            tracing::error!(%error, "checkpoints could not be kept outside");
        }
        // After the copies, which must not wait for it; and not at the start, which has just read every entry.
        for log in logs.iter().filter(|_| !is_start) {
            if let Err(error) = read_samples(&ledger, &world, log).await {
                tracing::error!(%error, log, "entries could not be read again");
            }
        }
        is_start = false;
        tokio::time::sleep(COPY_EVERY).await;
        logs = ledger.newest().take_changed();
        known.extend(logs.iter().cloned());
        logs.insert(SERVER_LOG.to_owned());
        turn = (turn + 1) % known.len().max(1);
        logs.extend(known.iter().nth(turn).cloned());
    }
}

/// Tells the network that the name is nobody's any more.
async fn take_back(told: Option<Told>) {
    if let Some(told) = told {
        let _ = tokio::task::spawn_blocking(move || told.end()).await;
    }
}

impl Running {
    /// Where it answers.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The code by which the first director comes in, where there is nobody yet.
    #[must_use]
    pub fn first_run(&self) -> Option<&str> {
        self.first_run.as_deref()
    }

    /// How it speaks, and where others reach it.
    #[must_use]
    pub fn trust(&self) -> &Trust {
        &self.trust
    }

    /// Resolves when the storage failed, whoever met that, or the scribe ended although nobody stopped the server: it
    /// must not go on.
    pub async fn broken(&mut self) {
        let health = self.ledger.db.health().clone();
        tokio::select! {
            () = health.failed() => {}
            _ = &mut self.scribe => {}
        }
    }

    /// Ends after the storage broke: answers under way, which are all refusals, may still leave.
    pub async fn abandon(self) {
        // What was acknowledged may be lost with the database: the next start notices it by these.
        self.outside.keep_newest(&self.ledger);
        self.stop.send_replace(true);
        self.handle.graceful_shutdown(Some(SHORTEST_GOODBYE));
        self.helpers.iter().for_each(JoinHandle::abort);
        take_back(self.told).await;
        let _ = tokio::time::timeout(2 * SHORTEST_GOODBYE, self.server).await;
    }

    /// Takes no new requests, lets those under way end, writes what was accepted, and closes the
    /// ledger.
    pub async fn stop(self) {
        self.stop.send_replace(true);
        self.handle.graceful_shutdown(Some(LONGEST_GOODBYE));
        self.helpers.iter().for_each(JoinHandle::abort);
        take_back(self.told).await;
        // Each of these ends by itself: the server at the deadline, the scribe with its last sender.
        let _ = self.server.await;
        for helper in self.helpers {
            let _ = helper.await;
        }
        let _ = self.scribe.await;
        let logs = self.ledger.logs().await.unwrap_or_default();
        if let Err(error) = self.outside.keep(&self.ledger, &self.world, logs).await {
            tracing::error!(%error, "checkpoints could not be kept outside");
        }
        self.ledger.db.close().await;
    }
}
