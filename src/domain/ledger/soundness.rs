//! Which entries of closed logs are in question. A restore closes a log as it is, with every change that was made to
//! it: an entry at or after the first fault is in question until a director settles it. Source: CONTRACT 3.2, 6.

use std::collections::BTreeMap;

/// For each closed log: how many entries from the first are not in question, and of how many the set-up is in force.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SoundSizes(BTreeMap<String, Sizes>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sizes {
    vouched: u64,
    in_force: u64,
}

impl SoundSizes {
    /// Adds the statement of a continuation about an earlier log. Of two statements the lower number counts.
    pub fn add(&mut self, log: &str, vouched: u64, in_force: u64) {
        let sizes = self.0.entry(log.to_owned()).or_insert(Sizes { vouched, in_force });
        *sizes = Sizes { vouched: vouched.min(sizes.vouched), in_force: in_force.min(sizes.in_force) };
    }

    /// Whether the entry at this position of a log is in question.
    #[must_use]
    pub fn is_in_question(&self, log: &str, seq: i64) -> bool {
        self.0.get(log).is_some_and(|sizes| !is_before(seq, sizes.vouched))
    }

    /// Whether the set-up of the entry at this position is in force.
    #[must_use]
    pub fn is_in_force(&self, log: &str, seq: i64) -> bool {
        self.0.get(log).is_none_or(|sizes| is_before(seq, sizes.in_force))
    }
}

fn is_before(seq: i64, size: u64) -> bool {
    u64::try_from(seq).is_ok_and(|seq| seq < size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_from_the_sound_size_on_are_in_question_in_closed_logs_only() {
        let mut sizes = SoundSizes::default();
        sizes.add("demo", 3, 5);
        sizes.add("demo", 2, 4);
        sizes.add("demo", 6, 6);
        for (seq, is_in_question, is_in_force) in
            [(-1, true, false), (0, false, true), (1, false, true), (2, true, true), (3, true, true), (4, true, false)]
        {
            let found = (sizes.is_in_question("demo", seq), sizes.is_in_force("demo", seq));
            assert_eq!(found, (is_in_question, is_in_force), "{seq}");
        }
        assert!(!sizes.is_in_question("demo~2", 9) && sizes.is_in_force("demo~2", 9));
    }
}
