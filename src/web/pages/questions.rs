//! The director's page of slips in question: what stands in the record of each, to be kept or ruled on anew.
//! Source: CONTRACT 3.2.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use serde_json::Value;

use crate::domain::decision::SlipAction;
use crate::domain::{Event, RequestBody, SlipRecord};
use crate::web::acts::slip_decision::decide_on_slip;
use crate::web::auth::caller::Caller;
use crate::web::http::error::WebError;
use crate::web::http::request::KeyedRequest;
use crate::web::state::AppState;

use super::director::{Director, DirectorForm, own_tournaments};
use super::render;
use super::views::director::{QuestionRow, QuestionsPage};

/// The address of the page.
const PAGE: &str = "/director/questions";

/// The text for a director where an act needs two persons.
const NEEDS_APPROVAL: &str =
    "The ruling is recorded and has no effect yet: another director or a judge must approve it.";

/// The director's slips in question, the newest first. Only a restore makes them, so without one nothing is read.
///
/// # Errors
/// 503 if the ledger cannot be read.
pub async fn slips_in_question(app: &AppState, caller: &Caller) -> Result<Vec<SlipRecord>, WebError> {
    let mut found = Vec::new();
    let snapshot = caller.snapshot();
    for tournament in own_tournaments(&snapshot, caller) {
        if app.ledger.logs_of(&tournament.id).await.map_err(crate::store::LedgerError::from)?.len() < 2 {
            continue;
        }
        let mut pages = app.ledger.slips(&tournament.id, u64::MAX);
        while let Some(some) = pages.page().await? {
            found.extend(some.into_iter().filter(|record| record.in_question));
        }
    }
    Ok(found)
}

/// `GET /director/questions`
pub async fn questions_page(State(app): State<AppState>, Director(caller): Director) -> Result<Response, WebError> {
    render_questions(&app, &caller, StatusCode::OK, None).await
}

/// `POST /director/questions/{id}/keep`
pub async fn keep_ruling(
    State(app): State<AppState>,
    Path(id): Path<String>,
    DirectorForm(caller, form): DirectorForm,
) -> Result<Response, WebError> {
    let said = [("keep", Value::Bool(true)), ("ground", Value::String(form.text("ground")))];
    decide_on_question(&app, &caller, &id, SlipAction::Settle, said).await
}

/// `POST /director/questions/{id}/rule`
pub async fn rule_anew(
    State(app): State<AppState>,
    Path(id): Path<String>,
    DirectorForm(caller, form): DirectorForm,
) -> Result<Response, WebError> {
    let said = ["ruling", "ground"].map(|field| (field, Value::String(form.text(field))));
    decide_on_question(&app, &caller, &id, SlipAction::Rule, said).await
}

async fn decide_on_question(
    app: &AppState,
    caller: &Caller,
    id: &str,
    act: SlipAction<'_>,
    said: [(&str, Value); 2],
) -> Result<Response, WebError> {
    let record = caller.slip(app, id).await?;
    let said: RequestBody = said.into_iter().map(|(field, value)| (field.to_owned(), value)).collect();
    let route = if matches!(act, SlipAction::Rule) { "rulings" } else { "settle" };
    match Box::pin(decide_on_slip(app, caller, record, route, &KeyedRequest::from(said), act)).await {
        Ok(answered) if matches!(answered.entry.event, Event::ApprovalAsked(_)) => {
            render_questions(app, caller, StatusCode::ACCEPTED, Some(NEEDS_APPROVAL.to_owned())).await
        }
        Ok(_) => Ok(Redirect::to(PAGE).into_response()),
        Err(error) => render_questions(app, caller, error.status_slug_title().0, Some(error.to_string())).await,
    }
}

async fn render_questions(
    app: &AppState,
    caller: &Caller,
    status: StatusCode,
    fault: Option<String>,
) -> Result<Response, WebError> {
    let slips = slips_in_question(app, caller).await?;
    let page = QuestionsPage {
        director: caller.principal.name.clone(),
        slips: slips.iter().map(QuestionRow::of).collect(),
        fault,
    };
    Ok(render(status, &page))
}

impl QuestionRow {
    fn of(record: &SlipRecord) -> Self {
        let slip = &record.slip;
        let recorded = record.adjudications.last();
        Self {
            id: slip.id.clone(),
            number: slip.number,
            place: [
                Some(record.tournament.clone()),
                Some(format!("division {}", slip.division)),
                slip.round.map(|round| format!("round {round}")),
                slip.table.map(|table| format!("table {table}")),
            ]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(", "),
            words: record.words.join(" "),
            recorded: recorded.map_or_else(
                || "no ruling stands in its record".to_owned(),
                |last| format!("{} stands in its record, by {}, {}", last.ruling.as_str(), last.by.name, last.at),
            ),
        }
    }
}
