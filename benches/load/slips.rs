//! What is sent, and what must come back.

use std::sync::atomic::{AtomicU64, Ordering};

use adjudge::domain::Ruling;
use serde_json::json;

use crate::support::fixture::{DIVISIONS_OF_SLIPS, division_of_slips};
use crate::support::words::{Dice, one_letter_off};

/// What the server under load is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// The ruling by the list.
    ByTheList,
    /// The bare handler: always the same.
    Acceptable,
}

/// A request and the body that answers it.
pub struct Slip {
    pub request: String,
    pub answer: String,
}

/// Draws slips of one to three words; half of them hold a misspelt word.
pub struct Slips {
    words: Vec<String>,
    token: String,
    drawn: AtomicU64,
    /// Keys of two runs on one ledger must differ.
    run: u64,
}

impl Slips {
    /// `words` are the list, sorted.
    pub fn of(words: Vec<String>, token: String, run: u64) -> Self {
        Self { words, token, drawn: AtomicU64::new(0), run }
    }

    pub fn next(&self, expected: Expected) -> Slip {
        let number = self.drawn.fetch_add(1, Ordering::Relaxed);
        let mut dice = Dice(number ^ (self.run << 40));
        let words: Vec<String> =
            (0..=dice.below(3)).map(|place| self.word(place == 0 && number % 2 == 1, &mut dice)).collect();
        let is_listed = |word: &String| self.words.binary_search(word).is_ok();
        let ruling = match expected {
            Expected::ByTheList if !words.iter().all(is_listed) => Ruling::Unacceptable,
            Expected::ByTheList | Expected::Acceptable => Ruling::Acceptable,
        };
        // A place of its own, as the slips of a hall have: one that shares a word with another of its table is held.
        let place = number + self.run * 1_000_000;
        let (table, division) = (1 + place % 9999, division_of_slips(place / 9999 % DIVISIONS_OF_SLIPS));
        let body = json!({"division": division, "words": words, "table": table, "round": 1}).to_string();
        Slip { request: self.request(number, &body), answer: json!({ "ruling": ruling }).to_string() }
    }

    fn word(&self, is_misspelt: bool, dice: &mut Dice) -> String {
        let word = dice.one_of(&self.words).cloned().unwrap_or_default();
        if is_misspelt { one_letter_off(&word, dice) } else { word }
    }

    fn request(&self, number: u64, body: &str) -> String {
        let (run, token, length) = (self.run, &self.token, body.len());
        format!(
            "POST /api/v1/tournaments/bench/slips HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\n\
            Idempotency-Key: {run}-{number}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        )
    }
}
