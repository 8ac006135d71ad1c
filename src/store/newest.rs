//! The newest checkpoint of each log that this process appended to, in memory. It survives a database that failed: the
//! server writes these checkpoints outside the database before it ends.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Cheap to clone; all clones share their content.
#[derive(Clone, Debug, Default)]
pub struct NewestCheckpoints(Arc<Mutex<Newest>>);

#[derive(Debug, Default)]
struct Newest {
    notes: BTreeMap<String, String>,
    changed: BTreeSet<String>,
}

impl NewestCheckpoints {
    /// Adds the checkpoints of a commit, by log.
    pub(super) fn add(&self, checkpoints: BTreeMap<String, String>) {
        let mut newest = self.lock();
        for (log, note) in checkpoints {
            if !newest.changed.contains(&log) {
                newest.changed.insert(log.clone());
            }
            newest.notes.insert(log, note);
        }
    }

    /// The logs that grew since the last call.
    #[must_use]
    pub fn take_changed(&self) -> BTreeSet<String> {
        std::mem::take(&mut self.lock().changed)
    }

    /// The signed notes, by log.
    #[must_use]
    pub fn notes(&self) -> BTreeMap<String, String> {
        self.lock().notes.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Newest> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
