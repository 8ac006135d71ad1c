//! Calls to a table. Source: CONTRACT 3.3.

use axum::extract::{Request, State};
use axum::response::Response;

use crate::domain::Action;
use crate::web::acts::call as act;
use crate::web::http::entry_response::entry_response;
use crate::web::http::error::WebError;
use crate::web::http::request::tournament_request;
use crate::web::openapi::{CallSomebody, EmptyObject, OptionalKey};
use crate::web::state::AppState;

/// Call a judge or the director to a table.
#[utoipa::path(
    post,
    path = "/api/v1/tournaments/{tournament}/calls",
    tag = "queue",
    params(("tournament" = String, Path, description = "The tournament's id"), OptionalKey),
    request_body = CallSomebody,
    responses(
        (status = 201, body = EmptyObject, description = "It is recorded")
    )
)]
pub async fn call(State(app): State<AppState>, request: Request) -> Result<Response, WebError> {
    let (caller, tournament, sent) = tournament_request(&app, Action::Call, request).await?;
    Ok(entry_response(&act::call(&app, &caller, &tournament, &sent).await?))
}
