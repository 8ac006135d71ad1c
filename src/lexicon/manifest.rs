//! The manifest: what an index file is, in a JSON file beside it.
//!
//! ```json
//! { "id": "N23", "title": "Our list", "edition": "2023", "language": "en", "alphabet": "english",
//!   "lengths": [2, 15], "words": 3, "fingerprint": "…", "index_sha256": "…", "index_bytes": 56,
//!   "by_length": { "2": 2, "5": 1 }, "effective_from": null, "source": { … },
//!   "imported_at": "2026-11-29T09:12:00.000000Z", "program": "adjudge 0.1.0" }
//! ```

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::fingerprint::sha256_hex;
use super::names::{BadName, check_hash, check_id};
use super::open::Expected;
use crate::domain::alphabet::{Alphabet, NoAlphabet};
use crate::domain::event::LexiconImported;
use crate::domain::lexicon::{Lengths, LexiconName};

/// The description of one lexicon, without its words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The id that the director chose, for example `CSW24`.
    pub id: String,
    /// A title for people, shown on every screen.
    pub title: String,
    /// The edition, for example `2024`; may be empty.
    pub edition: String,
    /// The language of the words as a BCP 47 tag, for example `en`.
    pub language: String,
    /// The name of the alphabet, for example `english`.
    pub alphabet: String,
    /// The text of the alphabet file, where it is a director's own and does not ship with the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alphabet_file: Option<String>,
    /// The lengths that the lexicon covers, in tiles.
    pub lengths: Lengths,
    /// How many words there are.
    pub words: usize,
    /// Which words they are: see [`Fingerprint`](super::fingerprint::Fingerprint).
    pub fingerprint: String,
    /// The SHA-256 of the index file, lower-case hex.
    pub index_sha256: String,
    /// The size of the index file in bytes.
    pub index_bytes: usize,
    /// How many words there are of each length in tiles.
    pub by_length: BTreeMap<usize, usize>,
    /// The first day on which the list is in force, `2026-11-29`; `None` means always.
    pub effective_from: Option<String>,
    /// The file that the words came from.
    pub source: Source,
    /// When it was imported, RFC 3339.
    pub imported_at: String,
    /// The program that built the index, for example `adjudge 0.1.0`.
    pub program: String,
}

/// The file that a lexicon was imported from, and what became of its lines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// The SHA-256 of the file's bytes, lower-case hex.
    pub sha256: String,
    /// The size of the file in bytes.
    pub bytes: usize,
    /// All lines, those that follow included.
    pub lines: usize,
    /// Lines left out by `--skip-first`.
    pub skipped: usize,
    /// Lines with nothing on them.
    pub blank: usize,
    /// Lines that begin with `#`.
    pub comments: usize,
    /// Lines that were no words, left out by `--allow-rejects`.
    pub rejected: usize,
    /// Lines that repeat a word of another line.
    pub duplicates: usize,
}

/// A text is no manifest, or a manifest does not make sense.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    #[error("the manifest cannot be read ({0}); remove the file and import the list again")]
    Json(#[from] serde_json::Error),
    #[error("the manifest cannot be right: {0}")]
    Name(#[from] BadName),
    #[error("the manifest of {id} names the alphabet {alphabet}, which this program does not have; update adjudge")]
    UnknownAlphabet { id: String, alphabet: String },
    #[error("the alphabet file in the manifest of {id} cannot be read: {source}")]
    Alphabet { id: String, source: NoAlphabet },
}

impl Manifest {
    /// Reads the manifest's JSON and checks the names that become part of paths.
    ///
    /// # Errors
    /// [`ManifestError`]: other JSON, an unknown field, a bad id or hash.
    pub fn from_json(text: &str) -> Result<Self, ManifestError> {
        let manifest: Self = serde_json::from_str(text)?;
        check_id(&manifest.id)?;
        check_hash(&manifest.fingerprint)?;
        check_hash(&manifest.index_sha256)?;
        Ok(manifest)
    }

    /// The JSON as it is stored: indented, with a newline at the end.
    ///
    /// # Errors
    /// [`ManifestError::Json`], which a manifest never meets in practice.
    pub fn to_json(&self) -> Result<String, ManifestError> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// The name that rulings record.
    #[must_use]
    pub fn name(&self) -> LexiconName {
        LexiconName {
            id: self.id.clone(),
            title: self.title.clone(),
            edition: self.edition.clone(),
            fingerprint: self.fingerprint.clone(),
        }
    }

    /// The event that records the lexicon in the ledger.
    #[must_use]
    pub fn imported(&self) -> LexiconImported {
        LexiconImported {
            lexicon: self.name(),
            language: self.language.clone(),
            alphabet: self.alphabet.clone(),
            alphabet_file: self.alphabet_file.clone(),
            lengths: self.lengths,
            words: count(self.words),
            index_sha256: self.index_sha256.clone(),
            effective_from: self.effective_from.clone(),
            source_sha256: self.source.sha256.clone(),
            rejected: count(self.source.rejected),
            program: self.program.clone(),
        }
    }

    /// What the index file must prove before it is served.
    ///
    /// # Errors
    /// [`ManifestError`] where the alphabet is unknown or unreadable.
    pub fn expected(&self) -> Result<Expected, ManifestError> {
        Ok(Expected {
            name: self.name(),
            alphabet: self.alphabet()?,
            lengths: self.lengths,
            words: self.words,
            index_sha256: self.index_sha256.clone(),
        })
    }

    /// Whether the manifest agrees with the ledger's description of the lexicon.
    #[must_use]
    pub fn says(&self, expected: &Expected) -> bool {
        self.expected().is_ok_and(|said| said.is_same(expected))
    }

    fn alphabet(&self) -> Result<Arc<Alphabet>, ManifestError> {
        let id = || self.id.clone();
        match &self.alphabet_file {
            Some(text) => {
                let read = Alphabet::from_toml(text);
                read.map(Arc::new).map_err(|source| ManifestError::Alphabet { id: id(), source })
            }
            None => Alphabet::shipped(&self.alphabet)
                .ok_or_else(|| ManifestError::UnknownAlphabet { id: id(), alphabet: self.alphabet.clone() }),
        }
    }

    /// The differences between this import and the ledger's record of its id, a sentence each; empty where importing it
    /// again changes nothing. The source file and the time of the import do not count.
    #[must_use]
    pub fn differences(&self, known: &LexiconImported) -> Vec<String> {
        let there = &known.lexicon;
        let day = |day: &Option<String>| day.clone().unwrap_or_else(|| "none".to_owned());
        let code = |fingerprint: &str| fingerprint.chars().take(8).collect::<String>();
        let words = |words: String, fingerprint: &str| format!("{words} with the fingerprint {}…", code(fingerprint));
        let is_same_alphabet = (&self.alphabet, &self.alphabet_file) == (&known.alphabet, &known.alphabet_file);
        let fields = [
            ("--id", self.id == there.id, there.id.clone(), self.id.clone()),
            ("--title", self.title == there.title, format!("{:?}", there.title), format!("{:?}", self.title)),
            ("--edition", self.edition == there.edition, format!("{:?}", there.edition), format!("{:?}", self.edition)),
            ("--language", self.language == known.language, known.language.clone(), self.language.clone()),
            (
                "--alphabet",
                is_same_alphabet,
                of_file(&known.alphabet, known.alphabet_file.as_ref()),
                of_file(&self.alphabet, self.alphabet_file.as_ref()),
            ),
            ("--lengths", self.lengths == known.lengths, known.lengths.to_string(), self.lengths.to_string()),
            (
                "the words",
                self.fingerprint == there.fingerprint,
                words(known.words.to_string(), &there.fingerprint),
                words(self.words.to_string(), &self.fingerprint),
            ),
            (
                "--effective-from",
                self.effective_from == known.effective_from,
                day(&known.effective_from),
                day(&self.effective_from),
            ),
        ];
        let differing = fields.into_iter().filter(|(_, is_same, ..)| !is_same);
        differing.map(|(field, _, there, here)| format!("{field}: {there} there and {here} here")).collect()
    }
}

/// An alphabet by its name, with the code of its file where it is a director's own.
fn of_file(name: &str, file: Option<&String>) -> String {
    let code = file.map(|text| sha256_hex(text.as_bytes()).chars().take(8).collect::<String>());
    code.map_or_else(|| name.to_owned(), |code| format!("{name} (a file with the SHA-256 {code}…)"))
}

/// Counts of words and lines fit 64 bits on every machine.
fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::samples::{CASTILIAN, imported};
    use super::*;

    fn manifest() -> Manifest {
        imported("N23", "CRANE QI ZA").0
    }

    #[test]
    fn a_manifest_is_read_back_as_it_was_written() {
        let text = manifest().to_json().unwrap();
        assert!(text.contains("\"lengths\": [\n    2,\n    15\n  ]"), "{text}");
        assert!(text.contains("\"by_length\": {\n    \"2\": 2,\n    \"5\": 1\n  }"), "{text}");
        assert_eq!(Manifest::from_json(&text).unwrap(), manifest());
    }

    #[test]
    fn an_unknown_field_or_a_name_that_leaves_the_directory_is_refused() {
        let text = manifest().to_json().unwrap();
        let bad = [
            text.replace("\"edition\"", "\"editoin\""),
            text.replace("\"words\": 3", "\"words\": 3, \"more\": 1"),
            text.replace("\"N23\"", "\"../N23\""),
            text.replace(&manifest().fingerprint, "../../x"),
            text.replace(&manifest().index_sha256, "ABC"),
            text.replace("\"words\": 3", "\"words\": -3"),
            String::new(),
        ];
        for text in bad {
            assert!(Manifest::from_json(&text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_alphabet_is_a_shipped_one_or_the_directors_own() {
        assert_eq!(manifest().expected().unwrap().alphabet.name(), "english");
        let own = Manifest { alphabet_file: Some(CASTILIAN.to_owned()), ..manifest() };
        assert_eq!(own.expected().unwrap().alphabet.name(), "castilian-test");
        let unknown = Manifest { alphabet: "klingon".to_owned(), ..manifest() };
        assert!(unknown.expected().unwrap_err().to_string().contains("klingon"));
        let broken = Manifest { alphabet_file: Some("tiles = 3".to_owned()), ..manifest() };
        assert!(broken.expected().is_err());
    }

    #[test]
    fn a_second_import_differs_by_what_it_says_and_not_by_where_it_came_from() {
        let (mut other, known) = (manifest(), manifest().imported());
        other.source.lines += 2;
        other.imported_at = "2027-01-01T00:00:00.000000Z".to_owned();
        assert!(other.differences(&known).is_empty());
        other.edition = "2024".to_owned();
        other.lengths.longest = 21;
        other.effective_from = Some("2027-01-01".to_owned());
        let all = [
            "--edition: \"\" there and \"2024\" here",
            "--lengths: 2-15 there and 2-21 here",
            "--effective-from: none there and 2027-01-01 here",
        ];
        assert_eq!(other.differences(&known), all);
        let words = imported("N23", "CRANE QI").0.differences(&known);
        assert!(words.len() == 1 && words[0].starts_with("the words: 3 with the fingerprint "), "{words:?}");
        let own = Manifest { alphabet_file: Some(CASTILIAN.to_owned()), ..manifest() }.differences(&known);
        assert!(own.len() == 1 && own[0].starts_with("--alphabet: english there and english (a file with"), "{own:?}");
    }
}
