//! The event stream of a tournament. Source: CONTRACT 3.4.

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;

use crate::domain::Action;
use crate::web::acts::event_stream::stream;
use crate::web::auth::caller::Caller;
use crate::web::http::error::WebError;
use crate::web::state::AppState;

use super::audit::{ReadQuery, read_query};

/// Follow what happens in a tournament, as server-sent events. With `Last-Event-ID` from the entry after that one on,
/// without from now on. Directors and observers get the entries themselves, judges what concerns slips and calls, a
/// station the state of its own slips and of its divisions.
#[utoipa::path(
    get,
    path = "/api/v1/tournaments/{tournament}/events",
    tag = "audit",
    params(
        ("tournament" = String, Path, description = "The tournament's id"),
        ("Last-Event-ID" = Option<i64>, Header, minimum = -1, description = "The number of the last entry that was seen; -1 for all")
    ),
    responses((status = 200, body = String, content_type = "text/event-stream", description = "Events without end"))
)]
pub async fn follow(
    State(app): State<AppState>,
    caller: Caller,
    tournament: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, WebError> {
    let ReadQuery { caller, tournament, .. } = read_query(caller, Action::Follow, tournament, None)?;
    stream(app, caller, &tournament, &headers).await
}
