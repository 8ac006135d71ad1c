//! The door: the first director, sign-in and sign-out, pairing.

use std::net::{IpAddr, SocketAddr};

use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Redirect, Response};

use crate::app::App;
use crate::domain::event::{DeviceKind, server};
use crate::domain::names::normal_name;
use crate::domain::people::{Device, MOST_TRIES, Pairing, SHORTEST_PASSPHRASE, Staff};
use crate::domain::{Role, SERVER_LOG};
use crate::store::people::{NewStaff, PeopleError};
use crate::store::tokens::hash_of;
use crate::store::{LedgerError, pairing, people, sessions};
use crate::web::cookies::Cookie;
use crate::web::error::WebError;

use super::form::Form;
use super::seat::drawn;
use super::views::people::{FirstRunPage, PairPage, SignInPage, WaitsPage};

/// The same whoever it was and whatever was wrong.
const NO_ENTRY: &str = "That did not let you in. Look at name and PIN or passphrase. After five wrong tries each further one \
    has to wait, and after ten a judge needs a new PIN from the director.";

/// `GET /sign-in`
pub async fn sign_in(State(app): State<App>, headers: HeaderMap) -> Response {
    drawn(StatusCode::OK, &SignInPage { device: label_of(&app, &headers), ..SignInPage::default() })
}

/// `POST /sign-in`
pub async fn come_in(
    State(app): State<App>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    form: Form,
) -> Result<Response, WebError> {
    app.quotas.coming_in(peer.ip(), app.world.passed())?;
    let (name, secret) = (form.text("name"), form.text("secret"));
    // Whoever was added a moment ago on the command line may come in.
    app.look_now().await;
    let device = device_of(&app, &headers).filter(|device| device.pairing == Pairing::Paired);
    let Some(staff) = admitted(&app, peer.ip(), &name, secret, device.as_ref()).await? else {
        let fault = Some(NO_ENTRY.to_owned());
        let page = SignInPage { device: label_of(&app, &headers), name, fault };
        return Ok(drawn(StatusCode::FORBIDDEN, &page));
    };
    let device = device.filter(|device| device.kind == DeviceKind::Tablet).map(|device| device.id);
    begin(&app, &headers, &staff, device.as_deref()).await
}

/// Whoever a name and a secret belong to. Nothing tells whether there is such a name.
///
/// Only at a paired device of the judge's own tournament are wrong PINs counted, so that nobody elsewhere can lock him
/// out. Passphrases are long: there it is who tries that has to wait, by his address, and never the director at his own.
async fn admitted(
    app: &App,
    address: IpAddr,
    name: &str,
    secret: String,
    device: Option<&Device>,
) -> Result<Option<Staff>, WebError> {
    let present = app.present();
    let is_at_tablet = |staff: &Staff| {
        let serves = |device: &Device| [SERVER_LOG, device.tournament.as_str()].contains(&staff.tournament.as_str());
        device.is_some_and(|device| device.kind == DeviceKind::Tablet && serves(device))
    };
    let all: Vec<Staff> =
        present.people.staff_named(name).filter(|one| !one.has_pin() || is_at_tablet(one)).cloned().collect();
    if all.is_empty() {
        // It takes as long as a wrong passphrase.
        app.door.is_secret(secret, None).await.ok_or(WebError::DoorBusy)?;
        return Ok(None);
    }
    for staff in meant(app, all, &secret).await? {
        if proved(app, address, &staff, secret.clone()).await?.is_some() {
            return Ok(Some(staff));
        }
    }
    Ok(None)
}

/// Of several people of one name, each of another tournament, the one whose secret it is; all of them where it is
/// nobody's, since it may have been tried for any of them.
async fn meant(app: &App, all: Vec<Staff>, secret: &str) -> Result<Vec<Staff>, WebError> {
    if all.len() < 2 {
        return Ok(all);
    }
    for staff in &all {
        let known = people::credential(&app.ledger, &staff.id).await.map_err(LedgerError::from)?;
        let hash = known.map(|(hash, _)| hash);
        if app.door.is_secret(secret.to_owned(), hash).await.ok_or(WebError::DoorBusy)? {
            return Ok(vec![staff.clone()]);
        }
    }
    Ok(all)
}

/// The hash that a secret fits, where it is somebody's and he need not wait; a wrong one is recorded and counted.
///
/// # Errors
/// 503 where too many others wait for theirs, or nothing can be read or written.
pub async fn proved(app: &App, address: IpAddr, staff: &Staff, secret: String) -> Result<Option<String>, WebError> {
    let whose = if staff.has_pin() { staff.id.clone() } else { format!("{} {address}", staff.id) };
    let _turn = app.door.turn(&whose).await;
    let known = people::credential(&app.ledger, &staff.id).await.map_err(LedgerError::from)?;
    let (hash, counted) = known.unwrap_or_default();
    let fails = if staff.has_pin() { counted } else { app.door.wrong_tries(&whose) };
    let is_shut = staff.has_pin() && fails >= MOST_TRIES || app.door.must_wait(&whose, fails, app.world.passed());
    let is_right = app.door.is_secret(secret, Some(hash.clone())).await.ok_or(WebError::DoorBusy)?;
    if is_right && !is_shut {
        app.door.was_right(&whose);
        return Ok(Some(hash));
    }
    if !is_shut {
        app.door.was_wrong(&whose, app.world.passed());
        people::refused(&app.ledger, &app.world, &server(), staff).await?;
        app.look_now().await;
    }
    Ok(None)
}

/// A new session, whatever session the browser had before.
async fn begin(app: &App, headers: &HeaderMap, staff: &Staff, device: Option<&str>) -> Result<Response, WebError> {
    if let Some(old) = Cookie::Session.of(headers, app.trust.is_tls()) {
        sessions::end(&app.ledger, &hash_of(old)).await.map_err(WebError::from_failed_write)?;
    }
    let secret = sessions::begin(&app.ledger, &app.world, staff, device).await?;
    let mut response = Redirect::to("/").into_response();
    if let Some(cookie) = Cookie::Session.set(&secret, app.trust.is_tls()) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    Ok(response)
}

/// `POST /sign-out`
pub async fn sign_out(State(app): State<App>, headers: HeaderMap) -> Result<Response, WebError> {
    if let Some(hash) = Cookie::Session.of(&headers, app.trust.is_tls()).map(hash_of)
        && sessions::session(&app.ledger, &hash).await.map_err(LedgerError::from)?.is_some()
    {
        sessions::end(&app.ledger, &hash).await.map_err(WebError::from_failed_write)?;
    }
    let mut response = Redirect::to("/").into_response();
    if let Some(cookie) = Cookie::Session.end(app.trust.is_tls()) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    Ok(response)
}

/// `GET /first-run`
pub async fn first_run(State(app): State<App>) -> Response {
    if !app.present().has_no_holders() {
        return Redirect::to("/sign-in").into_response();
    }
    drawn(StatusCode::OK, &FirstRunPage { shortest: SHORTEST_PASSPHRASE, ..FirstRunPage::default() })
}

/// `POST /first-run`: the first director, who directs every tournament of the server.
pub async fn make_first_director(
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
        Ok(drawn(StatusCode::FORBIDDEN, &FirstRunPage { name: name.clone(), shortest: SHORTEST_PASSPHRASE, fault }))
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
    begin(&app, &headers, &staff, None).await
}

/// Where a device that waits for the director looks again, and goes on from once it is confirmed.
const WAITING: &str = "/pair?waiting";

/// `GET /pair`: that a device sees this page shows that it reaches the server.
pub async fn pair(
    State(app): State<App>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    uri: Uri,
) -> Response {
    if !peer.ip().to_canonical().is_loopback() {
        app.door.was_reached();
    }
    match device_of(&app, &headers) {
        Some(device) if device.pairing == Pairing::Unconfirmed => {
            drawn(StatusCode::OK, &WaitsPage { device: device.setting.label })
        }
        Some(device) if uri.query() == Some("waiting") => Redirect::to(first_page(device.kind)).into_response(),
        device => {
            let device = device.map(|device| device.setting.label);
            drawn(StatusCode::OK, &PairPage { device, fault: None })
        }
    }
}

/// `POST /pair`
pub async fn show_code(
    State(app): State<App>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    form: Form,
) -> Result<Response, WebError> {
    app.quotas.coming_in(peer.ip(), app.world.passed())?;
    let Some(entered) = pairing::pair(&app.ledger, &app.world, &form.text("code")).await? else {
        let fault = "That is not the code, or not any more: a code is good once, for ten minutes, and for five tries.";
        let page = PairPage { device: label_of(&app, &headers), fault: Some(fault.to_owned()) };
        return Ok(drawn(StatusCode::FORBIDDEN, &page));
    };
    app.look_now().await;
    let next = match entered.device.pairing {
        Pairing::Unconfirmed | Pairing::Waits => WAITING,
        Pairing::Paired => first_page(entered.device.kind),
    };
    let mut response = Redirect::to(next).into_response();
    if let Some(cookie) = Cookie::Device.set(&entered.secret, app.trust.is_tls()) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    Ok(response)
}

/// What a paired device is for.
const fn first_page(kind: DeviceKind) -> &'static str {
    match kind {
        DeviceKind::Station => "/station",
        DeviceKind::Tablet => "/sign-in",
    }
}

/// The device that a browser is, confirmed or not.
pub fn device_of(app: &App, headers: &HeaderMap) -> Option<Device> {
    app.present().device(Cookie::Device.of(headers, app.trust.is_tls())?).cloned()
}

fn label_of(app: &App, headers: &HeaderMap) -> Option<String> {
    device_of(app, headers).map(|device| device.setting.label)
}

/// Whether an address, with or without a port, means the machine that asks.
pub fn is_this_machine(host: &str) -> bool {
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name).trim_matches(['[', ']']);
    name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

impl From<PeopleError> for WebError {
    fn from(error: PeopleError) -> Self {
        match error {
            PeopleError::Ledger(error) => Self::from_failed_write(error),
            PeopleError::NoChance(error) => error.into(),
            PeopleError::NameTaken(_) | PeopleError::LabelTaken(_) | PeopleError::NotShown => {
                Self::Taken(error.to_string())
            }
            PeopleError::NoSuchStaff(_) | PeopleError::NoSuchDevice => Self::NotFound,
            PeopleError::Hash(_) => Self::Internal,
        }
    }
}
