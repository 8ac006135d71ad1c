//! The ruling: one answer for the whole play.

use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::lexicon::Lexicon;
use super::word::Word;

/// The answer to a challenge. There is no third value and no default: where the words cannot be looked up
/// there is no ruling. Source: NSF II.L.5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ruling {
    /// Every challenged word is listed; the play stays.
    Acceptable,
    /// At least one challenged word is not listed; the play comes off.
    Unacceptable,
}

impl Ruling {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Acceptable => "acceptable",
            Self::Unacceptable => "unacceptable",
        }
    }
}

impl fmt::Display for Ruling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Judges the play: acceptable if and only if every word is in the lexicon.
///
/// Every word is looked up, regardless of the results of the others, so that the time taken does not reveal which
/// word failed. Source: NSF II.L.5, INSA Challenges.
#[cfg(not(feature = "early-exit"))]
#[must_use]
pub fn adjudicate(words: &[Word], lexicon: &impl Lexicon) -> Ruling {
    let all_listed = words.iter().fold(true, |listed, word| lexicon.contains(word) & listed);
    if all_listed { Ruling::Acceptable } else { Ruling::Unacceptable }
}

/// A faulty variant of [`adjudicate`] that stops at the first word that is not listed. `scripts/timing` builds it to
/// show that its measurement detects the timing leak.
#[cfg(feature = "early-exit")]
#[must_use]
pub fn adjudicate(words: &[Word], lexicon: &impl Lexicon) -> Ruling {
    let all_listed = words.iter().all(|word| lexicon.contains(word));
    if all_listed { Ruling::Acceptable } else { Ruling::Unacceptable }
}

/// Whether at least one of the words is in the lexicon. Every word is looked up here too.
#[must_use]
pub fn is_any_listed(words: &[Word], lexicon: &impl Lexicon) -> bool {
    words.iter().fold(false, |listed, word| lexicon.contains(word) | listed)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;
    use crate::domain::Alphabet;

    /// A lexicon that counts its look-ups.
    struct Counting {
        words: HashSet<&'static str>,
        asked: Cell<usize>,
    }

    impl Lexicon for Counting {
        fn contains(&self, word: &Word) -> bool {
            self.asked.set(self.asked.get() + 1);
            self.words.contains(word.as_str())
        }
    }

    fn lexicon() -> Counting {
        Counting { words: HashSet::from(["CAT", "QI", "ZA", "DA", "AA"]), asked: Cell::new(0) }
    }

    fn words(typed: &[&str]) -> Vec<Word> {
        let english = Alphabet::shipped("english").unwrap();
        typed.iter().map(|typed| english.read(typed).unwrap().unwrap()).collect()
    }

    #[test]
    fn one_bad_word_makes_the_play_unacceptable() {
        assert_eq!(adjudicate(&words(&["CAT", "QI"]), &lexicon()), Ruling::Acceptable);
        assert_eq!(adjudicate(&words(&["CAT", "QI", "ZO"]), &lexicon()), Ruling::Unacceptable);
        assert_eq!(adjudicate(&words(&["ZO", "XQ"]), &lexicon()), Ruling::Unacceptable);
    }

    #[cfg(not(feature = "early-exit"))]
    #[test]
    fn every_word_is_looked_up_at_any_position_of_the_bad_word() {
        for play in [["ZO", "CAT", "QI"], ["CAT", "ZO", "QI"], ["CAT", "QI", "ZO"], ["ZO", "XQ", "JJ"]] {
            let lexicon = lexicon();
            let _ = adjudicate(&words(&play), &lexicon);
            assert_eq!(lexicon.asked.get(), 3, "{play:?}");
        }
    }

    proptest! {
        #[test]
        fn the_order_of_the_words_never_changes_the_ruling(
            play in prop::collection::vec(prop::sample::select(vec!["CAT", "QI", "ZA", "ZO", "XQ"]), 1..=8),
            turn in 0_usize..8,
        ) {
            let mut turned = play.clone();
            turned.rotate_left(turn % play.len());
            turned.reverse();
            prop_assert_eq!(adjudicate(&words(&play), &lexicon()), adjudicate(&words(&turned), &lexicon()));
        }

        #[test]
        fn adding_a_bad_word_always_makes_the_play_unacceptable(
            mut play in prop::collection::vec(prop::sample::select(vec!["CAT", "QI", "ZA", "ZO"]), 0..=7),
            place in 0_usize..8,
        ) {
            play.insert(place % (play.len() + 1), "XQ");
            prop_assert_eq!(adjudicate(&words(&play), &lexicon()), Ruling::Unacceptable);
        }
    }
}
