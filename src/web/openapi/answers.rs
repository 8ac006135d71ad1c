//! The bodies of answers that are built from a recorded entry (`web/http/entry_response.rs`), as the API's description
//! shows them.

#![expect(dead_code, reason = "they describe what is written elsewhere")]

use utoipa::ToSchema;
use utoipa::openapi::{ObjectBuilder, Type};

use crate::domain::Ruling;
use crate::domain::compensation::Condition;
use crate::domain::event::{NextOpinion, WaitingField};
use crate::domain::ruleset::DispositionKind;

use super::bodies::Id;

/// The ruling for the whole play, and nothing else.
#[derive(ToSchema)]
#[schema(as = Given)]
pub struct RulingBody {
    ruling: Ruling,
}

/// No ruling was given under this key, and none will be.
#[derive(ToSchema)]
pub struct NoneGiven {
    #[schema(schema_with = null)]
    ruling: (),
}

fn null() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::Null)
}

#[derive(ToSchema)]
pub struct ReviewOpened {
    /// The review's id.
    review: Id,
    /// How its opinion is formed.
    next: NextOpinion,
}

/// It is recorded and without effect until another person approves it.
#[derive(ToSchema)]
pub struct ApprovalOpened {
    /// The approval's id.
    approval: Id,
}

#[derive(ToSchema)]
pub struct Lapsed {
    state: LapsedState,
}

#[derive(ToSchema)]
#[schema(rename_all = "kebab-case")]
pub enum LapsedState {
    Lapsed,
}

#[derive(ToSchema)]
#[schema(as = Ended)]
pub struct DispositionBody {
    disposition: DispositionKind,
}

/// What becomes of a held slip: the ruling of a play of its own, or the end of the same play once more.
#[derive(ToSchema)]
#[serde(untagged)]
pub enum Released {
    NewPlay(RulingBody),
    SamePlay(DispositionBody),
}

/// What an approved act answers by itself; no field where it is declined.
#[derive(ToSchema)]
#[serde(untagged)]
pub enum Approved {
    Ruling(RulingBody),
    Declined(EmptyObject),
}

/// The answer that was recorded under a key.
#[derive(ToSchema)]
#[serde(untagged)]
pub enum RecordedAnswer {
    Ruling(RulingBody),
    Disposition(DispositionBody),
    Review(ReviewOpened),
    Deck(DeckRun),
    Call(EmptyObject),
}

#[derive(ToSchema)]
pub struct OpinionGiven {
    /// Counts from the director's ruling as 1.
    ordinal: u64,
}

/// The claim is granted, or it is not.
#[derive(ToSchema)]
#[serde(untagged)]
pub enum Compensated {
    Granted(CompensationGranted),
    Refused(CompensationRefused),
}

#[derive(ToSchema)]
pub struct CompensationGranted {
    /// true
    granted: bool,
    /// The play's value and what the ruleset adds.
    spread: i64,
}

#[derive(ToSchema)]
pub struct CompensationRefused {
    /// false
    granted: bool,
    /// Every condition that is not met.
    #[schema(min_items = 1)]
    failed: Vec<Condition>,
}

#[derive(ToSchema)]
pub struct DeckRun {
    passed: bool,
}

#[derive(ToSchema)]
pub struct IncidentReported {
    incident: Id,
}

/// It is recorded: `{}`.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Done)]
pub struct EmptyObject {}

/// The division is set; `{}` where nothing was taken back.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DivisionDone {
    /// What waited for its day and was taken back.
    #[schema(nullable = false)]
    replaced: Option<Vec<WaitingField>>,
}

/// A workbook of one sheet.
#[derive(ToSchema)]
#[schema(value_type = String, format = Binary)]
pub struct Workbook(Vec<u8>);
