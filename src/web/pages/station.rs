//! The station's pages: count, words, hand-over, one ruling, clear.
//!
//! Every step is a form of its own and works without JavaScript; what was typed travels in hidden
//! fields, never in an address. Nothing is looked up before the opponent presses the judging key.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};

use crate::domain::event::Event;
use crate::domain::fields::Fields;
use crate::domain::penalty::{Loser, Points};
use crate::domain::record::{Announcement, SlipRecord};
use crate::domain::request::RequestKey;
use crate::domain::{Alphabet, Division, Entry, Faults, LexiconName, RawSlip, Ruling, Slip, Slug};
use crate::web::asking::counted;
use crate::web::challenge::{active_lexicon, challenge};
use crate::web::error::WebError;
use crate::web::submission::Submission;

use super::form::SlipForm;
use super::seat::{Seat, drawn};
use super::shown;
use super::views::{
    CannotJudgePage, Field, HandOverPage, IdlePage, Retry, RulingLook, RulingPage, TiledWord, WordsPage,
};

/// `GET /station`: clock stopped, slip in hand?
pub async fn begin(seat: Seat) -> Response {
    let division = seat.division(None);
    if let Some(division) = division
        && let Err(error) =
            division.check_self_lookup().map_err(WebError::from).and_then(|()| active_lexicon(&seat.present, division))
    {
        return cannot_judge(&seat, &SlipForm::default(), &error);
    }
    idle(&seat, &SlipForm::default(), None)
}

/// `POST /station/words`: as many fields as words were announced.
pub async fn write_words(seat: Seat, form: SlipForm) -> Response {
    match announced(&seat, &form) {
        Ok(count) => words(&seat, &form, count, None),
        Err(faults) => idle(&seat, &form, Some(&faults)),
    }
}

/// `POST /station/check`: the words as tiles, for the opponent to confirm.
pub async fn hand_over(seat: Seat, form: SlipForm) -> Response {
    let (slip, alphabet) = match readable(&seat, &form) {
        Ok(read) => read,
        Err(error) => return mend(&seat, &form, &error),
    };
    let key = match seat.app.world.new_id(seat.app.world.now()) {
        Ok(key) => key,
        Err(error) => return mend(&seat, &form, &error.into()),
    };
    let division = seat.division(form.division.as_deref());
    let tiled = slip
        .typed
        .iter()
        .zip(&slip.words)
        .map(|(typed, word)| TiledWord { tiles: alphabet.split(word), typed: typed.clone() });
    drawn(
        StatusCode::OK,
        &HandOverPage {
            place: seat.place(division),
            carried: form.carried(division.map(|division| division.id.as_str())),
            words: tiled.collect(),
            key,
        },
    )
}

/// `POST /station/ruling`: the opponent pressed the judging key.
pub async fn judge(seat: Seat, form: SlipForm) -> Response {
    let Some(key) = form.key.as_deref().and_then(RequestKey::parse) else {
        return Redirect::to("/station").into_response();
    };
    let is_counted = match counted(&seat.app, &seat.who, Some(&key)).await {
        Ok(is_counted) => is_counted,
        Err(error) => return mend(&seat, &form, &error),
    };
    let sent = Submission { key: Some(key), is_counted, ..said(&seat, &form).into() };
    match challenge(&seat.app, &seat.who, &seat.who.0.tournament, &sent).await {
        // Whoever goes back or reloads when the ruling was cleared is not shown the last table's words.
        Ok(answered) if answered.replayed && is_cleared(&seat, &answered.entry) => {
            Redirect::to("/station").into_response()
        }
        Ok(answered) => answer(&seat, &answered.entry),
        Err(error) => mend(&seat, &form, &error),
    }
}

/// Whether a ruling has left the screen by itself.
fn is_cleared(seat: &Seat, entry: &Entry) -> bool {
    let division = entry.event.slip().and_then(|slip| seat.division(Some(&slip.division)));
    let shown_s = division.map_or(10, |division| division.settings.clear_s());
    seat.app.world.now().micros() - entry.at.micros() > i64::from(shown_s) * 1_000_000
}

/// The page of a committed entry.
fn answer(seat: &Seat, entry: &Entry) -> Response {
    let Ok(Some(record)) = SlipRecord::fold([entry]) else { return WebError::Internal.into_response() };
    match (record.announcement(), &entry.event) {
        (Some(announcement), _) => ruling(seat, &record, &announcement),
        (None, Event::SlipAwaitsManualLookup(event)) => {
            let reason = event.faults.first().map(|fault| fault.detail.clone());
            waits_for_judge(seat, &record, "This lexicon does not cover every word", reason, LOOKS_UP)
        }
        (None, Event::SlipHeld(_)) => {
            waits_for_judge(seat, &record, "A judge has to see this slip", None, LOOKS_AT_PLAY)
        }
        (None, _) => WebError::Internal.into_response(),
    }
}

fn ruling(seat: &Seat, record: &SlipRecord, announcement: &Announcement) -> Response {
    let division = seat.division(Some(&record.slip.division));
    drawn(
        StatusCode::OK,
        &RulingPage {
            place: seat.place(division),
            look: match announcement.ruling {
                Ruling::Acceptable => RulingLook::Stays,
                Ruling::Unacceptable => RulingLook::ComesOff,
            },
            table: announcement.table.map(|table| table.to_string()).unwrap_or_default(),
            slip_number: announcement.number,
            words: tiled(seat, &announcement.lexicon, &announcement.words),
            lexicon: shown(&announcement.lexicon),
            instruction: announcement.penalty.as_ref().map(|penalty| penalty.instruction.clone()),
            points: announcement.penalty.as_ref().and_then(|penalty| points_line(penalty.points)),
            clear_s: division.map_or(10, |division| division.settings.clear_s()),
        },
    )
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

fn points_line(points: Points) -> Option<String> {
    match points.to {
        Loser::None => None,
        Loser::Opponent => Some(format!("+{} to the opponent", points.amount)),
        Loser::Challenger => Some(format!("−{} for the challenger", -points.amount)),
    }
}

const LOOKS_UP: &str = "A judge looks the words up in another source.";
const LOOKS_AT_PLAY: &str = "A word of this slip was ruled on at this table before. A judge looks at the play.";

fn waits_for_judge(seat: &Seat, record: &SlipRecord, title: &str, reason: Option<String>, then: &str) -> Response {
    let steps = ["Leave the clock stopped.", "Do not draw and do not mix tiles.", then];
    drawn(
        StatusCode::UNPROCESSABLE_ENTITY,
        &CannotJudgePage {
            place: seat.place(seat.division(Some(&record.slip.division))),
            title: title.to_owned(),
            steps: reason.into_iter().chain(steps.map(str::to_owned)).collect(),
            call: "Call a judge".to_owned(),
            slip_number: Some(record.slip.number),
            retry: None,
        },
    )
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
fn mend(seat: &Seat, form: &SlipForm, error: &WebError) -> Response {
    match error {
        WebError::Faults(faults) if faults.first().slug != Slug::NoActiveLexicon => match announced(seat, form) {
            Ok(count) if is_unfinished(form, faults) => words(seat, form, count, None),
            Ok(count) if faults.iter().all(|fault| fault.field.starts_with("words")) => {
                words(seat, form, count, Some(faults))
            }
            _ => idle(seat, form, Some(faults)),
        },
        _ => cannot_judge(seat, form, error),
    }
}

fn cannot_judge(seat: &Seat, form: &SlipForm, error: &WebError) -> Response {
    let division = seat.division(form.division.as_deref());
    let can_wait = matches!(error, WebError::CannotRecord(_) | WebError::CannotRead(_));
    let (title, step) = match error {
        WebError::Faults(_) => ("There is no lexicon to judge by", error.to_string()),
        WebError::CannotRecord(_) | WebError::CannotRead(_) => (
            "The ruling could not be written down",
            "Nothing was judged. Leave the clock stopped and try again.".to_owned(),
        ),
        _ => ("This slip cannot be judged here", error.to_string()),
    };
    let retry = form.key.clone().filter(|_| can_wait).map(|key| Retry {
        carried: form.carried(division.map(|division| division.id.as_str())),
        words: form.words.clone(),
        key,
    });
    drawn(
        error.shape().0,
        &CannotJudgePage {
            place: seat.place(division),
            title: title.to_owned(),
            steps: vec![step],
            call: "Call the director".to_owned(),
            slip_number: None,
            retry,
        },
    )
}

fn idle(seat: &Seat, form: &SlipForm, faults: Option<&Faults>) -> Response {
    let division = seat.division(form.division.as_deref());
    let status = if faults.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    let field = |value: &str, name| Field { value: value.to_owned(), fault: fault_of(faults, name) };
    drawn(
        status,
        &IdlePage {
            place: seat.place(division),
            table: field(&form.table, "table"),
            count: Field {
                value: form.count.clone(),
                // Players do not know the field by its name in the API.
                fault: fault_of(faults, "declared_count")
                    .map(|_| "How many words are on the slip? A number from 1 to 8".to_owned()),
            },
            divisions: seat.choices(division),
            division_fault: fault_of(faults, "division"),
        },
    )
}

fn words(seat: &Seat, form: &SlipForm, count: usize, faults: Option<&Faults>) -> Response {
    let division = seat.division(form.division.as_deref());
    let mut fields = form.word_fields(count);
    for (place, field) in fields.iter_mut().enumerate() {
        field.fault = fault_of(faults, &format!("words[{place}]"));
    }
    let status = if faults.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    drawn(
        status,
        &WordsPage {
            place: seat.place(division),
            carried: form.carried(division.map(|division| division.id.as_str())),
            words: fields,
        },
    )
}

fn fault_of(faults: Option<&Faults>, field: &str) -> Option<String> {
    let detail = &faults?.iter().find(|fault| fault.field == field)?.detail;
    // The number of the word stands beside its field already.
    let detail =
        detail.split_once(": ").filter(|(word, _)| word.starts_with("word ")).map_or(detail.as_str(), |(_, rest)| rest);
    let mut letters = detail.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect())
}

fn said(seat: &Seat, form: &SlipForm) -> crate::domain::Said {
    let only = seat.division(form.division.as_deref()).map(|division| division.id.as_str());
    form.said(only)
}

/// How many words were announced, once table, count and division are right.
fn announced(seat: &Seat, form: &SlipForm) -> Result<usize, Faults> {
    let said = said(seat, form);
    let mut fields = Fields::of(&said, Slug::InvalidSlip);
    let table = fields.number("table", 1..=9999);
    let count = fields.number("declared_count", 1..=8);
    let _ = (fields.line("division", 32), fields.texts("words"));
    let division = seat.division(form.division.as_deref());
    if division.is_none() {
        fields.fault("division", "choose your division");
    }
    if table.is_none() && form.table.trim().is_empty() && division.is_none_or(needs_table) {
        fields.fault("table", "give the number of your table");
    }
    if count.is_none() && form.count.trim().is_empty() {
        fields.fault("declared_count", "say how many words are on the slip");
    }
    match fields.faults() {
        Some(faults) => Err(faults),
        None => Ok(count.and_then(|count| usize::try_from(count).ok()).unwrap_or(1)),
    }
}

fn needs_table(division: &Division) -> bool {
    division.settings.table_required()
}

/// The slip as far as it can be read without looking anything up.
fn readable(seat: &Seat, form: &SlipForm) -> Result<(Slip, std::sync::Arc<Alphabet>), WebError> {
    let tournament = seat.tournament()?;
    let division_of = |table| tournament.division_of_table(table).map(|division| division.id.clone());
    let raw = RawSlip::read(&said(seat, form), division_of, |division| tournament.requires_table(division))?;
    let division = tournament.division_at(&raw.division, raw.place.table)?;
    let lexicon = active_lexicon(&seat.present, division)?;
    let slip = raw.parse(lexicon.alphabet(), division.settings.max_tiles())?;
    Ok((slip, lexicon.alphabet().clone()))
}
