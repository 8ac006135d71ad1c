//! The record of a slip: its entries, folded into what is true of it now.

use serde::Serialize;
use utoipa::ToSchema;

use super::event::{Entry, Event, FiledSlip, Method};
use super::ledger::Actor;
use super::lexicon::LexiconName;
use super::penalty::Penalty;
use super::ruling::Ruling;
use super::time::Timestamp;

/// Where a slip is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// A word lies outside the lexicon's coverage; a judge has to look it up.
    AwaitingManualLookup,
    /// There is a standing ruling.
    Ruled,
}

/// One opinion on a slip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adjudication {
    /// Counts the slip's opinions from 1.
    pub ordinal: usize,
    pub method: Method,
    pub ruling: Ruling,
    pub at: Timestamp,
    pub by: Actor,
    pub typed: Vec<String>,
    pub words: Vec<String>,
    pub lexicon: LexiconName,
}

/// A slip as its entries tell it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlipRecord {
    pub tournament: String,
    pub slip: FiledSlip,
    pub filed_by: Actor,
    pub filed_at: Timestamp,
    pub state: State,
    /// The last adjudication's words, or those of the slip while there is none.
    pub words: Vec<String>,
    pub adjudications: Vec<Adjudication>,
    pub penalty: Option<Penalty>,
    /// The number of its last entry in the tournament's log.
    pub entry: u64,
}

/// Entries that cannot be those of one slip.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("entry {seq} of log {log} ({kind}) cannot stand here in the record of a slip")]
pub struct OutOfPlace {
    log: String,
    seq: u64,
    kind: &'static str,
}

impl SlipRecord {
    /// Folds the entries of one slip, oldest first. No entries, no record.
    ///
    /// # Errors
    /// [`OutOfPlace`] names the first entry that does not fit.
    pub fn fold<'entries>(entries: impl IntoIterator<Item = &'entries Entry>) -> Result<Option<Self>, OutOfPlace> {
        entries.into_iter().try_fold(None, |record, entry| Self::next(record, entry).map(Some))
    }

    /// One step of the fold.
    fn next(record: Option<Self>, entry: &Entry) -> Result<Self, OutOfPlace> {
        match (record, &entry.event) {
            (None, Event::SlipRuled(event)) => {
                let mut record = Self::filed(entry, &event.slip, &event.words, State::Ruled);
                record.penalty = Some(event.penalty.clone());
                record.adjudications.push(Adjudication {
                    ordinal: 1,
                    method: event.method,
                    ruling: event.ruling,
                    at: entry.at,
                    by: entry.actor.clone(),
                    typed: event.typed.clone(),
                    words: event.words.clone(),
                    lexicon: event.lexicon.clone(),
                });
                Ok(record)
            }
            (None, Event::SlipAwaitsManualLookup(event)) => {
                Ok(Self::filed(entry, &event.slip, &event.words, State::AwaitingManualLookup))
            }
            (_, event) => Err(OutOfPlace { log: entry.log.clone(), seq: entry.seq, kind: event.kind() }),
        }
    }

    fn filed(entry: &Entry, slip: &FiledSlip, words: &[String], state: State) -> Self {
        Self {
            tournament: entry.tournament().to_owned(),
            slip: slip.clone(),
            filed_by: entry.actor.clone(),
            filed_at: entry.at,
            state,
            words: words.to_vec(),
            adjudications: Vec::new(),
            penalty: None,
            entry: entry.seq,
        }
    }

    /// The ruling of the last adjudication.
    #[must_use]
    pub fn ruling(&self) -> Option<Ruling> {
        self.adjudications.last().map(|last| last.ruling)
    }

    /// What the players may see, once there is a ruling.
    #[must_use]
    pub fn announcement(&self) -> Option<Announcement> {
        let last = self.adjudications.last()?;
        Some(Announcement {
            ruling: last.ruling,
            number: self.slip.number,
            table: self.slip.table,
            words: self.words.clone(),
            lexicon: last.lexicon.clone(),
            penalty: self.penalty.clone()?,
        })
    }
}

/// All that players are told. There is no per-word result in it, so no page can show one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Announcement {
    pub ruling: Ruling,
    pub number: u64,
    pub table: Option<i64>,
    /// As entered, normalised.
    pub words: Vec<String>,
    pub lexicon: LexiconName,
    pub penalty: Penalty,
}
