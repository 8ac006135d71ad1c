//! The director's desk, as far as it is there: staff, devices, and what to look at before round 1.

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};

use crate::app::App;
use crate::domain::event::{DeviceKind, DeviceSetting};
use crate::domain::names::is_name;
use crate::domain::people::{Device, Pairing, Staff};
use crate::domain::{Action, Role, SERVER_LOG, Tournament};
use crate::present::Present;
use crate::store::devices::{self, Good};
use crate::store::people::{self, NewStaff};
use crate::web::error::WebError;
use crate::web::who::Who;

use super::arrival::is_this_machine;
use super::form::Form;
use super::preflight::checks;
use super::seat::drawn;
use super::trust::picture_of;
use super::views::people::{CodePage, DeskPage, DeviceRow, SecretPage, StaffRow};

const NO_NAME: &str = "A name or label has 1 to 100 characters, and no control characters.";

/// Somebody who may add people and devices.
pub struct Director(Who);

impl axum::extract::FromRequestParts<App> for Director {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut axum::http::request::Parts, app: &App) -> Result<Self, Response> {
        match Who::from_request_parts(parts, app).await {
            Ok(who) if who.may(Action::ManagePeople).is_ok() => Ok(Self(who)),
            // A device that is no director's is told so; whoever is nobody may sign in.
            Ok(_) => Err(super::problem(app, &parts.uri, WebError::Forbidden("this is the director's desk"))),
            Err(WebError::NotSignedIn) => Err(Redirect::to("/sign-in").into_response()),
            Err(error) => Err(super::problem(app, &parts.uri, error)),
        }
    }
}

/// `GET /director`
pub async fn desk(State(app): State<App>, Director(who): Director) -> Response {
    drawn(StatusCode::OK, &page(&app, &who, None))
}

fn page(app: &App, who: &Who, fault: Option<String>) -> DeskPage {
    let present = app.present();
    DeskPage {
        director: who.0.name.clone(),
        checks: checks(app, &present, who),
        devices: present.people.devices().filter(|device| who.is_of(&device.tournament)).map(DeviceRow::of).collect(),
        staff: present.people.staff().filter(|staff| who.is_of(&staff.tournament)).map(StaffRow::of).collect(),
        tournaments: own_tournaments(&present, who).map(|own| own.id.clone()).collect(),
        fault,
    }
}

/// The tournaments that somebody directs.
pub fn own_tournaments<'p>(present: &'p Present, who: &'p Who) -> impl Iterator<Item = &'p Tournament> {
    present.floor.tournaments().filter(|tournament| who.is_of(&tournament.id))
}

fn refused(app: &App, who: &Who, fault: &str) -> Response {
    drawn(StatusCode::UNPROCESSABLE_ENTITY, &page(app, who, Some(fault.to_owned())))
}

fn or_refused(app: &App, who: &Who, error: WebError) -> Response {
    match error {
        WebError::Taken(why) => refused(app, who, &why),
        error => error.into_response(),
    }
}

fn back() -> Response {
    Redirect::to("/director").into_response()
}

/// `POST /director/devices`
pub async fn make_device(
    State(app): State<App>,
    Director(who): Director,
    headers: HeaderMap,
    form: Form,
) -> Result<Response, WebError> {
    let present = app.present();
    let tournament = who.tournament(&present, &form.text("tournament"))?;
    let setting = match setting(tournament, &form) {
        Ok(setting) => setting,
        Err(fault) => return Ok(refused(&app, &who, &fault)),
    };
    let kind = if form.text("kind") == "tablet" { DeviceKind::Tablet } else { DeviceKind::Station };
    let good = if form.text("good") == "sheet" { Good::UntilUsed } else { Good::ForNow };
    let label = setting.label.clone();
    let made = devices::make(&app.ledger, &app.world, &who.actor(), (kind, &tournament.id), setting, good).await;
    let (_, code) = match made {
        Ok(made) => made,
        Err(error) => return Ok(or_refused(&app, &who, error.into())),
    };
    app.look_now().await;
    Ok(code_page(&app, &headers, label, code, good))
}

/// The label, divisions and place that a form gives a device; or what is wrong with them.
fn setting(tournament: &Tournament, form: &Form) -> Result<DeviceSetting, String> {
    let (label, hall) = (form.text("label"), form.text("hall"));
    let divisions: Vec<String> =
        form.text("divisions").split([' ', ',']).filter(|id| !id.is_empty()).map(str::to_owned).collect();
    if !is_name(&label) || !(hall.is_empty() || is_name(&hall)) {
        return Err(NO_NAME.to_owned());
    }
    if divisions.iter().any(|id| tournament.division(id).is_err()) {
        return Err(tournament.no_such_division());
    }
    Ok(DeviceSetting { label, divisions, hall })
}

fn code_page(app: &App, headers: &HeaderMap, label: String, code: String, good: Good) -> Response {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    // Whoever sits at the server itself calls it by a name that leads no other device here.
    let elsewhere = app.trust.for_others().filter(|_| is_this_machine(host));
    let is_this_machine = is_this_machine(host) && elsewhere.is_none();
    let address = elsewhere.unwrap_or_else(|| format!("{}://{host}", app.trust.scheme()));
    let picture = picture_of(&format!("{address}/pair#{code}")).unwrap_or_default();
    // The head of an XML file has no place within a page.
    let picture = picture.split_once("?>").map(|(_, svg)| svg.to_owned()).unwrap_or(picture);
    drawn(
        StatusCode::OK,
        &CodePage { label, code, address, picture, is_for_sheet: good == Good::UntilUsed, is_this_machine },
    )
}

/// The director's own device of that id.
fn own_device(app: &App, who: &Who, id: &str) -> Result<Device, WebError> {
    let device = app.present().people.device(id).cloned().filter(|device| who.is_of(&device.tournament));
    device.ok_or(WebError::NotFound)
}

/// `POST /director/devices/{id}/code`
pub async fn new_code(
    State(app): State<App>,
    Director(who): Director,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, WebError> {
    let device = own_device(&app, &who, &id)?;
    let code = devices::new_code(&app.ledger, &app.world, &who.actor(), &id).await?;
    Ok(code_page(&app, &headers, device.setting.label, code, Good::ForNow))
}

/// `POST /director/devices/{id}/confirm`
pub async fn confirm_device(
    State(app): State<App>,
    Director(who): Director,
    Path(id): Path<String>,
) -> Result<Response, WebError> {
    if own_device(&app, &who, &id)?.pairing == Pairing::Unconfirmed {
        devices::confirm(&app.ledger, &app.world, &who.actor(), &id).await?;
        app.look_now().await;
    }
    Ok(back())
}

/// `POST /director/devices/{id}/revoke`
pub async fn revoke_device(
    State(app): State<App>,
    Director(who): Director,
    Path(id): Path<String>,
) -> Result<Response, WebError> {
    own_device(&app, &who, &id)?;
    devices::revoke(&app.ledger, &app.world, &who.actor(), &id).await?;
    app.look_now().await;
    Ok(back())
}

/// `POST /director/devices/{id}/set`
pub async fn set_device(
    State(app): State<App>,
    Director(who): Director,
    Path(id): Path<String>,
    form: Form,
) -> Result<Response, WebError> {
    let (device, present) = (own_device(&app, &who, &id)?, app.present());
    let setting = match setting(who.tournament(&present, &device.tournament)?, &form) {
        Ok(setting) => setting,
        Err(fault) => return Ok(refused(&app, &who, &fault)),
    };
    if let Err(error) = devices::set(&app.ledger, &app.world, &who.actor(), &id, setting).await {
        return Ok(or_refused(&app, &who, error.into()));
    }
    app.look_now().await;
    Ok(back())
}

/// `POST /director/staff`
pub async fn add_staff(State(app): State<App>, Director(who): Director, form: Form) -> Result<Response, WebError> {
    let (name, tournament) = (form.text("name"), form.text("tournament"));
    let plays = Some(form.text("plays")).filter(|player| !player.is_empty());
    let role = Role::named(&form.text("role")).filter(|role| !role.speaks_for_players());
    let (Some(role), true) = (role, is_name(&name) && plays.as_deref().is_none_or(is_name)) else {
        return Ok(refused(&app, &who, NO_NAME));
    };
    who.tournament(&app.present(), &tournament)?;
    let new = NewStaff { name: name.clone(), role, tournament, plays, passphrase: None };
    match people::add_staff(&app.ledger, &app.world, &who.actor(), new).await {
        Ok(secret) => {
            app.look_now().await;
            Ok(drawn(StatusCode::OK, &SecretPage { name, secret, is_pin: role == Role::Judge }))
        }
        Err(error) => Ok(or_refused(&app, &who, error.into())),
    }
}

/// Staff of that id whom the director looks after.
fn own_staff(app: &App, who: &Who, id: &str) -> Result<Staff, WebError> {
    let staff = app.present().people.staff_of(id).cloned().filter(|staff| who.is_of(&staff.tournament));
    staff.ok_or(WebError::NotFound)
}

/// `POST /director/staff/{id}/reset`
pub async fn reset_staff(
    State(app): State<App>,
    Director(who): Director,
    Path(id): Path<String>,
) -> Result<Response, WebError> {
    let staff = own_staff(&app, &who, &id)?;
    let secret = people::reset_staff(&app.ledger, &app.world, &who.actor(), &staff.name).await?;
    app.look_now().await;
    Ok(drawn(StatusCode::OK, &SecretPage { is_pin: staff.has_pin(), name: staff.name, secret }))
}

/// `POST /director/staff/{id}/remove`
pub async fn remove_staff(
    State(app): State<App>,
    Director(who): Director,
    Path(id): Path<String>,
) -> Result<Response, WebError> {
    let staff = own_staff(&app, &who, &id)?;
    if staff.id == who.0.id {
        return Ok(refused(&app, &who, "You cannot remove yourself: another director does."));
    }
    people::remove_staff(&app.ledger, &app.world, &who.actor(), &staff.name).await?;
    app.look_now().await;
    Ok(back())
}

impl DeviceRow {
    fn of(device: &Device) -> Self {
        Self {
            id: device.id.clone(),
            label: device.setting.label.clone(),
            kind: match device.kind {
                DeviceKind::Station => "station",
                DeviceKind::Tablet => "judge’s device",
            },
            tournament: device.tournament.clone(),
            divisions: device.setting.divisions.join(" "),
            hall: device.setting.hall.clone(),
            state: match device.pairing {
                Pairing::Waits => "not paired yet",
                Pairing::Unconfirmed => "showed its printed code: is this it?",
                Pairing::Paired => "",
            },
            can_confirm: device.pairing == Pairing::Unconfirmed,
        }
    }
}

impl StaffRow {
    fn of(staff: &Staff) -> Self {
        Self {
            id: staff.id.clone(),
            name: staff.name.clone(),
            role: staff.role.to_string(),
            tournament: if staff.tournament == SERVER_LOG {
                "all tournaments".to_owned()
            } else {
                staff.tournament.clone()
            },
            plays: staff.plays.clone(),
            has_pin: staff.has_pin(),
            is_locked: staff.is_locked,
        }
    }
}
