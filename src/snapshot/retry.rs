//! When lexica that could not be opened are tried again.

use std::time::Duration;

/// How long after a try the next one comes. Each reads and hashes whole files, and any client can trigger a refresh.
const RETRY_EVERY_REFRESHES: Duration = Duration::from_secs(2);

/// The last try, on the monotonic clock.
pub(super) struct RetryTimer(Duration);

impl RetryTimer {
    pub(super) fn new(passed: Duration) -> Self {
        Self(passed)
    }

    /// Whether the next try is due; if so, the timer restarts.
    pub(super) fn is_due(&mut self, passed: Duration) -> bool {
        let is_due = passed.saturating_sub(self.0) >= RETRY_EVERY_REFRESHES;
        if is_due {
            self.0 = passed;
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_lexicon_is_retried_every_two_seconds_however_often_the_snapshot_refreshes() {
        let mut timer = RetryTimer::new(Duration::from_secs(7));
        let looks = (7_000..=13_000).map(Duration::from_millis);
        let tries: Vec<_> = looks.filter(|passed| timer.is_due(*passed)).map(|passed| passed.as_secs()).collect();
        assert_eq!(tries, [9, 11, 13]);
    }
}
