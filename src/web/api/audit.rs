//! The audit: what directors and observers see of all slips. Source: CONTRACT 3.4.

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::domain::event::Method;
use crate::domain::fields::Fields;
use crate::domain::recheck::Recheck;
use crate::domain::record::State as SlipState;
use crate::domain::slip_filter::{Page, Selection, Statistics, Tally};
use crate::domain::{Action, FaultCode, Faults, RequestBody, Ruling, SlipRecord};
use crate::lexicon::Opened;
use crate::snapshot::{NO_DATE_LIMIT, Snapshot, open_for_play};
use crate::web::acts::division::lexicon_fault;
use crate::web::auth::caller::Caller;
use crate::web::http::error::{Problem, WebError};
use crate::web::state::AppState;

use super::breakdown::Breakdown;
use crate::web::api::slip_view::{SlipView, Viewer};

#[derive(Serialize, ToSchema)]
pub struct AuditPage {
    /// Newest first.
    slips: Vec<SlipView>,
    /// Where the next page begins: its `after`. Null on the last.
    #[schema(required = true)]
    next: Option<String>,
}

/// An audit query: the caller, a tournament of theirs, and the fields of the query.
pub struct ReadQuery {
    pub caller: Caller,
    pub tournament: String,
    pub body: RequestBody,
}

/// Reads the caller, the tournament and the query. Query strings are not logged.
///
/// # Errors
/// 403, 404; 422 for a query that cannot be read or that names an unknown division.
pub fn read_query(
    caller: Caller,
    action: Action,
    tournament: Result<Path<String>, PathRejection>,
    query: Option<&str>,
) -> Result<ReadQuery, WebError> {
    caller.may(action)?;
    let Path(tournament) = tournament.map_err(|_| WebError::NotFound)?;
    let snapshot = caller.snapshot();
    let own = caller.tournament(&snapshot, &tournament)?;
    let mut body = query_of(query)?;
    // A player is found by the form of their name that the tournament stores.
    let player = body.get("player").and_then(Value::as_str).map(str::to_owned);
    if let Some(player) = own.settings.names().apply(player) {
        body.insert("player".to_owned(), Value::String(player));
    }
    if let Some(named) = body.get("division").and_then(Value::as_str)
        && !own.divisions().any(|division| division.id.eq_ignore_ascii_case(named.trim()))
    {
        let detail = own.no_such_division();
        return Err(Faults::one("division", FaultCode::InvalidRequest, detail).into());
    }
    Ok(ReadQuery { caller, tournament, body })
}

/// The fields of a query: numbers and booleans by their form, everything else as text.
pub fn query_of(query: Option<&str>) -> Result<RequestBody, WebError> {
    const TEXTS: [&str; 6] = ["division", "player", "word", "station", "judge", "lexicon"];
    let query = query.unwrap_or_default();
    let no_list =
        || Faults::one("", FaultCode::InvalidRequest, "the query is no list of FIELD=VALUE, encoded for an address");
    let pairs: Vec<(String, String)> = serde_urlencoded::from_str(query).map_err(|_| no_list())?;
    // A wrong percent-encoding would otherwise be taken literally, or with a replacement character.
    let is_unread = |text: &str| text.contains(char::REPLACEMENT_CHARACTER);
    if !is_encoded(query) || pairs.iter().any(|(field, text)| is_unread(field) || is_unread(text)) {
        return Err(no_list().into());
    }
    let mut body = RequestBody::new();
    for (field, text) in pairs {
        let value = match text.parse::<i64>() {
            _ if TEXTS.contains(&field.as_str()) => Value::String(text),
            Ok(number) => Value::from(number),
            Err(_) => text.parse::<bool>().map_or(Value::String(text), Value::Bool),
        };
        if body.insert(field.clone(), value).is_some() {
            return Err(Faults::one(&field, FaultCode::InvalidRequest, format!("{field} is said twice")).into());
        }
    }
    Ok(body)
}

/// Whether every `%` stands before two hexadecimal digits.
fn is_encoded(query: &str) -> bool {
    let is_byte = |rest: &str| rest.as_bytes().get(..2).is_some_and(|two| two.iter().all(u8::is_ascii_hexdigit));
    query.split('%').skip(1).all(is_byte)
}

/// Slips of a tournament, newest first.
#[utoipa::path(
    get,
    path = "/api/v1/tournaments/{tournament}/audit",
    tag = "audit",
    params(("tournament" = String, Path, description = "The tournament's id"), AuditQuery, SelectionQuery),
    responses((status = 200, body = AuditPage, description = "One page of slips"))
)]
pub async fn audit(
    State(app): State<AppState>,
    caller: Caller,
    tournament: Result<Path<String>, PathRejection>,
    RawQuery(query): RawQuery,
) -> Result<Json<AuditPage>, WebError> {
    let ReadQuery { caller, tournament, body } = read_query(caller, Action::Audit, tournament, query.as_deref())?;
    let page = Page::read(&body)?;
    let snapshot = caller.snapshot();
    let mut slips = Vec::new();
    let mut pages = app.ledger.slips(&tournament, page.before);
    while let Some(some) = pages.page().await? {
        for record in some.iter().filter(|record| page.selection.fits(record)) {
            slips.push(SlipView::of(record, Viewer::alone(record, caller.principal.role), &snapshot));
            if slips.len() == page.limit {
                return Ok(Json(AuditPage { slips, next: Some(record.slip.number.to_string()) }));
            }
        }
    }
    Ok(Json(AuditPage { slips, next: None }))
}

#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes what Page::read takes")]
pub struct AuditQuery {
    /// The `next` of the page before
    #[param(pattern = "^[1-9][0-9]*$")]
    after: Option<String>,
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<i64>,
}

/// The selection of slips; all conditions hold together.
#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes what Selection::take reads")]
pub struct SelectionQuery {
    #[param(min_length = 1, max_length = 32)]
    division: Option<String>,
    #[param(minimum = 1, maximum = 999)]
    round: Option<i64>,
    #[param(minimum = 1, maximum = 9999)]
    table: Option<i64>,
    ruling: Option<Ruling>,
    state: Option<SlipState>,
    /// Of any opinion of the chain
    method: Option<Method>,
    /// Either player
    #[param(min_length = 1, max_length = 100)]
    player: Option<String>,
    /// In any adjudication
    #[param(min_length = 1, max_length = 100)]
    word: Option<String>,
    /// By which it was filed
    #[param(min_length = 1, max_length = 100)]
    station: Option<String>,
    /// Of any opinion of the chain
    #[param(min_length = 1, max_length = 100)]
    judge: Option<String>,
    /// Whether another opinion was ever requested
    reviewed: Option<bool>,
    /// Slips in question, or all others
    in_question: Option<bool>,
    /// Filed then or later
    #[param(format = DateTime)]
    from: Option<String>,
    /// Filed before then
    #[param(format = DateTime)]
    to: Option<String>,
}

/// The selection of a query without pages.
///
/// # Errors
/// 422 `invalid-request`.
pub fn selection(body: &RequestBody) -> Result<Selection, Faults> {
    let mut fields = Fields::of(body, FaultCode::InvalidRequest);
    let selection = Selection::take(&mut fields);
    fields.finish(Some(selection))
}

/// Shows every slip of a tournament to `see`, newest first.
///
/// # Errors
/// If the ledger cannot be read.
pub async fn walk(app: &AppState, tournament: &str, mut see: impl FnMut(&SlipRecord)) -> Result<(), WebError> {
    let mut pages = app.ledger.slips(tournament, u64::MAX);
    while let Some(some) = pages.page().await? {
        some.iter().for_each(&mut see);
    }
    Ok(())
}

#[derive(Serialize, ToSchema)]
pub struct StatisticsView {
    challenges: u64,
    /// Challenges of plays that were acceptable.
    unsuccessful: u64,
    by: Breakdown,
    reviews: u64,
    reversals: u64,
    /// Slips in question, where there are any: they are counted here and nowhere else.
    #[serde(skip_serializing_if = "Option::is_none")]
    in_question: Option<u64>,
}

/// The figures of a tournament.
#[utoipa::path(
    get,
    path = "/api/v1/tournaments/{tournament}/statistics",
    tag = "audit",
    params(("tournament" = String, Path, description = "The tournament's id")),
    responses((status = 200, body = StatisticsView, description = "The figures"))
)]
pub async fn statistics(
    State(app): State<AppState>,
    caller: Caller,
    tournament: Result<Path<String>, PathRejection>,
    RawQuery(query): RawQuery,
) -> Result<Json<StatisticsView>, WebError> {
    let ReadQuery { caller, tournament, body } = read_query(caller, Action::Audit, tournament, query.as_deref())?;
    nothing_asked(&body)?;
    let snapshot = caller.snapshot();
    let mut figures = Statistics::default();
    walk(&app, &tournament, |record| figures.count(record, |word| tiles(&snapshot, record, word))).await?;
    let Tally { challenges, unsuccessful } = figures.all;
    let (reviews, reversals, in_question) =
        (figures.reviews, figures.reversals, Some(figures.in_question).filter(|count| *count > 0));
    Ok(Json(StatisticsView { challenges, unsuccessful, by: Breakdown::of(figures), reviews, reversals, in_question }))
}

fn tiles(snapshot: &Snapshot, record: &SlipRecord, word: &str) -> usize {
    let alphabet = snapshot.alphabet(&record.lexicon);
    let read = alphabet.and_then(|alphabet| alphabet.read(word).ok().flatten());
    read.map_or_else(|| word.chars().count(), |word| word.tiles())
}

fn nothing_asked(body: &RequestBody) -> Result<(), Faults> {
    Fields::of(body, FaultCode::InvalidRequest).finish(Some(()))
}

#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes what recheck reads")]
pub struct RecheckQuery {
    /// The lexicon to compare with
    #[param(min_length = 1, max_length = 32)]
    lexicon: String,
    #[param(min_length = 1, max_length = 32)]
    division: Option<String>,
    /// Filed then or later
    #[param(format = DateTime)]
    since: Option<String>,
    /// Filed before then
    #[param(format = DateTime)]
    until: Option<String>,
}

/// The look-ups that would differ in another lexicon. Nothing is changed.
#[utoipa::path(
    get,
    path = "/api/v1/tournaments/{tournament}/recheck",
    tag = "audit",
    params(("tournament" = String, Path, description = "The tournament's id"), RecheckQuery),
    responses(
        (status = 200, body = Recheck, description = "What would come out otherwise"),
        (status = 409, body = Problem, content_type = "application/problem+json", description = "`no-active-lexicon`")
    )
)]
pub async fn recheck(
    State(app): State<AppState>,
    caller: Caller,
    tournament: Result<Path<String>, PathRejection>,
    RawQuery(query): RawQuery,
) -> Result<Json<Recheck>, WebError> {
    let ReadQuery { caller, tournament, body } = read_query(caller, Action::Audit, tournament, query.as_deref())?;
    let mut fields = Fields::of(&body, FaultCode::InvalidRequest);
    let id = fields.required_line("lexicon", 32);
    let selection = Selection {
        division: fields.line("division", 32),
        from: fields.time("since"),
        to: fields.time("until"),
        ..Selection::default()
    };
    let id = fields.finish(id)?;
    let lexicon = opened(&app, &caller, &id).await?;
    let mut found = Recheck::default();
    walk(&app, &tournament, |record| {
        if selection.fits(record) {
            found.take(record, &*lexicon, lexicon.alphabet(), lexicon.lengths());
        }
    })
    .await?;
    Ok(Json(found))
}

/// A lexicon that is on this server, whether it is active or not.
async fn opened(app: &AppState, caller: &Caller, id: &str) -> Result<Arc<Opened>, WebError> {
    let (setup, folder, id) = (caller.snapshot().setup.clone(), Arc::clone(&app.lexicons), id.to_owned());
    let opened = tokio::task::spawn_blocking(move || open_for_play(&setup, &folder, &id, NO_DATE_LIMIT)).await;
    opened.map_err(|_| WebError::Internal)?.map_err(|why| lexicon_fault(&why))
}
