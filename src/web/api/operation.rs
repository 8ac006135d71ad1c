//! Whether the server is up, and whether it can judge. Source: CONTRACT 3.5.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Serialize;

use crate::app::App;
use crate::store::Storage;

#[derive(Serialize)]
pub struct Health {
    status: &'static str,
}

#[derive(Serialize)]
pub struct Readiness {
    status: &'static str,
    /// `writable` or what keeps the ledger from being written.
    ledger: &'static str,
    /// The ids of lexica that a division plays with and that cannot be served.
    failed_lexica: Vec<String>,
}

/// `GET /healthz`: the process answers.
pub async fn health() -> Json<Health> {
    Json(Health { status: "up" })
}

/// `GET /readyz`: the ledger can be written and every active lexicon is verified.
pub async fn readiness(State(app): State<App>) -> (StatusCode, Json<Readiness>) {
    let present = app.present();
    let active = present.floor.active().into_iter();
    let failed: Vec<String> =
        active.filter(|name| present.opened(name).is_none()).map(|name| name.id.clone()).collect();
    let writable = app.scribe.probe().await.is_ok();
    let ledger = match app.scribe.storage() {
        _ if writable => "writable",
        Storage::Full(_) => "read-only: disk full",
        Storage::Writable | Storage::Broken => "not-writable",
    };
    let is_ready = writable && failed.is_empty();
    let readiness = Readiness { status: if is_ready { "ready" } else { "not-ready" }, ledger, failed_lexica: failed };
    (if is_ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE }, Json(readiness))
}
