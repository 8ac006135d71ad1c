//! The ledger itself, for verification by others. Source: CONTRACT 3.4, 6.

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};

use crate::domain::fields::Fields;
use crate::domain::{Action, FaultCode, RequestBody, Role, SERVER_LOG};
use crate::web::auth::caller::Caller;
use crate::web::http::error::WebError;
use crate::web::state::AppState;

use super::audit::{ReadQuery, query_of, read_query};

/// The maximum number of leaves in one answer.
const MAX_LEAVES: i64 = 1000;

#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes what leaves reads")]
pub struct LeavesQuery {
    /// The number of an entry; those after it are given. -1 where it is left out
    #[param(minimum = -1, maximum = 9_007_199_254_740_991_i64, default = -1)]
    after: Option<i64>,
    #[param(minimum = 1, maximum = 1000, default = 1000)]
    limit: Option<i64>,
}

/// Entries of the tournament's log, byte for byte, oldest first, one a line.
#[utoipa::path(
    get,
    path = "/api/v1/tournaments/{tournament}/ledger",
    tag = "ledger",
    params(("tournament" = String, Path, description = "The tournament's id"), LeavesQuery),
    responses((status = 200, body = String, content_type = "application/jsonl", description = "The entries, one a line"))
)]
pub async fn entries(
    State(app): State<AppState>,
    caller: Caller,
    tournament: Result<Path<String>, PathRejection>,
    RawQuery(query): RawQuery,
) -> Result<Response, WebError> {
    let ReadQuery { tournament, body, .. } = read_query(caller, Action::Audit, tournament, query.as_deref())?;
    leaves(&app, &tournament, &body).await
}

/// The newest signed checkpoint of the tournament's log.
#[utoipa::path(
    get,
    path = "/api/v1/tournaments/{tournament}/ledger/checkpoint",
    tag = "ledger",
    params(("tournament" = String, Path, description = "The tournament's id")),
    responses((status = 200, body = String, content_type = "text/plain", description = "A C2SP signed note"))
)]
pub async fn checkpoint(
    State(app): State<AppState>,
    caller: Caller,
    tournament: Result<Path<String>, PathRejection>,
) -> Result<Response, WebError> {
    let ReadQuery { tournament, .. } = read_query(caller, Action::Audit, tournament, None)?;
    note(&app, &tournament).await
}

/// The key by which the tournament's checkpoints are checked.
#[utoipa::path(
    get,
    path = "/api/v1/tournaments/{tournament}/ledger/key",
    tag = "ledger",
    params(("tournament" = String, Path, description = "The tournament's id")),
    responses((status = 200, body = String, content_type = "text/plain", description = "A C2SP verifier key"))
)]
pub async fn key(
    State(app): State<AppState>,
    caller: Caller,
    tournament: Result<Path<String>, PathRejection>,
) -> Result<Response, WebError> {
    let ReadQuery { tournament, .. } = read_query(caller, Action::Audit, tournament, None)?;
    verifier(&app, &tournament).await
}

/// Entries of the log `server`, for directors.
#[utoipa::path(
    get,
    path = "/api/v1/server/ledger",
    tag = "ledger",
    params(LeavesQuery),
    responses((status = 200, body = String, content_type = "application/jsonl", description = "The entries, one a line"))
)]
pub async fn server_entries(
    State(app): State<AppState>,
    caller: Caller,
    RawQuery(query): RawQuery,
) -> Result<Response, WebError> {
    is_director(&caller)?;
    leaves(&app, SERVER_LOG, &query_of(query.as_deref())?).await
}

/// The newest signed checkpoint of the log `server`, for directors.
#[utoipa::path(
    get,
    path = "/api/v1/server/ledger/checkpoint",
    tag = "ledger",
    responses((status = 200, body = String, content_type = "text/plain", description = "A C2SP signed note"))
)]
pub async fn server_checkpoint(State(app): State<AppState>, caller: Caller) -> Result<Response, WebError> {
    is_director(&caller)?;
    note(&app, SERVER_LOG).await
}

/// The key by which checkpoints of the log `server` are checked, for directors.
#[utoipa::path(
    get,
    path = "/api/v1/server/ledger/key",
    tag = "ledger",
    responses((status = 200, body = String, content_type = "text/plain", description = "A C2SP verifier key"))
)]
pub async fn server_key(State(app): State<AppState>, caller: Caller) -> Result<Response, WebError> {
    is_director(&caller)?;
    verifier(&app, SERVER_LOG).await
}

/// Checks that the caller is a director: the log `server` names other tournaments' lexica and tokens, which an observer
/// must not see.
///
/// # Errors
/// 403 `forbidden`.
pub fn is_director(caller: &Caller) -> Result<(), WebError> {
    caller.may(Action::Audit)?;
    match caller.principal.role {
        Role::Director => Ok(()),
        _ => Err(WebError::Forbidden("the log of the server is for directors of all tournaments (tournament server)")),
    }
}

async fn leaves(app: &AppState, name: &str, body: &RequestBody) -> Result<Response, WebError> {
    let mut fields = Fields::of(body, FaultCode::InvalidRequest);
    let after = fields.number("after", -1..=i64::MAX - 1).unwrap_or(-1);
    let limit = fields.number("limit", 1..=MAX_LEAVES).unwrap_or(MAX_LEAVES);
    fields.finish(Some(()))?;
    let log = app.ledger.open_log(name).await.map_err(crate::store::LedgerError::from)?;
    let limit = u64::try_from(limit).unwrap_or_default();
    let leaves = app.ledger.leaves(&log, after + 1, limit).await?;
    let lines: String = leaves.into_iter().map(|(_, leaf)| leaf + "\n").collect();
    Ok(([(header::CONTENT_TYPE, "application/jsonl")], lines).into_response())
}

async fn note(app: &AppState, name: &str) -> Result<Response, WebError> {
    let log = app.ledger.open_log(name).await.map_err(crate::store::LedgerError::from)?;
    let note = app.ledger.last_checkpoint(&log).await?.ok_or(WebError::NotFound)?;
    Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], note).into_response())
}

async fn verifier(app: &AppState, name: &str) -> Result<Response, WebError> {
    let log = app.ledger.open_log(name).await.map_err(crate::store::LedgerError::from)?;
    let key = format!("{}\n", app.ledger.signer().verifier(&log));
    Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], key).into_response())
}
