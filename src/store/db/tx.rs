//! A write transaction, which holds the database's one write lock from its first moment.
//!
//! It is begun and ended by plain statements on a connection of its own. Where it ends in any other way
//! than by a commit or a rollback that succeeded, the connection is closed and not used again: after a
//! failed commit nobody can say what state it is in.

use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::{Executor as _, Postgres, Sqlite};

use super::{Arg, DbError, Row, postgres, sqlite};
use crate::store::statements::Statement;

/// How long a statement of a transaction over the network may take before it counts as lost. A file's
/// statements are never given up: they end.
const SLOWEST_STEP: Duration = Duration::from_secs(12);

/// Dropped without a commit it leaves nothing behind.
#[derive(Debug)]
pub struct Tx {
    connection: Connection,
    /// Whether the connection may go back to its pool.
    is_clean: bool,
}

#[derive(Debug)]
pub(super) enum Connection {
    Sqlite(PoolConnection<Sqlite>),
    Postgres(PoolConnection<Postgres>),
}

impl Tx {
    /// A transaction on a connection that nobody else uses.
    pub(super) async fn begin(connection: Connection) -> Result<Self, DbError> {
        let mut tx = Self { connection, is_clean: false };
        let begin = match &tx.connection {
            Connection::Sqlite(_) => sqlite::BEGIN,
            Connection::Postgres(_) => postgres::BEGIN,
        };
        tx.run("taking the write lock", begin).await?;
        Ok(tx)
    }

    /// Reads within the transaction.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn fetch(&mut self, statement: Statement, args: &[Arg<'_>]) -> Result<Vec<Row>, DbError> {
        match &mut self.connection {
            Connection::Sqlite(own) => sqlite::fetch(&mut **own, statement, args).await,
            Connection::Postgres(own) => in_time("reading", postgres::fetch(&mut **own, statement, args)).await,
        }
    }

    /// Writes, and says how many rows it touched.
    ///
    /// # Errors
    /// Where the database fails or a constraint forbids it.
    pub async fn execute(&mut self, statement: Statement, args: &[Arg<'_>]) -> Result<u64, DbError> {
        let failed = DbError::while_("writing");
        match &mut self.connection {
            Connection::Sqlite(own) => {
                let done = sqlite::bound(statement, args).execute(&mut **own).await.map_err(failed)?;
                Ok(done.rows_affected())
            }
            Connection::Postgres(own) => {
                let write = async { postgres::bound(statement, args).execute(&mut **own).await.map_err(failed) };
                Ok(in_time("writing", write).await?.rows_affected())
            }
        }
    }

    /// Makes it durable. Only after this may anybody be told.
    ///
    /// # Errors
    /// Where the database fails. Nothing was written then, unless the error's kind is
    /// [`Lost`](super::Kind::Lost): then nobody knows, and the entry must be looked for.
    pub async fn commit(mut self) -> Result<(), DbError> {
        self.run("committing", "COMMIT").await?;
        self.is_clean = true;
        Ok(())
    }

    /// Gives the write lock back and leaves nothing behind.
    ///
    /// # Errors
    /// Where the database fails; nothing was written all the same.
    pub async fn rollback(mut self) -> Result<(), DbError> {
        self.run("giving the write lock back", "ROLLBACK").await?;
        self.is_clean = true;
        Ok(())
    }

    async fn run(&mut self, doing: &'static str, text: &'static str) -> Result<(), DbError> {
        let failed = DbError::while_(doing);
        match &mut self.connection {
            Connection::Sqlite(own) => own.execute(text).await.map(drop).map_err(failed),
            Connection::Postgres(own) => {
                in_time(doing, async { own.execute(text).await.map(drop).map_err(failed) }).await
            }
        }
    }
}

impl Drop for Tx {
    fn drop(&mut self) {
        if self.is_clean {
            return;
        }
        match &mut self.connection {
            Connection::Sqlite(own) => own.close_on_drop(),
            Connection::Postgres(own) => own.close_on_drop(),
        }
    }
}

async fn in_time<T>(doing: &'static str, step: impl Future<Output = Result<T, DbError>>) -> Result<T, DbError> {
    tokio::time::timeout(SLOWEST_STEP, step).await.unwrap_or(Err(DbError::Slow { doing }))
}
