//! The ledger writer: the one task that writes slips into the ledger.
//!
//! It takes the waiting drafts, up to 64, into one transaction, and answers all of them after the commit. It never
//! waits for a batch to fill. Because it is a task of its own, a client that disconnects cannot cancel a write
//! half-way.
//!
//! Its storage can fail in three ways. A **full disk** is waited out: the writer refuses everything until a write
//! succeeds again. **Broken** storage ends the task, and with it the server: after a failed sync the content of the
//! disk is unknown, so nothing is tried again before a full check. A **lost** connection leaves open whether the commit
//! took place, so the entry is looked up.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;

use super::db::Kind;
use super::ledger::{Appended, Draft, Ledger, LedgerError};
use crate::domain::event::{StorageFull, StorageOk, server};
use crate::domain::{Event, SERVER_LOG, Timestamp};
use crate::log::OncePerSecond;
use crate::system::System;

/// How many drafts one transaction takes at most.
const MAX_BATCH: usize = 64;

/// How many drafts may wait; a request beyond them is refused and may be repeated.
const MAX_QUEUE: usize = 1024;

/// How long a caller waits for the writer before it is refused. The entry may still be written; a repeated request with
/// the same key then finds it.
const WAIT_TIMEOUT: Duration = Duration::from_millis(4500);

/// How often a write is tried while the disk is full.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// No entry is known to be written. The server must answer that there is no ruling.
#[derive(Clone, Debug, thiserror::Error)]
pub enum WriteError {
    #[error("the ledger cannot be written: {0}")]
    Ledger(Arc<LedgerError>),
    #[error("the disk is full")]
    DiskFull,
    #[error("too many slips are waiting to be written")]
    QueueFull,
    #[error("the ledger did not answer in time")]
    Slow,
    #[error("the server is stopping")]
    Stopping,
}

/// The state of the storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    Writable,
    /// Since this moment the disk is full; a write is tried every second.
    Full(Timestamp),
    Broken,
}

type Answer = oneshot::Sender<Result<Appended, WriteError>>;

enum Job {
    Record(Box<Draft>, Answer),
    Probe(oneshot::Sender<Result<(), WriteError>>),
    #[cfg(feature = "fault-injection")]
    End,
}

/// The handle of the writer task. Cheap to clone; the task ends when the last handle is dropped.
#[derive(Clone, Debug)]
pub struct LedgerWriter {
    jobs: mpsc::Sender<Job>,
    storage: watch::Receiver<Storage>,
}

impl LedgerWriter {
    /// Starts the task. It ends after everything accepted has been written, or when the storage broke.
    #[must_use]
    pub fn start(ledger: Ledger, system: System) -> (Self, JoinHandle<()>) {
        let (jobs, waiting) = mpsc::channel(MAX_QUEUE);
        let (storage, seen) = watch::channel(Storage::Writable);
        let writing = Writing { ledger, system, waiting, storage };
        (Self { jobs, storage: seen }, tokio::spawn(writing.write_loop()))
    }

    /// Sends a draft to be written, and returns once it is durable.
    ///
    /// # Errors
    /// [`WriteError`]: no entry is known to be written.
    pub async fn record(&self, draft: Draft) -> Result<Appended, WriteError> {
        let (answer, answered) = oneshot::channel();
        self.ask(Job::Record(Box::new(draft), answer), answered).await
    }

    /// Checks that the ledger can be written now: takes the write lock and releases it.
    ///
    /// # Errors
    /// [`WriteError`] says why it cannot.
    pub async fn probe(&self) -> Result<(), WriteError> {
        let (answer, answered) = oneshot::channel();
        self.ask(Job::Probe(answer), answered).await
    }

    /// The state of the storage, as the last write found it.
    #[must_use]
    pub fn storage(&self) -> Storage {
        *self.storage.borrow()
    }

    /// How many entries wait to be written.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.jobs.max_capacity() - self.jobs.capacity()
    }

    /// Ends the task as a bug in it would.
    #[cfg(feature = "fault-injection")]
    pub async fn end(&self) {
        drop(self.jobs.send(Job::End).await);
    }

    async fn ask<T>(&self, job: Job, answered: oneshot::Receiver<Result<T, WriteError>>) -> Result<T, WriteError> {
        self.jobs.try_send(job).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => WriteError::QueueFull,
            mpsc::error::TrySendError::Closed(_) => WriteError::Stopping,
        })?;
        match tokio::time::timeout(WAIT_TIMEOUT, answered).await {
            Ok(answer) => answer.map_err(|_| WriteError::Stopping)?,
            Err(_) => Err(WriteError::Slow),
        }
    }
}

/// The task's own state.
struct Writing {
    ledger: Ledger,
    system: System,
    waiting: mpsc::Receiver<Job>,
    storage: watch::Sender<Storage>,
}

impl Writing {
    async fn write_loop(mut self) {
        let mut jobs = Vec::with_capacity(MAX_BATCH);
        while self.waiting.recv_many(&mut jobs, MAX_BATCH).await > 0 {
            self.write(&mut jobs).await;
            let storage = *self.storage.borrow();
            match storage {
                Storage::Writable => {}
                Storage::Full(since) => self.retry_until_space(since).await,
                Storage::Broken => return,
            }
        }
    }

    async fn write(&self, jobs: &mut Vec<Job>) {
        let mut drafts = Vec::with_capacity(jobs.len());
        let mut answers = Vec::with_capacity(jobs.len());
        let mut probes = Vec::new();
        for job in jobs.drain(..) {
            match job {
                Job::Record(draft, answer) => {
                    drafts.push(*draft);
                    answers.push(answer);
                }
                Job::Probe(answer) => probes.push(answer),
                #[cfg(feature = "fault-injection")]
                #[expect(clippy::panic, reason = "this is what it is for")]
                Job::End => panic!("a hook of the fault tests"),
            }
        }
        if !drafts.is_empty() {
            let outcome = self.ledger.record(self.system.now(), drafts).await;
            self.answer_all(answers, outcome);
        }
        if !probes.is_empty() {
            let can_write = self.can_write().await;
            // The callers may be gone; then the answer is dropped.
            for answer in probes {
                drop(answer.send(can_write.clone()));
            }
        }
    }

    fn answer_all(&self, answers: Vec<Answer>, outcome: Result<Vec<Appended>, LedgerError>) {
        match outcome {
            Ok(recorded) => {
                for (answer, recorded) in answers.into_iter().zip(recorded) {
                    drop(answer.send(Ok(recorded)));
                }
            }
            Err(error) => {
                static REFUSED: OncePerSecond = OncePerSecond::new();
                if let Some(left_out) = REFUSED.admit(self.system.monotonic()) {
                    tracing::error!(%error, slips = answers.len(), left_out, "nothing could be recorded");
                }
                self.note(&error);
                let error = Arc::new(error);
                for answer in answers {
                    drop(answer.send(Err(WriteError::Ledger(Arc::clone(&error)))));
                }
            }
        }
    }

    /// Records what an error says about the storage.
    fn note(&self, error: &LedgerError) {
        match error.kind() {
            Kind::Full => drop(self.storage.send_replace(Storage::Full(self.system.now()))),
            Kind::Broken => drop(self.storage.send_replace(Storage::Broken)),
            Kind::Lost | Kind::Refused => {}
        }
    }

    async fn can_write(&self) -> Result<(), WriteError> {
        let refused = |error: LedgerError| WriteError::Ledger(Arc::new(error));
        self.ledger.begin().await.map_err(refused)?.rollback().await.map_err(refused)
    }

    /// Refuses everything at once until the disk takes an entry again. That entry records how long the disk was full.
    async fn retry_until_space(&mut self, since: Timestamp) {
        tracing::error!("the disk is full: no rulings until there is room");
        let mut tries = tokio::time::interval(RETRY_INTERVAL);
        tries.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                job = self.waiting.recv() => match job {
                    Some(Job::Record(_, answer)) => drop(answer.send(Err(WriteError::DiskFull))),
                    Some(Job::Probe(answer)) => drop(answer.send(Err(WriteError::DiskFull))),
                    #[cfg(feature = "fault-injection")]
                    Some(Job::End) => return,
                    None => return,
                },
                _ = tries.tick() => match self.ledger.record(self.system.now(), full_and_ok(since)).await {
                    Ok(_) => {
                        tracing::warn!("the disk has room again");
                        self.storage.send_replace(Storage::Writable);
                        return;
                    }
                    Err(error) if error.kind() == Kind::Broken => {
                        self.note(&error);
                        return;
                    }
                    Err(error) => tracing::debug!(%error, "still no room"),
                },
            }
        }
    }
}

fn full_and_ok(since: Timestamp) -> Vec<Draft> {
    let full = Event::StorageFull(StorageFull { since: since.to_string() });
    let draft = |event| Draft::of(SERVER_LOG, server(), event);
    vec![draft(full), draft(Event::StorageOk(StorageOk {}))]
}
