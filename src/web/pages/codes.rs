//! Codes by which devices are paired: one on the screen, or a sheet of many to be printed.

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;

use crate::app::App;
use crate::domain::event::{DeviceKind, DeviceSetting};
use crate::domain::sheet::Sheet;
use crate::edge::Named;
use crate::store::devices::{self, Made};
use crate::store::pairing::{self, Good};
use crate::web::error::WebError;

use super::arrival::is_this_machine;
use super::desk::{Director, back, kind_of, or_refused, own_device, refused, setting, unpaired};
use super::form::Form;
use super::seat::drawn;
use super::trust::picture_of;
use super::views::people::{Card, CodePage, SheetPage};

/// Where other devices find this server, as a code says it.
struct Way {
    address: String,
    /// The address in figures, where the other is a name: not every device understands that.
    also: Option<String>,
    /// Whether only this machine finds it there.
    is_this_machine: bool,
}

impl Way {
    fn of(app: &App, headers: &HeaderMap) -> Self {
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        // Whoever sits at the server itself calls it by a name that leads no other device here.
        let is_told = app.trust.named == Named::Told;
        let elsewhere = app.trust.for_others().filter(|_| is_told || is_this_machine(host));
        let also = app.trust.urls().into_iter().nth(1).filter(|_| is_told);
        let is_this_machine = is_this_machine(host) && elsewhere.is_none();
        let address = elsewhere.unwrap_or_else(|| format!("{}://{host}", app.trust.scheme()));
        Self { address, also, is_this_machine }
    }

    /// The address with a code, as an SVG within a page.
    fn picture(&self, code: &str) -> String {
        let picture = picture_of(&format!("{}/pair#{code}", self.address)).unwrap_or_default();
        // The head of an XML file has no place within a page.
        picture.split_once("?>").map(|(_, svg)| svg.to_owned()).unwrap_or(picture)
    }
}

fn kind(form: &Form) -> DeviceKind {
    if form.text("kind") == "tablet" { DeviceKind::Tablet } else { DeviceKind::Station }
}

/// `POST /director/devices`
pub async fn make_device(
    State(app): State<App>,
    Director(who): Director,
    headers: HeaderMap,
    form: Form,
) -> Result<Response, WebError> {
    let present = who.present();
    let tournament = who.tournament(&present, &form.text("tournament"))?;
    let setting = match setting(tournament, &form.text("label"), &form) {
        Ok(setting) => setting,
        Err(fault) => return Ok(refused(&app, &who, &fault)),
    };
    let good = if form.text("good") == "sheet" { Good::UntilUsed } else { Good::ForNow };
    let of = (kind(&form), tournament.id.as_str());
    let made = match devices::make(&app.ledger, &app.world, &who.actor(), of, setting, good).await {
        Ok(made) => made,
        Err(error) => return Ok(or_refused(&app, &who, error.into())),
    };
    app.look_now().await;
    Ok(code_page(&app, &headers, made.label, made.code, good))
}

fn code_page(app: &App, headers: &HeaderMap, label: String, code: String, good: Good) -> Response {
    let way = Way::of(app, headers);
    let (picture, is_for_sheet) = (way.picture(&code), good == Good::UntilUsed);
    let Way { address, also, is_this_machine } = way;
    drawn(StatusCode::OK, &CodePage { label, code, address, also, picture, is_for_sheet, is_this_machine })
}

/// `POST /director/sheets`: many devices at once, on paper. All of them are made, or none.
pub async fn make_sheet(
    State(app): State<App>,
    Director(who): Director,
    headers: HeaderMap,
    form: Form,
) -> Result<Response, WebError> {
    let present = who.present();
    let tournament = who.tournament(&present, &form.text("tournament"))?;
    let sheet = match Sheet::read(&form.text("prefix"), &form.text("first"), &form.text("count")) {
        Ok(sheet) => sheet,
        Err(bad) => return Ok(refused(&app, &who, &bad.to_string())),
    };
    let settings = sheet.labels().map(|label| setting(tournament, &label, &form)).collect::<Result<Vec<_>, _>>();
    let settings = match settings {
        Ok(settings) => settings,
        Err(fault) => return Ok(refused(&app, &who, &fault)),
    };
    let stands = settings.first().cloned().unwrap_or_default();
    let of = (kind(&form), tournament.id.as_str());
    let made = devices::make_all(&app.ledger, &app.world, &who.actor(), of, settings, Good::UntilUsed).await;
    let made = match made {
        Ok(made) => made,
        Err(error) => return Ok(or_refused(&app, &who, error.into())),
    };
    app.look_now().await;
    Ok(sheet_page(&Way::of(&app, &headers), &tournament.title, of.0, &stands, made))
}

/// `stands` is where all of them stand and what they serve.
fn sheet_page(way: &Way, title: &str, kind: DeviceKind, stands: &DeviceSetting, made: Vec<Made>) -> Response {
    let cards =
        made.into_iter().map(|Made { label, code, .. }| Card { picture: way.picture(&code), label, code }).collect();
    drawn(
        StatusCode::OK,
        &SheetPage {
            tournament: title.to_owned(),
            kind: kind_of(kind),
            divisions: stands.divisions.join(" "),
            hall: stands.hall.clone(),
            address: way.address.clone(),
            also: way.also.clone(),
            is_this_machine: way.is_this_machine,
            cards,
        },
    )
}

/// `POST /director/sheets/end`: what nothing was ever paired as is no device any more, and its code opens nothing.
pub async fn end_unpaired(State(app): State<App>, Director(who): Director) -> Result<Response, WebError> {
    let waiting: Vec<String> = unpaired(&who.present(), &who).map(|device| device.id.clone()).collect();
    devices::revoke_unpaired(&app.ledger, &app.world, &who.actor(), &waiting).await?;
    app.look_now().await;
    Ok(back())
}

/// `POST /director/devices/{id}/code`
pub async fn new_code(
    State(app): State<App>,
    Director(who): Director,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, WebError> {
    let device = own_device(&who, &id)?;
    let code = pairing::new_code(&app.ledger, &app.world, &who.actor(), &id).await?;
    Ok(code_page(&app, &headers, device.setting.label, code, Good::ForNow))
}
