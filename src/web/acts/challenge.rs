//! One challenge: read, adjudicated, recorded, and only then answered. The API and the station's pages both come here.

use std::sync::Arc;

use crate::domain::event::{DeviceKind, Method, RapidFiling};
use crate::domain::probing::{self, FilingLocation, ProbingWindows};
use crate::domain::request::digest;
use crate::domain::slip::ChallengeDetails;
use crate::domain::{
    Alphabet, Division, DivisionLexica, Event, FaultCode, Faults, FilingDetails, LexiconName, RawSlip, Role, Slip,
    Tournament, adjudicate_slip,
};
use crate::lexicon::Opened;
use crate::snapshot::Snapshot;
use crate::store::{Draft, ProbingCheck};
use crate::web::state::AppState;

use crate::web::acts::idempotency::{Attempt, record_once, route};
use crate::web::auth::caller::Caller;
use crate::web::http::entry_response::Answer;
use crate::web::http::error::WebError;
use crate::web::http::request::KeyedRequest;

/// The name of the route in request digests.
const ROUTE: &str = "slips";

/// Files a slip and answers with its committed entry. A key that was answered before gets that entry again, even if the
/// slip would be ruled otherwise now.
///
/// # Errors
/// The refusals of CONTRACT's table, in its order; there is no ruling then.
pub async fn challenge(
    app: &AppState,
    caller: &Caller,
    tournament: &str,
    sent: &KeyedRequest,
) -> Result<Answer, WebError> {
    let draft = |attempt| draft_slip(app, attempt, tournament, sent);
    let answer = record_once(app, caller, sent, &route(tournament, ROUTE), draft).await;
    let is_replayed = sent.answered.is_some() || answer.as_ref().is_ok_and(|answer| answer.replayed);
    if caller.principal.role == Role::Station && !is_replayed {
        report_rapid_filing(app, caller, tournament, sent, matches!(answer, Err(WebError::TooMany(_))));
    }
    answer
}

/// Alerts the director if a station files slips too fast. The response does not wait for it.
fn report_rapid_filing(app: &AppState, caller: &Caller, tournament: &str, sent: &KeyedRequest, is_refused: bool) {
    let Some(slips) = app.rate_limits.rapid_filing_alert(&caller.principal.id, is_refused, app.system.monotonic())
    else {
        return;
    };
    let table = sent.body.get("table").and_then(serde_json::Value::as_i64).filter(|_| is_refused);
    let event = Event::RapidFiling(RapidFiling { table, slips: slips as u64 });
    let (app, draft) = (app.clone(), Draft::of(tournament, caller.actor(), event));
    tokio::spawn(async move {
        if let Err(error) = app.writer.record(draft).await {
            tracing::warn!(%error, "it cannot be recorded that a station's slips come too fast");
        }
    });
}

/// Adjudicates a slip, in the order of its faults.
async fn draft_slip(
    app: &AppState,
    Attempt { caller, is_first }: Attempt,
    tournament: &str,
    sent: &KeyedRequest,
) -> Result<Draft, WebError> {
    let (snapshot, role) = (caller.snapshot(), caller.principal.role);
    let tournament = caller.tournament(&snapshot, tournament)?;
    let division_of = |table| tournament.division_of_table(table).map(|division| division.id.clone());
    let mut raw = RawSlip::read(&sent.body, division_of)?;
    check_follows(app, &caller, sent, FaultCode::InvalidSlip).await?;
    let division = tournament.division_at(&raw.division, raw.place.table)?;
    if !caller.serves(&division.id) {
        return Err(wrong_station(&snapshot, &caller, division).into());
    }
    if role == Role::Station {
        division.check_table(raw.place.table)?;
    }
    division.check_challenger(raw.place.challenger.as_deref(), FaultCode::InvalidSlip)?;
    if role == Role::Station {
        if let Some(table) = raw.place.table.filter(|_| is_first) {
            app.rate_limits.table(&tournament.id, table, app.system.monotonic())?;
        }
        caller.check_station_open()?;
        division.check_self_lookup()?;
    }
    let prior_unsuccessful = prior_unsuccessful(app, tournament, sent).await?;
    raw.place = division.in_round(ChallengeDetails { earlier: prior_unsuccessful, ..raw.place });
    division.check_round(raw.place.round)?;
    let lexicon = active_lexicon(&snapshot, division)?;
    let second = second_lexicon(&snapshot, division)?;
    let lexica = DivisionLexica {
        lexicon: &*lexicon,
        second: second.as_deref(),
        alphabet: lexicon.alphabet(),
        covered: lexicon.lengths(),
    };
    let heard = adjudicate_slip(raw, division, &lexica)?;
    let event = heard.into_event(division, filing(app, &caller, tournament, sent, &lexicon)?);
    let divisions = tournament.divisions().filter(|_| role == Role::Station);
    let elsewhere = divisions.map(|division| division.id.clone()).collect();
    let (windows, is_same_play) = (ProbingWindows::of(division), sent.is_same_play);
    let watch = ProbingCheck::Slip { role, windows, elsewhere, is_same_play };
    Ok(Draft::of(&tournament.id, caller.actor(), event).with_probing_check(watch))
}

/// The ruled slip of a table that another slip may be a part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EarlierPart {
    pub number: u64,
    /// How many seconds ago it was filed.
    pub age_s: i64,
}

/// The slip of which a station's slip would be another part if it were filed now: before it is judged, the station asks
/// the players whether it is another play. Nothing is recorded, and nothing is looked up.
///
/// # Errors
/// 503 if the slips cannot be read.
pub async fn earlier_part(
    app: &AppState,
    caller: &Caller,
    division: &Division,
    slip: &Slip,
) -> Result<Option<EarlierPart>, WebError> {
    let (by, now) = (caller.actor(), app.now());
    let place = division.in_round(slip.place.clone());
    if division.rounds.is_free(place.round) || place.table.is_none() {
        return Ok(None);
    }
    let filed = place.filed(division, String::new(), "", slip.follows.clone());
    let here = FilingLocation { tournament: &caller.principal.tournament, slip: &filed, by: &by, at: now };
    let near = app.ledger.neighbours(here).await?;
    let words: Vec<String> = slip.words.iter().map(ToString::to_string).collect();
    let part =
        probing::earlier_part(here, &words, &near.iter().collect::<Vec<_>>(), ProbingWindows::of(division), false);
    Ok(part.map(|part| EarlierPart {
        number: part.slip.number,
        age_s: (now.micros() - part.filed_at.micros()).max(0) / 1_000_000,
    }))
}

/// The faults for a division that the station does not serve, with the station that does.
pub fn wrong_station(snapshot: &Snapshot, caller: &Caller, division: &Division) -> Faults {
    let others = snapshot.people.devices().filter(|device| {
        device.kind == DeviceKind::Station
            && device.tournament == caller.principal.tournament
            && device.serves(&division.id)
    });
    let labels: Vec<&str> = others.map(|device| device.setting.label.as_str()).collect();
    let then =
        if labels.is_empty() { "call the director".to_owned() } else { format!("go to {}", labels.join(" or ")) };
    let (served, id) = (caller.principal.divisions.join(", "), &division.id);
    let detail = format!("this is a slip of division {id}, and this station serves {served}: {then}");
    Faults::one("division", FaultCode::WrongDivision, detail)
}

/// How many unsuccessful challenges the challenger of a request had made, if a ruleset of the tournament counts them.
///
/// # Errors
/// 503 if the slips cannot be read.
pub async fn prior_unsuccessful(
    app: &AppState,
    tournament: &Tournament,
    sent: &KeyedRequest,
) -> Result<Option<u64>, WebError> {
    let challenger = sent.body.get("challenger").and_then(|value| value.as_str());
    let counts = tournament.divisions().any(|division| division.ruleset.escalates());
    match challenger.filter(|_| counts) {
        Some(challenger) => Ok(Some(app.ledger.count_unsuccessful_challenges(&tournament.id, challenger).await?)),
        None => Ok(None),
    }
}

/// Checks that the slip that a request follows exists.
///
/// # Errors
/// A fault of that field if it does not; 503 if it cannot be read.
pub async fn check_follows(
    app: &AppState,
    caller: &Caller,
    sent: &KeyedRequest,
    slug: FaultCode,
) -> Result<(), WebError> {
    let Some(id) = sent.body.get("follows").and_then(|value| value.as_str()) else { return Ok(()) };
    match caller.slip(app, id).await {
        Err(WebError::NotFound) => {
            let detail = "there is no such slip to follow upon: give the id of an earlier slip, or leave follows out";
            Err(WebError::Faults(Faults::one("follows", slug, detail)))
        }
        found => found.map(drop),
    }
}

fn filing(
    app: &AppState,
    caller: &Caller,
    tournament: &Tournament,
    sent: &KeyedRequest,
    lexicon: &Opened,
) -> Result<FilingDetails, WebError> {
    let request = sent.request_mark(digest(&route(&tournament.id, ROUTE), &sent.body, lexicon.alphabet()));
    Ok(FilingDetails {
        id: app.system.new_id_now()?,
        method: Method::of(caller.principal.role),
        lexicon: lexicon.name().clone(),
        alphabet: lexicon.alphabet().name().to_owned(),
        request,
        program: crate::PROGRAM.to_owned(),
    })
}

/// The alphabet of a division, whether its lexicon is open or not.
///
/// # Errors
/// 409 `no-active-lexicon`.
pub fn alphabet_of(snapshot: &Snapshot, division: &Division) -> Result<Arc<Alphabet>, WebError> {
    snapshot.alphabet(&division.lexicon).ok_or_else(|| {
        let detail = format!("the alphabet of the lexicon {} is not known to this server", division.lexicon.id);
        Faults::one("division", FaultCode::NoActiveLexicon, detail).into()
    })
}

/// The division's lexicon, opened and verified. There is no fallback.
///
/// # Errors
/// 409 `no-active-lexicon`.
pub fn active_lexicon(snapshot: &Snapshot, division: &Division) -> Result<Arc<Opened>, WebError> {
    opened(snapshot, division, &division.lexicon)
}

/// The second lexicon of a division whose ruleset has one.
///
/// # Errors
/// 409 `no-active-lexicon`, also if the play would not need that lexicon: otherwise the answer would reveal that.
pub fn second_lexicon(snapshot: &Snapshot, division: &Division) -> Result<Option<Arc<Opened>>, WebError> {
    division.second.as_ref().map(|second| opened(snapshot, division, second)).transpose()
}

fn opened(snapshot: &Snapshot, division: &Division, lexicon: &LexiconName) -> Result<Arc<Opened>, WebError> {
    snapshot.opened(lexicon).ok_or_else(|| {
        let detail = format!(
            "the lexicon {} of division {} is not loaded or failed its check: no ruling can be given, call the director",
            lexicon.id, division.id
        );
        WebError::Faults(Faults::one("division", FaultCode::NoActiveLexicon, detail))
    })
}
