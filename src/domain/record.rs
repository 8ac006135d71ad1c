//! The record of a slip: its entries, folded into what is true of it now.
//!
//! What may follow upon what is decided in [`SlipRecord::next`] and nowhere else: each state is consumed by the entry
//! that leaves it. An entry that cannot stand where it does makes the whole record unreadable, never another ruling.

mod chain;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::compensation::Decision;
use super::entry::Entry;
use super::event::{
    Disposition, Event, FiledSlip, Follows, Method, NextOpinion, Player, ReviewReason, SlipReleased, Source,
};
use super::ledger::Actor;
use super::lexicon::LexiconName;
use super::penalty::Penalty;
use super::role::Role;
use super::ruleset::DispositionKind;
use super::ruling::Ruling;
use super::time::Timestamp;

/// Where a slip is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// A word lies outside the lexicon's coverage; a judge has to look it up.
    AwaitingManualLookup,
    /// It shares a word with a ruled slip of its table; a judge has to look at it. Source: D 8.
    Held,
    /// There is a standing ruling.
    Ruled,
    /// There is one, and another opinion is wanted.
    UnderReview,
    /// There is one, and only a director changes it. Source: NSF II.L.6.
    Final,
    /// There is one, and the time for reviews is over. Source: NASPA IV.J.1.
    Lapsed,
    /// The challenge ended without a ruling.
    Disposed,
}

/// One opinion on a slip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adjudication {
    /// Counts the slip's opinions from 1.
    pub ordinal: usize,
    pub method: Method,
    pub ruling: Ruling,
    pub at: Timestamp,
    /// Who gave it; for one given on paper the id is empty.
    pub by: Actor,
    /// The same, as far as the opinion was recorded by somebody.
    pub recorded_by: Actor,
    pub typed: Vec<String>,
    pub words: Vec<String>,
    /// None for what is no look-up in a lexicon.
    pub lexicon: Option<LexiconName>,
    pub sources: Vec<Source>,
    pub penalty: Option<Penalty>,
    /// Whether it came about by a review or a correction.
    pub is_second_look: bool,
}

/// A review that waits for its opinion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenReview {
    pub id: String,
    pub reason: ReviewReason,
    pub requested_by: Player,
    pub suggested_by: Option<String>,
    pub next: NextOpinion,
    pub opened_at: Timestamp,
}

/// What the players have used up of what they may ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Reviews because somebody disagrees or a word was mis-entered, and the players' own correction.
    pub look_ups: usize,
    /// Reviews in other sources.
    pub manual: usize,
    /// Corrections by the players themselves.
    pub corrections: usize,
    /// Reviews that a director granted.
    pub granted: usize,
}

/// A slip as its entries tell it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlipRecord {
    pub tournament: String,
    pub slip: FiledSlip,
    /// The lexicon of its division when it was filed. It stays the slip's.
    pub lexicon: LexiconName,
    pub second: Option<LexiconName>,
    pub filed_by: Actor,
    pub filed_at: Timestamp,
    pub state: State,
    /// The last adjudication's words, or those of the slip while there is none.
    pub words: Vec<String>,
    /// What was typed when it was filed.
    pub typed: Vec<String>,
    pub adjudications: Vec<Adjudication>,
    pub penalty: Option<Penalty>,
    pub disposition: Option<DispositionKind>,
    /// How it ended without a look-up, and who said so; none for one that a judge refused.
    pub declared: Option<Disposition>,
    pub review: Option<OpenReview>,
    pub asked: Asked,
    /// How many have spoken of the last director's ruling, the director included. Source: NASPA II.D.
    pub directors: usize,
    /// Who holds it in the queue.
    pub claimed_by: Option<Actor>,
    /// The last decision on a claim to compensation.
    pub compensation: Option<Decision>,
    /// Ruled slips with which it shares a word.
    pub shares: Vec<String>,
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

impl OutOfPlace {
    pub(super) fn of(entry: &Entry) -> Self {
        Self { log: entry.log.clone(), seq: entry.seq, kind: entry.event.kind() }
    }
}

impl Adjudication {
    /// An opinion as an entry has it. Its place in the chain is given by the record.
    fn of(entry: &Entry, method: Method, ruling: Ruling, words: &[String], penalty: Option<&Penalty>) -> Self {
        Self {
            ordinal: 0,
            method,
            ruling,
            at: entry.at,
            by: entry.actor.clone(),
            recorded_by: entry.actor.clone(),
            typed: Vec::new(),
            words: words.to_vec(),
            lexicon: None,
            sources: Vec::new(),
            penalty: penalty.cloned(),
            is_second_look: false,
        }
    }

    /// Whether somebody gave this opinion. One on paper is known by the name alone.
    #[must_use]
    pub fn is_by(&self, actor: &Actor) -> bool {
        match self.method {
            Method::Paper => self.by.name == actor.name,
            _ => self.by.id == actor.id,
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

    /// One step of the fold.
    ///
    /// # Errors
    /// [`OutOfPlace`] where the entry cannot follow.
    pub fn next(record: Option<Self>, entry: &Entry) -> Result<Self, OutOfPlace> {
        match record {
            None => Self::begun(entry).ok_or_else(|| OutOfPlace::of(entry)),
            Some(record) if entry.event.follows().is_some_and(|follows| record.precedes(follows)) => {
                record.followed(entry).ok_or_else(|| OutOfPlace::of(entry))
            }
            Some(_) => Err(OutOfPlace::of(entry)),
        }
    }

    /// The record that begins with an entry; `None` where the entry files no slip.
    fn begun(entry: &Entry) -> Option<Self> {
        let slip = entry.event.slip()?;
        let filed = Self {
            tournament: entry.tournament().to_owned(),
            slip: slip.clone(),
            lexicon: entry.event.lexicon()?.clone(),
            second: None,
            filed_by: entry.actor.clone(),
            filed_at: entry.at,
            state: State::AwaitingManualLookup,
            words: Vec::new(),
            typed: Vec::new(),
            adjudications: Vec::new(),
            penalty: None,
            disposition: None,
            declared: None,
            review: None,
            asked: Asked::default(),
            directors: 0,
            claimed_by: None,
            compensation: None,
            shares: Vec::new(),
            log: entry.log.clone(),
            entry: entry.seq,
        };
        match &entry.event {
            Event::SlipRuled(event) => {
                let first = Adjudication {
                    typed: event.typed.clone(),
                    lexicon: Some(event.lexicon.clone()),
                    ..Adjudication::of(entry, event.method, event.ruling, &event.words, event.penalty.as_ref())
                };
                let (second, shares) = (event.second.clone(), event.shares.clone());
                Some(Self { second, shares, typed: event.typed.clone(), ..filed }.ruled(first, State::Ruled))
            }
            Event::SlipAwaitsManualLookup(event) => Some(Self {
                second: event.second.clone(),
                words: event.words.clone(),
                typed: event.typed.clone(),
                ..filed
            }),
            Event::SlipHeld(event) => Some(Self {
                state: State::Held,
                second: event.second.clone(),
                words: event.words.clone(),
                typed: event.typed.clone(),
                shares: event.shares.clone(),
                ..filed
            }),
            Event::PaperRuled(event) => {
                let by = Actor { id: String::new(), name: event.given_by.clone(), role: Role::Judge.to_string() };
                let first = Adjudication {
                    at: Timestamp::parse(&event.given_at).ok()?,
                    by,
                    typed: event.typed.clone(),
                    ..Adjudication::of(entry, Method::Paper, event.ruling, &event.words, event.penalty.as_ref())
                };
                let second = event.second.clone();
                Some(Self { second, typed: event.typed.clone(), ..filed }.ruled(first, State::Ruled))
            }
            Event::ChallengeDisposed(event) => {
                let disposed = filed.disposed(event.disposition.kind, event.penalty.clone());
                Some(Self { words: event.words.clone(), declared: Some(event.disposition.clone()), ..disposed })
            }
            _ => None,
        }
    }

    /// The record after an entry that was decided on it; `None` where that cannot follow.
    fn followed(self, entry: &Entry) -> Option<Self> {
        use State::{AwaitingManualLookup, Disposed, Final, Held, Lapsed, Ruled, UnderReview};
        let record = Self { log: entry.log.clone(), entry: entry.seq, ..self };
        match (record.state, &entry.event) {
            (AwaitingManualLookup | UnderReview, Event::SlipAdjudicated(event))
                if record.answers(event.review.as_deref()) =>
            {
                let next = Adjudication {
                    lexicon: event.lexicon.clone(),
                    sources: event.sources.clone(),
                    is_second_look: record.state == UnderReview,
                    ..Adjudication::of(entry, event.method, event.ruling, &event.words, event.penalty.as_ref())
                };
                Some(record.judged(next, event.ends_chain))
            }
            (Ruled | UnderReview, Event::SlipCorrected(event)) if record.answers(event.review.as_deref()) => {
                let next = Adjudication {
                    typed: event.typed.clone(),
                    lexicon: Some(event.lexicon.clone()),
                    is_second_look: true,
                    ..Adjudication::of(entry, event.method, event.ruling, &event.words, event.penalty.as_ref())
                };
                let by_players = usize::from(event.method == Method::SelfLookup);
                let Asked { look_ups, corrections, .. } = record.asked;
                let (look_ups, corrections) = (look_ups + by_players, corrections + by_players);
                let asked = Asked { look_ups, corrections, ..record.asked };
                Some(Self { asked, ..record }.judged(next, event.ends_chain))
            }
            (Held, Event::SlipReleased(event)) => Some(record.released(entry, event)),
            (Ruled, Event::ReviewRequested(event)) => {
                let review = OpenReview {
                    id: event.review.clone(),
                    reason: event.reason,
                    requested_by: event.requested_by,
                    suggested_by: event.suggested_by.clone(),
                    next: event.next,
                    opened_at: entry.at,
                };
                let asked = record.asked.with(event.reason);
                Some(Self { review: Some(review), asked, state: UnderReview, ..record })
            }
            (Ruled | UnderReview, Event::SlipLapsed(_)) => Some(record.settled(Lapsed)),
            (AwaitingManualLookup | Held, Event::SlipDisposed(event)) => {
                let disposed = record.disposed(event.disposition.kind, event.penalty.clone());
                Some(Self { declared: Some(event.disposition.clone()), ..disposed })
            }
            (AwaitingManualLookup | Held | Ruled | UnderReview | Final | Lapsed, Event::DirectorRuled(event)) => {
                let (ruling, penalty) = (event.ruling, event.penalty.as_ref());
                let next = Adjudication::of(entry, Method::Director, ruling, &event.words, penalty);
                Some(Self { directors: 1, ..record }.ruled(next, Final))
            }
            (Final, Event::DirectorsRulingReviewed(event)) if record.next_opinion() == Some(event.ordinal) => {
                let (ruling, penalty) = (event.ruling, event.penalty.as_ref());
                let next = Adjudication::of(entry, Method::Director, ruling, &event.words, penalty);
                Some(Self { directors: event.ordinal, ..record }.ruled(next, Final))
            }
            (Ruled | Final | Lapsed, Event::CompensationDecided(event)) if !record.is_compensated() => {
                Some(Self { compensation: Some(event.decision.clone()), ..record })
            }
            (AwaitingManualLookup | Held | UnderReview, Event::ItemClaimed(event))
                if record.item() == Some(&event.item) =>
            {
                Some(Self { claimed_by: Some(entry.actor.clone()), ..record })
            }
            (AwaitingManualLookup | Held | UnderReview, Event::ItemGivenBack(event))
                if record.item() == Some(&event.item) =>
            {
                Some(Self { claimed_by: None, ..record })
            }
            (Disposed | AwaitingManualLookup | Held | Ruled | UnderReview | Final | Lapsed, _) => None,
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

    /// Whether an opinion answers the open review, or there is none and it answers none.
    fn answers(&self, review: Option<&str>) -> bool {
        self.review.as_ref().map(|open| open.id.as_str()) == review
    }

    /// The record with one opinion more, which is the one that stands and answers whatever was open.
    fn ruled(mut self, next: Adjudication, state: State) -> Self {
        self.words.clone_from(&next.words);
        self.penalty.clone_from(&next.penalty);
        self.adjudications.push(Adjudication { ordinal: self.adjudications.len() + 1, ..next });
        self.settled(state)
    }

    /// The same, where the chain of opinions may end with it.
    fn judged(self, next: Adjudication, ends_chain: bool) -> Self {
        self.ruled(next, if ends_chain { State::Final } else { State::Ruled })
    }

    fn released(self, entry: &Entry, event: &SlipReleased) -> Self {
        match &event.ruled {
            None => self.disposed(DispositionKind::Refused, None),
            Some(released) => {
                let first = Adjudication {
                    typed: self.typed.clone(),
                    lexicon: Some(released.lexicon.clone()),
                    ..Adjudication::of(entry, Method::Lookup, released.ruling, &self.words, released.penalty.as_ref())
                };
                self.ruled(first, State::Ruled)
            }
        }
    }

    fn disposed(self, kind: DispositionKind, penalty: Option<Penalty>) -> Self {
        Self { disposition: Some(kind), penalty, ..self.settled(State::Disposed) }
    }

    /// Whatever was open is not any more.
    fn settled(self, state: State) -> Self {
        Self { state, review: None, claimed_by: None, ..self }
    }

    /// The id under which it stands in the queue, if it does.
    #[must_use]
    pub fn item(&self) -> Option<&String> {
        match self.state {
            State::AwaitingManualLookup | State::Held => Some(&self.slip.id),
            State::UnderReview => self.review.as_ref().map(|review| &review.id),
            State::Ruled | State::Final | State::Lapsed | State::Disposed => None,
        }
    }

    /// Since when it stands there.
    #[must_use]
    pub fn waits_since(&self) -> Timestamp {
        self.review.as_ref().map_or(self.filed_at, |review| review.opened_at)
    }

    /// The ruling of the last adjudication. A challenge that ended without a look-up has none.
    #[must_use]
    pub fn ruling(&self) -> Option<Ruling> {
        self.adjudications.last().map(|last| last.ruling)
    }

    /// Whether somebody in this role must not see what was ruled: a judge whose own opinion is still to come.
    /// Source: D 6.
    #[must_use]
    pub fn is_hidden_from(&self, role: Role) -> bool {
        self.state == State::UnderReview && role == Role::Judge
    }

    /// Whether players ever asked for another opinion, or entered the words anew.
    #[must_use]
    pub fn was_reviewed(&self) -> bool {
        self.asked != Asked::default()
    }

    /// Whether compensation was granted.
    #[must_use]
    pub fn is_compensated(&self) -> bool {
        matches!(self.compensation, Some(Decision::Granted { .. }))
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
            penalty: self.penalty.clone(),
        })
    }
}

impl Asked {
    fn with(self, reason: ReviewReason) -> Self {
        match reason {
            ReviewReason::Disagree | ReviewReason::MisEntered => Self { look_ups: self.look_ups + 1, ..self },
            ReviewReason::MachineDoubted | ReviewReason::OtherSource => Self { manual: self.manual + 1, ..self },
            ReviewReason::Director => Self { granted: self.granted + 1, ..self },
        }
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
    /// None for a free look-up.
    pub penalty: Option<Penalty>,
}
