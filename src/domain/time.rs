//! Moments, as the ledger and the API write them. This module reads no clock.

use std::fmt;

/// A moment in microseconds since 1970-01-01T00:00:00Z, in UTC.
///
/// Written as RFC 3339 with exactly six decimals: `2026-11-29T09:12:00.000000Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp(i64);

/// The text is no moment in the one form that the ledger uses.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("{0:?} is no time of the form 2026-11-29T09:12:00.000000Z")]
pub struct NoTimestamp(pub String);

impl Timestamp {
    /// The moment `micros` microseconds after 1970; moments outside the years -9999 to 9999 are
    /// clamped, so that every `Timestamp` can be written.
    #[must_use]
    pub fn from_micros(micros: i64) -> Self {
        let (first, last) = (jiff::Timestamp::MIN, jiff::Timestamp::MAX);
        Self(micros.clamp(first.as_second() * 1_000_000, last.as_second() * 1_000_000))
    }

    /// Microseconds since 1970.
    #[must_use]
    pub fn micros(self) -> i64 {
        self.0
    }

    /// Milliseconds since 1970, never negative; the time part of an id.
    #[must_use]
    pub fn unix_millis(self) -> u64 {
        u64::try_from(self.0 / 1_000).unwrap_or(0)
    }

    /// The calendar day in UTC, for example `2026-11-29`.
    #[must_use]
    pub fn day(self) -> String {
        self.to_string().chars().take(10).collect()
    }

    /// The calendar day in a time zone of the IANA's list; in UTC where it is none.
    #[must_use]
    pub fn day_in(self, zone: &str) -> String {
        let zone = jiff::tz::TimeZone::get(zone).unwrap_or(jiff::tz::TimeZone::UTC);
        let moment = jiff::Timestamp::from_microsecond(self.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        zone.to_datetime(moment).date().to_string()
    }

    /// The first moment of a calendar day in a time zone of the IANA's list, in UTC where it is none; `None` where the
    /// text is no day.
    #[must_use]
    pub fn start_of(day: &str, zone: &str) -> Option<Self> {
        let day: jiff::civil::Date = day.parse().ok()?;
        let zone = jiff::tz::TimeZone::get(zone).unwrap_or(jiff::tz::TimeZone::UTC);
        Some(Self::from_micros(zone.to_timestamp(day.at(0, 0, 0, 0)).ok()?.as_microsecond()))
    }

    /// Reads the form that [`fmt::Display`] writes, and no other.
    ///
    /// # Errors
    /// [`NoTimestamp`] for any other text.
    pub fn parse(text: &str) -> Result<Self, NoTimestamp> {
        let refused = || NoTimestamp(text.to_owned());
        let moment: jiff::Timestamp = text.parse().map_err(|_| refused())?;
        let read = Self(moment.as_microsecond());
        if read.to_string() == text { Ok(read) } else { Err(refused()) }
    }
}

impl Timestamp {
    /// Reads a moment in the form of RFC 3339, with any offset from UTC.
    #[must_use]
    pub fn parse_any(text: &str) -> Option<Self> {
        let moment: jiff::Timestamp = text.parse().ok()?;
        Some(Self::from_micros(moment.as_microsecond()))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moment = jiff::Timestamp::from_microsecond(self.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        write!(f, "{moment:.6}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_decimals_are_always_written() {
        assert_eq!(Timestamp::from_micros(0).to_string(), "1970-01-01T00:00:00.000000Z");
        assert_eq!(Timestamp::from_micros(1_795_943_520_000_001).to_string(), "2026-11-29T09:12:00.000001Z");
    }

    #[test]
    fn only_the_written_form_is_read() {
        let text = "2026-11-29T09:12:00.000001Z";
        assert_eq!(Timestamp::parse(text), Ok(Timestamp::from_micros(1_795_943_520_000_001)));
        for other in ["2026-11-29T09:12:00Z", "2026-11-29T10:12:00.000001+01:00", "2026-11-29", ""] {
            assert_eq!(Timestamp::parse(other), Err(NoTimestamp(other.to_owned())));
        }
    }

    #[test]
    fn a_moment_beyond_the_calendar_is_clamped_to_it() {
        let far = Timestamp::from_micros(i64::MAX);
        assert!(far.to_string().starts_with("9999-12-"), "{far}");
    }
}
