//! How often is asked: a station that asks for one ruling after the other learns words, and so does a table at which
//! one slip follows the other. Each server counts for itself, by
//! time that passes and no clock: whoever sets a clock back locks nobody out.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How many writing requests a minute are taken from a station.
pub const STATION_REQUESTS_PER_MINUTE: usize = 30;

/// How many are taken from a client whose token says nothing else.
pub const CLIENT_REQUESTS_PER_MINUTE: usize = 60;

/// How many slips stations may file for one table within a minute, all stations together.
const OF_A_TABLE: usize = 6;

/// How many slips of one station within a minute no hall gives rise to: each takes two players a quarter of one.
const HURRIED: usize = 7;

/// How often somebody may try to come in from one address within a minute. Behind a router of its own a whole hall
/// has one.
const OF_AN_ADDRESS: usize = 60;

/// How often the first run's code may be tried from one address within a minute: of 2^40 codes a thousand addresses try
/// less than one in ten million while it is good.
const FIRST_RUN_TRIES: usize = 5;

const MINUTE: Duration = Duration::from_mins(1);

/// When the spots are swept of those that nobody asked for in the last minute.
const MAX_KEYS: usize = 10_000;

/// Who was asked for, and when, within the last minute.
#[derive(Clone, Debug, Default)]
pub struct RateLimits(Arc<Mutex<HashMap<String, VecDeque<Duration>>>>);

/// Somebody asks too often. After so many seconds there is room again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMany {
    pub retry_after_s: u64,
}

impl RateLimits {
    /// Counts a request of a station or client, of which so many are taken within a minute.
    ///
    /// # Errors
    /// [`TooMany`]; nothing is counted then.
    pub fn request(&self, token: &str, most: usize, now: Duration) -> Result<(), TooMany> {
        self.take(format!("token {token}"), most, now)
    }

    /// Counts a try to come in from an address.
    ///
    /// # Errors
    /// [`TooMany`]; nothing is counted then.
    pub fn coming_in(&self, address: IpAddr, now: Duration) -> Result<(), TooMany> {
        self.take(format!("door {address}"), OF_AN_ADDRESS, now)
    }

    /// Counts a try of the first run's code from another machine. Whoever is at the machine itself is not kept waiting by
    /// what others try.
    ///
    /// # Errors
    /// [`TooMany`]; nothing is counted then.
    pub fn first_run(&self, address: IpAddr, now: Duration) -> Result<(), TooMany> {
        if address.to_canonical().is_loopback() {
            return Ok(());
        }
        self.take(format!("first run {address}"), FIRST_RUN_TRIES, now)
    }

    /// Counts a look into the ledger for a secret from an address that is unknown as yet.
    ///
    /// # Errors
    /// [`TooMany`]; nothing is counted then.
    pub fn unknown_secret(&self, address: IpAddr, now: Duration) -> Result<(), TooMany> {
        self.take(format!("unknown secret {address}"), OF_AN_ADDRESS, now)
    }

    /// Takes back what was counted: the request had been answered before.
    pub fn was_replayed(&self, token: &str) {
        self.give_back(&format!("token {token}"));
    }

    /// Notes that a key of a token has an answer now: for a minute its repetitions need not be counted first.
    pub fn was_answered(&self, token: &str, key: &str, now: Duration) {
        // It may have been noted before.
        let _ = self.take(answered_spot(token, key), 1, now);
    }

    /// Whether a key of a token got its answer here within the last minute.
    #[must_use]
    pub fn is_answered(&self, token: &str, key: &str, now: Duration) -> bool {
        let spots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let noted = spots.get(&answered_spot(token, key)).and_then(VecDeque::back);
        noted.is_some_and(|at| now.saturating_sub(*at) < MINUTE)
    }

    /// Counts a slip that a station files for a table.
    ///
    /// # Errors
    /// [`TooMany`]; nothing is counted then.
    pub fn table(&self, tournament: &str, table: i64, now: Duration) -> Result<(), TooMany> {
        self.take(format!("table {tournament} {table}"), OF_A_TABLE, now)
    }

    /// Counts a slip of a station, and says whether the director is to be told that its slips, or those of the table that was
    /// refused, come too fast: so many within a minute. Once a minute is enough.
    #[must_use]
    pub fn hurries(&self, station: &str, is_refused: bool, now: Duration) -> Option<usize> {
        let are_many = self.take(format!("slips {station}"), HURRIED - 1, now).is_err();
        let is_told = (is_refused || are_many) && self.take(format!("told {station}"), 1, now).is_ok();
        is_told.then_some(if is_refused { OF_A_TABLE } else { HURRIED })
    }

    /// Takes back what was counted for a table.
    pub fn table_was_replayed(&self, tournament: &str, table: i64) {
        self.give_back(&format!("table {tournament} {table}"));
    }

    fn take(&self, spot: String, most: usize, now: Duration) -> Result<(), TooMany> {
        let is_old = |at: &Duration| now.saturating_sub(*at) >= MINUTE;
        let mut spots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if spots.len() > MAX_KEYS {
            spots.retain(|_, asked| !asked.back().is_none_or(is_old));
        }
        let asked = spots.entry(spot).or_default();
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

    fn give_back(&self, spot: &str) {
        let mut spots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(asked) = spots.get_mut(spot) {
            asked.pop_back();
        }
    }
}

fn answered_spot(token: &str, key: &str) -> String {
    format!("answered {token} {key}")
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
    fn the_director_is_told_once_a_minute_of_slips_that_come_too_fast() {
        let rate_limits = RateLimits::default();
        let told: Vec<_> = (0..24).map(|slip| rate_limits.hurries("s", false, second(slip * 5))).collect();
        let at: Vec<usize> = told.iter().enumerate().filter(|(_, told)| told.is_some()).map(|(slip, _)| slip).collect();
        assert_eq!(at, [6, 18]);
        assert_eq!(told[6], Some(7));
        assert_eq!(rate_limits.hurries("t", true, second(0)), Some(6), "a table was refused");
        assert!((0..20).all(|slip| rate_limits.hurries("calm", false, second(slip * 15)).is_none()));
    }

    #[test]
    fn strangers_try_the_first_code_five_times_a_minute_and_whoever_is_at_the_machine_as_often_as_it_takes() {
        let rate_limits = RateLimits::default();
        let [stranger, other] = [IpAddr::from([192, 168, 1, 66]), IpAddr::from([192, 168, 1, 67])];
        let tries = |address, at| (0..100).filter(|_| rate_limits.first_run(address, second(at)).is_ok()).count();
        assert_eq!((tries(stranger, 0), tries(other, 0), tries(stranger, 60)), (5, 5, 5));
        assert_eq!(tries(IpAddr::from([127, 0, 0, 1]), 0), 100);
        assert_eq!(tries(IpAddr::from([0, 0, 0, 0, 0, 0, 0, 1]), 0), 100);
        assert_eq!(tries("::ffff:127.0.0.1".parse().unwrap(), 0), 100);
    }

    #[test]
    fn an_answered_key_is_known_for_a_minute_and_to_its_token_alone() {
        let rate_limits = RateLimits::default();
        assert!(!rate_limits.is_answered("s", "k", second(0)));
        rate_limits.was_answered("s", "k", second(0));
        assert!(rate_limits.is_answered("s", "k", second(59)));
        assert!(!rate_limits.is_answered("t", "k", second(59)) && !rate_limits.is_answered("s", "l", second(59)));
        assert!(!rate_limits.is_answered("s", "k", second(60)));
    }

    #[test]
    fn what_was_replayed_is_not_counted() {
        let rate_limits = RateLimits::default();
        for _ in 0..100 {
            assert_eq!(rate_limits.request("s", 30, second(0)), Ok(()));
            rate_limits.was_replayed("s");
        }
        let taken = (0..100).take_while(|_| rate_limits.request("s", 30, second(0)).is_ok()).count();
        assert_eq!(taken, 30);
    }
}
