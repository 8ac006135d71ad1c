//! Building an index: from words to the bytes that are stored and served.
//!
//! An index is an `fst::Set`: a small automaton that accepts exactly the words of the list. Words that
//! begin or end alike share their states, so 280,000 words take about a megabyte, and looking up one
//! word is one walk along its letters. The keys are the words' canonical spelling, so streaming them
//! and hashing each with a newline *is* the fingerprint.
//!
//! The builder does not assume that the index holds what was put into it: it looks up every word again.

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::{fmt, thread};

use fst::SetBuilder;
use fst::raw::Fst;

use super::fingerprint::sha256_hex;
use super::list::List;
use crate::lexicon::index_scan::IndexScan;

/// A finished, verified index and what identifies it.
#[derive(Clone, PartialEq, Eq)]
pub struct Index {
    bytes: Vec<u8>,
    sha256: String,
    fingerprint: String,
    words: usize,
    by_length: BTreeMap<usize, usize>,
}

/// An index could not be built, or does not hold the words that were put into it.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    #[error("there are no words to build an index of; check the source of the list")]
    NoWords,
    #[error("the index could not be built ({0}); nothing was stored; please report this")]
    Build(#[from] fst::Error),
    #[error("the finished index does not hold what was put into it: {0}; nothing was stored; please report this")]
    Disagrees(String),
}

impl Index {
    /// Builds the index of a list, and verifies it.
    ///
    /// # Errors
    /// [`IndexError`]: an empty list, or an index that disagrees with the list.
    pub fn build(list: &List) -> Result<Self, IndexError> {
        if list.is_empty() {
            return Err(IndexError::NoWords);
        }
        let mut builder = SetBuilder::memory();
        builder.extend_iter(list.words())?;
        let bytes = builder.into_inner()?;
        let fingerprint = verify(&bytes, list)?;
        let (words, by_length) = (list.len(), list.by_length().clone());
        Ok(Self { sha256: sha256_hex(&bytes), fingerprint, words, by_length, bytes })
    }

    /// The bytes to store and to serve.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The SHA-256 of [`bytes`](Self::bytes), lower-case hex.
    #[must_use]
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// The fingerprint of the words, read back from the index.
    #[must_use]
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// How many words the index holds. Never zero.
    #[must_use]
    pub fn words(&self) -> usize {
        self.words
    }

    /// How many words there are of each length in tiles.
    #[must_use]
    pub fn by_length(&self) -> &BTreeMap<usize, usize> {
        &self.by_length
    }
}

/// Names the list and never shows a word of it.
impl fmt::Debug for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Index({}, {} words, {} bytes)", self.fingerprint, self.words, self.bytes.len())
    }
}

/// Looks up every word in the finished bytes, and compares a walk over them with the list: equal
/// fingerprints mean equal words in equal order. Returns the walk's fingerprint.
fn verify(bytes: &[u8], list: &List) -> Result<String, IndexError> {
    let index = Fst::new(bytes)?;
    index.verify()?;
    let (lost, survey) = at_once(|| list.words().find(|word| !index.contains_key(word)), || IndexScan::of(&index));
    if let Some(lost) = lost {
        return Err(IndexError::Disagrees(format!("{lost} is missing")));
    }
    let wanted = IndexScan { words: list.len(), fingerprint: list.fingerprint(), is_set: true, is_text: true };
    if survey == wanted {
        return Ok(survey.fingerprint);
    }
    Err(IndexError::Disagrees(format!(
        "the list has {} words, a walk over the index found {}",
        list.len(),
        survey.words
    )))
}

/// Runs two functions in parallel.
fn at_once<A, B: Send>(here: impl FnOnce() -> A, elsewhere: impl FnOnce() -> B + Send) -> (A, B) {
    thread::scope(|scope| {
        let other = scope.spawn(elsewhere);
        (here(), other.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

#[cfg(test)]
mod tests {
    use super::super::samples::{castilian, list, list_of};
    use super::*;

    #[test]
    fn the_fingerprint_is_the_hash_of_the_sorted_words_one_a_line() {
        let index = Index::build(&list("ZA QI CRANE QI")).unwrap();
        assert_eq!(index.words(), 3);
        assert_eq!(index.fingerprint(), sha256_hex(b"CRANE\nQI\nZA\n"));
        assert_eq!(index.sha256(), sha256_hex(index.bytes()));
        assert_eq!(index.by_length(), &BTreeMap::from([(2, 2), (5, 1)]));
    }

    #[test]
    fn tiles_are_written_plainly_and_bracketed_where_they_must_be() {
        let alphabet = castilian();
        let read = |text: &str| alphabet.read(text).unwrap().unwrap();
        let index = Index::build(&list_of(["[CH]A", "cha", "[C][H]A", "ñala"].map(read))).unwrap();
        assert_eq!(index.fingerprint(), sha256_hex("CHA\n[C]HA\nÑALA\n".as_bytes()));
        assert_eq!(index.by_length(), &BTreeMap::from([(2, 1), (3, 1), (4, 1)]));
    }

    #[test]
    fn an_empty_list_is_refused() {
        assert!(matches!(Index::build(&list_of([])), Err(IndexError::NoWords)));
    }

    #[test]
    fn an_index_of_other_words_is_refused() {
        let bytes = fst::Set::from_iter(["CRANE", "QI"]).unwrap().into_fst().into_inner();
        for other in ["CRANE", "CRANE QI ZA", "CRANE ZA", "ADD CRANE QI"] {
            let error = verify(&bytes, &list(other)).unwrap_err();
            assert!(matches!(error, IndexError::Disagrees(_)), "{other}: {error}");
        }
        assert!(verify(&bytes, &list("CRANE QI")).is_ok());
    }
}
