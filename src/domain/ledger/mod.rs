//! The ledger: a log that cannot be rewritten without its being seen.
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
//! kept by others, on a tablet, on another disk, its [short
//! code](Checkpoint::short_code) on a printed sheet. From then on the server itself
//! cannot change, drop or reorder what the checkpoint covers: nobody can find
//! another log with the same root. It can only add.
//!
//! ```
//! use adjudge::domain::ledger::{Actor, Audit, Checkpoint, Leaf, Signer, Tree, leaf_hash};
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
//! // Anybody with the public key checks all of it, in any language.
//! let check = |texts: &[String]| {
//!     let mut audit = Audit::new("demo", signer.verifier("demo"), |kind| kind == "slip-ruled");
//!     texts.iter().try_for_each(|text| audit.entry(text, None).map(drop))?;
//!     audit.checkpoint(&note)?;
//!     audit.finish()
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
//! A signature is only as good as the key. Whoever holds the machine and the key
//! can write another history and sign that; it is found by holding it against a
//! checkpoint that was kept outside ([`LogVerifier::with_checkpoint`]), and by nothing else.
//! The same goes for cutting off the last entries together with their checkpoints:
//! a log that ends early looks like a log that has not gone on yet.
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
//! Everything here is arithmetic on texts. Reading, writing and the clock are elsewhere.
//! docs/ledger.md says the same for somebody who writes a verifier without us.

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
