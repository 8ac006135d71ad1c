//! The server's knowledge of time between two reads of the ledger. Source: CONTRACT 3.6.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use crate::domain::clock::{ClockDoubt, is_far_after};
use crate::domain::{Setup, Timestamp};
use crate::store::{Ledger, LedgerError};
use crate::system::System;

/// How often the log says that the clock is not trusted.
const LOG_INTERVAL: Duration = Duration::from_mins(1);

/// The time of the newest entry, as of the last read of the ledger. Cheap to clone.
#[derive(Clone, Debug)]
pub struct LedgerClock(Arc<AtomicI64>);

impl LedgerClock {
    /// Begins with the newest entry of a ledger.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub async fn read(ledger: &Ledger) -> Result<Self, LedgerError> {
        Ok(Self(Arc::new(AtomicI64::new(ledger.time().await?.newest.micros()))))
    }

    /// The time of the newest entry.
    #[must_use]
    pub fn newest(&self) -> Timestamp {
        Timestamp::from_micros(self.0.load(Ordering::Relaxed))
    }

    /// The effective time: the later of the clock and the newest entry.
    #[must_use]
    pub fn effective(&self, clock: Timestamp) -> Timestamp {
        clock.max(self.newest())
    }

    /// Why the clock is not trusted, if it is not.
    #[must_use]
    pub fn doubt(&self, clock: Timestamp, setup: &Setup) -> Option<ClockDoubt> {
        ClockDoubt::of(clock, self.newest(), setup.clock_doubt())
    }
}

/// The clock check that goes with each read of the ledger.
pub(super) struct ClockCheck {
    ledger_clock: LedgerClock,
    /// The time that the last check found.
    seen: Timestamp,
    logged: Option<Duration>,
}

impl ClockCheck {
    pub(super) fn new(ledger_clock: LedgerClock) -> Self {
        Self { seen: ledger_clock.newest(), ledger_clock, logged: None }
    }

    /// Reads the newest entry and the clock, and gives the effective time. A clock that jumped far, or is far ahead at
    /// a start, is recorded as doubted until a director confirms it.
    pub(super) async fn look(
        &mut self,
        ledger: &Ledger,
        system: &System,
        setup: &Setup,
    ) -> Result<Timestamp, LedgerError> {
        let (clock, newest) = (system.now(), ledger.time().await?.newest);
        self.ledger_clock.0.store(newest.micros(), Ordering::Relaxed);
        let is_doubted = setup.clock_doubt().is_some();
        // A new ledger has no entry yet.
        if !is_doubted && self.seen.micros() > 0 && is_far_after(clock, self.seen.max(newest)) {
            if let Err(error) = ledger.doubt_clock(clock, newest).await {
                tracing::error!(%error, "it cannot be recorded yet that the clock leapt");
                return Ok(clock.max(newest));
            }
            let newest = ledger.time().await?.newest;
            self.ledger_clock.0.store(newest.micros(), Ordering::Relaxed);
        }
        self.seen = clock.max(newest);
        Ok(self.seen)
    }

    /// Logs that the clock is not trusted: at once, and again each minute.
    pub(super) fn log(&mut self, system: &System, setup: &Setup) {
        let (passed, doubt) = (system.monotonic(), self.ledger_clock.doubt(system.now(), setup));
        let is_time = self.logged.is_none_or(|logged| passed.saturating_sub(logged) >= LOG_INTERVAL);
        match doubt {
            Some(doubt) if is_time => {
                tracing::error!("{doubt}");
                self.logged = Some(passed);
            }
            Some(_) => {}
            None => self.logged = None,
        }
    }
}
