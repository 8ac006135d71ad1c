//! A word list in one piece of memory.
//!
//! A list has hundreds of thousands of words. With an allocation for each, a walk over them in order misses the cache
//! at nearly every word. Stored one after the other they are a single text, and its hash is their fingerprint.

use std::collections::BTreeMap;

use super::fingerprint::sha256_hex;
use crate::domain::word::Word;

/// The words of a file in its order, as often as it has them.
#[derive(Debug, Default)]
pub struct Gathered {
    text: String,
    places: Vec<WordSpan>,
}

/// Where a word stands in the text.
#[derive(Clone, Copy, Debug)]
struct WordSpan {
    /// Its first sixteen bytes as a number, which distinguishes nearly all words without reading the text.
    beginning: u128,
    start: usize,
    end: usize,
    tiles: usize,
    /// The line of the file.
    line: usize,
}

/// The words of a list in byte order, each once.
#[derive(Clone, Debug)]
pub struct List {
    /// One word a line.
    text: String,
    words: usize,
    by_length: BTreeMap<usize, usize>,
}

impl Gathered {
    /// Adds the next word, which stands in that line.
    pub fn add(&mut self, word: &Word, line: usize) {
        let start = self.text.len();
        self.text.push_str(word.as_str());
        let place = WordSpan { beginning: beginning(word), start, end: self.text.len(), tiles: word.tiles(), line };
        self.places.push(place);
    }

    /// How many words there are, with their repetitions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The words in the order of the file.
    #[must_use]
    pub fn words(&self) -> impl DoubleEndedIterator<Item = &str> + Clone {
        self.places.iter().map(|place| place.word(&self.text))
    }

    /// The line in which the n-th word stands, from 1; 0 where there are fewer words.
    #[must_use]
    pub fn line(&self, at: usize) -> usize {
        self.places.get(at).map_or(0, |place| place.line)
    }

    /// How many words stand in earlier lines than this one.
    #[must_use]
    pub fn place_of(&self, line: usize) -> usize {
        self.places.partition_point(|place| place.line < line)
    }

    /// Sorts the words and leaves out repetitions.
    #[must_use]
    pub fn sorted(mut self) -> List {
        let text = &self.text;
        self.places.sort_unstable_by(|one, other| {
            one.beginning.cmp(&other.beginning).then_with(|| one.word(text).cmp(other.word(text)))
        });
        self.places.dedup_by(|one, other| one.beginning == other.beginning && one.word(text) == other.word(text));
        let mut list = List {
            text: String::with_capacity(text.len() + self.places.len()),
            words: self.places.len(),
            by_length: BTreeMap::new(),
        };
        for place in &self.places {
            list.text.push_str(place.word(text));
            list.text.push('\n');
            *list.by_length.entry(place.tiles).or_default() += 1;
        }
        list
    }
}

impl WordSpan {
    fn word<'t>(&self, text: &'t str) -> &'t str {
        text.get(self.start..self.end).unwrap_or_default()
    }
}

/// The first bytes of a word as a number that sorts as they do.
fn beginning(word: &Word) -> u128 {
    let mut first = [0; 16];
    for (place, byte) in first.iter_mut().zip(word.as_str().bytes()) {
        *place = byte;
    }
    u128::from_be_bytes(first)
}

impl List {
    /// The words in byte order.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.text.split_terminator('\n')
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.words
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words == 0
    }

    /// Whether a word is in the list, by looking through all of it.
    #[must_use]
    pub fn holds(&self, word: &Word) -> bool {
        self.words().any(|listed| listed == word.as_str())
    }

    /// The fingerprint that an index of these words must have.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        sha256_hex(self.text.as_bytes())
    }

    /// How many words there are of each length in tiles.
    #[must_use]
    pub fn by_length(&self) -> &BTreeMap<usize, usize> {
        &self.by_length
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::samples::{english, list};
    use super::*;

    #[test]
    fn words_are_sorted_and_each_is_there_once() {
        let list = list("ZA QI CRANE QI");
        assert_eq!(list.words().collect::<Vec<_>>(), ["CRANE", "QI", "ZA"]);
        assert_eq!((list.len(), list.by_length()), (3, &BTreeMap::from([(2, 2), (5, 1)])));
        assert_eq!(list.fingerprint(), sha256_hex(b"CRANE\nQI\nZA\n"));
        let holds = |word: &str| list.holds(&english().read(word).unwrap().unwrap());
        assert!(holds("QI") && !holds("Q") && !holds("QIS"));
    }

    proptest! {
        #[test]
        fn words_that_begin_alike_are_sorted_too(
            words in proptest::collection::vec("[AB]{1,3}|A{15,17}[AB]{0,2}", 1..40)
        ) {
            let mut plain = words.clone();
            plain.sort();
            plain.dedup();
            let list = list(&words.join(" "));
            prop_assert_eq!(list.words().collect::<Vec<_>>(), plain);
        }
    }
}
