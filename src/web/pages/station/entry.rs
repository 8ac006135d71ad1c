//! The entry pages: table and count, the words, and the opponent, with everything that was typed.

use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};

use super::session::StationSession;
use crate::domain::ruleset::DispositionKind;
use crate::domain::{Alphabet, Division, FaultCode, Faults, Slip};
use crate::web::acts::challenge::EarlierPart;
use crate::web::http::error::WebError;
use crate::web::pages::form::SlipForm;
use crate::web::pages::render;
use crate::web::pages::views::station::{
    AnotherPlayPage, EndingChoice, Field, HandOverPage, IdlePage, TiledWord, WordsPage,
};

use super::letter_keys::letter_keys;
use super::notice::{no_ruling_page, refusal_page, sentence};
use super::{Announced, announced};

/// The first page with the typed values, or why no challenge is accepted here.
pub fn start_page(session: &StationSession, form: &SlipForm) -> Response {
    match session.check_open() {
        Ok(()) => idle_page(session, form, None),
        Err(error) => refusal_page(session, &error),
    }
}

fn idle_page(session: &StationSession, form: &SlipForm, faults: Option<&Faults>) -> Response {
    let division = session.division(form.division.as_deref());
    let status = if faults.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    let key = match session.app.system.new_id_now() {
        Ok(key) => key,
        Err(error) => return WebError::from(error).into_response(),
    };
    let imported = division.and_then(|division| session.snapshot().setup.imported(&division.lexicon));
    // Players do not know the API's name of the field.
    let count_fault = fault_of(session, faults, "declared_count").map(|_| session.t.how_many.to_string());
    render(
        status,
        &IdlePage {
            header: session.header(division),
            asks_table: session.asks_table(),
            table: Field { value: form.table.clone(), fault: fault_of(session, faults, "table") },
            count: Field { value: form.count.clone(), fault: count_fault },
            divisions: session.division_choices(division),
            chooses_division: session.asks_division(),
            division_fault: fault_of(session, faults, "division"),
            round: division.and_then(|division| round(session, division)),
            in_force_since: imported
                .and_then(|lexicon| lexicon.effective_from.as_ref())
                .map(|day| session.t.in_force_since.with(day)),
            key,
        },
    )
}

fn round(session: &StationSession, division: &Division) -> Option<String> {
    let (number, _) = division.rounds.current()?;
    let is_free = division.rounds.is_free(Some(number));
    Some(if is_free { session.t.free_lookup_round.to_string() } else { session.t.round.with(number) })
}

/// A field for each announced word.
pub fn words_page(
    session: &StationSession,
    form: &SlipForm,
    announced: Announced<'_>,
    faults: Option<&Faults>,
) -> Response {
    let Announced { count, division } = announced;
    let mut fields = form.word_fields(count);
    for (place, field) in fields.iter_mut().enumerate() {
        field.fault = fault_of(session, faults, &format!("words[{place}]"));
    }
    let status = if faults.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    let alphabet = session.snapshot().alphabet(&division.lexicon);
    let keys = alphabet.map(|alphabet| letter_keys(&alphabet, division.settings.keyboard));
    render(
        status,
        &WordsPage {
            header: session.header(Some(division)),
            hidden: form.hidden_fields(Some(&division.id)),
            words: fields,
            keys: keys.unwrap_or_default(),
        },
    )
}

/// The slip as tiles, for the opponent.
pub fn hand_over_page(
    session: &StationSession,
    form: &SlipForm,
    slip: &Slip,
    division: &Division,
    alphabet: &Alphabet,
    key: String,
) -> Response {
    render(
        StatusCode::OK,
        &HandOverPage {
            header: session.header(Some(division)),
            hidden: form.hidden_fields(Some(&division.id)),
            words: tiles_of(slip, alphabet),
            key,
            endings: if form.slip.is_some() { Vec::new() } else { endings(session, division) },
        },
    )
}

/// Whether the slip is another play than the one that was judged a short time before: the page that asks the players.
pub fn another_play_page(
    session: &StationSession,
    form: &SlipForm,
    slip: &Slip,
    division: &Division,
    alphabet: &Alphabet,
    key: String,
    earlier: EarlierPart,
) -> Response {
    let t = session.t;
    let ago = match earlier.age_s.div_euclid(60) {
        ..=0 => t.under_a_minute.to_string(),
        1 => t.one_minute.to_string(),
        minutes => t.minutes.with(minutes),
    };
    let earlier = t.earlier_slip.with_both(earlier.number, ago);
    let (header, hidden) = (session.header(Some(division)), form.hidden_fields(Some(&division.id)));
    render(StatusCode::OK, &AnotherPlayPage { header, earlier, hidden, words: tiles_of(slip, alphabet), key })
}

fn tiles_of(slip: &Slip, alphabet: &Alphabet) -> Vec<TiledWord> {
    let words = slip.typed.iter().zip(&slip.words);
    words.map(|(typed, word)| TiledWord { tiles: alphabet.split(word), typed: typed.clone() }).collect()
}

/// How the ruleset lets players end their challenge without a look-up.
fn endings(session: &StationSession, division: &Division) -> Vec<EndingChoice> {
    let named = |kind: &DispositionKind| {
        let (kind, label) = match kind {
            DispositionKind::Withdrawn => ("withdrawn", &session.t.withdraw),
            DispositionKind::ConcededByChallenger => ("conceded-by-challenger", &session.t.challenger_concedes),
            DispositionKind::ConcededByOpponent => ("conceded-by-opponent", &session.t.opponent_concedes),
            DispositionKind::Void | DispositionKind::Abandoned | DispositionKind::Refused => return None,
        };
        Some(EndingChoice { kind, label: label.to_string() })
    };
    division.ruleset.dispositions.by_players.iter().filter_map(named).collect()
}

/// Whether the only fault is that words are still to be typed.
fn is_unfinished(form: &SlipForm, faults: &Faults) -> bool {
    let is_empty = |field: &str| {
        let place =
            field.strip_prefix("words[").and_then(|rest| rest.strip_suffix(']')).and_then(|place| place.parse().ok());
        place.and_then(|place: usize| form.words.get(place)).is_some_and(|typed| typed.trim().is_empty())
    };
    form.words.iter().any(|typed| !typed.trim().is_empty()) && faults.iter().all(|fault| is_empty(&fault.field))
}

/// The page on which the players can correct a fault, with everything that was typed.
pub fn entry_with_faults(session: &StationSession, form: &SlipForm, error: &WebError) -> Response {
    match error {
        WebError::Faults(faults) if can_be_mended(faults.first().slug) => match announced(session, form) {
            Ok(announced) if is_unfinished(form, faults) => words_page(session, form, announced, None),
            Ok(announced) if faults.iter().all(|fault| fault.field.starts_with("words")) => {
                words_page(session, form, announced, Some(faults))
            }
            _ => idle_page(session, form, Some(faults)),
        },
        _ => no_ruling_page(session, form, error),
    }
}

/// Whether players can correct the fault by typing.
const fn can_be_mended(slug: FaultCode) -> bool {
    match slug {
        FaultCode::InvalidSlip | FaultCode::InvalidRequest | FaultCode::WrongDivision | FaultCode::UnreadableWord => {
            true
        }
        FaultCode::NeedsManualLookup
        | FaultCode::NoActiveLexicon
        | FaultCode::SelfLookupOff
        | FaultCode::RoundClosed => false,
    }
}

fn fault_of(session: &StationSession, faults: Option<&Faults>, field: &str) -> Option<String> {
    let detail = &faults?.iter().find(|fault| fault.field == field)?.detail;
    // The number of the word stands beside its field already.
    let of_word = detail.split_once(": ").filter(|(word, _)| word.starts_with("word "));
    Some(sentence(session.t, of_word.map_or(detail.as_str(), |(_, rest)| rest)))
}
