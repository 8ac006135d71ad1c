//! The time for reviews is over: a judge or director declares why. Source: NASPA IV.J.1, D 7.

use super::context::DecisionContext;
use crate::domain::event::SlipLapsed;
use crate::domain::fault::{FaultCode, Faults};
use crate::domain::fields::{Fields, RequestBody};
use crate::domain::record::State;
use crate::domain::refusal::Refusal;
use crate::domain::role::Role;
use crate::domain::ruleset::{LapseCause, citation};

/// Why no review can be asked for any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lapse {
    pub cause: LapseCause,
}

impl Lapse {
    /// Reads a request.
    ///
    /// # Errors
    /// All faults at once, each `invalid-request`.
    pub fn read(body: &RequestBody) -> Result<Self, Faults> {
        let mut fields = Fields::of(body, FaultCode::InvalidRequest);
        let cause = fields.required_choice("cause", "tiles-commingled, next-play-and-clock or players-left");
        fields.finish(cause).map(|cause| Self { cause })
    }

    /// The event that records the lapse.
    ///
    /// # Errors
    /// `forbidden`, `not-in-ruleset`, `wrong-state`, in this order.
    pub fn into_event(self, before: DecisionContext<'_>) -> Result<SlipLapsed, Refusal> {
        let lapses = &before.ruleset.lapses;
        match self.cause {
            LapseCause::PlayersLeft if before.role != Role::Director => {
                return Err(Refusal::Forbidden("only a director declares that the players left"));
            }
            LapseCause::PlayersLeft => {}
            cause if !lapses.by_judges.contains(&cause) => {
                let (title, cited) = (&before.ruleset.title, citation(&lapses.rule));
                return Err(Refusal::NotInRuleset(format!("under {title} a review does not lapse by that{cited}")));
            }
            LapseCause::TilesCommingled | LapseCause::NextPlayAndClock => {}
        }
        match before.record.state {
            State::Ruled | State::UnderReview if !before.record.slip.free_lookup => Ok(SlipLapsed {
                follows: before.record.follows(),
                cause: self.cause,
                request: before.request,
                program: crate::PROGRAM.to_owned(),
            }),
            _ => Err(Refusal::wrong_state("this slip has no ruling that could still be reviewed")),
        }
    }
}
