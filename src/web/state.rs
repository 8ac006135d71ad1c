//! The state that all handlers share.

use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::{mpsc, oneshot, watch};

use crate::domain::Timestamp;
use crate::domain::clock::ClockDoubt;
use crate::log::DroppedLines;
use crate::snapshot::{LedgerClock, Snapshot};
use crate::store::{CheckpointCopies, Ledger, LedgerWriter};
use crate::system::System;
use crate::transport::ServerIdentity;

use super::auth::first_run::FirstRunCode;
use super::auth::sign_in_throttle::SignInThrottle;
use super::limits::rate_limit::RateLimits;
use super::limits::stream_limit::StreamLimiter;
use super::limits::write_probe::CachedWriteProbe;

/// The state of every request handler: the ledger and its writer, limits, and the current snapshot. Cheap to clone.
#[derive(Clone, Debug)]
pub struct AppState(Arc<Parts>);

/// The fields of an [`AppState`].
#[derive(Debug)]
pub struct Parts {
    pub ledger: Ledger,
    pub writer: LedgerWriter,
    pub system: System,
    /// In a demonstration: the token that browsers on this machine use as a station.
    pub open_station: Option<Arc<str>>,
    pub rate_limits: RateLimits,
    pub sign_in: SignInThrottle,
    pub first_run: FirstRunCode,
    /// Whether another machine has reached this server.
    pub lan_reached: AtomicBool,
    pub stream_limit: StreamLimiter,
    pub write_probe: CachedWriteProbe,
    /// The copies of checkpoints outside the ledger, and their alarms.
    pub checkpoint_copies: CheckpointCopies,
    /// The server's transport and addresses, for people who must trust it.
    pub identity: Arc<ServerIdentity>,
    /// How many lines the log dropped, if this process has a log.
    pub dropped_log_lines: Option<DroppedLines>,
    /// The folder of the lexicon files.
    pub lexicons: Arc<Path>,
    pub ledger_clock: LedgerClock,
    pub snapshot: watch::Receiver<Arc<Snapshot>>,
    /// Sends requests to refresh the snapshot now.
    pub refreshes: mpsc::Sender<oneshot::Sender<()>>,
    /// Whether the server is stopping: event streams end then.
    pub stopping: watch::Receiver<bool>,
}

impl Deref for AppState {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

impl AppState {
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        Self(Arc::new(parts))
    }

    /// Waits until the snapshot has everything that was just set up. If that takes too long, the snapshot has it a
    /// little later.
    pub async fn refresh(&self) {
        let (over, seen) = oneshot::channel();
        if self.refreshes.send(over).await.is_ok() {
            // The refresh answers by dropping its sender.
            let _ = seen.await;
        }
    }

    /// Records that another machine reached this server.
    pub fn mark_lan_reached(&self) {
        self.lan_reached.store(true, Ordering::Relaxed);
    }

    /// Whether another machine has reached this server.
    #[must_use]
    pub fn is_lan_reached(&self) -> bool {
        self.lan_reached.load(Ordering::Relaxed)
    }

    /// Resolves when the server stops.
    pub async fn stopped(&self) {
        let mut stopping = self.stopping.clone();
        let _ = stopping.wait_for(|is_stopping| *is_stopping).await;
    }

    /// The effective time: the later of the machine's clock and the newest entry that is known. Source: CONTRACT 3.6.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.ledger_clock.effective(self.system.now())
    }

    /// Why the machine's clock is not trusted, if it is not.
    #[must_use]
    pub fn clock_doubt(&self) -> Option<ClockDoubt> {
        self.ledger_clock.doubt(self.system.now(), &self.snapshot.borrow().setup)
    }

    /// The current snapshot; a request keeps one from beginning to end.
    #[must_use]
    pub fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.snapshot.borrow())
    }

    /// What the director must look after although the server can rule: one sentence each.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let copies =
            self.checkpoint_copies.troubles().into_iter().map(|trouble| format!("Copies of checkpoints: {trouble}."));
        self.ledger.db.overgrown_log().map(overgrown_log_warning).into_iter().chain(copies).collect()
    }
}

/// The warning about another program that keeps the write-ahead log from being checkpointed.
fn overgrown_log_warning(bytes: u64) -> String {
    format!(
        "The database's write-ahead log has {} MB: another program holds the database open for reading. End that program; \
         the log is cut by itself then.",
        bytes / 1_000_000
    )
}
