//! What the domain needs of a word list: its identity, its coverage, and a look-up.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::word::Word;

/// The word list that a ruling rests on. Every ruling records all four fields.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LexiconName {
    /// The id that a director chose, for example `CSW24`.
    pub id: String,
    /// A title for people, shown on every screen.
    pub title: String,
    /// The edition, for example `2024`; may be empty.
    pub edition: String,
    /// Lower-case hex SHA-256 over the words, one a line, in byte order: the list itself.
    pub fingerprint: String,
}

/// The word lengths that a lexicon covers, in tiles, both ends included. Written `2-15`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(usize, usize)", into = "(usize, usize)")]
pub struct Lengths {
    pub shortest: usize,
    pub longest: usize,
}

impl Lengths {
    /// Whether the lexicon covers words of this many tiles.
    #[must_use]
    pub fn cover(self, tiles: usize) -> bool {
        (self.shortest..=self.longest).contains(&tiles)
    }
}

impl From<(usize, usize)> for Lengths {
    fn from((shortest, longest): (usize, usize)) -> Self {
        Self { shortest, longest }
    }
}

impl From<Lengths> for (usize, usize) {
    fn from(lengths: Lengths) -> Self {
        (lengths.shortest, lengths.longest)
    }
}

impl fmt::Display for Lengths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.shortest, self.longest)
    }
}

/// A word list that has been opened and verified.
///
/// A look-up cannot fail: opening the list reports every error, so that “cannot judge” is never mistaken for
/// “unacceptable”.
pub trait Lexicon {
    /// Whether exactly this word is listed. The cost does not depend on the results for other words.
    fn contains(&self, word: &Word) -> bool;
}
