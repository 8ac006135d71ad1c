//! The queue: items that wait for a judge or the director. Source: CONTRACT 3.3.

use crate::domain::player::Player;
use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use serde::Serialize;
use utoipa::ToSchema;

use crate::domain::call::CallRecord;
use crate::domain::decision::SlipAction;
use crate::domain::event::{NextOpinion, ReviewReason, Whom};
use crate::domain::record::State as SlipState;
use crate::domain::{Action, Event, Role, SlipRecord};
use crate::store::Draft;
use crate::web::acts::idempotency::decide_and_record;
use crate::web::acts::slip_decision::decide_on_slip;
use crate::web::auth::caller::Caller;
use crate::web::http::entry_response::{Answer, entry_response};
use crate::web::http::error::WebError;
use crate::web::http::request::{KeyedRequest, authorized, read_optional_body};
use crate::web::openapi::{EmptyObject, EmptyRequest, OptionalKey};
use crate::web::state::AppState;

/// The kinds of entries that put an item into the queue.
const OPENING: [&str; 4] = ["review-requested", "slip-awaits-manual-lookup", "slip-held", "called"];

#[derive(Serialize, ToSchema)]
pub struct Queue {
    items: Vec<Item>,
}

/// An item that waits. While a review is open a judge sees neither who requested it nor why.
#[derive(Serialize, ToSchema)]
#[schema(as = QueueItem)]
struct Item {
    kind: ItemKind,
    id: String,
    /// Null for a call.
    #[schema(required = true)]
    slip: Option<String>,
    #[schema(required = true)]
    number: Option<u64>,
    #[schema(required = true)]
    division: Option<String>,
    #[schema(required = true)]
    round: Option<i64>,
    #[schema(required = true)]
    table: Option<i64>,
    #[schema(required = true)]
    reason: Option<ReviewReason>,
    #[schema(required = true)]
    requested_by: Option<Player>,
    #[schema(required = true)]
    next: Option<NextOpinion>,
    /// For a call: whom the table needs.
    #[serde(rename = "for")]
    #[schema(required = true)]
    whom: Option<Whom>,
    words: Vec<String>,
    opened_at: String,
    #[schema(required = true)]
    claimed_by: Option<String>,
}

#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
enum ItemKind {
    Review,
    Manual,
    Held,
    Call,
}

/// The items that wait, most urgent first: those that no one has claimed, and of these the oldest.
#[utoipa::path(
    get,
    path = "/api/v1/tournaments/{tournament}/queue",
    tag = "queue",
    params(("tournament" = String, Path, description = "The tournament's id")),
    responses((status = 200, body = Queue, description = "What waits"))
)]
pub async fn read_queue(
    State(app): State<AppState>,
    caller: Caller,
    tournament: Result<Path<String>, PathRejection>,
) -> Result<Json<Queue>, WebError> {
    caller.may(Action::AdjudicateSlip)?;
    let Path(tournament) = tournament.map_err(|_| WebError::NotFound)?;
    caller.tournament(&caller.snapshot(), &tournament)?;
    let mut items = Vec::new();
    for kind in OPENING {
        for entries in app.ledger.open_items_of_kind(&tournament, kind).await? {
            let item = match kind {
                "called" => CallRecord::fold(&entries).map_err(crate::store::LedgerError::from)?.map(Item::of_call),
                _ => SlipRecord::fold(&entries)
                    .map_err(crate::store::LedgerError::from)?
                    .and_then(|record| Item::of_slip(&record, caller.principal.role)),
            };
            items.extend(item);
        }
    }
    items.sort_by(|one, other| {
        (one.claimed_by.is_some(), &one.opened_at).cmp(&(other.claimed_by.is_some(), &other.opened_at))
    });
    Ok(Json(Queue { items }))
}

impl Item {
    fn of_slip(record: &SlipRecord, role: Role) -> Option<Self> {
        let kind = match record.state {
            // A director settles it first.
            _ if record.in_question => return None,
            SlipState::UnderReview => ItemKind::Review,
            SlipState::AwaitingManualLookup => ItemKind::Manual,
            SlipState::Held => ItemKind::Held,
            SlipState::Ruled | SlipState::Final | SlipState::Lapsed | SlipState::Disposed => return None,
        };
        let review = record.review.as_ref();
        let told = review.filter(|_| !record.is_hidden_from(role));
        Some(Self {
            kind,
            id: record.item()?.clone(),
            slip: Some(record.slip.id.clone()),
            number: Some(record.slip.number),
            division: Some(record.slip.division.clone()),
            round: record.slip.round,
            table: record.slip.table,
            reason: told.map(|review| review.reason),
            requested_by: told.map(|review| review.requested_by),
            next: review.map(|review| review.next),
            whom: None,
            words: record.words.clone(),
            opened_at: record.queued_since().to_string(),
            claimed_by: record.claimed_by.as_ref().map(|principal| principal.name.clone()),
        })
    }

    fn of_call(record: CallRecord) -> Self {
        Self {
            kind: ItemKind::Call,
            id: record.called.call,
            slip: None,
            number: None,
            division: None,
            round: None,
            table: record.called.table,
            reason: None,
            requested_by: None,
            next: None,
            whom: Some(record.called.whom),
            words: Vec::new(),
            opened_at: record.at.to_string(),
            claimed_by: record.claimed_by.map(|principal| principal.name),
        }
    }
}

/// Claim an item of the queue.
#[utoipa::path(
    post,
    path = "/api/v1/queue/{id}/claim",
    tag = "queue",
    params(("id" = String, Path, description = "The item's id"), OptionalKey),
    request_body = EmptyRequest,
    responses((status = 201, body = EmptyObject, description = "It is recorded"))
)]
pub async fn claim_item(State(app): State<AppState>, request: Request) -> Result<Response, WebError> {
    Box::pin(act_on_item(&app, request, QueueAction::Claim)).await
}

/// Return a claimed item to the queue; that ends a call.
#[utoipa::path(
    post,
    path = "/api/v1/queue/{id}/release",
    tag = "queue",
    params(("id" = String, Path, description = "The item's id"), OptionalKey),
    request_body = EmptyRequest,
    responses((status = 201, body = EmptyObject, description = "It is recorded"))
)]
pub async fn release_item(State(app): State<AppState>, request: Request) -> Result<Response, WebError> {
    Box::pin(act_on_item(&app, request, QueueAction::GiveBack)).await
}

#[derive(Clone, Copy)]
enum QueueAction {
    Claim,
    GiveBack,
}

impl QueueAction {
    const fn route(self) -> &'static str {
        match self {
            Self::Claim => "claim",
            Self::GiveBack => "release",
        }
    }
}

async fn act_on_item(app: &AppState, request: Request, action: QueueAction) -> Result<Response, WebError> {
    let (mut caller, item, request) = authorized::<String>(app, Action::AdjudicateSlip, request).await?;
    let slip = app.ledger.slip_of_review(&item).await?.unwrap_or_else(|| item.clone());
    if let Some(call) = call_of(app, &caller, &slip).await? {
        let sent = read_optional_body(app, &mut caller, request).await?;
        return Ok(entry_response(&act_on_call(app, &caller, call, &sent, action).await?));
    }
    let record = caller.slip(app, &slip).await?;
    let sent = read_optional_body(app, &mut caller, request).await?;
    let route = format!("queue/{item}/{}", action.route());
    let act = match action {
        QueueAction::Claim => SlipAction::Claim { item: &item },
        QueueAction::GiveBack => SlipAction::GiveBack { item: &item },
    };
    Ok(entry_response(&decide_on_slip(app, &caller, record, &route, &sent, act).await?))
}

/// The call of that id in the caller's tournament, if it is one.
async fn call_of(app: &AppState, caller: &Caller, id: &str) -> Result<Option<CallRecord>, WebError> {
    let entries = app.ledger.entries_about(id).await?;
    if !entries.first().is_some_and(|first| matches!(first.event, Event::Called(_))) {
        return Ok(None);
    }
    let record = CallRecord::fold(&entries).map_err(crate::store::LedgerError::from)?;
    record.filter(|call| caller.belongs_to(&call.tournament)).map(Some).ok_or(WebError::NotFound)
}

async fn act_on_call(
    app: &AppState,
    caller: &Caller,
    call: CallRecord,
    sent: &KeyedRequest,
    action: QueueAction,
) -> Result<Answer, WebError> {
    let id = call.called.call.clone();
    let digest = sent.plain_digest(&format!("queue/{id}/{}", action.route()));
    let decide = |call: &CallRecord, request| {
        sent.expect_empty_body()?;
        let asker = caller.actor();
        let event = match action {
            QueueAction::Claim => Event::ItemClaimed(call.claim(&asker, request)?),
            QueueAction::GiveBack => Event::CallEnded(call.end(&asker, caller.principal.role, request)?),
        };
        Ok(Draft::of(&call.tournament, asker, event))
    };
    let again = || async { call_of(app, caller, &id).await?.ok_or(WebError::NotFound) };
    decide_and_record(app, caller, sent, digest, call, decide, again).await
}
