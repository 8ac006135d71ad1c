//! Filing, reading and settling slips. Source: CONTRACT 3.1, 3.2, 3.3.

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{FromRequestParts, Path, Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use crate::app::App;
use crate::domain::event::Method;
use crate::domain::record::{Adjudication, SlipRecord, State as SlipState};
use crate::domain::settle::{DirectorsRuling, ManualLookup};
use crate::domain::{Action, Entry, Event, Faults, Lexicon as _, LexiconName, Penalty, Ruling};
use crate::present::Present;
use crate::web::challenge::{Answered, challenge, resolve};
use crate::web::error::{Problem, WebError};
use crate::web::openapi::{FileSlip, Given, LookUpManually, OptionalKey, Resolved, RuleOnSlip};
use crate::web::settlement::settle;
use crate::web::submission::Submission;
use crate::web::who::Who;

/// Why no review can be asked for yet.
const NO_REVIEWS: &str = "reviews are not available in this version; call the director";

/// File a challenge slip and get its ruling.
#[utoipa::path(
    post,
    path = "/api/v1/tournaments/{tournament}/slips",
    tag = "slips",
    params(
        ("tournament" = String, Path, description = "The tournament's id"),
        ("Idempotency-Key" = Option<String>, Header, description = "1 to 128 visible ASCII characters, a new one for every slip; stations and clients must send one")
    ),
    request_body = FileSlip,
    responses(
        (status = 201, body = Given, headers(("Location" = String, description = "The slip"))),
        (status = "4XX", body = Problem, content_type = "application/problem+json"),
        (status = 503, body = Problem, content_type = "application/problem+json", description = "No ruling: send it again with the same key")
    )
)]
pub async fn file_slip(State(app): State<App>, request: Request) -> Result<Response, WebError> {
    let (who, tournament, sent) = submitted(&app, Action::FileSlip, request).await?;
    let answered = challenge(&app, &who, &tournament, &sent).await?;
    Ok(announce(&answered))
}

/// Find an answer that was lost on the way. Where none was given, none will be.
#[utoipa::path(
    post,
    path = "/api/v1/tournaments/{tournament}/slips/resolve",
    tag = "slips",
    params(
        ("tournament" = String, Path, description = "The tournament's id"),
        ("Idempotency-Key" = String, Header, description = "The key that the slip was sent with")
    ),
    request_body(content = Object, description = "An object without fields: {}"),
    responses(
        (status = 200, body = Resolved, description = "None was given"),
        (status = 201, body = Given, description = "The ruling that was given"),
        (status = "4XX", body = Problem, content_type = "application/problem+json")
    )
)]
pub async fn resolve_key(State(app): State<App>, request: Request) -> Result<Response, WebError> {
    let (who, tournament, sent) = submitted(&app, Action::ResolveKey, request).await?;
    let answered = resolve(&app, &who, &tournament, &sent).await?;
    Ok(announce(&answered))
}

/// Who asks, for which tournament, and what was sent, in the order in which faults are answered.
async fn submitted(app: &App, action: Action, request: Request) -> Result<(Who, String, Submission), WebError> {
    let (who, tournament, request) = asked(app, action, request).await?;
    who.tournament(&app.present(), &tournament)?;
    let sent = Submission::read(&who, request).await?;
    Ok((who, tournament, sent))
}

/// The same for a slip that is on record. Another's is not found, whatever was sent about it.
async fn about_slip(app: &App, action: Action, request: Request) -> Result<(Who, SlipRecord, Submission), WebError> {
    let (who, id, request) = asked(app, action, request).await?;
    let record = who.slip(app, &id).await?;
    let sent = Submission::read(&who, request).await?;
    Ok((who, record, sent))
}

/// Who asks, and the one id that the route has. The body is still to be read.
async fn asked(app: &App, action: Action, request: Request) -> Result<(Who, String, Request), WebError> {
    let (mut parts, body) = request.into_parts();
    let who = Who::from_request_parts(&mut parts, app).await?;
    who.may(action)?;
    let path = Path::<String>::from_request_parts(&mut parts, app).await;
    let Path(id) = path.map_err(|_| WebError::NotFound)?;
    Ok((who, id, Request::from_parts(parts, body)))
}

/// The answer that an entry gives, now or replayed: the ruling and nothing else.
fn announce(answered: &Answered) -> Response {
    let mut response = match &answered.entry.event {
        Event::SlipRuled(event) => given(event.ruling),
        Event::SlipAdjudicated(event) => given(event.ruling),
        Event::DirectorRuled(event) => given(event.ruling),
        Event::SlipAwaitsManualLookup(event) => match Faults::of(event.faults.clone()) {
            Some(faults) => WebError::Faults(faults).into_response(),
            None => WebError::Internal.into_response(),
        },
        Event::KeyClosed(_) => (StatusCode::OK, Json(json!({ "ruling": null }))).into_response(),
        _ => WebError::Internal.into_response(),
    };
    let headers = response.headers_mut();
    if let Some(location) = location(&answered.entry) {
        headers.insert(header::LOCATION, location);
    }
    if answered.replayed {
        headers.insert(HeaderName::from_static("idempotency-replayed"), HeaderValue::from_static("true"));
    }
    response
}

fn given(ruling: Ruling) -> Response {
    (StatusCode::CREATED, Json(json!({ "ruling": ruling }))).into_response()
}

fn location(entry: &Entry) -> Option<HeaderValue> {
    let slip = entry.event.slip()?;
    format!("/api/v1/slips/{}", slip.id).try_into().ok()
}

/// Read a slip.
#[utoipa::path(
    get,
    path = "/api/v1/slips/{id}",
    tag = "slips",
    params(("id" = String, Path, description = "The slip's id, a UUIDv7")),
    responses((status = 200, body = SlipView), (status = "4XX", body = Problem, content_type = "application/problem+json"))
)]
pub async fn read_slip(
    State(app): State<App>,
    who: Who,
    id: Result<Path<String>, PathRejection>,
) -> Result<Json<SlipView>, WebError> {
    who.may(Action::ReadSlip)?;
    let Path(id) = id.map_err(|_| WebError::NotFound)?;
    let record = who.slip(&app, &id).await?;
    Ok(Json(SlipView::of(&record, &who, &app.present())))
}

/// Look a waiting slip up in other sources, as a judge.
#[utoipa::path(
    post,
    path = "/api/v1/slips/{id}/adjudications",
    tag = "slips",
    params(("id" = String, Path, description = "The slip's id"), OptionalKey),
    request_body = LookUpManually,
    responses(
        (status = 201, body = Given),
        (status = "4XX", body = Problem, content_type = "application/problem+json")
    )
)]
pub async fn adjudicate_slip(State(app): State<App>, request: Request) -> Result<Response, WebError> {
    let (who, record, sent) = about_slip(&app, Action::AdjudicateSlip, request).await?;
    let answered = settle(&app, &who, record, "adjudications", &sent, |slip| {
        let found = ManualLookup::read(&sent.said)?;
        let penalty = slip.penalty(found.ruling)?;
        Ok(Event::SlipAdjudicated(found.of(slip.record, penalty, slip.request)?))
    });
    Ok(announce(&answered.await?))
}

/// Rule on a slip as the director, whatever was ruled before.
#[utoipa::path(
    post,
    path = "/api/v1/slips/{id}/rulings",
    tag = "slips",
    params(("id" = String, Path, description = "The slip's id"), OptionalKey),
    request_body = RuleOnSlip,
    responses(
        (status = 201, body = Given),
        (status = "4XX", body = Problem, content_type = "application/problem+json")
    )
)]
pub async fn rule_on_slip(State(app): State<App>, request: Request) -> Result<Response, WebError> {
    let (who, record, sent) = about_slip(&app, Action::RuleOnSlip, request).await?;
    let answered = settle(&app, &who, record, "rulings", &sent, |slip| {
        let ruling = DirectorsRuling::read(&sent.said)?;
        let penalty = slip.penalty(ruling.ruling)?;
        Ok(Event::DirectorRuled(ruling.of(slip.record, penalty, slip.request)))
    });
    Ok(announce(&answered.await?))
}

/// A slip as CONTRACT 3.2 describes it.
#[derive(Serialize, ToSchema)]
pub struct SlipView {
    id: String,
    number: u64,
    tournament: String,
    division: String,
    round: Option<i64>,
    table: Option<i64>,
    words: Vec<String>,
    challenger: Option<String>,
    opponent: Option<String>,
    play_score: Option<i64>,
    out_play: bool,
    follows: Option<String>,
    state: SlipState,
    disposition: Option<String>,
    ruling: Option<Ruling>,
    adjudications: Vec<AdjudicationView>,
    penalty: Option<Penalty>,
    review: ReviewView,
    ruleset: String,
    filed_at: String,
    entry: u64,
}

#[derive(Serialize, ToSchema)]
struct AdjudicationView {
    ordinal: usize,
    method: Method,
    ruling: Ruling,
    at: String,
    by: String,
    typed: Vec<String>,
    late: bool,
    /// Null for what is no look-up in a lexicon.
    lexicon: Option<LexiconView>,
    /// For directors and observers only; for everybody else the field is not there at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    words: Option<WordsView>,
}

#[derive(Serialize, ToSchema)]
struct LexiconView {
    id: String,
    edition: String,
    fingerprint: String,
}

/// The results of the words by the recorded lexicon.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
enum WordsView {
    LookedUp(Vec<WordView>),
    /// The recorded lexicon is gone, or it was no look-up; written as null.
    Gone,
}

#[derive(Serialize, ToSchema)]
struct WordView {
    word: String,
    acceptable: bool,
}

#[derive(Serialize, ToSchema)]
struct ReviewView {
    allowed: bool,
    why_not: Option<&'static str>,
    open: Option<String>,
}

impl SlipView {
    fn of(record: &SlipRecord, who: &Who, present: &Present) -> Self {
        let sees_words = who.0.role.may(Action::SeeWords);
        let adjudications = record.adjudications.iter();
        let slip = record.slip.clone();
        Self {
            id: slip.id,
            number: slip.number,
            tournament: record.tournament.clone(),
            division: slip.division,
            round: slip.round,
            table: slip.table,
            words: record.words.clone(),
            challenger: slip.challenger,
            opponent: slip.opponent,
            play_score: slip.play_score,
            out_play: slip.out_play,
            follows: None,
            state: record.state,
            disposition: None,
            ruling: record.ruling(),
            adjudications: adjudications.map(|one| AdjudicationView::of(one, sees_words.then_some(present))).collect(),
            penalty: record.penalty.clone(),
            review: ReviewView { allowed: false, why_not: Some(NO_REVIEWS), open: None },
            ruleset: slip.ruleset,
            filed_at: record.filed_at.to_string(),
            entry: record.entry,
        }
    }
}

impl AdjudicationView {
    fn of(adjudication: &Adjudication, words_by: Option<&Present>) -> Self {
        Self {
            ordinal: adjudication.ordinal,
            method: adjudication.method,
            ruling: adjudication.ruling,
            at: adjudication.at.to_string(),
            by: adjudication.by.name.clone(),
            typed: adjudication.typed.clone(),
            late: false,
            lexicon: adjudication.lexicon.as_ref().map(LexiconView::of),
            words: words_by
                .map(|present| look_up_again(adjudication, present).map_or(WordsView::Gone, WordsView::LookedUp)),
        }
    }
}

impl LexiconView {
    fn of(name: &LexiconName) -> Self {
        Self { id: name.id.clone(), edition: name.edition.clone(), fingerprint: name.fingerprint.clone() }
    }
}

/// The result of each word by the recorded lexicon; `None` where that is gone.
fn look_up_again(adjudication: &Adjudication, present: &Present) -> Option<Vec<WordView>> {
    let lexicon = present.opened(adjudication.lexicon.as_ref()?)?;
    adjudication
        .words
        .iter()
        .map(|written| {
            let word = lexicon.alphabet().read(written).ok().flatten()?;
            Some(WordView { word: written.clone(), acceptable: lexicon.contains(&word) })
        })
        .collect()
}
