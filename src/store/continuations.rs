//! The continuations and what each says of the logs that it continues, read once: which entries are in question.

use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError, RwLock};

use crate::domain::ledger::{Leaf, SoundSizes};
use crate::domain::{Entry, Event};

use super::db::{DbError, Row};

/// The continuations that were read so far. What one says never changes, and none goes away.
#[derive(Clone, Debug, Default)]
pub(super) struct Continuations(Arc<RwLock<Read>>);

#[derive(Clone, Debug, Default)]
struct Read {
    logs: BTreeSet<String>,
    sizes: Arc<SoundSizes>,
}

impl Continuations {
    /// The sound sizes by all continuations in `rows`. A row alone continues nothing: the first entry of its log must
    /// exist.
    pub(super) fn sizes_by(&self, rows: &[Row]) -> Result<Arc<SoundSizes>, DbError> {
        let mut read = self.0.read().unwrap_or_else(PoisonError::into_inner).clone();
        let known = read.logs.len();
        for row in rows {
            let log = row.text("by_log")?;
            let Some(leaf) = row.text_or_null("leaf")?.filter(|_| !read.logs.contains(&log)) else { continue };
            let Ok(Ok(entry)) = Leaf::parse(&leaf).map(Entry::from_leaf) else { continue };
            if let Event::Restored(restored) = entry.event {
                let sizes = Arc::make_mut(&mut read.sizes);
                restored.closed.iter().for_each(|closed| sizes.add(&closed.log, closed.vouched(), closed.sound));
                read.logs.insert(log);
            }
        }
        let sizes = Arc::clone(&read.sizes);
        if read.logs.len() > known {
            *self.0.write().unwrap_or_else(PoisonError::into_inner) = read;
        }
        Ok(sizes)
    }
}
