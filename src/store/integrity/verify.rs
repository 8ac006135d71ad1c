//! Verifying the ledger in the database: every entry, hash and signature, and the rows derived from them.

use std::collections::VecDeque;
use std::path::PathBuf;

use crate::domain::event::{ClosedLog, is_kind};
use crate::domain::ledger::{
    Broken, Checkpoint, CheckpointOrigin, Hash, LogVerifier, Reason, Tree, VerifierKey, base_log, leaf_hash,
};
use crate::domain::{Entry, Event, SERVER_LOG, Timestamp};

use crate::store::accounts::tokens;
use crate::store::db::{Arg, DbError, Row};
use crate::store::head::frontier_text;
use crate::store::integrity::checkpoint_copies::CheckpointCopy;
use crate::store::ledger::{Ledger, LedgerError, to_i64};
use crate::store::statements as sql;

/// How many rows are held in memory at a time.
const PAGE: u64 = 1000;

/// A log does not match its signatures, or cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error("log {log} is broken: {broken}")]
    Broken { log: String, broken: Broken },
    #[error("log {log} is broken: entry {seq}: column {column} does not match the signed entry")]
    Projection { log: String, seq: u64, column: &'static str },
    #[error("log server is broken: the token {0} does not match its entries")]
    Token(String),
    #[error("log {log} is lost: {} is a checkpoint of it, and the database has no such log", path.display())]
    LostLog { log: String, path: PathBuf },
    #[error("the database is damaged: {0}")]
    Database(String),
    #[error("log {0} is broken: it was opened, and no entry of it is left")]
    Emptied(String),
    #[error("closed log {0} has changed since it was closed")]
    ChangedSince(String),
    #[error("log {log} was closed with lost or faulty entries, and the checkpoint {} was not known then", path.display())]
    NotKnown { log: String, path: PathBuf },
}

impl VerifyError {
    /// Whether the error says that the ledger is damaged, and not that the check could not be carried out.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Ledger(error) => error.is_damage(),
            _ => true,
        }
    }
}

impl VerifyError {
    /// Whether the error says that the pages of the database file are damaged, and not their content.
    #[must_use]
    pub fn is_of_file(&self) -> bool {
        match self {
            Self::Ledger(LedgerError::Db(error)) => error.is_damage(),
            Self::Database(found) => !found.contains(" index "),
            _ => false,
        }
    }
}

impl From<DbError> for VerifyError {
    fn from(error: DbError) -> Self {
        Self::Ledger(error.into())
    }
}

/// What the check of a log found.
#[derive(Debug)]
pub struct Checked {
    /// Its tree, with size and root.
    pub tree: Tree,
    /// For a closed log: what was recorded when it was closed, which it still matches.
    pub closed: Option<ClosedLog>,
}

/// Checks every log, and that the given checkpoint copies match. A closed log has to be as it was when it was closed;
/// that accounts for its checkpoints up to the newest one known then.
///
/// # Errors
/// The first fault found.
pub async fn verify_all(ledger: &Ledger, kept: &[CheckpointCopy]) -> Result<(), VerifyError> {
    // Both read everything, each on a connection of its own.
    let (database, logs) = tokio::join!(verify_database(ledger), verify_logs(ledger, kept));
    database.and(logs)
}

async fn verify_logs(ledger: &Ledger, kept: &[CheckpointCopy]) -> Result<(), VerifyError> {
    let logs = ledger.logs().await?;
    if let Some(lost) = kept.iter().find(|copy| !logs.contains(&copy.log)) {
        return Err(VerifyError::LostLog { log: lost.log.clone(), path: lost.path.clone() });
    }
    for log in logs {
        verify_log_and_copies(ledger, &log, kept, &[]).await?;
    }
    Ok(())
}

/// Checks what the database can check of itself: that its indexes agree with its rows. With a damaged key index a
/// repeated request would be judged anew.
///
/// # Errors
/// [`VerifyError::Database`] with its first finding.
pub async fn verify_database(ledger: &Ledger) -> Result<(), VerifyError> {
    ledger.db.check().await?.map_or(Ok(()), |found| Err(VerifyError::Database(found)))
}

/// Checks one log as [`verify_all`] does, and against checkpoints that the caller supplies: what was known when a log
/// was closed does not account for these.
///
/// # Errors
/// The first fault found.
pub async fn verify_log_and_copies(
    ledger: &Ledger,
    log: &str,
    kept: &[CheckpointCopy],
    given: &[CheckpointCopy],
) -> Result<Checked, VerifyError> {
    let closed = ledger.closed(log).await?;
    let is_settled = |copy: &CheckpointCopy| closed.as_ref().is_some_and(|closed| settles(closed, copy));
    let kept = kept.iter().filter(|copy| !is_settled(copy)).chain(given).filter(|copy| copy.log == log);
    let kept: Vec<CheckpointCopy> = kept.cloned().collect();
    check(ledger, log, closed, &kept).await
}

/// Whether the closing of a log accounts for a copy: that very copy was compared then, or it is signed, within the size
/// known then, and the remaining entries can no longer confirm it.
fn settles(closed: &ClosedLog, copy: &CheckpointCopy) -> bool {
    let known = closed.checkpoint.as_ref().map_or(0, |known| known.size).max(closed.size);
    let key = closed.verifier.parse::<VerifierKey>().ok();
    let signed = key.and_then(|key| Checkpoint::open(&copy.note, &key).ok());
    let is_beyond = |copy: Checkpoint| copy.size <= known && (closed.fault.is_some() || copy.size > closed.size);
    closed.weighed.contains(&copy.sha256()) || signed.is_some_and(is_beyond)
}

/// Checks one log against the checkpoints. A log that was closed with a fault is only compared with what was recorded
/// then.
async fn check(
    ledger: &Ledger,
    log: &str,
    closed: Option<ClosedLog>,
    kept: &[CheckpointCopy],
) -> Result<Checked, VerifyError> {
    let Some(closed) = closed else {
        let tree = verify_open(ledger, log, kept).await?;
        return Ok(Checked { tree, closed: None });
    };
    let about = kept.iter().find(|copy| copy.log == log);
    let tree = match (closed.verifier.parse::<VerifierKey>(), about) {
        (Ok(key), _) if closed.fault.is_none() && closed.size > 0 => verify_entries(ledger, log, key, kept).await?,
        // Entries that are changed or missing cannot confirm a checkpoint.
        (_, Some(copy)) => return Err(VerifyError::NotKnown { log: log.to_owned(), path: copy.path.clone() }),
        (_, None) => tree_of_stored_leaves(ledger, log).await?,
    };
    if (tree.size(), tree.root().base64()) == (closed.size, closed.root.clone()) {
        Ok(Checked { tree, closed: Some(closed) })
    } else {
        Err(VerifyError::ChangedSince(log.to_owned()))
    }
}

async fn verify_open(ledger: &Ledger, log: &str, kept: &[CheckpointCopy]) -> Result<Tree, VerifyError> {
    let tree = verify_entries(ledger, log, ledger.signer().verifier(log), kept).await?;
    // A log begins with an entry, so a log without any has been emptied.
    if tree.size() == 0 {
        return Err(VerifyError::Emptied(log.to_owned()));
    }
    for closed in ledger.restored(log).await?.map(|restored| restored.closed).unwrap_or_default() {
        if ledger.open_log(&closed.log).await? != log {
            return Err(LedgerError::NotContinued(closed.log).into());
        }
    }
    if base_log(log) == SERVER_LOG
        && let Some((_, name)) = tokens::odd(ledger).await?.into_iter().next()
    {
        return Err(VerifyError::Token(name));
    }
    Ok(tree)
}

/// Checks the entries of a log, its stored checkpoints and the rows derived from both.
async fn verify_entries(
    ledger: &Ledger,
    log: &str,
    key: VerifierKey,
    kept: &[CheckpointCopy],
) -> Result<Tree, VerifyError> {
    verify_entries_until_fault(ledger, log, key, kept).await.0
}

/// Like [`verify_entries`], and gives how many entries before the first fault a checkpoint covers.
pub(in crate::store) async fn verify_entries_until_fault(
    ledger: &Ledger,
    log: &str,
    key: VerifierKey,
    kept: &[CheckpointCopy],
) -> (Result<Tree, VerifyError>, Covered) {
    let mut reading = match LogVerification::of(ledger, log, key, kept) {
        Ok(reading) => reading,
        Err(fault) => return (Err(fault), Covered { settled: 0, vouched: 0 }),
    };
    let read = reading.read().await;
    let (settled, confirmed) = (reading.audit.covered_size(), reading.audit.confirmed());
    let finished = read
        .and_then(|()| reading.audit.finish().map_err(|broken| VerifyError::Broken { log: log.to_owned(), broken }));
    let vouched = finished.as_ref().err().map_or(settled, |fault| vouched_before(fault, settled, confirmed));
    (finished, Covered { settled, vouched })
}

/// How many entries before the first fault of a log a checkpoint covers.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) struct Covered {
    /// Any checkpoint.
    pub settled: u64,
    /// One that no copy outside the database contradicts.
    pub vouched: u64,
}

/// How many entries before a fault are vouched for: `settled` of them matched a stored checkpoint, `confirmed` an
/// outside copy.
fn vouched_before(fault: &VerifyError, settled: u64, confirmed: u64) -> u64 {
    match fault {
        VerifyError::Broken { broken, .. } => match (&broken.reason, broken.entry) {
            // The key signed another history: its own checkpoints prove nothing.
            (Reason::Root { kept: CheckpointOrigin::Outside, .. }, _) => confirmed,
            (Reason::Fork { kept: CheckpointOrigin::Outside, .. }, _) => 0,
            (_, Some(entry)) => settled.min(entry),
            (_, None) => settled,
        },
        VerifyError::Projection { seq, .. } => settled.min(*seq),
        _ => settled,
    }
}

/// The tree over the stored leaves of a log, without checking their content.
///
/// # Errors
/// If the database fails.
pub async fn tree_of_stored_leaves(ledger: &Ledger, log: &str) -> Result<Tree, DbError> {
    Ok(tree_of_stored_leaves_at(ledger, log, &[]).await?.0)
}

/// Like [`tree_of_stored_leaves`], and tells which of the given checkpoints match: those of sizes that the tree has.
///
/// # Errors
/// If the database fails.
pub(in crate::store) async fn tree_of_stored_leaves_at(
    ledger: &Ledger,
    log: &str,
    checkpoints: &[Checkpoint],
) -> Result<(Tree, Vec<(u64, bool)>), DbError> {
    let (mut tree, mut next, mut compared) = (Tree::default(), i64::MIN, Vec::new());
    let mut compare = |tree: &Tree| {
        let here = checkpoints.iter().filter(|checkpoint| checkpoint.size == tree.size());
        compared.extend(here.map(|checkpoint| (checkpoint.size, checkpoint.root == tree.root())));
    };
    compare(&tree);
    loop {
        let leaves = ledger.raw_leaves(log, next, PAGE).await?;
        let Some((last, _)) = leaves.last() else { return Ok((tree, compared)) };
        next = last + 1;
        for (_, leaf) in &leaves {
            tree.push(leaf_hash(leaf.as_bytes()));
            compare(&tree);
        }
    }
}

/// The verification of one log, page by page, up to its size when the verification began: entries that are written
/// meanwhile belong to the next one.
struct LogVerification<'a> {
    ledger: &'a Ledger,
    log: &'a str,
    audit: LogVerifier,
    last_at: Timestamp,
    /// The era of the last checkpoint's time, and how many confirmations of the clock there were since.
    era: Option<i64>,
    confirmed: i64,
    /// How many of the entries so far have a position in the set-up, and the last position.
    places: i64,
    last_place: i64,
    notes: VecDeque<Row>,
    notes_after: i64,
}

impl<'a> LogVerification<'a> {
    fn of(ledger: &'a Ledger, log: &'a str, key: VerifierKey, kept: &[CheckpointCopy]) -> Result<Self, VerifyError> {
        let mut audit = LogVerifier::new(log, key, is_kind);
        for copy in kept.iter().filter(|copy| copy.log == log) {
            let checked = audit.with_checkpoint(CheckpointOrigin::Outside, &copy.note);
            audit = checked.map_err(|broken| VerifyError::Broken { log: log.to_owned(), broken })?;
        }
        let last_at = Timestamp::from_micros(0);
        Ok(Self {
            ledger,
            log,
            audit,
            last_at,
            era: None,
            confirmed: 0,
            places: 0,
            last_place: 0,
            notes: VecDeque::new(),
            notes_after: i64::MIN,
        })
    }

    async fn read(&mut self) -> Result<(), VerifyError> {
        let signed_size = self.ledger.signed_size(self.log).await?;
        self.entries_up_to(signed_size.unwrap_or(u64::MAX)).await?;
        // Entries beyond the last checkpoint are new, unless their checkpoints are missing.
        let has_more = !self.page(to_i64(self.audit.size()), 1).await?.is_empty();
        if has_more && self.ledger.signed_size(self.log).await? == signed_size {
            self.entries_up_to(u64::MAX).await?;
        }
        // A checkpoint that covers more entries than there are means that entries are missing.
        self.compare_checkpoints(signed_size.unwrap_or(u64::MAX)).await?;
        self.compare_places(signed_size).await
    }

    fn page(&self, from: i64, limit: u64) -> impl Future<Output = Result<Vec<Row>, DbError>> + use<> {
        let (db, log) = (self.ledger.db.clone(), self.log.to_owned());
        async move {
            let args = [Arg::Text(&log), Arg::Int(from), Arg::Int(to_i64(limit))];
            db.fetch(sql::ENTRIES, &args).await
        }
    }

    async fn entries_up_to(&mut self, end: u64) -> Result<(), VerifyError> {
        let mut from = self.audit.size();
        // No row may have a number below the first entry's.
        let first = if from == 0 { i64::MIN } else { to_i64(from) };
        let mut limit = PAGE.min(end.saturating_sub(from));
        let mut rows = self.page(first, limit).await?;
        while !rows.is_empty() {
            let is_full = rows.len() as u64 == limit;
            from += rows.len() as u64;
            limit = PAGE.min(end.saturating_sub(from));
            // The next page is read while this one is checked. After a page that was not full there is none.
            let next = (is_full && limit > 0).then(|| tokio::spawn(self.page(to_i64(from), limit)));
            for row in &rows {
                self.entry(row)?;
                self.compare_checkpoints(self.audit.size()).await?;
            }
            rows = match next {
                Some(next) => next.await.unwrap_or_else(|_| Err(cut_short()))?,
                None => Vec::new(),
            };
        }
        Ok(())
    }

    /// The entry, its hash, and what is derived from it.
    fn entry(&mut self, row: &Row) -> Result<(), VerifyError> {
        let text = row.text("leaf").map_err(|_| self.other("leaf"))?;
        let hash: Hash = row.text("hash").ok().and_then(|hash| hash.parse().ok()).ok_or_else(|| self.other("hash"))?;
        // The number of the entry that is being checked.
        let seq = self.audit.size();
        let leaf = self.audit.entry(&text, Some(hash)).map_err(|broken| self.broken(broken))?;
        let entry = Entry::from_leaf(leaf).map_err(|_| self.beside(seq, "leaf"))?;
        self.last_at = entry.at;
        self.confirmed += i64::from(matches!(entry.event, Event::ClockConfirmed(_)));
        if let Some(column) = wrong_column(row, &entry) {
            return Err(self.beside(seq, column));
        }
        let Some(place) = row.int_or_null("position")? else { return Ok(()) };
        // An entry with an earlier position, or out of order, would not have been applied as it was.
        if place <= self.last_place {
            return Err(self.beside(seq, "place in the set-up"));
        }
        (self.places, self.last_place) = (self.places + 1, place);
        Ok(())
    }

    /// A set-up position beyond the entries read belongs to no entry, unless the log grew meanwhile.
    async fn compare_places(&self, signed_size: Option<u64>) -> Result<(), VerifyError> {
        let counted = self.ledger.db.fetch(sql::PLACES, &[Arg::Text(self.log)]).await?;
        let is_growing = self.ledger.signed_size(self.log).await? != signed_size;
        match counted.first() {
            Some(row) if !is_growing && row.int("places")? != self.places => Err(self.other("place in the set-up")),
            _ => Ok(()),
        }
    }

    /// Compares the stored checkpoints of up to `size` entries with the entries read.
    async fn compare_checkpoints(&mut self, size: u64) -> Result<(), VerifyError> {
        while let Some(row) = self.next_note(size).await? {
            self.audit.checkpoint(&row.text("note")?).map_err(|broken| self.broken(broken))?;
            if row.count("size")? != self.audit.size() {
                return Err(self.other("size of its checkpoint"));
            }
            if row.text("frontier")? != frontier_text(self.audit.tree()) {
                return Err(self.other("frontier of its checkpoint"));
            }
            if row.int("at_us")? != self.last_at.micros() {
                return Err(self.other("time of its checkpoint"));
            }
            let era = row.int("era")?;
            if self.era.is_some_and(|before| era != before + self.confirmed) {
                return Err(self.other("era of its checkpoint"));
            }
            (self.era, self.confirmed) = (Some(era), 0);
        }
        Ok(())
    }

    /// The next stored checkpoint, if it covers no more than `size` entries.
    async fn next_note(&mut self, size: u64) -> Result<Option<Row>, DbError> {
        if self.notes.is_empty() && to_i64(size) > self.notes_after {
            let args = [Arg::Text(self.log), Arg::Int(self.notes_after), Arg::Int(to_i64(PAGE))];
            self.notes = self.ledger.db.fetch(sql::CHECKPOINTS, &args).await?.into();
        }
        match self.notes.front() {
            Some(row) if row.count("size")? <= size => {
                self.notes_after = row.int("size")?;
                Ok(self.notes.pop_front())
            }
            _ => Ok(None),
        }
    }

    fn broken(&self, broken: Broken) -> VerifyError {
        VerifyError::Broken { log: self.log.to_owned(), broken }
    }

    /// A fault in a column beside the entry that is being read.
    fn other(&self, column: &'static str) -> VerifyError {
        self.beside(self.audit.size(), column)
    }

    fn beside(&self, seq: u64, column: &'static str) -> VerifyError {
        VerifyError::Projection { log: self.log.to_owned(), seq, column }
    }
}

fn cut_short() -> DbError {
    DbError::Slow { doing: "reading a page of entries" }
}

/// The first column beside an entry that disagrees with it.
fn wrong_column(row: &Row, entry: &Entry) -> Option<&'static str> {
    let text = |column| row.text_or_null(column).ok().flatten();
    let number = |column| row.int_or_null(column).ok().flatten();
    let (slip, mark) = (entry.event.slip(), entry.event.request());
    let checks = [
        ("kind", text("kind").as_deref() == Some(entry.event.kind())),
        ("slip", text("slip").as_deref() == entry.event.subject()),
        ("slip number", number("number") == slip.map(|slip| to_i64(slip.number))),
        ("answered key", text("asked_key").as_deref() == mark.map(|mark| mark.key.as_str())),
        ("answered actor", text("asked_by") == mark.map(|_| entry.actor.id.clone())),
        ("place", text("place") == entry.table_key()),
        ("seat", text("seat") == entry.seat()),
        ("review", text("review").as_deref() == entry.event.review()),
        ("place in the set-up", number("position").is_some() == entry.event.is_setup()),
    ];
    checks.into_iter().find(|(_, is_right)| !is_right).map(|(column, _)| column)
}
