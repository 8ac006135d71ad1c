//! The front door.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;

use crate::app::App;

use super::seat::drawn;
use super::shown;
use super::views::HomePage;

/// `GET /`
pub async fn welcome(State(app): State<App>) -> Response {
    let present = app.present();
    let lexica = present.floor.active().into_iter().map(shown).collect();
    drawn(StatusCode::OK, &HomePage { lexica, version: env!("CARGO_PKG_VERSION").to_owned() })
}
