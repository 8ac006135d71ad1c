//! Test decks: plays whose rulings are known, before a station's first challenge. Source: CONTRACT 3.3.

use axum::extract::{Request, State};
use axum::response::Response;

use crate::domain::test_deck::KnownPlays;
use crate::domain::{Action, Event};
use crate::web::acts::challenge::alphabet_of;
use crate::web::acts::idempotency::record_event_once;
use crate::web::acts::test_deck;
use crate::web::http::entry_response::entry_response;
use crate::web::http::error::WebError;
use crate::web::http::request::{division_request, tournament_request};
use crate::web::openapi::{DeckRun, EmptyObject, OptionalKey, RunTestDeck, SetTestDeck};
use crate::web::state::AppState;

/// Set the director's own plays for the test decks of a division, all of them anew.
#[utoipa::path(
    put,
    path = "/api/v1/tournaments/{tournament}/divisions/{division}/test-deck",
    tag = "set-up",
    params(
        ("tournament" = String, Path, description = "The tournament's id"),
        ("division" = String, Path, description = "The division's id"),
        OptionalKey
    ),
    request_body = SetTestDeck,
    responses(
        (status = 200, body = EmptyObject, description = "It is recorded")
    )
)]
pub async fn set_test_deck(State(app): State<AppState>, request: Request) -> Result<Response, WebError> {
    let (caller, (tournament, division), sent) = division_request(&app, Action::SetUp, request).await?;
    let last = format!("divisions/{division}/test-deck");
    let answer = record_event_once(&app, &caller, &tournament, &last, &sent, |snapshot, tournament, request| {
        let plays = KnownPlays::read(&sent.body)?;
        let division = tournament.division(&division)?;
        plays.check(&*alphabet_of(snapshot, division)?, division.settings.max_tiles())?;
        Ok(Event::TestDeckSet(plays.into_event(division.id.clone(), request)))
    });
    let answer = answer.await?;
    app.refresh().await;
    Ok(entry_response(&answer))
}

/// Try the station with plays whose rulings are known. It is never said which play failed.
#[utoipa::path(
    post,
    path = "/api/v1/tournaments/{tournament}/test-decks",
    tag = "operation",
    params(("tournament" = String, Path, description = "The tournament's id"), OptionalKey),
    request_body = RunTestDeck,
    responses(
        (status = 201, body = DeckRun, description = "Whether every play came out right")
    )
)]
pub async fn run_test_deck(State(app): State<AppState>, request: Request) -> Result<Response, WebError> {
    let (caller, tournament, sent) = tournament_request(&app, Action::RunTestDeck, request).await?;
    Ok(entry_response(&test_deck::run(&app, &caller, &tournament, &sent).await?))
}
