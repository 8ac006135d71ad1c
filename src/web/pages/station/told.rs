//! What the station says once something is recorded: from the committed entry, and from nothing else.

use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};

use crate::domain::event::Event;
use crate::domain::penalty::{Loser, Points};
use crate::domain::record::{Announcement, SlipRecord};
use crate::domain::ruleset::DispositionKind;
use crate::domain::{Division, Entry, LexiconName, Ruling};
use crate::web::error::WebError;
use crate::web::pages::seat::{Seat, drawn};
use crate::web::pages::shown;
use crate::web::pages::texts::Text;
use crate::web::pages::views::station::{NoticePage, RulingLook, RulingPage, Spoken, TiledWord};
use crate::web::settlement::desk;

use super::calm::{NOTICE_S, call, cannot, notice, sentence};

/// Whether a ruling has left the screen by itself.
pub fn is_cleared(seat: &Seat, entry: &Entry) -> bool {
    let division = entry.event.slip().and_then(|slip| seat.division(Some(&slip.division)));
    let shown_s = clear_s(division, true);
    seat.app.now().micros() - entry.at.micros() > i64::from(shown_s) * 1_000_000
}

/// How long a ruling is shown: twice as long where the players may still ask for something.
fn clear_s(division: Option<&Division>, may_ask: bool) -> u32 {
    let clear_s = division.map_or(10, |division| division.settings.clear_s());
    if may_ask { 2 * clear_s } else { clear_s }
}

/// The page of a committed entry.
pub async fn answer(seat: &Seat, entry: &Entry) -> Response {
    let record = match (entry.event.slip(), entry.event.subject()) {
        (Some(_), _) => SlipRecord::fold([entry]).ok().flatten(),
        (None, Some(slip)) => match seat.who.slip(&seat.app, slip).await {
            Ok(record) => Some(record),
            Err(error) => return cannot(seat, &error),
        },
        (None, None) => None,
    };
    let Some(record) = record else { return WebError::Internal.into_response() };
    match (record.announcement(), &entry.event) {
        (Some(announcement), _) => ruling(seat, &record, &announcement),
        (None, Event::SlipAwaitsManualLookup(event)) => {
            let reason = event.faults.first().map(|fault| sentence(seat.t, &fault.detail));
            waits_for_judge(seat, &record, &seat.t.not_covered, reason, &seat.t.judge_looks_up)
        }
        (None, Event::SlipHeld(held)) => {
            let why = if held.parts_of.is_some() { &seat.t.parts_of_play } else { &seat.t.judge_looks_at_play };
            waits_for_judge(seat, &record, &seat.t.judge_sees, None, why)
        }
        (None, Event::ChallengeDisposed(_)) => ended(seat, &record),
        (None, _) => WebError::Internal.into_response(),
    }
}

/// The page of a slip's standing ruling; the first page where it has none.
pub fn ruling_of(seat: &Seat, record: &SlipRecord) -> Response {
    match record.announcement() {
        Some(announcement) => ruling(seat, record, &announcement),
        None => Redirect::to("/station").into_response(),
    }
}

fn ruling(seat: &Seat, record: &SlipRecord, announcement: &Announcement) -> Response {
    let division = seat.division(Some(&record.slip.division));
    let may_ask = desk(&seat.present, record).next_for_players(record).is_ok();
    // One word is typed anew once; several go to a judge, as often as reviews do. Source: D 9.
    let may_correct = may_ask && (record.words.len() > 1 || record.asked.corrections == 0);
    let penalty = announcement.penalty.as_ref();
    drawn(
        StatusCode::OK,
        &RulingPage {
            place: seat.place(division),
            look: match announcement.ruling {
                Ruling::Acceptable => RulingLook::Stays,
                Ruling::Unacceptable => RulingLook::ComesOff,
            },
            of: spoken(record),
            slip_number: announcement.number,
            words: tiled(seat, &announcement.lexicon, &announcement.words),
            lexicon: shown(&announcement.lexicon),
            instruction: penalty.map(|penalty| seat.t.say(&penalty.instruction)),
            undo: penalty.and_then(|penalty| penalty.undo.as_deref()).map(|undo| seat.t.say(undo)),
            points: penalty.and_then(|penalty| points_line(seat, penalty.points)),
            may_ask,
            may_correct,
            hold_ms: division.map_or(2000, |division| division.settings.hold_ms()),
            clear_s: clear_s(division, may_ask),
        },
    )
}

/// What the next request about a slip carries. Its key follows from what is shown: the same page sent twice asks once.
pub fn spoken(record: &SlipRecord) -> Spoken {
    Spoken {
        slip: record.slip.id.clone(),
        table: record.slip.table.map(|table| table.to_string()).unwrap_or_default(),
        key: format!("{}-{}", record.slip.id, record.entry),
    }
}

/// The recorded words as tiles; should their alphabet be gone, as plain letters.
fn tiled(seat: &Seat, lexicon: &LexiconName, words: &[String]) -> Vec<TiledWord> {
    let alphabet = seat.present.alphabet(lexicon);
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

fn points_line(seat: &Seat, points: Points) -> Option<String> {
    match points.to {
        Loser::None => None,
        Loser::Opponent => Some(seat.t.points_to_opponent.with(points.amount)),
        Loser::Challenger => Some(seat.t.points_from_challenger.with(-points.amount)),
    }
}

fn waits_for_judge(seat: &Seat, record: &SlipRecord, title: &Text, reason: Option<String>, then: &Text) -> Response {
    let steps = [&seat.t.clock_stays_stopped, &seat.t.do_not_draw, then].map(ToString::to_string);
    drawn(
        StatusCode::UNPROCESSABLE_ENTITY,
        &NoticePage {
            steps: reason.into_iter().chain(steps).collect(),
            call: call(seat, false, &spoken(record).table),
            slip_number: Some(record.slip.number),
            ..notice(seat, seat.division(Some(&record.slip.division)), &seat.t.no_ruling, title.to_string())
        },
    )
}

/// The challenge ended without a look-up.
fn ended(seat: &Seat, record: &SlipRecord) -> Response {
    let title = match record.disposition {
        Some(DispositionKind::ConcededByChallenger) => &seat.t.conceded_by_challenger,
        Some(DispositionKind::ConcededByOpponent) => &seat.t.conceded_by_opponent,
        // A station ends a challenge in no other way.
        _ => &seat.t.withdrawn,
    };
    let penalty = record.penalty.as_ref();
    let points = penalty.and_then(|penalty| points_line(seat, penalty.points));
    drawn(
        StatusCode::OK,
        &NoticePage {
            steps: penalty.map(|penalty| seat.t.say(&penalty.instruction)).into_iter().chain(points).collect(),
            slip_number: Some(record.slip.number),
            clear_s: Some(NOTICE_S),
            ..notice(seat, seat.division(Some(&record.slip.division)), &seat.t.ended, title.to_string())
        },
    )
}
