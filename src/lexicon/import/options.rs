//! The options that the director gives for a list before it is read.

use std::sync::Arc;

use super::super::names::{BadName, check_hash, check_id};
use super::rejects::AllowedRejects;
use crate::domain::alphabet::Alphabet;
use crate::domain::lexicon::Lengths;
use crate::domain::word::Word;

/// The lengths that a range may name, in tiles: one tile forms no word, and no board is larger.
pub(super) const SHORTEST_WORD: usize = 2;
pub(super) const MAX_WORD_CHARS: usize = 60;

/// The longest title and edition, in characters.
const MAX_NAME_CHARS: usize = 100;

/// The options of `adjudge lexicon import`.
#[derive(Clone, Debug)]
pub struct ImportOptions {
    /// The id to import under, for example `CSW24`.
    pub id: String,
    /// A title for people. The id, unless it is given.
    pub title: String,
    /// The edition, for example `2024`; may be empty.
    pub edition: String,
    /// The language as a BCP 47 tag. The alphabet's, unless it is given.
    pub language: String,
    /// The alphabet that the words are read in.
    pub alphabet: Arc<Alphabet>,
    /// The text of the alphabet file, where the alphabet does not ship with the program.
    pub alphabet_file: Option<String>,
    /// The lengths that the list covers, in tiles; 2-15, unless they are given.
    pub lengths: Lengths,
    /// The first day on which the list is in force, `YYYY-MM-DD`.
    pub effective_from: Option<String>,
    /// How many words the list must have.
    pub expect_words: Option<usize>,
    /// The fingerprint that the list must have.
    pub expect_fingerprint: Option<String>,
    /// Words that must be in the list.
    pub must_have: Vec<String>,
    /// Words that must not be in the list.
    pub must_lack: Vec<String>,
    /// How many lines at the start are no words.
    pub skip_first: usize,
    /// Which rejected lines may be left out.
    pub allow_rejects: AllowedRejects,
    /// Whether a list may have no word of some length that it covers.
    pub allow_gaps: bool,
}

/// An option does not make sense.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadOption {
    #[error(transparent)]
    Name(#[from] BadName),
    #[error("the {what} must have 1 to 100 characters, none of them a control character")]
    Text { what: &'static str },
    #[error("{0:?} is no language; give a tag like `en` or `pt-BR`")]
    Language(String),
    #[error("{0:?} is no range of lengths; give two numbers from 2 to 60, the shorter first, like `2-15`")]
    Lengths(String),
    #[error("{0:?} is no day; give it as YYYY-MM-DD, like `2026-11-29`")]
    Day(String),
    #[error("the {what} word {word:?} is no word of the {alphabet} alphabet; check how it is spelt")]
    Word { what: &'static str, word: String, alphabet: String },
}

impl ImportOptions {
    /// The options for an id and an alphabet, with the default for everything else.
    #[must_use]
    pub fn new(id: &str, alphabet: Arc<Alphabet>) -> Self {
        Self {
            id: id.to_owned(),
            title: id.to_owned(),
            edition: String::new(),
            language: alphabet.language().to_owned(),
            alphabet,
            alphabet_file: None,
            lengths: Lengths { shortest: 2, longest: 15 },
            effective_from: None,
            expect_words: None,
            expect_fingerprint: None,
            must_have: Vec::new(),
            must_lack: Vec::new(),
            skip_first: 0,
            allow_rejects: AllowedRejects::default(),
            allow_gaps: false,
        }
    }

    /// # Errors
    /// [`BadOption`] names the first option that makes no sense.
    pub(super) fn check(&self) -> Result<(), BadOption> {
        check_id(&self.id)?;
        check_text("title", &self.title, 1)?;
        check_text("edition", &self.edition, 0)?;
        check_language(&self.language)?;
        check_lengths(self.lengths).ok_or_else(|| BadOption::Lengths(self.lengths.to_string()))?;
        if let Some(day) = &self.effective_from {
            check_day(day)?;
        }
        if let Some(fingerprint) = &self.expect_fingerprint {
            check_hash(&fingerprint.to_ascii_lowercase())?;
        }
        self.marker_words("must-have", &self.must_have)?;
        self.marker_words("must-lack", &self.must_lack)?;
        Ok(())
    }

    /// # Errors
    /// [`BadOption::Word`] for a text that no list in this alphabet can hold.
    pub(super) fn marker_words(&self, what: &'static str, texts: &[String]) -> Result<Vec<Word>, BadOption> {
        let read = |text: &String| {
            let word = self.alphabet.read(text).ok().flatten();
            let alphabet = self.alphabet.name();
            word.ok_or_else(|| BadOption::Word { what, word: text.clone(), alphabet: alphabet.to_owned() })
        };
        texts.iter().map(read).collect()
    }
}

/// Reads a range of lengths as it is written on the command line, `2-15`.
///
/// # Errors
/// [`BadOption::Lengths`] for any other text.
pub fn parse_lengths(text: &str) -> Result<Lengths, BadOption> {
    let range = || {
        let (shortest, longest) = text.split_once('-')?;
        check_lengths(Lengths { shortest: shortest.parse().ok()?, longest: longest.parse().ok()? })
    };
    range().ok_or_else(|| BadOption::Lengths(text.to_owned()))
}

fn check_lengths(lengths: Lengths) -> Option<Lengths> {
    let Lengths { shortest, longest } = lengths;
    (SHORTEST_WORD <= shortest && shortest <= longest && longest <= MAX_WORD_CHARS).then_some(lengths)
}

fn check_text(what: &'static str, text: &str, shortest: usize) -> Result<(), BadOption> {
    let is_fit = (shortest..=MAX_NAME_CHARS).contains(&text.chars().count()) && !text.contains(char::is_control);
    if is_fit { Ok(()) } else { Err(BadOption::Text { what }) }
}

fn check_language(tag: &str) -> Result<(), BadOption> {
    let is_tag =
        tag.split('-').all(|part| (1..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric()));
    if is_tag && tag.len() >= 2 { Ok(()) } else { Err(BadOption::Language(tag.to_owned())) }
}

/// Checks that a text is a day of the calendar in its one spelling, so that days compare as texts.
///
/// # Errors
/// [`BadOption::Day`] for any other text.
pub fn check_day(text: &str) -> Result<(), BadOption> {
    let day: Option<jiff::civil::Date> = text.parse().ok();
    if day.is_some_and(|day| day.to_string() == text) { Ok(()) } else { Err(BadOption::Day(text.to_owned())) }
}

#[cfg(test)]
mod tests {
    use super::super::super::samples::english;
    use super::*;

    fn checked(change: impl FnOnce(&mut ImportOptions)) -> Result<(), BadOption> {
        let mut options = ImportOptions::new("N23", english());
        change(&mut options);
        options.check()
    }

    #[test]
    fn an_id_and_an_alphabet_are_enough() {
        assert_eq!(checked(|_| {}), Ok(()));
        let options = ImportOptions::new("N23", english());
        assert_eq!((options.title.as_str(), options.language.as_str()), ("N23", "en"));
        assert_eq!(options.lengths.to_string(), "2-15");
    }

    #[test]
    fn an_option_that_makes_no_sense_is_refused_by_name() {
        assert!(matches!(checked(|o| o.id = "a/b".to_owned()), Err(BadOption::Name(_))));
        assert_eq!(checked(|o| o.title.clear()), Err(BadOption::Text { what: "title" }));
        assert_eq!(checked(|o| o.title = "x".repeat(101)), Err(BadOption::Text { what: "title" }));
        assert_eq!(checked(|o| o.edition = "a\nb".to_owned()), Err(BadOption::Text { what: "edition" }));
        assert_eq!(checked(|o| o.language = "e".to_owned()), Err(BadOption::Language("e".to_owned())));
        assert!(matches!(checked(|o| o.expect_fingerprint = Some("12".to_owned())), Err(BadOption::Name(_))));
        assert_eq!(checked(|o| o.expect_fingerprint = Some("AB".repeat(32))), Ok(()));
    }

    #[test]
    fn lengths_are_a_range_of_two_numbers() {
        assert_eq!(parse_lengths("2-15"), Ok(Lengths { shortest: 2, longest: 15 }));
        assert_eq!(parse_lengths("2-60"), Ok(Lengths { shortest: 2, longest: 60 }));
        for text in ["", "2", "2-", "-15", "15-2", "0-15", "1-15", "2-61", "2 - 15", "2-15-21", "two-15"] {
            assert_eq!(parse_lengths(text), Err(BadOption::Lengths(text.to_owned())), "{text}");
        }
    }

    #[test]
    fn a_day_has_one_spelling() {
        let day = |text: &str| checked(|o| o.effective_from = Some(text.to_owned()));
        assert_eq!(day("2026-11-29"), Ok(()));
        assert_eq!(day("2028-02-29"), Ok(()));
        for text in ["2026-02-29", "2026-13-01", "29.11.2026", "2026-11-29T00:00:00Z", "20261129", "soon", ""] {
            assert_eq!(day(text), Err(BadOption::Day(text.to_owned())), "{text}");
        }
    }
}
