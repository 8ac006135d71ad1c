//! The faults of a log, and their messages.

use std::fmt;

use super::{checkpoint::CheckpointError, leaf::LeafError};

/// A fault in a log: where it is and what it is.
///
/// ```
/// # use adjudge::domain::ledger::{Broken, Reason};
/// let broken = Broken { entry: Some(17), reason: Reason::Place(18) };
/// assert!(broken.to_string().starts_with("entry 17: "));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// The number (`seq`, from 0) of the first entry that is bad, may be bad, or is
    /// missing; `None` when the fault lies in a checkpoint alone.
    pub entry: Option<u64>,
    /// What is wrong.
    pub reason: Reason,
}

impl Broken {
    pub(super) fn at(entry: u64, reason: Reason) -> Self {
        let entry = Some(entry);
        Self { entry, reason }
    }

    pub(super) fn in_checkpoint(reason: Reason) -> Self {
        let entry = None;
        Self { entry, reason }
    }

    pub(super) fn missing(entries: u64, size: u64) -> Self {
        Self::at(entries, Reason::Missing { entries, size })
    }
}

/// Where a checkpoint was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckpointOrigin {
    /// Beside the entries: in the same database or export.
    Stored,
    /// Outside the database: on another disk, a tablet, a sheet, where an attacker who rewrites the log cannot change
    /// it.
    Outside,
}

/// What is wrong with a log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// The text does not have the leaf hash that was stored beside it.
    #[error("its text does not have the hash that was recorded for it: one of the two was changed")]
    RecordedHash,
    /// The text is no leaf.
    #[error(transparent)]
    Leaf(#[from] LeafError),
    /// A line of an export that is not ended by a line feed.
    #[error("its line is cut off, or longer than an entry can be")]
    Unended,
    /// A line of an export that is not UTF-8.
    #[error("its line is not UTF-8")]
    NotUtf8,
    /// An entry of another log.
    #[error("it belongs to the log {0:?}")]
    OtherLog(String),
    /// An entry at another place than its own: one is missing, moved or there twice.
    #[error("what stands in its place says that it is entry {0}: entries are missing, moved or there twice")]
    Place(u64),
    /// Two neighbours of which the later entry has the earlier time. Either may be
    /// the changed one, unless a checkpoint that fitted covers the former.
    #[error("the time runs back from {before} to {at}")]
    TimeRunsBack {
        /// The first entry that may have been changed.
        first: u64,
        /// The entry at which the time runs back.
        last: u64,
        /// The time of the entry before that one.
        before: String,
        /// The time of the entry itself.
        at: String,
    },
    /// A kind that this program does not know.
    #[error("its kind {0:?} is not known: it was changed, or a newer program wrote it")]
    Kind(String),
    /// A checkpoint that is not one, is about another log, or is not signed by the log's key.
    #[error("{error} (the one {})", place(*kept, *entries))]
    Checkpoint {
        /// Where it was kept.
        kept: CheckpointOrigin,
        /// How many entries had been read.
        entries: u64,
        /// What is wrong with it.
        error: CheckpointError,
    },
    /// A checkpoint was given when more entries than it covers had been read: its
    /// size was changed where it is stored, or it was given out of order.
    #[error("a checkpoint of {size} entries stands after {entries} entries")]
    Order {
        /// How many entries had been read.
        entries: u64,
        /// The size that the checkpoint states.
        size: u64,
    },
    /// The entries do not give the root of a signed checkpoint.
    #[error("{from} checkpoint of {size} entries is signed and has another root than they give", from = .kept.name(), size = .last + 1)]
    Root {
        /// Where the checkpoint was kept.
        kept: CheckpointOrigin,
        /// The first entry after the last checkpoint that fitted.
        first: u64,
        /// The last entry that the failing checkpoint covers.
        last: u64,
    },
    /// As [`Reason::Root`], with no entry left to blame: another checkpoint of the
    /// same size fits, or the size is 0.
    #[error("{from} checkpoint of {size} entries is signed and has another root, though other checkpoints settle all of those entries: two histories were signed with this key", from = .kept.name())]
    Fork {
        /// Where the checkpoint was kept.
        kept: CheckpointOrigin,
        /// The size that the checkpoint states.
        size: u64,
    },
    /// A checkpoint covers entries that the log does not have.
    #[error("the log has {entries} entries, the checkpoint {size}: entries are missing")]
    Missing {
        /// How many entries the log has.
        entries: u64,
        /// How many it had when the checkpoint was signed.
        size: u64,
    },
    /// Entries after the last stored checkpoint, or entries and no checkpoint.
    #[error("the log has {entries} entries and its stored checkpoints cover {covered}: the others are not signed")]
    Unsigned {
        /// How many entries the log has.
        entries: u64,
        /// How many of them are covered.
        covered: u64,
    },
}

impl CheckpointOrigin {
    fn name(self) -> &'static str {
        match self {
            Self::Stored => "the stored",
            Self::Outside => "the outside",
        }
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.reason, self.entry) {
            (Reason::Root { first, last, .. } | Reason::TimeRunsBack { first, last, .. }, _) => {
                changed(f, *first, *last)?;
            }
            (_, Some(entry)) => write!(f, "entry {entry}: ")?,
            (_, None) => {}
        }
        self.reason.fmt(f)
    }
}

fn place(kept: CheckpointOrigin, entries: u64) -> String {
    match (kept, entries) {
        (CheckpointOrigin::Outside, _) => "kept outside".to_owned(),
        (CheckpointOrigin::Stored, 0) => "stored with the log".to_owned(),
        (CheckpointOrigin::Stored, _) => format!("stored with the log after {entries} entries"),
    }
}

fn changed(f: &mut fmt::Formatter<'_>, first: u64, last: u64) -> fmt::Result {
    if first == last {
        write!(f, "entry {first}: it was changed: ")
    } else {
        write!(f, "entries {first} to {last}: at least one was changed: ")
    }
}

impl std::error::Error for Broken {}
