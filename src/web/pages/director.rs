//! The director's pages: staff, devices, and what is left to do before round 1.

use axum::extract::{FromRequest, FromRequestParts, Path, Request, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Redirect, Response};

use crate::domain::accounts::{Device, Pairing, Staff};
use crate::domain::event::{DeviceKind, DeviceSetting, RoundSet, RoundState};
use crate::domain::pairing_sheet::MAX_CARDS;
use crate::domain::player_name::normal_name;
use crate::domain::{Action, Division, Event, LexiconName, Role, SERVER_LOG, Tournament};
use crate::snapshot::Snapshot;
use crate::store::Draft;
use crate::store::accounts::devices;
use crate::store::accounts::staff::{self, NewStaff};
use crate::web::acts::clock;
use crate::web::auth::caller::Caller;
use crate::web::http::error::WebError;
use crate::web::state::AppState;

use super::form::Form;
use super::preflight::{alarms, checks, unopened};
use super::questions::slips_in_question;
use super::render;
use super::views::director::{
    DeskPage, DeviceRow, DivisionBox, PlayedRow, SecretPage, StaffRow, TournamentChoice, UnopenedDivision,
    WaitingDivision,
};
use super::{shown, word_list};

const NO_NAME: &str = "Write a name or label of 1 to 100 characters, without control characters.";

/// A caller who may add people and devices.
pub struct Director(pub(super) Caller);

impl FromRequestParts<AppState> for Director {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, Response> {
        match Caller::from_request_parts(parts, app).await {
            Ok(caller) if caller.may(Action::ManagePeople).is_ok() => Ok(Self(caller)),
            // Another role gets 403; a caller who is not authenticated may sign in.
            Ok(_) => Err(super::problem(app, &parts.uri, WebError::Forbidden("this page is for directors"))),
            Err(WebError::NotSignedIn) => Err(Redirect::to("/sign-in").into_response()),
            Err(error) => Err(super::problem(app, &parts.uri, error)),
        }
    }
}

/// A director and the form that they sent. The caller is renewed once the form has arrived, as in the API: a body may
/// take its time, and its sender may be removed meanwhile.
pub struct DirectorForm(pub(super) Caller, pub(super) Form);

impl FromRequest<AppState> for DirectorForm {
    type Rejection = Response;

    async fn from_request(request: Request, app: &AppState) -> Result<Self, Response> {
        let (mut parts, body) = request.into_parts();
        let Director(mut caller) = Director::from_request_parts(&mut parts, app).await?;
        let uri = parts.uri.clone();
        let refused = |error| super::problem(app, &uri, error);
        let form = Form::from_request(Request::from_parts(parts, body), app).await.map_err(refused)?;
        match caller.renew(app).await {
            Ok(()) => Ok(Self(caller, form)),
            Err(WebError::NotSignedIn) => Err(Redirect::to("/sign-in").into_response()),
            Err(error) => Err(refused(error)),
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

/// The director's devices that were never paired.
pub(super) fn unpaired_devices<'p>(snapshot: &'p Snapshot, caller: &'p Caller) -> impl Iterator<Item = &'p Device> {
    own_devices(snapshot, caller).filter(|device| device.pairing == Pairing::Waits)
}

fn own_devices<'p>(snapshot: &'p Snapshot, caller: &'p Caller) -> impl Iterator<Item = &'p Device> {
    snapshot.people.devices().filter(|device| caller.belongs_to(&device.tournament))
}

fn own_staff<'p>(snapshot: &'p Snapshot, caller: &'p Caller) -> impl Iterator<Item = &'p Staff> {
    snapshot.people.staff().filter(|staff| caller.belongs_to(&staff.tournament))
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
            .flat_map(|own| unopened(own).map(|division| UnopenedDivision::of(own, division)))
            .collect(),
        played: own_tournaments(&snapshot, caller).flat_map(|own| played_lists(&snapshot, own)).collect(),
        questions: 0,
        devices: own_devices(&snapshot, caller).map(|device| DeviceRow::of(device, &snapshot)).collect(),
        unpaired: unpaired_devices(&snapshot, caller).count(),
        staff: own_staff(&snapshot, caller).map(|staff| StaffRow::of(staff, &snapshot)).collect(),
        tournaments: own_tournaments(&snapshot, caller).map(TournamentChoice::of).collect(),
        most_cards: MAX_CARDS,
        fault,
    }
}

/// The lexica of a tournament's divisions, including second ones.
fn played_lists(snapshot: &Snapshot, tournament: &Tournament) -> Vec<PlayedRow> {
    let row = |division: &Division, name: &LexiconName| PlayedRow {
        tournament: tournament.title.clone(),
        division: division.id.clone(),
        lexicon: shown(name),
        list: word_list(snapshot, name),
    };
    tournament.divisions().flat_map(|division| division.lexica().map(move |name| row(division, name))).collect()
}

/// The divisions of a tournament in which a change waits for its day.
fn waiting_divisions(snapshot: &Snapshot, tournament: &Tournament) -> Vec<WaitingDivision> {
    let divisions = snapshot.setup.waiting_divisions(&tournament.id).map(|division| WaitingDivision {
        tournament: tournament.title.clone(),
        division: division.to_owned(),
        fields: snapshot.setup.waiting(&tournament.id, division).iter().map(ToString::to_string).collect(),
    });
    divisions.filter(|division| !division.fields.is_empty()).collect()
}

/// `POST /director/clock`
pub async fn confirm_clock(State(app): State<AppState>, Director(caller): Director) -> Result<Response, WebError> {
    clock::confirm(&app, &caller, None).await?;
    Ok(redirect_to_desk())
}

/// The tournaments that the caller directs.
pub fn own_tournaments<'p>(snapshot: &'p Snapshot, caller: &'p Caller) -> impl Iterator<Item = &'p Tournament> {
    snapshot.setup.tournaments().filter(|tournament| caller.belongs_to(&tournament.id))
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

/// A device with that label and the divisions and location of a form; or what is wrong with them.
pub(super) fn device_setting(tournament: &Tournament, label: &str, form: &Form) -> Result<DeviceSetting, String> {
    let (label, hall) = (normal_name(label), form.text("hall"));
    let hall = if hall.is_empty() { Some(hall) } else { normal_name(&hall) };
    let Some(divisions) = chosen_divisions(&tournament.id, &form.texts("divisions")) else {
        return Err(format!("Choose divisions of {} only.", tournament.title));
    };
    let (Some(label), Some(hall)) = (label, hall) else { return Err(NO_NAME.to_owned()) };
    if divisions.iter().any(|id| tournament.division(id).is_err()) {
        return Err(tournament.no_such_division());
    }
    Ok(DeviceSetting { label, divisions, hall })
}

/// The divisions of the ticked boxes, whose values are `TOURNAMENT/DIVISION`; a plain id belongs to the tournament.
/// `None` if a box belongs to another tournament.
fn chosen_divisions(tournament: &str, boxes: &[String]) -> Option<Vec<String>> {
    let ids = boxes.iter().flat_map(|value| value.split([' ', ','])).filter(|id| !id.is_empty());
    ids.map(|id| match id.split_once('/') {
        None => Some(id.to_owned()),
        Some((of, id)) => (of == tournament).then(|| id.to_owned()),
    })
    .collect()
}

/// `POST /director/rounds`: opens round 1 of a division in which no round was opened yet.
pub async fn open_first_round(
    State(app): State<AppState>,
    DirectorForm(caller, form): DirectorForm,
) -> Result<Response, WebError> {
    let snapshot = caller.snapshot();
    let tournament = caller.tournament(&snapshot, &form.text("tournament"))?;
    let division = tournament.division(&form.text("division"))?;
    if division.rounds.first_opened().is_none() {
        let set = RoundSet { division: division.id.clone(), number: 1, state: RoundState::Open, request: None };
        // If another director opened it first, that is the division's state now.
        let draft = Draft::of(&tournament.id, caller.actor(), Event::RoundSet(set));
        app.writer.record(draft.decided_by(snapshot.basis(&tournament.id))).await?;
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
    Path(id): Path<String>,
    DirectorForm(caller, form): DirectorForm,
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
    DirectorForm(caller, form): DirectorForm,
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
    match staff::add_staff(&app.ledger, &app.system, &caller.actor(), new).await {
        Ok(secret) => {
            app.refresh().await;
            Ok(render(StatusCode::OK, &SecretPage { name, secret, is_pin: role == Role::Judge }))
        }
        Err(error) => Ok(fault_or_error(&app, &caller, error.into())),
    }
}

/// The staff member of that id, of a tournament that the caller directs.
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
    let secret = staff::reset_staff(&app.ledger, &app.system, &caller.actor(), &staff).await?;
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
        return Ok(with_fault(&app, &caller, "You cannot remove yourself: ask another director."));
    }
    staff::remove_staff(&app.ledger, &app.system, &caller.actor(), &staff).await?;
    app.refresh().await;
    Ok(redirect_to_desk())
}

/// The name of a kind of device, for people.
pub(super) const fn kind_name(kind: DeviceKind) -> &'static str {
    match kind {
        DeviceKind::Station => "station",
        DeviceKind::Tablet => "judge’s device",
    }
}

impl UnopenedDivision {
    fn of(tournament: &Tournament, division: &Division) -> Self {
        Self { tournament: tournament.id.clone(), title: tournament.title.clone(), division: division.id.clone() }
    }
}

impl TournamentChoice {
    fn of(tournament: &Tournament) -> Self {
        Self {
            id: tournament.id.clone(),
            title: tournament.title.clone(),
            divisions: tournament.divisions().map(|division| division.id.clone()).collect(),
        }
    }
}

/// A tournament's title, or its id if it is not set up.
fn title_of(snapshot: &Snapshot, id: &str) -> String {
    snapshot.setup.tournament(id).map_or_else(|| id.to_owned(), |tournament| tournament.title.clone())
}

impl DeviceRow {
    fn of(device: &Device, snapshot: &Snapshot) -> Self {
        let served = &device.setting.divisions;
        let offered = snapshot.setup.tournament(&device.tournament).into_iter().flat_map(Tournament::divisions);
        let boxes =
            offered.map(|division| DivisionBox { id: division.id.clone(), is_ticked: served.contains(&division.id) });
        Self {
            id: device.id.clone(),
            label: device.setting.label.clone(),
            kind: kind_name(device.kind),
            tournament: title_of(snapshot, &device.tournament),
            divisions: served.join(" "),
            boxes: boxes.collect(),
            hall: device.setting.hall.clone(),
            state: match device.pairing {
                Pairing::Waits => "not paired yet",
                Pairing::Unconfirmed => "paired with its printed code: confirm that it is this device",
                Pairing::Paired => "",
            },
            can_confirm: device.pairing == Pairing::Unconfirmed,
        }
    }
}

impl StaffRow {
    fn of(staff: &Staff, snapshot: &Snapshot) -> Self {
        Self {
            id: staff.id.clone(),
            name: staff.name.clone(),
            role: staff.role.to_string(),
            tournament: if staff.tournament == SERVER_LOG {
                "all tournaments".to_owned()
            } else {
                title_of(snapshot, &staff.tournament)
            },
            plays: staff.plays.clone(),
            has_pin: staff.has_pin(),
            is_locked: staff.is_locked,
        }
    }
}
