//! Calls: players ask a judge or the director to come.

use axum::http::StatusCode;
use axum::response::Response;

use crate::domain::fields::RequestBody;
use crate::domain::request::RequestKey;
use crate::web::acts::call as act;
use crate::web::http::error::WebError;
use crate::web::http::request::{KeyedRequest, check_rate_limit};
use crate::web::pages::form::Form;
use crate::web::pages::render;
use crate::web::pages::views::station::NoticePage;

use super::notice::{NOTICE_S, notice, refusal_after_ruling};
use super::session::StationSession;

/// The form's body under its key, once it was counted against the rate limit.
///
/// # Errors
/// 400 without a key, 429 `too-many`.
pub async fn keyed_request(session: &StationSession, form: &Form, said: RequestBody) -> Result<KeyedRequest, WebError> {
    keyed_request_under(session, &form.text("key"), said).await
}

async fn keyed_request_under(session: &StationSession, key: &str, said: RequestBody) -> Result<KeyedRequest, WebError> {
    let key = RequestKey::parse(key).ok_or(WebError::KeyRequired)?;
    let answered = check_rate_limit(&session.app, &session.caller, Some(&key)).await?;
    Ok(KeyedRequest { key: Some(key), answered, ..said.into() })
}

pub fn table_of(form: &Form) -> Option<i64> {
    form.text("table").parse().ok().filter(|table| (1..=9999).contains(table))
}

/// `POST /station/call`: calls a judge or the director.
pub async fn call(session: StationSession, form: Form) -> Response {
    let called = async {
        let table = table_of(&form);
        let mut said = RequestBody::new();
        said.insert("for".to_owned(), form.text("for").into());
        said.insert("table".to_owned(), table.into());
        // The page of a ruling has one key for all its requests.
        let sent = keyed_request_under(&session, &format!("{}-call", form.text("key")), said).await?;
        act::call(&session.app, &session.caller, &session.caller.principal.tournament, &sent).await?;
        Ok(table)
    };
    match called.await {
        Ok(table) => call_page(&session, &form, table),
        Err(error) => refusal_after_ruling(&session, &form, &error),
    }
}

fn call_page(session: &StationSession, form: &Form, table: Option<i64>) -> Response {
    let t = session.t;
    let is_for_director = form.text("for") == "director";
    let head = if session.is_answered(is_for_director) { &t.called } else { &t.none_listens };
    let wait = if table.is_some() { &t.wait_there } else { &t.wait_here };
    let page = NoticePage {
        steps: [&t.clock_stays_stopped, &t.do_not_draw, wait].map(ToString::to_string).to_vec(),
        ruled_slip: Some(form.text("slip")).filter(|slip| !slip.is_empty()),
        has_sound: session.divisions().any(|division| division.settings.sound()),
        clear_s: Some(NOTICE_S),
        ..notice(session, None, head, arrival_text(session, is_for_director, table))
    };
    render(StatusCode::OK, &page)
}

/// Who comes, and to which table; if no signed-in person receives the call, that the players raise a hand.
pub fn arrival_text(session: &StationSession, is_for_director: bool, table: Option<i64>) -> String {
    let t = session.t;
    match (is_for_director, table) {
        (false, _) if !session.is_answered(false) => t.raise_hand.to_string(),
        (true, _) if !session.is_answered(true) => t.raise_hand_director.to_string(),
        (true, Some(table)) => t.director_comes_to.with(table),
        (true, None) => t.director_comes.to_string(),
        (false, Some(table)) => t.judge_comes_to.with(table),
        (false, None) => t.judge_comes.to_string(),
    }
}
