//! Lexica: how a word list gets into the program, and the checks that prevent a wrong answer.
//!
//! A list of three words goes this way:
//!
//! ```text
//! crane⏎Qi⏎ZA⏎QI⏎           the file: any order, any case, a word twice
//!    │  import::read_text    strict: one line that is no word refuses the file
//! CRANE, QI, ZA              a List: words of the alphabet, sorted, each once
//!    │  Index::build         an automaton; every word is looked up again
//! 56 bytes + fingerprint     fingerprint = SHA-256 of "CRANE\nQI\nZA\n"
//!    │  files::store         <id>-<fingerprint>.fst, then .json, both on the disk
//! lexicons/N23-….fst
//!    │  Opened::from_file    SHA-256, checksum, count, fingerprint; then sealed memory
//! Opened                     answers one question, which cannot fail
//!    │  Shelf::with          what is loaded; a new shelf takes the old one's place in one step
//! ruling
//! ```
//!
//! Two hashes identify a lexicon. The *fingerprint* covers the words and identifies the list, independent of
//! its file; rulings record it. The *SHA-256 of the index* covers the bytes and reveals damage.
//!
//! This module reads and writes files; it knows neither HTTP nor SQL nor the clock.

pub mod built_in;
pub mod files;
pub mod fingerprint;
pub mod import;
pub mod index;
pub mod index_scan;
pub mod list;
pub mod manifest;
pub mod names;
pub mod open;
#[cfg(test)]
mod samples;
pub mod sealed_bytes;
pub mod shelf;
#[cfg(test)]
mod tests;

pub use import::{Import, ImportError, ImportOptions, Report, read_text};
pub use index::Index;
pub use manifest::Manifest;
pub use open::{Expected, OpenError, Opened};
pub use shelf::Shelf;
