//! The Merkle tree of a log, stored as its right edge only.
//!
//! A log of `n` entries is a row of complete binary trees, one for each 1 in the
//! binary form of `n`, the largest first: a log of 6 is a tree of 4 and a tree of
//! 2. Their roots are the *frontier*. It is all that is needed to add an entry or
//! to state the root of the whole, so a log of a million entries costs 20 hashes
//! of memory, and a writer can keep it beside the log's last entry.

use std::{fmt, str::FromStr};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use sha2::{Digest, Sha256};

/// A SHA-256 hash: of a leaf, of a node, or the root of a whole log.
///
/// Written as 64 lower-case hexadecimal digits, and read from that form only, so
/// that one hash has one spelling.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Hash(pub [u8; 32]);

/// The text is not 64 lower-case hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a hash is 64 lower-case hexadecimal digits")]
pub struct NotAHash;

impl Hash {
    /// The SHA-256 of some bytes. For a leaf use [`leaf_hash`].
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// In base64, as the root line of a checkpoint has it.
    #[must_use]
    pub fn base64(&self) -> String {
        STANDARD.encode(self.0)
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Hash {
    type Err = NotAHash;

    fn from_str(text: &str) -> Result<Self, NotAHash> {
        let (pairs, odd) = text.as_bytes().as_chunks::<2>();
        let mut bytes = [0; 32];
        if pairs.len() != bytes.len() || !odd.is_empty() {
            return Err(NotAHash);
        }
        for (byte, &[high, low]) in bytes.iter_mut().zip(pairs) {
            *byte = (hex_digit(high)? << 4) | hex_digit(low)?;
        }
        Ok(Self(bytes))
    }
}

fn hex_digit(digit: u8) -> Result<u8, NotAHash> {
    match digit {
        b'0'..=b'9' => Ok(digit - b'0'),
        b'a'..=b'f' => Ok(digit - b'a' + 10),
        _ => Err(NotAHash),
    }
}

/// The hash of one leaf's bytes: SHA-256(0x00 ‖ `leaf`).
///
/// The leading byte distinguishes leaves from nodes, so that a pair of hashes cannot
/// pass for an entry. Source: RFC 6962 section 2.1.
#[must_use]
pub fn leaf_hash(leaf: &[u8]) -> Hash {
    Hash(Sha256::new().chain_update([0x00]).chain_update(leaf).finalize().into())
}

/// The hash above two neighbours: SHA-256(0x01 ‖ `left` ‖ `right`).
///
/// Source: RFC 6962 section 2.1.
#[must_use]
pub fn node_hash(left: Hash, right: Hash) -> Hash {
    Hash(Sha256::new().chain_update([0x01]).chain_update(left.0).chain_update(right.0).finalize().into())
}

/// The tree over a log's leaf hashes, in the order of the entries.
///
/// ```
/// # use adjudge::domain::ledger::{Tree, leaf_hash, node_hash};
/// let [a, b, c] = ["first", "second", "third"].map(|text| leaf_hash(text.as_bytes()));
/// let mut tree = Tree::default();
/// tree.push(a);
/// tree.push(b);
/// tree.push(c);
/// assert_eq!(tree.frontier(), [node_hash(a, b), c]);
/// assert_eq!(tree.root(), node_hash(node_hash(a, b), c));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tree {
    size: u64,
    frontier: Vec<Hash>,
}

impl Tree {
    /// Restores a tree from its size and its [`frontier`](Self::frontier).
    ///
    /// `None` when there are more or fewer hashes than a log of this size has
    /// complete subtrees, which is the number of ones in `size`. The hashes
    /// themselves are not verified.
    #[must_use]
    pub fn from_frontier(size: u64, frontier: Vec<Hash>) -> Option<Self> {
        let expected = usize::try_from(size.count_ones()).ok()?;
        (frontier.len() == expected).then_some(Self { size, frontier })
    }

    /// Adds the next entry's leaf hash. Cost: two hashes for each entry on average.
    pub fn push(&mut self, leaf: Hash) {
        let mut subtree = leaf;
        // Adding one carries through the trailing ones of the size; each carry
        // joins two complete subtrees of the same size.
        for _ in 0..self.size.trailing_ones() {
            if let Some(left) = self.frontier.pop() {
                subtree = node_hash(left, subtree);
            }
        }
        self.frontier.push(subtree);
        self.size += 1;
    }

    /// The number of entries.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The roots of the complete subtrees, the largest (oldest entries) first; empty for an empty log.
    #[must_use]
    pub fn frontier(&self) -> &[Hash] {
        &self.frontier
    }

    /// The root over all entries; of an empty log, SHA-256 of no bytes. Cost: at most 63 hashes.
    ///
    /// Source: RFC 6962 section 2.1 (`MTH`).
    #[must_use]
    pub fn root(&self) -> Hash {
        let from_the_right = self.frontier.iter().rev().copied();
        from_the_right.reduce(|right, left| node_hash(left, right)).unwrap_or_else(|| Hash(Sha256::digest([]).into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition in RFC 6962 section 2.1, implemented literally and slowly.
    fn by_the_book(leaves: &[Hash]) -> Hash {
        match leaves {
            [] => Hash(Sha256::digest([]).into()),
            [only] => *only,
            _ => {
                let (left, right) = leaves.split_at(leaves.len().next_power_of_two() / 2);
                node_hash(by_the_book(left), by_the_book(right))
            }
        }
    }

    #[test]
    fn the_root_is_that_of_rfc_6962_for_sizes_0_to_600() {
        let leaves: Vec<Hash> = (0..600_u32).map(|n| leaf_hash(&n.to_be_bytes())).collect();
        let mut tree = Tree::default();
        assert_eq!(tree.root(), by_the_book(&[]));
        for (place, leaf) in leaves.iter().enumerate() {
            tree.push(*leaf);
            assert_eq!(tree.root(), by_the_book(&leaves[..=place]), "size {}", place + 1);
            let again = Tree::from_frontier(tree.size(), tree.frontier().to_vec()).unwrap();
            assert_eq!(again, tree);
        }
    }

    #[test]
    fn the_roots_are_those_of_the_certificate_transparency_vectors() {
        let leaves: [&[u8]; 8] = [
            b"",
            b"\x00",
            b"\x10",
            b"\x20\x21",
            b"\x30\x31",
            b"\x40\x41\x42\x43",
            b"\x50\x51\x52\x53\x54\x55\x56\x57",
            b"\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f",
        ];
        let roots = [
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
            "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
            "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
            "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
            "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
            "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
            "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
        ];
        let mut tree = Tree::default();
        assert_eq!(tree.root().to_string(), roots[0]);
        for (leaf, root) in leaves.iter().zip(&roots[1..]) {
            tree.push(leaf_hash(leaf));
            assert_eq!(tree.root().to_string(), *root);
        }
    }

    #[test]
    fn a_frontier_of_the_wrong_length_is_refused() {
        let hash = leaf_hash(b"");
        assert!(Tree::from_frontier(0, vec![]).is_some());
        assert!(Tree::from_frontier(0, vec![hash]).is_none());
        assert!(Tree::from_frontier(6, vec![hash]).is_none());
        assert!(Tree::from_frontier(6, vec![hash; 2]).is_some());
        assert!(Tree::from_frontier(6, vec![hash; 3]).is_none());
    }

    #[test]
    fn a_hash_is_read_from_its_one_spelling_only() {
        let hash = leaf_hash(b"");
        let text = hash.to_string();
        assert_eq!(text.parse(), Ok(hash));
        for wrong in
            [&text[1..], &format!("{text}0"), &format!("{text}00"), &text.to_uppercase(), &text.replace('6', "g"), ""]
        {
            assert_eq!(wrong.parse::<Hash>(), Err(NotAHash), "{wrong}");
        }
    }
}
