//! Decisions on a filed slip: decided by its current record, and recorded on that state and no other.

use std::sync::Arc;

use crate::domain::decision::{Asker, Decisions, Lexica, SlipAction};
use crate::domain::event::ApprovalAsked;
use crate::domain::probing::{FilingLocation, ProbingWindows};
use crate::domain::request::{RequestMark, digest};
use crate::domain::{Alphabet, Event, Lengths, LexiconName, SlipRecord};
use crate::lexicon::Opened;
use crate::snapshot::Snapshot;
use crate::store::{Draft, ProbingCheck};
use crate::web::state::AppState;

use crate::web::acts::idempotency::decide_and_record;
use crate::web::auth::caller::Caller;
use crate::web::http::entry_response::Answer;
use crate::web::http::error::WebError;
use crate::web::http::request::KeyedRequest;

impl Lexica for Snapshot {
    type List = Opened;

    fn opened(&self, name: &LexiconName) -> Option<Arc<Opened>> {
        Self::opened(self, name)
    }

    fn lengths(&self, name: &LexiconName) -> Option<Lengths> {
        Self::lengths(self, name)
    }

    fn alphabet(&self, name: &LexiconName) -> Option<Arc<Alphabet>> {
        Self::alphabet(self, name)
    }
}

/// What decisions on a slip need of a snapshot: the set-up, the lexicons, and the number of judges.
pub fn decision_context<'p>(snapshot: &'p Snapshot, record: &SlipRecord) -> Decisions<'p, Snapshot> {
    Decisions { setup: &snapshot.setup, lexica: snapshot, judges: snapshot.judges(&record.tournament) }
}

/// How far apart slips of a slip's division can be filed and still reveal each other.
pub fn windows(snapshot: &Snapshot, record: &SlipRecord) -> ProbingWindows {
    let tournament = snapshot.setup.tournament(&record.tournament);
    let division = tournament.and_then(|tournament| tournament.division(&record.slip.division).ok());
    division.map(ProbingWindows::of).unwrap_or_default()
}

/// A slip and everything that a decision on it depends on.
struct Matter {
    /// With the snapshot of that moment.
    caller: Caller,
    record: SlipRecord,
    /// The neighbouring slips, if the decision depends on them.
    near: Vec<SlipRecord>,
}

impl Matter {
    async fn of(app: &AppState, caller: Caller, record: SlipRecord, act: SlipAction<'_>) -> Result<Self, WebError> {
        let is_beside = matches!(act, SlipAction::Correct { .. }) && caller.principal.role.speaks_for_players();
        let near = if is_beside { app.ledger.neighbours(FilingLocation::of(&record)).await? } else { Vec::new() };
        Ok(Self { caller, record, near })
    }

    /// The slip as it is now, after a concurrent change.
    async fn again(app: &AppState, caller: &Caller, id: &str, act: SlipAction<'_>) -> Result<Self, WebError> {
        let mut caller = caller.clone();
        caller.refresh(app).await?;
        let record = caller.slip(app, id).await?;
        Self::of(app, caller, record, act).await
    }
}

/// Decides on a slip, and answers with the committed entry. A key that was answered before gets that entry again. A
/// correction is decided together with the neighbouring slips.
///
/// # Errors
/// 404 if the caller has no such slip; 409 `station-closed` for a correction at a station that failed its test; the
/// refusal of the domain; 409 `wrong-state` after too many concurrent changes.
pub async fn decide_on_slip(
    app: &AppState,
    caller: &Caller,
    record: SlipRecord,
    route: &str,
    sent: &KeyedRequest,
    act: SlipAction<'_>,
) -> Result<Answer, WebError> {
    let id = record.slip.id.clone();
    let alphabet = caller.snapshot().alphabet(&record.lexicon).ok_or(WebError::Internal)?;
    let digest = digest(&format!("slips/{id}/{route}"), &sent.body, &alphabet);
    let approval = app.system.new_id_now()?;
    let decide = |matter: &Matter, request: Option<RequestMark>| draft(matter, sent, act, &approval, request);
    let matter = Matter::of(app, caller.clone(), record, act).await?;
    decide_and_record(app, caller, sent, digest, matter, decide, || Matter::again(app, caller, &id, act)).await
}

/// The draft of the decision.
fn draft(
    matter: &Matter,
    sent: &KeyedRequest,
    act: SlipAction<'_>,
    approval: &str,
    request: Option<RequestMark>,
) -> Result<Draft, WebError> {
    let Matter { caller, record, near } = matter;
    let snapshot = caller.snapshot();
    let act = match act {
        SlipAction::Correct { .. } => {
            caller.check_station_open()?;
            SlipAction::Correct { near }
        }
        other => other,
    };
    let asker = Asker { actor: caller.actor(), role: caller.principal.role, plays: caller.principal.plays.clone() };
    let tournament = snapshot.setup.tournament(&record.tournament).ok_or(WebError::NotFound)?;
    let event = decision_context(&snapshot, record).decide(record, &asker, act, &sent.body, request.clone())?;
    // An act that the rules forbid is refused before it needs another person's approval.
    let event = match tournament.asks_another(act, asker.role, record, &sent.body) {
        None => event,
        Some(act) => {
            let (approval, program) = (approval.to_owned(), crate::PROGRAM.to_owned());
            Event::ApprovalAsked(ApprovalAsked { approval, act, request, program })
        }
    };
    let basis = snapshot.basis(&record.tournament);
    let draft = Draft::of(&record.tournament, asker.actor, event).decided_by(basis);
    let is_beside = matches!(act, SlipAction::Correct { .. }) && asker.role.speaks_for_players();
    let watch = || ProbingCheck::Correction(Box::new(record.clone()), windows(&snapshot, record));
    Ok(if is_beside { draft.with_probing_check(watch()) } else { draft })
}

/// Corrects a slip that was mis-entered, checked against the neighbouring slips.
///
/// # Errors
/// As [`decide_on_slip`].
pub async fn correct(
    app: &AppState,
    caller: &Caller,
    record: SlipRecord,
    sent: &KeyedRequest,
) -> Result<Answer, WebError> {
    decide_on_slip(app, caller, record, "corrections", sent, SlipAction::Correct { near: &[] }).await
}
