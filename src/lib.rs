//! adjudge: word adjudication for Scrabble-style tournaments.
//!
//! Start with [`domain`], which explains a challenge in one page; ARCHITECTURE.md walks one slip
//! through every room of the house.

pub mod app;
pub mod cli;
pub mod config;
pub mod domain;
pub mod edge;
mod kept;
pub mod lexicon;
pub mod log;
pub mod present;
pub mod store;
pub mod web;
pub mod world;

/// The program's name and version, as every entry records it.
pub const PROGRAM: &str = concat!("adjudge ", env!("CARGO_PKG_VERSION"));
