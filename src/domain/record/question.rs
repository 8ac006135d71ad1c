//! Slips in question: an entry of theirs was in the part of a log that nobody vouches for when a restore closed it.
//! They have no ruling and no penalty until a director settles them. Source: CONTRACT 3.2.

use super::SlipRecord;
use crate::domain::entry::Entry;
use crate::domain::event::{DirectorRuled, Event};

impl SlipRecord {
    /// The record after an entry in question. One that cannot stand there says nothing; the next entry follows it all
    /// the same, because it lies in the ledger.
    pub(super) fn follow_in_question(self, entry: &Entry) -> Self {
        let precedes = entry.event.follows().is_some_and(|follows| self.precedes(follows));
        let followed = precedes.then(|| self.clone().followed(entry)).flatten();
        Self { log: entry.log.clone(), entry: entry.seq, ..followed.unwrap_or(self) }.put_in_question()
    }

    /// Withholds what it would say.
    pub(super) fn put_in_question(self) -> Self {
        let withheld = self.penalty.or(self.withheld);
        Self { in_question: true, penalty: None, withheld, ..self }
    }

    /// A director keeps what stands there.
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
    /// What an entry says to whoever asks for the answer that it gave; `None` while it is in question. `about` are all
    /// entries of its slip, oldest first. Where a director ruled instead of keeping it, that ruling is the answer.
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
    /// The event with a director's ruling in place of its own. One that answers something else that came of the challenge
    /// has no place for it: nobody vouches for that.
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
            // These answer nothing that came of it: that a judge is asked, who has taken it, or nothing at all.
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
