//! A slip was mis-entered: the words as on the board become its next adjudication. Source: NASPA IV.J.1, NSF II.L.4.
//!
//! A correction must not become an oracle: if players could exchange one of two words, the new ruling would reveal the
//! result of the other word. So without a judge players correct only a slip of one word, once, and by at most two
//! tiles. Source: D 9.

use super::context::DecisionContext;
use crate::domain::edit_distance::is_within_two_edits;
use crate::domain::event::{Method, NextOpinion, ReviewReason, SlipCorrected};
use crate::domain::fault::{FaultCode, Faults};
use crate::domain::fields::{Fields, RequestBody};
use crate::domain::lexicon::LexiconName;
use crate::domain::penalty::Penalty;
use crate::domain::probing::{self, ProbingWindows};
use crate::domain::record::{SlipRecord, State};
use crate::domain::refusal::Refusal;
use crate::domain::ruling::Ruling;
use crate::domain::slip::check_words;

/// The words as on the board, as typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Correction {
    pub typed: Vec<String>,
}

/// The result of looking up the corrected words.
#[derive(Clone, Debug)]
pub struct LookedUp {
    pub words: Vec<String>,
    pub lexicon: LexiconName,
    pub ruling: Ruling,
    pub penalty: Option<Penalty>,
}

impl Correction {
    /// Reads a request.
    ///
    /// # Errors
    /// All faults at once, each `invalid-slip`.
    pub fn read(body: &RequestBody) -> Result<Self, Faults> {
        let mut fields = Fields::of(body, FaultCode::InvalidSlip);
        let typed = fields.texts("words");
        check_words(&mut fields, typed.as_deref(), None);
        fields.finish(typed).map(|typed| Self { typed })
    }

    /// Checks that the asker may correct the slip in its present state.
    ///
    /// # Errors
    /// `review-not-allowed`, then `same-judge` and `wrong-state` where it would answer an open review.
    pub fn check(&self, before: &DecisionContext<'_>) -> Result<(), Refusal> {
        if self.typed.len() != before.record.words.len() {
            return refused("a correction has as many words as the slip: none is added or left out");
        }
        if before.record.slip.free_lookup {
            return refused("this was a free look-up: nothing is corrected");
        }
        if before.role.speaks_for_players() {
            return by_players(before);
        }
        let open = before.record.review.as_ref();
        match (before.record.state, open.map(|open| open.next)) {
            (State::Ruled, _) => Ok(()),
            (State::UnderReview, Some(NextOpinion::Lookup)) => {
                before.check_other_person()?;
                before.check_claim()
            }
            (State::UnderReview, _) => refused("the open review asks for another opinion than a look-up"),
            _ => refused("a slip is corrected while its ruling stands and can be reviewed"),
        }
    }

    /// Checks that a player's new word differs from the old one and reveals nothing about another slip. `near` are the
    /// neighbouring slips. Entering an equal word is no correction, and would use up the players' look-up for nothing.
    ///
    /// # Errors
    /// `review-not-allowed`.
    pub fn check_words<'a>(
        before: &DecisionContext<'_>,
        words: &[String],
        near: impl IntoIterator<Item = &'a SlipRecord>,
        probing_windows: ProbingWindows,
    ) -> Result<(), Refusal> {
        if before.role.speaks_for_players() && before.record.words == words {
            return refused("this is the word on the slip already: if you doubt its ruling, ask for a review");
        }
        match probing::revealed_by_correction(before.record, words, near, probing_windows) {
            Some(_) if before.role.speaks_for_players() => {
                refused("this word was ruled on another slip of the same table: call a judge")
            }
            _ => Ok(()),
        }
    }

    /// Checks that the old word can be a mis-entry of the player's new word: a word that differs by more is another
    /// question. Both are given as tiles.
    ///
    /// # Errors
    /// `review-not-allowed`.
    pub fn check_difference(before: &DecisionContext<'_>, old: &[String], new: &[String]) -> Result<(), Refusal> {
        if before.role.speaks_for_players() && !is_within_two_edits(old, new) {
            return refused("this differs from the word on the slip by more than two tiles: call a judge");
        }
        Ok(())
    }

    /// The event that records the correction, after the checks.
    #[must_use]
    pub fn into_event(self, before: DecisionContext<'_>, looked_up: LookedUp) -> SlipCorrected {
        SlipCorrected {
            follows: before.record.follows(),
            review: before.record.review.as_ref().map(|open| open.id.clone()),
            method: Method::of(before.role),
            instead_of: before.record.words.clone(),
            typed: self.typed,
            words: looked_up.words,
            lexicon: looked_up.lexicon,
            ruling: looked_up.ruling,
            penalty: looked_up.penalty,
            same_judge: before.record.review.is_some() && before.has_judged(),
            ends_chain: before.record.next_ends_chain(before.ruleset),
            request: before.request,
            program: crate::PROGRAM.to_owned(),
        }
    }
}

/// Checks the limits of a correction by players: one word, once, and it uses up the players' look-up. Source: D 9,
/// NASPA IV.J.1.
fn by_players(before: &DecisionContext<'_>) -> Result<(), Refusal> {
    if before.record.words.len() > 1 {
        return refused("a slip of several words is corrected by a judge");
    }
    if before.record.asked.corrections > 0 {
        return refused("the players corrected this slip once already: call a judge");
    }
    match before.record.next_opinion_for(ReviewReason::MisEntered, before.ruleset, true)? {
        NextOpinion::Lookup => Ok(()),
        NextOpinion::Manual | NextOpinion::Director => refused("the players' look-up is used up: call the director"),
    }
}

fn refused(why: &str) -> Result<(), Refusal> {
    Err(Refusal::ReviewNotAllowed(why.to_owned()))
}
