//! Opening an index: from bytes that may be anything to a lexicon that can be asked.
//!
//! Whatever can go wrong goes wrong here, so that asking cannot. The order of the checks matters: the
//! `fst` crate trusts its bytes and panics or answers wrongly on damaged ones, so nothing walks over
//! the index before its SHA-256 and its own checksum are right. And the bytes are put out of reach
//! *before* they are checked: what was verified is what is served.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use fst::raw::{Fst, VERSION};

use super::fingerprint::sha256_hex;
use super::map::Unchanging;
use super::survey::{Survey, walk};
use crate::domain::alphabet::Alphabet;
use crate::domain::lexicon::{Lengths, Lexicon, LexiconName};
use crate::domain::word::Word;

/// The largest index file that is read. A list of three million words takes about a tenth of it.
const LARGEST_INDEX_BYTES: u64 = 256 * 1024 * 1024;

/// What an index must prove to be before it is served.
#[derive(Clone, Debug)]
pub struct Expected {
    /// Which list it is; its fingerprint is checked.
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
    /// Whether both stand for one lexicon that is served in one way.
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

/// A lexicon that was verified as a whole and lies where nobody can change it.
pub struct Opened {
    expected: Expected,
    words: fst::Set<Unchanging>,
}

/// An index that is not served, and why.
#[derive(Debug, thiserror::Error)]
#[error("lexicon {id} is not served: {place} {flaw}; {advice}")]
pub struct OpenError {
    /// The id of the lexicon.
    pub id: String,
    /// Where the bytes came from.
    pub place: String,
    /// What is wrong with them.
    pub flaw: Flaw,
    /// What to do now.
    pub advice: &'static str,
}

/// What is wrong with an index. Reads on from the name of a file.
#[derive(Debug, thiserror::Error)]
pub enum Flaw {
    #[error("is missing")]
    Missing,
    #[error("cannot be read ({0})")]
    Unreadable(io::Error),
    #[error("is no file")]
    NoFile,
    #[error("is larger than {LARGEST_INDEX_BYTES} bytes, which no index is")]
    TooLarge,
    #[error("is empty")]
    Empty,
    #[error("is a text file and no index")]
    Text,
    #[error("has the SHA-256 {found}, and the imported index has {expected} (it looks like {looks_like})")]
    HashDiffers { expected: String, found: String, looks_like: &'static str },
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
    OtherWords { expected: String, found: String },
}

impl Opened {
    /// Reads an index file once, verifies it, and serves it from memory from then on.
    ///
    /// # Errors
    /// [`OpenError`] names the first thing that is wrong.
    pub fn from_file(path: &Path, expected: &Expected) -> Result<Self, OpenError> {
        let opened = read_whole(path).and_then(|bytes| Self::verified(Unchanging::of_read(bytes), expected));
        opened.map_err(|flaw| OpenError {
            id: expected.name.id.clone(),
            place: format!("the file {}", path.display()),
            flaw,
            advice: "remove the file and it is written anew from the copy in the database",
        })
    }

    /// The same for the copy that the database keeps.
    ///
    /// # Errors
    /// [`OpenError`] names the first thing that is wrong.
    pub fn from_copy(bytes: Vec<u8>, expected: &Expected) -> Result<Self, OpenError> {
        Self::verified(Unchanging::of_read(bytes), expected).map_err(|flaw| OpenError {
            id: expected.name.id.clone(),
            place: "the copy in the database".to_owned(),
            flaw,
            advice: "import the list again from its source",
        })
    }

    /// The same for an index that is part of the program.
    ///
    /// # Errors
    /// [`OpenError`] names the first thing that is wrong.
    pub fn from_program(bytes: &'static [u8], expected: &Expected) -> Result<Self, OpenError> {
        Self::verified(Unchanging::of_program(bytes), expected).map_err(|flaw| OpenError {
            id: expected.name.id.clone(),
            place: "the copy in the program".to_owned(),
            flaw,
            advice: "the program file is damaged: install adjudge again",
        })
    }

    fn verified(bytes: Unchanging, expected: &Expected) -> Result<Self, Flaw> {
        check_bytes(bytes.as_ref(), expected)?;
        let index = Fst::new(bytes).map_err(|_| Flaw::NoIndex)?;
        index.verify().map_err(|_| Flaw::Checksum)?;
        check_words(&Survey::of(&index), expected)?;
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

    /// The lengths that the lexicon covers; of others it says nothing.
    #[must_use]
    pub fn lengths(&self) -> Lengths {
        self.expected.lengths
    }

    /// How many words there are.
    #[must_use]
    pub fn words(&self) -> usize {
        self.expected.words
    }

    /// What it proved to be when it was opened.
    #[must_use]
    pub fn expected(&self) -> &Expected {
        &self.expected
    }

    /// Shows every word in its canonical spelling, in byte order: for `diff`, `union` and errata.
    pub fn each_word(&self, mut see: impl FnMut(&str)) {
        walk(self.words.as_fst(), |key, _| {
            // Every key was found to be text when the index was opened.
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

/// Says which list it is and never a word of it.
impl fmt::Debug for Opened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name();
        write!(f, "Opened({} {} {}, {} words)", name.id, name.edition, name.fingerprint, self.words())
    }
}

/// Reads a file at once, and never more than an index can have.
pub(super) fn read_whole(path: &Path) -> Result<Vec<u8>, Flaw> {
    // Asked first, because opening a named pipe would wait for a writer.
    if !fs::metadata(path).map_err(missing_or_unreadable)?.is_file() {
        return Err(Flaw::NoFile);
    }
    let file = File::open(path).map_err(missing_or_unreadable)?;
    let mut bytes = Vec::new();
    let read = file.take(LARGEST_INDEX_BYTES + 1).read_to_end(&mut bytes).map_err(Flaw::Unreadable)?;
    if u64::try_from(read).is_ok_and(|read| read <= LARGEST_INDEX_BYTES) { Ok(bytes) } else { Err(Flaw::TooLarge) }
}

fn missing_or_unreadable(error: io::Error) -> Flaw {
    if error.kind() == io::ErrorKind::NotFound { Flaw::Missing } else { Flaw::Unreadable(error) }
}

/// The checks that only look at bytes, so that damage cannot mislead them.
fn check_bytes(bytes: &[u8], expected: &Expected) -> Result<(), Flaw> {
    if bytes.is_empty() {
        return Err(Flaw::Empty);
    }
    if is_text(bytes) {
        return Err(Flaw::Text);
    }
    let found = sha256_hex(bytes);
    if found != expected.index_sha256 {
        let expected = expected.index_sha256.clone();
        return Err(Flaw::HashDiffers { expected, found, looks_like: looks_like(bytes) });
    }
    match version(bytes) {
        Some(VERSION) => Ok(()),
        Some(found) if (1..VERSION).contains(&found) => Err(Flaw::OldVersion { found }),
        _ => Err(Flaw::NoIndex),
    }
}

/// The checks of what the walk over the whole index found.
fn check_words(survey: &Survey, expected: &Expected) -> Result<(), Flaw> {
    if !survey.is_set {
        return Err(Flaw::NoSet);
    }
    if !survey.is_text {
        return Err(Flaw::NoText);
    }
    if survey.words == 0 {
        return Err(Flaw::NoWords);
    }
    if survey.words != expected.words {
        return Err(Flaw::Count { expected: expected.words, found: survey.words });
    }
    if survey.fingerprint != expected.name.fingerprint {
        let (expected, found) = (expected.name.fingerprint.clone(), survey.fingerprint.clone());
        return Err(Flaw::OtherWords { expected, found });
    }
    Ok(())
}

/// An index begins with its format version in eight bytes, seven of them NUL; no text has a NUL.
fn is_text(bytes: &[u8]) -> bool {
    !bytes.contains(&0) && std::str::from_utf8(bytes).is_ok()
}

fn version(bytes: &[u8]) -> Option<u64> {
    bytes.first_chunk().map(|first| u64::from_le_bytes(*first))
}

fn looks_like(bytes: &[u8]) -> &'static str {
    match version(bytes) {
        Some(VERSION) => "another or a damaged index",
        Some(1..VERSION) => "an index of an old format",
        _ => "no index",
    }
}
