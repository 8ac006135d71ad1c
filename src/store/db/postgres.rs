//! Postgres: one database for many servers.

use std::str::FromStr as _;
use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::{PgArguments, PgConnectOptions, PgConnection, PgPool, PgPoolOptions};
use sqlx::{AssertSqlSafe, Connection as _, Executor, Postgres, Row as _};
use tokio::sync::Semaphore;

use super::tx::Connection;
use super::{Arg, Cells, DbError, Engine};
use crate::store::migrations;
use crate::store::statements::Statement;

/// The number of connections of one server.
const CONNECTIONS: u32 = 6;

/// The number of connections that write or wait for the write lock at one time: one has the lock, and the next takes it
/// over at once. The writer may read on another connection, so not all connections may wait for the lock.
const WRITERS: usize = 2;

/// How long a caller waits for a connection.
const WAIT_TIMEOUT: Duration = Duration::from_secs(4);

/// The settings that every session must confirm, or that the server must have. Without any one of them a crash loses
/// rulings that were already shown.
const SETTINGS: [(&str, &str); 3] = [("synchronous_commit", "on"), ("fsync", "on"), ("full_page_writes", "on")];

/// Reads the settings back, in their order.
macro_rules! settings {
    () => {
        "SELECT current_setting('synchronous_commit'), current_setting('fsync'), current_setting('full_page_writes')"
    };
}

/// Begins, and takes the advisory lock that every writer of a ledger takes: the letters `adjudge` as a number. One lock
/// per batch is much cheaper than a locked head row per request. The settings are read back each time, since a server
/// applies new ones whenever its configuration is reloaded.
const BEGIN: &str = concat!("BEGIN; SELECT pg_advisory_xact_lock(27413481139758949); ", settings!());

/// Commits, and reads back the settings of the commit: they do not change within one message.
const COMMIT: &str = concat!("COMMIT; ", settings!());

/// Set in every session: a commit waits for the disk, and nothing waits for ever.
const SESSION_SETTINGS: &str = "SET synchronous_commit = on; SET lock_timeout = '5s'; SET statement_timeout = '10s'; \
    SET idle_in_transaction_session_timeout = '30s'; SET TIME ZONE 'UTC'";

/// Set in every session too: plan each statement once, and by its indexes, regardless of the statistics. A table that
/// has just grown has no statistics yet, and in one that was analysed a few values may prevail: with such statistics
/// the planner read a whole table for every page and every batch. So no plan that reads a table whole, in any form, may
/// be chosen where another exists, and the costs count rows and not pages. JIT compilation is off: the high cost of a
/// sequential scan would trigger it for the smallest statement that needs one.
const PLANNER_SETTINGS: &str = "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_bitmapscan = off; \
    SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off; \
    SET max_parallel_workers_per_gather = 0; SET seq_page_cost = 0; SET random_page_cost = 0; SET jit = off";

pub(super) async fn open(url: &str) -> Result<Engine, DbError> {
    let failed = DbError::context("connecting to it");
    let options = PgConnectOptions::from_str(url).map_err(&failed)?.application_name("adjudge");
    // Migrating a large ledger takes its time, and may use any join: it has a connection of its own.
    let mut migrating = PgConnection::connect_with(&options).await.map_err(&failed)?;
    // Checked here as well as on every connection of the pool, whose error would only be a timeout.
    migrating.execute("SET synchronous_commit = on").await.map_err(&failed)?;
    check_settings(&mut migrating).await?;
    migrations::postgres().run(&mut migrating).await?;
    migrating.close().await.map_err(&failed)?;
    let pool = pool().connect_with(options).await.map_err(&failed)?;
    Ok(Engine::Postgres(pool, Arc::new(Semaphore::new(WRITERS))))
}

/// A connection to write on, once this writer's turn has come.
///
/// # Errors
/// If none becomes available in time.
pub(super) async fn acquire_writer(pool: &PgPool, writers: &Arc<Semaphore>) -> Result<Connection, DbError> {
    let failed = DbError::context("taking the write lock");
    let turn = tokio::time::timeout(WAIT_TIMEOUT, Arc::clone(writers).acquire_owned()).await;
    let turn = turn.map_err(|_| failed(sqlx::Error::PoolTimedOut))?.map_err(|_| failed(sqlx::Error::PoolClosed))?;
    Ok(Connection::Postgres { own: pool.acquire().await.map_err(failed)?, _turn: turn })
}

fn pool() -> PgPoolOptions {
    PgPoolOptions::new().min_connections(1).max_connections(CONNECTIONS).acquire_timeout(WAIT_TIMEOUT).after_connect(
        |connection, _| {
            Box::pin(async move {
                connection.execute(SESSION_SETTINGS).await?;
                connection.execute(PLANNER_SETTINGS).await?;
                check_settings(connection).await.map_err(|error| sqlx::Error::Configuration(Box::new(error)))
            })
        },
    )
}

async fn check_settings(connection: &mut PgConnection) -> Result<(), DbError> {
    ask(connection, "reading its settings back", settings!()).await
}

/// Begins a transaction under the write lock.
///
/// # Errors
/// [`DbError::Setting`] if the server's settings can lose what it commits.
pub(super) async fn begin(connection: &mut PgConnection) -> Result<(), DbError> {
    let begun = ask(connection, "taking the write lock", BEGIN).await;
    if let Err(DbError::Setting { .. }) = begun {
        // The connection returns to the pool and may read: a new one would be refused for as long as the setting stays.
        connection.execute("ROLLBACK").await.map_err(DbError::context("giving the write lock back"))?;
    }
    begun
}

/// Commits.
///
/// # Errors
/// [`DbError::NotDurable`] if the server's settings were changed after the transaction began, so that it can lose what
/// it commits.
pub(super) async fn commit(connection: &mut PgConnection) -> Result<(), DbError> {
    ask(connection, "committing", COMMIT).await.map_err(|error| match error {
        DbError::Setting { setting, wanted, found } => DbError::NotDurable { setting, wanted, found },
        error => error,
    })
}

/// Sends statements of which the last one reads the settings, and compares the settings.
async fn ask(connection: &mut PgConnection, doing: &'static str, statements: &'static str) -> Result<(), DbError> {
    let failed = DbError::context(doing);
    let rows = connection.fetch_all(statements).await.map_err(&failed)?;
    let row = rows.last().ok_or_else(|| failed(sqlx::Error::RowNotFound))?;
    for (column, (setting, wanted)) in SETTINGS.into_iter().enumerate() {
        let found: String = row.try_get(column).map_err(&failed)?;
        if found != wanted {
            return Err(DbError::Setting { setting, wanted, found });
        }
    }
    Ok(())
}

/// The query plan of a statement for any arguments, one line a step.
pub(super) async fn plan(pool: &PgPool, statement: Statement) -> Result<Vec<String>, DbError> {
    let failed = DbError::context("planning a statement");
    let count = (1..=u16::MAX).take_while(|number| statement.0.contains(&format!("${number}"))).count();
    let nulls = if count == 0 { String::new() } else { format!("({})", vec!["NULL"; count].join(", ")) };
    let mut own = pool.acquire().await.map_err(&failed)?;
    own.execute(AssertSqlSafe(format!("PREPARE planned AS {}", statement.0))).await.map_err(&failed)?;
    let explain = AssertSqlSafe(format!("EXPLAIN (COSTS OFF) EXECUTE planned{nulls}"));
    let lines = sqlx::query_scalar(explain).persistent(false).fetch_all(&mut *own).await.map_err(&failed)?;
    own.execute("DEALLOCATE planned").await.map_err(failed)?;
    Ok(lines)
}

pub(super) async fn fetch<'e>(
    from: impl Executor<'e, Database = Postgres>,
    statement: Statement,
    args: &[Arg<'_>],
) -> Result<Vec<Cells>, DbError> {
    let rows = bound(statement, args).fetch_all(from).await.map_err(DbError::context("reading"))?;
    Ok(rows.into_iter().map(Cells::Postgres).collect())
}

pub(super) fn bound(statement: Statement, args: &[Arg<'_>]) -> sqlx::query::Query<'static, Postgres, PgArguments> {
    args.iter().fold(sqlx::query(statement.0), |query, arg| match arg {
        Arg::Int(number) => query.bind(*number),
        Arg::Text(text) => query.bind((*text).to_owned()),
        Arg::NoInt => query.bind(None::<i64>),
        Arg::NoText => query.bind(None::<String>),
    })
}
