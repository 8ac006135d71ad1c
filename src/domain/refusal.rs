//! The reasons to refuse an action on a slip.

use super::fault::Faults;

/// Why an action on a slip is refused. Each refusal is a sentence for people, with the rule where there is one.
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
    #[must_use]
    pub fn wrong_state(why: &str) -> Self {
        Self::WrongState(why.to_owned())
    }
}
