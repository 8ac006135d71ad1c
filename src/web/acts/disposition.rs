//! Challenges that end without a look-up. Source: CONTRACT 3.3.

use crate::domain::decision::EndedChallenge;
use crate::domain::request::digest;
use crate::domain::{Event, FaultCode};
use crate::store::Draft;
use crate::web::acts::challenge::{alphabet_of, check_follows, prior_unsuccessful};
use crate::web::acts::idempotency::{Attempt, record_once, route};
use crate::web::auth::caller::Caller;
use crate::web::http::entry_response::Answer;
use crate::web::http::error::WebError;
use crate::web::http::request::KeyedRequest;
use crate::web::state::AppState;

/// Records that a challenge ended without a look-up.
///
/// # Errors
/// The refusal of the rules, or why there is no entry.
pub async fn dispose(
    app: &AppState,
    caller: &Caller,
    tournament: &str,
    sent: &KeyedRequest,
) -> Result<Answer, WebError> {
    let route = &route(tournament, "dispositions");
    record_once(app, caller, sent, route, |attempt| draft_disposition(app, attempt, tournament, sent, route)).await
}

async fn draft_disposition(
    app: &AppState,
    Attempt { caller, .. }: Attempt,
    tournament: &str,
    sent: &KeyedRequest,
    route: &str,
) -> Result<Draft, WebError> {
    let snapshot = caller.snapshot();
    let tournament = caller.tournament(&snapshot, tournament)?;
    let mut ended = EndedChallenge::read(&sent.body)?;
    check_follows(app, &caller, sent, FaultCode::InvalidRequest).await?;
    ended.place.earlier = prior_unsuccessful(app, tournament, sent).await?;
    let division = tournament.division_for(ended.division.as_deref(), ended.place.table, FaultCode::InvalidRequest)?;
    let alphabet = alphabet_of(&snapshot, division)?;
    let request = sent.request_mark(digest(route, &sent.body, &alphabet));
    let by = (caller.principal.role, caller.principal.plays.as_deref());
    let event = ended.into_event(division, &alphabet, by, app.system.new_id_now()?, request)?;
    Ok(Draft::of(&tournament.id, caller.actor(), Event::ChallengeDisposed(event)))
}
