//! Acts that need two persons. Source: CONTRACT 3.3.

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::domain::approval::{ApprovalRecord, Verdict};
use crate::domain::decision::{Asker, Refusal, SlipAction};
use crate::domain::division::DivisionOrder;
use crate::domain::event::AskedAct;
use crate::domain::{Action, Event, RequestBody, Role, SlipRecord};
use crate::snapshot::Snapshot;
use crate::store::{Draft, LedgerError};
use crate::web::acts::division::check_division;
use crate::web::acts::idempotency::{find_answer, replay_if_same};
use crate::web::acts::slip_decision::decision_context;
use crate::web::auth::caller::Caller;
use crate::web::http::entry_response::{Answer, entry_response, status_and_body};
use crate::web::http::error::WebError;
use crate::web::http::request::{KeyedRequest, authorized, read_body};
use crate::web::openapi::{Approved, DecideApproval, EmptyObject, OptionalKey};
use crate::web::state::AppState;

use crate::web::api::slip_view::Viewer;

#[derive(Serialize, ToSchema)]
pub struct Approvals {
    approvals: Vec<Approval>,
}

/// An act that waits for another person's approval.
#[derive(Serialize, ToSchema)]
struct Approval {
    id: String,
    /// `set-division`, `rule-on-slip`, `correct-slip`
    what: &'static str,
    /// The division's or the slip's id.
    about: String,
    /// The request as it was sent. Null for a judge who is to judge the slip, or a neighbouring slip, blind.
    #[schema(value_type = Option<Object>)]
    #[serde(rename = "said")]
    body: Option<RequestBody>,
    asked_by: String,
    asked_at: String,
}

/// The acts that wait for another person, oldest first.
#[utoipa::path(
    get,
    path = "/api/v1/tournaments/{tournament}/approvals",
    tag = "approvals",
    params(("tournament" = String, Path, description = "The tournament's id")),
    responses((status = 200, body = Approvals, description = "What waits for another person"))
)]
pub async fn list_approvals(
    State(app): State<AppState>,
    caller: Caller,
    tournament: Result<Path<String>, PathRejection>,
) -> Result<Json<Approvals>, WebError> {
    caller.may(Action::Approve)?;
    let Path(tournament) = tournament.map_err(|_| WebError::NotFound)?;
    caller.tournament(&caller.snapshot(), &tournament)?;
    let mut approvals = Vec::new();
    for entries in app.ledger.open_items_of_kind(&tournament, "approval-asked").await? {
        let record = ApprovalRecord::fold(&entries).map_err(LedgerError::from)?;
        if let Some(record) = record.filter(|record| !record.is_decided) {
            approvals.push(shown(&app, &caller, record).await?);
        }
    }
    Ok(Json(Approvals { approvals }))
}

async fn shown(app: &AppState, caller: &Caller, record: ApprovalRecord) -> Result<Approval, WebError> {
    let (what, about, body) = match record.asked.act {
        AskedAct::SetDivision { division, body, .. } => ("set-division", division, body),
        AskedAct::RuleOnSlip { slip, body, .. } => ("rule-on-slip", slip, body),
        AskedAct::CorrectSlip { slip, body, .. } => ("correct-slip", slip, body),
    };
    let is_hidden = match app.ledger.slip(&about).await? {
        Some(slip) => Viewer::beside(app, &slip, caller).await?.is_blind,
        None => false,
    };
    Ok(Approval {
        id: record.asked.approval,
        what,
        about,
        body: Some(body).filter(|_| !is_hidden),
        asked_by: record.by.name,
        asked_at: record.at.to_string(),
    })
}

/// Approve what another person requested, which carries it out; or decline it.
#[utoipa::path(
    post,
    path = "/api/v1/approvals/{id}",
    tag = "approvals",
    params(("id" = String, Path, description = "The approval's id"), OptionalKey),
    request_body = DecideApproval,
    responses(
        (status = 201, body = Approved, description = "What the act itself answers; `{}` where it is declined"),
        (status = 200, body = EmptyObject, description = "The division is set")
    )
)]
pub async fn decide_approval(State(app): State<AppState>, request: Request) -> Result<Response, WebError> {
    let (mut caller, id, request) = authorized::<String>(&app, Action::Approve, request).await?;
    let record = approval(&app, &caller, &id).await?;
    let sent = read_body(&app, &mut caller, request).await?;
    let digest = sent.plain_digest(&format!("approvals/{id}"));
    if let Some(entry) = sent.answered {
        return Ok(entry_response(&replay_if_same(&app, entry, digest.as_deref()).await?));
    }
    let answered = match give(&app, &caller, &record, &sent, digest.clone()).await {
        Ok(answered) => answered,
        // A request with the same key, the same one or another, was answered meanwhile.
        Err(refusal) => match find_answer(&app, &caller, &sent).await {
            Ok(Some(entry)) => replay_if_same(&app, entry, digest.as_deref()).await?,
            _ => return Err(refusal),
        },
    };
    app.refresh().await;
    Ok(entry_response(&answered))
}

/// Decides an approval, and carries out the approved act.
async fn give(
    app: &AppState,
    caller: &Caller,
    record: &ApprovalRecord,
    sent: &KeyedRequest,
    digest: Option<String>,
) -> Result<Answer, WebError> {
    let verdict = Verdict::read(&sent.body)?;
    record.check(&caller.actor())?;
    check_other_game(app, caller, record).await?;
    let basis = caller.snapshot().basis(&record.tournament);
    let act = if verdict.approve { Some(done(app, &caller.snapshot(), record).await?) } else { None };
    let answer = act.as_ref().map(status_and_body).transpose()?.map(|(_, body)| body);
    let answer = answer.as_ref().and_then(Value::as_object).cloned().unwrap_or_else(Map::new);
    let given = Event::ApprovalGiven(record.given(verdict.approve, answer, sent.request_mark(digest)));
    let given = Draft::of(&record.tournament, caller.actor(), given);
    let act = act.map(|event| Draft::of(&record.tournament, record.by.clone(), event).decided_by(basis));
    together(app, act.into_iter().chain([given]).collect()).await
}

/// Refuses an approval by a player of the game.
async fn check_other_game(app: &AppState, caller: &Caller, approval: &ApprovalRecord) -> Result<(), WebError> {
    let (AskedAct::RuleOnSlip { slip, .. } | AskedAct::CorrectSlip { slip, .. }) = &approval.asked.act else {
        return Ok(());
    };
    let slip = app.ledger.slip(slip).await?.ok_or(WebError::NotFound)?;
    let snapshot = caller.snapshot();
    let tournament = snapshot.setup.tournament(&slip.tournament).ok_or(WebError::NotFound)?;
    let is_own =
        tournament.settings.names().apply(caller.principal.plays.clone()).is_some_and(|own| slip.is_game_of(&own));
    if is_own { Err(Refusal::OwnGame.into()) } else { Ok(()) }
}

/// Records all entries or none: an act and its approval are one.
async fn together(app: &AppState, drafts: Vec<Draft>) -> Result<Answer, WebError> {
    let recorded = app.ledger.record_together(app.system.now(), drafts).await.map_err(WebError::from_failed_write)?;
    let last = recorded.ok_or(WebError::ConcurrentChange)?.pop().ok_or(WebError::Internal)?;
    Ok(Answer { entry: last, replayed: false })
}

/// The approval of that id in a tournament of the caller.
async fn approval(app: &AppState, caller: &Caller, id: &str) -> Result<ApprovalRecord, WebError> {
    let entries = app.ledger.entries_about(id).await?;
    if !entries.first().is_some_and(|first| matches!(first.event, Event::ApprovalAsked(_))) {
        return Err(WebError::NotFound);
    }
    let record = ApprovalRecord::fold(&entries).map_err(LedgerError::from)?;
    record.filter(|record| caller.belongs_to(&record.tournament)).ok_or(WebError::NotFound)
}

/// Decides the act in the name of the person who requested it, if its subject has not changed since.
async fn done(app: &AppState, snapshot: &Arc<Snapshot>, approval: &ApprovalRecord) -> Result<Event, WebError> {
    let slip = async |id: &str| {
        let entries = app.ledger.entries_about(id).await?;
        approval.check_slip(&entries)?;
        SlipRecord::fold(&entries).map_err(LedgerError::from)?.ok_or(WebError::NotFound)
    };
    let plays = snapshot.people.staff_of(&approval.by.id).and_then(|staff| staff.plays.clone());
    let asker = Asker { actor: approval.by.clone(), role: Role::Director, plays };
    let (record, act, body) = match &approval.asked.act {
        AskedAct::SetDivision { division, body, .. } => {
            let own = snapshot.setup.tournament(&approval.tournament).ok_or(WebError::NotFound)?;
            let order = DivisionOrder::read(body, division, &snapshot.setup)?;
            let set = check_division(app, snapshot, own, order).await?;
            approval.check_switch(&snapshot.setup, &set)?;
            return Ok(Event::DivisionSet(set));
        }
        AskedAct::RuleOnSlip { slip: id, body, .. } => (slip(id).await?, SlipAction::Rule, body),
        AskedAct::CorrectSlip { slip: id, body, .. } => (slip(id).await?, SlipAction::Correct { near: &[] }, body),
    };
    Ok(decision_context(snapshot, &record).decide(&record, &asker, act, body, None)?)
}
