//! How long a player waits: slips fall due by the clock, answered or not (an open loop).

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::{Connection, Expected, Slips};

/// The waits of all slips, sorted; each from the moment at which the slip fell due.
pub struct Waits(Vec<Duration>);

impl Waits {
    /// The wait that this share of slips did not exceed.
    pub fn percentile(&self, share: f64) -> Duration {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place in the list")]
        let place = (self.0.len() as f64 * share).ceil() as usize;
        self.0.get(place.saturating_sub(1)).copied().unwrap_or_default()
    }

    pub fn count(&self) -> usize {
        self.0.len()
    }
}

/// What the clients share: which slip is next, and when each falls due.
struct Clock {
    begun: Instant,
    every: Duration,
    slips: u32,
    taken: AtomicU32,
    due: Semaphore,
}

impl Clock {
    fn due_at(&self, slip: u32) -> Instant {
        self.begun + self.every * slip
    }

    /// Lets slip after slip fall due. A thread, because timers of the runtime are a millisecond coarse.
    fn tick(&self) {
        for slip in 0..self.slips {
            std::thread::sleep(self.due_at(slip).saturating_duration_since(Instant::now()));
            self.due.add_permits(1);
        }
    }
}

/// Files `rate` slips a second for some time, over as many connections as may wait at once.
///
/// # Errors
/// The first wrong answer of any client.
pub async fn paced(
    address: SocketAddr,
    slips: &Arc<Slips>,
    expected: Expected,
    rate: u32,
    time: Duration,
    clients: usize,
) -> anyhow::Result<Waits> {
    let mut connections = Vec::with_capacity(clients);
    for _ in 0..clients {
        connections.push(Connection::open(address).await?);
    }
    let every = Duration::from_secs(1) / rate.max(1);
    let count = u32::try_from(time.as_nanos() / every.as_nanos().max(1))?;
    let clock =
        Clock { begun: Instant::now() + every, every, slips: count, taken: AtomicU32::new(0), due: Semaphore::new(0) };
    let clock = Arc::new(clock);
    let ticking = std::thread::spawn({
        let clock = Arc::clone(&clock);
        move || clock.tick()
    });
    let mut tasks = JoinSet::new();
    for connection in connections {
        tasks.spawn(client(connection, Arc::clone(&clock), Arc::clone(slips), expected));
    }
    let mut waits = Vec::new();
    while let Some(done) = tasks.join_next().await {
        waits.extend(done??);
    }
    drop(ticking.join());
    waits.sort_unstable();
    Ok(Waits(waits))
}

async fn client(
    mut connection: Connection,
    clock: Arc<Clock>,
    slips: Arc<Slips>,
    expected: Expected,
) -> anyhow::Result<Vec<Duration>> {
    let mut waits = Vec::new();
    loop {
        let next = slips.next(expected);
        let number = clock.taken.fetch_add(1, Ordering::Relaxed);
        if number >= clock.slips {
            return Ok(waits);
        }
        clock.due.acquire().await?.forget();
        connection.file(&next).await?;
        waits.push(clock.due_at(number).elapsed());
    }
}
