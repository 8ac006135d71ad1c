//! Proofs that an entry stands in a log, and that a longer log begins with a shorter one.
//!
//! Each hash of a proof is the root of the tree over a run of neighbouring entries. Which runs these are follows from the
//! numbers alone, so a proof is planned first and then made of the log's leaf hashes, read once and in order.

use std::ops::Range;

use super::tree::{Hash, Tree};

/// The runs of entries whose roots prove that entry `seq` stands in a log of `size` entries, in the order of the proof:
/// the entry's neighbour first. `None` where the log has no such entry.
///
/// Source: RFC 6962 section 2.1.1.
///
/// ```
/// # use adjudge::domain::ledger::plan_inclusion;
/// assert_eq!(plan_inclusion(2, 5).unwrap(), [3..4, 0..2, 4..5]);
/// ```
#[must_use]
pub fn plan_inclusion(seq: u64, size: u64) -> Option<Vec<Range<u64>>> {
    let (mut low, mut high, mut runs) = (0, size, Vec::new());
    while high > low + 1 {
        let middle = low + left_size(high - low);
        if seq < middle {
            runs.push(middle..high);
            high = middle;
        } else {
            runs.push(low..middle);
            low = middle;
        }
    }
    runs.reverse();
    (seq < size).then_some(runs)
}

/// The runs of entries whose roots prove that a log of `to` entries begins with the log of `from` entries, in the order of
/// the proof. There are none where both sizes are equal, or the shorter log is empty. `None` where `from` is the
/// larger.
///
/// Source: RFC 6962 section 2.1.2.
///
/// ```
/// # use adjudge::domain::ledger::plan_consistency;
/// assert_eq!(plan_consistency(3, 5).unwrap(), [2..3, 3..4, 0..2, 4..5]);
/// ```
#[must_use]
pub fn plan_consistency(from: u64, to: u64) -> Option<Vec<Range<u64>>> {
    let (mut low, mut high, mut runs) = (0, to, Vec::new());
    while from > 0 && from < high {
        let middle = low + left_size(high - low);
        if from <= middle {
            runs.push(middle..high);
            high = middle;
        } else {
            runs.push(low..middle);
            low = middle;
        }
    }
    // The caller knows the root over the whole shorter log, but not the root over its last part.
    if low > 0 {
        runs.push(low..high);
    }
    runs.reverse();
    (from <= to).then_some(runs)
}

/// How many of `size` entries, two or more, the left half of their tree has: the largest power of two below `size`.
fn left_size(size: u64) -> u64 {
    1 << (size - 1).ilog2()
}

/// The roots over runs of a log's entries, made while its leaf hashes go by.
#[derive(Clone, Debug)]
pub struct RunRoots {
    runs: Vec<(Range<u64>, Tree)>,
    size: u64,
}

impl RunRoots {
    #[must_use]
    pub fn of(runs: impl IntoIterator<Item = Range<u64>>) -> Self {
        Self { runs: runs.into_iter().map(|run| (run, Tree::default())).collect(), size: 0 }
    }

    /// Takes the leaf hash of the next entry, from entry 0 on.
    pub fn push(&mut self, leaf: Hash) {
        for (run, tree) in &mut self.runs {
            if run.contains(&self.size) {
                tree.push(leaf);
            }
        }
        self.size += 1;
    }

    /// How many leaf hashes were taken.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The roots, in the order of the runs.
    pub fn roots(&self) -> impl Iterator<Item = Hash> {
        self.runs.iter().map(|(_, tree)| tree.root())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::{leaf_hash, node_hash};
    use super::*;

    fn leaves(count: u64) -> Vec<Hash> {
        (0..count).map(|n| leaf_hash(&n.to_be_bytes())).collect()
    }

    fn roots(leaves: &[Hash], runs: Vec<Range<u64>>) -> Vec<Hash> {
        let mut roots = RunRoots::of(runs);
        for leaf in leaves {
            roots.push(*leaf);
        }
        roots.roots().collect()
    }

    fn root(leaves: &[Hash]) -> Hash {
        let mut tree = Tree::default();
        for leaf in leaves {
            tree.push(*leaf);
        }
        tree.root()
    }

    /// RFC 9162 section 2.1.3.2.
    fn root_by_inclusion(seq: u64, size: u64, leaf: Hash, proof: &[Hash]) -> Option<Hash> {
        let (mut node, mut last, mut root) = (seq, size - 1, leaf);
        for sibling in proof {
            if last == 0 {
                return None;
            }
            if node % 2 == 1 || node == last {
                root = node_hash(*sibling, root);
                while node % 2 == 0 && node != 0 {
                    (node, last) = (node / 2, last / 2);
                }
            } else {
                root = node_hash(root, *sibling);
            }
            (node, last) = (node / 2, last / 2);
        }
        (last == 0).then_some(root)
    }

    /// RFC 9162 section 2.1.4.2.
    fn roots_by_consistency(from: u64, to: u64, old: Hash, proof: &[Hash]) -> Option<(Hash, Hash)> {
        let mut proof = proof.to_vec();
        if from.is_power_of_two() {
            proof.insert(0, old);
        }
        let (mut node, mut last) = (from - 1, to - 1);
        while node % 2 == 1 {
            (node, last) = (node / 2, last / 2);
        }
        let (first, rest) = proof.split_first()?;
        let (mut one, mut other) = (*first, *first);
        for sibling in rest {
            if last == 0 {
                return None;
            }
            if node % 2 == 1 || node == last {
                (one, other) = (node_hash(*sibling, one), node_hash(*sibling, other));
                while node % 2 == 0 && node != 0 {
                    (node, last) = (node / 2, last / 2);
                }
            } else {
                other = node_hash(other, *sibling);
            }
            (node, last) = (node / 2, last / 2);
        }
        (last == 0).then_some((one, other))
    }

    #[test]
    fn every_entry_of_every_log_up_to_70_is_proved_to_be_in_it() {
        let all = leaves(70);
        for size in 1..=70_u64 {
            let log = &all[..usize::try_from(size).unwrap()];
            for (seq, leaf) in (0..size).zip(log) {
                let proof = roots(log, plan_inclusion(seq, size).unwrap());
                assert_eq!(root_by_inclusion(seq, size, *leaf, &proof), Some(root(log)), "{seq} of {size}");
            }
            assert_eq!(plan_inclusion(size, size), None);
        }
        assert_eq!(plan_inclusion(0, 0), None);
    }

    #[test]
    fn every_log_up_to_70_is_proved_to_begin_with_every_shorter_one() {
        let all = leaves(70);
        let log = |size: u64| &all[..usize::try_from(size).unwrap()];
        for to in 1..=70 {
            for from in 1..to {
                let proof = roots(log(to), plan_consistency(from, to).unwrap());
                let both = (root(log(from)), root(log(to)));
                assert_eq!(roots_by_consistency(from, to, both.0, &proof), Some(both), "{from} to {to}");
            }
            assert_eq!(plan_consistency(to, to), Some(vec![]));
            assert_eq!(plan_consistency(0, to), Some(vec![]));
            assert_eq!(plan_consistency(to + 1, to), None);
        }
    }

    /// The examples of RFC 6962 section 2.1.3, a log of 7 entries.
    #[test]
    fn the_runs_are_those_of_the_examples_of_rfc_6962() {
        assert_eq!(plan_inclusion(0, 7).unwrap(), [1..2, 2..4, 4..7]);
        assert_eq!(plan_inclusion(3, 7).unwrap(), [2..3, 0..2, 4..7]);
        assert_eq!(plan_inclusion(4, 7).unwrap(), [5..6, 6..7, 0..4]);
        assert_eq!(plan_inclusion(6, 7).unwrap(), [4..6, 0..4]);
        assert_eq!(plan_consistency(3, 7).unwrap(), [2..3, 3..4, 0..2, 4..7]);
        assert_eq!(plan_consistency(4, 7).unwrap(), vec![Range { start: 4, end: 7 }]);
        assert_eq!(plan_consistency(6, 7).unwrap(), [4..6, 6..7, 0..4]);
    }

    #[test]
    fn a_plan_of_the_largest_log_has_no_more_runs_than_hashes_of_a_path() {
        let largest = u64::try_from(i64::MAX).unwrap();
        assert_eq!(plan_inclusion(0, largest).unwrap().len(), 63);
        assert!(plan_consistency(largest / 3, largest).unwrap().len() <= 64);
    }
}
