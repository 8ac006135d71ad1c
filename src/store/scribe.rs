//! The scribe: the one task that writes slips into the ledger.
//!
//! It takes whatever waits, up to 64 drafts, into one transaction, and answers all of them after the
//! commit. It never waits for a batch to fill. Because it is a task of its own, a client that hangs
//! up cannot cancel a write half-way.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use super::ledger::{Draft, Ledger, LedgerError, Recorded};
use crate::world::World;

/// As many drafts as one transaction takes.
const LARGEST_BATCH: usize = 64;

/// As many drafts as may wait; beyond it a request is told to come again.
const LONGEST_QUEUE: usize = 1024;

/// Nothing was written. Whoever asked must be told that there is no ruling.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CannotRecord {
    #[error("the ledger cannot be written: {0}")]
    Ledger(Arc<LedgerError>),
    #[error("too many slips are waiting to be written")]
    QueueFull,
    #[error("the server is stopping")]
    Stopping,
}

type Answer = oneshot::Sender<Result<Recorded, CannotRecord>>;

enum Job {
    Record(Box<Draft>, Answer),
    Probe(oneshot::Sender<Result<(), CannotRecord>>),
}

/// The way to the scribe. Cheap to clone; the task ends when the last one is dropped.
#[derive(Clone, Debug)]
pub struct Scribe {
    jobs: mpsc::Sender<Job>,
}

impl Scribe {
    /// Starts the task. Its handle ends after everything accepted has been written.
    #[must_use]
    pub fn start(ledger: Ledger, world: World) -> (Self, JoinHandle<()>) {
        let (jobs, waiting) = mpsc::channel(LONGEST_QUEUE);
        (Self { jobs }, tokio::spawn(write_what_waits(ledger, world, waiting)))
    }

    /// Has a draft written, and answers once it is durable.
    ///
    /// # Errors
    /// [`CannotRecord`]: nothing was written.
    pub async fn record(&self, draft: Draft) -> Result<Recorded, CannotRecord> {
        let (answer, answered) = oneshot::channel();
        self.hand_over(Job::Record(Box::new(draft), answer))?;
        answered.await.map_err(|_| CannotRecord::Stopping)?
    }

    /// Whether the ledger could be written now: takes the write lock and gives it back.
    ///
    /// # Errors
    /// [`CannotRecord`] says why not.
    pub async fn probe(&self) -> Result<(), CannotRecord> {
        let (answer, answered) = oneshot::channel();
        self.hand_over(Job::Probe(answer))?;
        answered.await.map_err(|_| CannotRecord::Stopping)?
    }

    fn hand_over(&self, job: Job) -> Result<(), CannotRecord> {
        self.jobs.try_send(job).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => CannotRecord::QueueFull,
            mpsc::error::TrySendError::Closed(_) => CannotRecord::Stopping,
        })
    }
}

async fn write_what_waits(ledger: Ledger, world: World, mut waiting: mpsc::Receiver<Job>) {
    let mut jobs = Vec::with_capacity(LARGEST_BATCH);
    while waiting.recv_many(&mut jobs, LARGEST_BATCH).await > 0 {
        let mut drafts = Vec::with_capacity(jobs.len());
        let mut answers = Vec::with_capacity(jobs.len());
        for job in jobs.drain(..) {
            match job {
                Job::Record(draft, answer) => {
                    drafts.push(*draft);
                    answers.push(answer);
                }
                // Whoever asked may be gone; there is nobody to tell then.
                Job::Probe(answer) => drop(answer.send(can_write(&ledger).await)),
            }
        }
        if !drafts.is_empty() {
            answer_all(answers, ledger.record(world.now(), drafts).await);
        }
    }
}

fn answer_all(answers: Vec<Answer>, outcome: Result<Vec<Recorded>, LedgerError>) {
    match outcome {
        Ok(recorded) => {
            for (answer, recorded) in answers.into_iter().zip(recorded) {
                drop(answer.send(Ok(recorded)));
            }
        }
        Err(error) => {
            tracing::error!(error = %error, slips = answers.len(), "nothing could be recorded");
            let error = Arc::new(error);
            for answer in answers {
                drop(answer.send(Err(CannotRecord::Ledger(Arc::clone(&error)))));
            }
        }
    }
}

async fn can_write(ledger: &Ledger) -> Result<(), CannotRecord> {
    let begun = ledger.db.begin_write().await;
    begun.map(drop).map_err(|error| CannotRecord::Ledger(Arc::new(error.into())))
}
