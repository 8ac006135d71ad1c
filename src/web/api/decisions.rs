//! Decisions on a slip that is on record. Source: CONTRACT 3.1a, 3.3.

use axum::extract::{Request, State};
use axum::response::Response;

use crate::domain::Action;
use crate::domain::decision::SlipAction;
use crate::web::acts::slip_decision::{correct, decide_on_slip};
use crate::web::http::entry_response::entry_response;
use crate::web::http::error::WebError;
use crate::web::http::request::{authorized, read_body, slip_request};
use crate::web::openapi::{
    AnswerReview, ApprovalOpened, ClaimCompensation, Compensated, CorrectSlip, DisposeSlip, DispositionBody,
    EmptyObject, GiveOpinion, LapseSlip, Lapsed, LookUpManually, OpinionGiven, OptionalKey, ReleaseSlip, Released,
    RequestReview, ReviewOpened, RuleOnSlip, RulingBody, SettleSlip,
};
use crate::web::state::AppState;

/// Ask for another opinion on a slip.
#[utoipa::path(
    post,
    path = "/api/v1/slips/{id}/reviews",
    tag = "reviews",
    params(("id" = String, Path, description = "The slip's id"), OptionalKey),
    request_body = RequestReview,
    responses(
        (status = 201, body = ReviewOpened, description = "The review is open")
    )
)]
pub async fn request_review(State(app): State<AppState>, request: Request) -> Result<Response, WebError> {
    let (caller, record, sent) = slip_request(&app, Action::SpeakOfSlip, request).await?;
    let id = app.system.new_id_now()?;
    let act = SlipAction::RequestReview { id: &id };
    Ok(entry_response(&decide_on_slip(&app, &caller, record, "reviews", &sent, act).await?))
}

/// Give the opinion that an open review asks for.
#[utoipa::path(
    post,
    path = "/api/v1/reviews/{id}/adjudications",
    tag = "reviews",
    params(("id" = String, Path, description = "The review's id"), OptionalKey),
    request_body = AnswerReview,
    responses(
        (status = 201, body = RulingBody, description = "The ruling for the whole play")
    )
)]
pub async fn answer_review(State(app): State<AppState>, request: Request) -> Result<Response, WebError> {
    let (mut caller, id, request) = authorized::<String>(&app, Action::AdjudicateSlip, request).await?;
    let slip = app.ledger.slip_of_review(&id).await?.ok_or(WebError::NotFound)?;
    let record = caller.slip(&app, &slip).await?;
    let sent = read_body(&app, &mut caller, request).await?;
    let act = SlipAction::AnswerReview { id: &id };
    Ok(entry_response(&decide_on_slip(&app, &caller, record, &format!("reviews/{id}"), &sent, act).await?))
}

/// Look a waiting slip up in other sources, as a judge.
#[utoipa::path(
    post,
    path = "/api/v1/slips/{id}/adjudications",
    tag = "slips",
    params(("id" = String, Path, description = "The slip's id"), OptionalKey),
    request_body = LookUpManually,
    responses(
        (status = 201, body = RulingBody, description = "The ruling for the whole play")
    )
)]
pub async fn adjudicate_slip(State(app): State<AppState>, request: Request) -> Result<Response, WebError> {
    let (caller, record, sent) = slip_request(&app, Action::AdjudicateSlip, request).await?;
    Ok(entry_response(
        &decide_on_slip(&app, &caller, record, "adjudications", &sent, SlipAction::LookUpManually).await?,
    ))
}

/// Correct a slip that was mis-entered: the words as on the board.
#[utoipa::path(
    post,
    path = "/api/v1/slips/{id}/corrections",
    tag = "slips",
    params(("id" = String, Path, description = "The slip's id"), OptionalKey),
    request_body = CorrectSlip,
    responses(
        (status = 201, body = RulingBody, description = "The ruling for the whole play"),
        (status = 202, body = ApprovalOpened, description = "Another person must approve it")
    )
)]
pub async fn correct_slip(State(app): State<AppState>, request: Request) -> Result<Response, WebError> {
    let (caller, record, sent) = slip_request(&app, Action::SpeakOfSlip, request).await?;
    Ok(entry_response(&Box::pin(correct(&app, &caller, record, &sent)).await?))
}

/// Release a held slip: a play of its own, or the same play once more.
#[utoipa::path(
    post,
    path = "/api/v1/slips/{id}/release",
    tag = "slips",
    params(("id" = String, Path, description = "The slip's id"), OptionalKey),
    request_body = ReleaseSlip,
    responses(
        (status = 201, body = Released, description = "The ruling of a play of its own, or that the same play is refused")
    )
)]
pub async fn release_slip(State(app): State<AppState>, request: Request) -> Result<Response, WebError> {
    let (caller, record, sent) = slip_request(&app, Action::AdjudicateSlip, request).await?;
    Ok(entry_response(&decide_on_slip(&app, &caller, record, "release", &sent, SlipAction::Release).await?))
}

/// Declare that no review can be requested any more.
#[utoipa::path(
    post,
    path = "/api/v1/slips/{id}/lapse",
    tag = "reviews",
    params(("id" = String, Path, description = "The slip's id"), OptionalKey),
    request_body = LapseSlip,
    responses(
        (status = 201, body = Lapsed, description = "The slip is lapsed")
    )
)]
pub async fn lapse_slip(State(app): State<AppState>, request: Request) -> Result<Response, WebError> {
    let (caller, record, sent) = slip_request(&app, Action::AdjudicateSlip, request).await?;
    Ok(entry_response(&decide_on_slip(&app, &caller, record, "lapse", &sent, SlipAction::Lapse).await?))
}

/// End a slip that has no ruling yet without a look-up.
#[utoipa::path(
    post,
    path = "/api/v1/slips/{id}/dispositions",
    tag = "slips",
    params(("id" = String, Path, description = "The slip's id"), OptionalKey),
    request_body = DisposeSlip,
    responses(
        (status = 201, body = DispositionBody, description = "It is recorded")
    )
)]
pub async fn dispose_slip(State(app): State<AppState>, request: Request) -> Result<Response, WebError> {
    let (caller, record, sent) = slip_request(&app, Action::SpeakOfSlip, request).await?;
    Ok(entry_response(&decide_on_slip(&app, &caller, record, "dispositions", &sent, SlipAction::Dispose).await?))
}

/// Rule on a slip as the director, regardless of earlier rulings.
#[utoipa::path(
    post,
    path = "/api/v1/slips/{id}/rulings",
    tag = "director",
    params(("id" = String, Path, description = "The slip's id"), OptionalKey),
    request_body = RuleOnSlip,
    responses(
        (status = 201, body = RulingBody, description = "The ruling for the whole play"),
        (status = 202, body = ApprovalOpened, description = "Another person must approve it")
    )
)]
pub async fn rule_on_slip(State(app): State<AppState>, request: Request) -> Result<Response, WebError> {
    let (caller, record, sent) = slip_request(&app, Action::RuleOnSlip, request).await?;
    Ok(entry_response(&decide_on_slip(&app, &caller, record, "rulings", &sent, SlipAction::Rule).await?))
}

/// Settle a slip in question as the director: keep what stands in its record. A ruling settles it too.
#[utoipa::path(
    post,
    path = "/api/v1/slips/{id}/settle",
    tag = "director",
    params(("id" = String, Path, description = "The slip's id"), OptionalKey),
    request_body = SettleSlip,
    responses(
        (status = 201, body = EmptyObject, description = "It is settled")
    )
)]
pub async fn settle_slip(State(app): State<AppState>, request: Request) -> Result<Response, WebError> {
    let (caller, record, sent) = slip_request(&app, Action::RuleOnSlip, request).await?;
    Ok(entry_response(&decide_on_slip(&app, &caller, record, "settle", &sent, SlipAction::Settle).await?))
}

/// Give another opinion on a director's ruling.
#[utoipa::path(
    post,
    path = "/api/v1/slips/{id}/opinions",
    tag = "director",
    params(("id" = String, Path, description = "The slip's id"), OptionalKey),
    request_body = GiveOpinion,
    responses(
        (status = 201, body = OpinionGiven, description = "The opinion is recorded")
    )
)]
pub async fn give_opinion(State(app): State<AppState>, request: Request) -> Result<Response, WebError> {
    let (caller, record, sent) = slip_request(&app, Action::RuleOnSlip, request).await?;
    Ok(entry_response(&decide_on_slip(&app, &caller, record, "opinions", &sent, SlipAction::GiveOpinion).await?))
}

/// Decide on compensation for an erroneous adjudication.
#[utoipa::path(
    post,
    path = "/api/v1/slips/{id}/compensations",
    tag = "director",
    params(("id" = String, Path, description = "The slip's id"), OptionalKey),
    request_body = ClaimCompensation,
    responses(
        (status = 201, body = Compensated, description = "The claim is decided")
    )
)]
pub async fn compensate(State(app): State<AppState>, request: Request) -> Result<Response, WebError> {
    let (caller, record, sent) = slip_request(&app, Action::RuleOnSlip, request).await?;
    Ok(entry_response(&decide_on_slip(&app, &caller, record, "compensations", &sent, SlipAction::Compensate).await?))
}
