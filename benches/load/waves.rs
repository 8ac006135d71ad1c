//! How many slips a second: each client sends the next slip as soon as it has its answer.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use super::{Connection, Expected, Slips};

/// Lets so many clients file slips for so long, and says how many were answered.
///
/// # Errors
/// The first wrong answer of any client.
pub async fn waves(
    address: SocketAddr,
    slips: &Arc<Slips>,
    expected: Expected,
    clients: usize,
    time: Duration,
) -> anyhow::Result<u64> {
    let mut connections = Vec::with_capacity(clients);
    for _ in 0..clients {
        connections.push(Connection::open(address).await?);
    }
    let end = Instant::now() + time;
    let mut tasks = JoinSet::new();
    for connection in connections {
        tasks.spawn(client(connection, Arc::clone(slips), expected, end));
    }
    let mut answered = 0;
    while let Some(done) = tasks.join_next().await {
        answered += done??;
    }
    Ok(answered)
}

async fn client(
    mut connection: Connection,
    slips: Arc<Slips>,
    expected: Expected,
    end: Instant,
) -> anyhow::Result<u64> {
    let mut answered = 0;
    while Instant::now() < end {
        connection.file(&slips.next(expected)).await?;
        answered += 1;
    }
    Ok(answered)
}
