//! The ledger's own time: where the newest entry is, and the act by which the machine's clock is believed again.
//! Source: CONTRACT 3.6.

use crate::domain::event::{ClockConfirmed, ClockDoubted, server};
use crate::domain::ledger::{Actor, base_log};
use crate::domain::request::RequestMark;
use crate::domain::{Event, SERVER_LOG, Timestamp};

use super::db::Row;
use super::ledger::{Appended, Draft, Ledger, LedgerError};
use super::statements as sql;

/// The time of the newest entry, of all logs together, since the clock was last confirmed. Eras are counted by these acts:
/// within one time never goes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LedgerTime {
    pub era: i64,
    pub newest: Timestamp,
    /// Whether the batch at hand confirmed the clock.
    is_confirmed: bool,
}

impl LedgerTime {
    /// What the newest checkpoint's row says; the beginning of time where there is none.
    pub(super) fn of(row: Option<&Row>) -> Result<Self, LedgerError> {
        let (era, newest) = match row {
            Some(row) => (row.int("era")?, row.int("at_us")?),
            None => (0, 0),
        };
        Ok(Self { era, newest: Timestamp::from_micros(newest), is_confirmed: false })
    }

    /// The time of the next entry: the clock's, but never earlier than the newest entry or than what it was decided by.
    pub(super) fn next(&self, clock: Timestamp, not_before: Option<Timestamp>) -> Timestamp {
        let next = self.newest.max(clock);
        not_before.map_or(next, |not_before| next.max(not_before))
    }

    /// Takes an entry in. Where it confirms the clock, time goes by that from then on, once.
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
    /// Where the database fails.
    pub async fn time(&self) -> Result<LedgerTime, LedgerError> {
        LedgerTime::of(self.db.fetch(sql::NEWEST, &[]).await?.first())
    }

    /// The effective time: the later of the clock and the newest entry.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn effective(&self, clock: Timestamp) -> Result<Timestamp, LedgerError> {
        Ok(self.time().await?.next(clock, None))
    }

    /// Records that the clock was found long after the newest entry.
    ///
    /// # Errors
    /// Where nothing can be written.
    pub async fn doubt_clock(&self, clock: Timestamp, newest: Timestamp) -> Result<Vec<Appended>, LedgerError> {
        let doubted = ClockDoubted { newest: newest.to_string(), clock: clock.to_string() };
        self.record(clock, vec![Draft::of(SERVER_LOG, server(), Event::ClockDoubted(doubted))]).await
    }

    /// Records in every log that a director confirmed the clock: from this entry on `at` follows it again, also backwards.
    /// The entry in the log `server` comes first, and answers the request.
    ///
    /// # Errors
    /// Where nothing can be written.
    pub async fn confirm_clock(
        &self,
        clock: Timestamp,
        by: &Actor,
        request: Option<RequestMark>,
    ) -> Result<Vec<Appended>, LedgerError> {
        let mut tx = self.begin().await?;
        // Under the write lock: no log begins, and no entry is written, between the look and the write.
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
        // What answered the key before is answered again, and nothing is written.
        if recorded.first().and_then(Appended::new_entry).is_some() {
            tx.commit().await?;
        }
        Ok(recorded)
    }
}
