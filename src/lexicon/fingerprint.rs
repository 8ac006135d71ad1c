//! The two hashes of a lexicon: the fingerprint of its words, and the SHA-256 of a file's bytes.
//!
//! The fingerprint identifies *the words*, independent of their file: the hash of `QI⏎ZA⏎` stands for
//! the list of those two words. The SHA-256 of a file identifies *the bytes*, so that it reveals a damaged copy.
//!
//! This file is compiled twice, into the program and into `build.rs`, so that both compute equal hashes.
//! Therefore it depends on nothing but `sha2`.

use sha2::{Digest, Sha256};

/// The fingerprint of a word list, built up word by word.
#[derive(Clone, Debug, Default)]
pub struct Fingerprint(Sha256);

impl Fingerprint {
    /// Adds the next word. The caller adds each word once, in byte order, in canonical spelling.
    pub fn add(&mut self, word: &[u8]) {
        self.0.update(word);
        self.0.update(b"\n");
    }

    /// The fingerprint: 64 digits of lower-case hex.
    #[must_use]
    pub fn finish(self) -> String {
        hex(&self.0.finalize())
    }
}

/// The SHA-256 of some bytes: 64 digits of lower-case hex.
#[must_use]
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.filter_map(|digit| char::from_digit(u32::from(digit), 16)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hashes_are_the_known_ones() {
        // Test vectors of FIPS 180-4.
        assert_eq!(sha256_hex(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!(sha256_hex(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    #[test]
    fn a_fingerprint_is_the_hash_of_the_words_one_a_line() {
        let mut fingerprint = Fingerprint::default();
        fingerprint.add(b"QI");
        fingerprint.add(b"ZA");
        assert_eq!(fingerprint.finish(), sha256_hex(b"QI\nZA\n"));
    }
}
