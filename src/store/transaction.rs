//! A write transaction on a ledger. Appended entries and the rows changed beside them are committed together or not at
//! all. Every write of the program goes through here, so that the same checks follow each commit: the files must still
//! be the ones that were opened, and an entry whose commit was not confirmed is looked up.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::domain::{Entry, Timestamp};

use super::batch::{self, BatchContext};
use super::db::{Arg, DbError, Kind, Query, Row, Tx};
use super::ledger::{Appended, Draft, Ledger, LedgerError, entry, is_overtaken, is_stale, setup_since};
use super::statements::Statement;

/// How often an entry whose commit was not confirmed is looked up.
const COMMIT_LOOKS: usize = 12;
const COMMIT_LOOK_INTERVAL: Duration = Duration::from_millis(250);

/// Dropped without a commit, it leaves nothing behind.
#[derive(Debug)]
pub struct Transaction<'l> {
    ledger: &'l Ledger,
    tx: Tx,
    /// The first new entry: all entries are committed or none is, so this one stands for all.
    first_entry: Option<Entry>,
    /// The newest checkpoint of each log that entries were appended to.
    checkpoints: BTreeMap<String, String>,
    changes_rows: bool,
}

impl Ledger {
    /// Takes the write lock and begins a transaction.
    ///
    /// # Errors
    /// If the lock is not available within five seconds, or the database file was replaced.
    pub async fn begin(&self) -> Result<Transaction<'_>, LedgerError> {
        let mut transaction = self.begin_later().await?;
        transaction.fetch_many(&[]).await?;
        Ok(transaction)
    }

    /// Records all drafts and gives their entries, or records none: if a slip changed after its draft was decided, or a
    /// key was used before.
    ///
    /// # Errors
    /// As [`Transaction::commit`].
    pub async fn record_together(&self, now: Timestamp, drafts: Vec<Draft>) -> Result<Option<Vec<Entry>>, LedgerError> {
        let mut transaction = self.begin().await?;
        let recorded = transaction.append(now, drafts).await?;
        let entries: Option<Vec<Entry>> = recorded.iter().map(|one| one.new_entry().cloned()).collect();
        if entries.is_some() {
            transaction.commit().await?;
        } else {
            transaction.rollback().await?;
        }
        Ok(entries)
    }

    /// Begins a transaction that takes the write lock with its first statement.
    ///
    /// # Errors
    /// If no connection is available, or the database file was replaced.
    pub(super) async fn begin_later(&self) -> Result<Transaction<'_>, LedgerError> {
        let tx = self.db.write().await?;
        let checkpoints = BTreeMap::new();
        Ok(Transaction { ledger: self, tx, first_entry: None, checkpoints, changes_rows: false })
    }
}

impl Transaction<'_> {
    /// Reads within the transaction.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn fetch(&mut self, statement: Statement, args: &[Arg<'_>]) -> Result<Vec<Row>, DbError> {
        self.tx.fetch(statement, args).await
    }

    /// Reads within the transaction, and gives the rows of each statement.
    ///
    /// # Errors
    /// If the database fails.
    pub(super) async fn fetch_many(&mut self, asks: &[Query<'_>]) -> Result<Vec<Vec<Row>>, DbError> {
        self.tx.fetch_many(asks).await
    }

    /// Changes rows beside the entries, and gives how many.
    ///
    /// # Errors
    /// If the database fails or a constraint forbids it.
    pub async fn execute(&mut self, statement: Statement, args: &[Arg<'_>]) -> Result<u64, DbError> {
        self.changes_rows = true;
        self.tx.execute(statement, args).await
    }

    /// Appends drafts in order, and signs a checkpoint for every log that grew. The machine's clock gives the time of
    /// each, but times never decrease, over all logs, unless a director confirms the clock.
    ///
    /// # Errors
    /// If the database fails. The transaction must then be dropped.
    pub async fn append(&mut self, now: Timestamp, drafts: Vec<Draft>) -> Result<Vec<Appended>, LedgerError> {
        let health = self.ledger.db.health();
        self.add(now, drafts).await.inspect_err(|error| {
            if error.kind() == Kind::Broken {
                health.fail(error);
            }
        })
    }

    async fn add(&mut self, now: Timestamp, drafts: Vec<Draft>) -> Result<Vec<Appended>, LedgerError> {
        let (tx, signer) = (&mut self.tx, self.ledger.signer());
        let known = BatchContext::look_up(tx, &drafts, self.ledger.continuations(), self.ledger.recent(), now).await?;
        let BatchContext { mut answered, mut near, mut heads, mut time, last_setup, sound } = known;
        let setup = setup_since(tx, &drafts, last_setup, &sound).await?;
        let (mut recorded, mut sealed) = (Vec::with_capacity(drafts.len()), Vec::with_capacity(drafts.len()));
        for draft in drafts {
            if let Some(before) = answered.by(&draft, &recorded) {
                recorded.push(before);
                continue;
            }
            let at = time.next(now, None);
            let is_overtaken = is_overtaken(&draft, at, &setup, &recorded);
            let is_stale = is_overtaken || is_stale(tx, &draft, &recorded, &sound).await?;
            let weighed = if is_stale { None } else { near.apply_probing_rule(draft, at) };
            let Some(draft) = weighed else {
                recorded.push(Appended::Conflict);
                continue;
            };
            let (entry, leaf) = heads.head(&draft.log, signer)?.add(tx, &mut time, now, draft).await?;
            answered.note(recorded.len(), &entry);
            near.add(&entry)?;
            recorded.push(Appended::New(entry));
            sealed.push(leaf);
        }
        let new = recorded.iter().filter_map(Appended::new_entry);
        batch::write(tx, &new.zip(&sealed).collect::<Vec<_>>()).await?;
        self.checkpoints.extend(heads.sign_checkpoints(tx, signer).await?);
        let first = || recorded.iter().find_map(Appended::new_entry).cloned();
        self.first_entry = self.first_entry.take().or_else(first);
        Ok(recorded)
    }

    /// Commits durably. Only after this may a client get an answer.
    ///
    /// # Errors
    /// If the database fails or its file was replaced. Nothing was written then, unless the error's kind is
    /// [`Lost`](Kind::Lost) and the database does not come back.
    pub async fn commit(self) -> Result<(), LedgerError> {
        let Self { ledger, tx, first_entry, checkpoints, changes_rows } = self;
        match tx.commit().await {
            Ok(()) => {}
            Err(error) if error.kind() == Kind::Lost => match &first_entry {
                Some(first) if is_committed(ledger, first).await => {}
                None if !changes_rows => {}
                _ => return Err(error.into()),
            },
            Err(error) => return Err(error.into()),
        }
        // A commit into a file that was removed is not a commit.
        ledger.db.check_file_identity()?;
        ledger.newest().add(checkpoints);
        Ok(())
    }

    /// Releases the write lock and leaves nothing behind.
    ///
    /// # Errors
    /// If the database fails; nothing was written in any case.
    pub async fn rollback(self) -> Result<(), LedgerError> {
        Ok(self.tx.rollback().await?)
    }
}

/// Whether an entry is stored, after a commit whose outcome is unknown.
async fn is_committed(ledger: &Ledger, wanted: &Entry) -> bool {
    for _ in 0..COMMIT_LOOKS {
        match entry(&ledger.db, &wanted.log, wanted.seq).await {
            Ok(found) => return found.as_ref() == Some(wanted),
            Err(_) => tokio::time::sleep(COMMIT_LOOK_INTERVAL).await,
        }
    }
    false
}
