//! The ledger's own time: the time of the newest entry, and the act that makes the server trust the machine's clock
//! again. Source: CONTRACT 3.6.

use crate::domain::event::{ClockConfirmed, ClockDoubted, server};
use crate::domain::ledger::{Actor, base_log};
use crate::domain::request::RequestMark;
use crate::domain::{Event, SERVER_LOG, Timestamp};

use super::db::Row;
use super::ledger::{Appended, Draft, Ledger, LedgerError};
use super::statements as sql;

/// The time of the newest entry of all logs since the clock was last confirmed. Each confirmation begins a new era;
/// within one era time never goes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LedgerTime {
    pub era: i64,
    pub newest: Timestamp,
    /// Whether the current batch confirmed the clock.
    is_confirmed: bool,
}

impl LedgerTime {
    /// From the row of the newest checkpoint; the beginning of time if there is none.
    pub(super) fn of(row: Option<&Row>) -> Result<Self, LedgerError> {
        let (era, newest) = match row {
            Some(row) => (row.int("era")?, row.int("at_us")?),
            None => (0, 0),
        };
        Ok(Self { era, newest: Timestamp::from_micros(newest), is_confirmed: false })
    }

    /// The time of the next entry: the clock's, but never earlier than the newest entry or than the set-up that decided
    /// it.
    pub(super) fn next(&self, clock: Timestamp, not_before: Option<Timestamp>) -> Timestamp {
        let next = self.newest.max(clock);
        not_before.map_or(next, |not_before| next.max(not_before))
    }

    /// Gives an entry its time. The first confirmation in a batch sets the time to the clock.
    pub(super) fn pass(&mut self, event: &Event, clock: Timestamp, not_before: Option<Timestamp>) -> Timestamp {
        if matches!(event, Event::ClockConfirmed(_)) && !self.is_confirmed {
            *self = Self { era: self.era + 1, newest: clock, is_confirmed: true };
        } else {
            self.newest = self.next(clock, not_before);
        }
        self.newest
    }
}

impl Ledger {
    /// The time of the newest entry.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn time(&self) -> Result<LedgerTime, LedgerError> {
        LedgerTime::of(self.db.fetch(sql::NEWEST, &[]).await?.first())
    }

    /// The effective time: the later of the clock and the newest entry.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn effective(&self, clock: Timestamp) -> Result<Timestamp, LedgerError> {
        Ok(self.time().await?.next(clock, None))
    }

    /// Records that the clock was found long after the newest entry.
    ///
    /// # Errors
    /// If the write fails.
    pub async fn doubt_clock(&self, clock: Timestamp, newest: Timestamp) -> Result<Vec<Appended>, LedgerError> {
        let doubted = ClockDoubted { newest: newest.to_string(), clock: clock.to_string() };
        self.record(clock, vec![Draft::of(SERVER_LOG, server(), Event::ClockDoubted(doubted))]).await
    }

    /// Records in every log that a director confirmed the clock: from this entry on `at` follows the clock again, also
    /// backwards. The entry in the log `server` comes first, and answers the request.
    ///
    /// # Errors
    /// If the write fails.
    pub async fn confirm_clock(
        &self,
        clock: Timestamp,
        by: &Actor,
        request: Option<RequestMark>,
    ) -> Result<Vec<Appended>, LedgerError> {
        let mut tx = self.begin().await?;
        // Under the write lock, no log begins and no entry is written between the read and the write.
        let before = LedgerTime::of(tx.fetch(sql::NEWEST, &[]).await?.first())?.newest;
        let mut logs: Vec<String> = self.logs().await?.iter().map(|log| base_log(log).to_owned()).collect();
        logs.sort_by_key(|log| (log != SERVER_LOG, log.clone()));
        logs.dedup();
        let draft = |log: &String| {
            let request = request.clone().filter(|_| log == SERVER_LOG);
            let confirmed = ClockConfirmed { newest: before.to_string(), request };
            Draft::of(log, by.clone(), Event::ClockConfirmed(confirmed))
        };
        let drafts: Vec<Draft> = logs.iter().map(draft).collect();
        let recorded = tx.append(clock, drafts).await?;
        // A key that was answered before gets that answer again, and nothing is written.
        if recorded.first().and_then(Appended::new_entry).is_some() {
            tx.commit().await?;
        }
        Ok(recorded)
    }
}
