//! What happens on the floor around the slips: challenges that end, rulings on paper, rounds, calls, divisions.
//! Source: CONTRACT 3.1a, 3.3, 3.5.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;

use crate::domain::division::{BadDivision, DivisionOrder};
use crate::domain::event::{ApprovalAsked, AskedAct, Called, DivisionSet, RoundSet};
use crate::domain::paper::PaperRuling;
use crate::domain::request::digest;
use crate::domain::settle::EndedChallenge;
use crate::domain::{Action, Alphabet, Division, Event, Faults, Slug, Tournament};
use crate::snapshot::{LexiconUnavailable, Snapshot, check_later, open_division_lexica};
use crate::store::Draft;
use crate::web::acts::challenge::{check_follows, prior_unsuccessful};
use crate::web::acts::idempotency::{
    Answer, record_event_once, record_event_once_at, record_once, retry_on_conflict, route,
};
use crate::web::auth::caller::Caller;
use crate::web::http::entry_response::entry_response;
use crate::web::http::error::WebError;
use crate::web::http::request::{authorized, read_body, tournament_request};
use crate::web::http::submission::KeyedRequest;
use crate::web::openapi::{
    ApprovalOpened, CallSomebody, DisposeChallenge, DispositionBody, DivisionDone, EmptyObject, EnterPaperRuling,
    OptionalKey, RulingBody, SetDivision, SetRound,
};
use crate::web::state::AppState;

/// Record that a challenge ended without a look-up.
#[utoipa::path(
    post,
    path = "/api/v1/tournaments/{tournament}/dispositions",
    tag = "slips",
    params(("tournament" = String, Path, description = "The tournament's id"), OptionalKey),
    request_body = DisposeChallenge,
    responses(
        (status = 201, body = DispositionBody, description = "It is recorded", headers(("Location" = String, description = "The slip")))
    )
)]
pub async fn dispose_challenge(State(app): State<AppState>, request: Request) -> Result<Response, WebError> {
    let (caller, tournament, sent) = tournament_request(&app, Action::SpeakOfSlip, request).await?;
    Ok(entry_response(&dispose(&app, &caller, &tournament, &sent).await?))
}

/// Records that a challenge ended without a look-up.
///
/// # Errors
/// What stands against it, or why there is no entry.
pub async fn dispose(
    app: &AppState,
    caller: &Caller,
    tournament: &str,
    sent: &KeyedRequest,
) -> Result<Answer, WebError> {
    retry_on_conflict(app, caller, |caller| try_dispose(app, caller, tournament, sent)).await
}

/// The same by one view; 409 `wrong-state` where something else is so when it is written.
async fn try_dispose(
    app: &AppState,
    caller: Caller,
    tournament: &str,
    sent: &KeyedRequest,
) -> Result<Answer, WebError> {
    let (snapshot, caller) = (caller.snapshot(), &caller);
    let follows = check_follows(app, caller, sent, Slug::InvalidRequest).await;
    let prior_unsuccessful = prior_unsuccessful(app, caller.tournament(&snapshot, tournament)?, sent).await?;
    let route = route(tournament, "dispositions");
    let drafted = caller.tournament(&snapshot, tournament).and_then(|tournament| {
        let mut said = EndedChallenge::read(&sent.said)?;
        said.place.earlier = prior_unsuccessful;
        follows?;
        let division = tournament.division_for(said.division.as_deref(), said.place.table, Slug::InvalidRequest)?;
        let alphabet = alphabet_of(&snapshot, division)?;
        let request = sent.request_mark(digest(&route, &sent.said, &alphabet));
        let id = app.system.new_id_now()?;
        let ended =
            said.of(division, &alphabet, (caller.principal.role, caller.principal.plays.as_deref()), id, request)?;
        let draft = Draft::of(&tournament.id, caller.actor(), Event::ChallengeDisposed(ended));
        Ok(draft.decided_by(snapshot.basis(&tournament.id)))
    });
    record_once(app, caller, &route, sent, drafted).await
}

/// Enter a ruling that was given on paper while the server was away.
#[utoipa::path(
    post,
    path = "/api/v1/tournaments/{tournament}/paper-rulings",
    tag = "slips",
    params(("tournament" = String, Path, description = "The tournament's id"), OptionalKey),
    request_body = EnterPaperRuling,
    responses(
        (status = 201, body = RulingBody, description = "It is recorded", headers(("Location" = String, description = "The slip")))
    )
)]
pub async fn enter_paper_ruling(State(app): State<AppState>, request: Request) -> Result<Response, WebError> {
    let (caller, tournament, sent) = tournament_request(&app, Action::AdjudicateSlip, request).await?;
    Ok(entry_response(
        &retry_on_conflict(&app, &caller, |caller| try_enter_paper_ruling(&app, caller, &tournament, &sent)).await?,
    ))
}

/// Enters a paper ruling by one view; 409 `wrong-state` where something else is so when it is written.
async fn try_enter_paper_ruling(
    app: &AppState,
    caller: Caller,
    tournament: &str,
    sent: &KeyedRequest,
) -> Result<Answer, WebError> {
    let (snapshot, caller) = (caller.snapshot(), &caller);
    let prior_unsuccessful = prior_unsuccessful(app, caller.tournament(&snapshot, tournament)?, sent).await?;
    let route = route(tournament, "paper-rulings");
    let drafted = caller.tournament(&snapshot, tournament).and_then(|tournament| {
        let mut said = PaperRuling::read(&sent.said, app.now())?;
        said.place.earlier = prior_unsuccessful;
        let division = tournament.division_for(said.division.as_deref(), said.place.table, Slug::InvalidSlip)?;
        let alphabet = alphabet_of(&snapshot, division)?;
        let request = sent.request_mark(digest(&route, &sent.said, &alphabet));
        let ruled = said.of(division, &alphabet, app.system.new_id_now()?, request)?;
        let draft = Draft::of(&tournament.id, caller.actor(), Event::PaperRuled(ruled));
        Ok(draft.decided_by(snapshot.basis(&tournament.id)))
    });
    record_once(app, caller, &route, sent, drafted).await
}

/// The alphabet of a division, whether its lexicon is open or not.
///
/// # Errors
/// 409 `no-active-lexicon`.
pub fn alphabet_of(snapshot: &Snapshot, division: &Division) -> Result<Arc<Alphabet>, WebError> {
    snapshot.alphabet(&division.lexicon).ok_or_else(|| {
        let detail = format!("the alphabet of the lexicon {} is not known to this server", division.lexicon.id);
        Faults::one("division", Slug::NoActiveLexicon, detail).into()
    })
}

/// Open a round, close it, or let players check words between games.
#[utoipa::path(
    post,
    path = "/api/v1/tournaments/{tournament}/rounds",
    tag = "set-up",
    params(("tournament" = String, Path, description = "The tournament's id"), OptionalKey),
    request_body = SetRound,
    responses(
        (status = 201, body = EmptyObject, description = "It is recorded")
    )
)]
pub async fn set_round(State(app): State<AppState>, request: Request) -> Result<Response, WebError> {
    let (caller, tournament, sent) = tournament_request(&app, Action::SetUp, request).await?;
    let answered = record_event_once(&app, &caller, &tournament, "rounds", &sent, |tournament, request| {
        let set = RoundSet::read(&sent.said, request)?;
        tournament.division(&set.division)?;
        Ok(Event::RoundSet(set))
    });
    let answered = answered.await?;
    app.refresh().await;
    Ok(entry_response(&answered))
}

/// Call a judge or the director to a table.
#[utoipa::path(
    post,
    path = "/api/v1/tournaments/{tournament}/calls",
    tag = "queue",
    params(("tournament" = String, Path, description = "The tournament's id"), OptionalKey),
    request_body = CallSomebody,
    responses(
        (status = 201, body = EmptyObject, description = "It is recorded")
    )
)]
pub async fn call(State(app): State<AppState>, request: Request) -> Result<Response, WebError> {
    let (caller, tournament, sent) = tournament_request(&app, Action::Call, request).await?;
    let id = app.system.new_id_now()?;
    let answered = record_event_once(&app, &caller, &tournament, "calls", &sent, |_, request| {
        Ok(Event::Called(Called::read(&sent.said, id, request)?))
    });
    Ok(entry_response(&answered.await?))
}

/// Set a division: its lexicon, ruleset and settings, all of them anew, or from a later day on those that are named.
#[utoipa::path(
    put,
    path = "/api/v1/tournaments/{tournament}/divisions/{division}",
    tag = "set-up",
    params(
        ("tournament" = String, Path, description = "The tournament's id"),
        ("division" = String, Path, description = "The division's id"),
        OptionalKey
    ),
    request_body = SetDivision,
    responses(
        (status = 200, body = DivisionDone, description = "It is recorded"),
        (status = 202, body = ApprovalOpened, description = "Another person must approve it")
    )
)]
pub async fn set_division(State(app): State<AppState>, request: Request) -> Result<Response, WebError> {
    let (mut caller, (tournament, division), request) =
        authorized::<(String, String)>(&app, Action::SetUp, request).await?;
    caller.tournament(&caller.snapshot(), &tournament)?;
    let sent = read_body(&app, &caller, request).await?;
    // What others set up at this moment, a ruleset above all, counts already.
    caller.refresh(&app).await?;
    let answered =
        retry_on_conflict(&app, &caller, |caller| try_set_division(&app, caller, &tournament, &division, &sent))
            .await?;
    app.refresh().await;
    Ok(entry_response(&answered))
}

/// Sets a division by one view; 409 `wrong-state` where something else is so when it is written.
async fn try_set_division(
    app: &AppState,
    caller: Caller,
    tournament: &str,
    division: &str,
    sent: &KeyedRequest,
) -> Result<Answer, WebError> {
    let (snapshot, caller) = (caller.snapshot(), &caller);
    let own = caller.tournament(&snapshot, tournament)?;
    let set = match DivisionOrder::read(&sent.said, division, &snapshot.floor) {
        Ok(order) => checked(app, &snapshot, own, order).await,
        Err(faults) => Err(faults.into()),
    };
    let last = format!("divisions/{division}");
    let id = app.system.new_id_now()?;
    record_event_once_at(app, &snapshot, caller, tournament, &last, sent, |own, request| {
        let set = DivisionSet { request, ..set? };
        if !snapshot.floor.switch_asks_another(own, &set) {
            return Ok(Event::DivisionSet(set));
        }
        let on = Some(snapshot.floor.switch_sha256(&own.id, &set));
        let act = AskedAct::SetDivision { division: set.division, said: sent.said.clone(), on };
        let program = crate::PROGRAM.to_owned();
        Ok(Event::ApprovalAsked(ApprovalAsked { approval: id, act, request: set.request, program }))
    })
    .await
}

/// A list that is not there or not yet in force is a mistake of the request; one that cannot be opened is none.
pub fn cannot_play(why: &LexiconUnavailable) -> WebError {
    let slug = match why {
        LexiconUnavailable::NoSuchLexicon(_)
        | LexiconUnavailable::NotYet { .. }
        | LexiconUnavailable::OtherAlphabet { .. }
        | LexiconUnavailable::CoversLess { .. } => Slug::InvalidRequest,
        LexiconUnavailable::Alphabet(_)
        | LexiconUnavailable::Open(_)
        | LexiconUnavailable::Name(_)
        | LexiconUnavailable::BuiltIn(_) => Slug::NoActiveLexicon,
    };
    Faults::one("lexicon", slug, why.to_string()).into()
}

/// The division as it will be recorded: beside the others of its tournament, and its lexica opened.
///
/// # Errors
/// What stands against it.
pub async fn checked(
    app: &AppState,
    snapshot: &Arc<Snapshot>,
    tournament: &Tournament,
    order: DivisionOrder,
) -> Result<DivisionSet, WebError> {
    let refused = |bad: BadDivision| Faults::one(bad.field(), Slug::InvalidRequest, bad.to_string());
    let wanted = order.wanted(&snapshot.floor, tournament).map_err(refused)?;
    let others = snapshot.floor.settings_of_divisions(&tournament.id);
    let others = others.iter().map(|(other, settings)| (other.as_str(), settings));
    wanted.check(tournament.settings.names(), others).map_err(refused)?;
    let today = app.now().day_in(&tournament.time_zone);
    let (snapshot, folder, tournament) = (Arc::clone(snapshot), Arc::clone(&app.lexicons), tournament.clone());
    // Opening reads and hashes whole files, which is no work for the tasks that answer players.
    let opened = tokio::task::spawn_blocking(move || -> Result<DivisionSet, WebError> {
        let lexica =
            open_division_lexica(&snapshot.floor, &folder, &wanted, &today).map_err(|why| cannot_play(&why))?;
        if let Some(second) = lexica.second.as_ref().filter(|_| lexica.beyond > 0) {
            tracing::warn!(more = lexica.beyond, second = second.id, "the second lexicon is no part of the main one");
        }
        let set = wanted.ordered(&tournament, &snapshot.floor, (lexica.lexicon, lexica.second)).map_err(refused)?;
        let then = snapshot.floor.ordered(&tournament.id, &set).map_err(|bad| refused(bad.into()))?;
        check_later(&then, &folder, &tournament.id, &set.division).map_err(|why| cannot_play(&why))?;
        Ok(set)
    });
    opened.await.map_err(|_| WebError::Internal)?
}
