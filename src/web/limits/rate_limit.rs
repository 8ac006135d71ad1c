//! Rate limits for stations, tables, clients and addresses, against dictionary probing and guessing. They are in the
//! memory of each server and use the monotonic clock, so that setting a clock back locks no one out.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Writing requests of a station.
pub const STATION_REQUESTS_PER_MINUTE: usize = 30;

/// Writing requests of a client whose token names no other limit.
pub const CLIENT_REQUESTS_PER_MINUTE: usize = 60;

/// Slips for one table, of all stations together.
const TABLE_SLIPS_PER_MINUTE: usize = 6;

/// Alert threshold: more slips of one station than real play produces (two players need about 15 s for one).
const RAPID_FILING_PER_MINUTE: usize = 7;

/// Attempts to sign in from one address. A whole hall behind a router has one address.
const ADDRESS_ATTEMPTS_PER_MINUTE: usize = 60;

/// Attempts with the code of the first run from one address: while it is valid, a thousand addresses try less than one
/// in ten million of 2^40 codes.
const FIRST_RUN_ATTEMPTS_PER_MINUTE: usize = 5;

const MINUTE: Duration = Duration::from_mins(1);

/// Above this many keys, those that were not used in the last minute are removed.
const MAX_KEYS: usize = 10_000;

/// When each key was used within the last minute.
#[derive(Clone, Debug, Default)]
pub struct RateLimits(Arc<Mutex<HashMap<String, VecDeque<Duration>>>>);

/// A limit is reached. After this many seconds a request is accepted again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMany {
    pub retry_after_s: u64,
}

impl RateLimits {
    /// Counts a request of a station or client, of which `most` are accepted within a minute.
    ///
    /// # Errors
    /// [`TooMany`]; nothing is counted then.
    pub fn request(&self, token: &str, most: usize, now: Duration) -> Result<(), TooMany> {
        self.take(format!("token {token}"), most, now)
    }

    /// Counts an attempt to sign in from an address.
    ///
    /// # Errors
    /// [`TooMany`]; nothing is counted then.
    pub fn sign_in(&self, address: IpAddr, now: Duration) -> Result<(), TooMany> {
        self.take(format!("sign-in {address}"), ADDRESS_ATTEMPTS_PER_MINUTE, now)
    }

    /// Counts an attempt with the code of the first run from another machine. Others' attempts never delay the machine
    /// itself.
    ///
    /// # Errors
    /// [`TooMany`]; nothing is counted then.
    pub fn first_run(&self, address: IpAddr, now: Duration) -> Result<(), TooMany> {
        if address.to_canonical().is_loopback() {
            return Ok(());
        }
        self.take(format!("first run {address}"), FIRST_RUN_ATTEMPTS_PER_MINUTE, now)
    }

    /// Counts a read of the ledger for an unknown secret from an address.
    ///
    /// # Errors
    /// [`TooMany`]; nothing is counted then.
    pub fn unknown_secret(&self, address: IpAddr, now: Duration) -> Result<(), TooMany> {
        self.take(format!("unknown secret {address}"), ADDRESS_ATTEMPTS_PER_MINUTE, now)
    }

    /// Counts a slip that a station files for a table.
    ///
    /// # Errors
    /// [`TooMany`]; nothing is counted then.
    pub fn table(&self, tournament: &str, table: i64, now: Duration) -> Result<(), TooMany> {
        self.take(format!("table {tournament} {table}"), TABLE_SLIPS_PER_MINUTE, now)
    }

    /// Counts a slip of a station. Gives the number of slips in a minute if the director is to be alerted, because this
    /// station's slips or those for the refused table come too fast; at most once a minute.
    #[must_use]
    pub fn rapid_filing_alert(&self, station: &str, is_refused: bool, now: Duration) -> Option<usize> {
        let are_many = self.take(format!("slips {station}"), RAPID_FILING_PER_MINUTE - 1, now).is_err();
        let is_alerted = (is_refused || are_many) && self.take(format!("rapid filing {station}"), 1, now).is_ok();
        is_alerted.then_some(if is_refused { TABLE_SLIPS_PER_MINUTE } else { RAPID_FILING_PER_MINUTE })
    }

    fn take(&self, location: String, most: usize, now: Duration) -> Result<(), TooMany> {
        let is_old = |at: &Duration| now.saturating_sub(*at) >= MINUTE;
        let mut locations = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if locations.len() > MAX_KEYS {
            locations.retain(|_, asked| !asked.back().is_none_or(is_old));
        }
        let asked = locations.entry(location).or_default();
        while asked.front().is_some_and(is_old) {
            asked.pop_front();
        }
        match asked.front() {
            Some(first) if asked.len() >= most => {
                let left = MINUTE.saturating_sub(now.saturating_sub(*first));
                Err(TooMany { retry_after_s: left.as_secs() + 1 })
            }
            _ => {
                asked.push_back(now);
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn second(second: u64) -> Duration {
        Duration::from_secs(second)
    }

    #[test]
    fn a_table_gets_six_slips_in_any_minute() {
        let rate_limits = RateLimits::default();
        for at in 0..6 {
            assert_eq!(rate_limits.table("lagos", 12, second(at)), Ok(()));
        }
        assert_eq!(rate_limits.table("lagos", 12, second(6)), Err(TooMany { retry_after_s: 55 }));
        assert_eq!(rate_limits.table("lagos", 13, second(6)), Ok(()));
        assert_eq!(rate_limits.table("abuja", 12, second(6)), Ok(()));
        assert_eq!(rate_limits.table("lagos", 12, second(60)), Ok(()));
        assert_eq!(rate_limits.table("lagos", 12, second(60)), Err(TooMany { retry_after_s: 2 }));
    }

    #[test]
    fn the_director_is_alerted_once_a_minute_of_slips_that_come_too_fast() {
        let rate_limits = RateLimits::default();
        let told: Vec<_> = (0..24).map(|slip| rate_limits.rapid_filing_alert("s", false, second(slip * 5))).collect();
        let at: Vec<usize> = told.iter().enumerate().filter(|(_, told)| told.is_some()).map(|(slip, _)| slip).collect();
        assert_eq!(at, [6, 18]);
        assert_eq!(told[6], Some(7));
        assert_eq!(rate_limits.rapid_filing_alert("t", true, second(0)), Some(6), "a table was refused");
        assert!((0..20).all(|slip| rate_limits.rapid_filing_alert("calm", false, second(slip * 15)).is_none()));
    }

    #[test]
    fn the_first_run_code_takes_five_tries_a_minute_except_from_loopback() {
        let rate_limits = RateLimits::default();
        let [stranger, other] = [IpAddr::from([192, 168, 1, 66]), IpAddr::from([192, 168, 1, 67])];
        let tries = |address, at| (0..100).filter(|_| rate_limits.first_run(address, second(at)).is_ok()).count();
        assert_eq!((tries(stranger, 0), tries(other, 0), tries(stranger, 60)), (5, 5, 5));
        assert_eq!(tries(IpAddr::from([127, 0, 0, 1]), 0), 100);
        assert_eq!(tries(IpAddr::from([0, 0, 0, 0, 0, 0, 0, 1]), 0), 100);
        assert_eq!(tries("::ffff:127.0.0.1".parse().unwrap(), 0), 100);
    }
}
