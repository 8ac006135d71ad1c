//! Settling a slip in question: a director keeps what stands in the ledger, or rules. Source: CONTRACT 3.2.

use super::{Before, Refusal};
use crate::domain::event::SlipSettled;
use crate::domain::fault::{Faults, Slug};
use crate::domain::fields::{Fields, MAX_NOTE_CHARS, Said};

/// What a slip in question refuses to all but a director who settles it.
pub const IN_QUESTION: &str =
    "this slip is in question, because its record was changed or damaged: a director settles it first";

/// A director keeps what stands in the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settlement {
    pub ground: String,
}

impl Settlement {
    /// Reads a request.
    ///
    /// # Errors
    /// All faults at once, each `invalid-request`.
    pub fn read(said: &Said) -> Result<Self, Faults> {
        let mut fields = Fields::of(said, Slug::InvalidRequest);
        let keep = fields.needed_yes_or_no("keep");
        let ground = fields.needed_line("ground", MAX_NOTE_CHARS);
        let ground = fields.whole(keep.and(ground))?;
        match keep {
            Some(true) => Ok(Self { ground }),
            _ => Err(Faults::one(
                "keep",
                Slug::InvalidRequest,
                "keep must be true; to put another ruling in its place, give a director's ruling",
            )),
        }
    }

    /// The event.
    ///
    /// # Errors
    /// `wrong-state` where the slip is not in question.
    pub fn of(self, before: Before<'_>) -> Result<SlipSettled, Refusal> {
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
