//! The set-up that a ruling is based on, so that no ruling is recorded after an entry that contradicts it.

use super::Setup;
use crate::domain::entry::Entry;
use crate::domain::event::{Event, TestDeckRun};
use crate::domain::time::Timestamp;

/// The set-up that a decision is based on. The writer checks it under the write lock when it writes the entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Basis {
    pub tournament: String,
    /// The position of the last set-up entry that the decision knew.
    pub position: i64,
    /// The moment of the last change in force that the decision knew: the entry is not earlier.
    pub switched: Timestamp,
    /// The moment of the next change: the entry is earlier.
    pub until: Option<Timestamp>,
}

impl Setup {
    /// The basis of decisions in a tournament, up to that set-up entry.
    #[must_use]
    pub fn basis(&self, tournament: &str, position: i64) -> Basis {
        let switched = self.tournament(tournament).map_or(Timestamp::from_micros(0), |own| own.switched);
        Basis { tournament: tournament.to_owned(), position, switched, until: self.next_switch(tournament) }
    }
}

impl Basis {
    /// Whether the next change is in force at that moment.
    #[must_use]
    pub fn is_over(&self, at: Timestamp) -> bool {
        self.until.is_some_and(|until| until <= at)
    }

    /// Whether a later set-up entry may contradict a decision that rests on this basis: another lexicon, ruleset, table, test
    /// deck or round of the tournament, another time, or an end or change of what the asker may do. A decision names the
    /// person who signed in, not the device at which they did, so the end of any device counts: their session may have ended
    /// with it.
    #[must_use]
    pub fn is_overtaken_by(&self, entry: &Entry, asker: &str) -> bool {
        let is_own = entry.tournament() == self.tournament;
        match &entry.event {
            Event::RulesetSet(_)
            | Event::ClockConfirmed(_)
            | Event::LexiconEffectiveSet(_)
            | Event::DeviceRevoked(_) => true,
            Event::DivisionSet(_) | Event::RoundSet(_) | Event::TestDeckSet(_) => is_own,
            Event::TestDeckRun(TestDeckRun { passed: false, .. }) => is_own && entry.actor.id == asker,
            Event::TokenRevoked(revoked) => revoked.token == asker,
            Event::StaffReset(staff) | Event::StaffRemoved(staff) => staff.staff == asker,
            Event::DeviceSet(set) => set.device == asker,
            Event::DevicePaired(paired) => paired.device == asker,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::event::{
        DeviceNamed, DevicePaired, DeviceSet, DeviceSetting, SERVER_LOG, SignedIn, StaffNamed, TokenRevoked,
    };
    use crate::domain::ledger::Actor;

    /// Whether an entry that a director wrote in the log `server` since overtakes the asker's decision.
    fn is_overtaken(event: Event, asker: &str) -> bool {
        let (at, switched) = (Timestamp::from_micros(1), Timestamp::from_micros(0));
        let basis = Basis { tournament: "lagos".to_owned(), position: 1, switched, until: None };
        let actor = Actor { id: "d".to_owned(), name: "Dora".to_owned(), role: "director".to_owned() };
        let entry = Entry { log: SERVER_LOG.to_owned(), seq: 7, at, actor, event, in_question: false };
        basis.is_overtaken_by(&entry, asker)
    }

    fn events() -> [(&'static str, Event); 5] {
        let staff = || StaffNamed { staff: "ida".to_owned(), name: "Ida".to_owned() };
        let setting = DeviceSetting { label: "Station 1".to_owned(), ..DeviceSetting::default() };
        let paired = DevicePaired { device: "s1".to_owned(), label: setting.label.clone(), waits: false };
        [
            ("t1", Event::TokenRevoked(TokenRevoked { token: "t1".to_owned(), name: "desk".to_owned() })),
            ("ida", Event::StaffReset(staff())),
            ("ida", Event::StaffRemoved(staff())),
            ("s1", Event::DeviceSet(DeviceSet { device: "s1".to_owned(), setting })),
            ("s1", Event::DevicePaired(paired)),
        ]
    }

    #[test]
    fn a_decision_is_overtaken_by_the_end_or_change_of_what_its_asker_may_do() {
        for (asker, event) in events() {
            assert!(is_overtaken(event, asker));
        }
        let signed_in = SignedIn { staff: "ida".to_owned(), name: "Ida".to_owned(), device: None };
        assert!(!is_overtaken(Event::SignedIn(signed_in), "ida"));
    }

    #[test]
    fn a_decision_stands_when_another_asker_is_revoked() {
        for (_, event) in events() {
            let kind = event.kind();
            assert!(!is_overtaken(event, "another"), "{kind}");
        }
    }

    #[test]
    fn a_decision_is_overtaken_by_the_end_of_a_device_at_which_its_asker_may_have_signed_in() {
        let revoked = DeviceNamed { device: "tablet".to_owned(), label: "Tablet 1".to_owned() };
        assert!(is_overtaken(Event::DeviceRevoked(revoked), "ida"));
    }
}
