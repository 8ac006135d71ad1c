//! Around the slips: calls, challenges that end without a look-up, answers that were lost, tests, news.

use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Redirect, Response};

use crate::domain::Division;
use crate::domain::event::{Called, Event};
use crate::domain::fields::Said;
use crate::domain::request::RequestKey;
use crate::web::api::decks::deck_run;
use crate::web::api::events::stream;
use crate::web::api::floor::dispose;
use crate::web::asking::counted;
use crate::web::cookies::Cookie;
use crate::web::error::WebError;
use crate::web::keyed::{recorded_plain, resolve};
use crate::web::pages::form::{Form, SlipForm};
use crate::web::pages::seat::{Seat, drawn};
use crate::web::pages::texts::Texts;
use crate::web::pages::views::station::NoticePage;
use crate::web::submission::Submission;

use super::calm::{NOTICE_S, cannot, cannot_after, notice};
use super::screens::first;
use super::told::answer;

/// What a form says under its key, once it was counted.
///
/// # Errors
/// 400 without a key, 429 `too-many`.
pub async fn sent(seat: &Seat, form: &Form, said: Said) -> Result<Submission, WebError> {
    sent_under(seat, &form.text("key"), said).await
}

async fn sent_under(seat: &Seat, key: &str, said: Said) -> Result<Submission, WebError> {
    let key = RequestKey::parse(key).ok_or(WebError::KeyRequired)?;
    let counted = counted(&seat.app, &seat.who, Some(&key)).await?;
    Ok(Submission { key: Some(key), counted, ..said.into() })
}

fn table_of(form: &Form) -> Option<i64> {
    form.text("table").parse().ok().filter(|table| (1..=9999).contains(table))
}

/// `POST /station/call`: ring for a judge or the director.
pub async fn call(seat: Seat, form: Form) -> Response {
    let called = async {
        let table = table_of(&form);
        let mut said = Said::new();
        said.insert("for".to_owned(), form.text("for").into());
        said.insert("table".to_owned(), table.into());
        // The page of a ruling has one key for all that can be asked for there.
        let sent = sent_under(&seat, &format!("{}-call", form.text("key")), said).await?;
        let id = seat.app.world.fresh_id()?;
        let tournament = &seat.who.0.tournament;
        let recorded = recorded_plain(&seat.app, &seat.who, tournament, "calls", &sent, |_, request| {
            Ok(Event::Called(Called::read(&sent.said, id, request)?))
        });
        recorded.await?;
        Ok(table)
    };
    let t = seat.t;
    match called.await {
        Ok(table) => {
            let title = coming(t, form.text("for") == "director", table);
            let wait = if table.is_some() { &t.wait_there } else { &t.wait_here };
            let steps = [&t.clock_stays_stopped, &t.do_not_draw, wait].map(ToString::to_string).to_vec();
            let page = notice(&seat, None, &t.called, title);
            let ruled_slip = Some(form.text("slip")).filter(|slip| !slip.is_empty());
            drawn(StatusCode::OK, &NoticePage { steps, ruled_slip, clear_s: Some(NOTICE_S), ..page })
        }
        Err(error) => cannot_after(&seat, &form, &error),
    }
}

/// Who comes, and where to.
pub fn coming(t: &Texts, is_director: bool, table: Option<i64>) -> String {
    match (is_director, table) {
        (true, Some(table)) => t.director_comes_to.with(table),
        (true, None) => t.director_comes.to_string(),
        (false, Some(table)) => t.judge_comes_to.with(table),
        (false, None) => t.judge_comes.to_string(),
    }
}

/// `POST /station/end`: withdrawn, conceded, or left alone. Source: D 3, D 4.
pub async fn end(seat: Seat, form: Form) -> Response {
    let ended = async {
        let said = ending(&seat, &form)?;
        let sent = sent(&seat, &form, said).await?;
        dispose(&seat.app, &seat.who, &seat.who.0.tournament, &sent).await
    };
    match ended.await {
        // Nobody is there to read what became of it.
        Ok(_) if form.text("kind") == "abandoned" => Redirect::to("/station").into_response(),
        Ok(answered) => answer(&seat, &answered.entry).await,
        Err(error) => cannot(&seat, &error),
    }
}

/// The same as a program would say it, in the ledger's language. Of what was left alone no words are kept.
fn ending(seat: &Seat, form: &Form) -> Result<Said, WebError> {
    let (kind, table) = (form.text("kind"), table_of(form));
    let chosen = Some(form.text("division")).filter(|division| !division.is_empty());
    let division = seat.division_at(chosen.as_deref(), table)?;
    let is_abandoned = kind == "abandoned";
    let (reason, by) = match kind.as_str() {
        "abandoned" => ("left alone at the station", None),
        "withdrawn" => ("withdrawn at the station", Some("challenger")),
        "conceded-by-opponent" => ("conceded at the station", Some("opponent")),
        _ => ("conceded at the station", Some("challenger")),
    };
    let mut said = Said::new();
    said.insert("division".to_owned(), division.id.clone().into());
    said.insert("table".to_owned(), table.into());
    said.insert("kind".to_owned(), kind.into());
    said.insert("reason".to_owned(), reason.into());
    said.insert("declared_by".to_owned(), by.into());
    if !is_abandoned {
        said.insert("words".to_owned(), form.texts("word").into());
    }
    Ok(said)
}

/// `POST /station/resolve`: what became of a slip whose answer was lost: its ruling, or that none was given.
pub async fn resolve_slip(seat: Seat, form: Form) -> Response {
    let found = async {
        let sent = sent(&seat, &form, Said::new()).await?;
        resolve(&seat.app, &seat.who, &seat.who.0.tournament, &sent).await
    };
    match found.await {
        Ok(answered) if matches!(answered.entry.event, Event::KeyClosed(_)) => {
            let page = notice(&seat, None, &seat.t.no_ruling, seat.t.none_given.to_string());
            let steps = vec![seat.t.none_given_why.to_string()];
            drawn(StatusCode::OK, &NoticePage { steps, clear_s: Some(2 * NOTICE_S), ..page })
        }
        Ok(answered) => answer(&seat, &answered.entry).await,
        Err(error) => cannot(&seat, &error),
    }
}

/// `POST /station/tests`: the test decks that are due here, and then the first page. With `again` all of them.
pub async fn run_tests(seat: Seat, form: Form) -> Response {
    let again = !form.text("again").is_empty();
    let owes = |division: &Division| {
        again || seat.present.floor.owes_test(&seat.who.0.tournament, &division.id, &seat.who.0.id)
    };
    // Where no challenge is taken there is nothing to try.
    let due = seat.divisions().filter(|division| owes(division) && seat.takes_challenges_of(division).is_ok());
    let due: Vec<String> = due.map(|division| division.id.clone()).collect();
    for division in due {
        if let Err(error) = test(&seat, division).await {
            return cannot(&seat, &error);
        }
    }
    first(&Seat { present: seat.app.present(), ..seat }, &SlipForm::default())
}

/// Runs a division's test deck.
async fn test(seat: &Seat, division: String) -> Result<(), WebError> {
    let key = seat.app.world.fresh_id()?;
    counted(&seat.app, &seat.who, None).await?;
    let mut said = Said::new();
    said.insert("division".to_owned(), division.into());
    let sent = Submission { key: RequestKey::parse(&key), ..said.into() };
    deck_run(&seat.app, &seat.who, &seat.who.0.tournament, &sent).await.map(drop)
}

/// `POST /station/language`: the next pages speak this one. Any other name stands for the station's own language.
pub async fn speak(seat: Seat, form: Form) -> Response {
    let is_tls = seat.app.trust.is_tls();
    let chosen = Texts::of(&form.text("language")).filter(|chosen| chosen.lang != seat.own.lang);
    let cookie = match chosen {
        Some(t) => Cookie::Language.set(&t.lang.to_string(), is_tls),
        None => Cookie::Language.end(is_tls),
    };
    let mut response = first(&Seat { t: chosen.unwrap_or(seat.own), ..seat }, &form.into());
    response.headers_mut().extend(cookie.map(|cookie| (header::SET_COOKIE, cookie)));
    response
}

/// `GET /station/news`: what concerns this station, as it happens.
pub async fn follow(seat: Seat, headers: HeaderMap) -> Result<Response, WebError> {
    let tournament = seat.who.0.tournament.clone();
    stream(seat.app, seat.who, &tournament, &headers).await
}
