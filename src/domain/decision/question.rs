//! Settling a slip in question: a director confirms what the ledger records, or rules. Source: CONTRACT 3.2.

use super::context::DecisionContext;
use crate::domain::event::SlipSettled;
use crate::domain::fault::{FaultCode, Faults};
use crate::domain::fields::{Fields, MAX_NOTE_CHARS, RequestBody};
use crate::domain::refusal::Refusal;

/// The message that refuses every action on a slip in question, except a director's settlement.
pub const IN_QUESTION: &str =
    "this slip is in question, because its record was changed or damaged: a director settles it first";

/// A director confirms what the ledger records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settlement {
    pub ground: String,
}

impl Settlement {
    /// Reads a request.
    ///
    /// # Errors
    /// All faults at once, each `invalid-request`.
    pub fn read(body: &RequestBody) -> Result<Self, Faults> {
        let mut fields = Fields::of(body, FaultCode::InvalidRequest);
        let keep = fields.required_bool("keep");
        let ground = fields.required_line("ground", MAX_NOTE_CHARS);
        let ground = fields.finish(keep.and(ground))?;
        match keep {
            Some(true) => Ok(Self { ground }),
            _ => Err(Faults::one(
                "keep",
                FaultCode::InvalidRequest,
                "keep must be true; to put another ruling in its place, give a director's ruling",
            )),
        }
    }

    /// The event that records the settlement.
    ///
    /// # Errors
    /// `wrong-state` where the slip is not in question.
    pub fn into_event(self, before: DecisionContext<'_>) -> Result<SlipSettled, Refusal> {
        if !before.record.in_question {
            return Err(Refusal::wrong_state("this slip is not in question: there is nothing to settle"));
        }
        Ok(SlipSettled {
            follows: before.record.follows(),
            keep: true,
            ground: self.ground,
            request: before.request,
            program: crate::PROGRAM.to_owned(),
        })
    }
}
