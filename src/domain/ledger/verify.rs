//! The check of a whole log, entry by entry, in memory that does not grow with it.
//!
//! Each entry is checked by itself and against the one before it; the signed
//! checkpoints then tie all of them to the server's key. An entry that does not
//! parse is reported at once. A change that leaves a well-formed entry behind
//! shows at the next checkpoint, and then the fault lies somewhere after the last
//! checkpoint that still fitted: [`Broken`] names that range.

use std::cmp::{Ordering, Reverse};

use super::{
    broken::{Broken, CheckpointOrigin, Reason},
    checkpoint::{Checkpoint, CheckpointError},
    key::{VerifierKey, origin},
    leaf::Leaf,
    tree::{Hash, Tree, leaf_hash},
};

/// The kind of entry by which a director confirms the clock: its time may be earlier than the one before.
const CLOCK_CONFIRMED: &str = "clock-confirmed";

/// The check of one log, from its first entry to its last.
///
/// Give it every entry in order, then [`finish`](Self::finish). Two functions take
/// checkpoints: [`with_checkpoint`](Self::with_checkpoint) takes the few that are at hand
/// before the first entry, an export's or a checkpoint copy, and
/// [`checkpoint`](Self::checkpoint) takes the many of a database, each as soon as
/// [`size`](Self::size) is its size. Stop at the first [`Broken`]: entries after a
/// fault are not verified. Memory: one entry, at most 64 hashes, and the checkpoints
/// given beforehand.
///
/// ```
/// # use adjudge::domain::ledger::{Broken, CheckpointOrigin, LogVerifier, Tree, VerifierKey};
/// /// Verifies an export and compares it with a checkpoint from a tablet.
/// fn check(lines: &[u8], note: &str, tablet: &str, key: VerifierKey) -> Result<Tree, Broken> {
///     let mut verifier = LogVerifier::new("demo", key, |_| true)
///         .with_checkpoint(CheckpointOrigin::Stored, note)?
///         .with_checkpoint(CheckpointOrigin::Outside, tablet)?;
///     for line in lines.split_inclusive(|byte| *byte == b'\n') {
///         verifier.line(line)?;
///     }
///     verifier.finish()
/// }
/// ```
#[derive(Debug)]
#[must_use = "a log is whole only when its check is finished"]
pub struct LogVerifier {
    log: String,
    key: VerifierKey,
    is_kind: fn(&str) -> bool,
    tree: Tree,
    last_at: String,
    /// How many entries the newest stored checkpoint covers.
    signed: u64,
    /// How many entries the newest checkpoint copy that was reached covers.
    confirmed: u64,
    /// The checkpoints whose size is not reached yet, the largest first.
    ahead: Vec<(CheckpointOrigin, Checkpoint)>,
}

impl LogVerifier {
    /// Begins the check of `log` with the key that must have signed its checkpoints;
    /// `is_kind` says whether a kind of entry is known.
    pub fn new(log: &str, key: VerifierKey, is_kind: fn(&str) -> bool) -> Self {
        Self {
            log: log.to_owned(),
            key,
            is_kind,
            tree: Tree::default(),
            last_at: String::new(),
            signed: 0,
            confirmed: 0,
            ahead: Vec::new(),
        }
    }

    /// Adds a checkpoint, which is compared with the log when the log reaches its size.
    ///
    /// To be called before the first entry. A checkpoint copy may be older or newer than
    /// the log's end; the last stored checkpoint has to cover the last entry.
    ///
    /// # Errors
    ///
    /// [`Reason::Checkpoint`] when the note is not a checkpoint of this log by its
    /// key, [`Reason::Order`] when that many entries are already past.
    pub fn with_checkpoint(mut self, kept: CheckpointOrigin, note: &str) -> Result<Self, Broken> {
        let checkpoint = self.open(note, kept)?;
        if checkpoint.size < self.size() {
            return Err(self.out_of_order(checkpoint.size));
        }
        self.ahead.push((kept, checkpoint));
        self.ahead.sort_by_key(|(_, ahead)| Reverse(ahead.size));
        self.compare_ahead()?;
        Ok(self)
    }

    /// The tree over the entries so far.
    #[must_use]
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The number of entries so far.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.tree.size()
    }

    /// Takes the next entry, with the leaf hash that was stored beside it if there is one, and returns the leaf.
    ///
    /// # Errors
    ///
    /// The entry's own faults, or that of a checkpoint of the size now reached.
    pub fn entry(&mut self, text: &str, recorded: Option<Hash>) -> Result<Leaf, Broken> {
        let hash = leaf_hash(text.as_bytes());
        let leaf = self.read(text, hash, recorded).map_err(|reason| self.at_entry(reason))?;
        self.last_at.clone_from(&leaf.at);
        self.tree.push(hash);
        self.compare_ahead()?;
        Ok(leaf)
    }

    /// Takes the next line of an export, its line feed included.
    ///
    /// A reader bounds its memory by reading at most [`Leaf::MAX_BYTES`]` + 1` bytes up to
    /// the next line feed and passing these: a line cut there has no line feed, so this
    /// function refuses it.
    ///
    /// # Errors
    ///
    /// As [`entry`](Self::entry), and for a line that is not ended or not UTF-8.
    pub fn line(&mut self, line: &[u8]) -> Result<(), Broken> {
        let text = line.strip_suffix(b"\n").ok_or_else(|| self.at_entry(Reason::Unended))?;
        let text = str::from_utf8(text).map_err(|_| self.at_entry(Reason::NotUtf8))?;
        self.entry(text, None).map(drop)
    }

    /// Takes a stored checkpoint when as many entries as it covers have been taken.
    ///
    /// Checkpoints left over after the last entry are given too: they show that
    /// entries are missing. Cost: one signature check, some ten times that of an entry.
    ///
    /// # Errors
    ///
    /// When it is not a checkpoint of this log by its key, or the entries do not give its root.
    pub fn checkpoint(&mut self, note: &str) -> Result<(), Broken> {
        let kept = CheckpointOrigin::Stored;
        let checkpoint = self.open(note, kept)?;
        let entries = self.size();
        match checkpoint.size.cmp(&entries) {
            Ordering::Less => Err(self.out_of_order(checkpoint.size)),
            Ordering::Greater => Err(Broken::missing(entries, checkpoint.size)),
            Ordering::Equal => self.compare(kept, &checkpoint),
        }
    }

    /// Ends the check and returns the tree over all entries, with size and root.
    ///
    /// # Errors
    ///
    /// [`Reason::Missing`] when a checkpoint covers more entries than there are,
    /// [`Reason::Unsigned`] when the last stored one covers fewer.
    pub fn finish(self) -> Result<Tree, Broken> {
        let entries = self.size();
        if let Some((_, newest)) = self.ahead.first() {
            return Err(Broken::missing(entries, newest.size));
        }
        let covered = self.signed;
        if covered < entries {
            return Err(Broken::at(covered, Reason::Unsigned { entries, covered }));
        }
        Ok(self.tree)
    }

    /// Reads an entry and checks it against the recorded hash, its position and the entry before it.
    fn read(&self, text: &str, hash: Hash, recorded: Option<Hash>) -> Result<Leaf, Reason> {
        if recorded.is_some_and(|recorded| recorded != hash) {
            return Err(Reason::RecordedHash);
        }
        let leaf = Leaf::parse(text)?;
        if leaf.log != self.log {
            return Err(Reason::OtherLog(leaf.log));
        }
        if leaf.seq != self.size() {
            return Err(Reason::Place(leaf.seq));
        }
        self.check_time(&leaf)?;
        if (self.is_kind)(&leaf.kind) { Ok(leaf) } else { Err(Reason::Kind(leaf.kind)) }
    }

    /// Checks that the time does not run back, except where a director confirms the clock. The form of a time has a
    /// fixed width, so texts sort as their times do.
    fn check_time(&self, leaf: &Leaf) -> Result<(), Reason> {
        if leaf.at >= self.last_at || leaf.kind == CLOCK_CONFIRMED {
            return Ok(());
        }
        let last = self.size();
        Err(Reason::TimeRunsBack {
            first: self.covered_size().max(last.saturating_sub(1)),
            last,
            before: self.last_at.clone(),
            at: leaf.at.clone(),
        })
    }

    /// How many entries the newest checkpoint that fitted covers.
    #[must_use]
    pub fn covered_size(&self) -> u64 {
        self.signed.max(self.confirmed)
    }

    /// How many entries the newest checkpoint copy that fitted covers.
    #[must_use]
    pub fn confirmed(&self) -> u64 {
        self.confirmed
    }

    fn open(&self, note: &str, kept: CheckpointOrigin) -> Result<Checkpoint, Broken> {
        let opened = Checkpoint::open(note, &self.key).and_then(|checkpoint| {
            let expected = origin(&self.log);
            if checkpoint.origin == expected {
                Ok(checkpoint)
            } else {
                Err(CheckpointError::OtherLog { found: checkpoint.origin, expected })
            }
        });
        let entries = self.size();
        opened.map_err(|error| Broken::in_checkpoint(Reason::Checkpoint { kept, entries, error }))
    }

    /// Compares the checkpoints of the present size and removes them from the list.
    fn compare_ahead(&mut self) -> Result<(), Broken> {
        let size = self.size();
        while let Some((kept, checkpoint)) = self.ahead.pop_if(|(_, next)| next.size == size) {
            self.compare(kept, &checkpoint)?;
        }
        Ok(())
    }

    /// Compares a checkpoint of the present size and records how many entries it covers.
    fn compare(&mut self, kept: CheckpointOrigin, checkpoint: &Checkpoint) -> Result<(), Broken> {
        let size = checkpoint.size;
        // Stored checkpoints that fitted prove nothing for a checkpoint copy: an attacker who rewrote
        // the log and has the key has signed new ones.
        let (first, covered) = match kept {
            CheckpointOrigin::Stored => (self.covered_size(), &mut self.signed),
            CheckpointOrigin::Outside => (self.confirmed, &mut self.confirmed),
        };
        if checkpoint.root == self.tree.root() {
            *covered = size;
            return Ok(());
        }
        Err(match size.checked_sub(1).filter(|last| *last >= first) {
            Some(last) => Broken::at(first, Reason::Root { kept, first, last }),
            None => Broken::in_checkpoint(Reason::Fork { kept, size }),
        })
    }

    /// The fault of the entry that was being read.
    fn at_entry(&self, reason: Reason) -> Broken {
        let entry = match reason {
            Reason::TimeRunsBack { first, .. } => first,
            _ => self.size(),
        };
        Broken::at(entry, reason)
    }

    fn out_of_order(&self, size: u64) -> Broken {
        let entries = self.size();
        Broken::in_checkpoint(Reason::Order { entries, size })
    }
}
