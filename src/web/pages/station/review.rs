//! After the ruling: a word was mistyped, or the players request a review. Source: CONTRACT 3.1a, 3.3.

use axum::http::StatusCode;
use axum::response::Response;

use super::session::StationSession;
use crate::domain::decision::SlipAction;
use crate::domain::event::{NextOpinion, ReviewReason};
use crate::domain::fields::RequestBody;
use crate::domain::{Event, SlipRecord};
use crate::web::acts::slip_decision::{decide_on_slip, decision_context};
use crate::web::http::error::WebError;
use crate::web::pages::form::{Form, SlipForm};
use crate::web::pages::render;
use crate::web::pages::views::station::{AskPage, NoticePage, ReviewChoice};

use super::announced;
use super::call::{arrival_text, keyed_request};
use super::entry::words_page;
use super::notice::{NOTICE_S, no_ruling_page, notice, refusal_after_ruling, refusal_page};
use super::outcome::{slip_ref, standing_ruling_page};

/// After how many seconds an unanswered question gives way to the first page.
const ASK_S: u32 = 30;

/// `POST /station/back`: the standing ruling of a slip, from a screen that was opened from it.
pub async fn go_back_to_ruling(session: StationSession, form: Form) -> Response {
    match slip_of(&session, &form).await {
        Ok(record) => standing_ruling_page(&session, &record),
        Err(error) => refusal_page(&session, &error),
    }
}

/// `POST /station/mistyped`: a slip of one word is typed anew, any other goes to a judge.
pub async fn mistyped(session: StationSession, form: Form) -> Response {
    match slip_of(&session, &form).await {
        Ok(record) if record.words.len() == 1 => type_anew(&session, &record),
        Ok(record) => {
            let (title, why) = (session.t.judge_corrects.to_string(), session.t.judge_corrects_why.to_string());
            ask_page(&session, &record, title, why, vec![ReviewChoice { reason: "mis-entered", label: None }])
        }
        Err(error) => refusal_after_ruling(&session, &form, &error),
    }
}

fn type_anew(session: &StationSession, record: &SlipRecord) -> Response {
    let form = SlipForm {
        table: record.slip.table.map(|table| table.to_string()).unwrap_or_default(),
        count: "1".to_owned(),
        division: Some(record.slip.division.clone()),
        // The word is typed anew as a whole: an existing text would be appended to.
        words: Vec::new(),
        slip: Some(record.slip.id.clone()),
        ..SlipForm::default()
    };
    match announced(session, &form) {
        Ok(announced) => words_page(session, &form, announced, None),
        Err(error) => no_ruling_page(session, &form, &error),
    }
}

/// `POST /station/ask`: who requests the review?
pub async fn ask_for_review(session: StationSession, form: Form) -> Response {
    let record = match slip_of(&session, &form).await {
        Ok(record) => record,
        Err(error) => return refusal_after_ruling(&session, &form, &error),
    };
    let t = session.t;
    let kinds = [
        (ReviewReason::Disagree, "disagree", &t.look_up_again),
        (ReviewReason::MachineDoubted, "machine-doubted", &t.doubt_machine),
    ];
    let allowed = kinds
        .into_iter()
        .filter(|(reason, ..)| decision_context(session.snapshot(), &record).may_ask(&record, *reason));
    let choices: Vec<_> =
        allowed.map(|(_, reason, label)| ReviewChoice { reason, label: Some(label.to_string()) }).collect();
    ask_page(&session, &record, t.who_asks.to_string(), t.another_judge.to_string(), choices)
}

fn ask_page(
    session: &StationSession,
    record: &SlipRecord,
    title: String,
    why: String,
    choices: Vec<ReviewChoice>,
) -> Response {
    let header = session.header(session.division(Some(&record.slip.division)));
    render(StatusCode::OK, &AskPage { header, slip: slip_ref(record), title, why, choices, clear_s: ASK_S })
}

/// `POST /station/reviews`: requests the review.
pub async fn request_review(mut session: StationSession, form: Form) -> Response {
    if let Err(error) = session.renew().await {
        return refusal_after_ruling(&session, &form, &error);
    }
    match Box::pin(record_review(&session, &form)).await {
        Ok((record, next)) => render(StatusCode::OK, &requested_page(&session, &record, next)),
        Err(error) => refusal_after_ruling(&session, &form, &error),
    }
}

async fn record_review(session: &StationSession, form: &Form) -> Result<(SlipRecord, NextOpinion), WebError> {
    let record = slip_of(session, form).await?;
    let mut said = RequestBody::new();
    for field in ["requested_by", "reason"] {
        said.insert(field.to_owned(), form.text(field).into());
    }
    let sent = keyed_request(session, form, said).await?;
    let id = session.app.system.new_id_now()?;
    let act = SlipAction::RequestReview { id: &id };
    let answered = decide_on_slip(&session.app, &session.caller, record.clone(), "reviews", &sent, act).await?;
    match answered.entry.event {
        Event::ReviewRequested(requested) => Ok((record, requested.next)),
        _ => Err(WebError::Internal),
    }
}

fn requested_page(session: &StationSession, record: &SlipRecord, next: NextOpinion) -> NoticePage {
    let t = session.t;
    let title = arrival_text(session, next == NextOpinion::Director, record.slip.table);
    NoticePage {
        steps: [&t.clock_stays_stopped, &t.do_not_draw, &t.station_is_free].map(ToString::to_string).to_vec(),
        slip_number: Some(record.slip.number),
        ruled_slip: Some(record.slip.id.clone()),
        clear_s: Some(NOTICE_S),
        ..notice(session, session.division(Some(&record.slip.division)), &t.review_asked, title)
    }
}

async fn slip_of(session: &StationSession, form: &Form) -> Result<SlipRecord, WebError> {
    session.caller.slip(&session.app, &form.text("slip")).await
}
