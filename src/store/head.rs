//! The head of a log: where the next entry goes, and the checkpoint that is signed after it.

use std::collections::{BTreeMap, BTreeSet, btree_map};

use crate::domain::ledger::{Checkpoint, Hash, Signer, Tree, leaf_hash};
use crate::domain::{Entry, Event, Timestamp};

use super::batch::EncodedLeaf;
use super::clock::LedgerTime;
use super::db::{Arg, DbError, Row, Tx};
use super::ledger::{Draft, LedgerError, read_entry, to_i64};
use super::statements as sql;

/// The head of a log: what the next entry needs to know.
pub(super) struct Head {
    /// The log itself, or its open continuation.
    log: String,
    tree: Tree,
    last_at: Timestamp,
    /// The era of the last entry's time.
    era: i64,
    /// The number of the last slip, if the log has one.
    last_number: Option<u64>,
}

/// The heads of the logs that a batch writes to.
pub(super) struct Heads {
    /// As the database has them.
    rows: BTreeMap<String, Row>,
    /// Those to which entries are appended.
    heads: BTreeMap<String, Head>,
}

impl Heads {
    /// The logs that drafts name.
    pub(super) fn logs_of(drafts: &[Draft]) -> BTreeSet<&str> {
        drafts.iter().map(|draft| draft.log.as_str()).collect()
    }

    /// The heads that the database has of the logs.
    pub(super) fn of(rows: impl Iterator<Item = (String, Row)>) -> Self {
        Self { rows: rows.collect(), heads: BTreeMap::new() }
    }

    /// The head of one of those logs, to append entries to.
    pub(super) fn head(&mut self, log: &str, signer: &Signer) -> Result<&mut Head, LedgerError> {
        match self.heads.entry(log.to_owned()) {
            btree_map::Entry::Occupied(head) => Ok(head.into_mut()),
            btree_map::Entry::Vacant(place) => {
                let row = self.rows.get(log).ok_or_else(|| LedgerError::Head { log: log.to_owned() })?;
                Ok(place.insert(Head::read(row, log, signer)?))
            }
        }
    }

    /// Signs a checkpoint of each log that grew, in the transaction of the entries that it covers, and gives them by
    /// log.
    pub(super) async fn sign_checkpoints(
        &self,
        tx: &mut Tx,
        signer: &Signer,
    ) -> Result<BTreeMap<String, String>, DbError> {
        let mut notes = BTreeMap::new();
        for head in self.heads.values() {
            let note = Checkpoint::of(&head.log, &head.tree).sign(signer);
            tx.execute_later(
                sql::ADD_CHECKPOINT,
                &[
                    Arg::Text(&head.log),
                    Arg::Int(to_i64(head.tree.size())),
                    Arg::Int(head.last_at.micros()),
                    Arg::Text(&frontier_text(&head.tree)),
                    Arg::Text(&note),
                    Arg::Int(head.era),
                ],
            )
            .await?;
            notes.insert(head.log.clone(), note);
        }
        Ok(notes)
    }
}

impl Head {
    /// Reads the head of a log, or of its open continuation.
    fn read(row: &Row, log: &str, signer: &Signer) -> Result<Self, LedgerError> {
        let damaged = || LedgerError::Head { log: log.to_owned() };
        let log = row.text("log")?;
        let last_number = row.int_or_null("number")?.and_then(|number| u64::try_from(number).ok());
        if row.int_or_null("size")?.is_none() {
            return Ok(Self { log, tree: Tree::default(), last_at: Timestamp::from_micros(0), era: 0, last_number });
        }
        let frontier = row.text("frontier")?;
        let hashes =
            frontier.split_whitespace().map(str::parse).collect::<Result<Vec<Hash>, _>>().map_err(|_| damaged())?;
        let tree = Tree::from_frontier(row.count("size")?, hashes).ok_or_else(damaged)?;
        // The tree that is appended to must be the one that was signed, or the next checkpoint would sign a wrong root.
        let signed = Checkpoint::open(&row.text("note")?, &signer.verifier(&log)).map_err(|_| damaged())?;
        if signed != Checkpoint::of(&log, &tree) {
            return Err(damaged());
        }
        Ok(Self { log, tree, last_at: Timestamp::from_micros(row.int("at_us")?), era: 0, last_number })
    }

    /// Gives a draft its sequence number, its time and, if it files a slip, its slip number. The rows are still to be
    /// written.
    pub(super) async fn add(
        &mut self,
        tx: &mut Tx,
        time: &mut LedgerTime,
        clock: Timestamp,
        draft: Draft,
    ) -> Result<(Entry, EncodedLeaf), LedgerError> {
        self.last_at = time.pass(&draft.event, clock, draft.basis.as_ref().map(|basis| basis.switched));
        self.era = time.era;
        let event = if draft.event.slip().is_some() {
            let number = self.next_number(tx).await?;
            draft.event.numbered(number)
        } else {
            draft.event
        };
        let entry = Entry {
            log: self.log.clone(),
            seq: self.tree.size(),
            at: self.last_at,
            actor: draft.actor,
            event,
            in_question: false,
        };
        let text = entry.to_leaf()?.to_text()?;
        let hash = leaf_hash(text.as_bytes());
        self.tree.push(hash);
        Ok((entry, EncodedLeaf { hash: hash.to_string(), text }))
    }

    async fn next_number(&mut self, tx: &mut Tx) -> Result<u64, LedgerError> {
        let last = match self.last_number {
            Some(last) => last,
            None => self.last_number_before(tx).await?,
        };
        self.last_number = Some(last + 1);
        Ok(last + 1)
    }

    /// The number after which a log without slips begins: a continuation records numbers that may have been given.
    async fn last_number_before(&self, tx: &mut Tx) -> Result<u64, LedgerError> {
        let first = tx.fetch(sql::ENTRY, &[Arg::Text(&self.log), Arg::Int(0)]).await?;
        Ok(match first.first().map(read_entry).transpose()? {
            Some(Entry { event: Event::Restored(restored), .. }) => restored.last_number,
            _ => 0,
        })
    }
}

/// The frontier of a tree, as the row of a checkpoint stores it.
pub(super) fn frontier_text(tree: &Tree) -> String {
    tree.frontier().iter().map(Hash::to_string).collect::<Vec<_>>().join(" ")
}
