//! The interface to the database: what the store needs of an engine, and nothing more.
//!
//! Each type here has one variant per engine; the rest of the program sees only integers and texts. The settings and
//! checks of each engine are in [`sqlite`] and [`postgres`].

mod error;
mod fault_injection;
mod file_identity;
mod health;
mod postgres;
mod sqlite;
mod sqlite_pipeline;
mod sqlite_pool;
mod tx;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use sqlx::Row as _;
use sqlx::postgres::{PgPool, PgRow};
use sqlx::sqlite::SqliteRow;
use tokio::sync::Semaphore;

pub use error::{DbError, Kind};
use file_identity::FileIdentity;
pub(super) use file_identity::write_ahead_log;
pub use health::Health;
use sqlite_pipeline::Pipeline;
use sqlite_pool::SqlitePool;
use tx::Connection;
pub(super) use tx::Tx;

use super::statements::Statement;

/// A read that takes longer is cancelled, and the client gets an answer that says to try again.
const READ_TIMEOUT: Duration = Duration::from_secs(4);

/// Which database, as the configuration names it.
#[derive(Clone, PartialEq, Eq)]
pub enum Address {
    Sqlite(PathBuf),
    /// `postgres://user:password@host/database`
    Postgres(String),
}

/// Passwords stay out of logs and messages.
impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(file) => write!(f, "{}", file.display()),
            Self::Postgres(url) => write!(f, "postgres://{}", url.rsplit('@').next().unwrap_or("…")),
        }
    }
}

/// A value given to a statement.
#[derive(Clone, Copy, Debug)]
pub enum Arg<'a> {
    Int(i64),
    NoInt,
    Text(&'a str),
    NoText,
}

/// A statement of a group that is sent together, and its arguments.
#[derive(Clone, Debug)]
pub struct Query<'a> {
    pub statement: Statement,
    pub args: Vec<Arg<'a>>,
}

/// One open database. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Db {
    engine: Engine,
    health: Health,
}

#[derive(Clone, Debug)]
enum Engine {
    Sqlite {
        writer: SqlitePool,
        readers: SqlitePool,
        place: FileIdentity,
    },
    /// All connections, and the permits for those that write.
    Postgres(PgPool, Arc<Semaphore>),
}

/// One row of a result. It has the health of its database, so that damage is reported wherever the row is read.
#[derive(Debug)]
pub struct Row {
    cells: Cells,
    health: Health,
}

#[derive(Debug)]
enum Cells {
    Sqlite(SqliteRow),
    Postgres(PgRow),
}

impl Db {
    /// Opens a database and migrates its tables. A SQLite file is created if `create` is true; only `init`, `demo` and
    /// `serve` on an empty data folder set it.
    ///
    /// # Errors
    /// If it cannot be opened, a migration fails, or a setting that protects rulings does not take effect.
    pub async fn open(address: &Address, create: bool) -> Result<Self, DbError> {
        let engine = match address {
            Address::Sqlite(file) => sqlite::open(file, create).await?,
            Address::Postgres(url) => postgres::open(url).await?,
        };
        Ok(Self { engine, health: Health::default() })
    }

    /// The health of the storage, as the reads and writes so far found it.
    #[must_use]
    pub fn health(&self) -> &Health {
        &self.health
    }

    /// Checks that the storage is healthy and that the database file is still the one that was opened. A write to a
    /// replaced file can be lost although its commit succeeded.
    ///
    /// # Errors
    /// [`DbError::FileReplaced`] if the file was replaced, [`DbError::Failed`] if a read or write found damage.
    pub fn check_file_identity(&self) -> Result<(), DbError> {
        self.health.check()?;
        match &self.engine {
            Engine::Sqlite { place, .. } => self.health.weigh_write(place.check()),
            Engine::Postgres(..) => Ok(()),
        }
    }

    /// Whether the database is a file of this machine, which other programs can overwrite.
    #[must_use]
    pub fn is_file(&self) -> bool {
        matches!(self.engine, Engine::Sqlite { .. })
    }

    /// The size of the write-ahead log in bytes, if it is larger than it should be: a program that reads the database
    /// prevents its checkpoint.
    #[must_use]
    pub fn overgrown_log(&self) -> Option<u64> {
        match &self.engine {
            Engine::Sqlite { place, .. } => {
                place.log_bytes().filter(|bytes| *bytes > sqlite::MAX_WRITE_AHEAD_LOG_BYTES)
            }
            Engine::Postgres(..) => None,
        }
    }

    /// What the engine finds wrong with the file itself: an index that disagrees with its rows, or a damaged page.
    /// Postgres checks its own files.
    ///
    /// # Errors
    /// If the check cannot be carried out.
    pub async fn check(&self) -> Result<Option<String>, DbError> {
        match &self.engine {
            Engine::Sqlite { readers, .. } => sqlite::check(readers).await,
            Engine::Postgres(..) => Ok(None),
        }
    }

    /// Rebuilds the indexes from the rows.
    ///
    /// # Errors
    /// If rows that an index needs are damaged.
    pub async fn reindex(&self) -> Result<(), DbError> {
        match &self.engine {
            Engine::Sqlite { writer, .. } => {
                sqlite::run_query(writer, "making its indexes anew", "REINDEX", &[]).await.map(drop)
            }
            Engine::Postgres(..) => Ok(()),
        }
    }

    /// A transaction that takes the write lock with its first statement.
    ///
    /// # Errors
    /// If no connection is available, or the database file was replaced.
    pub(super) async fn write(&self) -> Result<Tx, DbError> {
        self.check_file_identity()?;
        let connection = match &self.engine {
            Engine::Sqlite { writer, .. } => Connection::Sqlite(writer.acquire().await?, Pipeline::default()),
            Engine::Postgres(pool, writers) => postgres::acquire_writer(pool, writers).await?,
        };
        Ok(Tx::on(connection, self.health.clone()))
    }

    /// Reads the last committed state.
    ///
    /// # Errors
    /// If the database fails or is slow.
    pub async fn fetch(&self, statement: Statement, args: &[Arg<'_>]) -> Result<Vec<Row>, DbError> {
        // Neither engine stores a text that contains NUL, and Postgres refuses to search for one.
        if args.iter().any(|arg| matches!(arg, Arg::Text(text) if text.contains('\0'))) {
            return Ok(Vec::new());
        }
        let rows = async {
            match &self.engine {
                Engine::Sqlite { readers, .. } => sqlite::run_query(readers, "reading", statement.0, args).await,
                Engine::Postgres(pool, _) => postgres::fetch(pool, statement, args).await,
            }
        };
        let read = tokio::time::timeout(READ_TIMEOUT, rows).await.unwrap_or(Err(DbError::Slow { doing: "reading" }));
        if read.is_err() {
            // Reads of a truncated file fail with errors that look transient.
            self.check_file_identity()?;
        }
        let read = self.health.weigh_read(read)?;
        // A connection that was just opened may have opened another file.
        self.check_file_identity()?;
        Ok(read.into_iter().map(|cells| cells.of(&self.health)).collect())
    }

    /// The engine's query plan for a statement, one line a step.
    ///
    /// # Errors
    /// If the engine does not accept the statement.
    pub async fn plan(&self, statement: Statement) -> Result<Vec<String>, DbError> {
        match &self.engine {
            Engine::Sqlite { writer, .. } => {
                let explain = format!("EXPLAIN QUERY PLAN {}", statement.0);
                let steps = sqlite::run_query(writer, "planning a statement", &explain, &[]).await?;
                steps.into_iter().map(|step| step.of(&self.health).text("detail")).collect()
            }
            Engine::Postgres(pool, _) => postgres::plan(pool, statement).await,
        }
    }

    /// Closes every connection; what was committed is on disk.
    pub async fn close(&self) {
        match &self.engine {
            Engine::Sqlite { writer, readers, .. } => {
                readers.close().await;
                writer.close().await;
            }
            Engine::Postgres(pool, _) => pool.close().await,
        }
    }
}

impl Cells {
    /// The row with these cells, from a database of that health.
    fn of(self, health: &Health) -> Row {
        Row { cells: self, health: health.clone() }
    }
}

impl Row {
    /// The health of the database that the row was read from.
    pub(super) fn health(&self) -> &Health {
        &self.health
    }

    /// An integer column.
    ///
    /// # Errors
    /// [`DbError::Impossible`] if it is none.
    pub fn int(&self, column: &'static str) -> Result<i64, DbError> {
        // SQLite would read a null as 0.
        self.int_or_null(column)?.ok_or_else(|| DbError::Impossible { what: format!("column {column} is null") })
    }

    /// An integer column that may be null.
    ///
    /// # Errors
    /// [`DbError::Impossible`] if it is neither.
    pub fn int_or_null(&self, column: &'static str) -> Result<Option<i64>, DbError> {
        let read = match &self.cells {
            Cells::Sqlite(row) => row.try_get(column),
            Cells::Postgres(row) => row.try_get(column),
        };
        read.map_err(|error| impossible(column, &error))
    }

    /// A count or position, which is never negative.
    ///
    /// # Errors
    /// [`DbError::Impossible`] if it is none.
    pub fn count(&self, column: &'static str) -> Result<u64, DbError> {
        let number = self.int(column)?;
        u64::try_from(number).map_err(|_| DbError::Impossible { what: format!("column {column} is {number}") })
    }

    /// A text column.
    ///
    /// # Errors
    /// [`DbError::Impossible`] if it is none.
    pub fn text(&self, column: &'static str) -> Result<String, DbError> {
        let read = match &self.cells {
            Cells::Sqlite(row) => row.try_get(column),
            Cells::Postgres(row) => row.try_get(column),
        };
        read.map_err(|error| impossible(column, &error))
    }

    /// A text column that may be null.
    ///
    /// # Errors
    /// [`DbError::Impossible`] if it is neither.
    pub fn text_or_null(&self, column: &'static str) -> Result<Option<String>, DbError> {
        let read = match &self.cells {
            Cells::Sqlite(row) => row.try_get(column),
            Cells::Postgres(row) => row.try_get(column),
        };
        read.map_err(|error| impossible(column, &error))
    }
}

fn impossible(column: &str, error: &sqlx::Error) -> DbError {
    DbError::Impossible { what: format!("column {column}: {error}") }
}
