//! How many rejected lines may be left out, and of which kinds.
//!
//! A number covers stray lines. More than one in twenty is no accident, so the director who leaves those out names the
//! kind of the lines. Otherwise a list with definitions would lose all words but the few without a definition.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use super::report::Report;
use crate::lexicon::import::rejection::Kind;

/// One in how many lines a number may cover.
const LINES_FOR_EACH_REJECT: usize = 20;

/// What `--allow-rejects` allows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowedRejects {
    /// How many lines of any kind may be left out.
    pub count: usize,
    /// The kinds of which all lines may be left out.
    pub all_of: BTreeSet<Kind>,
}

/// One value of `--allow-rejects`: `3` or `all-of:hyphen`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllowedReject {
    Count(usize),
    AllOf(Kind),
}

/// A text is no value of `--allow-rejects`.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("give a number of lines, or all-of: and a reason as the report names it, like all-of:hyphen")]
pub struct NoAllowedReject;

impl FromStr for AllowedReject {
    type Err = NoAllowedReject;

    fn from_str(text: &str) -> Result<Self, NoAllowedReject> {
        match text.strip_prefix("all-of:") {
            Some(kind) => kind.parse().map(Self::AllOf).map_err(|_| NoAllowedReject),
            None => text.parse().map(Self::Count).map_err(|_| NoAllowedReject),
        }
    }
}

impl FromIterator<AllowedReject> for AllowedRejects {
    fn from_iter<I: IntoIterator<Item = AllowedReject>>(values: I) -> Self {
        let mut allowed = Self::default();
        for value in values {
            match value {
                AllowedReject::Count(count) => allowed.count = count,
                AllowedReject::AllOf(kind) => {
                    allowed.all_of.insert(kind);
                }
            }
        }
        allowed
    }
}

/// Why the rejected lines of a file refuse the import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Excess {
    /// None may be left out.
    NoneAllowed,
    /// There are more than the number that is allowed.
    Count(usize),
    /// There are more than a number can allow; the limit is given.
    Share(usize),
}

impl AllowedRejects {
    /// Why the rejected lines are too many; `None` where they may be left out.
    #[must_use]
    pub fn excess(&self, report: &Report) -> Option<Excess> {
        let others = report.rejected_by_kind.iter().filter(|(kind, _)| !self.all_of.contains(kind));
        let (rejected, with_word) = others.fold((0, 0), |(rejected, with_word), (kind, count)| {
            (rejected + count, with_word + report.with_word.get(kind).copied().unwrap_or_default())
        });
        let limit = limit(report.lines, with_word);
        match rejected {
            0 => None,
            _ if *self == Self::default() => Some(Excess::NoneAllowed),
            _ if rejected > self.count => Some(Excess::Count(self.count)),
            _ if rejected > limit => Some(Excess::Share(limit)),
            _ => None,
        }
    }
}

/// How many lines a number can allow: one in twenty, and a single one in a short file, unless it may hold a word.
pub(super) fn limit(lines: usize, with_word: usize) -> usize {
    (lines / LINES_FOR_EACH_REJECT).max(usize::from(with_word == 0))
}

impl fmt::Display for Excess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoneAllowed => Ok(()),
            Self::Count(count) => write!(f, ", and --allow-rejects leaves out {count} at most"),
            Self::Share(limit) => {
                write!(f, ", and --allow-rejects with a number leaves out 5 % of the lines at most, here {limit}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_a_number_or_a_reason() {
        assert_eq!("3".parse(), Ok(AllowedReject::Count(3)));
        assert_eq!("all-of:text-after".parse(), Ok(AllowedReject::AllOf(Kind::TextAfter)));
        for text in ["", "all", "all-of:", "all-of:hyphens", "-1", "5%", "hyphen"] {
            assert_eq!(text.parse::<AllowedReject>(), Err(NoAllowedReject), "{text}");
        }
        let both: AllowedRejects = ["3", "all-of:hyphen"].iter().map(|value| value.parse().unwrap()).collect();
        assert_eq!(both, AllowedRejects { count: 3, all_of: BTreeSet::from([Kind::Hyphen]) });
    }

    #[test]
    fn a_number_covers_one_line_in_twenty() {
        assert_eq!([0, 19, 20, 39, 100].map(|lines| limit(lines, 0)), [1, 1, 1, 1, 5]);
        assert_eq!([0, 19, 20, 39, 100].map(|lines| limit(lines, 1)), [0, 0, 1, 1, 5]);
    }
}
