//! The home page.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};

use crate::domain::{Action, Role};
use crate::store::accounts::tokens::Credential;
use crate::web::auth::caller::{Caller, View};
use crate::web::http::error::WebError;

use super::render;
use super::shown;
use super::station::session::StationSession;
use super::views::HomePage;

/// `GET /`
pub async fn home(
    View(snapshot): View,
    caller: Result<Caller, WebError>,
    station: Result<StationSession, Response>,
) -> Response {
    match caller.as_ref().map(|caller| (caller.principal.by, caller.principal.role)) {
        Ok((Credential::Device, Role::Station)) => return Redirect::to("/station").into_response(),
        Ok((Credential::Session, Role::Director)) => return Redirect::to("/director").into_response(),
        _ => {}
    }
    let signed_in = caller.ok().filter(|caller| caller.principal.by == Credential::Session);
    let has_passphrase = signed_in.as_ref().is_some_and(|caller| caller.may(Action::ChoosePassphrase).is_ok());
    let lexica = snapshot.setup.active().into_iter().map(shown).collect();
    render(
        StatusCode::OK,
        &HomePage {
            is_new: snapshot.is_unconfigured(),
            has_station: station.is_ok(),
            signed_in: signed_in.map(|caller| caller.principal.name),
            has_passphrase,
            lexica,
            version: env!("CARGO_PKG_VERSION").to_owned(),
        },
    )
}
