//! The front door.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;

use crate::app::App;

use super::seat::{Seat, drawn};
use super::shown;
use super::views::HomePage;

/// `GET /`
pub async fn welcome(State(app): State<App>, seat: Result<Seat, Response>) -> Response {
    let present = app.present();
    let lexica = present.floor.active().into_iter().map(shown).collect();
    drawn(
        StatusCode::OK,
        &HomePage {
            is_new: present.has_no_holders(),
            has_station: seat.is_ok(),
            lexica,
            version: env!("CARGO_PKG_VERSION").to_owned(),
        },
    )
}
