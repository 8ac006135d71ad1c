//! The whole program from outside: the real binary, real HTTP, a real browser.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says by failing what went wrong"
)]

mod accessibility;
mod alarm;
mod alphabets;
mod approvals;
mod architecture;
mod audit;
mod browser;
mod browser_traces;
mod clock;
mod command_line;
mod connection_limit;
mod copies;
mod damage;
mod double_taps;
mod edge;
mod first_use;
mod gallery;
mod generated_client;
mod harness;
mod hostile;
mod http_robustness;
mod idempotency;
mod kept_names;
mod leaks;
mod lexica;
mod log;
mod mdns;
mod names;
mod operation;
mod own_game;
mod pages;
mod passphrases;
mod people;
mod permissions;
mod presses;
mod probing;
mod problems;
mod proofs;
mod question;
mod queue;
mod restore;
mod rounds;
mod rules;
mod rules_at_filing;
mod scenarios;
mod screens;
mod sheets;
mod slips;
mod station;
mod storage;
mod tamper;
mod tls;
