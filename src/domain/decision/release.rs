//! The release of a held slip: a judge decides whether it is about a play of its own. Source: D 8.

use serde::Deserialize;

use super::context::DecisionContext;
use crate::domain::event::{Released, SlipReleased};
use crate::domain::fault::{FaultCode, Faults};
use crate::domain::fields::{Fields, RequestBody};
use crate::domain::record::State;
use crate::domain::refusal::Refusal;

/// The judge's decision on a held slip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Release {
    pub decision: Decision,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// The slip is about a later play that happens to share a word: the server looks it up.
    NewPlay,
    /// The slip is about the play that was ruled on: the server refuses it.
    SamePlay,
}

impl Release {
    /// Reads a request.
    ///
    /// # Errors
    /// All faults at once, each `invalid-request`.
    pub fn read(body: &RequestBody) -> Result<Self, Faults> {
        let mut fields = Fields::of(body, FaultCode::InvalidRequest);
        let decision = fields.required_choice("decision", "new-play or same-play");
        fields.finish(decision).map(|decision| Self { decision })
    }

    /// Checks that the slip can be released.
    ///
    /// # Errors
    /// `wrong-state`.
    pub fn check(before: &DecisionContext<'_>) -> Result<(), Refusal> {
        if before.record.state != State::Held {
            return Err(Refusal::wrong_state("this slip is not held"));
        }
        before.check_claim()
    }

    /// The event that records the release, after the check. `ruled` is the ruling on a play of its own.
    #[must_use]
    pub fn of(before: DecisionContext<'_>, ruled: Option<Released>) -> SlipReleased {
        SlipReleased {
            follows: before.record.follows(),
            ruled,
            request: before.request,
            program: crate::PROGRAM.to_owned(),
        }
    }
}
