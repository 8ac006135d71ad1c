//! After the ruling: a word was mistyped, the players ask for a review. Source: CONTRACT 3.1a, 3.3.

use axum::http::StatusCode;
use axum::response::Response;

use crate::domain::event::{NextOpinion, ReviewReason};
use crate::domain::fields::Said;
use crate::domain::settle::Act;
use crate::domain::{Event, SlipRecord};
use crate::web::error::WebError;
use crate::web::pages::form::{Form, SlipForm};
use crate::web::pages::seat::{Seat, drawn};
use crate::web::pages::views::station::{AskPage, NoticePage, ReviewChoice};
use crate::web::settlement::{desk, settle};

use super::announced;
use super::around::{coming, sent};
use super::calm::{NOTICE_S, cannot, cannot_after, cannot_judge, notice};
use super::screens::words;
use super::told::{ruling_of, spoken};

/// After how many seconds a question that nobody answers gives way to the first page.
const ASK_S: u32 = 30;

/// `POST /station/back`: the standing ruling of a slip once more, from a screen that opened from it.
pub async fn go_back_to_ruling(seat: Seat, form: Form) -> Response {
    match slip_of(&seat, &form).await {
        Ok(record) => ruling_of(&seat, &record),
        Err(error) => cannot(&seat, &error),
    }
}

/// `POST /station/mistyped`: a slip of one word is typed anew, any other goes to a judge.
pub async fn mistyped(seat: Seat, form: Form) -> Response {
    match slip_of(&seat, &form).await {
        Ok(record) if record.words.len() == 1 => type_anew(&seat, &record),
        Ok(record) => {
            let (title, why) = (seat.t.judge_corrects.to_string(), seat.t.judge_corrects_why.to_string());
            ask(&seat, &record, title, why, vec![ReviewChoice { reason: "mis-entered", label: None }])
        }
        Err(error) => cannot_after(&seat, &form, &error),
    }
}

fn type_anew(seat: &Seat, record: &SlipRecord) -> Response {
    let form = SlipForm {
        table: record.slip.table.map(|table| table.to_string()).unwrap_or_default(),
        count: "1".to_owned(),
        division: Some(record.slip.division.clone()),
        // Typed anew as a whole: what stands there already would be typed onto.
        words: Vec::new(),
        slip: Some(record.slip.id.clone()),
        ..SlipForm::default()
    };
    match announced(seat, &form) {
        Ok(announced) => words(seat, &form, announced, None),
        Err(error) => cannot_judge(seat, &form, &error),
    }
}

/// `POST /station/ask`: who asks for the review?
pub async fn ask_for_review(seat: Seat, form: Form) -> Response {
    let record = match slip_of(&seat, &form).await {
        Ok(record) => record,
        Err(error) => return cannot_after(&seat, &form, &error),
    };
    let t = seat.t;
    let kinds = [
        (ReviewReason::Disagree, "disagree", &t.look_up_again),
        (ReviewReason::MachineDoubted, "machine-doubted", &t.doubt_machine),
    ];
    let allowed = kinds.into_iter().filter(|(reason, ..)| desk(&seat.present, &record).may_ask(&record, *reason));
    let choices: Vec<_> =
        allowed.map(|(_, reason, label)| ReviewChoice { reason, label: Some(label.to_string()) }).collect();
    ask(&seat, &record, t.who_asks.to_string(), t.another_judge.to_string(), choices)
}

fn ask(seat: &Seat, record: &SlipRecord, title: String, why: String, choices: Vec<ReviewChoice>) -> Response {
    let place = seat.place(seat.division(Some(&record.slip.division)));
    drawn(StatusCode::OK, &AskPage { place, of: spoken(record), title, why, choices, clear_s: ASK_S })
}

/// `POST /station/reviews`: the review is asked for.
pub async fn request_review(mut seat: Seat, form: Form) -> Response {
    if let Err(error) = seat.renew().await {
        return cannot_after(&seat, &form, &error);
    }
    match Box::pin(reviewed(&seat, &form)).await {
        Ok((record, next)) => drawn(StatusCode::OK, &comes(&seat, &record, next)),
        Err(error) => cannot_after(&seat, &form, &error),
    }
}

async fn reviewed(seat: &Seat, form: &Form) -> Result<(SlipRecord, NextOpinion), WebError> {
    let record = slip_of(seat, form).await?;
    let mut said = Said::new();
    for field in ["requested_by", "reason"] {
        said.insert(field.to_owned(), form.text(field).into());
    }
    let sent = sent(seat, form, said).await?;
    let id = seat.app.world.fresh_id()?;
    let act = Act::RequestReview { id: &id };
    let answered = settle(&seat.app, &seat.who, record.clone(), "reviews", &sent, act).await?;
    match answered.entry.event {
        Event::ReviewRequested(requested) => Ok((record, requested.next)),
        _ => Err(WebError::Internal),
    }
}

fn comes(seat: &Seat, record: &SlipRecord, next: NextOpinion) -> NoticePage {
    let t = seat.t;
    let title = coming(t, next == NextOpinion::Director, record.slip.table);
    NoticePage {
        steps: [&t.clock_stays_stopped, &t.do_not_draw, &t.station_is_free].map(ToString::to_string).to_vec(),
        slip_number: Some(record.slip.number),
        ruled_slip: Some(record.slip.id.clone()),
        clear_s: Some(NOTICE_S),
        ..notice(seat, seat.division(Some(&record.slip.division)), &t.review_asked, title)
    }
}

async fn slip_of(seat: &Seat, form: &Form) -> Result<SlipRecord, WebError> {
    seat.who.slip(&seat.app, &form.text("slip")).await
}
