//! Checking the ledger in the database: every entry, hash and signature, and what is derived from it.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;

use crate::domain::event::is_kind;
use crate::domain::ledger::{Audit, Broken, Hash, Kept, Leaf, Tree};
use crate::domain::{Entry, Event, SERVER_LOG, Timestamp};

use super::db::{Arg, DbError, Row};
use super::ledger::{Ledger, LedgerError, signed};
use super::outside::KeptCopy;
use super::statements as sql;

/// How many rows are held in memory at a time.
const PAGE: u64 = 1000;

/// A log is not what its signatures say, or cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error("log {log} is broken: {broken}")]
    Broken { log: String, broken: Broken },
    #[error("log {log} is broken: entry {seq} is stored beside a {column} that is not its own")]
    Projection { log: String, seq: u64, column: &'static str },
    #[error("log server is broken: the token {0} is not what its entries say")]
    Token(String),
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
    let tree = Reading::of(ledger, log, kept)?.finished().await?;
    if log == SERVER_LOG {
        check_tokens(ledger).await?;
    }
    // A log begins with an entry, so one without any has been emptied.
    if tree.size() == 0 { Err(VerifyError::Emptied(log.to_owned())) } else { Ok(tree) }
}

/// One log being checked, page by page, up to where it stood when the check began: entries that are
/// written meanwhile are the next check's.
struct Reading<'a> {
    ledger: &'a Ledger,
    log: &'a str,
    audit: Audit,
    last_at: Timestamp,
    answers: i64,
    notes: VecDeque<Row>,
    notes_after: i64,
}

impl<'a> Reading<'a> {
    fn of(ledger: &'a Ledger, log: &'a str, kept: &[KeptCopy]) -> Result<Self, VerifyError> {
        let mut audit = Audit::new(log, ledger.signer().verifier(log), is_kind);
        for copy in kept.iter().filter(|copy| copy.log == log) {
            let checked = audit.with_checkpoint(Kept::Outside, &copy.note);
            audit = checked.map_err(|broken| VerifyError::Broken { log: log.to_owned(), broken })?;
        }
        let last_at = Timestamp::from_micros(0);
        Ok(Self { ledger, log, audit, last_at, answers: 0, notes: VecDeque::new(), notes_after: 0 })
    }

    async fn finished(mut self) -> Result<Tree, VerifyError> {
        let signed_size = self.signed_size().await?;
        self.entries_up_to(signed_size.unwrap_or(u64::MAX)).await?;
        // Entries beyond the last checkpoint are new, unless no checkpoint came with them.
        let has_more = !self.page(1).await?.is_empty();
        if has_more && self.signed_size().await? == signed_size {
            self.entries_up_to(u64::MAX).await?;
        }
        // A checkpoint that covers more than there is means that entries are missing.
        self.compare_checkpoints(signed_size.unwrap_or(u64::MAX)).await?;
        let counted = self.ledger.db.fetch(sql::ANSWERS, &[Arg::Text(self.log)]).await?;
        let is_growing = self.signed_size().await? != signed_size;
        if !is_growing && counted.first().map(|row| row.int("answers")).transpose()? != Some(self.answers) {
            return Err(self.other("answer"));
        }
        let log = self.log;
        self.audit.finish().map_err(|broken| VerifyError::Broken { log: log.to_owned(), broken })
    }

    /// How many entries the newest checkpoint covers.
    async fn signed_size(&self) -> Result<Option<u64>, DbError> {
        let rows = self.ledger.db.fetch(sql::HEAD, &[Arg::Text(self.log)]).await?;
        rows.first().map(|row| row.count("size")).transpose()
    }

    async fn page(&self, limit: u64) -> Result<Vec<Row>, DbError> {
        let args = [Arg::Text(self.log), Arg::Int(signed(self.audit.size())), Arg::Int(signed(limit))];
        self.ledger.db.fetch(sql::ENTRIES, &args).await
    }

    async fn entries_up_to(&mut self, end: u64) -> Result<(), VerifyError> {
        loop {
            let rows = self.page(PAGE.min(end.saturating_sub(self.audit.size()))).await?;
            if rows.is_empty() {
                return Ok(());
            }
            for row in &rows {
                self.entry(row)?;
                self.compare_checkpoints(self.audit.size()).await?;
            }
        }
    }

    /// The entry, its hash, and what is derived from it.
    fn entry(&mut self, row: &Row) -> Result<(), VerifyError> {
        let text = row.text("leaf").map_err(|_| self.other("leaf"))?;
        let hash: Hash = row.text("hash").ok().and_then(|hash| hash.parse().ok()).ok_or_else(|| self.other("hash"))?;
        let read = Leaf::parse(&text).ok().and_then(|leaf| Entry::from_leaf(leaf).ok());
        let wrong = read.as_ref().and_then(|entry| wrong_column(row, entry)).map(|column| self.other(column));
        let unreadable = self.other("leaf");
        self.audit.entry(&text, Some(hash)).map_err(|broken| self.broken(broken))?;
        let entry = read.ok_or(unreadable)?;
        self.last_at = entry.at;
        self.answers += i64::from(entry.event.request().is_some());
        wrong.map_or(Ok(()), Err)
    }

    /// Compares the stored checkpoints of up to `size` entries with what was read.
    async fn compare_checkpoints(&mut self, size: u64) -> Result<(), VerifyError> {
        while let Some(row) = self.next_note(size).await? {
            self.audit.checkpoint(&row.text("note")?).map_err(|broken| self.broken(broken))?;
            let frontier: Vec<String> = self.audit.tree().frontier().iter().map(Hash::to_string).collect();
            if row.text("frontier")? != frontier.join(" ") {
                return Err(self.other("frontier of its checkpoint"));
            }
            if row.int("at_us")? != self.last_at.micros() {
                return Err(self.other("time of its checkpoint"));
            }
        }
        Ok(())
    }

    /// The next stored checkpoint, if it covers no more than `size` entries.
    async fn next_note(&mut self, size: u64) -> Result<Option<Row>, DbError> {
        if self.notes.is_empty() && signed(size) > self.notes_after {
            let args = [Arg::Text(self.log), Arg::Int(self.notes_after), Arg::Int(signed(PAGE))];
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

    /// A fault beside the entry that is being read.
    fn other(&self, column: &'static str) -> VerifyError {
        VerifyError::Projection { log: self.log.to_owned(), seq: self.audit.size(), column }
    }
}

/// The first thing stored beside an entry that is not what the entry says.
fn wrong_column(row: &Row, entry: &Entry) -> Option<&'static str> {
    let text = |column| row.text_or_null(column).ok().flatten();
    let number = |column| row.int_or_null(column).ok().flatten();
    let (slip, mark) = (entry.event.slip(), entry.event.request());
    let checks = [
        ("kind", text("kind").as_deref() == Some(entry.event.kind())),
        ("slip", text("slip").as_deref() == slip.map(|slip| slip.id.as_str())),
        ("slip number", number("number") == slip.map(|slip| signed(slip.number))),
        ("answered key", text("key").as_deref() == mark.map(|mark| mark.key.as_str())),
        ("answered actor", text("actor") == mark.map(|_| entry.actor.id.clone())),
        ("place in the set-up", number("position").is_some() == entry.event.is_setup()),
    ];
    checks.into_iter().find(|(_, is_right)| !is_right).map(|(column, _)| column)
}

/// The tokens must be those that were created, with their roles, and revoked where that was said.
async fn check_tokens(ledger: &Ledger) -> Result<(), VerifyError> {
    let mut said = BTreeMap::new();
    for (_, entry) in ledger.setup_after(0).await? {
        match entry.event {
            Event::TokenCreated(made) => {
                said.insert(made.token, (made.tournament, made.role.to_string(), made.name, 0));
            }
            Event::TokenRevoked(ended) => {
                if let Some((_, _, _, revoked)) = said.get_mut(&ended.token) {
                    *revoked = 1;
                }
            }
            _ => {}
        }
    }
    for row in ledger.db.fetch(sql::ALL_TOKENS, &[]).await? {
        let found = (row.text("tournament")?, row.text("role")?, row.text("name")?, row.int("revoked")?);
        // One that was made or revoked since is the next check's.
        let is_right = said.get(&row.text("id")?).is_some_and(|said| *said == found);
        if !is_right && !has_grown(ledger, said.len()).await? {
            return Err(VerifyError::Token(found.2));
        }
    }
    Ok(())
}

/// Whether tokens were made meanwhile.
async fn has_grown(ledger: &Ledger, tokens: usize) -> Result<bool, VerifyError> {
    let made = ledger.setup_after(0).await?.into_iter();
    Ok(made.filter(|(_, entry)| matches!(entry.event, Event::TokenCreated(_))).count() != tokens)
}
