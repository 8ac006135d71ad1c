//! Compensation for an erroneous adjudication. Source: NSF II.L.7.
//!
//! The claimant lost a turn by the first ruling, because of the error, and did not get it back; the review was used;
//! the claimant informed the Director in time; the play's value is verified. Then the claimant's spread grows by that
//! value and 25.

use crate::domain::player::{Player, PlayerOrNone};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::fault::{FaultCode, Faults};
use super::fields::{Fields, RequestBody};
use super::record::{SlipRecord, State};
use super::ruleset::Ruleset;
use crate::domain::refusal::Refusal;

/// What is claimed, and what a director declares about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    pub claimant: Player,
    /// The points of the play, 0 to 9999.
    pub play_value: i64,
    /// Whether the score sheet and the opponent confirm the value.
    pub value_confirmed: bool,
    /// Whether the claimant informed the Director before leaving the tournament area for the day.
    pub told_before_leaving: bool,
    pub turn_restored: bool,
}

/// The decision on a claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// The claimant's cumulative spread grows by so many points; score and result do not change.
    Granted { spread: i64 },
    /// All conditions that are not met.
    Refused { failed: Vec<Condition> },
}

/// A condition that is not met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Condition {
    /// The first ruling did not cost the claimant the turn.
    NoTurnLost,
    /// There was neither a review nor a correction.
    NoReview,
    /// The standing ruling equals the first.
    RulingStands,
    TurnRestored,
    ToldTooLate,
    ValueNotConfirmed,
}

impl Claim {
    /// Reads a request.
    ///
    /// # Errors
    /// All faults at once, each `invalid-request`.
    pub fn read(body: &RequestBody) -> Result<Self, Faults> {
        let mut fields = Fields::of(body, FaultCode::InvalidRequest);
        let claimant = fields.required_choice("claimant", "challenger or opponent");
        let play_value = fields.required_number("play_value", 0..=9999);
        let value_confirmed = fields.required_bool("value_confirmed");
        let told_before_leaving = fields.required_bool("told_before_leaving");
        let turn_restored = fields.required_bool("turn_restored");
        let read = || {
            Some(Self {
                claimant: claimant?,
                play_value: play_value?,
                value_confirmed: value_confirmed?,
                told_before_leaving: told_before_leaving?,
                turn_restored: turn_restored?,
            })
        };
        fields.finish(read())
    }

    /// Decides the claim on a slip.
    ///
    /// # Errors
    /// `wrong-state` while there is no ruling, a review is open, or compensation was granted already.
    pub fn decide(&self, record: &SlipRecord, added: i64) -> Result<Decision, Refusal> {
        let why = match record.state {
            _ if record.is_compensated() => "compensation was granted for this slip already",
            _ if record.adjudications.first().is_some_and(|first| first.in_question) => {
                "nobody vouches for the first ruling of this slip: decide on it as an incident"
            }
            _ if record.slip.free_lookup => "this was a free look-up: nobody lost anything by it",
            State::Ruled | State::Final | State::Lapsed => {
                let failed = self.failed(record);
                let spread = self.play_value.saturating_add(added);
                return Ok(if failed.is_empty() { Decision::Granted { spread } } else { Decision::Refused { failed } });
            }
            State::AwaitingManualLookup | State::Held => "there is no ruling yet",
            State::UnderReview => "a review is open: wait for its opinion",
            State::Disposed => "the challenge ended without a ruling",
        };
        Err(Refusal::WrongState(why.to_owned()))
    }

    fn failed(&self, record: &SlipRecord) -> Vec<Condition> {
        let first = record.adjudications.first();
        let lost = first.and_then(|first| first.penalty.as_ref()).map(|penalty| penalty.loses_turn);
        let claimant = PlayerOrNone::from(self.claimant);
        let conditions = [
            (lost == Some(claimant), Condition::NoTurnLost),
            (record.adjudications.iter().any(|one| one.is_second_look) || record.was_reviewed(), Condition::NoReview),
            (record.ruling() != first.map(|first| first.ruling), Condition::RulingStands),
            (!self.turn_restored, Condition::TurnRestored),
            (self.told_before_leaving, Condition::ToldTooLate),
            (self.value_confirmed, Condition::ValueNotConfirmed),
        ];
        conditions.into_iter().filter(|(is_met, _)| !is_met).map(|(_, failed)| failed).collect()
    }
}

/// The points that a ruleset adds to the play's value.
///
/// # Errors
/// `not-in-ruleset` where the ruleset knows no compensation.
pub fn added(ruleset: &Ruleset) -> Result<i64, Refusal> {
    let owed = ruleset.compensation.as_ref().map(|owed| owed.added);
    owed.ok_or_else(|| {
        Refusal::NotInRuleset(format!("{} has no compensation for an erroneous adjudication", ruleset.title))
    })
}
