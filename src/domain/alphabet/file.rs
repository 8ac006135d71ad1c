//! The alphabet file: its fields, and the checks for contradictions.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Deserialize;
use unicode_normalization::UnicodeNormalization;

use super::joins_the_letter_before;

/// The text of an alphabet file does not describe an alphabet.
#[derive(Debug, thiserror::Error)]
#[error("this is no alphabet: {0}; see docs/alphabets.md for the format")]
pub struct NoAlphabet(pub(super) String);

/// A reading of letters as other letters.
pub(super) type Fold = (Vec<char>, Vec<char>);

/// The file, word for word. Unknown keys are refused so that a misspelt one is not ignored.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AlphabetFile {
    pub name: String,
    pub language: String,
    tiles: Vec<String>,
    #[serde(default)]
    lower: String,
    #[serde(default)]
    upper: String,
    #[serde(default)]
    pub fold_accents: bool,
    #[serde(default)]
    blank_only: Vec<String>,
    #[serde(default)]
    folds: BTreeMap<String, String>,
}

impl AlphabetFile {
    pub fn of(text: &str) -> Result<Self, NoAlphabet> {
        toml::from_str(text).map_err(|error: toml::de::Error| NoAlphabet(error.message().to_owned()))
    }

    /// Every tile, and every letter that only a blank may stand for.
    pub fn tiles(&self) -> Result<BTreeSet<String>, NoAlphabet> {
        let mut tiles = BTreeSet::new();
        for tile in self.tiles.iter().chain(&self.blank_only) {
            let tile: String = tile.nfc().collect();
            if !is_written_with_letters(&tile) || tile.starts_with(joins_the_letter_before) {
                return Err(NoAlphabet(format!("{tile:?} cannot be a tile")));
            }
            if let Some(twice) = tiles.replace(tile) {
                return Err(NoAlphabet(format!("{twice:?} is twice in tiles and blank_only")));
            }
        }
        if tiles.is_empty() { Err(NoAlphabet("it has no tiles".to_owned())) } else { Ok(tiles) }
    }

    /// Every tile, and every letter that only a blank may stand for, in the order of the file.
    pub fn keys(&self) -> Vec<String> {
        self.tiles.iter().chain(&self.blank_only).map(|tile| tile.nfc().collect()).collect()
    }

    /// What each letter of `lower` is read as.
    pub fn case(&self) -> Result<HashMap<char, char>, NoAlphabet> {
        let (lower, upper): (Vec<char>, Vec<char>) = (self.lower.nfc().collect(), self.upper.nfc().collect());
        if lower.len() != upper.len() {
            return Err(NoAlphabet(format!("lower has {} letters and upper has {}", lower.len(), upper.len())));
        }
        let mut case = HashMap::new();
        for (letter, read_as) in lower.into_iter().zip(upper) {
            if case.insert(letter, read_as).is_some() {
                return Err(NoAlphabet(format!("lower has {letter:?} twice")));
            }
        }
        Ok(case)
    }

    /// The other readings, longest first. `letters` are those of the tiles.
    pub fn folds(&self, case: &HashMap<char, char>, letters: &BTreeSet<char>) -> Result<Vec<Fold>, NoAlphabet> {
        let mut folds: Vec<Fold> = Vec::new();
        for (text, read_as) in &self.folds {
            let (from, to): Fold = (text.nfc().collect(), read_as.nfc().collect());
            if let Some(fault) = fold_fault(text, (&from, &to), case, letters) {
                return Err(NoAlphabet(fault));
            }
            if folds.iter().any(|(earlier, _)| *earlier == from) {
                return Err(NoAlphabet(format!("the fold of {text:?} is there twice")));
            }
            folds.push((from, to));
        }
        folds.sort_by_key(|(from, _)| std::cmp::Reverse(from.len()));
        Ok(folds)
    }
}

fn fold_fault(
    text: &str,
    (from, to): (&[char], &[char]),
    case: &HashMap<char, char>,
    letters: &BTreeSet<char>,
) -> Option<String> {
    if !is_written_with_letters(text) {
        return Some(format!("{text:?} cannot be folded"));
    }
    if to.is_empty() {
        return Some(format!("the fold of {text:?} would drop letters"));
    }
    if let Some((lower, upper)) = from.iter().find_map(|letter| Some((letter, case.get(letter)?))) {
        return Some(format!("the fold of {text:?} comes after case, and {lower:?} is {upper:?} by then"));
    }
    // A word of these very tiles would be written plainly and read back as another.
    if from.iter().all(|letter| letters.contains(letter)) {
        return Some(format!("the fold of {text:?} is of nothing but letters of tiles"));
    }
    let stranger = to.iter().find(|letter| !letters.contains(letter))?;
    Some(format!("the fold of {text:?} gives {stranger:?}, which is a letter of no tile"))
}

fn is_written_with_letters(text: &str) -> bool {
    !text.is_empty() && !text.contains(['[', ']']) && !text.contains(char::is_whitespace)
}
