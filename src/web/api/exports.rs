//! Exports of slips: as rows for a spreadsheet, or one a line. A text that a player wrote must not act as a formula in
//! the program that opens the file. Source: CONTRACT 3.4.

use crate::domain::player::PlayerOrNone;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};

use crate::domain::penalty::Play;
use crate::domain::slip_filter::Selection;
use crate::domain::{Action, Ruling, SlipRecord};
use crate::snapshot::Snapshot;
use crate::web::auth::caller::Caller;
use crate::web::http::error::WebError;
use crate::web::http::streaming_body::{BodyWriter, ReaderGone, streaming_body};
use crate::web::openapi::Workbook;
use crate::web::state::AppState;

use super::audit::{ReadQuery, read_query, selection};
use crate::web::api::slip_view::{SlipView, Viewer};

const CSV: &str = "text/csv; charset=utf-8";
const JSONL: &str = "application/jsonl";
const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

const COLUMNS: [&str; 25] = [
    "number",
    "division",
    "round",
    "table",
    "state",
    "disposition",
    "ruling",
    "words",
    "challenger",
    "opponent",
    "play",
    "loses_turn",
    "points_to",
    "points",
    "waived",
    "methods",
    "judges",
    "filed_at",
    "filed_by",
    "ruleset",
    "lexicon",
    "edition",
    "fingerprint",
    "id",
    "in_question",
];

/// One cell: a text, which people may have written, or a number, which the program computed.
enum Cell {
    Text(String),
    Number(i64),
    Empty,
}

impl Cell {
    fn of(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    fn or_empty(text: Option<impl Into<String>>) -> Self {
        text.map_or(Self::Empty, Self::of)
    }

    fn number(number: Option<i64>) -> Self {
        number.map_or(Self::Empty, Self::Number)
    }

    /// The text of the cell, safe for a spreadsheet.
    fn plain(&self) -> String {
        match self {
            Self::Text(text) => escape_formula(text),
            Self::Number(number) => number.to_string(),
            Self::Empty => String::new(),
        }
    }
}

/// Puts an apostrophe before each part of a text that a spreadsheet could take for a formula: the beginning, and the
/// part after a semicolon or a tab, which programs may read as the beginning of the next cell, quoted or not.
fn escape_formula(text: &str) -> String {
    let is_separator = |letter: char| [';', '\t'].contains(&letter);
    text.split_inclusive(is_separator)
        .map(|part| if is_formula(part) { format!("'{part}") } else { part.to_owned() })
        .collect()
}

fn is_formula(part: &str) -> bool {
    let unquoted = part.trim_start_matches([' ', '"']);
    unquoted.starts_with(['=', '+', '-', '@']) || part.starts_with(['\t', '\r'])
}

/// The API's name of a domain value.
fn kebab_name(value: impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

fn row(record: &SlipRecord) -> [Cell; 25] {
    let slip = &record.slip;
    let penalty = record.penalty.as_ref();
    let joined = |texts: Vec<String>| Cell::of(texts.join(" "));
    [
        Cell::number(i64::try_from(slip.number).ok()),
        Cell::of(slip.division.clone()),
        Cell::number(slip.round),
        Cell::number(slip.table),
        Cell::of(kebab_name(record.state)),
        Cell::or_empty(record.disposition.map(kebab_name)),
        Cell::or_empty(record.ruling().map(Ruling::as_str)),
        joined(record.words.clone()),
        Cell::or_empty(slip.challenger.clone()),
        Cell::or_empty(slip.opponent.clone()),
        Cell::or_empty(penalty.map(|penalty| kebab_name(penalty.play))),
        Cell::or_empty(penalty.map(|penalty| kebab_name(penalty.loses_turn))),
        Cell::or_empty(penalty.map(|penalty| kebab_name(penalty.points.whose))),
        Cell::number(penalty.map(|penalty| penalty.points.amount)),
        Cell::or_empty(penalty.map(|penalty| penalty.waived.to_string())),
        joined(record.adjudications.iter().map(|one| kebab_name(one.method)).collect()),
        Cell::of(record.adjudications.iter().map(|one| one.by.name.clone()).collect::<Vec<_>>().join(", ")),
        Cell::of(record.filed_at.to_string()),
        Cell::of(record.filed_by.name.clone()),
        Cell::of(slip.ruleset.clone()),
        Cell::of(record.lexicon.id.clone()),
        Cell::of(record.lexicon.edition.clone()),
        Cell::of(record.lexicon.fingerprint.clone()),
        Cell::of(slip.id.clone()),
        Cell::of(record.in_question.to_string()),
    ]
}

/// A line of a CSV file.
fn line(cells: impl IntoIterator<Item = String>) -> Vec<u8> {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    // Writing into memory does not fail.
    let written = writer.write_record(cells.into_iter().collect::<Vec<_>>());
    debug_assert!(written.is_ok());
    writer.into_inner().unwrap_or_default()
}

/// The format of an export.
#[derive(Clone, Copy)]
enum ExportFormat {
    Audit,
    Lines,
    Penalties,
}

impl ExportFormat {
    fn head(self) -> Vec<u8> {
        match self {
            Self::Audit => line(COLUMNS.map(str::to_owned)),
            Self::Penalties => line(["round", "table", "player", "points", "turn"].map(str::to_owned)),
            Self::Lines => Vec::new(),
        }
    }

    fn lines(self, record: &SlipRecord, caller: &Caller, snapshot: &Snapshot) -> Vec<u8> {
        match self {
            Self::Audit => line(row(record).iter().map(Cell::plain)),
            Self::Penalties => penalties(record).into_iter().flat_map(line).collect(),
            Self::Lines => {
                let mut line =
                    serde_json::to_vec(&SlipView::of(record, Viewer::alone(record, caller.principal.role), snapshot))
                        .unwrap_or_default();
                line.push(b'\n');
                line
            }
        }
    }
}

/// The points that each player gains or loses by a slip. A slip in question has no effect and is named instead. A
/// player without a name is the challenger or the opponent.
fn penalties(record: &SlipRecord) -> Vec<[String; 5]> {
    let slip = &record.slip;
    let number = |number: Option<i64>| number.map(|number| number.to_string()).unwrap_or_default();
    if record.in_question {
        let why = format!("in question: slip {}", slip.number);
        return vec![[number(slip.round), number(slip.table), String::new(), "0".to_owned(), why]];
    }
    let Some(penalty) = &record.penalty else { return Vec::new() };
    let named = |player: PlayerOrNone| match player {
        PlayerOrNone::Challenger => Some(slip.challenger.clone().unwrap_or_else(|| "challenger".to_owned())),
        PlayerOrNone::Opponent => Some(slip.opponent.clone().unwrap_or_else(|| "opponent".to_owned())),
        PlayerOrNone::None => None,
    };
    let row = |player: String, points: i64, turn: &str| {
        [number(slip.round), number(slip.table), escape_formula(&player), points.to_string(), turn.to_owned()]
    };
    let points = named(penalty.points.whose).map(|player| row(player, penalty.points.amount, ""));
    let lost = if penalty.play == Play::ComesOff { "lost, play comes off" } else { "lost" };
    let turn = named(penalty.loses_turn).map(|player| row(player, 0, lost));
    points.into_iter().chain(turn).collect()
}

/// Streams the slips of a selection, newest first.
fn stream(
    app: AppState,
    asked: ReadQuery,
    selection: Selection,
    format: ExportFormat,
    kind: &'static str,
    name: &str,
) -> Response {
    let (writer, body) = streaming_body();
    let disposition = format!("attachment; filename=\"{}-{name}\"", asked.tournament);
    tokio::spawn(async move { write_all(&app, &asked, &selection, format, &writer).await });
    let mut response = body.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    if let Ok(disposition) = disposition.try_into() {
        headers.insert(header::CONTENT_DISPOSITION, disposition);
    }
    response
}

/// Writes all slips. If the ledger cannot be read the transfer breaks off, so that no client takes a part for the
/// whole.
async fn write_all(
    app: &AppState,
    asked: &ReadQuery,
    selection: &Selection,
    format: ExportFormat,
    writer: &BodyWriter,
) -> Result<(), ReaderGone> {
    let snapshot = asked.caller.snapshot();
    writer.write(format.head()).await?;
    let mut pages = app.ledger.slips(&asked.tournament, u64::MAX);
    loop {
        let some = match pages.page().await {
            Ok(Some(some)) => some,
            Ok(None) => return Ok(()),
            Err(error) => {
                tracing::error!(%error, "an export was cut short");
                writer.abort().await;
                return Ok(());
            }
        };
        let fitting = some.iter().filter(|record| selection.fits(record));
        let lines: Vec<u8> = fitting.flat_map(|record| format.lines(record, &asked.caller, &snapshot)).collect();
        if !lines.is_empty() {
            writer.write(lines).await?;
        }
    }
}

macro_rules! export {
    ($(#[$doc:meta])* $name:ident, $path:literal, $kind:ident, $media:literal, $format:expr, $file:literal) => {
        $(#[$doc])*
        #[utoipa::path(
            get,
            path = $path,
            tag = "audit",
            params(("tournament" = String, Path, description = "The tournament's id"), super::audit::SelectionQuery),
            responses((status = 200, body = String, content_type = $media, description = "The whole selection"))
        )]
        pub async fn $name(
            State(app): State<AppState>,
            caller: Caller,
            tournament: Result<Path<String>, PathRejection>,
            RawQuery(query): RawQuery,
        ) -> Result<Response, WebError> {
            let asked = read_query(caller, Action::Audit, tournament, query.as_deref())?;
            let selection = selection(&asked.body)?;
            Ok(stream(app, asked, selection, $format, $kind, $file))
        }
    };
}

export!(
    /// The slips of a selection as rows, newest first.
    audit_csv, "/api/v1/tournaments/{tournament}/audit.csv", CSV, "text/csv", ExportFormat::Audit, "audit.csv"
);
export!(
    /// The slips of a selection, one a line, newest first.
    audit_jsonl, "/api/v1/tournaments/{tournament}/audit.jsonl", JSONL, "application/jsonl", ExportFormat::Lines, "audit.jsonl"
);
export!(
    /// What every slip of a selection takes from or gives to a player: round, table, player, points, turn.
    penalties_csv, "/api/v1/tournaments/{tournament}/penalties.csv", CSV, "text/csv", ExportFormat::Penalties, "penalties.csv"
);

/// The slips of a selection as a workbook, newest first.
#[utoipa::path(
    get,
    path = "/api/v1/tournaments/{tournament}/audit.xlsx",
    tag = "audit",
    params(("tournament" = String, Path, description = "The tournament's id"), super::audit::SelectionQuery),
    responses((
        status = 200,
        body = Workbook,
        content_type = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        description = "The whole selection"
    ))
)]
pub async fn audit_xlsx(
    State(app): State<AppState>,
    caller: Caller,
    tournament: Result<Path<String>, PathRejection>,
    RawQuery(query): RawQuery,
) -> Result<Response, WebError> {
    let asked = read_query(caller, Action::Audit, tournament, query.as_deref())?;
    let selection = selection(&asked.body)?;
    let mut rows = Vec::new();
    super::audit::walk(&app, &asked.tournament, |record| {
        if selection.fits(record) {
            rows.push(row(record));
        }
    })
    .await?;
    let book = tokio::task::spawn_blocking(move || workbook(&rows)).await;
    let bytes = book.map_err(|_| WebError::Internal)?.map_err(|error| {
        tracing::error!(%error, "a workbook cannot be made");
        WebError::Internal
    })?;
    let disposition = format!("attachment; filename=\"{}-audit.xlsx\"", asked.tournament);
    Ok(([(header::CONTENT_TYPE, XLSX), (header::CONTENT_DISPOSITION, disposition.as_str())], bytes).into_response())
}

fn workbook(rows: &[[Cell; 25]]) -> Result<Vec<u8>, rust_xlsxwriter::XlsxError> {
    let mut book = rust_xlsxwriter::Workbook::new();
    let sheet = book.add_worksheet();
    for (column, name) in (0_u16..).zip(COLUMNS) {
        sheet.write_string(0, column, name)?;
    }
    for (place, row) in (1_u32..).zip(rows) {
        for (column, cell) in (0_u16..).zip(row) {
            match cell {
                Cell::Empty => continue,
                Cell::Text(_) => sheet.write_string(place, column, cell.plain())?,
                Cell::Number(number) => match i32::try_from(*number) {
                    Ok(number) => sheet.write_number(place, column, number)?,
                    Err(_) => sheet.write_string(place, column, number.to_string())?,
                },
            };
        }
    }
    book.save_to_buffer()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_part_of_a_cell_is_a_formula_whichever_separator_it_is_read_with() {
        for (text, written) in [
            ("a;=1+1", "a;'=1+1"),
            ("=1+1", "'=1+1"),
            ("-1", "'-1"),
            ("+1;@x;-2", "'+1;'@x;'-2"),
            ("a\t=1+1", "a\t'=1+1"),
            ("\t=1+1", "'\t'=1+1"),
            ("\r=1+1", "'\r=1+1"),
            ("a; \"=1+1\"", "a;' \"=1+1\""),
            ("a;;=1+1", "a;;'=1+1"),
            ("Ann; Ben", "Ann; Ben"),
            ("x=1, y-2", "x=1, y-2"),
            ("", ""),
        ] {
            assert_eq!(escape_formula(text), written);
        }
    }
}
