//! Signed notes: a text, an empty line, and signatures, one a line.
//!
//! Others may add a signature of theirs to a note (a witness that saw it, say), so
//! a reader looks for the key that it trusts and passes over the rest.
//! Source: C2SP signed-note.

use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::{
    checkpoint::{Checkpoint, CheckpointError},
    key::{Signer, VerifierKey},
};

/// The parts of a note, not verified yet.
pub(super) struct Note<'a> {
    /// What is signed, its last newline included.
    pub(super) text: &'a str,
    /// The lines below the empty line, the last newline included.
    signatures: &'a str,
}

/// Signs `text`, which ends with a newline, by the key name `name`; returns the whole note.
pub(super) fn sign(text: &str, name: &str, signer: &Signer) -> String {
    let key_id = signer.named(name.to_owned()).id().to_be_bytes();
    let signature = STANDARD.encode([key_id.as_slice(), &signer.sign(text)].concat());
    format!("{text}\n\u{2014} {name} {signature}\n")
}

impl<'a> Note<'a> {
    /// Parts a note at its last empty line.
    pub(super) fn read(note: &'a str) -> Result<Self, CheckpointError> {
        if note.len() > Checkpoint::MAX_NOTE_BYTES {
            return Err(CheckpointError::TooLong(note.len()));
        }
        if note.contains(|c: char| c < ' ' && c != '\n') {
            return Err(CheckpointError::Form("it holds a control character, such as a carriage return"));
        }
        let (text, rest) = note
            .rfind("\n\n")
            .and_then(|gap| note.split_at_checked(gap + 1))
            .ok_or(CheckpointError::Form("it has no empty line before the signatures"))?;
        let signatures = rest.strip_prefix('\n').unwrap_or_default();
        if signatures.ends_with('\n') {
            Ok(Self { text, signatures })
        } else {
            Err(CheckpointError::Form("its last line is not ended or is missing"))
        }
    }

    /// Looks for `key` among the signatures and checks each one that is its own.
    pub(super) fn check(&self, key: &VerifierKey) -> Result<(), CheckpointError> {
        let mut signed = false;
        for line in self.signatures.split_terminator('\n') {
            let (name, id, signature) =
                read_signature(line).ok_or(CheckpointError::Form("a signature line is not one"))?;
            if name != key.name() || id != key.id() {
                continue;
            }
            if !key.signed(self.text, &signature) {
                return Err(CheckpointError::Signature);
            }
            signed = true;
        }
        if signed { Ok(()) } else { Err(CheckpointError::OtherKey(key.to_string())) }
    }
}

/// The ids of the keys that a note claims to be signed by, nothing of it verified; none where it is no note.
#[must_use]
pub fn claimed_key_ids(note: &str) -> Vec<u32> {
    let Ok(note) = Note::read(note) else { return Vec::new() };
    note.signatures.split_terminator('\n').filter_map(read_signature).map(|(_, id, _)| id).collect()
}

/// Reads `— <name> <base64(key id ‖ signature)>`.
fn read_signature(line: &str) -> Option<(&str, u32, Vec<u8>)> {
    let (name, encoded) = line.strip_prefix("\u{2014} ")?.split_once(' ')?;
    let bytes = STANDARD.decode(encoded).ok()?;
    let (id, signature) = bytes.split_first_chunk::<4>()?;
    let whole = !name.is_empty() && !name.contains(char::is_whitespace) && !signature.is_empty();
    whole.then(|| (name, u32::from_be_bytes(*id), signature.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signer() -> Signer {
        Signer::from_seed([7; 32])
    }

    fn check(note: &str) -> Result<(), CheckpointError> {
        Note::read(note)?.check(&signer().verifier("demo"))
    }

    fn line(name: &str, id: [u8; 4], signature: [u8; 64]) -> String {
        let bytes = [id.as_slice(), &signature].concat();
        format!("\u{2014} {name} {}\n", STANDARD.encode(bytes))
    }

    #[test]
    fn a_note_of_another_program_is_accepted() {
        // The note that the documentation of Go's sumdb/note signs.
        let key: VerifierKey = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW".parse().unwrap();
        let note = "If you think cryptography is the answer to your problem,\n\
                    then you don't know what your problem is.\n\n\
                    \u{2014} PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";
        assert_eq!(Note::read(note).unwrap().check(&key), Ok(()));
        let changed = note.replace("answer", "amswer");
        assert_eq!(Note::read(&changed).unwrap().check(&key), Err(CheckpointError::Signature));
    }

    #[test]
    fn signatures_of_other_keys_are_ignored_and_all_own_ones_must_be_valid() {
        let key = signer().verifier("demo");
        let own_id = key.id().to_be_bytes();
        let note = sign("text\n", "adjudge/demo", &signer());
        let (text, ours) = note.split_once("\n\n").unwrap();
        let witness = line("witness.example", own_id, [9; 64]);
        let namesake = line("adjudge/demo", [9; 4], [9; 64]);
        assert_eq!(check(&format!("{text}\n\n{witness}{ours}{namesake}")), Ok(()));
        let false_one = line("adjudge/demo", own_id, [9; 64]);
        assert_eq!(check(&format!("{note}{false_one}")), Err(CheckpointError::Signature));
        let foreign_only = format!("{text}\n\n{witness}{namesake}");
        assert_eq!(check(&foreign_only), Err(CheckpointError::OtherKey(key.to_string())));
    }

    #[test]
    fn a_text_that_is_no_note_is_refused() {
        let note = sign("text\n", "adjudge/demo", &signer());
        let no_name = line("", [9; 4], [9; 64]);
        for wrong in [
            String::new(),
            "text\n".into(),
            "text\n\n".into(),
            "\n\n".into(),
            note.trim_end().into(),
            note.replace('\n', "\r\n"),
            note.replace("text", "te\txt"),
            format!("{note}- adjudge/demo AAAA\n"),
            format!("{note}\u{2014} adjudge/demo\n"),
            format!("{note}\u{2014} adjudge/demo AAAAAA==\n"),
            format!("{note}\u{2014} adjudge/demo AAAAAAA=A\n"),
            format!("{note}{no_name}"),
        ] {
            assert!(matches!(check(&wrong), Err(CheckpointError::Form(_))), "{wrong:?}");
        }
    }

    #[test]
    fn the_last_empty_line_parts_text_and_signatures() {
        let note = sign("a\n\nb\n", "adjudge/demo", &signer());
        assert_eq!(Note::read(&note).unwrap().text, "a\n\nb\n");
        assert_eq!(check(&note), Ok(()));
    }
}
