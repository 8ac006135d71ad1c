//! The record of a slip: its entries, folded into what is true of it now.

use serde::Serialize;
use utoipa::ToSchema;

use super::entry::Entry;
use super::event::{Event, FiledSlip, Follows, Method};
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
    /// There is one, and only a director changes it. Source: NSF II.L.6.
    Final,
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
    /// None for what is no look-up in a lexicon.
    pub lexicon: Option<LexiconName>,
}

/// A slip as its entries tell it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlipRecord {
    pub tournament: String,
    pub slip: FiledSlip,
    /// The lexicon of its division when it was filed. It stays the slip's.
    pub lexicon: LexiconName,
    pub filed_by: Actor,
    pub filed_at: Timestamp,
    pub state: State,
    /// The last adjudication's words, or those of the slip while there is none.
    pub words: Vec<String>,
    pub adjudications: Vec<Adjudication>,
    pub penalty: Option<Penalty>,
    /// The log of its last entry, and the entry's number there.
    pub log: String,
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

impl Adjudication {
    /// An opinion as an entry has it. Its place in the chain is given by the record.
    fn of(entry: &Entry, method: Method, ruling: Ruling, words: &[String]) -> Self {
        Self {
            ordinal: 0,
            method,
            ruling,
            at: entry.at,
            by: entry.actor.clone(),
            typed: Vec::new(),
            words: words.to_vec(),
            lexicon: None,
        }
    }
}

impl SlipRecord {
    /// Folds the entries of one slip, oldest first. No entries, no record.
    ///
    /// # Errors
    /// [`OutOfPlace`] names the first entry that does not fit.
    pub fn fold<'entries>(entries: impl IntoIterator<Item = &'entries Entry>) -> Result<Option<Self>, OutOfPlace> {
        entries.into_iter().try_fold(None, |record, entry| Self::next(record, entry).map(Some))
    }

    /// One step of the fold: what may follow upon what is decided here and nowhere else.
    fn next(record: Option<Self>, entry: &Entry) -> Result<Self, OutOfPlace> {
        let out_of_place = || OutOfPlace { log: entry.log.clone(), seq: entry.seq, kind: entry.event.kind() };
        match (record, &entry.event) {
            (None, Event::SlipRuled(event)) => {
                let record = Self::filed(entry, &event.slip, &event.lexicon, &event.words);
                let first = Adjudication {
                    typed: event.typed.clone(),
                    lexicon: Some(event.lexicon.clone()),
                    ..Adjudication::of(entry, event.method, event.ruling, &event.words)
                };
                Ok(record.ruled(first, &event.penalty, State::Ruled))
            }
            (None, Event::SlipAwaitsManualLookup(event)) => {
                Ok(Self::filed(entry, &event.slip, &event.lexicon, &event.words))
            }
            (Some(record), Event::SlipAdjudicated(event)) if record.precedes(&event.follows) => {
                let next = Adjudication::of(entry, event.method, event.ruling, &event.words);
                match record.state {
                    State::AwaitingManualLookup => Ok(record.at(entry).ruled(next, &event.penalty, State::Ruled)),
                    State::Ruled | State::Final => Err(out_of_place()),
                }
            }
            (Some(record), Event::DirectorRuled(event)) if record.precedes(&event.follows) => {
                let next = Adjudication::of(entry, Method::Director, event.ruling, &event.words);
                Ok(record.at(entry).ruled(next, &event.penalty, State::Final))
            }
            _ => Err(out_of_place()),
        }
    }

    /// Whether an event was decided on this state.
    fn precedes(&self, follows: &Follows) -> bool {
        (&self.slip.id, &self.log, self.entry) == (&follows.slip, &follows.log, follows.seq)
    }

    /// What an event that is decided on this state says of it.
    #[must_use]
    pub fn follows(&self) -> Follows {
        Follows { slip: self.slip.id.clone(), log: self.log.clone(), seq: self.entry }
    }

    fn at(self, entry: &Entry) -> Self {
        Self { log: entry.log.clone(), entry: entry.seq, ..self }
    }

    /// The record with one opinion more, which is the one that stands.
    fn ruled(mut self, next: Adjudication, penalty: &Penalty, state: State) -> Self {
        self.words.clone_from(&next.words);
        self.adjudications.push(Adjudication { ordinal: self.adjudications.len() + 1, ..next });
        Self { penalty: Some(penalty.clone()), state, ..self }
    }

    fn filed(entry: &Entry, slip: &FiledSlip, lexicon: &LexiconName, words: &[String]) -> Self {
        Self {
            tournament: entry.tournament().to_owned(),
            slip: slip.clone(),
            lexicon: lexicon.clone(),
            filed_by: entry.actor.clone(),
            filed_at: entry.at,
            state: State::AwaitingManualLookup,
            words: words.to_vec(),
            adjudications: Vec::new(),
            penalty: None,
            log: entry.log.clone(),
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
            lexicon: last.lexicon.clone()?,
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
