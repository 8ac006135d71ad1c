//! Why an index is not served.

use std::io;

use fst::raw::VERSION;

use super::Expected;
use super::checks::MAX_INDEX_BYTES;

/// An index that is not served, and why.
#[derive(Debug, thiserror::Error)]
#[error("lexicon {id} is not served: {place} {flaw}; {advice}")]
pub struct OpenError {
    /// The id of the lexicon.
    pub id: Box<str>,
    /// Where the bytes came from.
    pub place: Box<str>,
    /// What is wrong with them.
    pub flaw: Flaw,
    /// The advice for the operator.
    pub advice: &'static str,
}

impl OpenError {
    pub(super) fn new(expected: &Expected, place: &str, flaw: Flaw, advice: &'static str) -> Self {
        Self { id: expected.name.id.as_str().into(), place: place.into(), flaw, advice }
    }
}

/// A fault of an index, as a phrase that continues the name of a file.
#[derive(Debug, thiserror::Error)]
pub enum Flaw {
    #[error("is missing")]
    Missing,
    #[error("cannot be read ({0})")]
    Unreadable(io::Error),
    #[error("is no file")]
    NoFile,
    #[error("is larger than {MAX_INDEX_BYTES} bytes, which no index is")]
    TooLarge,
    #[error("is empty")]
    Empty,
    #[error("is a text file and no index")]
    Text,
    #[error("has the SHA-256 {found}, and the imported index has {expected} (it looks like {looks_like})")]
    HashDiffers { expected: Box<str>, found: Box<str>, looks_like: &'static str },
    #[error("has the index format {found}, and this program reads {VERSION}")]
    OldVersion { found: u64 },
    #[error("is no index")]
    NoIndex,
    #[error("fails its own checksum")]
    Checksum,
    #[error("is a map, and an index is a set")]
    NoSet,
    #[error("has keys that are no text")]
    NoText,
    #[error("holds no words")]
    NoWords,
    #[error("holds {found} words, and the manifest says {expected}")]
    Count { expected: usize, found: usize },
    #[error("holds other words: their fingerprint is {found}, and the manifest says {expected}")]
    OtherWords { expected: Box<str>, found: Box<str> },
}
