//! SQLite: one file, one connection that writes, four that read.

use std::path::Path;
use std::time::Duration;

use sqlx::Row as _;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteJournalMode};

use super::{Arg, Cells, DbError, Engine};
use crate::store::db::error::Code;
use crate::store::db::fault_injection;
use crate::store::db::file_identity::FileIdentity;
use crate::store::db::sqlite_pipeline::Pipeline;
use crate::store::db::sqlite_pool::{SqlitePool, connect};
use crate::store::migrations;

/// The first SQLite without the WAL-reset race, which could lose committed entries.
const MIN_SQLITE_VERSION: (u32, u32, u32) = (3, 51, 3);

/// Takes the write lock at once: a transaction that takes it later can fail half-way.
pub(super) const BEGIN: &str = "BEGIN IMMEDIATE";

/// A larger write-ahead log was not checkpointed for long. The engine checkpoints at 4 MB.
pub(super) const MAX_WRITE_AHEAD_LOG_BYTES: u64 = 16 * 1024 * 1024;

/// How many connections may read at the same time.
const READERS: u16 = 4;

/// The settings that every connection applies and must confirm. FULL syncs the write-ahead log at each commit; without
/// it a power cut loses rulings that were already shown.
const PRAGMAS: [(&str, &str); 6] = [
    ("journal_mode", "wal"),
    ("synchronous", "2"),
    ("foreign_keys", "1"),
    ("recursive_triggers", "1"),
    ("trusted_schema", "0"),
    ("busy_timeout", "5000"),
];

const READING_BACK: &str = "reading its settings back";

pub(super) async fn open(file: &Path, create: bool) -> Result<Engine, DbError> {
    if create {
        make_private(file)?;
    }
    let mut first = connect(&options(file).create_if_missing(create)).await?;
    gate(&version(&mut first).await?)?;
    if !is_up_to_date(&mut first).await {
        migrations::sqlite().run(&mut first).await?;
    }
    let writer = SqlitePool::of(options(file), 1, vec![first]);
    let readers = SqlitePool::of(options(file).read_only(true), READERS, Vec::new());
    Ok(Engine::Sqlite { writer, readers, place: FileIdentity::of(file) })
}

/// Creates the file so that no other user of this machine can read the hashes in it, in any folder. SQLite
/// gives the files beside it the same permissions.
fn make_private(file: &Path) -> Result<(), DbError> {
    let mut options = std::fs::File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(file) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            Err(DbError::context("making its file")(sqlx::Error::Io(error)))
        }
        _ => Ok(()),
    }
}

/// True if every migration is applied with its checksum (one query instead of the migrator's many).
async fn is_up_to_date(connection: &mut SqliteConnection) -> bool {
    let sql = "SELECT version, checksum FROM _sqlx_migrations WHERE success ORDER BY version";
    let applied: Result<Vec<(i64, Vec<u8>)>, _> = sqlx::query_as(sql).fetch_all(connection).await;
    applied.is_ok_and(|applied| migrations::are(&migrations::sqlite(), &applied))
}

fn options(file: &Path) -> SqliteConnectOptions {
    let options = SqliteConnectOptions::new();
    let options = match fault_injection::heap_bytes() {
        Some(bytes) => options.pragma("hard_heap_limit", bytes),
        None => options,
    };
    options
        .filename(file)
        .create_if_missing(false)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(fault_injection::synchronous())
        .foreign_keys(true)
        .busy_timeout(Duration::from_secs(5))
        // A page of a check arrives whole: its reader is not woken for every few rows.
        .row_buffer_size(1024)
        .statement_cache_capacity(256)
        .pragma("recursive_triggers", "ON")
        .pragma("trusted_schema", "OFF")
        // A reader of another program that was left open lets the log grow; once it is gone, SQLite truncates the log.
        .pragma("journal_size_limit", MAX_WRITE_AHEAD_LOG_BYTES.to_string())
        // A container image without a temporary folder must still sort.
        .pragma("temp_store", "MEMORY")
}

/// Sets the settings and reads them back: a setting that silently did not take effect is how rulings get lost.
pub(super) async fn check_pragmas(connection: &mut SqliteConnection) -> Result<(), DbError> {
    let mut trip = Pipeline::default();
    for (setting, _) in PRAGMAS {
        trip.add(READING_BACK, &format!("PRAGMA {setting}"), &[]);
    }
    for ((setting, wanted), answer) in PRAGMAS.into_iter().zip(trip.run(connection).await?) {
        let found = answer.rows.first().map(first_column).transpose()?.unwrap_or_default();
        if found != wanted && !fault_injection::is_unchecked() {
            return Err(DbError::Setting { setting, wanted, found });
        }
    }
    Ok(())
}

/// Unchecked: some pragmas return a number, one returns a word, and both read as text.
fn first_column(row: &Cells) -> Result<String, DbError> {
    let read = match row {
        Cells::Sqlite(row) => row.try_get_unchecked(0),
        Cells::Postgres(row) => row.try_get_unchecked(0),
    };
    read.map_err(DbError::context(READING_BACK))
}

/// What the engine finds wrong with its own file, if anything.
///
/// # Errors
/// [`DbError::Unchecked`] if a page could not be read for another reason than damage.
pub(super) async fn check(readers: &SqlitePool) -> Result<Option<String>, DbError> {
    let found = run_query(readers, "checking its file", "PRAGMA integrity_check(1)", &[]).await?;
    let found = found.first().map(first_column).transpose()?.filter(|found| found != "ok");
    match found {
        Some(why) if !proves_damage(&why) => Err(DbError::Unchecked { why }),
        found => Ok(found),
    }
}

/// Whether a finding of the engine is damage: it also lists, among the faults, pages that it could not read for want of
/// memory or because the disk did not respond.
fn proves_damage(found: &str) -> bool {
    match found.rsplit_once("unable to get the page. error code=") {
        Some((_, code)) => Code::read(code.trim()).is_damage(),
        None => !found.contains("failed to get page"),
    }
}

async fn version(connection: &mut SqliteConnection) -> Result<String, DbError> {
    let read = sqlx::query_scalar("SELECT sqlite_version()").fetch_one(connection).await;
    read.map_err(DbError::context("asking its version"))
}

/// Refuses an engine version that is known to lose data.
fn gate(version: &str) -> Result<(), DbError> {
    let mut parts = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    let mut next = || parts.next().unwrap_or(0);
    let found = (next(), next(), next());
    if found < MIN_SQLITE_VERSION { Err(DbError::OldEngine(version.to_owned())) } else { Ok(()) }
}

/// Runs one statement on a connection of its own, and gives its rows.
pub(super) async fn run_query(
    connections: &SqlitePool,
    doing: &'static str,
    text: &str,
    args: &[Arg<'_>],
) -> Result<Vec<Cells>, DbError> {
    let mut trip = Pipeline::default();
    trip.add(doing, text, args);
    let answers = connections.acquire().await?.run(trip).await?;
    Ok(answers.into_iter().flat_map(|answer| answer.rows).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_could_not_be_read_is_no_damage_of_the_file() {
        let page = |code| format!("*** in database main ***\nPage 1033: unable to get the page. error code={code}");
        // SQLITE_CORRUPT, and SQLITE_CORRUPT_INDEX.
        for damage in [page(11), page(779), "row 7 missing from index entry_by_slip".to_owned()] {
            assert!(proves_damage(&damage), "{damage}");
        }
        // No memory, no memory for a read, a disk that fails, no file descriptor left, busy.
        for other in [7, 3082, 266, 14, 5] {
            assert!(!proves_damage(&page(other)), "{other}");
        }
        assert!(!proves_damage("*** in database main ***\nFreelist: failed to get page 9"));
    }

    #[test]
    fn an_engine_that_loses_commits_is_refused() {
        for old in ["3.46.0", "3.51.2", "3.7.0", "garbage"] {
            assert!(gate(old).is_err(), "{old}");
        }
        for safe in ["3.51.3", "3.52.0", "4.0.0"] {
            assert!(gate(safe).is_ok(), "{safe}");
        }
    }
}
