//! The ledger: a log that cannot be rewritten without detection.
//!
//! # The idea, on three entries
//!
//! A director records three things. Each is a line of text, a [`Leaf`], and each
//! has a hash. The hashes are joined in pairs, and the pairs again, up to one
//! root:
//!
//! ```text
//!              root of 3
//!             /         \
//!         node           \
//!        /    \           \
//!     leaf 0  leaf 1     leaf 2
//! ```
//!
//! Change one letter of entry 0 and its hash changes, then the node's, then the
//! root. So the root stands for the whole log, and the server signs it together
//! with the number of entries: a [`Checkpoint`]. A checkpoint is short enough to be
//! stored elsewhere, on a tablet, on another disk, its [short
//! code](Checkpoint::short_code) on a printed sheet. From then on the server itself
//! cannot change, drop or reorder the entries that the checkpoint covers: no one can
//! find another log with that root. The server can only add entries.
//!
//! ```
//! use adjudge::domain::ledger::{Actor, Checkpoint, Leaf, LogVerifier, Signer, Tree, leaf_hash};
//! use serde_json::json;
//!
//! let leaf = |seq, words| Leaf {
//!     actor: Actor { id: "s1".into(), name: "Ann".into(), role: "judge".into() },
//!     at: "2026-05-01T09:30:00.000000Z".into(),
//!     kind: "slip-ruled".into(),
//!     log: "demo".into(),
//!     payload: json!({ "words": words }),
//!     seq,
//! };
//! let texts = [leaf(0, ["QI"]), leaf(1, ["ZA"]), leaf(2, ["CAT"])].map(|leaf| leaf.to_text().unwrap());
//!
//! // The server adds three entries to the tree and signs.
//! let signer = Signer::from_seed([7; 32]);
//! let mut tree = Tree::default();
//! for text in &texts {
//!     tree.push(leaf_hash(text.as_bytes()));
//! }
//! let note = Checkpoint::of("demo", &tree).sign(&signer);
//!
//! // A verifier with the public key checks the whole log; it can be written in any language.
//! let check = |texts: &[String]| {
//!     let mut verifier = LogVerifier::new("demo", signer.verifier("demo"), |kind| kind == "slip-ruled");
//!     texts.iter().try_for_each(|text| verifier.entry(text, None).map(drop))?;
//!     verifier.checkpoint(&note)?;
//!     verifier.finish()
//! };
//! assert_eq!(check(&texts), Ok(tree));
//!
//! let mut changed = texts.clone();
//! changed[1] = changed[1].replace("ZA", "ZO");
//! let broken = check(&changed).unwrap_err();
//! assert!(broken.to_string().starts_with("entries 0 to 2: at least one was changed"));
//! ```
//!
//! # What it does not do
//!
//! A signature is only as good as the key. An attacker who controls the machine and the
//! key can write another history and sign it. Only a comparison with a checkpoint that
//! was stored outside the database reveals this ([`LogVerifier::with_checkpoint`]).
//! Only such a comparison also reveals a log that was cut off together with the
//! checkpoints of the lost entries: it looks like a log that has not grown yet.
//!
//! # The parts
//!
//! | module | subject |
//! |---|---|
//! | [`canonical()`] | one text for one value (RFC 8785) |
//! | [`Leaf`] | one entry |
//! | [`Tree`] | the root over all entries (RFC 6962) |
//! | [`plan_inclusion`], [`plan_consistency`], [`RunRoots`] | proofs about a log without the whole log (RFC 6962) |
//! | [`Signer`], [`VerifierKey`] | the key and its public half |
//! | [`Checkpoint`] | the signed root (C2SP tlog-checkpoint in a signed-note) |
//! | [`LogVerifier`], [`Broken`] | the check of a whole log |
//! | [`SoundSizes`] | the entries of closed logs that are in question |
//!
//! This module computes on texts only: it reads no file, writes none and has no clock.
//! docs/ledger.md specifies the format for authors of independent verifiers.

mod broken;
mod canonical;
mod checkpoint;
mod continuation;
mod key;
mod leaf;
mod note;
mod proof;
mod soundness;
#[cfg(test)]
mod tests;
mod tree;
mod verify;

pub use broken::{Broken, CheckpointOrigin, Reason};
pub use canonical::{MAX_DEPTH, MAX_INTEGER, NotCanonical, canonical};
pub use checkpoint::{Checkpoint, CheckpointError, claimed_origin, claimed_size};
pub use continuation::{base_log, continuation, ordinal};
pub use key::{KeyError, Signer, VerifierKey, log_of, origin};
pub use leaf::{Actor, Leaf, LeafError};
pub use note::claimed_key_ids;
pub use proof::{RunRoots, plan_consistency, plan_inclusion};
pub use soundness::SoundSizes;
pub use tree::{Hash, NotAHash, Tree, leaf_hash, node_hash};
pub use verify::LogVerifier;
