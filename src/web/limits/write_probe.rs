//! The pulse of the server: whether its ledger can be written. Anybody may ask, as often as he likes, and trying takes the
//! write lock from those who play; so it is tried at most once a second.

use std::time::Duration;

use tokio::sync::Mutex;

/// How long an outcome is remembered.
const LASTS: Duration = Duration::from_secs(1);

/// What the last try came to.
#[derive(Debug, Default)]
pub struct CachedWriteProbe(Mutex<Option<Felt>>);

#[derive(Clone, Copy, Debug)]
struct Felt {
    at: Duration,
    is_good: bool,
}

impl CachedWriteProbe {
    /// Whether the ledger can be written: as it was found within the last second, or else as it is found now by
    /// `try_it`. `passed` reads a clock that never goes back.
    pub async fn felt(&self, passed: impl Fn() -> Duration, try_it: impl Future<Output = bool>) -> bool {
        // Whoever comes while it is being tried waits for that and does not try for himself.
        let mut last = self.0.lock().await;
        let now = passed();
        if let Some(felt) = last.filter(|felt| now.saturating_sub(felt.at) < LASTS) {
            return felt.is_good;
        }
        let is_good = try_it.await;
        // What is good is so from the beginning of its try, so that it is never said of what is older. What is not is so
        // from its end: else those who waited would each try anew, one after the other.
        let at = if is_good { now } else { passed() };
        *last = Some(Felt { at, is_good });
        is_good
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

    use super::*;

    #[tokio::test]
    async fn it_is_tried_once_a_second_however_often_it_is_asked() {
        let (write_probe, tried, clock) = (CachedWriteProbe::default(), AtomicU32::new(0), AtomicU64::new(0));
        let passed = || Duration::from_millis(clock.load(Ordering::Relaxed));
        let tried = &tried;
        let ask = |is_good: bool| {
            write_probe.felt(passed, async move {
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
    async fn a_slow_success_is_not_remembered_longer_than_a_second_from_its_beginning() {
        let (write_probe, clock) = (CachedWriteProbe::default(), AtomicU64::new(0));
        let passed = || Duration::from_millis(clock.load(Ordering::Relaxed));
        let slowly = |is_good: bool| async move { is_good };
        assert!(
            write_probe
                .felt(passed, async {
                    clock.store(4_000, Ordering::Relaxed);
                    slowly(true).await
                })
                .await
        );
        assert!(!write_probe.felt(passed, slowly(false)).await, "it was found good four seconds ago");
        // A failure counts from its end.
        assert!(!write_probe.felt(passed, slowly(true)).await);
    }
}
