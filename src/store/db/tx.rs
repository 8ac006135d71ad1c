//! A write transaction, which holds the database's one write lock from its first moment.

use std::fmt;
use std::time::Duration;

use sqlx::{Postgres, Sqlite, Transaction};

use super::{Arg, DbError, Row, postgres, sqlite};
use crate::store::statements::Statement;

/// How long a statement of a transaction over the network may take before it counts as lost. A file's
/// statements are never given up: they end.
const SLOWEST_STEP: Duration = Duration::from_secs(12);

/// Dropped without a commit it leaves nothing behind.
pub enum Tx {
    Sqlite(Transaction<'static, Sqlite>),
    Postgres(Transaction<'static, Postgres>),
}

impl Tx {
    /// Reads within the transaction.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn fetch(&mut self, statement: Statement, args: &[Arg<'_>]) -> Result<Vec<Row>, DbError> {
        match self {
            Self::Sqlite(tx) => sqlite::fetch(&mut **tx, statement, args).await,
            Self::Postgres(tx) => in_time("reading", postgres::fetch(&mut **tx, statement, args)).await,
        }
    }

    /// Writes, and says how many rows it touched.
    ///
    /// # Errors
    /// Where the database fails or a constraint forbids it.
    pub async fn execute(&mut self, statement: Statement, args: &[Arg<'_>]) -> Result<u64, DbError> {
        let failed = DbError::while_("writing");
        match self {
            Self::Sqlite(tx) => {
                let done = sqlite::bound(statement, args).execute(&mut **tx).await.map_err(failed)?;
                Ok(done.rows_affected())
            }
            Self::Postgres(tx) => {
                let write = async { postgres::bound(statement, args).execute(&mut **tx).await.map_err(failed) };
                Ok(in_time("writing", write).await?.rows_affected())
            }
        }
    }

    /// Makes it durable. Only after this may anybody be told.
    ///
    /// # Errors
    /// Where the database fails. Nothing was written then, unless the error's kind is
    /// [`Lost`](super::Kind::Lost): then nobody knows, and the entry must be looked for.
    pub async fn commit(self) -> Result<(), DbError> {
        let failed = DbError::while_("committing");
        match self {
            Self::Sqlite(tx) => tx.commit().await.map_err(failed),
            Self::Postgres(tx) => in_time("committing", async { tx.commit().await.map_err(failed) }).await,
        }
    }
}

async fn in_time<T>(doing: &'static str, step: impl Future<Output = Result<T, DbError>>) -> Result<T, DbError> {
    tokio::time::timeout(SLOWEST_STEP, step).await.unwrap_or(Err(DbError::Slow { doing }))
}

impl fmt::Debug for Tx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sqlite(_) => "Tx::Sqlite",
            Self::Postgres(_) => "Tx::Postgres",
        })
    }
}
