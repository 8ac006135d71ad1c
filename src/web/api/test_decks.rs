//! Test decks: plays whose rulings are known, before a station's first challenge. Source: CONTRACT 3.3.

use axum::extract::{Request, State};
use axum::response::Response;

use crate::domain::deck::{Deck, KnownPlays};
use crate::domain::event::TestDeckRun;
use crate::domain::fields::Fields;
use crate::domain::{Action, Event, Lexica, Slug};
use crate::web::acts::challenge::{active_lexicon, second_lexicon};
use crate::web::acts::idempotency::{Answer, record_event_once, record_event_once_at, retry_on_conflict};
use crate::web::auth::caller::Caller;
use crate::web::http::entry_response::entry_response;
use crate::web::http::error::WebError;
use crate::web::http::request::{authorized, read_body, tournament_request};
use crate::web::http::submission::KeyedRequest;
use crate::web::openapi::{DeckRun, EmptyObject, OptionalKey, RunTestDeck, SetTestDeck};
use crate::web::state::AppState;

use super::floor::alphabet_of;

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
    let (mut caller, (tournament, division), request) =
        authorized::<(String, String)>(&app, Action::SetUp, request).await?;
    caller.tournament(&caller.snapshot(), &tournament)?;
    let sent = read_body(&app, &caller, request).await?;
    caller.renew(&app).await?;
    let snapshot = caller.snapshot();
    let last = format!("divisions/{division}/test-deck");
    let answered = record_event_once(&app, &caller, &tournament, &last, &sent, |tournament, request| {
        let plays = KnownPlays::read(&sent.said)?;
        let division = tournament.division(&division)?;
        plays.check(&*alphabet_of(&snapshot, division)?, division.settings.max_tiles())?;
        Ok(Event::TestDeckSet(plays.of(division.id.clone(), request)))
    });
    let answered = answered.await?;
    app.refresh().await;
    Ok(entry_response(&answered))
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
    Ok(entry_response(&record_test_deck_run(&app, &caller, &tournament, &sent).await?))
}

/// Tries a station as it was asked to.
///
/// # Errors
/// What the request lacks, or why there is nothing to try it with.
pub async fn record_test_deck_run(
    app: &AppState,
    caller: &Caller,
    tournament: &str,
    sent: &KeyedRequest,
) -> Result<Answer, WebError> {
    let answered = retry_on_conflict(app, caller, |caller| try_test_deck(app, caller, tournament, sent)).await?;
    app.refresh().await;
    Ok(answered)
}

/// The same by one view; 409 `wrong-state` where something else is so when it is written.
async fn try_test_deck(
    app: &AppState,
    caller: Caller,
    tournament: &str,
    sent: &KeyedRequest,
) -> Result<Answer, WebError> {
    let snapshot = caller.snapshot();
    record_event_once_at(app, &snapshot, &caller, tournament, "test-decks", sent, |tournament, request| {
        let mut fields = Fields::of(&sent.said, Slug::InvalidRequest);
        let named = fields.needed_line("division", 32);
        let division = tournament.division(&fields.whole(named)?)?;
        let lexicon = active_lexicon(&snapshot, division)?;
        let second = second_lexicon(&snapshot, division)?;
        let lexica = Lexica {
            lexicon: &*lexicon,
            second: second.as_deref(),
            alphabet: lexicon.alphabet(),
            covered: lexicon.lengths(),
        };
        let longest = division.settings.max_tiles().min(lexicon.lengths().longest);
        let drawn = Deck::of_list(|see| lexicon.each_word(see), lexicon.alphabet(), longest);
        let deck = drawn.and(&division.known_plays);
        Ok(Event::TestDeckRun(TestDeckRun {
            division: division.id.clone(),
            passed: deck.passes(division, &lexica),
            request,
            program: crate::PROGRAM.to_owned(),
        }))
    })
    .await
}
