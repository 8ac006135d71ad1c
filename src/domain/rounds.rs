//! The rounds of a division: one is open, or for free look-ups. Before the first was opened, slips may name any round.

use std::collections::BTreeMap;

use super::event::RoundState;
use super::time::Timestamp;

/// The rounds of a division that a director opened or closed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rounds {
    states: BTreeMap<i64, RoundState>,
    /// When a round was first opened: before that, slips of any round are accepted.
    first_opened: Option<Timestamp>,
}

impl Rounds {
    /// At most one round is open or for free look-ups: opening one closes the one before.
    pub fn set(&mut self, number: i64, state: RoundState, at: Timestamp) {
        if state != RoundState::Closed {
            self.first_opened.get_or_insert(at);
            for before in self.states.values_mut() {
                *before = RoundState::Closed;
            }
        }
        self.states.insert(number, state);
    }

    /// The round that is open or for free look-ups.
    #[must_use]
    pub fn current(&self) -> Option<(i64, RoundState)> {
        let open = self.states.iter().find(|(_, state)| **state != RoundState::Closed);
        open.map(|(number, state)| (*number, *state))
    }

    /// Whether players only check words in a round.
    #[must_use]
    pub fn is_free(&self, round: Option<i64>) -> bool {
        round.and_then(|round| self.states.get(&round)) == Some(&RoundState::FreeLookup)
    }

    /// When the first round was opened, for play or for free look-ups.
    #[must_use]
    pub fn first_opened(&self) -> Option<Timestamp> {
        self.first_opened
    }

    /// Whether slips of a round are accepted.
    #[must_use]
    pub fn takes(&self, round: Option<i64>) -> bool {
        self.first_opened.is_none() || self.current().is_some_and(|(open, _)| Some(open) == round)
    }
}
