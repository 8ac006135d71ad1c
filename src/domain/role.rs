//! The roles of askers, and the permissions of each role.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The five kinds of asker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// A device at which players look up words.
    Station,
    /// A word judge.
    Judge,
    Director,
    /// A person who reads everything and changes nothing.
    Observer,
    /// Another program.
    Client,
}

/// A permission that a route needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    FileSlip,
    /// Resolve a request whose answer was lost.
    ResolveKey,
    ReadSlip,
    /// Request a review of a slip, correct it, or declare that the challenge ended without a look-up.
    SpeakOfSlip,
    /// Give an opinion on a slip as a word judge, release a held slip, declare a lapse, work off the queue.
    AdjudicateSlip,
    /// Overrule, decide on compensation, rule on incidents. Source: NSF II.L.6, NSF II.L.7.
    RuleOnSlip,
    /// Open and close rounds, set divisions.
    SetUp,
    /// Confirm that the machine's clock is right.
    ConfirmClock,
    /// Approve another person's act, where two persons are needed.
    Approve,
    /// Add and remove staff and devices.
    ManagePeople,
    /// Choose one's own passphrase. A judge has a PIN, which the server draws.
    ChoosePassphrase,
    /// Call a judge to a table.
    Call,
    /// Run a test deck at the station: plays whose rulings are known.
    RunTestDeck,
    /// Read everything that was ever recorded.
    Audit,
    /// Follow the stream of events.
    Follow,
    /// See which word of a slip is listed, which is hidden from the players. Source: NSF II.L.5.
    SeeWords,
    ListLexicons,
}

impl Role {
    pub const ALL: [Self; 5] = [Self::Station, Self::Judge, Self::Director, Self::Observer, Self::Client];

    /// The permission table, whole.
    #[must_use]
    pub const fn may(self, action: Action) -> bool {
        match action {
            Action::FileSlip | Action::SpeakOfSlip => !matches!(self, Self::Observer),
            Action::ResolveKey => self.needs_key(),
            Action::ReadSlip | Action::ListLexicons => true,
            Action::Call | Action::RunTestDeck => matches!(self, Self::Station),
            Action::Follow => !matches!(self, Self::Client),
            Action::AdjudicateSlip | Action::Approve => matches!(self, Self::Judge | Self::Director),
            Action::RuleOnSlip | Action::SetUp | Action::ConfirmClock | Action::ManagePeople => {
                matches!(self, Self::Director)
            }
            Action::Audit | Action::SeeWords | Action::ChoosePassphrase => {
                matches!(self, Self::Director | Self::Observer)
            }
        }
    }

    /// Whether a writing request needs an `Idempotency-Key`: programs and devices repeat requests automatically, a
    /// person at a page does not.
    #[must_use]
    pub const fn needs_key(self) -> bool {
        self.speaks_for_players()
    }

    /// Whether requests of this role come from the players and not from a judge.
    #[must_use]
    pub const fn speaks_for_players(self) -> bool {
        matches!(self, Self::Station | Self::Client)
    }

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Station => "station",
            Self::Judge => "judge",
            Self::Director => "director",
            Self::Observer => "observer",
            Self::Client => "client",
        }
    }

    /// The role of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == name)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_director_and_observer_see_single_words() {
        let seeing: Vec<Role> = Role::ALL.into_iter().filter(|role| role.may(Action::SeeWords)).collect();
        assert_eq!(seeing, [Role::Director, Role::Observer]);
    }

    #[test]
    fn an_observer_files_nothing() {
        assert!(!Role::Observer.may(Action::FileSlip));
        assert!(Role::ALL.into_iter().filter(|role| role.may(Action::FileSlip)).count() == 4);
    }

    #[test]
    fn a_role_is_found_by_its_name() {
        for role in Role::ALL {
            assert_eq!(Role::named(role.as_str()), Some(role));
        }
        assert_eq!(Role::named("player"), None);
    }
}
