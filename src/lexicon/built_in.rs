//! The lexicon that is part of the program: Wordnik's open word list, so that a demonstration, a club
//! night or a test needs no file. It is no tournament list, and its title says so on every screen.
//!
//! `build.rs` makes its index from the crate `wordnik_list`; its manifest is `lexicons/wordnik.json`.
//! The program trusts it no more than a file: it verifies the whole index before the first use.

use std::sync::{Arc, LazyLock};

use super::manifest::{Manifest, ManifestError};
use super::open::{Expected, OpenError, Opened};
use crate::domain::lexicon::LexiconName;

/// The id of the built-in lexicon. No import may use it.
pub const ID: &str = "wordnik";

static INDEX: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/wordnik.fst"));

static MANIFEST: LazyLock<Result<Manifest, ManifestError>> =
    LazyLock::new(|| Manifest::from_json(include_str!("../../lexicons/wordnik.json")));

static OPENED: LazyLock<Result<Arc<Opened>, NotServed>> = LazyLock::new(open);

/// The built-in lexicon is not served: the program file is damaged.
#[derive(Debug, thiserror::Error)]
pub enum NotServed {
    #[error("the manifest in the program cannot be used ({0}): install adjudge again")]
    Manifest(&'static ManifestError),
    #[error("the manifest in the program cannot be used ({0}): install adjudge again")]
    Alphabet(ManifestError),
    #[error(transparent)]
    Index(OpenError),
}

/// The manifest of the built-in lexicon.
///
/// # Errors
/// [`NotServed`] where the program file is damaged.
pub fn manifest() -> Result<&'static Manifest, NotServed> {
    MANIFEST.as_ref().map_err(NotServed::Manifest)
}

/// The built-in lexicon. The first call verifies it as a whole.
///
/// # Errors
/// [`NotServed`] where the program file is damaged.
pub fn wordnik() -> Result<Arc<Opened>, &'static NotServed> {
    OPENED.as_ref().map(Arc::clone)
}

/// The index bytes of the built-in lexicon: to store with a tournament, so that its rulings can still be
/// reviewed after an update of adjudge brings another edition.
#[must_use]
pub fn index() -> &'static [u8] {
    INDEX
}

/// The built-in lexicon, if `name` names it.
#[must_use]
pub fn named(name: &LexiconName) -> Option<Arc<Opened>> {
    wordnik().ok().filter(|opened| opened.name() == name)
}

/// Whether these are the id and fingerprint of the built-in lexicon, which needs no file.
#[must_use]
pub fn is_built_in(expected: &Expected) -> bool {
    let name = &expected.name;
    manifest().is_ok_and(|built_in| built_in.id == name.id && built_in.fingerprint == name.fingerprint)
}

fn open() -> Result<Arc<Opened>, NotServed> {
    let expected = manifest()?.expected().map_err(NotServed::Alphabet)?;
    Opened::from_program(INDEX, &expected).map(Arc::new).map_err(NotServed::Index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::lexicon::{Lengths, Lexicon};

    #[test]
    fn it_is_verified_and_says_that_it_is_no_tournament_list() {
        let wordnik = wordnik().unwrap();
        assert_eq!(wordnik.name().id, ID);
        assert_eq!(wordnik.name().title, "Wordnik: open word list, not a tournament list");
        assert_eq!(wordnik.name().edition, "0.2.1");
        assert_eq!(wordnik.lengths(), Lengths { shortest: 2, longest: 15 });
        assert_eq!(wordnik.words(), 194_152);
        assert!(is_built_in(wordnik.expected()));
    }

    #[test]
    fn it_holds_exactly_the_words_of_the_manifest() {
        let manifest = manifest().unwrap();
        assert_eq!(manifest.by_length.values().sum::<usize>(), 194_152);
        assert_eq!(manifest.language, "en");
        let mut counted = std::collections::BTreeMap::new();
        wordnik().unwrap().each_word(|word| *counted.entry(word.len()).or_default() += 1);
        assert_eq!(counted, manifest.by_length);
    }

    #[test]
    fn everyday_words_are_in_it_and_others_are_not() {
        let wordnik = wordnik().unwrap();
        let holds = |text: &str| wordnik.contains(&wordnik.alphabet().read(text).unwrap().unwrap());
        for word in ["quail", "River", "CRANE", "za", "qi"] {
            assert!(holds(word), "{word}");
        }
        for word in ["Q", "QUAILX", "QUAIX", "XQZ", "RIVERRIVER", "A"] {
            assert!(!holds(word), "{word}");
        }
    }

    #[test]
    fn a_damaged_program_is_noticed() {
        let expected = manifest().unwrap().expected().unwrap();
        let mut damaged = INDEX.to_vec();
        damaged[INDEX.len() / 2] ^= 1;
        let error = Opened::from_copy(damaged, &expected).unwrap_err().to_string();
        assert!(error.contains("SHA-256"), "{error}");
    }
}
