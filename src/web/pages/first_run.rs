//! The first run: the first director, who directs every tournament of the server.

use std::net::SocketAddr;

use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};

use crate::domain::accounts::MIN_PASSPHRASE_CHARS;
use crate::domain::event::server;
use crate::domain::passphrase::passphrase_fault;
use crate::domain::player_name::normal_name;
use crate::domain::{Role, SERVER_LOG};
use crate::store::accounts::staff::{self, NewStaff};
use crate::web::http::error::WebError;
use crate::web::state::AppState;

use super::form::Form;
use super::render;
use super::sign_in::start_session;
use super::views::auth::FirstRunPage;

/// `GET /first-run`
pub async fn first_run(State(app): State<AppState>) -> Response {
    if !app.snapshot().is_unconfigured() {
        return Redirect::to("/sign-in").into_response();
    }
    render(StatusCode::OK, &FirstRunPage { shortest: MIN_PASSPHRASE_CHARS, ..FirstRunPage::default() })
}

/// `POST /first-run`: the first director, who directs every tournament of the server.
pub async fn create_first_director(
    State(app): State<AppState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    form: Form,
) -> Result<Response, WebError> {
    if !app.snapshot().is_unconfigured() {
        return Err(WebError::NotFound);
    }
    let (name, secret) = (form.text("name"), form.text("secret"));
    let refused = |fault: &str| {
        let fault = Some(fault.to_owned());
        Ok(render(StatusCode::FORBIDDEN, &FirstRunPage { name: name.clone(), shortest: MIN_PASSPHRASE_CHARS, fault }))
    };
    let Some(known_as) = normal_name(&name) else {
        return refused("A name has 1 to 100 characters, and no control characters.");
    };
    if let Some(fault) = passphrase_fault(&secret) {
        return refused(fault);
    }
    app.rate_limits.first_run(peer.ip(), app.system.monotonic())?;
    if !app.first_run.consume(&form.text("code"), app.system.monotonic()) {
        return refused("The code is wrong, used or older than 15 minutes. Start the server again for a new one.");
    }
    let new = NewStaff {
        name: known_as.clone(),
        role: Role::Director,
        tournament: SERVER_LOG.to_owned(),
        plays: None,
        passphrase: Some(secret),
    };
    if let Err(error) = staff::add_staff(&app.ledger, &app.system, &server(), new).await {
        app.first_run.restore(&form.text("code"), app.system.monotonic());
        return Err(error.into());
    }
    app.refresh().await;
    let staff = app.snapshot().people.staff_named(&known_as).next().cloned().ok_or(WebError::Internal)?;
    start_session(&app, &headers, &staff, None).await
}
