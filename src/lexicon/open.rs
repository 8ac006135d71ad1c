//! Opening an index: from untrusted bytes to a lexicon for look-ups.
//!
//! Opening reports every error, so that a look-up cannot fail. The order of the checks matters: the
//! `fst` crate trusts its bytes and panics or answers wrongly on damaged ones, so nothing walks over
//! the index before its SHA-256 and its own checksum are right. And the bytes are sealed *before* they
//! are checked, so that the served bytes are the verified ones.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use fst::raw::Fst;

use crate::domain::alphabet::Alphabet;
use crate::domain::lexicon::{Lengths, Lexicon, LexiconName};
use crate::domain::word::Word;
use crate::lexicon::index_scan::{IndexScan, walk};
use crate::lexicon::sealed_bytes::SealedBytes;

mod checks;
mod flaw;

pub(super) use checks::read_whole;
use checks::{check_bytes, check_words};
pub use flaw::{Flaw, OpenError};

/// The properties that an index must have before it is served.
#[derive(Clone, Debug)]
pub struct Expected {
    /// The name of the list, whose fingerprint is checked.
    pub name: LexiconName,
    /// The alphabet that slips are read in.
    pub alphabet: Arc<Alphabet>,
    /// The lengths that the list covers.
    pub lengths: Lengths,
    /// How many words it holds.
    pub words: usize,
    /// The SHA-256 of the whole file, lower-case hex.
    pub index_sha256: String,
}

impl Expected {
    /// Whether both describe one lexicon with equal alphabet and coverage.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self.name == other.name
            && self.lengths == other.lengths
            && self.words == other.words
            && self.index_sha256 == other.index_sha256
            && self.alphabet.name() == other.alphabet.name()
            && self.alphabet.tiles().eq(other.alphabet.tiles())
    }
}

/// A lexicon that was verified as a whole and is held in sealed memory.
pub struct Opened {
    expected: Expected,
    words: fst::Set<SealedBytes>,
}

impl Opened {
    /// Reads an index file once, verifies it, and serves it from memory from then on.
    ///
    /// # Errors
    /// [`OpenError`] names the first thing that is wrong.
    pub fn from_file(path: &Path, expected: &Expected) -> Result<Self, OpenError> {
        let place = format!("the file {}", path.display());
        let opened = read_whole(path).and_then(|bytes| Self::verified(SealedBytes::of_read(bytes), expected));
        opened.map_err(|flaw| {
            let advice = "take the file away and it is written anew from the copy in the database";
            OpenError::new(expected, &place, flaw, advice)
        })
    }

    /// Verifies and serves the database's copy of an index.
    ///
    /// # Errors
    /// [`OpenError`] names the first thing that is wrong.
    pub fn from_copy(bytes: Vec<u8>, expected: &Expected) -> Result<Self, OpenError> {
        let opened = Self::verified(SealedBytes::of_read(bytes), expected);
        opened.map_err(|flaw| {
            OpenError::new(expected, "the copy in the database", flaw, "import the list again from its source")
        })
    }

    /// Verifies and serves an index that is part of the program.
    ///
    /// # Errors
    /// [`OpenError`] names the first thing that is wrong.
    pub fn from_program(bytes: &'static [u8], expected: &Expected) -> Result<Self, OpenError> {
        let (place, advice) = ("the copy in the program", "the program file is damaged: install adjudge again");
        let opened = Self::verified(SealedBytes::of_program(bytes), expected);
        opened.map_err(|flaw| OpenError::new(expected, place, flaw, advice))
    }

    fn verified(bytes: SealedBytes, expected: &Expected) -> Result<Self, Flaw> {
        check_bytes(bytes.as_ref(), expected)?;
        let index = Fst::new(bytes).map_err(|_| Flaw::NoIndex)?;
        index.verify().map_err(|_| Flaw::Checksum)?;
        check_words(&IndexScan::of(&index), expected)?;
        Ok(Self { expected: expected.clone(), words: fst::Set::from(index) })
    }

    /// The name that rulings record.
    #[must_use]
    pub fn name(&self) -> &LexiconName {
        &self.expected.name
    }

    /// The alphabet that slips are read in.
    #[must_use]
    pub fn alphabet(&self) -> &Arc<Alphabet> {
        &self.expected.alphabet
    }

    /// The lengths that the lexicon covers; it has no answer for others.
    #[must_use]
    pub fn lengths(&self) -> Lengths {
        self.expected.lengths
    }

    /// How many words there are.
    #[must_use]
    pub fn words(&self) -> usize {
        self.expected.words
    }

    /// The properties that were verified when the lexicon was opened.
    #[must_use]
    pub fn expected(&self) -> &Expected {
        &self.expected
    }

    /// Shows every word in its canonical spelling, in byte order: for `diff`, `union` and errata.
    pub fn each_word(&self, mut see: impl FnMut(&str)) {
        walk(self.words.as_fst(), |key, _| {
            // Opening the index verified that every key is text.
            if let Ok(word) = std::str::from_utf8(key) {
                see(word);
            }
        });
    }
}

impl Lexicon for Opened {
    fn contains(&self, word: &Word) -> bool {
        self.words.contains(word.as_str().as_bytes())
    }
}

/// Names the list and never shows a word of it.
impl fmt::Debug for Opened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name();
        write!(f, "Opened({} {} {}, {} words)", name.id, name.edition, name.fingerprint, self.words())
    }
}
