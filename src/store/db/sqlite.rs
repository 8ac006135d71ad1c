//! SQLite: one file, one writing connection, four that read.

use std::path::Path;
use std::time::Duration;

use sqlx::sqlite::{
    SqliteArguments, SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
};
use sqlx::{Executor, Row as _, Sqlite};

use super::place::Place;
use super::{Arg, Db, DbError, Row, hooks};
use crate::store::migrations;
use crate::store::statements::Statement;

/// The first SQLite without the WAL-reset race, which could lose committed entries.
const FIRST_SAFE_VERSION: (u32, u32, u32) = (3, 51, 3);

/// Takes the write lock at once: a transaction that asks for it later can fail in its middle.
pub(super) const BEGIN: &str = "BEGIN IMMEDIATE";

/// What every connection is told and must confirm. FULL syncs the write-ahead log at each commit;
/// without it a power cut loses rulings that were already shown.
const PRAGMAS: [(&str, &str); 6] = [
    ("journal_mode", "wal"),
    ("synchronous", "2"),
    ("foreign_keys", "1"),
    ("recursive_triggers", "1"),
    ("trusted_schema", "0"),
    ("busy_timeout", "5000"),
];

pub(super) async fn open(file: &Path, create: bool) -> Result<Db, DbError> {
    let failed = DbError::while_("opening its file");
    let writer = pool(1).connect_with(options(file).create_if_missing(create)).await.map_err(&failed)?;
    gate(&version(&writer).await?)?;
    migrations::sqlite().run(&writer).await?;
    let readers = pool(4).connect_with(options(file).read_only(true)).await.map_err(&failed)?;
    for pool in [&writer, &readers] {
        let mut connection = pool.acquire().await.map_err(&failed)?;
        check_pragmas(&mut connection).await?;
    }
    Ok(Db::Sqlite { writer, readers, place: Place::of(file) })
}

fn options(file: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(file)
        .create_if_missing(false)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(hooks::synchronous())
        .foreign_keys(true)
        .busy_timeout(Duration::from_secs(5))
        .pragma("recursive_triggers", "ON")
        .pragma("trusted_schema", "OFF")
        // An image without a temporary folder must still sort.
        .pragma("temp_store", "MEMORY")
}

fn pool(connections: u32) -> SqlitePoolOptions {
    SqlitePoolOptions::new()
        .min_connections(1)
        .max_connections(connections)
        .acquire_timeout(Duration::from_secs(5))
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
        .after_connect(|connection, _| {
            Box::pin(async move {
                check_pragmas(connection).await.map_err(|error| sqlx::Error::Configuration(Box::new(error)))
            })
        })
}

/// Settings are set and read back: a setting that silently did not take is how rulings get lost.
async fn check_pragmas(connection: &mut SqliteConnection) -> Result<(), DbError> {
    for (setting, wanted) in PRAGMAS {
        let ask = sqlx::AssertSqlSafe(format!("PRAGMA {setting}"));
        // Unchecked: some pragmas answer with a number, one with a word, and both read as text.
        let answer = sqlx::query(ask).fetch_one(&mut *connection).await.and_then(|row| row.try_get_unchecked(0));
        let found: String = answer.map_err(DbError::while_("reading its settings back"))?;
        if found != wanted && !hooks::is_unchecked() {
            return Err(DbError::Setting { setting, wanted, found });
        }
    }
    Ok(())
}

/// What the engine finds wrong with its own file, if anything.
pub(super) async fn check(pool: &SqlitePool) -> Result<Option<String>, DbError> {
    let found: String = sqlx::query_scalar("PRAGMA integrity_check(1)")
        .fetch_one(pool)
        .await
        .map_err(DbError::while_("checking its file"))?;
    Ok(Some(found).filter(|found| found != "ok"))
}

async fn version(pool: &SqlitePool) -> Result<String, DbError> {
    let read = sqlx::query_scalar("SELECT sqlite_version()").fetch_one(pool).await;
    read.map_err(DbError::while_("asking its version"))
}

/// Refuses an engine that is known to lose data.
fn gate(version: &str) -> Result<(), DbError> {
    let mut parts = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    let mut next = || parts.next().unwrap_or(0);
    let found = (next(), next(), next());
    if found < FIRST_SAFE_VERSION { Err(DbError::OldEngine(version.to_owned())) } else { Ok(()) }
}

pub(super) async fn fetch<'e>(
    from: impl Executor<'e, Database = Sqlite>,
    statement: Statement,
    args: &[Arg<'_>],
) -> Result<Vec<Row>, DbError> {
    let rows = bound(statement, args).fetch_all(from).await.map_err(DbError::while_("reading"))?;
    Ok(rows.into_iter().map(Row::Sqlite).collect())
}

pub(super) fn bound(statement: Statement, args: &[Arg<'_>]) -> sqlx::query::Query<'static, Sqlite, SqliteArguments> {
    args.iter().fold(sqlx::query(statement.0), |query, arg| match arg {
        Arg::Int(number) => query.bind(*number),
        Arg::Text(text) => query.bind((*text).to_owned()),
        Arg::NoInt => query.bind(None::<i64>),
        Arg::NoText => query.bind(None::<String>),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
