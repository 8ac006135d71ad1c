//! Whether the machine's clock can be trusted. The effective time is the later of the clock and the newest entry of the
//! ledger, so that what has come into force stays in force and `at` never goes back. Source: CONTRACT 3.6.

use std::fmt;

use super::event::ClockDoubted;
use super::time::Timestamp;

/// How far the clock may be behind the newest entry: the clocks of servers on one database differ a little.
pub const MAX_BEHIND_US: i64 = 2 * 60 * 1_000_000;

/// How far the clock may be ahead of the newest entry when the server starts.
pub const MAX_AHEAD_US: i64 = 30 * 24 * 60 * 60 * 1_000_000;

/// Why the clock is not trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockDoubt {
    /// The clock is behind the newest entry: entries get that entry's time until the clock passes it.
    Behind { clock: Timestamp, newest: Timestamp },
    /// The clock was found far ahead of the newest entry at that time, or leapt that far.
    Ahead { clock: Timestamp, newest: Timestamp },
}

impl ClockDoubt {
    /// The doubt about a clock that shows `clock` when the newest entry has the time `newest`. `recorded` is the doubt
    /// that the log `server` records already.
    #[must_use]
    pub fn of(clock: Timestamp, newest: Timestamp, recorded: Option<&ClockDoubted>) -> Option<Self> {
        let is_behind = newest.micros() - clock.micros() > MAX_BEHIND_US;
        let behind = is_behind.then_some(Self::Behind { clock, newest });
        behind.or_else(|| {
            let doubted = recorded?;
            let newest = Timestamp::parse(&doubted.newest).unwrap_or(newest);
            Some(Self::Ahead { clock, newest })
        })
    }
}

/// Whether a clock is so far ahead of a moment that a director must confirm it.
#[must_use]
pub fn is_far_after(clock: Timestamp, moment: Timestamp) -> bool {
    clock.micros() - moment.micros() > MAX_AHEAD_US
}

impl fmt::Display for ClockDoubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Behind { clock, newest } => write!(
                f,
                "the clock of this machine shows {clock}, which is before the newest entry of the ledger, {newest}; new \
                 entries get that time until the clock passes it. Set the clock right (look at the other servers on this \
                 ledger too), then confirm the time on the director's desk or with adjudge clock confirm"
            ),
            Self::Ahead { clock, newest } => write!(
                f,
                "the clock of this machine shows {clock}; the newest entry before was of {newest}, more than 30 days \
                 earlier. If the clock is wrong, set it right; then confirm the time on the director's desk or with \
                 adjudge clock confirm"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(1_795_943_520_000_000 + seconds * 1_000_000)
    }

    #[test]
    fn a_clock_is_doubted_more_than_two_minutes_before_the_newest_entry() {
        assert_eq!(ClockDoubt::of(at(-120), at(0), None), None);
        assert_eq!(ClockDoubt::of(at(-121), at(0), None), Some(ClockDoubt::Behind { clock: at(-121), newest: at(0) }));
    }

    #[test]
    fn a_clock_is_doubted_more_than_thirty_days_after_the_newest_entry() {
        const DAY: i64 = 24 * 60 * 60;
        assert!(!is_far_after(at(30 * DAY), at(0)) && is_far_after(at(30 * DAY + 1), at(0)));
        let doubted = ClockDoubted { newest: at(0).to_string(), clock: at(31 * DAY).to_string() };
        let doubt = ClockDoubt::of(at(31 * DAY + 5), at(31 * DAY), Some(&doubted));
        assert_eq!(doubt, Some(ClockDoubt::Ahead { clock: at(31 * DAY + 5), newest: at(0) }));
    }
}
