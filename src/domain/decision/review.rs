//! Reviews: the players or a director request another opinion, and another person gives it.

use crate::domain::player::Player;
use serde::Deserialize;

use super::context::{DecisionContext, RULINGS};
use crate::domain::event::{Method, NextOpinion, ReviewReason, ReviewRequested, SlipAdjudicated, Source};
use crate::domain::fault::{FaultCode, Faults};
use crate::domain::fields::{Fields, RequestBody};
use crate::domain::lexicon::LexiconName;
use crate::domain::penalty::Penalty;
use crate::domain::player_name::MAX_NAME_CHARS;
use crate::domain::player_name::NamePolicy;
use crate::domain::record::State;
use crate::domain::refusal::Refusal;
use crate::domain::role::Role;
use crate::domain::ruling::Ruling;
use crate::domain::slip::{are_same_words, check_words};

/// The most sources that a judge may name.
const MAX_SOURCES: usize = 10;

/// A request for another opinion. Source: NSF II.L.6, NASPA IV.J.1, INSA Challenges, D 5.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewRequest {
    pub requested_by: Player,
    pub reason: ReviewReason,
    /// The spectator who suggested the review: a spectator cannot request one. Source: NSF II.Q.
    pub suggested_by: Option<String>,
}

impl ReviewRequest {
    /// Reads a request.
    ///
    /// # Errors
    /// All faults at once, each `invalid-request`.
    pub fn read(body: &RequestBody) -> Result<Self, Faults> {
        let mut fields = Fields::of(body, FaultCode::InvalidRequest);
        let requested_by = fields.required_choice("requested_by", "challenger or opponent");
        let reasons = "disagree, mis-entered, machine-doubted, other-source or director";
        let reason = fields.required_choice("reason", reasons);
        let suggested_by = fields.name("suggested_by");
        let read = requested_by.zip(reason);
        fields.finish(read).map(|(requested_by, reason)| Self { requested_by, reason, suggested_by })
    }

    /// The request with the spectator's name shortened by the tournament's name policy.
    #[must_use]
    pub fn with_names(self, names: NamePolicy) -> Self {
        Self { suggested_by: names.apply(self.suggested_by), ..self }
    }

    /// The event that opens the review `id`.
    ///
    /// # Errors
    /// `forbidden`, `own-game` where a director would grant a review of their own game, `review-not-allowed`, in this
    /// order.
    pub fn into_event(self, before: DecisionContext<'_>, id: String) -> Result<ReviewRequested, Refusal> {
        if self.reason == ReviewReason::Director && before.role != Role::Director {
            return Err(Refusal::Forbidden("only a director grants a review beyond the rules"));
        }
        if self.reason == ReviewReason::Director {
            before.check_other_game()?;
        }
        let next = before.record.next_opinion_for(self.reason, before.ruleset, before.is_covered)?;
        Ok(ReviewRequested {
            follows: before.record.follows(),
            review: id,
            requested_by: self.requested_by,
            reason: self.reason,
            suggested_by: self.suggested_by,
            next,
            request: before.request,
            program: crate::PROGRAM.to_owned(),
        })
    }
}

/// A manual look-up: what a person found in other sources. The ruling is the judge's for the whole slip.
/// Source: NSF I.A.1.b.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManualLookup {
    pub ruling: Ruling,
    /// At least one.
    pub sources: Vec<Source>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum OnlyManual {
    Manual,
}

impl ManualLookup {
    /// Reads a request.
    ///
    /// # Errors
    /// All faults at once, each `invalid-request`.
    pub fn read(body: &RequestBody) -> Result<Self, Faults> {
        let mut fields = Fields::of(body, FaultCode::InvalidRequest);
        fields.required_choice::<OnlyManual>("method", "manual: nothing is looked up here");
        let read = Self::rest_of(&mut fields);
        fields.finish(read)
    }

    fn rest_of(fields: &mut Fields<'_>) -> Option<Self> {
        let ruling = fields.required_choice("ruling", RULINGS);
        let sources = fields.objects("sources", MAX_SOURCES, source);
        ruling.zip(sources).map(|(ruling, sources)| Self { ruling, sources })
    }

    /// Checks that the slip awaits a manual look-up.
    ///
    /// # Errors
    /// `wrong-state` where it does not, or another judge has claimed it.
    pub fn check_waiting(before: &DecisionContext<'_>) -> Result<(), Refusal> {
        if before.record.state != State::AwaitingManualLookup {
            return Err(Refusal::wrong_state("this slip does not wait for a manual look-up"));
        }
        before.check_claim()
    }

    /// The event that gives a waiting slip its ruling, after the check.
    #[must_use]
    pub fn of_waiting(self, before: DecisionContext<'_>, penalty: Option<Penalty>) -> SlipAdjudicated {
        let Self { ruling, sources } = self;
        adjudicated(before, Opinion { method: Method::Manual, ruling, lexicon: None, sources, penalty })
    }
}

fn source(fields: &mut Fields<'_>) -> Option<Source> {
    let title = fields.required_text("title", MAX_NAME_CHARS);
    let edition = fields.text("edition", MAX_NAME_CHARS).unwrap_or_default();
    let entry = fields.text("entry", MAX_NAME_CHARS).unwrap_or_default();
    title.map(|title| Source { title, edition, entry })
}

/// A judge's answer to an open review.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Looks up the slip's words again, as typed from the board if the judge read them there.
    Lookup {
        board: Option<Vec<String>>,
    },
    Manual(ManualLookup),
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Way {
    Lookup,
    Manual,
}

impl Answer {
    /// Reads a request.
    ///
    /// # Errors
    /// All faults at once, each `invalid-request`.
    pub fn read(body: &RequestBody) -> Result<Self, Faults> {
        let mut fields = Fields::of(body, FaultCode::InvalidRequest);
        let read = match fields.required_choice("method", "lookup or manual") {
            Some(Way::Lookup) => {
                let board = fields.texts("words");
                if board.is_some() {
                    check_words(&mut fields, board.as_deref(), None);
                }
                Some(Self::Lookup { board })
            }
            Some(Way::Manual) => ManualLookup::rest_of(&mut fields).map(Self::Manual),
            None => None,
        };
        fields.finish(read)
    }

    /// Checks that the asker may answer the review `id` in this way. `board` are the words as read from the board.
    ///
    /// # Errors
    /// `wrong-state` for a closed review, `same-judge`, `wrong-state` for another method or a claim, `words-differ`,
    /// in this order.
    pub fn check(&self, before: &DecisionContext<'_>, id: &str, board: Option<&[String]>) -> Result<(), Refusal> {
        let Some(open) = before.record.review.as_ref().filter(|open| open.id == id) else {
            return Err(Refusal::wrong_state("this review is closed"));
        };
        before.check_other_person()?;
        match (open.next, self) {
            (NextOpinion::Lookup, Self::Lookup { .. }) | (NextOpinion::Manual, Self::Manual(_)) => {}
            (NextOpinion::Lookup, _) => return Err(Refusal::wrong_state("this review asks for a look-up")),
            (NextOpinion::Manual, _) => {
                return Err(Refusal::wrong_state("this review asks for a look-up in other sources"));
            }
            (NextOpinion::Director, _) => {
                return Err(Refusal::wrong_state("this review asks for the director, who settles it by a ruling"));
            }
        }
        before.check_claim()?;
        match board {
            Some(board) if !are_same_words(board, &before.record.words) => Err(Refusal::WordsDiffer),
            _ => Ok(()),
        }
    }
}

/// An opinion that answers an open review or a manual look-up.
#[derive(Clone, Debug)]
pub struct Opinion {
    pub method: Method,
    pub ruling: Ruling,
    /// The lexicon of a look-up.
    pub lexicon: Option<LexiconName>,
    /// The sources of a manual look-up.
    pub sources: Vec<Source>,
    pub penalty: Option<Penalty>,
}

/// The event that records an opinion on a slip that waits or is under review, after the checks.
#[must_use]
pub fn adjudicated(before: DecisionContext<'_>, opinion: Opinion) -> SlipAdjudicated {
    SlipAdjudicated {
        follows: before.record.follows(),
        review: before.record.review.as_ref().map(|open| open.id.clone()),
        method: opinion.method,
        words: before.record.words.clone(),
        lexicon: opinion.lexicon,
        sources: opinion.sources,
        ruling: opinion.ruling,
        penalty: opinion.penalty,
        same_judge: before.has_judged(),
        ends_chain: before.record.review.is_some() && before.record.next_ends_chain(before.ruleset),
        request: before.request,
        program: crate::PROGRAM.to_owned(),
    }
}
