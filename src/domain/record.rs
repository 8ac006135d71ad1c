//! The record of a slip: its entries, folded into what is true of it now.
//!
//! What may follow upon what is decided in [`SlipRecord::next`] and nowhere else (`fold.rs`): each state is consumed by
//! the entry that leaves it. An entry that cannot stand where it does makes the whole record unreadable, never another
//! ruling. What players may still ask for is in `chain.rs`.

mod chain;
mod fold;
mod question;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::compensation::Decision;
use super::entry::Entry;
use super::event::{DecidedOn, Disposition, FiledSlip, Method, NextOpinion, ReviewReason, Source};
use super::ledger::Actor;
use super::lexicon::LexiconName;
use super::penalty::Penalty;
use super::player::Player;
use super::role::Role;
use super::ruleset::DispositionKind;
use super::ruling::Ruling;
use super::time::Timestamp;
use crate::domain::player_name;

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
    /// Whether nobody vouches for it: what it says is then no ruling.
    pub in_question: bool,
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
pub struct ReviewCounts {
    /// Reviews by look-up, and the players' own correction.
    pub look_ups: usize,
    /// Reviews in other sources, also those that were asked for another reason where the lexicon does not cover a word.
    pub manual: usize,
    /// Corrections by the players themselves.
    pub corrections: usize,
    /// Reviews that the director settles.
    pub by_director: usize,
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
    /// Whether an entry of it is in question and no director has settled it: it has no ruling and no penalty then.
    pub in_question: bool,
    /// The last adjudication's words, or those of the slip while there is none.
    pub words: Vec<String>,
    /// What was typed when it was filed.
    pub typed: Vec<String>,
    pub adjudications: Vec<Adjudication>,
    pub penalty: Option<Penalty>,
    /// While it is in question: the penalty that stands in the ledger.
    pub withheld: Option<Penalty>,
    pub disposition: Option<DispositionKind>,
    /// How it ended without a look-up, and who said so; none for one that a judge refused.
    pub declared: Option<Disposition>,
    pub review: Option<OpenReview>,
    pub asked: ReviewCounts,
    /// How many have spoken of the last director's ruling, the director included. Source: NASPA II.D.
    pub directors: usize,
    /// Who holds it in the queue.
    pub claimed_by: Option<Actor>,
    /// The last decision on a claim to compensation.
    pub compensation: Option<Decision>,
    /// Slips with which it shares a word, of which the director is told.
    pub shares: Vec<String>,
    /// The earlier slip of its table that may be a part of the same play.
    pub parts_of: Option<String>,
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

/// Folds the entries of one thing, oldest first, by `next`, which has no answer where an entry cannot follow: one in
/// question is passed over then. No entries, no record.
///
/// # Errors
/// [`OutOfPlace`] names the first entry that does not fit.
pub(super) fn folded<'entries, R: Clone>(
    entries: impl IntoIterator<Item = &'entries Entry>,
    next: impl Fn(Option<R>, &Entry) -> Option<R>,
) -> Result<Option<R>, OutOfPlace> {
    let mut entries = entries.into_iter();
    entries.try_fold(None, |record: Option<R>, entry| match next(record.clone(), entry) {
        Some(next) => Ok(Some(next)),
        None if entry.in_question => Ok(record),
        None => Err(OutOfPlace::of(entry)),
    })
}

impl Adjudication {
    /// Whether somebody gave this opinion. One on paper is known by the name alone.
    #[must_use]
    pub fn is_by(&self, actor: &Actor) -> bool {
        match self.method {
            Method::Paper => player_name::are_same(&actor.name, &self.by.name),
            _ => self.by.id == actor.id,
        }
    }
}

impl SlipRecord {
    /// What an event that is decided on this state says of it.
    #[must_use]
    pub fn follows(&self) -> DecidedOn {
        DecidedOn { slip: self.slip.id.clone(), log: self.log.clone(), seq: self.entry }
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

    /// Whether it was filed and waits for a judge to rule on it.
    #[must_use]
    pub fn waits_for_ruling(&self) -> bool {
        matches!(self.state, State::AwaitingManualLookup | State::Held)
    }

    /// Since when it stands there.
    #[must_use]
    pub fn queued_since(&self) -> Timestamp {
        self.review.as_ref().map_or(self.filed_at, |review| review.opened_at)
    }

    /// The ruling of the last adjudication. A challenge that ended without a look-up has none, nor has a slip in question.
    #[must_use]
    pub fn ruling(&self) -> Option<Ruling> {
        self.adjudications.last().filter(|_| !self.in_question).map(|last| last.ruling)
    }

    /// Whether it was ever ruled on, so that another ruling on one of its words could tell of it: also while it is in
    /// question.
    #[must_use]
    pub fn has_been_ruled(&self) -> bool {
        !self.adjudications.is_empty()
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
        self.asked != ReviewCounts::default()
    }

    /// Whether somebody plays in the game.
    #[must_use]
    pub fn is_game_of(&self, player: &str) -> bool {
        player_name::is_one_of(player, [&self.slip.challenger, &self.slip.opponent])
    }

    /// Whether it was an unsuccessful challenge of that player, for which something was due. Source: RULES section 3, escalation.
    #[must_use]
    pub fn counts_against(&self, player: &str) -> bool {
        let is_by = self.slip.challenger.as_ref().is_some_and(|challenger| player_name::are_same(challenger, player));
        let is_unsuccessful = self.ruling() == Some(Ruling::Acceptable)
            || self.disposition == Some(DispositionKind::ConcededByChallenger);
        is_by && is_unsuccessful && self.penalty.as_ref().is_some_and(|penalty| !penalty.waived)
    }

    /// Whether compensation was granted.
    #[must_use]
    pub fn is_compensated(&self) -> bool {
        matches!(self.compensation, Some(Decision::Granted { .. }))
    }

    /// What the players may see, once there is a ruling.
    #[must_use]
    pub fn announcement(&self) -> Option<Announcement> {
        let last = self.adjudications.last().filter(|_| !self.in_question)?;
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
