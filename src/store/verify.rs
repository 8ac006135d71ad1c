//! Checking the ledger in the database: every entry, hash and signature, and what is derived from it.

use std::path::PathBuf;

use crate::domain::Entry;
use crate::domain::event::is_kind;
use crate::domain::ledger::{Audit, Broken, Kept, Leaf, Tree};

use super::db::{Arg, Db, DbError, Row};
use super::ledger::{Ledger, LedgerError, signed};
use super::outside::KeptCopy;
use super::statements as sql;

/// How many rows are held in memory at a time.
const PAGE: i64 = 1000;

/// A log is not what its signatures say, or cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error("log {log} is broken: {broken}")]
    Broken { log: String, broken: Broken },
    #[error("log {log} is broken: entry {seq} is stored beside a {column} that is not its own")]
    Projection { log: String, seq: u64, column: &'static str },
    #[error("log {log} is lost: the checkpoint {} was kept of it, and the database has no such log", path.display())]
    LostLog { log: String, path: PathBuf },
    #[error("log {0} is broken: it was opened, and nothing is left of it")]
    Emptied(String),
    #[error("there is no log {0:?}; the logs are {1}")]
    NoSuchLog(String, String),
}

impl From<DbError> for VerifyError {
    fn from(error: DbError) -> Self {
        Self::Ledger(error.into())
    }
}

/// Checks every log, and that the checkpoints kept elsewhere fit them.
///
/// # Errors
/// Names the first thing that is broken.
pub async fn verify_all(ledger: &Ledger, kept: &[KeptCopy]) -> Result<(), VerifyError> {
    let logs = ledger.logs().await?;
    if let Some(lost) = kept.iter().find(|copy| !logs.contains(&copy.log)) {
        return Err(VerifyError::LostLog { log: lost.log.clone(), path: lost.path.clone() });
    }
    for log in logs {
        verify(ledger, &log, kept).await?;
    }
    Ok(())
}

/// Checks one log, and that those of the checkpoints kept elsewhere that are about it fit it. Returns its
/// tree, which has size and root.
///
/// # Errors
/// Names the first thing that is broken.
pub async fn verify(ledger: &Ledger, log: &str, kept: &[KeptCopy]) -> Result<Tree, VerifyError> {
    let known = ledger.logs().await?;
    if !known.iter().any(|one| one == log) {
        return Err(VerifyError::NoSuchLog(log.to_owned(), known.join(", ")));
    }
    let tree = audit(ledger, log, kept).await?;
    // A log begins with an entry, so one without any has been emptied.
    if tree.size() == 0 { Err(VerifyError::Emptied(log.to_owned())) } else { Ok(tree) }
}

async fn audit(ledger: &Ledger, log: &str, kept: &[KeptCopy]) -> Result<Tree, VerifyError> {
    let broken = |broken| VerifyError::Broken { log: log.to_owned(), broken };
    let mut audit = Audit::new(log, ledger.signer().verifier(log), is_kind);
    for copy in kept.iter().filter(|copy| copy.log == log) {
        audit = audit.with_checkpoint(Kept::Outside, &copy.note).map_err(broken)?;
    }
    let mut notes = Notes::of(log);
    let mut next = 0;
    loop {
        let rows = ledger.db.fetch(sql::ENTRIES, &[Arg::Text(log), Arg::Int(signed(next)), Arg::Int(PAGE)]).await?;
        if rows.is_empty() {
            break;
        }
        for row in &rows {
            let text = row.text("leaf")?;
            audit.entry(&text, row.text("hash")?.parse().ok()).map_err(broken)?;
            check_projection(log, next, row, &text)?;
            next += 1;
            while let Some(note) = notes.at(&ledger.db, next).await? {
                audit.checkpoint(&note).map_err(broken)?;
            }
        }
    }
    // A checkpoint that covers more than there is means that entries are missing.
    if let Some(note) = notes.at(&ledger.db, u64::MAX).await? {
        audit.checkpoint(&note).map_err(broken)?;
    }
    audit.finish().map_err(broken)
}

/// The columns beside a leaf must say what the leaf says.
fn check_projection(log: &str, seq: u64, row: &Row, text: &str) -> Result<(), VerifyError> {
    let other = |column| VerifyError::Projection { log: log.to_owned(), seq, column };
    let entry = Leaf::parse(text).ok().and_then(|leaf| Entry::from_leaf(leaf).ok()).ok_or_else(|| other("leaf"))?;
    if row.text("kind")? != entry.event.kind() {
        return Err(other("kind"));
    }
    if row.text_or_null("slip")?.as_deref() != entry.event.slip().map(|slip| slip.id.as_str()) {
        return Err(other("slip"));
    }
    Ok(())
}

/// The stored checkpoints of a log, read page by page in the order of their size.
struct Notes<'log> {
    log: &'log str,
    after: i64,
    waiting: std::collections::VecDeque<(u64, String)>,
    is_exhausted: bool,
}

impl<'log> Notes<'log> {
    fn of(log: &'log str) -> Self {
        Self { log, after: 0, waiting: std::collections::VecDeque::new(), is_exhausted: false }
    }

    /// The next checkpoint, if it covers no more than `size` entries (`u64::MAX`: whatever it covers).
    async fn at(&mut self, db: &Db, size: u64) -> Result<Option<String>, DbError> {
        if self.waiting.is_empty() && !self.is_exhausted {
            let rows = db.fetch(sql::CHECKPOINTS, &[Arg::Text(self.log), Arg::Int(self.after), Arg::Int(PAGE)]).await?;
            for row in &rows {
                self.after = row.int("size")?;
                self.waiting.push_back((row.count("size")?, row.text("note")?));
            }
            self.is_exhausted = rows.is_empty();
        }
        match self.waiting.front() {
            Some((covers, _)) if *covers <= size => Ok(self.waiting.pop_front().map(|(_, note)| note)),
            _ => Ok(None),
        }
    }
}
