//! Whether the server is up, and whether it can judge. Source: CONTRACT 3.5.

use std::net::SocketAddr;

use axum::Json;
use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use crate::store::Storage;
use crate::web::auth::caller::Caller;
use crate::web::http::error::WebError;
use crate::web::http::metrics;
use crate::web::state::AppState;

/// The text format of Prometheus.
const PROMETHEUS: HeaderValue = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");

#[derive(Serialize, ToSchema)]
pub struct Health {
    status: &'static str,
}

#[derive(Serialize, ToSchema)]
pub struct Readiness {
    status: &'static str,
    /// `writable` or what keeps the ledger from being written, or from being believed.
    ledger: &'static str,
    /// The ids of lexica that a division plays with and that cannot be served.
    failed_lexica: Vec<String>,
    /// What does not keep the server from ruling and is to be looked after.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
    /// Why the machine's clock is not believed until a director confirms it.
    #[serde(skip_serializing_if = "Option::is_none")]
    clock: Option<String>,
}

/// The process answers.
#[utoipa::path(
    get,
    path = "/healthz",
    tag = "operation",
    security(()),
    responses((status = 200, body = Health, description = "The process answers"))
)]
pub async fn health() -> Json<Health> {
    Json(Health { status: "up" })
}

/// The ledger can be written and every active lexicon is verified.
#[utoipa::path(
    get,
    path = "/readyz",
    tag = "operation",
    security(()),
    responses((status = 200, body = Readiness, description = "Ready, or with `ledger` what to look at"),
        (status = 503, body = Readiness, description = "No rulings can be given, or none where a list failed"))
)]
pub async fn readiness(State(app): State<AppState>) -> (StatusCode, Json<Readiness>) {
    let snapshot = app.snapshot();
    let active = snapshot.setup.active().into_iter();
    let failed: Vec<String> =
        active.filter(|name| snapshot.opened(name).is_none()).map(|name| name.id.clone()).collect();
    let found =
        app.write_probe.is_writable(|| app.system.monotonic(), async { app.writer.probe().await.is_ok() }).await;
    let is_whole = app.checkpoint_copies.alarms().is_empty();
    // An error that the last write met is reported at once.
    let ledger = match app.writer.storage() {
        _ if !is_whole => "entries lost or changed: run adjudge ledger verify",
        Storage::Writable if found => "writable",
        Storage::Full(_) => "read-only: disk full",
        Storage::Writable | Storage::Broken => "not-writable",
    };
    let is_ready = ledger == "writable" && failed.is_empty();
    let readiness = Readiness {
        status: if is_ready { "ready" } else { "not-ready" },
        ledger,
        failed_lexica: failed,
        warnings: app.warnings(),
        clock: app.clock_doubt().map(|doubt| doubt.to_string()),
    };
    (if is_ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE }, Json(readiness))
}

/// Counts in the text format of Prometheus, for this machine or any token.
#[utoipa::path(
    get,
    path = "/metrics",
    tag = "operation",
    security((), ("token" = [])),
    responses((status = 200, body = String, content_type = "text/plain", description = "Counts, one a line"))
)]
pub async fn metrics(
    State(app): State<AppState>,
    ConnectInfo(address): ConnectInfo<SocketAddr>,
    caller: Result<Caller, WebError>,
) -> Result<Response, WebError> {
    if !address.ip().to_canonical().is_loopback() {
        caller?;
    }
    Ok(([(header::CONTENT_TYPE, PROMETHEUS)], metrics::text(&app)).into_response())
}
