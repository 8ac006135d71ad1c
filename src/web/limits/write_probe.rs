//! Whether the ledger can be written, cached for one second: `/readyz` is public, and its probe takes the write lock
//! from those who play.

use std::time::Duration;

use tokio::sync::Mutex;

/// How long an outcome is reused.
const CACHE_TIME: Duration = Duration::from_secs(1);

/// The outcome of the last probe.
#[derive(Debug, Default)]
pub struct CachedWriteProbe(Mutex<Option<Probed>>);

#[derive(Clone, Copy, Debug)]
struct Probed {
    at: Duration,
    is_good: bool,
}

impl CachedWriteProbe {
    /// Whether the ledger can be written: by the outcome of the last second, or else by `try_it` now. `passed` reads a
    /// monotonic clock.
    pub async fn is_writable(&self, passed: impl Fn() -> Duration, try_it: impl Future<Output = bool>) -> bool {
        // A caller that arrives during a probe waits for its outcome and starts none.
        let mut last = self.0.lock().await;
        let now = passed();
        if let Some(is_writable) = last.filter(|is_writable| now.saturating_sub(is_writable.at) < CACHE_TIME) {
            return is_writable.is_good;
        }
        let is_good = try_it.await;
        // A success counts from the probe's start, so that it never describes an older state; a failure from its end,
        // since the waiting callers would otherwise each probe anew, one after the other.
        let at = if is_good { now } else { passed() };
        *last = Some(Probed { at, is_good });
        is_good
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

    use super::*;

    #[tokio::test]
    async fn the_write_probe_runs_once_a_second_however_often_it_is_asked() {
        let (write_probe, tried, clock) = (CachedWriteProbe::default(), AtomicU32::new(0), AtomicU64::new(0));
        let passed = || Duration::from_millis(clock.load(Ordering::Relaxed));
        let tried = &tried;
        let ask = |is_good: bool| {
            write_probe.is_writable(passed, async move {
                tried.fetch_add(1, Ordering::Relaxed);
                is_good
            })
        };
        for _ in 0..100 {
            assert!(ask(true).await);
        }
        assert_eq!(tried.load(Ordering::Relaxed), 1);
        clock.store(999, Ordering::Relaxed);
        assert!(ask(false).await, "as it was found less than a second ago");
        clock.store(1_000, Ordering::Relaxed);
        assert!(!ask(false).await, "and no longer");
        assert!(!ask(true).await);
        clock.store(2_000, Ordering::Relaxed);
        assert!(ask(true).await);
        assert_eq!(tried.load(Ordering::Relaxed), 3);
    }

    #[tokio::test]
    async fn a_slow_success_is_cached_for_a_second_from_its_start() {
        let (write_probe, clock) = (CachedWriteProbe::default(), AtomicU64::new(0));
        let passed = || Duration::from_millis(clock.load(Ordering::Relaxed));
        let slowly = |is_good: bool| async move { is_good };
        assert!(
            write_probe
                .is_writable(passed, async {
                    clock.store(4_000, Ordering::Relaxed);
                    slowly(true).await
                })
                .await
        );
        assert!(!write_probe.is_writable(passed, slowly(false)).await, "it was found good four seconds ago");
        // A failure counts from its end.
        assert!(!write_probe.is_writable(passed, slowly(true)).await);
    }
}
