//! Proofs about the ledger, for programs that store a checkpoint and not the whole log. Source: CONTRACT 3.4.

use std::ops::Range;

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use serde::Serialize;
use utoipa::ToSchema;

use crate::domain::fields::Fields;
use crate::domain::ledger::{Hash, RunRoots, plan_consistency, plan_inclusion};
use crate::domain::{Action, FaultCode, Faults, RequestBody, SERVER_LOG};
use crate::store::LedgerError;
use crate::web::auth::caller::Caller;
use crate::web::http::error::WebError;
use crate::web::state::AppState;

use super::audit::{ReadQuery, query_of, read_query};
use super::ledger::is_director;

#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes what is read of the query")]
pub struct InclusionQuery {
    /// The number of the entry
    #[param(minimum = 0, maximum = 9_007_199_254_740_991_i64)]
    seq: i64,
    /// The size of the log in which it is to stand; that of the newest checkpoint where it is left out
    #[param(minimum = 1, maximum = 9_007_199_254_740_991_i64)]
    size: Option<i64>,
}

#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes what is read of the query")]
pub struct ConsistencyQuery {
    /// The size of the shorter log, as an earlier checkpoint has it
    #[param(minimum = 0, maximum = 9_007_199_254_740_991_i64)]
    from: i64,
    /// The size of the longer one; that of the newest checkpoint where it is left out
    #[param(minimum = 0, maximum = 9_007_199_254_740_991_i64)]
    to: Option<i64>,
}

/// That an entry stands in the log of a size. Hashes are in base64, as in a checkpoint.
#[derive(Serialize, ToSchema)]
pub struct InclusionProof {
    /// The name of the log; after a restore that of the log that goes on.
    log: String,
    seq: u64,
    size: u64,
    /// SHA-256 of a zero byte and the entry's line without its end.
    leaf_hash: Base64Hash,
    /// The root over the first `size` entries.
    root: Base64Hash,
    /// The audit path of RFC 6962, the entry's neighbour first.
    #[schema(max_items = 63)]
    proof: Vec<Base64Hash>,
}

/// That a log begins with a shorter one. Hashes are in base64, as in a checkpoint.
#[derive(Serialize, ToSchema)]
pub struct ConsistencyProof {
    /// The name of the log; after a restore that of the log that goes on.
    log: String,
    from: u64,
    to: u64,
    /// The root over the first `from` entries.
    from_root: Base64Hash,
    /// The root over the first `to` entries.
    to_root: Base64Hash,
    /// The consistency proof of RFC 6962. Empty where the sizes are equal or `from` is 0.
    #[schema(max_items = 64)]
    proof: Vec<Base64Hash>,
}

/// A SHA-256 hash in base64.
#[derive(Serialize, ToSchema)]
#[schema(min_length = 44, max_length = 44)]
struct Base64Hash(String);

impl From<Hash> for Base64Hash {
    fn from(hash: Hash) -> Self {
        Self(hash.base64())
    }
}

/// Prove that an entry stands in the tournament's log.
#[utoipa::path(
    get,
    path = "/api/v1/tournaments/{tournament}/ledger/proofs/inclusion",
    tag = "ledger",
    params(("tournament" = String, Path, description = "The tournament's id"), InclusionQuery),
    responses((status = 200, body = InclusionProof, description = "The proof"))
)]
pub async fn inclusion(
    State(app): State<AppState>,
    caller: Caller,
    tournament: Result<Path<String>, PathRejection>,
    RawQuery(query): RawQuery,
) -> Result<Json<InclusionProof>, WebError> {
    let ReadQuery { tournament, body, .. } = read_query(caller, Action::Audit, tournament, query.as_deref())?;
    prove_inclusion(&app, &tournament, &body).await
}

/// Prove that the tournament's log begins with what it was at a smaller size.
#[utoipa::path(
    get,
    path = "/api/v1/tournaments/{tournament}/ledger/proofs/consistency",
    tag = "ledger",
    params(("tournament" = String, Path, description = "The tournament's id"), ConsistencyQuery),
    responses((status = 200, body = ConsistencyProof, description = "The proof"))
)]
pub async fn consistency(
    State(app): State<AppState>,
    caller: Caller,
    tournament: Result<Path<String>, PathRejection>,
    RawQuery(query): RawQuery,
) -> Result<Json<ConsistencyProof>, WebError> {
    let ReadQuery { tournament, body, .. } = read_query(caller, Action::Audit, tournament, query.as_deref())?;
    prove_consistency(&app, &tournament, &body).await
}

/// Prove that an entry stands in the log `server`, for directors.
#[utoipa::path(
    get,
    path = "/api/v1/server/ledger/proofs/inclusion",
    tag = "ledger",
    params(InclusionQuery),
    responses((status = 200, body = InclusionProof, description = "The proof"))
)]
pub async fn server_inclusion(
    State(app): State<AppState>,
    caller: Caller,
    RawQuery(query): RawQuery,
) -> Result<Json<InclusionProof>, WebError> {
    is_director(&caller)?;
    prove_inclusion(&app, SERVER_LOG, &query_of(query.as_deref())?).await
}

/// Prove that the log `server` begins with what it was at a smaller size, for directors.
#[utoipa::path(
    get,
    path = "/api/v1/server/ledger/proofs/consistency",
    tag = "ledger",
    params(ConsistencyQuery),
    responses((status = 200, body = ConsistencyProof, description = "The proof"))
)]
pub async fn server_consistency(
    State(app): State<AppState>,
    caller: Caller,
    RawQuery(query): RawQuery,
) -> Result<Json<ConsistencyProof>, WebError> {
    is_director(&caller)?;
    prove_consistency(&app, SERVER_LOG, &query_of(query.as_deref())?).await
}

/// The open log of a name, and how many entries its newest checkpoint covers.
async fn signed_log(app: &AppState, name: &str) -> Result<(String, u64), WebError> {
    let log = app.ledger.open_log(name).await.map_err(LedgerError::from)?;
    let size = app.ledger.signed_size(&log).await.map_err(LedgerError::from)?.ok_or(WebError::NotFound)?;
    Ok((log, size))
}

async fn prove_inclusion(app: &AppState, name: &str, body: &RequestBody) -> Result<Json<InclusionProof>, WebError> {
    let mut fields = Fields::of(body, FaultCode::InvalidRequest);
    let seq = fields.required_number("seq", 0..=i64::MAX);
    let size = fields.number("size", 1..=i64::MAX);
    let seq = fields.finish(seq)?.unsigned_abs();
    let (log, signed) = signed_log(app, name).await?;
    let size = size_within("size", size, signed)?;
    let runs = plan_inclusion(seq, size).ok_or_else(|| {
        Faults::one("seq", FaultCode::InvalidRequest, format!("seq must be below {size}, the log's size"))
    })?;
    let ([leaf_hash, root], proof) = prove(app, &log, [seq..seq + 1, 0..size], runs).await?;
    Ok(Json(InclusionProof { log, seq, size, leaf_hash, root, proof }))
}

async fn prove_consistency(app: &AppState, name: &str, body: &RequestBody) -> Result<Json<ConsistencyProof>, WebError> {
    let mut fields = Fields::of(body, FaultCode::InvalidRequest);
    let from = fields.required_number("from", 0..=i64::MAX);
    let to = fields.number("to", 0..=i64::MAX);
    let from = fields.finish(from)?.unsigned_abs();
    let (log, signed) = signed_log(app, name).await?;
    let to = size_within("to", to, signed)?;
    let runs = plan_consistency(from, to).ok_or_else(|| {
        Faults::one("from", FaultCode::InvalidRequest, format!("from must not be above {to}, the longer log"))
    })?;
    let ([from_root, to_root], proof) = prove(app, &log, [0..from, 0..to], runs).await?;
    Ok(Json(ConsistencyProof { log, from, to, from_root, to_root, proof }))
}

/// The requested size, or else that of the newest checkpoint.
fn size_within(field: &'static str, asked: Option<i64>, signed: u64) -> Result<u64, Faults> {
    match asked.map(i64::unsigned_abs) {
        None => Ok(signed),
        Some(size) if size <= signed => Ok(size),
        Some(_) => Err(Faults::one(
            field,
            FaultCode::InvalidRequest,
            format!("{field} must not be above {signed}: the newest checkpoint covers that many entries"),
        )),
    }
}

/// The roots over two ranges of a log's entries, and over the ranges that prove something about them.
async fn prove(
    app: &AppState,
    log: &str,
    about: [Range<u64>; 2],
    runs: Vec<Range<u64>>,
) -> Result<([Base64Hash; 2], Vec<Base64Hash>), WebError> {
    let runs: Vec<_> = about.into_iter().chain(runs).collect();
    let size = runs.iter().map(|run| run.end).max().unwrap_or(0);
    let mut roots = RunRoots::of(runs);
    app.ledger.each_leaf_hash(log, size, |hash| roots.push(hash)).await.map_err(LedgerError::from)?;
    // A log that lost entries covered by its checkpoint has no such proof.
    if roots.size() < size {
        tracing::error!(log, entries = roots.size(), size, "entries are missing: run adjudge ledger verify");
        return Err(WebError::Internal);
    }
    let mut roots = roots.roots().map(Base64Hash::from);
    let (Some(one), Some(other)) = (roots.next(), roots.next()) else { return Err(WebError::Internal) };
    Ok(([one, other], roots.collect()))
}
