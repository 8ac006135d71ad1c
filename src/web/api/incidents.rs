//! Incidents: directors' rulings on other matters than look-ups, and the opinions on them. Source: CONTRACT 3.3, NASPA
//! II.D.

use axum::Json;
use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use crate::domain::decision::OpinionOnIncident;
use crate::domain::event::{Capacity, IncidentKind};
use crate::domain::incident::{Incident, IncidentRecord};
use crate::domain::{Action, Event, FaultCode, Faults, Tournament};
use crate::store::{Draft, LedgerError};
use crate::web::acts::idempotency::{Attempt, decide_and_record, record_once, route};
use crate::web::auth::caller::Caller;
use crate::web::http::entry_response::entry_response;
use crate::web::http::error::WebError;
use crate::web::http::request::{KeyedRequest, authorized, read_body, tournament_request};
use crate::web::openapi::{IncidentReported, OpinionGiven, OptionalKey, ReportIncident, ReviewIncident};
use crate::web::state::AppState;

#[derive(Serialize, ToSchema)]
pub struct Incidents {
    incidents: Vec<IncidentView>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = IncidentRecord)]
struct IncidentView {
    id: String,
    division: String,
    #[schema(required = true)]
    round: Option<i64>,
    #[schema(required = true)]
    table: Option<i64>,
    kind: IncidentKind,
    ruling: String,
    remedy: String,
    rule: String,
    note: String,
    #[schema(required = true)]
    slip: Option<String>,
    ruleset: String,
    by: String,
    at: String,
    opinions: Vec<OpinionView>,
    /// Only if nothing vouches for it: its record was changed or damaged, and a restore closed the log.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    in_question: bool,
    entry: u64,
}

#[derive(Serialize, ToSchema)]
#[schema(as = IncidentOpinion)]
struct OpinionView {
    ordinal: usize,
    agrees: bool,
    ruling: String,
    capacity: Capacity,
    note: String,
    by: String,
    at: String,
}

impl IncidentView {
    fn of(record: IncidentRecord) -> Self {
        let ruled = record.ruled;
        let opinions = record.opinions.into_iter().map(|one| OpinionView {
            ordinal: one.ordinal,
            agrees: one.agrees,
            ruling: one.ruling,
            capacity: one.capacity,
            note: one.note,
            by: one.by.name,
            at: one.at.to_string(),
        });
        Self {
            id: ruled.incident,
            division: ruled.division,
            round: ruled.round,
            table: ruled.table,
            kind: ruled.what,
            ruling: ruled.ruling,
            remedy: ruled.remedy,
            rule: ruled.rule,
            note: ruled.note,
            slip: ruled.slip,
            ruleset: ruled.ruleset,
            by: record.by.name,
            at: record.at.to_string(),
            opinions: opinions.collect(),
            in_question: record.in_question,
            entry: record.entry,
        }
    }
}

/// Record a ruling on an incident.
#[utoipa::path(
    post,
    path = "/api/v1/tournaments/{tournament}/incidents",
    tag = "director",
    params(("tournament" = String, Path, description = "The tournament's id"), OptionalKey),
    request_body = ReportIncident,
    responses(
        (status = 201, body = IncidentReported, description = "The incident is recorded")
    )
)]
pub async fn report_incident(State(app): State<AppState>, request: Request) -> Result<Response, WebError> {
    let (caller, tournament, sent) = tournament_request(&app, Action::RuleOnSlip, request).await?;
    let route = &route(&tournament, "incidents");
    let draft = |attempt| draft_incident(&app, attempt, &tournament, &sent, route);
    Ok(entry_response(&record_once(&app, &caller, &sent, route, draft).await?))
}

async fn draft_incident(
    app: &AppState,
    Attempt { caller, .. }: Attempt,
    tournament: &str,
    sent: &KeyedRequest,
    route: &str,
) -> Result<Draft, WebError> {
    let incident = Incident::read(&sent.body)?;
    if let Some(slip) = &incident.slip {
        let detail = "there is no such slip: leave it out or give its id";
        caller.slip(app, slip).await.map_err(|error| match error {
            WebError::NotFound => Faults::one("slip", FaultCode::InvalidRequest, detail).into(),
            error => error,
        })?;
    }
    let snapshot = caller.snapshot();
    let tournament = caller.tournament(&snapshot, tournament)?;
    let division = tournament.division(&incident.division)?;
    let event = incident.into_event(app.system.new_id_now()?, division, sent.plain_mark(route));
    Ok(Draft::of(&tournament.id, caller.actor(), Event::IncidentRuled(event)))
}

/// Give another opinion on a ruling on an incident.
#[utoipa::path(
    post,
    path = "/api/v1/incidents/{id}/opinions",
    tag = "director",
    params(("id" = String, Path, description = "The incident's id"), OptionalKey),
    request_body = ReviewIncident,
    responses(
        (status = 201, body = OpinionGiven, description = "The opinion is recorded")
    )
)]
pub async fn review_incident(State(app): State<AppState>, request: Request) -> Result<Response, WebError> {
    let (mut caller, id, request) = authorized::<String>(&app, Action::RuleOnSlip, request).await?;
    let incident = incident_of(&app, &caller, &id).await?;
    let sent = read_body(&app, &mut caller, request).await?;
    let digest = sent.plain_digest(&format!("incidents/{id}/opinions"));
    let ruled = &incident.ruled;
    let ruleset = caller.snapshot().setup.ruleset_then(&ruled.ruleset, ruled.ruleset_sha256.as_deref());
    let ruleset = ruleset.ok_or(WebError::Internal)?;
    let decide = |incident: &IncidentRecord, request| {
        let opinion = OpinionOnIncident::read(&sent.body, incident)?;
        let event = opinion.into_event(incident, &ruleset, &caller.actor(), request)?;
        Ok(Draft::of(&incident.tournament, caller.actor(), Event::IncidentReviewed(event)))
    };
    let again = || incident_of(&app, &caller, &id);
    Ok(entry_response(&decide_and_record(&app, &caller, &sent, digest, incident, decide, again).await?))
}

async fn incident_of(app: &AppState, caller: &Caller, id: &str) -> Result<IncidentRecord, WebError> {
    let entries = app.ledger.entries_about(id).await?;
    if !entries.first().is_some_and(|first| matches!(first.event, Event::IncidentRuled(_))) {
        return Err(WebError::NotFound);
    }
    let record = IncidentRecord::fold(&entries).map_err(LedgerError::from)?;
    record.filter(|incident| caller.belongs_to(&incident.tournament)).ok_or(WebError::NotFound)
}

async fn all(app: &AppState, tournament: &str) -> Result<Vec<IncidentView>, WebError> {
    let mut incidents = Vec::new();
    for entries in app.ledger.open_items_of_kind(tournament, "incident-ruled").await? {
        incidents.extend(IncidentRecord::fold(&entries).map_err(LedgerError::from)?.map(IncidentView::of));
    }
    Ok(incidents)
}

fn own<'p>(
    caller: &Caller,
    snapshot: &'p crate::snapshot::Snapshot,
    tournament: Result<Path<String>, PathRejection>,
) -> Result<&'p Tournament, WebError> {
    caller.may(Action::Audit)?;
    let Path(tournament) = tournament.map_err(|_| WebError::NotFound)?;
    caller.tournament(snapshot, &tournament)
}

/// All incidents, oldest first.
#[utoipa::path(
    get,
    path = "/api/v1/tournaments/{tournament}/incidents",
    tag = "audit",
    params(("tournament" = String, Path, description = "The tournament's id")),
    responses((status = 200, body = Incidents, description = "All incidents, oldest first"))
)]
pub async fn list_incidents(
    State(app): State<AppState>,
    caller: Caller,
    tournament: Result<Path<String>, PathRejection>,
) -> Result<Json<Incidents>, WebError> {
    let snapshot = caller.snapshot();
    let tournament = own(&caller, &snapshot, tournament)?;
    Ok(Json(Incidents { incidents: all(&app, &tournament.id).await? }))
}

/// All incidents, oldest first, one a line: a file for a rules committee.
#[utoipa::path(
    get,
    path = "/api/v1/tournaments/{tournament}/incidents.jsonl",
    tag = "audit",
    params(("tournament" = String, Path, description = "The tournament's id")),
    responses(
        (status = 200, body = String, content_type = "application/jsonl", description = "All incidents, one a line")
    )
)]
pub async fn export_incidents(
    State(app): State<AppState>,
    caller: Caller,
    tournament: Result<Path<String>, PathRejection>,
) -> Result<Response, WebError> {
    let snapshot = caller.snapshot();
    let tournament = own(&caller, &snapshot, tournament)?;
    let mut lines = String::new();
    for incident in all(&app, &tournament.id).await? {
        lines.push_str(&serde_json::to_string(&incident).map_err(|_| WebError::Internal)?);
        lines.push('\n');
    }
    Ok(([(header::CONTENT_TYPE, "application/jsonl")], Body::from(lines)).into_response())
}
