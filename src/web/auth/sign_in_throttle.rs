//! The door: how often and how fast somebody may try to come in, and how the first director does.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;

use crate::domain::people::delay_s;
use crate::store::secrets::is_secret;

/// How many passphrases are hashed at once at most: each takes 19 MiB and a core from those who play. One core is left to
/// them in any case.
const HASHING: usize = 2;

/// How long somebody waits for his turn.
const WAIT_TIMEOUT: Duration = Duration::from_secs(5);

/// How long the code of the first run is good.
const FIRST_RUN: Duration = Duration::from_mins(15);

/// When wrong tries are swept of old ones.
const MOST_REMEMBERED: usize = 10_000;

#[derive(Clone, Debug)]
pub struct SignInThrottle {
    hashing: Arc<Semaphore>,
    /// Wrong tries since this server started, and when the last one was. After a restart a delay begins anew.
    tried: Arc<Mutex<HashMap<String, Tries>>>,
    /// One try at a time, so that many at once are not all judged by the same count.
    turns: Arc<Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>>,
    first_run: Arc<Mutex<Option<FirstRun>>>,
    /// Whether another machine has reached this server.
    reached: Arc<AtomicBool>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Tries {
    wrong: u64,
    last: Duration,
}

/// The code by which the first director comes in.
#[derive(Clone, Debug)]
struct FirstRun {
    code: String,
    made: Duration,
}

/// How many cores the machine has, as far as it says.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

impl SignInThrottle {
    /// `first_run` is the code that the server printed, where there is nobody yet.
    #[must_use]
    pub fn new(first_run: Option<String>, now: Duration) -> Self {
        let first_run = first_run.map(|code| FirstRun { code, made: now });
        Self {
            hashing: Arc::new(Semaphore::new(cores().saturating_sub(1).clamp(1, HASHING))),
            tried: Arc::default(),
            turns: Arc::default(),
            first_run: Arc::new(Mutex::new(first_run)),
            reached: Arc::default(),
        }
    }

    /// Remembers that another machine reached this server.
    pub fn was_reached(&self) {
        self.reached.store(true, Ordering::Relaxed);
    }

    /// Whether another machine has.
    #[must_use]
    pub fn is_reached(&self) -> bool {
        self.reached.load(Ordering::Relaxed)
    }

    /// Waits until no other try for this one is under way.
    pub async fn turn(&self, whose: &str) -> tokio::sync::OwnedMutexGuard<()> {
        let turn = {
            let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(turns.entry(whose.to_owned()).or_default())
        };
        turn.lock_owned().await
    }

    /// Whether whoever tries has to wait after so many wrong tries in a row.
    #[must_use]
    pub fn must_wait(&self, whose: &str, fails: u64, now: Duration) -> bool {
        let delay = Duration::from_secs(delay_s(fails));
        let mut tried = self.tried.lock().unwrap_or_else(PoisonError::into_inner);
        let tries = tried.entry(whose.to_owned()).or_insert(Tries { wrong: 0, last: now });
        !delay.is_zero() && now.saturating_sub(tries.last) < delay
    }

    /// How many wrong tries in a row this server saw.
    #[must_use]
    pub fn wrong_tries(&self, whose: &str) -> u64 {
        let tried = self.tried.lock().unwrap_or_else(PoisonError::into_inner);
        tried.get(whose).map_or(0, |tries| tries.wrong)
    }

    /// Remembers a wrong try.
    pub fn was_wrong(&self, whose: &str, now: Duration) {
        let mut tried = self.tried.lock().unwrap_or_else(PoisonError::into_inner);
        if tried.len() > MOST_REMEMBERED {
            tried.retain(|_, tries| now.saturating_sub(tries.last) < FIRST_RUN);
        }
        let tries = tried.entry(whose.to_owned()).or_default();
        *tries = Tries { wrong: tries.wrong + 1, last: now };
    }

    /// Forgets wrong tries: the right one came.
    pub fn was_right(&self, whose: &str) {
        self.tried.lock().unwrap_or_else(PoisonError::into_inner).remove(whose);
    }

    /// Whether a PIN or passphrase is right; `None` where too many others wait.
    pub async fn is_secret(&self, secret: String, hash: Option<String>) -> Option<bool> {
        let turn = tokio::time::timeout(WAIT_TIMEOUT, self.hashing.acquire()).await;
        let _turn = turn.ok()?.ok()?;
        Some(is_secret(secret, hash).await)
    }

    /// Takes the code of the first run; whether it was right. It is good once. Wrong codes do not spend it, or strangers
    /// could: how often an address may try is limited instead (`RateLimits::first_run`).
    #[must_use]
    pub fn take_first_run(&self, typed: &str, now: Duration) -> bool {
        let mut first_run = self.first_run.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(known) = first_run.as_ref() else { return false };
        let is_over = now.saturating_sub(known.made) >= FIRST_RUN;
        let is_right = !is_over && crate::domain::code::read(typed).as_ref() == Some(&known.code);
        if is_right {
            *first_run = None;
        }
        is_right
    }

    /// Gives the code back: nothing came of it.
    pub fn give_back_first_run(&self, typed: &str, now: Duration) {
        let code = crate::domain::code::read(typed).map(|code| FirstRun { code, made: now });
        *self.first_run.lock().unwrap_or_else(PoisonError::into_inner) = code;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn s(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn the_sixth_try_waits_and_a_restart_begins_the_wait_anew() {
        let door = SignInThrottle::new(None, s(0));
        for fails in 1..5 {
            door.was_wrong("ada", s(fails));
            assert!(!door.must_wait("ada", fails, s(fails)));
        }
        door.was_wrong("ada", s(10));
        assert!(door.must_wait("ada", 5, s(24)));
        assert!(!door.must_wait("ada", 5, s(25)));
        let restarted = SignInThrottle::new(None, s(100));
        assert!(restarted.must_wait("ada", 5, s(100)));
        assert!(!restarted.must_wait("ada", 5, s(115)));
    }

    #[test]
    fn the_first_code_is_good_once_for_a_quarter_of_an_hour() {
        let door = |at| SignInThrottle::new(Some("0123-4567".to_owned()), s(at));
        assert!(door(0).take_first_run("o123 4567", s(899)));
        assert!(!door(0).take_first_run("0123-4567", s(900)));
        let once = door(0);
        assert!(once.take_first_run("0123-4567", s(1)) && !once.take_first_run("0123-4567", s(1)));
    }

    #[test]
    fn the_first_code_survives_wrong_tries() {
        let door = SignInThrottle::new(Some("0123-4567".to_owned()), s(0));
        assert!((0..1000).all(|_| !door.take_first_run("0123-4568", s(1))));
        assert!(door.take_first_run("0123-4567", s(1)));
    }
}
