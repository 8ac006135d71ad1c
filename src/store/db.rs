//! The door to the database: what the store needs of an engine, and nothing more.
//!
//! Each type here has one arm an engine; the rest of the program sees only integers and texts.

use std::path::Path;
use std::time::Duration;

use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteRow,
    SqliteSynchronous,
};
use sqlx::{Executor, Row as _, SqlSafeStr, Sqlite, Transaction};

use super::statements::Statement;

/// The first SQLite without the WAL-reset race, which could lose committed entries.
const FIRST_SAFE_SQLITE: (u32, u32, u32) = (3, 51, 3);

/// What every connection is told and must confirm: (pragma, value to set, value to read back).
/// FULL syncs the write-ahead log at each commit; without it a power cut loses rulings that were
/// already shown.
const PRAGMAS: [(&str, &str); 6] = [
    ("journal_mode", "wal"),
    ("synchronous", "2"),
    ("foreign_keys", "1"),
    ("recursive_triggers", "1"),
    ("trusted_schema", "0"),
    ("busy_timeout", "5000"),
];

/// Something went wrong with the database.
#[derive(Debug, thiserror::Error)]
pub enum DbError {
    #[error("the database failed while {doing}: {source}")]
    Engine { doing: &'static str, source: sqlx::Error },
    #[error("the migrations of the database failed: {0}")]
    Migrations(#[from] sqlx::migrate::MigrateError),
    #[error("this program was built with SQLite {0}, which can lose committed entries; build it with 3.51.3 or later")]
    OldEngine(String),
    #[error("the database does not keep {pragma} = {wanted} (it says {found}); adjudge does not run without it")]
    Pragma { pragma: &'static str, wanted: &'static str, found: String },
    #[error("a row of the database cannot be: {what}; run adjudge ledger verify")]
    Impossible { what: String },
}

/// A value given to a statement.
#[derive(Clone, Copy, Debug)]
pub enum Arg<'a> {
    Int(i64),
    Text(&'a str),
    NoText,
}

/// One open database. Cheap to clone.
#[derive(Clone, Debug)]
pub enum Db {
    Sqlite { writer: SqlitePool, readers: SqlitePool },
}

/// A write transaction, which holds the database's one write lock from its first moment.
pub enum Tx {
    Sqlite(Transaction<'static, Sqlite>),
}

/// One row of an answer.
pub enum Row {
    Sqlite(SqliteRow),
}

impl Db {
    /// Opens a SQLite file, and makes it where `create` is said. Only `init`, `demo` and `serve` on an
    /// empty data folder say so.
    ///
    /// # Errors
    /// Where the file cannot be opened, a migration fails, or a setting is not kept.
    pub async fn open_sqlite(file: &Path, create: bool) -> Result<Self, DbError> {
        let doing = |source| DbError::Engine { doing: "opening its file", source };
        let options = sqlite_options(file);
        let writer = sqlite_pool(1).connect_with(options.clone().create_if_missing(create)).await.map_err(doing)?;
        gate(&sqlite_version(&writer).await?)?;
        super::migrations::sqlite().run(&writer).await?;
        let readers = sqlite_pool(4).connect_with(options.read_only(true)).await.map_err(doing)?;
        for pool in [&writer, &readers] {
            let mut connection = pool.acquire().await.map_err(doing)?;
            check_pragmas(&mut connection).await?;
        }
        Ok(Self::Sqlite { writer, readers })
    }

    /// Takes the write lock and begins.
    ///
    /// # Errors
    /// Where the lock cannot be had within five seconds.
    pub async fn begin_write(&self) -> Result<Tx, DbError> {
        let doing = |source| DbError::Engine { doing: "taking the write lock", source };
        match self {
            Self::Sqlite { writer, .. } => Ok(Tx::Sqlite(writer.begin_with("BEGIN IMMEDIATE").await.map_err(doing)?)),
        }
    }

    /// Reads, from the last committed state.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn fetch(&self, statement: Statement, args: &[Arg<'_>]) -> Result<Vec<Row>, DbError> {
        match self {
            Self::Sqlite { readers, .. } => fetch_sqlite(readers, statement, args).await,
        }
    }

    /// Checks that a statement can be prepared.
    ///
    /// # Errors
    /// Where the engine does not take its text.
    pub async fn prepare(&self, statement: Statement) -> Result<(), DbError> {
        let doing = |source| DbError::Engine { doing: "preparing a statement", source };
        match self {
            Self::Sqlite { writer, .. } => writer.prepare(statement.0.into_sql_str()).await.map(drop).map_err(doing),
        }
    }

    /// Closes every connection; what was committed is on disk.
    pub async fn close(&self) {
        match self {
            Self::Sqlite { writer, readers } => {
                readers.close().await;
                writer.close().await;
            }
        }
    }
}

impl Tx {
    /// Reads within the transaction.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn fetch(&mut self, statement: Statement, args: &[Arg<'_>]) -> Result<Vec<Row>, DbError> {
        match self {
            Self::Sqlite(tx) => fetch_sqlite(&mut **tx, statement, args).await,
        }
    }

    /// Writes, and says how many rows it touched.
    ///
    /// # Errors
    /// Where the database fails or a constraint forbids it.
    pub async fn execute(&mut self, statement: Statement, args: &[Arg<'_>]) -> Result<u64, DbError> {
        let doing = |source| DbError::Engine { doing: "writing", source };
        match self {
            Self::Sqlite(tx) => {
                let done = bound(statement, args).execute(&mut **tx).await.map_err(doing)?;
                Ok(done.rows_affected())
            }
        }
    }

    /// Makes it durable. Only after this may anybody be told.
    ///
    /// # Errors
    /// Where the database fails; nothing was written then.
    pub async fn commit(self) -> Result<(), DbError> {
        let doing = |source| DbError::Engine { doing: "committing", source };
        match self {
            Self::Sqlite(tx) => tx.commit().await.map_err(doing),
        }
    }
}

impl Row {
    /// An integer column.
    ///
    /// # Errors
    /// [`DbError::Impossible`] where it is none.
    pub fn int(&self, column: &'static str) -> Result<i64, DbError> {
        match self {
            Self::Sqlite(row) => row.try_get(column).map_err(|error| impossible(column, &error)),
        }
    }

    /// A count or place, which is never negative.
    ///
    /// # Errors
    /// [`DbError::Impossible`] where it is none.
    pub fn count(&self, column: &'static str) -> Result<u64, DbError> {
        let number = self.int(column)?;
        u64::try_from(number).map_err(|_| DbError::Impossible { what: format!("column {column} is {number}") })
    }

    /// A text column.
    ///
    /// # Errors
    /// [`DbError::Impossible`] where it is none.
    pub fn text(&self, column: &'static str) -> Result<String, DbError> {
        match self {
            Self::Sqlite(row) => row.try_get(column).map_err(|error| impossible(column, &error)),
        }
    }

    /// A text column that may be null.
    ///
    /// # Errors
    /// [`DbError::Impossible`] where it is neither.
    pub fn text_or_null(&self, column: &'static str) -> Result<Option<String>, DbError> {
        match self {
            Self::Sqlite(row) => row.try_get(column).map_err(|error| impossible(column, &error)),
        }
    }
}

fn impossible(column: &str, error: &sqlx::Error) -> DbError {
    DbError::Impossible { what: format!("column {column}: {error}") }
}

fn sqlite_options(file: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(file)
        .create_if_missing(false)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(Duration::from_secs(5))
        .pragma("recursive_triggers", "ON")
        .pragma("trusted_schema", "OFF")
        // An image without a temporary folder must still sort.
        .pragma("temp_store", "MEMORY")
}

fn sqlite_pool(connections: u32) -> SqlitePoolOptions {
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
    for (pragma, wanted) in PRAGMAS {
        let ask = sqlx::AssertSqlSafe(format!("PRAGMA {pragma}"));
        // Unchecked: some pragmas answer with a number, one with a word, and both read as text.
        let answer = sqlx::query(ask).fetch_one(&mut *connection).await.and_then(|row| row.try_get_unchecked(0));
        let found: String = answer.map_err(|source| DbError::Engine { doing: "reading its settings back", source })?;
        if found != wanted {
            return Err(DbError::Pragma { pragma, wanted, found });
        }
    }
    Ok(())
}

async fn sqlite_version(pool: &SqlitePool) -> Result<String, DbError> {
    let read = sqlx::query_scalar("SELECT sqlite_version()").fetch_one(pool).await;
    read.map_err(|source| DbError::Engine { doing: "asking its version", source })
}

/// Refuses an engine that is known to lose data.
fn gate(version: &str) -> Result<(), DbError> {
    let mut parts = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    let mut next = || parts.next().unwrap_or(0);
    let found = (next(), next(), next());
    if found < FIRST_SAFE_SQLITE { Err(DbError::OldEngine(version.to_owned())) } else { Ok(()) }
}

async fn fetch_sqlite<'e>(
    from: impl Executor<'e, Database = Sqlite>,
    statement: Statement,
    args: &[Arg<'_>],
) -> Result<Vec<Row>, DbError> {
    let rows = bound(statement, args).fetch_all(from).await;
    let rows = rows.map_err(|source| DbError::Engine { doing: "reading", source })?;
    Ok(rows.into_iter().map(Row::Sqlite).collect())
}

fn bound(statement: Statement, args: &[Arg<'_>]) -> sqlx::query::Query<'static, Sqlite, sqlx::sqlite::SqliteArguments> {
    args.iter().fold(sqlx::query(statement.0), |query, arg| match arg {
        Arg::Int(number) => query.bind(*number),
        Arg::Text(text) => query.bind((*text).to_owned()),
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
