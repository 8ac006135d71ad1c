//! Whether the storage under a running server is healthy. A read that finds damage, or a write that fails and leaves
//! the disk's content unknown, stops the whole server: it acknowledges nothing after that, and the next start checks
//! everything.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::{Arc, OnceLock};

use tokio::sync::watch;

use super::{DbError, Kind};

/// Shared by everything that reads or writes one database. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Health(Arc<State>);

#[derive(Debug, Default)]
struct State {
    /// Set while a server runs; commands may read damaged rows, since they look for them. For each closed log: the
    /// entry from which on it is known not to be sound.
    closed_at: OnceLock<BTreeMap<String, u64>>,
    has_failed: watch::Sender<bool>,
}

impl Health {
    /// From now on damage stops the server, except in the entries of a closed log from the given number on: their
    /// damage was recorded when the log was closed.
    pub fn arm(&self, closed_at: BTreeMap<String, u64>) {
        // A second server in one process would set the same value.
        let _ = self.0.closed_at.set(closed_at);
    }

    /// Whether damage in this entry is known and recorded.
    pub(in crate::store) fn is_known_damage(&self, log: &str, seq: u64) -> bool {
        self.0.closed_at.get().and_then(|logs| logs.get(log)).is_some_and(|sound| seq >= *sound)
    }

    /// Stops the server, if one runs.
    pub(in crate::store) fn fail(&self, why: &dyn Display) {
        if self.0.closed_at.get().is_some() && !self.0.has_failed.send_replace(true) {
            tracing::error!(error = %why, "the storage failed: no more rulings, the server stops");
        }
    }

    /// Stops the server if an error proves that the database is damaged.
    pub(super) fn weigh_read<T>(&self, outcome: Result<T, DbError>) -> Result<T, DbError> {
        outcome.inspect_err(|error| {
            if error.is_damage() {
                self.fail(error);
            }
        })
    }

    /// Stops the server if the error of a write says that the storage failed.
    pub(super) fn weigh_write<T>(&self, outcome: Result<T, DbError>) -> Result<T, DbError> {
        outcome.inspect_err(|error| {
            if error.kind() == Kind::Broken {
                self.fail(error);
            }
        })
    }

    #[must_use]
    pub fn has_failed(&self) -> bool {
        *self.0.has_failed.borrow()
    }

    /// # Errors
    /// [`DbError::Failed`] if the storage failed.
    pub fn check(&self) -> Result<(), DbError> {
        if self.has_failed() { Err(DbError::Failed) } else { Ok(()) }
    }

    /// Resolves when the storage fails.
    pub async fn failed(&self) {
        // The sender lives as long as `self`.
        let _ = self.0.has_failed.subscribe().wait_for(|has_failed| *has_failed).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved<T>() -> Result<T, DbError> {
        Err(DbError::FileReplaced { path: "adjudge.db".into() })
    }

    #[tokio::test]
    async fn damage_that_one_clone_reads_fails_all_clones() {
        let health = Health::default();
        health.arm(BTreeMap::new());
        let reader = health.clone();
        assert!(reader.weigh_read::<()>(Err(DbError::Slow { doing: "reading" })).is_err());
        assert!(health.check().is_ok(), "slow is not damaged");
        assert!(reader.weigh_read::<()>(moved()).is_err());
        assert!(matches!(health.check(), Err(DbError::Failed)));
        health.failed().await;
    }

    #[test]
    fn commands_may_read_damaged_rows() {
        let health = Health::default();
        assert!(health.weigh_read::<()>(moved()).is_err());
        assert!(health.check().is_ok());
    }

    #[test]
    fn entries_from_the_first_fault_of_a_closed_log_on_are_known_to_be_damaged() {
        let health = Health::default();
        assert!(!health.is_known_damage("lagos", 7), "no server runs");
        health.arm(BTreeMap::from([("lagos".to_owned(), 7)]));
        let known = |log, seq| health.is_known_damage(log, seq);
        assert_eq!(
            [known("lagos", 6), known("lagos", 7), known("lagos", 8), known("abuja", 8)],
            [false, true, true, false]
        );
    }
}
