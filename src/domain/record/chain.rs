//! The chain of opinions: which reviews players may still ask for, and where the chain ends.

use super::{SlipRecord, State};
use crate::domain::event::{NextOpinion, ReviewReason};
use crate::domain::refusal::Refusal;
use crate::domain::ruleset::{Chain, Ruleset, Then, citation};

impl SlipRecord {
    /// How the opinion of a review for this reason would be formed. `is_covered` says whether the slip's lexicon covers
    /// all its words: where it does not, only other sources can decide. Source: RULES section 3, reviews.
    ///
    /// # Errors
    /// `review-not-allowed`, with the rule.
    pub fn next_opinion_for(
        &self,
        reason: ReviewReason,
        ruleset: &Ruleset,
        is_covered: bool,
    ) -> Result<NextOpinion, Refusal> {
        if reason == ReviewReason::OtherSource && ruleset.not_found.then != Then::OnRequest {
            let cited = citation(&ruleset.not_found.rule);
            let why = format!("{} has no cross-check in other sources{cited}", ruleset.title);
            return Err(Refusal::ReviewNotAllowed(why));
        }
        self.takes_reviews()?;
        self.next_in_chain(reason, ruleset, is_covered)
    }

    /// Checks that the state allows a review at all.
    fn takes_reviews(&self) -> Result<(), Refusal> {
        let why = match self.state {
            _ if self.in_question => "this slip is in question: a director settles it first",
            State::Ruled if self.slip.free_lookup => "this was a free look-up: there is nothing to review",
            State::Ruled => return Ok(()),
            State::AwaitingManualLookup | State::Held => "there is no ruling yet",
            State::UnderReview => "a review is open already: wait for its opinion",
            State::Final => "the ruling is final; only a director changes it",
            State::Lapsed => "the time for reviews is over",
            State::Disposed => "the challenge ended without a ruling",
        };
        Err(Refusal::ReviewNotAllowed(why.to_owned()))
    }

    fn next_in_chain(&self, reason: ReviewReason, ruleset: &Ruleset, is_covered: bool) -> Result<NextOpinion, Refusal> {
        let wanted = match reason {
            ReviewReason::Director => return Ok(NextOpinion::Director),
            ReviewReason::Disagree | ReviewReason::MisEntered if is_covered => NextOpinion::Lookup,
            ReviewReason::Disagree
            | ReviewReason::MisEntered
            | ReviewReason::MachineDoubted
            | ReviewReason::OtherSource => NextOpinion::Manual,
        };
        let cited = citation(&ruleset.reviews.rule);
        let over = |why: &str| Err(Refusal::ReviewNotAllowed(format!("{why}{cited}; a director may grant a review")));
        match ruleset.reviews.chain {
            Chain::ThirdIfTheyDiffer => match self.adjudications.as_slice() {
                [_] => Ok(wanted),
                [first, second] if first.ruling != second.ruling => Ok(wanted),
                [_, _] => over("two opinions agree, so there is no third"),
                _ => over("the third opinion has decided"),
            },
            Chain::ThenTheDirector if self.asked.look_ups + self.asked.manual == 0 => Ok(wanted),
            Chain::ThenTheDirector => Ok(NextOpinion::Director),
            Chain::OneLookUpAndOneManual => match wanted {
                NextOpinion::Manual if self.asked.manual > 0 => {
                    over("the words were looked up in other sources already")
                }
                NextOpinion::Lookup if self.asked.look_ups > 0 => over("the words were looked up again already"),
                _ => Ok(wanted),
            },
        }
    }

    /// Whether the chain ends with the next opinion. Source: NSF II.L.6.
    #[must_use]
    pub fn next_ends_chain(&self, ruleset: &Ruleset) -> bool {
        match ruleset.reviews.chain {
            Chain::ThirdIfTheyDiffer => self.adjudications.len() >= 2,
            Chain::ThenTheDirector | Chain::OneLookUpAndOneManual => false,
        }
    }

    /// The ordinal of the next opinion on the director's ruling, which counts as 1: a second, and a third only where
    /// the first two differ. Source: NASPA II.D.
    #[must_use]
    pub fn next_opinion(&self) -> Option<usize> {
        match (self.directors, self.adjudications.as_slice()) {
            (1, _) => Some(2),
            (2, [.., first, second]) if first.ruling != second.ruling => Some(3),
            _ => None,
        }
    }

    /// The opinions on the last director's ruling, that ruling first.
    #[must_use]
    pub fn directors_chain(&self) -> &[super::Adjudication] {
        let from = self.adjudications.len().saturating_sub(self.directors);
        self.adjudications.get(from..).unwrap_or_default()
    }
}
