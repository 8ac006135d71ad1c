//! The record of a slip: its entries, folded into its present state.
//!
//! [`SlipRecord::next`] alone (`fold.rs`) decides which entry may follow which state: the entry that leaves a state
//! consumes it. An entry that is out of place makes the whole record unreadable, never another ruling. `chain.rs`
//! decides which reviews players may still request.

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

/// The state of a slip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// The lexicon does not cover a word; a judge has to look it up.
    AwaitingManualLookup,
    /// The slip shares a word with a ruled slip of its table; a judge has to decide on it. Source: D 8.
    Held,
    /// There is a standing ruling.
    Ruled,
    /// There is a standing ruling, and a review is open.
    UnderReview,
    /// There is a standing ruling, and only a director may change it. Source: NSF II.L.6.
    Final,
    /// There is a standing ruling, and the time for reviews is over. Source: NASPA IV.J.1.
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
    /// Who gave the opinion; for one on paper the id is empty.
    pub by: Actor,
    /// The actor of the entry that records the opinion; for one on paper the person who entered it.
    pub recorded_by: Actor,
    pub typed: Vec<String>,
    pub words: Vec<String>,
    /// None where the opinion is no look-up in a lexicon.
    pub lexicon: Option<LexiconName>,
    pub sources: Vec<Source>,
    pub penalty: Option<Penalty>,
    /// Whether the opinion results from a review or a correction.
    pub is_second_look: bool,
    /// Whether the opinion is in question: it is then no ruling.
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

/// How many of their reviews and corrections the players have used up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReviewCounts {
    /// Reviews by look-up, and the players' own correction.
    pub look_ups: usize,
    /// Reviews in other sources, including those with another reason where the lexicon does not cover a word.
    pub manual: usize,
    /// Corrections by the players themselves.
    pub corrections: usize,
    /// Reviews that the director settles.
    pub by_director: usize,
}

/// A slip, as its entries record it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlipRecord {
    pub tournament: String,
    pub slip: FiledSlip,
    /// The lexicon of its division when the slip was filed. It never changes for this slip.
    pub lexicon: LexiconName,
    pub second: Option<LexiconName>,
    pub filed_by: Actor,
    pub filed_at: Timestamp,
    pub state: State,
    /// Whether an entry of the slip is in question and no director has settled it: it then has no ruling and no
    /// penalty.
    pub in_question: bool,
    /// The words of the last adjudication, or those of the slip while there is no adjudication.
    pub words: Vec<String>,
    /// The words as typed when the slip was filed.
    pub typed: Vec<String>,
    pub adjudications: Vec<Adjudication>,
    pub penalty: Option<Penalty>,
    /// While the slip is in question: the penalty that the ledger records.
    pub withheld: Option<Penalty>,
    pub disposition: Option<DispositionKind>,
    /// How the challenge ended without a look-up, and who declared it; none for one that a judge refused.
    pub declared: Option<Disposition>,
    pub review: Option<OpenReview>,
    pub asked: ReviewCounts,
    /// How many opinions there are on the last director's ruling, that ruling included. Source: NASPA II.D.
    pub directors: usize,
    /// The person who has claimed it in the queue.
    pub claimed_by: Option<Actor>,
    /// The last decision on a claim to compensation.
    pub compensation: Option<Decision>,
    /// Slips with which it shares a word; the director is alerted to them.
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

/// Folds the entries of one subject, oldest first, by `next`, which returns `None` where an entry cannot follow. Such
/// an entry is skipped if it is in question. No entries, no record.
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
    /// Whether this actor gave the opinion. The name alone identifies the judge of one on paper.
    #[must_use]
    pub fn is_by(&self, actor: &Actor) -> bool {
        match self.method {
            Method::Paper => player_name::are_same(&actor.name, &self.by.name),
            _ => self.by.id == actor.id,
        }
    }
}

impl SlipRecord {
    /// The reference to this state, for an event that is decided on it.
    #[must_use]
    pub fn follows(&self) -> DecidedOn {
        DecidedOn { slip: self.slip.id.clone(), log: self.log.clone(), seq: self.entry }
    }

    /// The id of the slip's item in the queue, if there is one.
    #[must_use]
    pub fn item(&self) -> Option<&String> {
        match self.state {
            State::AwaitingManualLookup | State::Held => Some(&self.slip.id),
            State::UnderReview => self.review.as_ref().map(|review| &review.id),
            State::Ruled | State::Final | State::Lapsed | State::Disposed => None,
        }
    }

    /// Whether the slip was filed and waits for a judge's ruling.
    #[must_use]
    pub fn waits_for_ruling(&self) -> bool {
        matches!(self.state, State::AwaitingManualLookup | State::Held)
    }

    /// Since when the item is in the queue.
    #[must_use]
    pub fn queued_since(&self) -> Timestamp {
        self.review.as_ref().map_or(self.filed_at, |review| review.opened_at)
    }

    /// The ruling of the last adjudication. A challenge that ended without a look-up and a slip in question have none.
    #[must_use]
    pub fn ruling(&self) -> Option<Ruling> {
        self.adjudications.last().filter(|_| !self.in_question).map(|last| last.ruling)
    }

    /// Whether the slip was ever ruled on, so that another ruling on one of its words could reveal its result: also
    /// while it is in question.
    #[must_use]
    pub fn has_been_ruled(&self) -> bool {
        !self.adjudications.is_empty()
    }

    /// Whether the ruling must be hidden from this role: from judges while an opinion is still to come. Source: D 6.
    #[must_use]
    pub fn is_hidden_from(&self, role: Role) -> bool {
        self.state == State::UnderReview && role == Role::Judge
    }

    /// Whether the slip ever had a review or a correction by players.
    #[must_use]
    pub fn was_reviewed(&self) -> bool {
        self.asked != ReviewCounts::default()
    }

    /// Whether a person plays in the game.
    #[must_use]
    pub fn is_game_of(&self, player: &str) -> bool {
        player_name::is_one_of(player, [&self.slip.challenger, &self.slip.opponent])
    }

    /// Whether the slip is an unsuccessful challenge of that player that carries a penalty. Source: RULES section 3,
    /// escalation.
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

    /// The announcement for the players, once there is a ruling.
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

/// Everything that the players learn of a ruling. It has no result of a single word, so no page can show one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Announcement {
    pub ruling: Ruling,
    pub number: u64,
    pub table: Option<i64>,
    /// The words as entered, normalised.
    pub words: Vec<String>,
    pub lexicon: LexiconName,
    /// None for a free look-up.
    pub penalty: Option<Penalty>,
}
