//! Codes that pair devices: one on the screen, or a sheet of many to be printed.

use std::net::IpAddr;

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;

use crate::domain::event::{DeviceKind, DeviceSetting};
use crate::domain::pairing_sheet::Sheet;
use crate::store::accounts::devices::{self, CreatedDevice};
use crate::store::accounts::pairing::{self, CodeValidity};
use crate::transport::MdnsStatus;
use crate::web::http::error::WebError;
use crate::web::state::AppState;

use super::director::{
    Director, DirectorForm, device_setting, fault_or_error, find_own_device, kind_name, redirect_to_desk,
    unpaired_devices, with_fault,
};
use super::form::Form;
use super::render;
use super::trust::qr_svg;
use super::views::director::{Card, CodePage, SheetPage};

/// The address of this server for other devices, as a pairing code contains it.
struct ServerAddress {
    address: String,
    /// The numeric address, if the other one is a name: not every device resolves it.
    also: Option<String>,
    /// Whether the address leads only this machine to the server.
    is_this_machine: bool,
}

impl ServerAddress {
    fn of(app: &AppState, headers: &HeaderMap) -> Self {
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        // A person at the server itself uses a name that leads no other device here.
        let is_told = app.identity.mdns == MdnsStatus::Announced;
        let elsewhere = app.identity.lan_url().filter(|_| is_told || is_this_machine(host));
        let also = app.identity.urls().into_iter().nth(1).filter(|_| is_told);
        let is_this_machine = is_this_machine(host) && elsewhere.is_none();
        let address = elsewhere.unwrap_or_else(|| format!("{}://{host}", app.identity.scheme()));
        Self { address, also, is_this_machine }
    }

    /// The address with a code, as an SVG within a page.
    fn pairing_qr(&self, code: &str) -> String {
        let picture = qr_svg(&format!("{}/pair#{code}", self.address)).unwrap_or_default();
        // The XML declaration has no place within a page.
        picture.split_once("?>").map(|(_, svg)| svg.to_owned()).unwrap_or(picture)
    }
}

/// Whether an address, with or without a port, means the requesting machine itself.
fn is_this_machine(host: &str) -> bool {
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name).trim_matches(['[', ']']);
    name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn device_kind(form: &Form) -> DeviceKind {
    if form.text("kind") == "tablet" { DeviceKind::Tablet } else { DeviceKind::Station }
}

/// `POST /director/devices`
pub async fn create_device(
    State(app): State<AppState>,
    headers: HeaderMap,
    DirectorForm(caller, form): DirectorForm,
) -> Result<Response, WebError> {
    let snapshot = caller.snapshot();
    let tournament = caller.tournament(&snapshot, &form.text("tournament"))?;
    let setting = match device_setting(tournament, &form.text("label"), &form) {
        Ok(setting) => setting,
        Err(fault) => return Ok(with_fault(&app, &caller, &fault)),
    };
    let good = if form.text("good") == "sheet" { CodeValidity::UntilUsed } else { CodeValidity::Minutes };
    let of = (device_kind(&form), tournament.id.as_str());
    let made = match devices::create(&app.ledger, &app.system, &caller.actor(), of, setting, good).await {
        Ok(made) => made,
        Err(error) => return Ok(fault_or_error(&app, &caller, error.into())),
    };
    app.refresh().await;
    Ok(code_page(&app, &headers, made.label, made.code, good))
}

fn code_page(app: &AppState, headers: &HeaderMap, label: String, code: String, good: CodeValidity) -> Response {
    let server = ServerAddress::of(app, headers);
    let (picture, is_for_sheet) = (server.pairing_qr(&code), good == CodeValidity::UntilUsed);
    let ServerAddress { address, also, is_this_machine } = server;
    render(StatusCode::OK, &CodePage { label, code, address, also, picture, is_for_sheet, is_this_machine })
}

/// `POST /director/sheets`: many devices at once, on paper. All of them are created, or none.
pub async fn create_sheet(
    State(app): State<AppState>,
    headers: HeaderMap,
    DirectorForm(caller, form): DirectorForm,
) -> Result<Response, WebError> {
    let snapshot = caller.snapshot();
    let tournament = caller.tournament(&snapshot, &form.text("tournament"))?;
    let sheet = match Sheet::read(&form.text("prefix"), &form.text("first"), &form.text("count")) {
        Ok(sheet) => sheet,
        Err(bad) => return Ok(with_fault(&app, &caller, &bad.to_string())),
    };
    let settings = sheet.labels().map(|label| device_setting(tournament, &label, &form)).collect::<Result<Vec<_>, _>>();
    let settings = match settings {
        Ok(settings) => settings,
        Err(fault) => return Ok(with_fault(&app, &caller, &fault)),
    };
    let stands = settings.first().cloned().unwrap_or_default();
    let of = (device_kind(&form), tournament.id.as_str());
    let made =
        devices::create_all(&app.ledger, &app.system, &caller.actor(), of, settings, CodeValidity::UntilUsed).await;
    let made = match made {
        Ok(made) => made,
        Err(error) => return Ok(fault_or_error(&app, &caller, error.into())),
    };
    app.refresh().await;
    Ok(sheet_page(&ServerAddress::of(&app, &headers), &tournament.title, of.0, &stands, made))
}

/// `stands` has the location and the divisions of all of them.
fn sheet_page(
    server: &ServerAddress,
    title: &str,
    kind: DeviceKind,
    stands: &DeviceSetting,
    made: Vec<CreatedDevice>,
) -> Response {
    let cards = made
        .into_iter()
        .map(|CreatedDevice { label, code, .. }| Card { picture: server.pairing_qr(&code), label, code })
        .collect();
    render(
        StatusCode::OK,
        &SheetPage {
            tournament: title.to_owned(),
            kind: kind_name(kind),
            divisions: stands.divisions.join(" "),
            hall: stands.hall.clone(),
            address: server.address.clone(),
            also: server.also.clone(),
            is_this_machine: server.is_this_machine,
            cards,
        },
    )
}

/// `POST /director/sheets/end`: revokes the devices that were never paired, and their codes.
pub async fn revoke_unpaired(State(app): State<AppState>, Director(caller): Director) -> Result<Response, WebError> {
    let waiting: Vec<String> = unpaired_devices(&caller.snapshot(), &caller).map(|device| device.id.clone()).collect();
    devices::revoke_unpaired(&app.ledger, &app.system, &caller.actor(), &waiting).await?;
    app.refresh().await;
    Ok(redirect_to_desk())
}

/// `POST /director/devices/{id}/code`
pub async fn create_code(
    State(app): State<AppState>,
    Director(caller): Director,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, WebError> {
    let device = find_own_device(&caller, &id)?;
    let code = pairing::new_code(&app.ledger, &app.system, &caller.actor(), &id).await?;
    Ok(code_page(&app, &headers, device.setting.label, code, CodeValidity::Minutes))
}
