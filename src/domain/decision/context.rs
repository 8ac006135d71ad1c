//! The context of a decision: the record, the ruleset, the asker.

use crate::domain::ledger::Actor;
use crate::domain::record::SlipRecord;
use crate::domain::refusal::Refusal;
use crate::domain::request::RequestMark;
use crate::domain::role::Role;
use crate::domain::ruleset::Ruleset;

/// The values of a ruling, as a fault names them.
pub(super) const RULINGS: &str = "acceptable or unacceptable";

/// Context of a decision: record, ruleset, asker.
#[derive(Clone, Debug)]
pub(super) struct DecisionContext<'a> {
    pub record: &'a SlipRecord,
    pub ruleset: &'a Ruleset,
    pub asker: &'a Actor,
    pub role: Role,
    /// The player that the asker is, if they also play.
    pub plays: Option<&'a str>,
    /// Whether the asker may judge a slip twice: the tournament allows it, or has one judge only. Source: D 6.
    pub may_judge_again: bool,
    /// Whether the slip's lexicon covers all its words.
    pub is_covered: bool,
    pub request: Option<RequestMark>,
}

impl DecisionContext<'_> {
    /// Whether the asker has given an opinion on the slip.
    pub(super) fn has_judged(&self) -> bool {
        self.record.adjudications.iter().any(|one| one.is_by(self.asker))
    }

    /// Checks that the asker does not play in the slip's game: no one rules on their own game.
    pub(super) fn check_other_game(&self) -> Result<(), Refusal> {
        let is_own = self.plays.is_some_and(|own| self.record.is_game_of(own));
        if is_own { Err(Refusal::OwnGame) } else { Ok(()) }
    }

    /// Checks that the asker has not judged the slip and does not play in its game. Source: D 6, NSF II.L.6.
    pub(super) fn check_other_person(&self) -> Result<(), Refusal> {
        self.check_other_game()?;
        if self.has_judged() && !self.may_judge_again { Err(Refusal::SameJudge) } else { Ok(()) }
    }

    /// Checks that no other person has claimed the slip's item in the queue.
    pub(super) fn check_claim(&self) -> Result<(), Refusal> {
        match &self.record.claimed_by {
            Some(holder) if holder.id != self.asker.id => {
                Err(Refusal::WrongState(format!("{} has taken this from the queue", holder.name)))
            }
            _ => Ok(()),
        }
    }
}
