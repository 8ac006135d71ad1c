//! The code by which the first director of a new server signs up.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::domain::human_code;

/// How long the code is good.
const CODE_LIFETIME: Duration = Duration::from_mins(15);

/// The code that the server printed at its start, until it is used.
#[derive(Debug)]
pub struct FirstRunCode(Mutex<Option<IssuedCode>>);

#[derive(Debug)]
struct IssuedCode {
    code: String,
    issued: Duration,
}

impl FirstRunCode {
    /// `code` is `None` if the server has a director already.
    #[must_use]
    pub fn new(code: Option<String>, now: Duration) -> Self {
        Self(Mutex::new(code.map(|code| IssuedCode { code, issued: now })))
    }

    /// Consumes the code, and gives whether it was right. Wrong codes do not consume it, or strangers could: a limit on
    /// attempts per address protects it instead (`RateLimits::first_run`).
    #[must_use]
    pub fn consume(&self, typed: &str, now: Duration) -> bool {
        let mut issued = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(known) = issued.as_ref() else { return false };
        let is_over = now.saturating_sub(known.issued) >= CODE_LIFETIME;
        let is_right = !is_over && human_code::read(typed).as_ref() == Some(&known.code);
        if is_right {
            *issued = None;
        }
        is_right
    }

    /// Makes a consumed code valid again, because creating the director failed.
    pub fn restore(&self, typed: &str, now: Duration) {
        let code = human_code::read(typed).map(|code| IssuedCode { code, issued: now });
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = code;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn s(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn issued(at: u64) -> FirstRunCode {
        FirstRunCode::new(Some("0123-4567".to_owned()), s(at))
    }

    #[test]
    fn the_first_run_code_is_valid_once_for_fifteen_minutes() {
        assert!(issued(0).consume("o123 4567", s(899)));
        assert!(!issued(0).consume("0123-4567", s(900)));
        let once = issued(0);
        assert!(once.consume("0123-4567", s(1)) && !once.consume("0123-4567", s(1)));
    }

    #[test]
    fn wrong_attempts_do_not_consume_the_first_run_code() {
        let code = issued(0);
        assert!((0..1000).all(|_| !code.consume("0123-4568", s(1))));
        assert!(code.consume("0123-4567", s(1)));
    }
}
