//! The key that signs checkpoints, and its public half for verifiers.

use std::{fmt, str::FromStr};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use sha2::{Digest, Sha256};

/// The byte that says "Ed25519" in a key and in a key id. Source: C2SP signed-note, signature types.
const ED25519: u8 = 0x01;

/// The length of base64 for the 33 bytes of type and public key; 33 is a multiple of 3, so there is no padding.
const ENCODED_KEY_LENGTH: usize = 44;

/// The name that a log's checkpoints bear as origin and as key name: `adjudge/<log>`.
///
/// ```
/// # use adjudge::domain::ledger::{log_of, origin};
/// assert_eq!(origin("demo"), "adjudge/demo");
/// assert_eq!(log_of("adjudge/demo~2"), Some("demo~2"));
/// assert_eq!(log_of("example.com/log"), None);
/// ```
#[must_use]
pub fn origin(log: &str) -> String {
    format!("adjudge/{log}")
}

/// The log that an origin names, the inverse of [`origin`]; `None` if the origin is not one of ours.
#[must_use]
pub fn log_of(origin: &str) -> Option<&str> {
    origin.strip_prefix("adjudge/").filter(|log| !log.is_empty())
}

/// The server's secret key. It signs the checkpoints of every log; each log has a
/// [`VerifierKey`] of its own, since the key's name is the log's.
///
/// The secret is wiped from memory on drop and `Debug` shows the public half only.
pub struct Signer(SigningKey);

impl Signer {
    /// The signer whose secret is `seed`: 32 bytes from the system's random source.
    #[must_use]
    pub fn from_seed(seed: [u8; 32]) -> Self {
        Self(SigningKey::from_bytes(&seed))
    }

    /// The public key, 32 bytes as RFC 8032 writes them.
    #[must_use]
    pub fn public(&self) -> [u8; 32] {
        self.0.verifying_key().to_bytes()
    }

    /// The public key that verifies the checkpoints of `log`.
    #[must_use]
    pub fn verifier(&self, log: &str) -> VerifierKey {
        self.named(origin(log))
    }

    /// The public half under `name`, which is a note's key name.
    pub(super) fn named(&self, name: String) -> VerifierKey {
        VerifierKey { name, key: self.0.verifying_key() }
    }

    /// The Ed25519 signature of `text`, 64 bytes.
    pub(super) fn sign(&self, text: &str) -> [u8; 64] {
        self.0.sign(text.as_bytes()).to_bytes()
    }
}

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Signer").field("public", &STANDARD.encode(self.public())).finish_non_exhaustive()
    }
}

/// A named public key: `<name>+<key id>+<key>`, the vkey of C2SP signed-note.
///
/// The key id is 8 lower-case hexadecimal digits, the key is base64 of 0x01 and
/// the 32 public bytes. Older continued logs have a `+` in their names (`adjudge/demo+2`)
/// and base64 has one too, so the text is read from the right by length.
#[derive(Clone, PartialEq, Eq)]
pub struct VerifierKey {
    name: String,
    key: VerifyingKey,
}

/// Why a text is no [`VerifierKey`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The three parts are not there, or one is not written as it must be.
    #[error("a verifier key is one line, <name>+<8 lower-case hex digits>+<44 base64 characters>")]
    Form,
    /// A key of another kind.
    #[error("the verifier key is not of type 1 (Ed25519), the only one used here")]
    Type,
    /// The public bytes are no point of the curve, or one that any signature fits.
    #[error("the verifier key holds no usable Ed25519 public key: fetch it again")]
    Unusable,
    /// Name and key do not give the key id: one of the three was changed or mistyped.
    #[error("the verifier key's id does not fit its name and key: fetch it again")]
    OtherId,
}

impl VerifierKey {
    /// The key's name, which is also the origin of the log: `adjudge/<log>`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The public key, 32 bytes as RFC 8032 writes them.
    #[must_use]
    pub fn public(&self) -> [u8; 32] {
        self.key.to_bytes()
    }

    /// This key under the name of another log of its server, for the checkpoints of that log.
    #[must_use]
    pub fn of_log(&self, log: &str) -> Self {
        Self { name: origin(log), key: self.key }
    }

    /// The short number by which a note's signature line points at this key:
    /// the first 4 bytes of SHA-256(name ‖ 0x0A ‖ 0x01 ‖ public key), big-endian.
    #[must_use]
    pub fn id(&self) -> u32 {
        let digest: [u8; 32] = Sha256::new()
            .chain_update(&self.name)
            .chain_update([b'\n', ED25519])
            .chain_update(self.key.as_bytes())
            .finalize()
            .into();
        let [a, b, c, d, ..] = digest;
        u32::from_be_bytes([a, b, c, d])
    }

    /// Whether `signature` is this key's Ed25519 signature of `text`.
    ///
    /// The strict check: it also refuses the ambiguous signatures that some verifiers
    /// accept and others do not, so that all of them agree about a log.
    pub(super) fn signed(&self, text: &str, signature: &[u8]) -> bool {
        Signature::from_slice(signature)
            .is_ok_and(|signature| self.key.verify_strict(text.as_bytes(), &signature).is_ok())
    }
}

impl fmt::Display for VerifierKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let typed = [&[ED25519], self.key.as_bytes().as_slice()].concat();
        write!(f, "{}+{:08x}+{}", self.name, self.id(), STANDARD.encode(typed))
    }
}

impl fmt::Debug for VerifierKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for VerifierKey {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let (named, encoded) = split_right(text, ENCODED_KEY_LENGTH)?;
        let (name, id) = split_right(named, 8)?;
        if name.is_empty() || name.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Err(KeyError::Form);
        }
        let typed = STANDARD.decode(encoded).map_err(|_| KeyError::Form)?;
        let public = typed.strip_prefix(&[ED25519]).ok_or(KeyError::Type)?;
        let key = VerifyingKey::try_from(public).map_err(|_| KeyError::Unusable)?;
        if key.is_weak() {
            return Err(KeyError::Unusable);
        }
        let read = Self { name: name.to_owned(), key };
        if format!("{:08x}", read.id()) == id { Ok(read) } else { Err(KeyError::OtherId) }
    }
}

/// Cuts the last `length` bytes off `text`, and the `+` before them.
fn split_right(text: &str, length: usize) -> Result<(&str, &str), KeyError> {
    let place = text.len().checked_sub(length).ok_or(KeyError::Form)?;
    let (left, right) = text.split_at_checked(place).ok_or(KeyError::Form)?;
    Ok((left.strip_suffix('+').ok_or(KeyError::Form)?, right))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_public_key_is_that_of_rfc_8032() {
        let seed: super::super::Hash =
            "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60".parse().unwrap();
        let public: super::super::Hash =
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a".parse().unwrap();
        assert_eq!(Signer::from_seed(seed.0).public(), public.0);
    }

    #[test]
    fn keys_of_other_programs_are_read_and_written_alike() {
        // The second has a `+` inside its base64, twice.
        for text in [
            "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
            "sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8",
        ] {
            assert_eq!(text.parse::<VerifierKey>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn every_key_and_log_name_survives_writing_and_reading() {
        for seed in 0..=255 {
            let key = Signer::from_seed([seed; 32]).verifier("demo+2");
            assert_eq!(key.name(), "adjudge/demo+2");
            assert_eq!(key.to_string().parse(), Ok(key));
        }
    }

    #[test]
    fn a_damaged_key_is_refused() {
        let whole = Signer::from_seed([7; 32]).verifier("demo").to_string();
        let (left, encoded) = whole.rsplit_once('+').unwrap();
        let type_4 = format!("{left}+{}", encoded.replacen("AX", "BH", 1).replacen("Ae", "Be", 1));
        let small_order = format!("{left}+{}", STANDARD.encode([&[1_u8, 1][..], &[0; 31]].concat()));
        assert_eq!(whole.replace("demo", "dem0").parse::<VerifierKey>(), Err(KeyError::OtherId));
        assert_eq!(whole.replace("adjudge/demo", "").parse::<VerifierKey>(), Err(KeyError::Form));
        assert_eq!(whole.replace("demo", "de mo").parse::<VerifierKey>(), Err(KeyError::Form));
        assert_eq!(format!("{whole}\n").parse::<VerifierKey>(), Err(KeyError::Form));
        assert_eq!("ééééééééééééééééééééééé".parse::<VerifierKey>(), Err(KeyError::Form));
        assert_eq!(small_order.parse::<VerifierKey>(), Err(KeyError::Unusable));
        assert!(type_4.parse::<VerifierKey>().is_err());
        for place in 0..whole.len() {
            assert!(whole[..place].parse::<VerifierKey>().is_err(), "cut at {place}");
        }
    }

    #[test]
    fn the_secret_is_not_shown() {
        let shown = format!("{:?}", Signer::from_seed([7; 32]));
        assert!(
            !shown.contains("7, 7") && !shown.contains("0707") && !shown.contains(&STANDARD.encode([7; 32])),
            "{shown}"
        );
    }
}
