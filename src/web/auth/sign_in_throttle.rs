//! Sign-in throttling and password-hash concurrency.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;

use crate::domain::accounts::delay_s;
use crate::store::accounts::secrets::verify_secret;

/// How many passphrases are hashed at once at most: each hash takes 19 MiB and a core from the players' requests. One
/// core is left to them in any case.
const MAX_CONCURRENT_HASHES: usize = 2;

/// How long a sign-in waits for its turn to hash.
const WAIT_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a failed attempt is remembered at least, if many accounts were tried.
const FAILURE_MEMORY: Duration = Duration::from_mins(15);

/// Above this many accounts, old failed attempts are removed.
const MAX_ACCOUNTS: usize = 10_000;

#[derive(Clone, Debug)]
pub struct SignInThrottle {
    hashing: Arc<Semaphore>,
    /// Failed attempts since this server started, and the time of the last one. After a restart a delay begins anew.
    tried: Arc<Mutex<HashMap<String, Tries>>>,
    /// One attempt at a time per account, so that many at once are not all judged by the same count.
    turns: Arc<Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Tries {
    wrong: u64,
    last: Duration,
}

/// How many cores the machine reports.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

impl Default for SignInThrottle {
    fn default() -> Self {
        Self {
            hashing: Arc::new(Semaphore::new(cores().saturating_sub(1).clamp(1, MAX_CONCURRENT_HASHES))),
            tried: Arc::default(),
            turns: Arc::default(),
        }
    }
}

impl SignInThrottle {
    /// Waits until no other attempt for this account is under way, and locks the account.
    pub async fn lock_account(&self, whose: &str) -> tokio::sync::OwnedMutexGuard<()> {
        let lock_account = {
            let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(turns.entry(whose.to_owned()).or_default())
        };
        lock_account.lock_owned().await
    }

    /// Whether the account has to wait after failed attempts in a row.
    #[must_use]
    pub fn is_throttled(&self, whose: &str, fails: u64, now: Duration) -> bool {
        let delay = Duration::from_secs(delay_s(fails));
        let mut tried = self.tried.lock().unwrap_or_else(PoisonError::into_inner);
        let tries = tried.entry(whose.to_owned()).or_insert(Tries { wrong: 0, last: now });
        !delay.is_zero() && now.saturating_sub(tries.last) < delay
    }

    /// How many failed attempts in a row this server saw.
    #[must_use]
    pub fn failures(&self, whose: &str) -> u64 {
        let tried = self.tried.lock().unwrap_or_else(PoisonError::into_inner);
        tried.get(whose).map_or(0, |tries| tries.wrong)
    }

    /// Records a failed attempt.
    pub fn record_failure(&self, whose: &str, now: Duration) {
        let mut tried = self.tried.lock().unwrap_or_else(PoisonError::into_inner);
        if tried.len() > MAX_ACCOUNTS {
            tried.retain(|_, tries| now.saturating_sub(tries.last) < FAILURE_MEMORY);
        }
        let tries = tried.entry(whose.to_owned()).or_default();
        *tries = Tries { wrong: tries.wrong + 1, last: now };
    }

    /// Forgets failed attempts after a successful one.
    pub fn record_success(&self, whose: &str) {
        self.tried.lock().unwrap_or_else(PoisonError::into_inner).remove(whose);
    }

    /// Whether a PIN or passphrase is right; `None` if too many others wait.
    pub async fn verify_secret(&self, secret: String, hash: Option<String>) -> Option<bool> {
        let lock_account = tokio::time::timeout(WAIT_TIMEOUT, self.hashing.acquire()).await;
        let _turn = lock_account.ok()?.ok()?;
        Some(verify_secret(secret, hash).await)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn s(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn the_sixth_attempt_waits_and_a_restart_restarts_the_wait() {
        let throttle = SignInThrottle::default();
        for fails in 1..5 {
            throttle.record_failure("ada", s(fails));
            assert!(!throttle.is_throttled("ada", fails, s(fails)));
        }
        throttle.record_failure("ada", s(10));
        assert!(throttle.is_throttled("ada", 5, s(24)));
        assert!(!throttle.is_throttled("ada", 5, s(25)));
        let restarted = SignInThrottle::default();
        assert!(restarted.is_throttled("ada", 5, s(100)));
        assert!(!restarted.is_throttled("ada", 5, s(115)));
    }
}
