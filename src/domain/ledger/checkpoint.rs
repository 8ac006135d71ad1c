//! Checkpoints: the signed statement "this log had so many entries and this root".
//!
//! A checkpoint is a few lines of text that survive printing and e-mail:
//!
//! ```text
//! adjudge/demo
//! 3
//! jab5zRYZhLf4/vnMXQ7jHlv+x+Z5FzZ7SjMiSwZNUIQ=
//!
//! — adjudge/demo SKo1PVka2VBXo908QkKdnX4w0GKc...
//! ```
//!
//! Above the empty line stands what is signed: origin, size, root. Below it stand
//! signatures, one a line, each with the name and id of its key. Others may add
//! theirs (a witness that saw the checkpoint, say); a reader passes over keys that
//! it does not know. Source: C2SP tlog-checkpoint and signed-note.

use crate::domain::human_code;
use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::{
    key::{Signer, VerifierKey, origin},
    note::{self, Note},
    tree::{Hash, Tree},
};

/// What a log's server signs: the log's size and its root at that size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// The log's identity, `adjudge/<log>`; see [`origin`].
    pub origin: String,
    /// The number of entries, so that the last one covered is `size - 1`.
    pub size: u64,
    /// The root over the first `size` entries.
    pub root: Hash,
}

/// Why a note is not a valid checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// Longer than [`Checkpoint::MAX_NOTE_BYTES`].
    #[error("the checkpoint has {0} bytes, {max} are the most: this is no checkpoint file", max = Checkpoint::MAX_NOTE_BYTES)]
    TooLong(usize),
    /// Not a signed note, or its text is not origin, size and root.
    #[error("the checkpoint is not written as one: {0}")]
    Form(&'static str),
    /// The checkpoint of another log.
    #[error("the checkpoint is about {found:?} and not about {expected:?}")]
    OtherLog {
        /// The origin that the checkpoint names.
        found: String,
        /// The origin that the key is for.
        expected: String,
    },
    /// No signature bears the key's name and id.
    #[error("the checkpoint is not signed by the key {0}: it was signed with another key")]
    OtherKey(String),
    /// A signature bears the key's name and id and is not the key's.
    #[error("the checkpoint's signature is not valid: the checkpoint was changed")]
    Signature,
}

impl Checkpoint {
    /// The longest note that is read. Sixteen signatures of the longest kind fit
    /// in, which is what the format asks of a reader.
    pub const MAX_NOTE_BYTES: usize = 256 * 1024;

    /// The statement about `log` as `tree` has it now.
    #[must_use]
    pub fn of(log: &str, tree: &Tree) -> Self {
        Self { origin: origin(log), size: tree.size(), root: tree.root() }
    }

    /// Signs the statement and returns the whole note, which ends with a newline.
    #[must_use]
    pub fn sign(&self, signer: &Signer) -> String {
        let text = format!("{}\n{}\n{}\n", self.origin, self.size, self.root.base64());
        note::sign(&text, &self.origin, signer)
    }

    /// Reads a note and accepts it only if `key` signed it.
    ///
    /// The origin must be the key's name. Lines after the root are allowed and
    /// ignored, and so are signatures by other keys; every signature that bears
    /// the name and id of `key` must be valid. Cost: one signature check.
    ///
    /// # Errors
    ///
    /// [`CheckpointError`] says which of these the note fails.
    pub fn open(note: &str, key: &VerifierKey) -> Result<Self, CheckpointError> {
        let note = Note::read(note)?;
        let checkpoint = read(note.text)?;
        if checkpoint.origin != key.name() {
            return Err(CheckpointError::OtherLog { found: checkpoint.origin, expected: key.name().to_owned() });
        }
        note.check(key)?;
        Ok(checkpoint)
    }

    /// The first 40 bits of the root as people read them out: `XXXX-XXXX` in
    /// Crockford's base32 (no I, L, O, U).
    ///
    /// Printed on a round sheet it is the copy that exposes a rewritten history.
    /// Forty bits are no defence against an attacker who can try a trillion variants
    /// of a log until one fits, so keep the whole checkpoint where possible.
    #[must_use]
    pub fn short_code(&self) -> String {
        let mut first = [0; 5];
        first.iter_mut().zip(self.root.0).for_each(|(place, byte)| *place = byte);
        human_code::written(first)
    }
}

/// The origin that a note claims, nothing of it verified: for choosing the key to [`Checkpoint::open`] it with.
///
/// `None` if the note does not begin with a line.
#[must_use]
pub fn claimed_origin(note: &str) -> Option<&str> {
    note.split_once('\n').map(|(line, _)| line).filter(|line| !line.is_empty())
}

/// The size that a note claims, nothing of it verified; `None` where it claims none that a log can have.
#[must_use]
pub fn claimed_size(note: &str) -> Option<u64> {
    note.lines().nth(1).and_then(|line| line.parse().ok()).filter(|size| *size < 1 << 40)
}

/// Reads the signed text: origin, size, root, and lines that are ignored.
fn read(text: &str) -> Result<Checkpoint, CheckpointError> {
    let mut lines = text.split_terminator('\n');
    let (Some(origin), Some(size), Some(root)) = (lines.next(), lines.next(), lines.next()) else {
        return Err(CheckpointError::Form("it has fewer than three lines"));
    };
    if lines.any(str::is_empty) {
        return Err(CheckpointError::Form("it has an empty line within its text"));
    }
    let size = read_size(size).ok_or(CheckpointError::Form("its size is not a whole number written plainly"))?;
    let root = read_root(root).ok_or(CheckpointError::Form("its root is not the base64 of 32 bytes"))?;
    Ok(Checkpoint { origin: origin.to_owned(), size, root })
}

/// One spelling for one size: the number written anew has to give the same text.
fn read_size(text: &str) -> Option<u64> {
    text.parse().ok().filter(|size: &u64| size.to_string() == text)
}

fn read_root(text: &str) -> Option<Hash> {
    STANDARD.decode(text).ok()?.try_into().ok().map(Hash)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ledger::leaf_hash;

    fn signer() -> Signer {
        Signer::from_seed([7; 32])
    }

    fn of_three(log: &str) -> Checkpoint {
        let mut tree = Tree::default();
        for text in ["a", "b", "c"] {
            tree.push(leaf_hash(text.as_bytes()));
        }
        Checkpoint::of(log, &tree)
    }

    /// A note with any text, signed as it stands.
    fn note_of(text: &str) -> String {
        let key = signer().verifier("demo");
        let bytes = [key.id().to_be_bytes().as_slice(), &signer().sign(text)].concat();
        format!("{text}\n\u{2014} {} {}\n", key.name(), STANDARD.encode(bytes))
    }

    #[test]
    fn a_signed_checkpoint_opens_with_its_key() {
        for log in ["demo", "demo~2", "demo+2", "server"] {
            let note = of_three(log).sign(&signer());
            assert_eq!(Checkpoint::open(&note, &signer().verifier(log)), Ok(of_three(log)));
            assert_eq!(claimed_origin(&note), Some(origin(log).as_str()));
        }
    }

    #[test]
    fn any_changed_byte_is_refused() {
        let note = of_three("demo").sign(&signer());
        let key = signer().verifier("demo");
        for place in 0..note.len() {
            for flip in [0x01, 0x20, 0x80] {
                let mut bytes = note.clone().into_bytes();
                bytes[place] ^= flip;
                if let Ok(changed) = String::from_utf8(bytes) {
                    assert!(Checkpoint::open(&changed, &key).is_err(), "byte {place}: {changed}");
                }
            }
            assert!(note.get(..place).is_none_or(|cut| Checkpoint::open(cut, &key).is_err()), "cut at {place}");
        }
    }

    #[test]
    fn the_wrong_key_and_the_wrong_log_are_named() {
        let note = of_three("demo").sign(&signer());
        let other_key = Signer::from_seed([8; 32]).verifier("demo");
        assert_eq!(Checkpoint::open(&note, &other_key), Err(CheckpointError::OtherKey(other_key.to_string())));
        let other_log = Checkpoint::open(&note, &signer().verifier("server"));
        assert!(matches!(other_log, Err(CheckpointError::OtherLog { .. })));
        assert!(matches!(Checkpoint::open("", &other_key), Err(CheckpointError::Form(_))));
        let long = "x".repeat(Checkpoint::MAX_NOTE_BYTES + 1);
        assert!(matches!(Checkpoint::open(&long, &other_key), Err(CheckpointError::TooLong(_))));
    }

    #[test]
    fn a_signed_text_of_another_form_is_refused_and_extra_lines_are_ignored() {
        let key = signer().verifier("demo");
        let root = STANDARD.encode(of_three("demo").root.0);
        let opened = |text: &str| Checkpoint::open(&note_of(text), &key);
        assert_eq!(opened(&format!("adjudge/demo\n3\n{root}\nextra\nmore\n")), Ok(of_three("demo")));
        for size in ["03", "+3", "3.0", "", " 3", "-3", "18446744073709551616", "three"] {
            assert!(
                matches!(opened(&format!("adjudge/demo\n{size}\n{root}\n")), Err(CheckpointError::Form(_))),
                "{size}"
            );
        }
        for wrong in [&root[1..], "", &format!("{root}="), &root.replace('=', "")] {
            assert!(matches!(opened(&format!("adjudge/demo\n3\n{wrong}\n")), Err(CheckpointError::Form(_))), "{wrong}");
        }
        assert!(matches!(opened("adjudge/demo\n3\n"), Err(CheckpointError::Form(_))));
        assert!(matches!(opened(&format!("adjudge/demo\n3\n{root}\n\nextra\n")), Err(CheckpointError::Form(_))));
    }

    #[test]
    fn the_short_code_is_the_first_forty_bits() {
        let code = |start: [u8; 5]| {
            let mut root = [0xff; 32];
            root[..5].copy_from_slice(&start);
            Checkpoint { origin: origin("demo"), size: 1, root: Hash(root) }.short_code()
        };
        assert_eq!(code([0; 5]), "0000-0000");
        assert_eq!(code([0xff; 5]), "ZZZZ-ZZZZ");
        // 00000 00001 00010 00011 00100 00101 00110 00111
        assert_eq!(code([0x00, 0x44, 0x32, 0x14, 0xc7]), "0123-4567");
        assert_eq!(code([0x08, 0, 0, 0, 0x1f]), "1000-000Z");
    }
}
