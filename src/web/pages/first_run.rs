//! The first run: the first director, who directs every tournament of the server.

use std::net::SocketAddr;

use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};

use crate::app::App;
use crate::domain::event::server;
use crate::domain::names::normal_name;
use crate::domain::people::SHORTEST_PASSPHRASE;
use crate::domain::{Role, SERVER_LOG};
use crate::store::people::{self, NewStaff};
use crate::web::error::WebError;

use super::form::Form;
use super::render;
use super::sign_in::start_session;
use super::views::auth::FirstRunPage;

/// `GET /first-run`
pub async fn first_run(State(app): State<App>) -> Response {
    if !app.present().has_no_holders() {
        return Redirect::to("/sign-in").into_response();
    }
    render(StatusCode::OK, &FirstRunPage { shortest: SHORTEST_PASSPHRASE, ..FirstRunPage::default() })
}

/// `POST /first-run`: the first director, who directs every tournament of the server.
pub async fn create_first_director(
    State(app): State<App>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    form: Form,
) -> Result<Response, WebError> {
    if !app.present().has_no_holders() {
        return Err(WebError::NotFound);
    }
    let (name, secret) = (form.text("name"), form.text("secret"));
    let refused = |fault: &str| {
        let fault = Some(fault.to_owned());
        Ok(render(StatusCode::FORBIDDEN, &FirstRunPage { name: name.clone(), shortest: SHORTEST_PASSPHRASE, fault }))
    };
    let Some(known_as) = normal_name(&name) else {
        return refused("A name has 1 to 100 characters, and no control characters.");
    };
    if secret.chars().count() < SHORTEST_PASSPHRASE {
        return refused("The passphrase is too short: take four words.");
    }
    app.quotas.first_run(peer.ip(), app.world.passed())?;
    if !app.door.take_first_run(&form.text("code"), app.world.passed()) {
        return refused("That is not the code, or not any more. Start the server again for a new one.");
    }
    let new = NewStaff {
        name: known_as.clone(),
        role: Role::Director,
        tournament: SERVER_LOG.to_owned(),
        plays: None,
        passphrase: Some(secret),
    };
    if let Err(error) = people::add_staff(&app.ledger, &app.world, &server(), new).await {
        app.door.give_back_first_run(&form.text("code"), app.world.passed());
        return Err(error.into());
    }
    app.look_now().await;
    let staff = app.present().people.staff_named(&known_as).next().cloned().ok_or(WebError::Internal)?;
    start_session(&app, &headers, &staff, None).await
}
