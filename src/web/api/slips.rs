//! Filing and reading slips. Source: CONTRACT 3.1, 3.2.

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::response::Response;

use crate::app::App;
use crate::domain::Action;
use crate::web::answer::announce;
use crate::web::asking::submitted;
use crate::web::challenge::challenge;
use crate::web::error::{Problem, WebError};
use crate::web::keyed::resolve;
use crate::web::openapi::{FileSlip, Given, Resolved};
use crate::web::who::Who;

use super::view::{Seen, SlipView};

/// File a challenge slip and get its ruling.
#[utoipa::path(
    post,
    path = "/api/v1/tournaments/{tournament}/slips",
    tag = "slips",
    params(
        ("tournament" = String, Path, description = "The tournament's id"),
        ("Idempotency-Key" = Option<String>, Header, description = "1 to 128 visible ASCII characters, a new one for every slip; stations and clients must send one")
    ),
    request_body = FileSlip,
    responses(
        (status = 201, body = Given, headers(("Location" = String, description = "The slip"))),
        (status = "4XX", body = Problem, content_type = "application/problem+json"),
        (status = 503, body = Problem, content_type = "application/problem+json", description = "No ruling: send it again with the same key")
    )
)]
pub async fn file_slip(State(app): State<App>, request: Request) -> Result<Response, WebError> {
    let (who, tournament, sent) = submitted(&app, Action::FileSlip, request).await?;
    let answered = challenge(&app, &who, &tournament, &sent).await?;
    Ok(announce(&answered))
}

/// Find an answer that was lost on the way. Where none was given, none will be.
#[utoipa::path(
    post,
    path = "/api/v1/tournaments/{tournament}/slips/resolve",
    tag = "slips",
    params(
        ("tournament" = String, Path, description = "The tournament's id"),
        ("Idempotency-Key" = String, Header, description = "The key that the slip was sent with")
    ),
    request_body(content = Object, description = "An object without fields: {}"),
    responses(
        (status = 200, body = Resolved, description = "None was given"),
        (status = 201, body = Given, description = "The ruling that was given"),
        (status = "4XX", body = Problem, content_type = "application/problem+json")
    )
)]
pub async fn resolve_key(State(app): State<App>, request: Request) -> Result<Response, WebError> {
    let (who, tournament, sent) = submitted(&app, Action::ResolveKey, request).await?;
    let answered = resolve(&app, &who, &tournament, &sent).await?;
    Ok(announce(&answered))
}

/// Read a slip.
#[utoipa::path(
    get,
    path = "/api/v1/slips/{id}",
    tag = "slips",
    params(("id" = String, Path, description = "The slip's id, a UUIDv7")),
    responses((status = 200, body = SlipView), (status = "4XX", body = Problem, content_type = "application/problem+json"))
)]
pub async fn read_slip(
    State(app): State<App>,
    who: Who,
    id: Result<Path<String>, PathRejection>,
) -> Result<Json<SlipView>, WebError> {
    who.may(Action::ReadSlip)?;
    let Path(id) = id.map_err(|_| WebError::NotFound)?;
    let record = who.slip(&app, &id).await?;
    let seen = Seen::beside(&app, &record, who.0.role).await?;
    Ok(Json(SlipView::of(&record, seen, &app.present())))
}
