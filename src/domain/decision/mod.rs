//! What is said of a slip that is on record: reviews and opinions, corrections, how it ended, what the director rules.
//!
//! Each is read from a request, and then decided on the slip's record as it is: the event, or why not. Nothing here
//! looks a word up; a ruling by look-up is handed in.

mod claim;
mod correction;
mod decisions;
mod disposition;
mod lapse;
mod opinion;
mod question;
mod release;
mod review;
mod ruling;

use super::fault::Faults;
use super::ledger::Actor;
use super::record::SlipRecord;
use super::request::RequestMark;
use super::role::Role;
use super::ruleset::Ruleset;

pub use decisions::{Asker, Decisions, Lexica, SlipAction};
pub use disposition::EndedChallenge;
pub use opinion::OpinionOnIncident;

use claim::{claim, give_back};
use correction::{Correction, LookedUp};
use disposition::Disposal;
use lapse::Lapse;
use opinion::OpinionOnRuling;
use question::{IN_QUESTION, Settlement};
use release::{Decision, Release};
use review::{Answer, ManualLookup, Opinion, ReviewRequest, adjudicated};
use ruling::DirectorsRuling;

const RULINGS: &str = "acceptable or unacceptable";

/// Why something cannot happen to a slip. Each says so in a sentence for people, with the rule where there is one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("{}", .0.first().detail)]
    Faults(Faults),
    #[error("{0}")]
    Forbidden(&'static str),
    #[error("you have given an opinion here already: the next one must come from another person")]
    SameJudge,
    #[error("you asked for this yourself: another person must approve it")]
    SamePerson,
    #[error("this is a game of your own: another person must rule on it")]
    OwnGame,
    #[error("{0}")]
    ReviewNotAllowed(String),
    #[error("{0}")]
    NotInRuleset(String),
    #[error("{0}")]
    WrongState(String),
    #[error("this slip cannot be read by this version: call the director")]
    Unreadable,
    #[error("the words on the board and on the slip differ: settle that first, then correct the slip")]
    WordsDiffer,
}

impl From<Faults> for Refusal {
    fn from(faults: Faults) -> Self {
        Self::Faults(faults)
    }
}

impl Refusal {
    fn wrong_state(why: &str) -> Self {
        Self::WrongState(why.to_owned())
    }
}

/// A slip on which something is decided: as it is, under which rules, by whom.
#[derive(Clone, Debug)]
struct DecisionContext<'a> {
    pub record: &'a SlipRecord,
    pub ruleset: &'a Ruleset,
    pub asker: &'a Actor,
    pub role: Role,
    /// The player that the asker is, where he plays too.
    pub plays: Option<&'a str>,
    /// Whether the asker may judge a slip twice: the event allows it, or has one judge only. Source: D 6.
    pub may_judge_again: bool,
    /// Whether the slip's lexicon covers all its words.
    pub is_covered: bool,
    pub request: Option<RequestMark>,
}

impl DecisionContext<'_> {
    /// Whether the asker has given an opinion on the slip.
    fn has_judged(&self) -> bool {
        self.record.adjudications.iter().any(|one| one.is_by(self.asker))
    }

    /// Nobody rules on a game of his own.
    fn check_other_game(&self) -> Result<(), Refusal> {
        let is_own = self.plays.is_some_and(|own| self.record.is_game_of(own));
        if is_own { Err(Refusal::OwnGame) } else { Ok(()) }
    }

    /// Another person must give the next opinion, and none who plays there. Source: D 6, NSF II.L.6.
    fn check_other_person(&self) -> Result<(), Refusal> {
        self.check_other_game()?;
        if self.has_judged() && !self.may_judge_again { Err(Refusal::SameJudge) } else { Ok(()) }
    }

    /// An item of the queue that somebody took is answered by nobody else.
    fn check_claim(&self) -> Result<(), Refusal> {
        match &self.record.claimed_by {
            Some(holder) if holder.id != self.asker.id => {
                Err(Refusal::WrongState(format!("{} has taken this from the queue", holder.name)))
            }
            _ => Ok(()),
        }
    }
}
