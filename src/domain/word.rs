//! A word as tiles: what a slip names and what a lexicon holds.

use std::fmt;

/// A readable word: every character of it belongs to a tile of one alphabet.
///
/// A readable word need not be acceptable. Only [`Alphabet::read`](super::Alphabet::read) and
/// [`Alphabet::read_listed`](super::Alphabet::read_listed) construct one, so two ways of typing one
/// sequence of tiles give equal words, and a word's bytes are its key in every lexicon.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Word {
    written: Box<str>,
    tiles: usize,
}

impl Word {
    pub(super) fn new(written: String, tiles: usize) -> Self {
        Self { written: written.into_boxed_str(), tiles }
    }

    /// The canonical spelling: NFC upper case, tiles written plainly; a tile stands in brackets
    /// (`[L]`) where its plain letters would be read as the start of a longer tile.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.written
    }

    /// How many squares of the board the word covers. Always at least one.
    #[must_use]
    pub fn tiles(&self) -> usize {
        self.tiles
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

impl fmt::Debug for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Word({})", self.written)
    }
}
