//! Routes that break the server on purpose, for `scripts/faults`. They exist only with the cargo feature
//! `fault-injection`, which is off by default.

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;

use crate::web::state::AppState;

pub fn routes() -> Router<AppState> {
    Router::new().route("/faults/panic", post(panic_here)).route("/faults/end-writer", post(end_writer))
}

#[expect(clippy::panic, reason = "this is what it is for")]
async fn panic_here() -> StatusCode {
    panic!("a hook of the fault tests")
}

async fn end_writer(State(app): State<AppState>) -> StatusCode {
    app.writer.end().await;
    StatusCode::ACCEPTED
}
