//! The clock and the source of randomness: the only file that reads either. All other code gets times and ids as
//! values.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use uuid::Uuid;

use crate::domain::Timestamp;

/// Where times, ids and secrets come from.
#[derive(Clone, Debug)]
pub enum System {
    /// The machine's clock and the kernel's randomness.
    Real,
    /// For tests: a clock that advances one second a reading, and ids that count.
    Scripted { micros: Arc<AtomicI64>, drawn: Arc<AtomicU64> },
}

/// The kernel gave no randomness, so there can be no id and no secret.
#[derive(Debug, thiserror::Error)]
#[error("the system gives no random bytes ({0}): in a bare container, mount /dev")]
pub struct NoRandomness(getrandom::Error);

impl System {
    /// A system that gives the same times and ids at every run.
    #[must_use]
    pub fn scripted(start: Timestamp) -> Self {
        Self::Scripted { micros: Arc::new(AtomicI64::new(start.micros())), drawn: Arc::default() }
    }

    /// The current time, UTC.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the clock")]
    pub fn now(&self) -> Timestamp {
        match self {
            Self::Real => Timestamp::from_micros(jiff::Timestamp::now().as_microsecond()),
            Self::Scripted { micros, .. } => Timestamp::from_micros(micros.fetch_add(1_000_000, Ordering::Relaxed)),
        }
    }

    /// Monotonic time, independent of changes to the clock. Its origin has no meaning.
    #[must_use]
    pub fn monotonic(&self) -> Duration {
        static START: OnceLock<Instant> = OnceLock::new();
        match self {
            Self::Real => START.get_or_init(Instant::now).elapsed(),
            Self::Scripted { .. } => Duration::from_micros(self.now().micros().unsigned_abs()),
        }
    }

    /// `N` unpredictable bytes.
    ///
    /// # Errors
    /// [`NoRandomness`] if the system has no randomness.
    pub fn random_bytes<const N: usize>(&self) -> Result<[u8; N], NoRandomness> {
        let mut bytes = [0; N];
        match self {
            Self::Real => getrandom::fill(&mut bytes).map_err(NoRandomness)?,
            Self::Scripted { drawn, .. } => {
                let count = drawn.fetch_add(1, Ordering::Relaxed).to_be_bytes();
                for (byte, counted) in bytes.iter_mut().rev().zip(count.iter().rev()) {
                    *byte = *counted;
                }
            }
        }
        Ok(bytes)
    }

    /// A new `UUIDv7` for an event of the given time.
    ///
    /// # Errors
    /// [`NoRandomness`] if the system has no randomness.
    pub fn new_id(&self, now: Timestamp) -> Result<String, NoRandomness> {
        let id = uuid::Builder::from_unix_timestamp_millis(now.unix_millis(), &self.random_bytes()?).into_uuid();
        Ok(id.to_string())
    }

    /// A new `UUIDv7` for an event of the current time.
    ///
    /// # Errors
    /// As [`System::new_id`].
    pub fn new_id_now(&self) -> Result<String, NoRandomness> {
        self.new_id(self.now())
    }
}

/// Whether the text is an id in the form that [`System::new_id`] writes.
#[must_use]
pub fn is_written_id(text: &str) -> bool {
    Uuid::parse_str(text).is_ok_and(|id| id.to_string() == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scripted_system_is_deterministic() {
        let run = || {
            let system = System::scripted(Timestamp::from_micros(1_795_943_520_000_000));
            (system.now(), system.now(), system.new_id(system.now()).unwrap(), system.new_id(system.now()).unwrap())
        };
        assert_eq!(run(), run());
        let (first, second, id, other) = run();
        assert!(first < second);
        assert_ne!(id, other);
        assert!(is_written_id(&id), "{id}");
    }

    #[test]
    fn real_secrets_differ() {
        let draw = || System::Real.random_bytes::<32>().unwrap();
        assert_ne!(draw(), draw());
    }
}
