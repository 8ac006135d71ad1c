//! Rulings that were given on paper while the server was unavailable. Source: CONTRACT 3.1a.

use crate::domain::paper::PaperRuling;
use crate::domain::request::digest;
use crate::domain::{Event, FaultCode};
use crate::store::Draft;
use crate::web::acts::challenge::{alphabet_of, prior_unsuccessful};
use crate::web::acts::idempotency::{Attempt, record_once, route};
use crate::web::auth::caller::Caller;
use crate::web::http::entry_response::Answer;
use crate::web::http::error::WebError;
use crate::web::http::request::KeyedRequest;
use crate::web::state::AppState;

/// Enters a ruling that was given on paper. Nothing is looked up.
///
/// # Errors
/// The refusal of the rules, or why there is no entry.
pub async fn enter(app: &AppState, caller: &Caller, tournament: &str, sent: &KeyedRequest) -> Result<Answer, WebError> {
    let route = &route(tournament, "paper-rulings");
    record_once(app, caller, sent, route, |attempt| draft_paper_ruling(app, attempt, tournament, sent, route)).await
}

async fn draft_paper_ruling(
    app: &AppState,
    Attempt { caller, .. }: Attempt,
    tournament: &str,
    sent: &KeyedRequest,
    route: &str,
) -> Result<Draft, WebError> {
    let snapshot = caller.snapshot();
    let tournament = caller.tournament(&snapshot, tournament)?;
    let mut paper = PaperRuling::read(&sent.body, app.now())?;
    paper.place.earlier = prior_unsuccessful(app, tournament, sent).await?;
    let division = tournament.division_for(paper.division.as_deref(), paper.place.table, FaultCode::InvalidSlip)?;
    let alphabet = alphabet_of(&snapshot, division)?;
    let request = sent.request_mark(digest(route, &sent.body, &alphabet));
    let event = paper.of(division, &alphabet, app.system.new_id_now()?, request)?;
    Ok(Draft::of(&tournament.id, caller.actor(), Event::PaperRuled(event)))
}
