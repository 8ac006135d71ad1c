//! The ledger on disk: appending entries, and reading them back.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use crate::domain::event::{LogOpened, UnreadableEntry};
use crate::domain::ledger::{Actor, Checkpoint, Hash, Leaf, LeafError, NotCanonical, Signer, Tree, leaf_hash};
use crate::domain::record::OutOfPlace;
use crate::domain::{Entry, Event, SlipRecord, Timestamp};

use super::db::{Arg, Db, DbError, Kind, Row, Tx};
use super::statements as sql;

/// Why something could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    #[error(transparent)]
    Db(#[from] DbError),
    #[error(transparent)]
    Entry(#[from] UnreadableEntry),
    #[error("a stored entry is damaged: {0}; run adjudge ledger verify")]
    Leaf(#[from] LeafError),
    #[error("an entry cannot be written: {0}")]
    NotCanonical(#[from] NotCanonical),
    #[error(transparent)]
    OutOfPlace(#[from] OutOfPlace),
    #[error("the head of log {log} is damaged; run adjudge ledger verify")]
    Head { log: String },
}

impl LedgerError {
    /// What the failure means for the server.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::Db(error) => error.kind(),
            Self::Entry(_) | Self::Leaf(_) | Self::OutOfPlace(_) | Self::Head { .. } => Kind::Broken,
            Self::NotCanonical(_) => Kind::Refused,
        }
    }
}

/// How often, and after how long each time, an entry is looked for whose commit was not answered.
const LOOK_AGAIN: usize = 12;
const LOOK_AGAIN_AFTER: Duration = Duration::from_millis(250);

/// An event that wants its place in a log.
#[derive(Clone, Debug)]
pub struct Draft {
    pub log: String,
    pub actor: Actor,
    pub event: Event,
}

/// What became of a draft.
#[derive(Clone, Debug)]
pub enum Recorded {
    /// It is in the log.
    New(Entry),
    /// Its key had been used: this is the entry that answered then. Nothing was written.
    Before(Entry),
}

/// Where a log stands: what the next entry needs to know.
struct Head {
    tree: Tree,
    last_at: Timestamp,
    /// The number of the last slip, once it was asked for.
    last_number: Option<u64>,
}

/// The ledger of one server: its database and the key that signs.
#[derive(Clone, Debug)]
pub struct Ledger {
    pub db: Db,
    signer: Arc<Signer>,
}

impl Ledger {
    #[must_use]
    pub fn new(db: Db, signer: Signer) -> Self {
        Self { db, signer: Arc::new(signer) }
    }

    #[must_use]
    pub fn signer(&self) -> &Signer {
        &self.signer
    }

    /// Appends drafts in their order within a transaction, signs a checkpoint for every log that
    /// grew, and leaves the commit to the caller. Times in a log never decrease.
    ///
    /// # Errors
    /// Where the database fails. The transaction must then be dropped.
    pub async fn append(&self, tx: &mut Tx, now: Timestamp, drafts: Vec<Draft>) -> Result<Vec<Recorded>, LedgerError> {
        let mut heads: BTreeMap<String, Head> = BTreeMap::new();
        let mut recorded = Vec::with_capacity(drafts.len());
        for draft in drafts {
            if let Some(before) = answered(tx, &draft).await? {
                recorded.push(Recorded::Before(before));
                continue;
            }
            if !heads.contains_key(&draft.log) {
                heads.insert(draft.log.clone(), Head::read(tx, &draft.log).await?);
            }
            if let Some(head) = heads.get_mut(&draft.log) {
                recorded.push(Recorded::New(head.add(tx, now, draft).await?));
            }
        }
        for (log, head) in heads {
            self.seal(tx, &log, &head).await?;
        }
        Ok(recorded)
    }

    /// Appends drafts and makes them durable.
    ///
    /// # Errors
    /// Where anything fails; nothing was written then, unless the error's kind is
    /// [`Lost`](Kind::Lost) and the database does not come back.
    pub async fn record(&self, now: Timestamp, drafts: Vec<Draft>) -> Result<Vec<Recorded>, LedgerError> {
        let mut tx = self.db.begin_write().await?;
        let recorded = self.append(&mut tx, now, drafts).await?;
        match tx.commit().await {
            Ok(()) => {
                self.db.check_place()?;
                Ok(recorded)
            }
            Err(error) if error.kind() == Kind::Lost && self.is_recorded(&recorded).await => Ok(recorded),
            Err(error) => Err(error.into()),
        }
    }

    /// After a commit whose outcome is not known: whether the entries are there. All of a batch are or
    /// none is, so its first new one tells.
    async fn is_recorded(&self, recorded: &[Recorded]) -> bool {
        let new = recorded.iter().find_map(|one| match one {
            Recorded::New(entry) => Some(entry),
            Recorded::Before(_) => None,
        });
        let Some(wanted) = new else { return true };
        for _ in 0..LOOK_AGAIN {
            match entry(&self.db, &wanted.log, wanted.seq).await {
                Ok(found) => return found.as_ref() == Some(wanted),
                Err(_) => tokio::time::sleep(LOOK_AGAIN_AFTER).await,
            }
        }
        false
    }

    async fn seal(&self, tx: &mut Tx, log: &str, head: &Head) -> Result<(), LedgerError> {
        let checkpoint =
            Checkpoint { origin: format!("adjudge/{log}"), size: head.tree.size(), root: head.tree.root() };
        let frontier: Vec<String> = head.tree.frontier().iter().map(Hash::to_string).collect();
        let note = checkpoint.sign(&self.signer);
        tx.execute(
            sql::ADD_CHECKPOINT,
            &[
                Arg::Text(log),
                Arg::Int(signed(head.tree.size())),
                Arg::Int(head.last_at.micros()),
                Arg::Text(&frontier.join(" ")),
                Arg::Text(&note),
            ],
        )
        .await?;
        Ok(())
    }

    /// The entry that answered a request with this key, if there was one.
    ///
    /// # Errors
    /// Where the database fails or holds an unreadable entry.
    pub async fn answer(&self, actor: &str, key: &str) -> Result<Option<Entry>, LedgerError> {
        let rows = self.db.fetch(sql::ANSWER, &[Arg::Text(actor), Arg::Text(key)]).await?;
        rows.first().map(entry_of).transpose()
    }

    /// The record of a slip, if there is such a slip.
    ///
    /// # Errors
    /// Where the database fails or holds an unreadable entry.
    pub async fn slip(&self, id: &str) -> Result<Option<SlipRecord>, LedgerError> {
        let rows = self.db.fetch(sql::ENTRIES_OF_SLIP, &[Arg::Text(id)]).await?;
        let entries = rows.iter().map(entry_of).collect::<Result<Vec<_>, _>>()?;
        Ok(SlipRecord::fold(&entries)?)
    }

    /// The entries that set things up after a position, in the order in which it happened, each with
    /// its position.
    ///
    /// # Errors
    /// Where the database fails or holds an unreadable entry.
    pub async fn setup_after(&self, position: i64) -> Result<Vec<(i64, Entry)>, LedgerError> {
        let rows = self.db.fetch(sql::SETUP_AFTER, &[Arg::Int(position)]).await?;
        rows.iter().map(|row| Ok((row.int("position")?, entry_of(row)?))).collect()
    }

    /// The names of all logs, sorted: those that have entries, and those that the log `server` says were
    /// opened, whether anything is left of them or not.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn logs(&self) -> Result<Vec<String>, LedgerError> {
        let mut logs = BTreeSet::new();
        for row in self.db.fetch(sql::LOGS, &[]).await? {
            logs.insert(row.text("log")?);
        }
        for row in self.db.fetch(sql::OPENED_LOGS, &[]).await? {
            // An entry that cannot be read is found by the check of the log `server`.
            if let Ok(Entry { event: Event::LogOpened(LogOpened { opened }), .. }) = entry_of(&row) {
                logs.insert(opened);
            }
        }
        Ok(logs.into_iter().collect())
    }

    /// Up to `limit` leaves of a log from `from` on, byte for byte, oldest first.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn leaves(&self, log: &str, from: u64, limit: u64) -> Result<Vec<String>, LedgerError> {
        let rows =
            self.db.fetch(sql::ENTRIES, &[Arg::Text(log), Arg::Int(signed(from)), Arg::Int(signed(limit))]).await?;
        Ok(rows.iter().map(|row| row.text("leaf")).collect::<Result<_, _>>()?)
    }

    /// The newest checkpoint of a log; `None` where there is no such log.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn last_checkpoint(&self, log: &str) -> Result<Option<String>, LedgerError> {
        let rows = self.db.fetch(sql::LAST_CHECKPOINT, &[Arg::Text(log)]).await?;
        Ok(rows.first().map(|row| row.text("note")).transpose()?)
    }
}

impl Head {
    async fn read(tx: &mut Tx, log: &str) -> Result<Self, LedgerError> {
        let rows = tx.fetch(sql::HEAD, &[Arg::Text(log)]).await?;
        let Some(row) = rows.first() else {
            return Ok(Self { tree: Tree::default(), last_at: Timestamp::from_micros(0), last_number: None });
        };
        let frontier = row.text("frontier")?;
        let damaged = || LedgerError::Head { log: log.to_owned() };
        let hashes =
            frontier.split_whitespace().map(str::parse).collect::<Result<Vec<Hash>, _>>().map_err(|_| damaged())?;
        let tree = Tree::from_frontier(row.count("size")?, hashes).ok_or_else(damaged)?;
        Ok(Self { tree, last_at: Timestamp::from_micros(row.int("at_us")?), last_number: None })
    }

    /// Gives a draft its place, its time and, if it files a slip, its number, and writes it.
    async fn add(&mut self, tx: &mut Tx, now: Timestamp, draft: Draft) -> Result<Entry, LedgerError> {
        self.last_at = self.last_at.max(now);
        let event = if draft.event.slip().is_some() {
            let number = self.next_number(tx, &draft.log).await?;
            draft.event.numbered(number)
        } else {
            draft.event
        };
        let entry = Entry { log: draft.log, seq: self.tree.size(), at: self.last_at, actor: draft.actor, event };
        let text = entry.to_leaf()?.to_text()?;
        let hash = leaf_hash(text.as_bytes());
        self.tree.push(hash);
        write_entry(tx, &entry, &hash.to_string(), &text).await?;
        Ok(entry)
    }

    async fn next_number(&mut self, tx: &mut Tx, log: &str) -> Result<u64, LedgerError> {
        let last = match self.last_number {
            Some(last) => last,
            None => match tx.fetch(sql::LAST_NUMBER, &[Arg::Text(log)]).await?.first() {
                Some(row) => row.count("number")?,
                None => 0,
            },
        };
        self.last_number = Some(last + 1);
        Ok(last + 1)
    }
}

/// Writes the entry and, in the same transaction, what is derived from it.
async fn write_entry(tx: &mut Tx, entry: &Entry, hash: &str, text: &str) -> Result<(), LedgerError> {
    let (log, seq) = (Arg::Text(&entry.log), Arg::Int(signed(entry.seq)));
    let slip = entry.event.slip();
    let about = slip.map_or(Arg::NoText, |slip| Arg::Text(&slip.id));
    tx.execute(sql::ADD_ENTRY, &[log, seq, Arg::Text(entry.event.kind()), about, Arg::Text(hash), Arg::Text(text)])
        .await?;
    if let Some(slip) = slip {
        tx.execute(sql::ADD_SLIP, &[Arg::Text(&slip.id), log, Arg::Int(signed(slip.number))]).await?;
    }
    if entry.event.is_setup() {
        tx.execute(sql::ADD_SETUP, &[log, seq]).await?;
    }
    if let Some(mark) = entry.event.request() {
        tx.execute(sql::ADD_ANSWER, &[Arg::Text(&entry.actor.id), Arg::Text(&mark.key), log, seq]).await?;
    }
    Ok(())
}

/// The entry that already answered the draft's key: looked up under the write lock, so that of two
/// equal requests at the same moment one is recorded.
async fn answered(tx: &mut Tx, draft: &Draft) -> Result<Option<Entry>, LedgerError> {
    let Some(mark) = draft.event.request() else { return Ok(None) };
    let rows = tx.fetch(sql::ANSWER, &[Arg::Text(&draft.actor.id), Arg::Text(&mark.key)]).await?;
    rows.first().map(entry_of).transpose()
}

/// One entry of a log, if there is such an entry.
///
/// # Errors
/// Where the database fails or holds an unreadable entry.
pub async fn entry(db: &Db, log: &str, seq: u64) -> Result<Option<Entry>, LedgerError> {
    let rows = db.fetch(sql::ENTRY, &[Arg::Text(log), Arg::Int(signed(seq))]).await?;
    rows.first().map(entry_of).transpose()
}

fn entry_of(row: &Row) -> Result<Entry, LedgerError> {
    Ok(Entry::from_leaf(Leaf::parse(&row.text("leaf")?)?)?)
}

/// Sizes and places fit an `i64`: a log would need centuries to reach its end.
pub(super) fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
