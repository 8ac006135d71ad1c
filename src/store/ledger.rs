//! The ledger on disk: appending entries, and reading them back.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::domain::entry::UnreadableEntry;
use crate::domain::event::{ClosedLog, LogOpened, Restored};
use crate::domain::ledger::{
    Actor, Hash, Leaf, LeafError, NotAHash, NotCanonical, Signer, SoundSizes, VerifierKey, base_log, leaf_hash, ordinal,
};
use crate::domain::probing::ProbingWindows;
use crate::domain::record::OutOfPlace;
use crate::domain::setup::Basis;
use crate::domain::{Entry, Event, Role, SERVER_LOG, SlipRecord, Timestamp};

use super::continuations::Continuations;
use super::db::{Arg, Db, DbError, Kind, Row, Tx};
use super::newest::NewestCheckpoints;
use super::recent::RecentSlips;
use super::statements as sql;

/// Why the ledger could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    #[error(transparent)]
    Db(#[from] DbError),
    #[error(transparent)]
    Entry(#[from] UnreadableEntry),
    #[error("a stored entry is damaged: {0}; run adjudge ledger verify")]
    Leaf(#[from] LeafError),
    #[error("log {log} is broken: entry {seq} does not match its stored hash; run adjudge ledger verify")]
    Altered { log: String, seq: u64 },
    #[error("an entry cannot be written: {0}")]
    NotCanonical(#[from] NotCanonical),
    #[error(transparent)]
    OutOfPlace(#[from] OutOfPlace),
    #[error("log {0} is broken: its closing record and its continuation disagree")]
    NotContinued(String),
    #[error(
        "a stored entry is damaged: entry {seq} of log {log} holds another log or number; run adjudge ledger verify"
    )]
    Misplaced { log: String, seq: i64 },
    #[error("the entry that answered this key cannot be read, and no signature covers it")]
    InQuestion,
    #[error("the head of log {log} is damaged; run adjudge ledger verify")]
    Head { log: String },
}

impl LedgerError {
    /// Whether the error proves that the ledger is damaged. Every other error says that it could not be read or
    /// written, and nothing about its content.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Db(error) => error.is_damage() || matches!(error, DbError::Impossible { .. }),
            Self::NotCanonical(_) => false,
            _ => true,
        }
    }

    /// What the failure means for the server.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::Db(error) => error.kind(),
            Self::Entry(_)
            | Self::Leaf(_)
            | Self::Altered { .. }
            | Self::OutOfPlace(_)
            | Self::NotContinued(_)
            | Self::Misplaced { .. }
            | Self::Head { .. } => Kind::Broken,
            Self::NotCanonical(_) | Self::InQuestion => Kind::Refused,
        }
    }
}

/// An event to append to a log.
#[derive(Clone, Debug)]
pub struct Draft {
    /// A log. If it was closed, the entry goes into its continuation.
    pub log: String,
    pub actor: Actor,
    pub event: Event,
    /// For words that players looked up: the probing check against the neighbouring slips.
    pub watch: Option<ProbingCheck>,
    /// For a decision by the set-up: which set-up. It is checked when the entry is written.
    pub basis: Option<Basis>,
}

/// What players' words are checked against, under the write lock. Source: D 8, D 9.
#[derive(Clone, Debug)]
pub enum ProbingCheck {
    /// A new slip, filed in this role: the check may hold it.
    Slip {
        role: Role,
        windows: ProbingWindows,
        /// For a station: the other divisions in which it could have filed slips.
        elsewhere: Vec<String>,
        /// Whether the players said that the slip is a part of the play that was ruled on before it.
        is_same_play: bool,
    },
    /// The correction of a slip, with the record that it was decided on.
    Correction(Box<SlipRecord>, ProbingWindows),
}

impl Draft {
    /// A draft without any check.
    #[must_use]
    pub fn of(log: &str, actor: Actor, event: Event) -> Self {
        Self { log: log.to_owned(), actor, event, watch: None, basis: None }
    }

    /// The draft with the set-up that decided it: it is not recorded after an entry that may contradict that set-up.
    #[must_use]
    pub fn decided_by(self, basis: Basis) -> Self {
        Self { basis: Some(basis), ..self }
    }

    /// The draft with a probing check against the neighbouring slips.
    #[must_use]
    pub fn with_probing_check(self, watch: ProbingCheck) -> Self {
        Self { watch: Some(watch), ..self }
    }
}

/// The outcome of a draft.
#[derive(Clone, Debug)]
pub enum Appended {
    /// The draft is in the log.
    New(Entry),
    /// Its key was used before: this is the entry that answered then. Nothing was written.
    Duplicate(Entry),
    /// Its slip or the set-up changed after it was decided. Nothing was written; the caller decides anew.
    Conflict,
}

impl Appended {
    /// The entry that answers the draft.
    #[must_use]
    pub fn entry(&self) -> Option<&Entry> {
        match self {
            Self::New(entry) | Self::Duplicate(entry) => Some(entry),
            Self::Conflict => None,
        }
    }

    /// The entry, if it was written now.
    #[must_use]
    pub fn new_entry(&self) -> Option<&Entry> {
        match self {
            Self::New(entry) => Some(entry),
            Self::Duplicate(_) | Self::Conflict => None,
        }
    }
}

/// How many leaf hashes are read at a time.
const HASHES_PER_PAGE: u64 = 5000;

/// The ledger of one server: its database and the key that signs.
#[derive(Clone, Debug)]
pub struct Ledger {
    pub db: Db,
    signer: Arc<Signer>,
    newest: NewestCheckpoints,
    recent: Arc<RecentSlips>,
    continuations: Continuations,
}

impl Ledger {
    #[must_use]
    pub fn new(db: Db, signer: Signer) -> Self {
        let (newest, continuations) = (NewestCheckpoints::default(), Continuations::default());
        Self { db, signer: Arc::new(signer), newest, continuations, recent: Arc::default() }
    }

    #[must_use]
    pub fn signer(&self) -> &Signer {
        &self.signer
    }

    /// The newest checkpoints of the logs that this process appended to.
    #[must_use]
    pub fn newest(&self) -> &NewestCheckpoints {
        &self.newest
    }

    /// The slips of the last minutes.
    pub(super) fn recent(&self) -> &RecentSlips {
        &self.recent
    }

    /// The continuations that were read.
    pub(super) fn continuations(&self) -> &Continuations {
        &self.continuations
    }

    /// Appends drafts and makes them durable.
    ///
    /// # Errors
    /// As [`Transaction::commit`](super::Transaction::commit); nothing was written then, unless the error's kind is
    /// [`Lost`](Kind::Lost) and the database does not come back.
    pub async fn record(&self, now: Timestamp, drafts: Vec<Draft>) -> Result<Vec<Appended>, LedgerError> {
        let mut transaction = self.begin_later().await?;
        let recorded = transaction.append(now, drafts).await?;
        transaction.commit().await?;
        Ok(recorded)
    }

    /// The entry that answered a request with this key, if there was one.
    ///
    /// # Errors
    /// If the database fails or holds an unreadable entry.
    pub async fn entry_for_key(&self, actor: &str, key: &str) -> Result<Option<Entry>, LedgerError> {
        let rows = self.db.fetch(sql::ANSWER, &[Arg::Text(actor), Arg::Text(key)]).await?;
        let Some(row) = rows.first() else { return Ok(None) };
        entry_of(row, &*self.sound_sizes().await?)?.map(Some).ok_or(LedgerError::InQuestion)
    }

    /// Which entries of closed logs are in question.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn sound_sizes(&self) -> Result<Arc<SoundSizes>, DbError> {
        self.continuations.sizes_by(&self.db.fetch(sql::CONTINUATIONS, &[]).await?)
    }

    /// The set-up entries after a position, in the order in which they were recorded, each with its position. Entries
    /// of a closed log after its first fault are in question and not in force.
    /// # Errors
    /// If the database fails or holds an unreadable entry.
    pub async fn setup_after(&self, position: i64) -> Result<Vec<(i64, Entry)>, LedgerError> {
        let rows = self.db.fetch(sql::SETUP_AFTER, &[Arg::Int(position)]).await?;
        in_force(&rows, &*self.sound_sizes().await?)
    }

    /// The open log of a name, which takes its entries: the first log of that name, or its last continuation.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn open_log(&self, log: &str) -> Result<String, DbError> {
        open_log(&self.db, log).await
    }

    /// What the open log records of an earlier log of its name; `None` if this is the open log.
    ///
    /// # Errors
    /// If the database fails or the open log's first entry cannot be read.
    pub async fn closed(&self, log: &str) -> Result<Option<ClosedLog>, LedgerError> {
        let open = self.open_log(log).await?;
        if ordinal(&open) <= ordinal(log) {
            return Ok(None);
        }
        let closed = self.restored(&open).await?.map(|restored| restored.closed).unwrap_or_default();
        let said = closed.into_iter().find(|closed| closed.log == log);
        said.map(Some).ok_or_else(|| LedgerError::NotContinued(log.to_owned()))
    }

    /// The keys that signed this ledger, the current one first.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn keys(&self) -> Result<Vec<VerifierKey>, LedgerError> {
        let mut keys = vec![self.signer.verifier(SERVER_LOG)];
        for log in self.logs_of(SERVER_LOG).await? {
            // If a first entry cannot be read, the continuation's names the key.
            let first = entry(&self.db, &log, 0).await.ok().flatten();
            let closed = first.as_ref().and_then(|first| match &first.event {
                Event::Restored(restored) => Some(restored.closed.iter().map(|closed| closed.verifier.as_str())),
                _ => None,
            });
            let named = first.as_ref().and_then(|first| first.event.verifier());
            for text in closed.into_iter().flatten().chain(named) {
                let key = text.parse::<VerifierKey>().ok().map(|key| key.of_log(SERVER_LOG));
                keys.extend(key.filter(|key| !keys.contains(key)));
            }
        }
        Ok(keys)
    }

    /// How many entries the newest checkpoint of a log covers; `None` where there is none.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn signed_size(&self, log: &str) -> Result<Option<u64>, DbError> {
        let rows = self.db.fetch(sql::LAST_CHECKPOINT, &[Arg::Text(log)]).await?;
        rows.first().map(|row| row.count("size")).transpose()
    }

    /// What entry 0 of a continuation records of the logs before it; `None` if the log is no continuation.
    ///
    /// # Errors
    /// If the database fails or the entry cannot be read.
    pub async fn restored(&self, log: &str) -> Result<Option<Restored>, LedgerError> {
        Ok(entry(&self.db, log, 0).await?.and_then(|entry| match entry.event {
            Event::Restored(restored) => Some(restored),
            _ => None,
        }))
    }

    /// The names of all logs, sorted: those that have entries, and those whose opening the log `server` records, even
    /// if nothing is left of them.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn logs(&self) -> Result<Vec<String>, LedgerError> {
        let mut logs = BTreeSet::new();
        for row in self.db.fetch(sql::LOGS, &[]).await? {
            logs.insert(row.text("log")?);
        }
        for row in self.db.fetch(sql::OPENED_LOGS, &[]).await? {
            // The check of the log `server` finds an entry that cannot be read.
            if let Ok(Entry { event: Event::LogOpened(LogOpened { opened }), .. }) = read_entry(&row) {
                logs.insert(opened);
            }
        }
        // Of a closed log nothing may be left but what its continuation records.
        for log in logs.clone().into_iter().filter(|log| base_log(log) != log) {
            match self.restored(&log).await {
                Ok(Some(restored)) => logs.extend(restored.closed.into_iter().map(|closed| closed.log)),
                Err(error) if !error.is_damage() => return Err(error),
                _ => {}
            }
        }
        Ok(logs.into_iter().collect())
    }

    /// The log `server`, or the continuation of it, that records the opening of a log.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn log_that_opened(&self, log: &str) -> Result<Option<String>, DbError> {
        let rows = self.db.fetch(sql::OPENED_LOGS, &[]).await?;
        let said = rows.iter().filter_map(|row| read_entry(row).ok());
        Ok(said
            .filter(|entry| matches!(&entry.event, Event::LogOpened(said) if said.opened == log))
            .map(|entry| entry.log)
            .next())
    }

    /// Up to `limit` leaves of a log from `from` on, each with its number, byte for byte, oldest first.
    ///
    /// # Errors
    /// If the database fails, or a leaf does not fit the hash beside it.
    pub async fn leaves(&self, log: &str, from: i64, limit: u64) -> Result<Vec<(i64, String)>, LedgerError> {
        let rows = self.leaf_rows(log, from, limit).await?;
        rows.iter().map(|row| Ok((row.int("seq")?, leaf_of(row)?))).collect()
    }

    /// Like [`leaves`](Self::leaves), including leaves that are damaged.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn raw_leaves(&self, log: &str, from: i64, limit: u64) -> Result<Vec<(i64, String)>, DbError> {
        let rows = self.leaf_rows(log, from, limit).await?;
        rows.iter().map(|row| Ok((row.int("seq")?, row.text("leaf")?))).collect()
    }

    async fn leaf_rows(&self, log: &str, from: i64, limit: u64) -> Result<Vec<Row>, DbError> {
        self.db.fetch(sql::LEAVES, &[Arg::Text(log), Arg::Int(from), Arg::Int(to_i64(limit))]).await
    }

    /// From now on, a read that finds damage or a write that fails stops the whole server. Damage of closed logs that
    /// is on record does not.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn arm(&self) -> Result<(), LedgerError> {
        let mut closed_at = BTreeMap::new();
        for log in self.logs().await? {
            if let Some(closed) = self.closed(&log).await? {
                closed_at.insert(log, closed.sound);
            }
        }
        self.db.health().arm(closed_at);
        Ok(())
    }

    /// Passes the leaf hashes of a log's first `size` entries to `take`, in order; fewer if the log has fewer.
    ///
    /// # Errors
    /// If the database fails or a value is not a hash.
    pub async fn each_leaf_hash(&self, log: &str, size: u64, mut take: impl FnMut(Hash)) -> Result<(), DbError> {
        let mut from = 0;
        while from < size {
            let limit = HASHES_PER_PAGE.min(size - from);
            let args = [Arg::Text(log), Arg::Int(to_i64(from)), Arg::Int(to_i64(limit))];
            let rows = self.db.fetch(sql::LEAF_HASHES, &args).await?;
            for row in &rows {
                let hash = row.text("hash")?.parse();
                take(hash.map_err(|error: NotAHash| DbError::Impossible { what: format!("column hash: {error}") })?);
            }
            if rows.is_empty() {
                return Ok(());
            }
            from += rows.len() as u64;
        }
        Ok(())
    }

    /// The newest checkpoint of a log; `None` where there is no such log.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn last_checkpoint(&self, log: &str) -> Result<Option<String>, LedgerError> {
        let rows = self.db.fetch(sql::LAST_CHECKPOINT, &[Arg::Text(log)]).await?;
        Ok(rows.first().map(|row| row.text("note")).transpose()?)
    }

    /// The checkpoint of a log at that size; `None` where none was signed there.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn checkpoint_at(&self, log: &str, size: u64) -> Result<Option<String>, DbError> {
        let rows = self.db.fetch(sql::CHECKPOINT_AT, &[Arg::Text(log), Arg::Int(to_i64(size))]).await?;
        rows.first().map(|row| row.text("note")).transpose()
    }
}

/// The set-up entries of rows that are in force, each with its position.
fn in_force(rows: &[Row], sound: &SoundSizes) -> Result<Vec<(i64, Entry)>, LedgerError> {
    let mut found = Vec::new();
    for row in rows {
        if sound.is_in_force(&row.text("log")?, row.int("seq")?) {
            found.push((row.int("position")?, read_entry(row)?));
        }
    }
    Ok(found)
}

/// The set-up entries since drafts were decided. Mostly there are none, and then nothing is read.
pub(super) async fn setup_since(
    tx: &mut Tx,
    drafts: &[Draft],
    last: Option<i64>,
    sound: &SoundSizes,
) -> Result<Vec<(i64, Entry)>, LedgerError> {
    let known = drafts.iter().filter_map(|draft| Some(draft.basis.as_ref()?.position)).min();
    match (known, last) {
        (Some(known), Some(last)) if known < last => {
            in_force(&tx.fetch(sql::SETUP_AFTER, &[Arg::Int(known)]).await?, sound)
        }
        _ => Ok(Vec::new()),
    }
}

/// Whether the set-up that decided a draft no longer holds at that time: because of an entry before this batch or in
/// it, or because a day has come.
pub(super) fn is_overtaken(draft: &Draft, at: Timestamp, setup: &[(i64, Entry)], recorded: &[Appended]) -> bool {
    let Some(basis) = &draft.basis else { return false };
    let since = setup.iter().filter(|(position, _)| *position > basis.position).map(|(_, entry)| entry);
    let mut entries = since.chain(recorded.iter().filter_map(Appended::new_entry));
    basis.is_over(at) || entries.any(|entry| basis.is_overtaken_by(entry, &draft.actor.id))
}

/// Whether the draft's slip changed after the entry that it was decided on, before this batch or in it.
pub(super) async fn is_stale(
    tx: &mut Tx,
    draft: &Draft,
    recorded: &[Appended],
    sound: &SoundSizes,
) -> Result<bool, LedgerError> {
    let Some(follows) = draft.event.follows() else { return Ok(false) };
    let slip = Some(follows.slip.as_str());
    if recorded.iter().filter_map(Appended::new_entry).any(|entry| entry.event.subject() == slip) {
        return Ok(true);
    }
    let rows = tx.fetch(sql::LAST_OF_SLIP, &[Arg::Text(&follows.slip)]).await?;
    let Some(last) = rows.first() else { return Ok(true) };
    let (log, seq) = (last.text("log")?, last.int("seq")?);
    if !sound.is_in_question(&log, seq) {
        return Ok((log, seq) != (follows.log.clone(), to_i64(follows.seq)));
    }
    // Of a slip in question, every entry that can be read counts.
    let rows = tx.fetch(sql::ENTRIES_OF_SLIP, &[Arg::Text(&follows.slip)]).await?;
    let entries = rows.iter().filter_map(|row| entry_of(row, sound).transpose()).collect::<Result<Vec<_>, _>>()?;
    Ok(entries.last().is_none_or(|last| (&last.log, last.seq) != (&follows.log, follows.seq)))
}

/// The open log of a name, if there is no [`Ledger`] yet.
///
/// # Errors
/// If the database fails.
pub async fn open_log(db: &Db, log: &str) -> Result<String, DbError> {
    let rows = db.fetch(sql::OPEN_LOG, &[Arg::Text(base_log(log))]).await?;
    rows.first().map_or_else(|| Ok(base_log(log).to_owned()), |row| row.text("by_log"))
}

/// One entry of a log, if there is such an entry.
///
/// # Errors
/// If the database fails or holds an unreadable entry.
pub async fn entry(db: &Db, log: &str, seq: u64) -> Result<Option<Entry>, LedgerError> {
    let rows = db.fetch(sql::ENTRY, &[Arg::Text(log), Arg::Int(to_i64(seq))]).await?;
    rows.first().map(read_entry).transpose()
}

/// The entry of a row, or `None` if it is in question and cannot be read. The position at which it is stored decides
/// whether it is in question, not its content.
///
/// # Errors
/// If it is not in question and cannot be read.
pub(super) fn entry_of(row: &Row, sound: &SoundSizes) -> Result<Option<Entry>, LedgerError> {
    let (log, seq) = (row.text("log")?, row.int("seq")?);
    if !sound.is_in_question(&log, seq) {
        return read_entry(row).map(Some);
    }
    // The hash beside it proves nothing: both were there when the log was closed.
    let (seq, leaf) = (u64::try_from(seq).unwrap_or_default(), row.text("leaf").ok());
    let entry = leaf.and_then(|leaf| Entry::from_leaf(Leaf::parse(&leaf).ok()?).ok());
    Ok(entry.map(|entry| Entry { log, seq, in_question: true, ..entry }))
}

/// The entry of a row that is not in question.
///
/// # Errors
/// If it cannot be read, or does not belong to this row. The latter stops a running server, unless the log is closed
/// and its damage is on record.
pub(super) fn read_entry(row: &Row) -> Result<Entry, LedgerError> {
    let entry = Entry::from_leaf(Leaf::parse(&leaf_of(row)?)?)?;
    let (log, seq) = (row.text("log")?, row.int("seq")?);
    if (&entry.log, to_i64(entry.seq)) == (&log, seq) {
        return Ok(entry);
    }
    let is_known = u64::try_from(seq).is_ok_and(|seq| row.health().is_known_damage(&log, seq));
    let misplaced = LedgerError::Misplaced { log, seq };
    if !is_known {
        row.health().fail(&misplaced);
    }
    Err(misplaced)
}

/// The leaf of a row, after comparing it with the hash beside it. A mismatch stops a running server, unless the log is
/// closed and its damage is on record.
fn leaf_of(row: &Row) -> Result<String, LedgerError> {
    let (log, seq, leaf) = (row.text("log")?, row.count("seq")?, row.text("leaf")?);
    let is_sound = row.text("hash")?.parse().is_ok_and(|hash: Hash| hash == leaf_hash(leaf.as_bytes()));
    if is_sound || row.health().is_known_damage(&log, seq) {
        return Ok(leaf);
    }
    let altered = LedgerError::Altered { log, seq };
    row.health().fail(&altered);
    Err(altered)
}

/// Sizes and positions fit an `i64`: a log would need centuries to reach its end.
pub(super) fn to_i64(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
