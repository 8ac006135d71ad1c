//! Two words on one line, where a line end was lost: `AAMEVABRBQ` for `AAMEV` and `ABRBQ`.
//!
//! Such a line reads as a word, so only its neighbours give it away. In a list that is in order, a word that splits into
//! two which stand in order between the line before and the line after is hardly one, if the list has neither (the
//! line was their only one) or both (two files were joined, and the last line of the first had no end).

use std::collections::{BTreeMap, HashSet};

use crate::lexicon::list::{Gathered, List};

/// A list is in order where one line in so many, at most, breaks it.
const LINES_FOR_EACH_BREAK: usize = 20;

/// The most candidates that are examined; the next constant limits those that are shown.
const CANDIDATES: usize = 1_000;
const SHOWN: usize = 10;

/// The shortest word, in letters.
const MIN_PART_CHARS: usize = 2;

/// A line that may be two words, by what stands around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) line: usize,
    first: String,
    second: String,
    /// Whether this candidate needs both words to be in the list.
    needs_both: bool,
}

/// How a list is sorted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Alphabetical,
    ByLength,
}

impl Order {
    /// The order that a list is in, if any.
    fn of(gathered: &Gathered) -> Option<Self> {
        let is_in = |order: &Self| {
            let pairs = gathered.words().zip(gathered.words().skip(1));
            let breaks = pairs.filter(|(one, next)| order.key(one) > order.key(next)).count();
            breaks <= gathered.len() / LINES_FOR_EACH_BREAK + 1
        };
        [Self::Alphabetical, Self::ByLength].into_iter().find(is_in)
    }

    fn key(self, word: &str) -> (usize, &str) {
        match self {
            Self::Alphabetical => (0, word),
            Self::ByLength => (word.chars().count(), word),
        }
    }
}

/// The lines of a list that may be two words. `too_long` are lines that were rejected for their length, each with
/// its number.
pub(super) fn find_candidates(gathered: &Gathered, too_long: &[(usize, String)]) -> Vec<Candidate> {
    let Some(order) = Order::of(gathered) else { return Vec::new() };
    let mut lengths: BTreeMap<usize, usize> = BTreeMap::new();
    gathered.words().for_each(|word| *lengths.entry(word.chars().count()).or_default() += 1);
    let around = Around { order, lengths };
    let words: Vec<&str> = gathered.words().collect();
    let neighbours = |at: usize, after: usize| {
        (at.checked_sub(1).and_then(|before| words.get(before)).copied(), words.get(after).copied())
    };
    let taken = words.iter().enumerate().map(|(at, word)| (gathered.line(at), *word, neighbours(at, at + 1)));
    let rejected = too_long.iter().map(|(line, word)| {
        let at = gathered.place_of(*line);
        (*line, word.as_str(), neighbours(at, at))
    });
    let split = |(line, word, (before, after))| around.split(line, word, before, after);
    taken.chain(rejected).flat_map(split).take(CANDIDATES).collect()
}

struct Around {
    order: Order,
    /// How many words of each length in letters the list has.
    lengths: BTreeMap<usize, usize>,
}

impl Around {
    /// The ways to split a word that fit between its neighbours.
    fn split(&self, line: usize, word: &str, before: Option<&str>, after: Option<&str>) -> Vec<Candidate> {
        let key = |word| self.order.key(word);
        let breaks_before = before.is_some_and(|before| key(word) < key(before));
        let breaks_after = after.is_some_and(|after| key(after) < key(word));
        if word.contains('[') || before == Some(word) || (self.order == Order::ByLength && !breaks_after) {
            return Vec::new();
        }
        let letters = word.chars().count();
        let has_length =
            |length: usize| self.lengths.get(&length).is_some_and(|count| *count > usize::from(length == letters));
        let ends = word.char_indices().map(|(at, _)| at).enumerate().skip(MIN_PART_CHARS);
        let halves = ends.filter(|(first, _)| {
            letters - first >= MIN_PART_CHARS && has_length(*first) && has_length(letters - first)
        });
        let candidate = |(_, at)| {
            let (first, second) = word.split_at_checked(at)?;
            let fits = before.is_none_or(|before| key(before) <= key(first))
                && after.is_none_or(|after| key(second) <= key(after))
                && (key(first) < key(second) || (breaks_after && self.order == Order::Alphabetical));
            let is_appended = breaks_before && self.order == Order::Alphabetical;
            let of =
                |needs_both| Some(Candidate { line, first: first.to_owned(), second: second.to_owned(), needs_both });
            if fits { of(false) } else { is_appended.then(|| of(true)).flatten() }
        };
        halves.filter_map(candidate).collect()
    }
}

/// Those of which the list has both words or neither, one a line.
pub(super) fn confirm(candidates: &[Candidate], list: &List) -> Vec<Candidate> {
    let parts: HashSet<&str> = candidates.iter().flat_map(|one| [one.first.as_str(), one.second.as_str()]).collect();
    let there: HashSet<&str> = list.words().filter(|word| parts.contains(word)).collect();
    let is_so = |one: &&Candidate| {
        let (first, second) = (there.contains(one.first.as_str()), there.contains(one.second.as_str()));
        first == second && (first || !one.needs_both)
    };
    let mut found: Vec<Candidate> = candidates.iter().filter(is_so).cloned().collect();
    found.dedup_by_key(|one| one.line);
    found
}

/// The warning about these lines.
pub(super) fn warning(found: &[Candidate]) -> Option<String> {
    let show =
        |one: &Candidate| format!("line {} “{}{}” ({} and {})", one.line, one.first, one.second, one.first, one.second);
    let shown: Vec<String> = found.iter().take(SHOWN).map(show).collect();
    let more = found.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!found.is_empty())
        .then(|| format!("two words may have run together, a line end was lost: {}{more}", shown.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::super::super::samples::english;
    use super::*;

    /// The candidates in a list of these lines; the lines in brackets were rejected for their length.
    fn found_in(lines: &str) -> Vec<(usize, String, String)> {
        let (mut gathered, mut too_long) = (Gathered::default(), Vec::new());
        for (line, text) in (1..).zip(lines.split(' ')) {
            match text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
                Some(text) => too_long.push((line, text.to_owned())),
                None => gathered.add(&english().read(text).unwrap().unwrap(), line),
            }
        }
        let candidates = find_candidates(&gathered, &too_long);
        confirm(&candidates, &gathered.sorted()).into_iter().map(|one| (one.line, one.first, one.second)).collect()
    }

    fn one(line: usize, first: &str, second: &str) -> Vec<(usize, String, String)> {
        vec![(line, first.to_owned(), second.to_owned())]
    }

    #[test]
    fn two_words_of_which_the_list_has_neither_or_both_are_found() {
        let found = one(2, "AAMEV", "ABRBQ");
        assert_eq!(found_in("AABCD AAMEVABRBQ ABXYZ ACDEF BEEFY"), found, "neither");
        assert_eq!(found_in("AAMEV AAMEVABRBQ ABRBQ ACDEF BEEFY"), found, "both, in order");
        assert_eq!(found_in("AABCD (AAMEVABRBQ) ABXYZ ACDEF BEEFY"), found, "rejected for its length");
        let appended = "AABCD AAMEV ABRBQ ACDEF BEEFY AAMEVABRBQ";
        assert_eq!(found_in(appended), one(6, "AAMEV", "ABRBQ"), "both, at the end");
        let joined = "AABCD AAMEV ABRBQ ABRBQAABCD AAMEV ABRBQ";
        assert_eq!(found_in(joined), one(4, "ABRBQ", "AABCD"), "a list twice in one file");
        let by_length = "BE ZO ABC ZOO AABCD AAMEVABRBQ ABXYZ ACDEF BEEFY";
        assert_eq!(found_in(by_length), one(6, "AAMEV", "ABRBQ"), "sorted by length");
    }

    #[test]
    fn words_that_are_made_of_others_are_left_alone() {
        for list in [
            "AIR AIRBAG AIRBAGS BAG BAGS CAN CANCAN CANCANS DO DODO DOG",
            "AABCD AAMEV AAMEVABRBQ ABXYZ ACDEF BEEFY",
            "QUAIL RIVER",
            "CAT ZOO AAMEVABRBQ DOG BEE EEL ANT",
        ] {
            assert_eq!(found_in(list), [], "{list}");
        }
    }

    #[test]
    fn a_whole_list_of_english_words_has_hardly_any_candidates() {
        let mut gathered = Gathered::default();
        let wordnik = crate::lexicon::built_in::wordnik().unwrap();
        let mut line = 0;
        wordnik.each_word(|word| {
            line += 1;
            gathered.add(&english().read(word).unwrap().unwrap(), line);
        });
        let candidates = find_candidates(&gathered, &[]);
        assert!(confirm(&candidates, &gathered.sorted()).len() <= 1);
    }
}
