//! The director's desk, as far as it is there: staff, devices, and what to look at before round 1.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};

use crate::domain::event::{DeviceKind, DeviceSetting, RoundSet, RoundState};
use crate::domain::names::normal_name;
use crate::domain::people::{Device, Pairing, Staff};
use crate::domain::sheet::MAX_CARDS;
use crate::domain::{Action, Division, Event, LexiconName, Role, SERVER_LOG, Tournament};
use crate::snapshot::Snapshot;
use crate::store::people::{self, NewStaff};
use crate::store::{Draft, devices};
use crate::web::api::clock;
use crate::web::auth::caller::Caller;
use crate::web::http::error::WebError;
use crate::web::state::AppState;

use super::form::Form;
use super::preflight::{alarms, checks, unopened};
use super::questions::slips_in_question;
use super::render;
use super::views::director::{DeskPage, DeviceRow, PlayedRow, SecretPage, StaffRow, UnopenedDivision, WaitingDivision};
use super::{shown, word_list};

const NO_NAME: &str = "A name or label has 1 to 100 characters, and no control characters.";

/// Somebody who may add people and devices.
pub struct Director(pub(super) Caller);

impl axum::extract::FromRequestParts<AppState> for Director {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut axum::http::request::Parts, app: &AppState) -> Result<Self, Response> {
        match Caller::from_request_parts(parts, app).await {
            Ok(caller) if caller.may(Action::ManagePeople).is_ok() => Ok(Self(caller)),
            // A device that is no director's is told so; whoever is nobody may sign in.
            Ok(_) => Err(super::problem(app, &parts.uri, WebError::Forbidden("this is the director's desk"))),
            Err(WebError::NotSignedIn) => Err(Redirect::to("/sign-in").into_response()),
            Err(error) => Err(super::problem(app, &parts.uri, error)),
        }
    }
}

/// `GET /director`
pub async fn desk(State(app): State<AppState>, Director(caller): Director) -> Response {
    match slips_in_question(&app, &caller).await {
        Ok(slips) => render(StatusCode::OK, &DeskPage { questions: slips.len(), ..desk_page(&app, &caller, None) }),
        Err(error) => error.into_response(),
    }
}

/// The director's devices that nothing was ever paired as.
pub(super) fn unpaired_devices<'p>(snapshot: &'p Snapshot, caller: &'p Caller) -> impl Iterator<Item = &'p Device> {
    let own = snapshot.people.devices().filter(|device| caller.belongs_to(&device.tournament));
    own.filter(|device| device.pairing == Pairing::Waits)
}

fn desk_page(app: &AppState, caller: &Caller, fault: Option<String>) -> DeskPage {
    let snapshot = caller.snapshot();
    DeskPage {
        director: caller.principal.name.clone(),
        alarms: alarms(app, caller),
        clock: app.clock_doubt().map(|doubt| doubt.to_string()),
        waiting: own_tournaments(&snapshot, caller).flat_map(|own| waiting_divisions(&snapshot, own)).collect(),
        checks: checks(app, &snapshot, caller),
        unopened: own_tournaments(&snapshot, caller)
            .flat_map(|own| unopened(own).map(|division| (own.id.clone(), division.id.clone())))
            .map(|(tournament, division)| UnopenedDivision { tournament, division })
            .collect(),
        played: own_tournaments(&snapshot, caller).flat_map(|own| played_lists(&snapshot, own)).collect(),
        questions: 0,
        devices: snapshot
            .people
            .devices()
            .filter(|device| caller.belongs_to(&device.tournament))
            .map(DeviceRow::of)
            .collect(),
        unpaired: unpaired_devices(&snapshot, caller).count(),
        staff: snapshot.people.staff().filter(|staff| caller.belongs_to(&staff.tournament)).map(StaffRow::of).collect(),
        tournaments: own_tournaments(&snapshot, caller).map(|own| own.id.clone()).collect(),
        most_cards: MAX_CARDS,
        fault,
    }
}

/// The lists of a tournament's divisions, the second one where there is one too.
fn played_lists(snapshot: &Snapshot, tournament: &Tournament) -> Vec<PlayedRow> {
    let row = |division: &Division, name: &LexiconName| PlayedRow {
        tournament: tournament.title.clone(),
        division: division.id.clone(),
        lexicon: shown(name),
        list: word_list(snapshot, name),
    };
    tournament.divisions().flat_map(|division| division.lexica().map(move |name| row(division, name))).collect()
}

/// The divisions of a tournament in which something waits for its day.
fn waiting_divisions(snapshot: &Snapshot, tournament: &Tournament) -> Vec<WaitingDivision> {
    let divisions = snapshot.floor.waiting_divisions(&tournament.id).map(|division| WaitingDivision {
        tournament: tournament.title.clone(),
        division: division.to_owned(),
        fields: snapshot.floor.waiting(&tournament.id, division).iter().map(ToString::to_string).collect(),
    });
    divisions.filter(|division| !division.fields.is_empty()).collect()
}

/// `POST /director/clock`
pub async fn confirm_clock(State(app): State<AppState>, Director(caller): Director) -> Result<Response, WebError> {
    clock::confirm(&app, &caller, None).await?;
    Ok(redirect_to_desk())
}

/// The tournaments that somebody directs.
pub fn own_tournaments<'p>(snapshot: &'p Snapshot, caller: &'p Caller) -> impl Iterator<Item = &'p Tournament> {
    snapshot.floor.tournaments().filter(|tournament| caller.belongs_to(&tournament.id))
}

pub(super) fn with_fault(app: &AppState, caller: &Caller, fault: &str) -> Response {
    render(StatusCode::UNPROCESSABLE_ENTITY, &desk_page(app, caller, Some(fault.to_owned())))
}

pub(super) fn fault_or_error(app: &AppState, caller: &Caller, error: WebError) -> Response {
    match error {
        WebError::NameTaken(why) => with_fault(app, caller, &why),
        error => error.into_response(),
    }
}

pub(super) fn redirect_to_desk() -> Response {
    Redirect::to("/director").into_response()
}

/// A device of that label, with the divisions and the place that a form gives it; or what is wrong with them.
pub(super) fn device_setting(tournament: &Tournament, label: &str, form: &Form) -> Result<DeviceSetting, String> {
    let (label, hall) = (normal_name(label), form.text("hall"));
    let hall = if hall.is_empty() { Some(hall) } else { normal_name(&hall) };
    let divisions: Vec<String> =
        form.text("divisions").split([' ', ',']).filter(|id| !id.is_empty()).map(str::to_owned).collect();
    let (Some(label), Some(hall)) = (label, hall) else { return Err(NO_NAME.to_owned()) };
    if divisions.iter().any(|id| tournament.division(id).is_err()) {
        return Err(tournament.no_such_division());
    }
    Ok(DeviceSetting { label, divisions, hall })
}

/// `POST /director/rounds`: opens round 1 of a division in which no round was opened yet.
pub async fn open_first_round(
    State(app): State<AppState>,
    Director(caller): Director,
    form: Form,
) -> Result<Response, WebError> {
    let snapshot = caller.snapshot();
    let tournament = caller.tournament(&snapshot, &form.text("tournament"))?;
    let division = tournament.division(&form.text("division"))?;
    if division.rounds.first_opened().is_none() {
        let set = RoundSet { division: division.id.clone(), number: 1, state: RoundState::Open, request: None };
        // Where another director was faster, that is how the division is now.
        let draft = Draft::of(&tournament.id, caller.actor(), Event::RoundSet(set));
        app.scribe.record(draft.decided_by(snapshot.basis(&tournament.id))).await?;
        app.refresh().await;
    }
    Ok(redirect_to_desk())
}

/// The director's own device of that id.
pub(super) fn find_own_device(caller: &Caller, id: &str) -> Result<Device, WebError> {
    let device = caller.snapshot().people.device(id).cloned().filter(|device| caller.belongs_to(&device.tournament));
    device.ok_or(WebError::NotFound)
}

/// `POST /director/devices/{id}/confirm`
pub async fn confirm_device(
    State(app): State<AppState>,
    Director(caller): Director,
    Path(id): Path<String>,
) -> Result<Response, WebError> {
    if find_own_device(&caller, &id)?.pairing == Pairing::Unconfirmed {
        devices::confirm(&app.ledger, &app.system, &caller.actor(), &id).await?;
        app.refresh().await;
    }
    Ok(redirect_to_desk())
}

/// `POST /director/devices/{id}/revoke`
pub async fn revoke_device(
    State(app): State<AppState>,
    Director(caller): Director,
    Path(id): Path<String>,
) -> Result<Response, WebError> {
    find_own_device(&caller, &id)?;
    devices::revoke(&app.ledger, &app.system, &caller.actor(), &id).await?;
    app.refresh().await;
    Ok(redirect_to_desk())
}

/// `POST /director/devices/{id}/set`
pub async fn set_device(
    State(app): State<AppState>,
    Director(caller): Director,
    Path(id): Path<String>,
    form: Form,
) -> Result<Response, WebError> {
    let (device, snapshot) = (find_own_device(&caller, &id)?, caller.snapshot());
    let setting = match device_setting(caller.tournament(&snapshot, &device.tournament)?, &form.text("label"), &form) {
        Ok(setting) => setting,
        Err(fault) => return Ok(with_fault(&app, &caller, &fault)),
    };
    if let Err(error) = devices::set(&app.ledger, &app.system, &caller.actor(), &id, setting).await {
        return Ok(fault_or_error(&app, &caller, error.into()));
    }
    app.refresh().await;
    Ok(redirect_to_desk())
}

/// `POST /director/staff`
pub async fn add_staff(
    State(app): State<AppState>,
    Director(caller): Director,
    form: Form,
) -> Result<Response, WebError> {
    let (name, tournament) = (normal_name(&form.text("name")), form.text("tournament"));
    let plays = Some(form.text("plays")).filter(|player| !player.is_empty()).map(|player| normal_name(&player));
    let role = Role::named(&form.text("role")).filter(|role| !role.speaks_for_players());
    let (Some(role), Some(name), None | Some(Some(_))) = (role, name, &plays) else {
        return Ok(with_fault(&app, &caller, NO_NAME));
    };
    caller.tournament(&caller.snapshot(), &tournament)?;
    let plays = plays.flatten();
    let new = NewStaff { name: name.clone(), role, tournament, plays, passphrase: None };
    match people::add_staff(&app.ledger, &app.system, &caller.actor(), new).await {
        Ok(secret) => {
            app.refresh().await;
            Ok(render(StatusCode::OK, &SecretPage { name, secret, is_pin: role == Role::Judge }))
        }
        Err(error) => Ok(fault_or_error(&app, &caller, error.into())),
    }
}

/// Staff of that id whom the director looks after.
fn find_own_staff(caller: &Caller, id: &str) -> Result<Staff, WebError> {
    let staff = caller.snapshot().people.staff_of(id).cloned().filter(|staff| caller.belongs_to(&staff.tournament));
    staff.ok_or(WebError::NotFound)
}

/// `POST /director/staff/{id}/reset`
pub async fn reset_staff(
    State(app): State<AppState>,
    Director(caller): Director,
    Path(id): Path<String>,
) -> Result<Response, WebError> {
    let staff = find_own_staff(&caller, &id)?;
    let secret = people::reset_staff(&app.ledger, &app.system, &caller.actor(), &staff).await?;
    app.refresh().await;
    Ok(render(StatusCode::OK, &SecretPage { is_pin: staff.has_pin(), name: staff.name, secret }))
}

/// `POST /director/staff/{id}/remove`
pub async fn remove_staff(
    State(app): State<AppState>,
    Director(caller): Director,
    Path(id): Path<String>,
) -> Result<Response, WebError> {
    let staff = find_own_staff(&caller, &id)?;
    if staff.id == caller.principal.id {
        return Ok(with_fault(&app, &caller, "You cannot remove yourself: another director does."));
    }
    people::remove_staff(&app.ledger, &app.system, &caller.actor(), &staff).await?;
    app.refresh().await;
    Ok(redirect_to_desk())
}

/// What people call a kind of device.
pub(super) const fn kind_name(kind: DeviceKind) -> &'static str {
    match kind {
        DeviceKind::Station => "station",
        DeviceKind::Tablet => "judge’s device",
    }
}

impl DeviceRow {
    fn of(device: &Device) -> Self {
        Self {
            id: device.id.clone(),
            label: device.setting.label.clone(),
            kind: kind_name(device.kind),
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
