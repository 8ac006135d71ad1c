//! Filing, entering and reading slips. Source: CONTRACT 3.1, 3.1a, 3.2, 3.3.

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::response::Response;

use crate::domain::Action;
use crate::web::acts::challenge::challenge;
use crate::web::acts::disposition::dispose;
use crate::web::acts::idempotency::resolve;
use crate::web::acts::paper_ruling;
use crate::web::auth::caller::Caller;
use crate::web::http::entry_response::entry_response;
use crate::web::http::error::{Problem, WebError};
use crate::web::http::request::tournament_request;
use crate::web::openapi::{
    DisposeChallenge, DispositionBody, EmptyRequest, EnterPaperRuling, FileSlip, NoneGiven, OptionalKey,
    RecordedAnswer, RequiredKey, RulingBody,
};
use crate::web::state::AppState;

use crate::web::api::slip_view::{SlipView, Viewer};

/// File a challenge slip and get its ruling.
#[utoipa::path(
    post,
    path = "/api/v1/tournaments/{tournament}/slips",
    tag = "slips",
    params(("tournament" = String, Path, description = "The tournament's id"), OptionalKey),
    request_body = FileSlip,
    responses(
        (status = 201, body = RulingBody, description = "The ruling for the whole play", headers(("Location" = String, description = "The slip"))),
        (
            status = 409,
            body = Problem,
            content_type = "application/problem+json",
            description = "`ask-a-judge` (recorded and held), `station-closed`, `self-lookup-off`, `round-closed`, \
                `no-active-lexicon`, `key-closed`, `in-question`",
            headers(("Location" = String, description = "The slip, where it is recorded"))
        ),
        (
            status = 422,
            body = Problem,
            content_type = "application/problem+json",
            description = "`idempotency-key-reused`, `invalid-slip`, `wrong-division`, `unreadable-word`, \
                `needs-manual-lookup` (recorded)",
            headers(("Location" = String, description = "The slip, where it is recorded"))
        )
    )
)]
pub async fn file_slip(State(app): State<AppState>, request: Request) -> Result<Response, WebError> {
    let (caller, tournament, sent) = tournament_request(&app, Action::FileSlip, request).await?;
    let answered = challenge(&app, &caller, &tournament, &sent).await?;
    Ok(entry_response(&answered))
}

/// Record that a challenge ended without a look-up.
#[utoipa::path(
    post,
    path = "/api/v1/tournaments/{tournament}/dispositions",
    tag = "slips",
    params(("tournament" = String, Path, description = "The tournament's id"), OptionalKey),
    request_body = DisposeChallenge,
    responses(
        (status = 201, body = DispositionBody, description = "It is recorded", headers(("Location" = String, description = "The slip")))
    )
)]
pub async fn dispose_challenge(State(app): State<AppState>, request: Request) -> Result<Response, WebError> {
    let (caller, tournament, sent) = tournament_request(&app, Action::SpeakOfSlip, request).await?;
    Ok(entry_response(&dispose(&app, &caller, &tournament, &sent).await?))
}

/// Enter a ruling that was given on paper while the server was away.
#[utoipa::path(
    post,
    path = "/api/v1/tournaments/{tournament}/paper-rulings",
    tag = "slips",
    params(("tournament" = String, Path, description = "The tournament's id"), OptionalKey),
    request_body = EnterPaperRuling,
    responses(
        (status = 201, body = RulingBody, description = "It is recorded", headers(("Location" = String, description = "The slip")))
    )
)]
pub async fn enter_paper_ruling(State(app): State<AppState>, request: Request) -> Result<Response, WebError> {
    let (caller, tournament, sent) = tournament_request(&app, Action::AdjudicateSlip, request).await?;
    Ok(entry_response(&paper_ruling::enter(&app, &caller, &tournament, &sent).await?))
}

/// Find an answer that was lost on the way. If none was given, none will be.
#[utoipa::path(
    post,
    path = "/api/v1/tournaments/{tournament}/slips/resolve",
    tag = "slips",
    params(("tournament" = String, Path, description = "The tournament's id"), RequiredKey),
    request_body = EmptyRequest,
    responses(
        (status = 200, body = NoneGiven, description = "None was given, and none will be"),
        (status = 201, body = RecordedAnswer, description = "The answer that was recorded under the key")
    )
)]
pub async fn resolve_key(State(app): State<AppState>, request: Request) -> Result<Response, WebError> {
    let (caller, tournament, sent) = tournament_request(&app, Action::ResolveKey, request).await?;
    let answered = resolve(&app, &caller, &tournament, &sent).await?;
    Ok(entry_response(&answered))
}

/// Read a slip.
#[utoipa::path(
    get,
    path = "/api/v1/slips/{id}",
    tag = "slips",
    params(("id" = String, Path, description = "The slip's id, a UUIDv7")),
    responses((status = 200, body = SlipView, description = "The slip"))
)]
pub async fn read_slip(
    State(app): State<AppState>,
    caller: Caller,
    id: Result<Path<String>, PathRejection>,
) -> Result<Json<SlipView>, WebError> {
    caller.may(Action::ReadSlip)?;
    let Path(id) = id.map_err(|_| WebError::NotFound)?;
    let record = caller.slip(&app, &id).await?;
    let viewer = Viewer::beside(&app, &record, &caller).await?;
    Ok(Json(SlipView::of(&record, viewer, &caller.snapshot())))
}
