//! The front door.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};

use crate::domain::{Action, Role};
use crate::store::tokens::Entrance;
use crate::web::auth::caller::{View, Who};
use crate::web::http::error::WebError;

use super::render;
use super::shown;
use super::station::session::StationSession;
use super::views::HomePage;

/// `GET /`
pub async fn home(
    View(present): View,
    who: Result<Who, WebError>,
    station: Result<StationSession, Response>,
) -> Response {
    match who.as_ref().map(|who| (who.0.by, who.0.role)) {
        Ok((Entrance::Device, Role::Station)) => return Redirect::to("/station").into_response(),
        Ok((Entrance::Session, Role::Director)) => return Redirect::to("/director").into_response(),
        _ => {}
    }
    let signed_in = who.ok().filter(|who| who.0.by == Entrance::Session);
    let has_passphrase = signed_in.as_ref().is_some_and(|who| who.may(Action::ChoosePassphrase).is_ok());
    let lexica = present.floor.active().into_iter().map(shown).collect();
    render(
        StatusCode::OK,
        &HomePage {
            is_new: present.is_unconfigured(),
            has_station: station.is_ok(),
            signed_in: signed_in.map(|who| who.0.name),
            has_passphrase,
            lexica,
            version: env!("CARGO_PKG_VERSION").to_owned(),
        },
    )
}
