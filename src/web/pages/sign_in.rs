//! Sign-in and sign-out.

use std::net::{IpAddr, SocketAddr};

use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};

use crate::domain::SERVER_LOG;
use crate::domain::accounts::{Device, MAX_TRIES, Pairing, Staff};
use crate::domain::event::{DeviceKind, server};
use crate::store::LedgerError;
use crate::store::accounts::tokens::sha256_hex;
use crate::store::accounts::{sessions, staff};
use crate::web::auth::cookies::Cookie;
use crate::web::http::error::WebError;
use crate::web::state::AppState;

use super::form::Form;
use super::pairing::{device_of, label_of};
use super::render;
use super::views::auth::SignInPage;

/// One text for every failure, so that it does not tell whether the name exists.
const NO_ENTRY: &str = "The name, or the PIN or passphrase, is wrong. After five wrong tries each further one has to wait, \
    and after ten a judge needs a new PIN from the director.";

/// `GET /sign-in`
pub async fn sign_in(State(app): State<AppState>, headers: HeaderMap) -> Response {
    render(StatusCode::OK, &SignInPage { device: label_of(&app, &headers), ..SignInPage::default() })
}

/// `POST /sign-in`
pub async fn submit_sign_in(
    State(app): State<AppState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    form: Form,
) -> Result<Response, WebError> {
    app.rate_limits.sign_in(peer.ip(), app.system.monotonic())?;
    let (name, secret) = (form.text("name"), form.text("secret"));
    // A person who was added a moment ago on the command line may sign in.
    app.refresh().await;
    let device = device_of(&app, &headers).filter(|device| device.pairing == Pairing::Paired);
    let Some(staff) = authenticate(&app, peer.ip(), &name, secret, device.as_ref()).await? else {
        let fault = Some(NO_ENTRY.to_owned());
        let page = SignInPage { device: label_of(&app, &headers), name, fault };
        return Ok(render(StatusCode::FORBIDDEN, &page));
    };
    let device = device.filter(|device| device.kind == DeviceKind::Tablet).map(|device| device.id);
    start_session(&app, &headers, &staff, device.as_deref()).await
}

/// The staff member of a name and a secret. Neither the answer nor its timing reveals whether the name exists.
///
/// Wrong PINs count only at a paired device of the judge's own tournament, so that no one elsewhere can lock a judge
/// out. Passphrases are long: wrong ones delay the address that tries them, never the director at another address.
async fn authenticate(
    app: &AppState,
    address: IpAddr,
    name: &str,
    secret: String,
    device: Option<&Device>,
) -> Result<Option<Staff>, WebError> {
    let snapshot = app.snapshot();
    let is_at_tablet = |staff: &Staff| {
        let serves = |device: &Device| [SERVER_LOG, device.tournament.as_str()].contains(&staff.tournament.as_str());
        device.is_some_and(|device| device.kind == DeviceKind::Tablet && serves(device))
    };
    let all: Vec<Staff> =
        snapshot.people.staff_named(name).filter(|one| !one.has_pin() || is_at_tablet(one)).cloned().collect();
    if all.is_empty() {
        // This takes as long as a wrong passphrase.
        app.sign_in.verify_secret(secret, None).await.ok_or(WebError::SignInBusy)?;
        return Ok(None);
    }
    for staff in namesakes_with_secret(app, all, &secret).await? {
        if verify_credential(app, address, &staff, secret.clone()).await?.is_some() {
            return Ok(Some(staff));
        }
    }
    Ok(None)
}

/// Of several people of one name, each of another tournament, the one with this secret; all of them if it fits none,
/// since it may have been meant for any of them.
async fn namesakes_with_secret(app: &AppState, all: Vec<Staff>, secret: &str) -> Result<Vec<Staff>, WebError> {
    if all.len() < 2 {
        return Ok(all);
    }
    for staff in &all {
        let known = staff::credential(&app.ledger, &staff.id).await.map_err(LedgerError::from)?;
        let hash = known.map(|(hash, _)| hash);
        if app.sign_in.verify_secret(secret.to_owned(), hash).await.ok_or(WebError::SignInBusy)? {
            return Ok(vec![staff.clone()]);
        }
    }
    Ok(all)
}

/// The hash that matches a secret, unless the staff member has to wait; a wrong secret is recorded and counted.
///
/// # Errors
/// 503 if too many others wait, or the store cannot be read or written.
pub async fn verify_credential(
    app: &AppState,
    address: IpAddr,
    staff: &Staff,
    secret: String,
) -> Result<Option<String>, WebError> {
    let whose = if staff.has_pin() { staff.id.clone() } else { format!("{} {address}", staff.id) };
    let _turn = app.sign_in.lock_account(&whose).await;
    let known = staff::credential(&app.ledger, &staff.id).await.map_err(LedgerError::from)?;
    let (hash, counted) = known.unwrap_or_default();
    let fails = if staff.has_pin() { counted } else { app.sign_in.failures(&whose) };
    let is_shut =
        staff.has_pin() && fails >= MAX_TRIES || app.sign_in.is_throttled(&whose, fails, app.system.monotonic());
    let is_right = app.sign_in.verify_secret(secret, Some(hash.clone())).await.ok_or(WebError::SignInBusy)?;
    if is_right && !is_shut {
        app.sign_in.record_success(&whose);
        return Ok(Some(hash));
    }
    if !is_shut {
        app.sign_in.record_failure(&whose, app.system.monotonic());
        staff::record_failed_attempt(&app.ledger, &app.system, &server(), staff).await?;
        app.refresh().await;
    }
    Ok(None)
}

/// A new session in place of the browser's earlier one.
pub(super) async fn start_session(
    app: &AppState,
    headers: &HeaderMap,
    staff: &Staff,
    device: Option<&str>,
) -> Result<Response, WebError> {
    if let Some(old) = Cookie::Session.of(headers, app.identity.is_tls()) {
        sessions::delete(&app.ledger, &sha256_hex(old)).await.map_err(WebError::from_failed_write)?;
    }
    let secret = sessions::create(&app.ledger, &app.system, staff, device).await?;
    let mut response = Redirect::to("/").into_response();
    if let Some(cookie) = Cookie::Session.set(&secret, app.identity.is_tls()) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    Ok(response)
}

/// `POST /sign-out`
pub async fn sign_out(State(app): State<AppState>, headers: HeaderMap) -> Result<Response, WebError> {
    if let Some(hash) = Cookie::Session.of(&headers, app.identity.is_tls()).map(sha256_hex)
        && sessions::session(&app.ledger, &hash).await.map_err(LedgerError::from)?.is_some()
    {
        sessions::delete(&app.ledger, &hash).await.map_err(WebError::from_failed_write)?;
    }
    let mut response = Redirect::to("/").into_response();
    if let Some(cookie) = Cookie::Session.end(app.identity.is_tls()) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    Ok(response)
}
