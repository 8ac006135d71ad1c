//! Calls: players ask a judge or the director to come.

use axum::http::StatusCode;
use axum::response::Response;

use crate::domain::event::{Called, Event};
use crate::domain::fields::Said;
use crate::domain::request::RequestKey;
use crate::web::acts::idempotency::recorded_plain;
use crate::web::http::error::WebError;
use crate::web::http::request::counted;
use crate::web::http::submission::Submission;
use crate::web::pages::form::Form;
use crate::web::pages::i18n::Messages;
use crate::web::pages::render;
use crate::web::pages::views::station::NoticePage;

use super::notice::{NOTICE_S, notice, refusal_after_ruling};
use super::session::StationSession;

/// What a form says under its key, once it was counted.
///
/// # Errors
/// 400 without a key, 429 `too-many`.
pub async fn keyed_request(session: &StationSession, form: &Form, said: Said) -> Result<Submission, WebError> {
    keyed_request_under(session, &form.text("key"), said).await
}

async fn keyed_request_under(session: &StationSession, key: &str, said: Said) -> Result<Submission, WebError> {
    let key = RequestKey::parse(key).ok_or(WebError::KeyRequired)?;
    let counted = counted(&session.app, &session.who, Some(&key)).await?;
    Ok(Submission { key: Some(key), counted, ..said.into() })
}

pub fn table_of(form: &Form) -> Option<i64> {
    form.text("table").parse().ok().filter(|table| (1..=9999).contains(table))
}

/// `POST /station/call`: ring for a judge or the director.
pub async fn call(session: StationSession, form: Form) -> Response {
    let called = async {
        let table = table_of(&form);
        let mut said = Said::new();
        said.insert("for".to_owned(), form.text("for").into());
        said.insert("table".to_owned(), table.into());
        // The page of a ruling has one key for all that can be asked for there.
        let sent = keyed_request_under(&session, &format!("{}-call", form.text("key")), said).await?;
        let id = session.app.system.new_id_now()?;
        let tournament = &session.who.0.tournament;
        let recorded = recorded_plain(&session.app, &session.who, tournament, "calls", &sent, |_, request| {
            Ok(Event::Called(Called::read(&sent.said, id, request)?))
        });
        recorded.await?;
        Ok(table)
    };
    let t = session.t;
    match called.await {
        Ok(table) => {
            let title = arrival_text(t, form.text("for") == "director", table);
            let wait = if table.is_some() { &t.wait_there } else { &t.wait_here };
            let steps = [&t.clock_stays_stopped, &t.do_not_draw, wait].map(ToString::to_string).to_vec();
            let page = notice(&session, None, &t.called, title);
            let ruled_slip = Some(form.text("slip")).filter(|slip| !slip.is_empty());
            render(StatusCode::OK, &NoticePage { steps, ruled_slip, clear_s: Some(NOTICE_S), ..page })
        }
        Err(error) => refusal_after_ruling(&session, &form, &error),
    }
}

/// Who comes, and where to.
pub fn arrival_text(t: &Messages, is_director: bool, table: Option<i64>) -> String {
    match (is_director, table) {
        (true, Some(table)) => t.director_comes_to.with(table),
        (true, None) => t.director_comes.to_string(),
        (false, Some(table)) => t.judge_comes_to.with(table),
        (false, None) => t.judge_comes.to_string(),
    }
}
