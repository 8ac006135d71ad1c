//! Setting a division: lexicon, ruleset and settings. Source: CONTRACT 3.5.

use std::sync::Arc;

use crate::domain::division::{BadDivision, DivisionOrder};
use crate::domain::event::{ApprovalAsked, AskedAct, DivisionSet};
use crate::domain::{Event, FaultCode, Faults, Tournament};
use crate::snapshot::{LexiconUnavailable, Snapshot, check_later, open_division_lexica};
use crate::store::Draft;
use crate::web::acts::idempotency::{Attempt, record_once, route};
use crate::web::auth::caller::Caller;
use crate::web::http::entry_response::Answer;
use crate::web::http::error::WebError;
use crate::web::http::request::KeyedRequest;
use crate::web::state::AppState;

/// Sets a division, or opens an approval for another person, and waits until the snapshot has it.
///
/// # Errors
/// What prevents it, or why there is no entry.
pub async fn set_division(
    app: &AppState,
    caller: &Caller,
    (tournament, division): (&str, &str),
    sent: &KeyedRequest,
) -> Result<Answer, WebError> {
    let route = &route(tournament, &format!("divisions/{division}"));
    let draft = |attempt| draft_division(app, attempt, (tournament, division), sent, route);
    let answer = record_once(app, caller, sent, route, draft).await?;
    app.refresh().await;
    Ok(answer)
}

async fn draft_division(
    app: &AppState,
    Attempt { caller, .. }: Attempt,
    (tournament, division): (&str, &str),
    sent: &KeyedRequest,
    route: &str,
) -> Result<Draft, WebError> {
    let snapshot = caller.snapshot();
    let tournament = caller.tournament(&snapshot, tournament)?;
    let order = DivisionOrder::read(&sent.body, division, &snapshot.setup)?;
    let set = check_division(app, &snapshot, tournament, order).await?;
    let set = DivisionSet { request: sent.plain_mark(route), ..set };
    let event = if snapshot.setup.switch_asks_another(tournament, &set) {
        let on = Some(snapshot.setup.switch_sha256(&tournament.id, &set));
        let act = AskedAct::SetDivision { division: set.division, body: sent.body.clone(), on };
        let (approval, program) = (app.system.new_id_now()?, crate::PROGRAM.to_owned());
        Event::ApprovalAsked(ApprovalAsked { approval, act, request: set.request, program })
    } else {
        Event::DivisionSet(set)
    };
    Ok(Draft::of(&tournament.id, caller.actor(), event))
}

/// The fault of a lexicon that cannot be used for play. A lexicon that is absent or not yet in force is a mistake of
/// the request.
pub fn lexicon_fault(why: &LexiconUnavailable) -> WebError {
    let slug = match why {
        LexiconUnavailable::NoSuchLexicon(_)
        | LexiconUnavailable::NotYet { .. }
        | LexiconUnavailable::OtherAlphabet { .. }
        | LexiconUnavailable::CoversLess { .. } => FaultCode::InvalidRequest,
        LexiconUnavailable::Alphabet(_)
        | LexiconUnavailable::Open(_)
        | LexiconUnavailable::Name(_)
        | LexiconUnavailable::BuiltIn(_) => FaultCode::NoActiveLexicon,
    };
    Faults::one("lexicon", slug, why.to_string()).into()
}

/// The division as it will be recorded: checked against the others of its tournament, with its lexica opened.
///
/// # Errors
/// What prevents it.
pub async fn check_division(
    app: &AppState,
    snapshot: &Arc<Snapshot>,
    tournament: &Tournament,
    order: DivisionOrder,
) -> Result<DivisionSet, WebError> {
    let refused = |bad: BadDivision| Faults::one(bad.field(), FaultCode::InvalidRequest, bad.to_string());
    let wanted = order.wanted(&snapshot.setup, tournament).map_err(refused)?;
    let others = snapshot.setup.settings_of_divisions(&tournament.id);
    let others = others.iter().map(|(other, settings)| (other.as_str(), settings));
    wanted.check(tournament.settings.names(), others).map_err(refused)?;
    let today = app.now().day_in(&tournament.time_zone);
    let (snapshot, folder, tournament) = (Arc::clone(snapshot), Arc::clone(&app.lexicons), tournament.clone());
    // Opening reads and hashes whole files, which would block the tasks that answer players.
    let opened = tokio::task::spawn_blocking(move || -> Result<DivisionSet, WebError> {
        let lexica =
            open_division_lexica(&snapshot.setup, &folder, &wanted, &today).map_err(|why| lexicon_fault(&why))?;
        if let Some(second) = lexica.second.as_ref().filter(|_| lexica.beyond > 0) {
            tracing::warn!(more = lexica.beyond, second = second.id, "the second lexicon is no part of the main one");
        }
        let set = wanted.ordered(&tournament, &snapshot.setup, (lexica.lexicon, lexica.second)).map_err(refused)?;
        let then = snapshot.setup.ordered(&tournament.id, &set).map_err(|bad| refused(bad.into()))?;
        check_later(&then, &folder, &tournament.id, &set.division).map_err(|why| lexicon_fault(&why))?;
        Ok(set)
    });
    opened.await.map_err(|_| WebError::Internal)?
}
