//! Gaps: lengths that a list declares to cover and has no word of.
//!
//! A word that a list covers and does not have is unacceptable. A list of words of 2 to 8 letters that is declared to
//! cover 2-15 makes every word of nine letters unacceptable, although a judge must look it up in other sources. A list
//! without words of two letters is cut off, or another game's.

use std::collections::BTreeMap;
use std::fmt;

use crate::domain::lexicon::Lengths;

/// A list of at least this many words has words of every length that it covers.
const WORDS_OF_A_WHOLE_LIST: usize = 1_000;

/// In a list of fewer words than this a missing length proves nothing.
const WORDS_TO_SAY_ANYTHING: usize = 100;

/// The empty lengths of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gaps {
    /// Every empty length, in tiles, the shortest first.
    empty: Vec<usize>,
    covered: Lengths,
    /// The range without a gap that has the most words, and how many words are not in it.
    fitting: Lengths,
    outside: usize,
    words: usize,
}

impl Gaps {
    /// The gaps of a list that covers these lengths; `None` where there are none.
    pub(super) fn of(covered: Lengths, by_length: &BTreeMap<usize, usize>) -> Option<Self> {
        let count = |length: usize| by_length.get(&length).copied().unwrap_or_default();
        let empty: Vec<usize> = (covered.shortest..=covered.longest).filter(|length| count(*length) == 0).collect();
        let words: usize = by_length.values().sum();
        let words_in =
            |range: &Lengths| by_length.range(range.shortest..=range.longest).map(|(_, count)| count).sum::<usize>();
        let fitting = ranges(by_length.keys().copied()).into_iter().max_by_key(words_in)?;
        let outside = words - words_in(&fitting);
        (!empty.is_empty()).then_some(Self { empty, covered, fitting, outside, words })
    }

    /// Whether a list of that size is refused for its gaps.
    pub(super) fn is_refused(&self) -> bool {
        self.words >= WORDS_OF_A_WHOLE_LIST
    }

    /// The advice about the gaps.
    #[must_use]
    pub fn advice(&self) -> String {
        let Self { fitting, outside, .. } = self;
        let left_out = match outside {
            0 => String::new(),
            1 => " (1 word is outside of that: look at it)".to_owned(),
            _ => format!(" (that leaves {outside} words out: is the file whole?)"),
        };
        format!(
            "say which lengths the list covers with --lengths {fitting}{left_out}, or take it with --allow-gaps if the \
            whole list has no such words"
        )
    }

    /// The warning for a list that is accepted despite its gaps.
    pub(super) fn warning(&self) -> Option<String> {
        (self.words >= WORDS_TO_SAY_ANYTHING).then(|| format!("{self}; {}", self.advice()))
    }
}

impl fmt::Display for Gaps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let empty: Vec<String> = ranges(self.empty.iter().copied())
            .into_iter()
            .map(|range| if range.shortest == range.longest { range.shortest.to_string() } else { range.to_string() })
            .collect();
        let covered = self.covered;
        write!(
            f,
            "no word of the list has {} tiles, and with --lengths {covered} every such word would be unacceptable",
            empty.join(", ")
        )
    }
}

/// Joins consecutive lengths to ranges.
fn ranges(lengths: impl Iterator<Item = usize>) -> Vec<Lengths> {
    let mut ranges: Vec<Lengths> = Vec::new();
    for length in lengths {
        match ranges.last_mut() {
            Some(last) if last.longest + 1 == length => last.longest = length,
            _ => ranges.push(Lengths { shortest: length, longest: length }),
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gaps(covered: (usize, usize), lengths: &[usize]) -> Option<Gaps> {
        Gaps::of(covered.into(), &lengths.iter().map(|length| (*length, 200)).collect())
    }

    fn texts(covered: (usize, usize), lengths: &[usize]) -> (String, String) {
        let gaps = gaps(covered, lengths).unwrap();
        assert!(gaps.is_refused());
        (gaps.to_string(), gaps.advice())
    }

    #[test]
    fn the_empty_lengths_are_named_and_the_fitting_range_is_proposed() {
        assert_eq!(gaps((2, 4), &[2, 3, 4]), None);
        let (all, advice) = texts((2, 15), &[2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(
            all,
            "no word of the list has 9-15 tiles, and with --lengths 2-15 every such word would be unacceptable"
        );
        assert!(
            advice.starts_with("say which lengths the list covers with --lengths 2-8, or take it with --allow-gaps")
        );
        let (all, advice) = texts((2, 9), &[3, 4, 5, 6, 7, 9]);
        assert!(
            all.contains(" 2, 8 tiles") && advice.contains("--lengths 3-7 (that leaves 200 words out"),
            "{all}; {advice}"
        );
    }

    #[test]
    fn a_small_list_may_have_gaps() {
        let few = Gaps::of((2, 15).into(), &BTreeMap::from([(2, 999)])).unwrap();
        assert!(!few.is_refused() && few.warning().is_some());
        assert_eq!(Gaps::of((2, 15).into(), &BTreeMap::from([(2, 99)])).unwrap().warning(), None);
    }
}
