//! A director's ruling on a slip. Source: NSF II.L.6, INSA Challenges, D 7.

use super::context::{DecisionContext, RULINGS};
use crate::domain::event::DirectorRuled;
use crate::domain::fault::{FaultCode, Faults};
use crate::domain::fields::{Fields, MAX_NOTE_CHARS, RequestBody};
use crate::domain::penalty::Penalty;
use crate::domain::record::State;
use crate::domain::refusal::Refusal;
use crate::domain::ruling::Ruling;

/// What the director rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectorsRuling {
    pub ruling: Ruling,
    pub ground: String,
    pub note: String,
    pub seconds_restored: i64,
}

impl DirectorsRuling {
    /// Reads a request.
    ///
    /// # Errors
    /// All faults at once, each `invalid-request`.
    pub fn read(body: &RequestBody) -> Result<Self, Faults> {
        let mut fields = Fields::of(body, FaultCode::InvalidRequest);
        let ruling = fields.required_choice("ruling", RULINGS);
        let ground = fields.required_text("ground", MAX_NOTE_CHARS);
        let note = fields.note("note").unwrap_or_default();
        let seconds_restored = fields.number("seconds_restored", 0..=3600).unwrap_or(0);
        let read = ruling.zip(ground);
        fields.finish(read).map(|(ruling, ground)| Self { ruling, ground, note, seconds_restored })
    }

    /// Checks that the challenge did not end without a ruling: a director may rule in every other state.
    ///
    /// # Errors
    /// `wrong-state` where the challenge ended without a ruling.
    pub fn check(before: &DecisionContext<'_>) -> Result<(), Refusal> {
        if before.record.state == State::Disposed && !before.record.in_question {
            return Err(Refusal::wrong_state(
                "this challenge ended without a ruling: file it anew, or rule on the incident",
            ));
        }
        Ok(())
    }

    /// The event that makes the ruling final, after the check.
    #[must_use]
    pub fn into_event(self, before: DecisionContext<'_>, penalty: Option<Penalty>) -> DirectorRuled {
        DirectorRuled {
            follows: before.record.follows(),
            words: before.record.words.clone(),
            ruling: self.ruling,
            penalty,
            ground: self.ground,
            note: self.note,
            seconds_restored: self.seconds_restored,
            request: before.request,
            program: crate::PROGRAM.to_owned(),
        }
    }
}
