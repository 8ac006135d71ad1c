//! Small made-up lists for the tests of this module. No real tournament list is ever used.

use std::sync::Arc;

use super::import::{Import, ImportOptions, read_text};
use super::list::{Gathered, List};
use super::manifest::Manifest;
use super::open::Opened;
use crate::domain::alphabet::Alphabet;
use crate::domain::lexicon::Lexicon;
use crate::domain::time::Timestamp;
use crate::domain::word::Word;

/// An alphabet with tiles of two letters.
pub const CASTILIAN: &str = r#"
name = "castilian-test"
language = "es"
tiles = ["A", "C", "CH", "E", "G", "H", "I", "L", "LL", "N", "Ñ", "O", "R", "RR", "S"]
lower = "aceghilnñors"
upper = "ACEGHILNÑORS"
fold_accents = true
"#;

pub fn english() -> Arc<Alphabet> {
    Alphabet::shipped("english").unwrap()
}

pub fn castilian() -> Arc<Alphabet> {
    Arc::new(Alphabet::from_toml(CASTILIAN).unwrap())
}

/// A list of words, sorted, in any order.
pub fn list_of(words: impl IntoIterator<Item = Word>) -> List {
    let mut gathered = Gathered::default();
    (1..).zip(words).for_each(|(line, word)| gathered.add(&word, line));
    gathered.sorted()
}

/// A list of English words, given with blanks between them.
pub fn list(text: &str) -> List {
    list_of(text.split(' ').map(|word| english().read(word).unwrap().unwrap()))
}

/// The import of an English list, given with blanks between the words.
pub fn import(id: &str, words: &str) -> Import {
    // Made-up lists need not have words of every length.
    let options = ImportOptions { allow_gaps: true, ..ImportOptions::new(id, english()) };
    read_text(words.replace(' ', "\n").as_bytes(), &options).unwrap()
}

/// The manifest and the index of an English list, given with blanks between the words.
pub fn imported(id: &str, words: &str) -> (Manifest, Vec<u8>) {
    let import = import(id, words);
    (import.manifest(Timestamp::from_micros(0), "adjudge 0.1.0"), import.index().bytes().to_vec())
}

pub fn holds(opened: &Opened, word: &str) -> bool {
    opened.contains(&opened.alphabet().read(word).unwrap().unwrap())
}
