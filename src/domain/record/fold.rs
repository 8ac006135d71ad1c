//! The fold, entry by entry: which entry may follow which state, and the state that results.

use super::{Adjudication, OpenReview, OutOfPlace, ReviewCounts, SlipRecord, State};
use crate::domain::entry::Entry;
use crate::domain::event::{DecidedOn, Event, Method, NextOpinion, SlipReleased};
use crate::domain::ledger::Actor;
use crate::domain::penalty::Penalty;
use crate::domain::role::Role;
use crate::domain::ruleset::DispositionKind;
use crate::domain::ruling::Ruling;
use crate::domain::time::Timestamp;

impl Adjudication {
    /// The opinion of an entry. The record assigns its position in the chain.
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
            in_question: entry.in_question,
        }
    }
}

impl SlipRecord {
    /// Folds the entries of one slip, oldest first. No entries, no record.
    ///
    /// # Errors
    /// [`OutOfPlace`] names the first entry that does not fit.
    pub fn fold<'entries>(entries: impl IntoIterator<Item = &'entries Entry>) -> Result<Option<Self>, OutOfPlace> {
        entries.into_iter().try_fold(None, |record, entry| match (&record, Self::next(record.clone(), entry)) {
            // Where the first entry is lost, the entries after it cannot be folded.
            (None, Err(_)) if entry.in_question => Ok(None),
            (_, next) => next.map(Some),
        })
    }

    /// One step of the fold.
    ///
    /// # Errors
    /// [`OutOfPlace`] where the entry cannot follow.
    pub fn next(record: Option<Self>, entry: &Entry) -> Result<Self, OutOfPlace> {
        match record {
            None => {
                let begun = Self::begun(entry).ok_or_else(|| OutOfPlace::of(entry))?;
                Ok(if entry.in_question { begun.put_in_question() } else { begun })
            }
            Some(record) if entry.in_question => Ok(record.follow_in_question(entry)),
            Some(record) if entry.event.follows().is_some_and(|follows| record.precedes(follows)) => {
                let next = record.followed(entry).ok_or_else(|| OutOfPlace::of(entry))?;
                Ok(if next.in_question { next.put_in_question() } else { next })
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
            in_question: false,
            words: Vec::new(),
            typed: Vec::new(),
            adjudications: Vec::new(),
            penalty: None,
            withheld: None,
            disposition: None,
            declared: None,
            review: None,
            asked: ReviewCounts::default(),
            directors: 0,
            claimed_by: None,
            compensation: None,
            shares: Vec::new(),
            parts_of: None,
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
                let (second, shares, parts_of) = (event.second.clone(), event.shares.clone(), event.parts_of.clone());
                let typed = event.typed.clone();
                Some(Self { second, typed, shares, parts_of, ..filed }.ruled(first, State::Ruled))
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
                parts_of: event.parts_of.clone(),
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

    /// The record after an entry that was decided on it; `None` where the entry cannot follow.
    pub(super) fn followed(self, entry: &Entry) -> Option<Self> {
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
                let ReviewCounts { look_ups, corrections, .. } = record.asked;
                let (look_ups, corrections) = (look_ups + by_players, corrections + by_players);
                let asked = ReviewCounts { look_ups, corrections, ..record.asked };
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
                let asked = record.asked.with(event.next);
                Some(Self { review: Some(review), asked, state: UnderReview, ..record })
            }
            (Ruled | UnderReview, Event::SlipLapsed(_)) => Some(record.with_state(Lapsed)),
            (AwaitingManualLookup | Held, Event::SlipDisposed(event)) => {
                let disposed = record.disposed(event.disposition.kind, event.penalty.clone());
                Some(Self { declared: Some(event.disposition.clone()), ..disposed })
            }
            (state, Event::DirectorRuled(event)) if state != Disposed || record.in_question => {
                let (ruling, penalty) = (event.ruling, event.penalty.as_ref());
                let next = Adjudication::of(entry, Method::Director, ruling, &event.words, penalty);
                let ended = Self { directors: 1, disposition: None, declared: None, ..record };
                Some(Self { in_question: false, withheld: None, ..ended }.ruled(next, Final))
            }
            (_, Event::SlipSettled(_)) if record.in_question => Some(record.keep_recorded()),
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
    pub(super) fn precedes(&self, follows: &DecidedOn) -> bool {
        (&self.slip.id, &self.log, self.entry) == (&follows.slip, &follows.log, follows.seq)
    }

    /// Whether an opinion answers the open review, or there is none and it answers none.
    fn answers(&self, review: Option<&str>) -> bool {
        self.review.as_ref().map(|open| open.id.as_str()) == review
    }

    /// The record with one more opinion, which stands and closes any open review.
    fn ruled(mut self, next: Adjudication, state: State) -> Self {
        self.words.clone_from(&next.words);
        self.penalty.clone_from(&next.penalty);
        self.adjudications.push(Adjudication { ordinal: self.adjudications.len() + 1, ..next });
        self.with_state(state)
    }

    /// Adds an opinion like [`ruled`](Self::ruled), with which the chain of opinions may end.
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
        Self { disposition: Some(kind), penalty, ..self.with_state(State::Disposed) }
    }

    /// The record in another state, without an open review or claim.
    fn with_state(self, state: State) -> Self {
        Self { state, review: None, claimed_by: None, ..self }
    }
}

impl ReviewCounts {
    /// The counts with one more review. It counts by the way its opinion is formed, not by its reason. Source: NASPA
    /// IV.J.1.
    fn with(self, next: NextOpinion) -> Self {
        match next {
            NextOpinion::Lookup => Self { look_ups: self.look_ups + 1, ..self },
            NextOpinion::Manual => Self { manual: self.manual + 1, ..self },
            NextOpinion::Director => Self { by_director: self.by_director + 1, ..self },
        }
    }
}
