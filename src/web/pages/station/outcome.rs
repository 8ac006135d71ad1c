//! The outcome pages: what the station shows once an entry is committed, from that entry alone.

use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};

use super::session::StationSession;
use crate::domain::event::Event;
use crate::domain::penalty::Penalty;
use crate::domain::record::{Announcement, SlipRecord};
use crate::domain::ruleset::DispositionKind;
use crate::domain::{Division, Entry, LexiconName};
use crate::web::acts::slip_decision::decision_context;
use crate::web::http::error::WebError;
use crate::web::pages::i18n::{Message, Messages};
use crate::web::pages::render;
use crate::web::pages::shown;
use crate::web::pages::views::station::{NoticePage, RulingPage, SlipRef, TiledWord};

use super::instructions::{instructions, points_change, undo_lines};
use super::notice::{NOTICE_S, call, notice, refusal_page, sentence};

/// Whether a ruling has left the screen by itself.
pub fn is_cleared(session: &StationSession, entry: &Entry) -> bool {
    let division = entry.event.slip().and_then(|slip| session.division(Some(&slip.division)));
    let shown_s = clear_s(division, true);
    session.app.now().micros() - entry.at.micros() > i64::from(shown_s) * 1_000_000
}

/// How long a ruling is shown: twice as long if the players may still request a review.
fn clear_s(division: Option<&Division>, may_ask: bool) -> u32 {
    let clear_s = division.map_or(10, |division| division.settings.clear_s());
    if may_ask { 2 * clear_s } else { clear_s }
}

/// The page of a committed entry.
pub async fn outcome_page(session: &StationSession, entry: &Entry) -> Response {
    let record = match (entry.event.slip(), entry.event.subject()) {
        (Some(_), _) => SlipRecord::fold([entry]).ok().flatten(),
        (None, Some(slip)) => match session.caller.slip(&session.app, slip).await {
            Ok(record) => Some(record),
            Err(error) => return refusal_page(session, &error),
        },
        (None, None) => None,
    };
    let Some(record) = record else { return WebError::Internal.into_response() };
    match (record.announcement(), &entry.event) {
        (Some(announcement), _) => ruling_page(session, &record, &announcement),
        (None, Event::SlipAwaitsManualLookup(event)) => {
            let reason = event.faults.first().map(|fault| sentence(session.t, &fault.detail));
            awaiting_judge(session, &record, &session.t.not_covered, reason, &session.t.judge_looks_up)
        }
        (None, Event::SlipHeld(held)) => {
            let why = if held.parts_of.is_some() { &session.t.parts_of_play } else { &session.t.judge_looks_at_play };
            awaiting_judge(session, &record, &session.t.judge_sees, None, why)
        }
        (None, Event::ChallengeDisposed(_)) => ended_page(session, &record),
        (None, _) => WebError::Internal.into_response(),
    }
}

/// The page of a slip's standing ruling; the first page where it has none.
pub fn standing_ruling_page(session: &StationSession, record: &SlipRecord) -> Response {
    match record.announcement() {
        Some(announcement) => ruling_page(session, record, &announcement),
        None => Redirect::to("/station").into_response(),
    }
}

fn ruling_page(session: &StationSession, record: &SlipRecord, announcement: &Announcement) -> Response {
    let division = session.division(Some(&record.slip.division));
    let may_ask = decision_context(session.snapshot(), record).next_for_players(record).is_ok();
    // A slip of one word can be corrected once; one of several goes to a judge, as often as reviews allow. Source: D 9.
    let may_correct = may_ask && (record.words.len() > 1 || record.asked.corrections == 0);
    let penalty = announcement.penalty.as_ref();
    let (undo, rare) = penalty.map(|penalty| undo_lines(session.t, penalty)).unwrap_or_default();
    render(
        StatusCode::OK,
        &RulingPage {
            header: session.header(division),
            ruling: announcement.ruling,
            slip: slip_ref(record),
            slip_number: announcement.number,
            words: tile_words(session, &announcement.lexicon, &announcement.words),
            lexicon: shown(&announcement.lexicon),
            instructions: penalty
                .map(|penalty| instructions(session.t, penalty, record.slip.out_play))
                .unwrap_or_default(),
            undo,
            rare,
            points: penalty.and_then(|penalty| points_change(session.t, penalty.points)),
            may_ask,
            may_correct,
            has_sound: division.is_some_and(|division| division.settings.sound()),
            hold_ms: division.map_or(2000, |division| division.settings.hold_ms()),
            clear_s: clear_s(division, may_ask),
        },
    )
}

/// The fields of the next request about a slip. Its key derives from the shown state: a page that is sent twice makes
/// one request.
pub fn slip_ref(record: &SlipRecord) -> SlipRef {
    SlipRef {
        id: record.slip.id.clone(),
        table: record.slip.table.map(|table| table.to_string()).unwrap_or_default(),
        key: format!("{}-{}", record.slip.id, record.entry),
    }
}

/// The recorded words as tiles; as plain letters if their alphabet is unavailable.
fn tile_words(session: &StationSession, lexicon: &LexiconName, words: &[String]) -> Vec<TiledWord> {
    let alphabet = session.snapshot().alphabet(lexicon);
    words
        .iter()
        .map(|written| {
            let word = alphabet.as_ref().and_then(|alphabet| alphabet.read(written).ok().flatten());
            let tiles = match (&alphabet, word) {
                (Some(alphabet), Some(word)) => alphabet.split(&word),
                _ => written.chars().map(String::from).collect(),
            };
            TiledWord { tiles, typed: written.clone() }
        })
        .collect()
}

fn awaiting_judge(
    session: &StationSession,
    record: &SlipRecord,
    title: &Message,
    reason: Option<String>,
    then: &Message,
) -> Response {
    let steps = [&session.t.clock_stays_stopped, &session.t.do_not_draw, then].map(ToString::to_string);
    render(
        StatusCode::UNPROCESSABLE_ENTITY,
        &NoticePage {
            steps: reason.into_iter().chain(steps).collect(),
            call: call(session, false, &slip_ref(record).table),
            slip_number: Some(record.slip.number),
            ..notice(session, session.division(Some(&record.slip.division)), &session.t.no_ruling, title.to_string())
        },
    )
}

/// The page of a challenge that ended without a look-up.
fn ended_page(session: &StationSession, record: &SlipRecord) -> Response {
    let title = match record.disposition {
        Some(DispositionKind::ConcededByChallenger) => &session.t.conceded_by_challenger,
        Some(DispositionKind::ConcededByOpponent) => &session.t.conceded_by_opponent,
        // A station ends a challenge in no other way.
        _ => &session.t.withdrawn,
    };
    let steps = record.penalty.as_ref().map(|penalty| ended_steps(session.t, penalty, record)).unwrap_or_default();
    render(
        StatusCode::OK,
        &NoticePage {
            steps,
            slip_number: Some(record.slip.number),
            clear_s: Some(NOTICE_S),
            ..notice(session, session.division(Some(&record.slip.division)), &session.t.ended, title.to_string())
        },
    )
}

/// The instructions to the players after a challenge that ended without a look-up.
fn ended_steps(t: &Messages, penalty: &Penalty, record: &SlipRecord) -> Vec<String> {
    if record.disposition == Some(DispositionKind::Withdrawn) {
        return vec![format!("{} {}", t.for_both, t.game_goes_on)];
    }
    let lines = instructions(t, penalty, record.slip.out_play);
    let lines = lines.into_iter().map(|line| format!("{} {}", line.whom, line.text));
    lines.chain(points_change(t, penalty.points).map(|change| format!("{} {}", change.amount, change.whose))).collect()
}
