//! The names of lexica and their files.
//!
//! An id is part of file names, so this module checks it before any path is made of it: it has no
//! separator and does not begin with a dot, so no path can leave the directory.

/// A text is no id or no hash.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadName {
    #[error("{0:?} is no lexicon id; use 1 to 32 of A-Z a-z 0-9 . _ - and begin with a letter or digit")]
    Id(String),
    #[error("{0:?} is no fingerprint; give the 64 digits of lower-case hex that `adjudge lexicon info` shows")]
    Hash(String),
}

/// The longest id, in characters.
const MAX_ID_CHARS: usize = 32;

/// Checks a lexicon id: `[A-Za-z0-9][A-Za-z0-9._-]{0,31}`.
///
/// # Errors
/// [`BadName::Id`] for any other text.
pub fn check_id(id: &str) -> Result<(), BadName> {
    let begins_well = id.starts_with(|first: char| first.is_ascii_alphanumeric());
    let is_plain = id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'));
    if begins_well && is_plain && id.len() <= MAX_ID_CHARS { Ok(()) } else { Err(BadName::Id(id.to_owned())) }
}

/// Checks a fingerprint or another SHA-256: 64 digits of lower-case hex.
///
/// # Errors
/// [`BadName::Hash`] for any other text.
pub fn check_hash(hash: &str) -> Result<(), BadName> {
    let is_hex = hash.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if is_hex && hash.len() == 64 { Ok(()) } else { Err(BadName::Hash(hash.to_owned())) }
}

/// The name of a lexicon's files without its ending: `<id>-<first 16 digits of the fingerprint>`.
///
/// # Errors
/// [`BadName`] where the id or the fingerprint is invalid.
pub fn stem(id: &str, fingerprint: &str) -> Result<String, BadName> {
    check_id(id)?;
    check_hash(fingerprint)?;
    let short: String = fingerprint.chars().take(16).collect();
    Ok(format!("{id}-{short}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_plain_and_short() {
        for id in ["A", "CSW24", "N23-2", "a.b_c-D", "0", &"x".repeat(32)] {
            assert_eq!(check_id(id), Ok(()), "{id}");
        }
        let bad =
            ["", ".", "..", ".hidden", "-x", "_x", "a/b", "../x", "/etc", "a\\b", "a b", "a\0", "é", &"x".repeat(33)];
        for id in bad {
            assert_eq!(check_id(id), Err(BadName::Id(id.to_owned())), "{id}");
        }
    }

    #[test]
    fn a_hash_is_64_digits_of_lower_case_hex() {
        assert_eq!(check_hash(&"0f".repeat(32)), Ok(()));
        for hash in ["", &"0F".repeat(32), &"0f".repeat(31), &"0g".repeat(32)] {
            assert!(check_hash(hash).is_err(), "{hash}");
        }
    }

    #[test]
    fn files_are_named_by_id_and_fingerprint() {
        let fingerprint = "0123456789abcdef".repeat(4);
        assert_eq!(stem("CSW24", &fingerprint), Ok("CSW24-0123456789abcdef".to_owned()));
        assert!(stem("../CSW24", &fingerprint).is_err());
        assert!(stem("CSW24", "../0123456789abcdef").is_err());
    }
}
