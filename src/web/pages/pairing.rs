//! Pairing: a device shows its code and gets a secret of its own.

use std::net::SocketAddr;

use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Redirect, Response};

use crate::domain::accounts::{Device, Pairing};
use crate::domain::event::DeviceKind;
use crate::store::accounts::pairing;
use crate::web::auth::cookies::Cookie;
use crate::web::http::error::WebError;
use crate::web::state::AppState;

use super::form::Form;
use super::render;
use super::views::auth::{PairPage, UnconfirmedPage};

/// The address at which a waiting device checks whether the director confirmed it, and continues.
const WAITING: &str = "/pair?waiting";

/// `GET /pair`: a device that sees this page reaches the server.
pub async fn pair(
    State(app): State<AppState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    uri: Uri,
) -> Response {
    if !peer.ip().to_canonical().is_loopback() {
        app.mark_lan_reached();
    }
    match device_of(&app, &headers) {
        Some(device) if device.pairing == Pairing::Unconfirmed => {
            render(StatusCode::OK, &UnconfirmedPage { device: device.setting.label })
        }
        Some(device) if uri.query() == Some("waiting") => Redirect::to(first_page(device.kind)).into_response(),
        device => {
            let device = device.map(|device| device.setting.label);
            render(StatusCode::OK, &PairPage { device, fault: None })
        }
    }
}

/// `POST /pair`
pub async fn submit_code(
    State(app): State<AppState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    form: Form,
) -> Result<Response, WebError> {
    app.rate_limits.sign_in(peer.ip(), app.system.monotonic())?;
    let Some(entered) = pairing::pair(&app.ledger, &app.system, &form.text("code")).await? else {
        let fault =
            "The code is wrong, used or too old: a code works once, for ten minutes and five tries. Ask for a new one.";
        let page = PairPage { device: label_of(&app, &headers), fault: Some(fault.to_owned()) };
        return Ok(render(StatusCode::FORBIDDEN, &page));
    };
    app.refresh().await;
    let next = match entered.device.pairing {
        Pairing::Unconfirmed | Pairing::Waits => WAITING,
        Pairing::Paired => first_page(entered.device.kind),
    };
    let mut response = Redirect::to(next).into_response();
    if let Some(cookie) = Cookie::Device.set(&entered.secret, app.identity.is_tls()) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    Ok(response)
}

/// The first page of a paired device.
const fn first_page(kind: DeviceKind) -> &'static str {
    match kind {
        DeviceKind::Station => "/station",
        DeviceKind::Tablet => "/sign-in",
    }
}

/// The device of a browser, confirmed or not.
pub(super) fn device_of(app: &AppState, headers: &HeaderMap) -> Option<Device> {
    app.snapshot().device(Cookie::Device.of(headers, app.identity.is_tls())?).cloned()
}

pub(super) fn label_of(app: &AppState, headers: &HeaderMap) -> Option<String> {
    device_of(app, headers).map(|device| device.setting.label)
}
