//! The connections to a SQLite database. They are few and local, so the pool lends them and takes them back without a
//! check, and opens none before it is needed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sqlx::ConnectOptions as _;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{DbError, sqlite};
use crate::store::db::sqlite_pipeline::{Answer, Pipeline};

/// How long a caller waits for a connection.
const WAIT_TIMEOUT: Duration = Duration::from_secs(5);

/// Connections with the same options. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct SqlitePool(Arc<PoolState>);

#[derive(Debug)]
struct PoolState {
    options: SqliteConnectOptions,
    most: u32,
    room: Arc<Semaphore>,
    idle: Mutex<Vec<SqliteConnection>>,
}

/// A connection that no other task uses until this is dropped.
#[derive(Debug)]
pub(super) struct PooledConnection {
    /// `None` if the state of the connection is unknown: it is closed then, and its transaction is rolled back.
    connection: Option<SqliteConnection>,
    lender: SqlitePool,
    _room: OwnedSemaphorePermit,
}

impl SqlitePool {
    /// No more than `most` at once; the connections in `idle` are open already.
    pub(super) fn of(options: SqliteConnectOptions, most: u16, idle: Vec<SqliteConnection>) -> Self {
        let room = Arc::new(Semaphore::new(most.into()));
        Self(Arc::new(PoolState { options, most: most.into(), room, idle: Mutex::new(idle) }))
    }

    /// # Errors
    /// If none becomes available in time, or a new one cannot be opened with its settings.
    pub(super) async fn acquire(&self) -> Result<PooledConnection, DbError> {
        let failed = |source| DbError::Engine { doing: "waiting for a connection", source };
        let room = tokio::time::timeout(WAIT_TIMEOUT, Arc::clone(&self.0.room).acquire_owned()).await;
        let room = room.map_err(|_| failed(sqlx::Error::PoolTimedOut))?.map_err(|_| failed(sqlx::Error::PoolClosed))?;
        let idle = self.idle().pop();
        let connection = match idle {
            Some(connection) => connection,
            None => connect(&self.0.options).await?,
        };
        Ok(PooledConnection { connection: Some(connection), lender: self.clone(), _room: room })
    }

    /// Waits for statements under way, and closes all connections; the pool lends none any more.
    pub(super) async fn close(&self) {
        let all_back = self.0.room.acquire_many(self.0.most).await;
        self.0.room.close();
        drop(all_back);
        let idle = std::mem::take(&mut *self.idle());
        for connection in idle {
            // Committed data is on the disk, however the file is closed.
            let _ = sqlx::Connection::close(connection).await;
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<SqliteConnection>> {
        self.0.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PooledConnection {
    /// Runs a pipeline. If it fails, or its caller is cancelled, the connection is not used again.
    ///
    /// # Errors
    /// If a statement fails.
    pub(super) async fn run(&mut self, trip: Pipeline) -> Result<Vec<Answer>, DbError> {
        let is_gone =
            || DbError::Engine { doing: "using a connection that failed", source: sqlx::Error::WorkerCrashed };
        let mut connection = self.connection.take().ok_or_else(is_gone)?;
        let answers = trip.run(&mut connection).await?;
        self.connection = Some(connection);
        Ok(answers)
    }

    /// Closes the connection instead of returning it to the pool.
    pub(super) fn discard(&mut self) {
        self.connection = None;
    }
}

impl Drop for PooledConnection {
    fn drop(&mut self) {
        self.lender.idle().extend(self.connection.take());
    }
}

/// Opens a connection, and checks its settings.
///
/// # Errors
/// If either fails.
pub(super) async fn connect(options: &SqliteConnectOptions) -> Result<SqliteConnection, DbError> {
    let mut connection = options.connect().await.map_err(DbError::context("opening its file"))?;
    sqlite::check_pragmas(&mut connection).await?;
    Ok(connection)
}
