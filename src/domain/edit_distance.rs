//! How far a word is from another one, in typing mistakes: one tile inserted, left out or changed, or two neighbours
//! swapped, each of which counts one (the Damerau-Levenshtein distance, in tiles).

use std::collections::{BTreeSet, HashSet};

type Tiles<'a> = Vec<&'a str>;

/// Whether at most two edits make one word of the other. Both are given as tiles.
#[must_use]
pub fn is_within_two_edits(one: &[String], other: &[String]) -> bool {
    let tiles: BTreeSet<&str> = one.iter().chain(other).map(String::as_str).collect();
    // Each edit can be taken back by one: the words are two apart where some word is at most one from either.
    let around_one = within_one_edit(one, &tiles);
    !around_one.is_disjoint(&within_one_edit(other, &tiles))
}

/// The word and everything that one edit makes of it with these tiles.
fn within_one_edit<'a>(word: &'a [String], tiles: &BTreeSet<&'a str>) -> HashSet<Tiles<'a>> {
    let word: Tiles<'a> = word.iter().map(String::as_str).collect();
    let mut found = HashSet::from([word.clone()]);
    for place in 0..=word.len() {
        let (before, rest) = word.split_at(place);
        let with = |middle: &[&'a str], after: &[&'a str]| [before, middle, after].concat();
        found.extend(tiles.iter().map(|&tile| with(&[tile], rest)));
        if let [_, after @ ..] = rest {
            found.insert(with(&[], after));
            found.extend(tiles.iter().map(|&tile| with(&[tile], after)));
        }
        if let [first, second, after @ ..] = rest {
            found.insert(with(&[second, first], after));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_near(one: &str, other: &str) -> bool {
        let tiles = |word: &str| word.chars().map(String::from).collect::<Vec<_>>();
        let (one, other) = (tiles(one), tiles(other));
        let is_near = is_within_two_edits(&one, &other);
        assert_eq!(is_near, is_within_two_edits(&other, &one), "it is the same from both sides");
        is_near
    }

    #[test]
    fn one_tile_inserted_left_out_or_changed_or_two_neighbours_swapped_counts_one() {
        for (one, other) in [
            ("CAT", "CAT"),
            ("CAT", "CATS"),
            ("CAT", "SCATS"),
            ("UNSTATE", "UNSTATES"),
            ("UNSTAETS", "UNSTATES"),
            ("CTASS", "CATS"),
            ("CTAS", "ACTS"),
            ("QIX", "QI"),
            ("QUIZ", "QZ"),
            ("CAT", "COG"),
            ("ABCD", "BADC"),
            ("CA", "ABC"),
        ] {
            assert!(is_near(one, other), "{one} {other}");
        }
        for (one, other) in
            [("XYZZZY", "GNU"), ("XYZZZY", "QUIZ"), ("CAT", "DOG"), ("CAT", "SCATTS"), ("ABC", "CBAD"), ("AA", "AAAAA")]
        {
            assert!(!is_near(one, other), "{one} {other}");
        }
    }

    #[test]
    fn tiles_count_and_not_letters() {
        let tiles = |tiles: &[&str]| tiles.iter().map(|tile| (*tile).to_owned()).collect::<Vec<_>>();
        assert!(is_within_two_edits(&tiles(&["CH", "I", "C", "O"]), &tiles(&["LL", "I", "RR", "O"])));
        assert!(!is_within_two_edits(&tiles(&["CH", "I", "C", "O"]), &tiles(&["LL", "A", "RR", "O"])));
    }
}
