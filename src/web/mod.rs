//! HTTP: the API and the pages. A handler asks each neighbour once; what happened is decided in the
//! domain and recorded by the store.

mod api;
mod challenge;
mod error;
mod guard;
#[cfg(feature = "fault-hooks")]
mod hooks;
mod metrics;
mod openapi;
mod pages;
mod settlement;
mod strict_json;
mod submission;
mod who;

use axum::Router;
use axum::extract::State;
use axum::http::Uri;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::Response;
use axum::routing::{get, post};
use tower_http::catch_panic::CatchPanicLayer;

use crate::app::App;

use api::{lexicons, operation, slips};
use error::WebError;
use pages::{assets, home, station};

/// Every route of the server.
pub fn router(app: App) -> Router {
    let api = Router::new()
        .route("/api/v1/lexicons", get(lexicons::list_lexicons))
        .route("/api/v1/slips/{id}", get(slips::read_slip))
        .route("/api/v1/slips/{id}/adjudications", post(slips::adjudicate_slip))
        .route("/api/v1/slips/{id}/rulings", post(slips::rule_on_slip))
        .route("/api/v1/tournaments/{tournament}/slips", post(slips::file_slip))
        .route("/api/v1/tournaments/{tournament}/slips/resolve", post(slips::resolve_key));
    let pages = Router::new()
        .route("/", get(home::welcome))
        .route("/station", get(station::begin))
        .route("/station/words", post(station::write_words))
        .route("/station/check", post(station::hand_over))
        .route("/station/ruling", post(station::judge))
        .layer(from_fn(guard::same_origin));
    #[cfg(feature = "fault-hooks")]
    let api = api.merge(hooks::routes());
    let set_up = api
        .merge(openapi::routes())
        .route("/metrics", get(operation::metrics))
        .merge(pages)
        .route("/static/{*path}", get(assets::asset))
        .fallback(nothing_here)
        .method_not_allowed_fallback(not_this_way)
        .layer(from_fn_with_state(app.clone(), guard::set_up));
    Router::new()
        .route("/healthz", get(operation::health))
        .route("/readyz", get(operation::readiness))
        .merge(set_up)
        .layer(from_fn(guard::trace))
        .layer(CatchPanicLayer::custom(guard::after_panic))
        .layer(from_fn(guard::headers))
        .with_state(app)
}

async fn nothing_here(State(app): State<App>, uri: Uri) -> Response {
    pages::problem(&app, &uri, WebError::NotFound)
}

async fn not_this_way(State(app): State<App>, uri: Uri) -> Response {
    pages::problem(&app, &uri, WebError::MethodNotAllowed)
}
