//! A write transaction, which holds the database's one write lock from its first statement on.
//!
//! It is begun and ended by plain statements on a connection of its own. If it ends in any other way than by a commit
//! or a rollback that succeeded, the connection is closed and not used again: after a failed commit its state is
//! unknown.
//!
//! On SQLite, writes are sent with the next read or the commit, since every message to its thread costs.

use std::mem;
use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::{Executor as _, Postgres};
use tokio::sync::OwnedSemaphorePermit;

use super::{Arg, DbError, Health, Query, Row, postgres, sqlite};
use crate::store::db::fault_injection;
use crate::store::db::sqlite_pipeline::{Answer, Pipeline};
use crate::store::db::sqlite_pool::PooledConnection;
use crate::store::statements::Statement;

/// How long a statement on a networked database may take before it counts as lost. Statements on a file have no
/// timeout: they end.
const STEP_TIMEOUT: Duration = Duration::from_secs(12);

/// Dropped without a commit, it leaves nothing behind.
#[derive(Debug)]
pub struct Tx {
    connection: Connection,
    health: Health,
    has_begun: bool,
    /// Whether the connection may return to its pool.
    is_clean: bool,
}

/// How a transaction ends.
#[derive(Clone, Copy)]
enum End {
    Commit,
    Rollback,
}

#[derive(Debug)]
pub(super) enum Connection {
    Sqlite(PooledConnection, Pipeline),
    /// With its permit among the writers, which the next writer gets when this is dropped.
    Postgres {
        own: PoolConnection<Postgres>,
        _turn: OwnedSemaphorePermit,
    },
}

impl Tx {
    /// A transaction on a connection that no other task uses.
    pub(super) fn on(connection: Connection, health: Health) -> Self {
        Self { connection, health, has_begun: false, is_clean: true }
    }

    /// Reads within the transaction, and gives the rows of each statement.
    ///
    /// # Errors
    /// If the database fails, or the write lock is not available within five seconds.
    pub async fn fetch_many(&mut self, queries: &[Query<'_>]) -> Result<Vec<Vec<Row>>, DbError> {
        let answers = self.answers_to(queries).await;
        let answers = self.health.weigh_write(answers)?;
        let rows = |answer: Answer| answer.rows.into_iter().map(|cells| cells.of(&self.health)).collect();
        Ok(answers.into_iter().map(rows).collect())
    }

    async fn answers_to(&mut self, queries: &[Query<'_>]) -> Result<Vec<Answer>, DbError> {
        self.begin().await?;
        match &mut self.connection {
            Connection::Sqlite(own, trip) => {
                for ask in queries {
                    trip.add("reading", ask.statement.0, &ask.args);
                }
                let mut answers = own.run(mem::take(trip)).await?;
                Ok(answers.split_off(answers.len().saturating_sub(queries.len())))
            }
            Connection::Postgres { own, .. } => {
                let mut answers = Vec::with_capacity(queries.len());
                for ask in queries {
                    let read = postgres::fetch(&mut **own, ask.statement, &ask.args);
                    answers.push(Answer { rows: in_time("reading", read).await?, touched: 0 });
                }
                Ok(answers)
            }
        }
    }

    /// Reads within the transaction.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn fetch(&mut self, statement: Statement, args: &[Arg<'_>]) -> Result<Vec<Row>, DbError> {
        let rows = self.fetch_many(&[Query { statement, args: args.to_vec() }]).await?;
        Ok(rows.into_iter().flatten().collect())
    }

    /// Writes no later than the next read or the commit; an error of the write is an error of that call.
    ///
    /// # Errors
    /// If the database fails or a constraint forbids it.
    pub async fn execute_later(&mut self, statement: Statement, args: &[Arg<'_>]) -> Result<(), DbError> {
        let begun = self.begin().await;
        self.health.weigh_write(begun)?;
        match &mut self.connection {
            Connection::Sqlite(_, trip) => trip.add("writing", statement.0, args),
            Connection::Postgres { .. } => drop(self.execute(statement, args).await?),
        }
        Ok(())
    }

    /// Writes, and gives how many rows it changed.
    ///
    /// # Errors
    /// If the database fails or a constraint forbids it.
    pub async fn execute(&mut self, statement: Statement, args: &[Arg<'_>]) -> Result<u64, DbError> {
        let touched = self.touched_by(statement, args).await;
        self.health.weigh_write(touched)
    }

    async fn touched_by(&mut self, statement: Statement, args: &[Arg<'_>]) -> Result<u64, DbError> {
        self.begin().await?;
        match &mut self.connection {
            Connection::Sqlite(own, trip) => {
                trip.add("writing", statement.0, args);
                Ok(own.run(mem::take(trip)).await?.last().map_or(0, |answer| answer.touched))
            }
            Connection::Postgres { own, .. } => {
                let failed = DbError::context("writing");
                let write = async { postgres::bound(statement, args).execute(&mut **own).await.map_err(failed) };
                Ok(in_time("writing", write).await?.rows_affected())
            }
        }
    }

    /// Commits durably. Only after this may any client get an answer.
    ///
    /// # Errors
    /// If the database fails. Nothing was written then, unless the error's kind is [`Lost`](super::Kind::Lost): then
    /// the outcome is unknown, and the entry must be looked up.
    pub async fn commit(mut self) -> Result<(), DbError> {
        let ended = self.end(End::Commit).await;
        self.health.weigh_write(ended)?;
        if fault_injection::loses_commits() { Err(DbError::Slow { doing: "committing" }) } else { Ok(()) }
    }

    /// Releases the write lock and leaves nothing behind.
    ///
    /// # Errors
    /// If the database fails; nothing was written in any case.
    pub async fn rollback(mut self) -> Result<(), DbError> {
        let ended = self.end(End::Rollback).await;
        self.health.weigh_write(ended)
    }

    /// Takes the write lock, if the transaction does not have it: on SQLite together with the next statement.
    async fn begin(&mut self) -> Result<(), DbError> {
        if mem::replace(&mut self.has_begun, true) {
            return Ok(());
        }
        self.is_clean = false;
        let doing = "taking the write lock";
        match &mut self.connection {
            Connection::Sqlite(_, trip) => trip.add(doing, sqlite::BEGIN, &[]),
            Connection::Postgres { own, .. } => {
                let begun = in_time(doing, postgres::begin(own)).await;
                // A transaction that was refused for its settings was rolled back.
                self.is_clean = matches!(begun, Err(DbError::Setting { .. }));
                begun?;
            }
        }
        Ok(())
    }

    async fn end(&mut self, end: End) -> Result<(), DbError> {
        self.begin().await?;
        let (doing, text) = match end {
            End::Commit => ("committing", "COMMIT"),
            End::Rollback => ("giving the write lock back", "ROLLBACK"),
        };
        match (&mut self.connection, end) {
            (Connection::Sqlite(own, trip), _) => {
                trip.add(doing, text, &[]);
                own.run(mem::take(trip)).await?;
            }
            (Connection::Postgres { own, .. }, End::Commit) => in_time(doing, postgres::commit(own)).await?,
            (Connection::Postgres { own, .. }, End::Rollback) => send(own, doing, text).await?,
        }
        self.is_clean = true;
        Ok(())
    }
}

impl Drop for Tx {
    fn drop(&mut self) {
        if self.is_clean {
            return;
        }
        match &mut self.connection {
            Connection::Sqlite(own, _) => own.discard(),
            Connection::Postgres { own, .. } => own.close_on_drop(),
        }
    }
}

async fn send(own: &mut PoolConnection<Postgres>, doing: &'static str, text: &'static str) -> Result<(), DbError> {
    in_time(doing, async { own.execute(text).await.map(drop).map_err(DbError::context(doing)) }).await
}

async fn in_time<T>(doing: &'static str, step: impl Future<Output = Result<T, DbError>>) -> Result<T, DbError> {
    tokio::time::timeout(STEP_TIMEOUT, step).await.unwrap_or(Err(DbError::Slow { doing }))
}
