//! What the station shows: from what was typed, from a committed entry, or from what went wrong.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use crate::domain::event::Event;
use crate::domain::penalty::{Loser, Points};
use crate::domain::record::{Announcement, SlipRecord};
use crate::domain::ruleset::DispositionKind;
use crate::domain::{Alphabet, Division, Entry, Faults, LexiconName, Ruling, Slip, Slug};
use crate::web::error::WebError;
use crate::web::pages::form::SlipForm;
use crate::web::pages::seat::{Seat, drawn};
use crate::web::pages::shown;
use crate::web::pages::texts::Text;
use crate::web::pages::views::station::{
    Call, Ending, Field, HandOverPage, IdlePage, LetterKeys, NoticePage, Retry, RulingLook, RulingPage, Spoken,
    TiledWord, WordsPage,
};
use crate::web::settlement::desk;

use super::{Announced, announced};

/// After how many seconds what is no ruling gives way to the first page.
pub const NOTICE_S: u32 = 10;

/// The first page, or why no challenge is taken here.
pub fn first(seat: &Seat) -> Response {
    match seat.takes_challenges() {
        Ok(()) => idle(seat, &SlipForm::default(), None),
        Err(error) => cannot_judge(seat, &SlipForm::default(), &error),
    }
}

fn idle(seat: &Seat, form: &SlipForm, faults: Option<&Faults>) -> Response {
    let division = seat.division(form.division.as_deref());
    let status = if faults.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    let key = match seat.app.world.new_id(seat.app.world.now()) {
        Ok(key) => key,
        Err(error) => return WebError::from(error).into_response(),
    };
    let imported = division.and_then(|division| seat.present.floor.imported(&division.lexicon));
    // Players do not know the field by its name in the API.
    let count_fault = fault_of(faults, "declared_count").map(|_| seat.t.how_many.to_string());
    drawn(
        status,
        &IdlePage {
            place: seat.place(division),
            asks_table: seat.asks_table(),
            table: Field { value: form.table.clone(), fault: fault_of(faults, "table") },
            count: Field { value: form.count.clone(), fault: count_fault },
            divisions: seat.choices(division),
            division_fault: fault_of(faults, "division"),
            round: division.and_then(|division| round(seat, division)),
            in_force_since: imported
                .and_then(|lexicon| lexicon.effective_from.as_ref())
                .map(|day| seat.t.in_force_since.with(day)),
            key,
        },
    )
}

fn round(seat: &Seat, division: &Division) -> Option<String> {
    let (number, _) = division.rounds.current()?;
    let is_free = division.rounds.is_free(Some(number));
    Some(if is_free { seat.t.free_lookup_round.to_string() } else { seat.t.round.with(number) })
}

/// A field for each announced word.
pub fn words(seat: &Seat, form: &SlipForm, announced: Announced<'_>, faults: Option<&Faults>) -> Response {
    let Announced { count, division } = announced;
    let mut fields = form.word_fields(count);
    for (place, field) in fields.iter_mut().enumerate() {
        field.fault = fault_of(faults, &format!("words[{place}]"));
    }
    let status = if faults.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    let alphabet = seat.present.alphabet(&division.lexicon);
    let keys =
        alphabet.map(|alphabet| LetterKeys { tiles: alphabet.keys().to_vec(), case_pairs: alphabet.case_pairs() });
    drawn(
        status,
        &WordsPage {
            place: seat.place(Some(division)),
            carried: form.carried(Some(&division.id)),
            words: fields,
            keys: keys.unwrap_or_default(),
        },
    )
}

/// The slip as tiles, for the opponent.
pub fn hand_over(
    seat: &Seat,
    form: &SlipForm,
    slip: &Slip,
    division: &Division,
    alphabet: &Alphabet,
    key: String,
) -> Response {
    let words = slip.typed.iter().zip(&slip.words);
    let tiled = words.map(|(typed, word)| TiledWord { tiles: alphabet.split(word), typed: typed.clone() });
    drawn(
        StatusCode::OK,
        &HandOverPage {
            place: seat.place(Some(division)),
            carried: form.carried(Some(&division.id)),
            words: tiled.collect(),
            key,
            endings: if form.slip.is_some() { Vec::new() } else { endings(seat, division) },
        },
    )
}

/// How the ruleset lets players end their challenge without a look-up.
fn endings(seat: &Seat, division: &Division) -> Vec<Ending> {
    let named = |kind: &DispositionKind| {
        let (kind, label) = match kind {
            DispositionKind::Withdrawn => ("withdrawn", &seat.t.withdraw),
            DispositionKind::ConcededByChallenger => ("conceded-by-challenger", &seat.t.challenger_concedes),
            DispositionKind::ConcededByOpponent => ("conceded-by-opponent", &seat.t.opponent_concedes),
            DispositionKind::Void | DispositionKind::Abandoned | DispositionKind::Refused => return None,
        };
        Some(Ending { kind, label: label.to_string() })
    };
    division.ruleset.dispositions.by_players.iter().filter_map(named).collect()
}

/// Whether a ruling has left the screen by itself.
pub fn is_cleared(seat: &Seat, entry: &Entry) -> bool {
    let division = entry.event.slip().and_then(|slip| seat.division(Some(&slip.division)));
    let shown_s = clear_s(division, true);
    seat.app.world.now().micros() - entry.at.micros() > i64::from(shown_s) * 1_000_000
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
            Err(error) => return cannot_judge(seat, &SlipForm::default(), &error),
        },
        (None, None) => None,
    };
    let Some(record) = record else { return WebError::Internal.into_response() };
    match (record.announcement(), &entry.event) {
        (Some(announcement), _) => ruling(seat, &record, &announcement),
        (None, Event::SlipAwaitsManualLookup(event)) => {
            let reason = event.faults.first().map(|fault| fault.detail.clone());
            waits_for_judge(seat, &record, &seat.t.not_covered, reason, &seat.t.judge_looks_up)
        }
        (None, Event::SlipHeld(_)) => {
            waits_for_judge(seat, &record, &seat.t.judge_sees, None, &seat.t.judge_looks_at_play)
        }
        (None, Event::ChallengeDisposed(_)) => ended(seat, &record),
        (None, _) => WebError::Internal.into_response(),
    }
}

fn ruling(seat: &Seat, record: &SlipRecord, announcement: &Announcement) -> Response {
    let division = seat.division(Some(&record.slip.division));
    let may_ask = desk(&seat.present, record).next_for_players(record).is_ok();
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
            instruction: penalty.map(|penalty| penalty.instruction.clone()),
            undo: penalty.and_then(|penalty| penalty.undo.clone()),
            points: penalty.and_then(|penalty| points_line(seat, penalty.points)),
            may_ask,
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
            steps: penalty.map(|penalty| penalty.instruction.clone()).into_iter().chain(points).collect(),
            slip_number: Some(record.slip.number),
            clear_s: Some(NOTICE_S),
            ..notice(seat, seat.division(Some(&record.slip.division)), &seat.t.ended, title.to_string())
        },
    )
}

/// A page that is no ruling, with nothing on it yet but its titles.
pub fn notice(seat: &Seat, division: Option<&Division>, head: &Text, title: String) -> NoticePage {
    NoticePage {
        place: seat.place(division),
        head: head.to_string(),
        title,
        steps: Vec::new(),
        call: None,
        slip_number: None,
        retry: None,
        can_test: false,
        clear_s: None,
    }
}

/// Whom to call from a page; nobody where there is no key to call by.
fn call(seat: &Seat, is_director: bool, table: &str) -> Option<Call> {
    let (whom, label) = if is_director { ("director", &seat.t.call_director) } else { ("judge", &seat.t.call_judge) };
    let key = seat.app.world.new_id(seat.app.world.now()).ok()?;
    Some(Call { whom, label: label.to_string(), table: table.trim().to_owned(), key })
}

/// Whether nothing is wrong but that words are still to be typed.
fn is_unfinished(form: &SlipForm, faults: &Faults) -> bool {
    let is_empty = |field: &str| {
        let place =
            field.strip_prefix("words[").and_then(|rest| rest.strip_suffix(']')).and_then(|place| place.parse().ok());
        place.and_then(|place: usize| form.words.get(place)).is_some_and(|typed| typed.trim().is_empty())
    };
    form.words.iter().any(|typed| !typed.trim().is_empty()) && faults.iter().all(|fault| is_empty(&fault.field))
}

/// Back to where a fault can be mended, with everything that was typed.
pub fn mend(seat: &Seat, form: &SlipForm, error: &WebError) -> Response {
    match error {
        WebError::Faults(faults) if can_be_mended(faults.first().slug) => match announced(seat, form) {
            Ok(announced) if is_unfinished(form, faults) => words(seat, form, announced, None),
            Ok(announced) if faults.iter().all(|fault| fault.field.starts_with("words")) => {
                words(seat, form, announced, Some(faults))
            }
            _ => idle(seat, form, Some(faults)),
        },
        _ => cannot_judge(seat, form, error),
    }
}

/// Whether players can put it right by typing.
const fn can_be_mended(slug: Slug) -> bool {
    match slug {
        Slug::InvalidSlip | Slug::InvalidRequest | Slug::WrongDivision | Slug::UnreadableWord => true,
        Slug::NeedsManualLookup | Slug::NoActiveLexicon | Slug::SelfLookupOff | Slug::RoundClosed => false,
    }
}

/// No ruling, and why not.
pub fn cannot_judge(seat: &Seat, form: &SlipForm, error: &WebError) -> Response {
    let t = seat.t;
    if let WebError::Refused(why) = error {
        let page = notice(seat, None, &t.not_possible, sentence(&why.to_string()));
        return drawn(error.shape().0, &NoticePage { call: call(seat, false, &form.table), ..page });
    }
    let is_open = |slug: Slug| matches!(error, WebError::Faults(faults) if faults.first().slug == slug);
    let can_wait = matches!(error, WebError::CannotRecord(_) | WebError::CannotRead(_));
    let can_retry = can_wait || matches!(error, WebError::TooMany(_));
    let (title, step) = match error {
        _ if can_wait => (&t.not_recorded, t.try_again_then.to_string()),
        WebError::StationClosed => (&t.closed, t.closed_why.to_string()),
        _ if is_open(Slug::SelfLookupOff) => (&t.players_do_not, sentence(&error.to_string())),
        _ if is_open(Slug::RoundClosed) => (&t.round_closed, sentence(&error.to_string())),
        _ if is_open(Slug::NoActiveLexicon) => (&t.no_lexicon, sentence(&error.to_string())),
        _ => (&t.not_here, sentence(&error.to_string())),
    };
    let division = seat.division(form.division.as_deref());
    let calls_director = is_open(Slug::NoActiveLexicon) || is_open(Slug::RoundClosed);
    let calls_judge = matches!(error, WebError::Faults(_) | WebError::TooMany(_)) && !calls_director;
    let retry = form.key.clone().filter(|_| can_retry).map(|key| Retry {
        carried: form.carried(division.map(|division| division.id.as_str())),
        words: form.words.clone(),
        key,
        by_itself: can_wait,
    });
    drawn(
        error.shape().0,
        &NoticePage {
            steps: std::iter::once(step).chain(can_wait.then(|| t.asked_again.to_string())).collect(),
            call: call(seat, !calls_judge, &form.table),
            retry,
            can_test: matches!(error, WebError::StationClosed),
            ..notice(seat, division, &t.no_ruling, title.to_string())
        },
    )
}

/// A fault begins small, since it follows upon a field's name elsewhere.
pub fn sentence(detail: &str) -> String {
    let mut letters = detail.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn fault_of(faults: Option<&Faults>, field: &str) -> Option<String> {
    let detail = &faults?.iter().find(|fault| fault.field == field)?.detail;
    // The number of the word stands beside its field already.
    let of_word = detail.split_once(": ").filter(|(word, _)| word.starts_with("word "));
    Some(sentence(of_word.map_or(detail.as_str(), |(_, rest)| rest)))
}
