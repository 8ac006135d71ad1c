//! What a ruling was decided by, so that no ruling is recorded after an entry that contradicts it.

use super::Floor;
use crate::domain::entry::Entry;
use crate::domain::event::{Event, TestDeckRun};
use crate::domain::time::Timestamp;

/// The set-up that something was decided by. It is weighed where the entry is written, under the write lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Basis {
    pub tournament: String,
    /// The last set-up entry that was known.
    pub position: i64,
    /// What was known to have come into force by its day: the entry is not earlier.
    pub switched: Timestamp,
    /// When something else comes into force: the entry is earlier.
    pub until: Option<Timestamp>,
}

impl Floor {
    /// The set-up of a tournament as far as that set-up entry.
    #[must_use]
    pub fn basis(&self, tournament: &str, position: i64) -> Basis {
        let switched = self.tournament(tournament).map_or(Timestamp::from_micros(0), |own| own.switched);
        Basis { tournament: tournament.to_owned(), position, switched, until: self.next_switch(tournament) }
    }
}

impl Basis {
    /// Whether a day has come by then on which something changes.
    #[must_use]
    pub fn is_over(&self, at: Timestamp) -> bool {
        self.until.is_some_and(|until| until <= at)
    }

    /// Whether a later set-up entry may contradict what this asker was told by it: another lexicon, ruleset, table, test deck or round
    /// of the tournament, another time, or that this station is closed.
    #[must_use]
    pub fn is_overtaken_by(&self, entry: &Entry, asker: &str) -> bool {
        let is_own = entry.tournament() == self.tournament;
        match &entry.event {
            Event::RulesetSet(_) | Event::ClockConfirmed(_) | Event::LexiconEffectiveSet(_) => true,
            Event::DivisionSet(_) | Event::RoundSet(_) | Event::TestDeckSet(_) => is_own,
            Event::TestDeckRun(TestDeckRun { passed: false, .. }) => is_own && entry.actor.id == asker,
            _ => false,
        }
    }
}
