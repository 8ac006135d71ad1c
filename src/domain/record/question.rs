//! Slips in question: an entry of the slip was at or after the first fault of a log when a restore closed the log.
//! Such a slip has no ruling and no penalty until a director settles it. Source: CONTRACT 3.2.

use super::SlipRecord;
use crate::domain::entry::Entry;
use crate::domain::event::{DirectorRuled, Event};

impl SlipRecord {
    /// The record after an entry in question. An entry that is out of place changes nothing else, but the next entry
    /// still follows it, because it is in the ledger.
    pub(super) fn follow_in_question(self, entry: &Entry) -> Self {
        let precedes = entry.event.follows().is_some_and(|follows| self.precedes(follows));
        let followed = precedes.then(|| self.clone().followed(entry)).flatten();
        Self { log: entry.log.clone(), entry: entry.seq, ..followed.unwrap_or(self) }.put_in_question()
    }

    /// Puts the record in question and withholds its penalty.
    pub(super) fn put_in_question(self) -> Self {
        let withheld = self.penalty.or(self.withheld);
        Self { in_question: true, penalty: None, withheld, ..self }
    }

    /// Confirms the recorded rulings and the withheld penalty, as a director's settlement does.
    pub(super) fn keep_recorded(self) -> Self {
        let adjudications = self.adjudications.into_iter().map(|one| super::Adjudication { in_question: false, ..one });
        Self {
            in_question: false,
            penalty: self.withheld,
            withheld: None,
            adjudications: adjudications.collect(),
            ..self
        }
    }
}

impl Entry {
    /// The entry that answers a repeated request, in place of this one; `None` while it is in question. `about` are all
    /// entries of its slip, oldest first. Where a director ruled instead of confirming it, that ruling is the answer.
    #[must_use]
    pub fn settled_by<'entries>(self, about: impl IntoIterator<Item = &'entries Self>) -> Option<Self> {
        if !self.in_question {
            return Some(self);
        }
        let settles = |entry: &&Self| matches!(entry.event, Event::SlipSettled(_) | Event::DirectorRuled(_));
        let mut settling = None;
        for entry in about {
            settling = if entry.in_question { None } else { settling.or(Some(entry).filter(settles)) };
        }
        match &settling?.event {
            Event::SlipSettled(_) => Some(Self { in_question: false, ..self }),
            Event::DirectorRuled(ruled) => {
                Some(Self { in_question: false, event: self.event.with_ruling_of(ruled)?, ..self })
            }
            _ => None,
        }
    }
}

impl Event {
    /// The event with a director's ruling in place of its own; `None` for an event with another result, which stays in
    /// question.
    fn with_ruling_of(mut self, ruled: &DirectorRuled) -> Option<Self> {
        let (ruling, penalty) = (ruled.ruling, ruled.penalty.clone());
        match &mut self {
            Self::SlipRuled(event) => (event.ruling, event.penalty) = (ruling, penalty),
            Self::SlipAdjudicated(event) => (event.ruling, event.penalty) = (ruling, penalty),
            Self::SlipCorrected(event) => (event.ruling, event.penalty) = (ruling, penalty),
            Self::PaperRuled(event) => (event.ruling, event.penalty) = (ruling, penalty),
            Self::DirectorRuled(event) => (event.ruling, event.penalty) = (ruling, penalty),
            Self::SlipReleased(event) => {
                let released = event.ruled.as_mut()?;
                (released.ruling, released.penalty) = (ruling, penalty);
            }
            // These events have no result: they call for a judge, record a claim, or answer nothing.
            Self::SlipHeld(_)
            | Self::SlipAwaitsManualLookup(_)
            | Self::ReviewRequested(_)
            | Self::ItemClaimed(_)
            | Self::ItemGivenBack(_)
            | Self::SlipSettled(_) => {}
            _ => return None,
        }
        Some(self)
    }
}
