//! adjudge: word adjudication for Scrabble-style tournaments.
//!
//! Start with [`domain`], which explains a challenge in one page; ARCHITECTURE.md walks one slip
//! through every room of the house.

pub mod app;
mod atomic_file;
pub mod cli;
pub mod config;
pub mod domain;
pub mod lexicon;
pub mod log;
pub mod snapshot;
pub mod store;
pub mod system;
pub mod transport;
pub mod web;

/// The program's name and version, as every entry records it.
pub const PROGRAM: &str = concat!("adjudge ", env!("CARGO_PKG_VERSION"));
