//! What the benches share: made-up words, foreign CPU, the disk's own speed, a fixture to serve from, and
//! the way figures are printed.

#![allow(dead_code, reason = "each bench uses a part of it")]

pub mod args;
pub mod cpu;
pub mod disk;
pub mod drafts;
pub mod fixture;
pub mod show;
pub mod words;

/// As many words as a large tournament list has.
pub const LIST_WORDS: usize = 268_000;

/// Everything that is drawn is drawn from this, so that two runs ask the same.
pub const SEED: u64 = 0x00AD_511D;

/// The middle one of some measurements; zero where there are none.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}
