//! The checks of an index before it is served.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use fst::raw::VERSION;

use super::{Expected, Flaw};
use crate::lexicon::fingerprint::sha256_hex;
use crate::lexicon::index_scan::IndexScan;

/// The largest index file that is read. A list of three million words takes about a tenth of it.
pub(super) const MAX_INDEX_BYTES: u64 = 256 * 1024 * 1024;

/// Reads a whole file, up to the largest size of an index.
pub(in crate::lexicon) fn read_whole(path: &Path) -> Result<Vec<u8>, Flaw> {
    // Checked first, because opening a named pipe would wait for a writer.
    if !fs::metadata(path).map_err(missing_or_unreadable)?.is_file() {
        return Err(Flaw::NoFile);
    }
    let file = File::open(path).map_err(missing_or_unreadable)?;
    let mut bytes = Vec::new();
    let read = file.take(MAX_INDEX_BYTES + 1).read_to_end(&mut bytes).map_err(Flaw::Unreadable)?;
    if u64::try_from(read).is_ok_and(|read| read <= MAX_INDEX_BYTES) { Ok(bytes) } else { Err(Flaw::TooLarge) }
}

fn missing_or_unreadable(error: io::Error) -> Flaw {
    if error.kind() == io::ErrorKind::NotFound { Flaw::Missing } else { Flaw::Unreadable(error) }
}

/// The checks of the bytes alone, which damage cannot mislead.
pub(super) fn check_bytes(bytes: &[u8], expected: &Expected) -> Result<(), Flaw> {
    if bytes.is_empty() {
        return Err(Flaw::Empty);
    }
    if is_text(bytes) {
        return Err(Flaw::Text);
    }
    let found = sha256_hex(bytes);
    if found != expected.index_sha256 {
        let expected = expected.index_sha256.as_str().into();
        return Err(Flaw::HashDiffers { expected, found: found.into(), looks_like: looks_like(bytes) });
    }
    match version(bytes) {
        Some(VERSION) => Ok(()),
        Some(found) if (1..VERSION).contains(&found) => Err(Flaw::OldVersion { found }),
        _ => Err(Flaw::NoIndex),
    }
}

/// The checks of the result of the walk over the whole index.
pub(super) fn check_words(survey: &IndexScan, expected: &Expected) -> Result<(), Flaw> {
    if !survey.is_set {
        return Err(Flaw::NoSet);
    }
    if !survey.is_text {
        return Err(Flaw::NoText);
    }
    if survey.words == 0 {
        return Err(Flaw::NoWords);
    }
    if survey.words != expected.words {
        return Err(Flaw::Count { expected: expected.words, found: survey.words });
    }
    if survey.fingerprint != expected.name.fingerprint {
        let (expected, found) = (expected.name.fingerprint.as_str(), survey.fingerprint.as_str());
        return Err(Flaw::OtherWords { expected: expected.into(), found: found.into() });
    }
    Ok(())
}

/// An index begins with its format version in eight bytes, seven of them NUL; no text has a NUL.
fn is_text(bytes: &[u8]) -> bool {
    !bytes.contains(&0) && std::str::from_utf8(bytes).is_ok()
}

fn version(bytes: &[u8]) -> Option<u64> {
    bytes.first_chunk().map(|first| u64::from_le_bytes(*first))
}

fn looks_like(bytes: &[u8]) -> &'static str {
    match version(bytes) {
        Some(VERSION) => "another or a damaged index",
        Some(1..VERSION) => "an index of an old format",
        _ => "no index",
    }
}
