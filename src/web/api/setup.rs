//! Rounds and divisions. Source: CONTRACT 3.3, 3.5.

use axum::extract::{Request, State};
use axum::response::Response;

use crate::domain::event::RoundSet;
use crate::domain::{Action, Event};
use crate::web::acts::division;
use crate::web::acts::idempotency::record_event_once;
use crate::web::http::entry_response::entry_response;
use crate::web::http::error::WebError;
use crate::web::http::request::{division_request, tournament_request};
use crate::web::openapi::{ApprovalOpened, DivisionDone, EmptyObject, OptionalKey, SetDivision, SetRound};
use crate::web::state::AppState;

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
    let answered = record_event_once(&app, &caller, &tournament, "rounds", &sent, |_, tournament, request| {
        let set = RoundSet::read(&sent.body, request)?;
        tournament.division(&set.division)?;
        Ok(Event::RoundSet(set))
    });
    let answered = answered.await?;
    app.refresh().await;
    Ok(entry_response(&answered))
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
    let (mut caller, (tournament, division), sent) = division_request(&app, Action::SetUp, request).await?;
    // Everything that others have set up until now counts, rulesets above all.
    caller.refresh(&app).await?;
    Ok(entry_response(&division::set_division(&app, &caller, (&tournament, &division), &sent).await?))
}
