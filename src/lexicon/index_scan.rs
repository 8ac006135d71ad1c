//! A walk over a whole index: every key once, in byte order.
//!
//! The walk shows which words an index holds. The builder compares it with the list, and opening compares it
//! with the manifest.

use fst::raw::{Fst, Output};
use fst::{IntoStreamer, Streamer};

use super::fingerprint::Fingerprint;

/// What a walk over an index found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexScan {
    /// How many keys there are.
    pub words: usize,
    /// The fingerprint of the keys.
    pub fingerprint: String,
    /// Whether every value is zero, which distinguishes a set from a map.
    pub is_set: bool,
    /// Whether every key is UTF-8 text.
    pub is_text: bool,
}

impl IndexScan {
    /// Walks over the index. The bytes must have passed their checksum: on others the walk may panic.
    pub fn of<D: AsRef<[u8]>>(index: &Fst<D>) -> Self {
        let mut words = 0;
        let (mut is_set, mut is_text) = (true, true);
        let mut fingerprint = Fingerprint::default();
        walk(index, |key, value| {
            words += 1;
            is_set &= value.is_zero();
            is_text &= std::str::from_utf8(key).is_ok();
            fingerprint.add(key);
        });
        Self { words, fingerprint: fingerprint.finish(), is_set, is_text }
    }
}

/// Shows every key with its value, in byte order.
pub fn walk<D: AsRef<[u8]>>(index: &Fst<D>, mut see: impl FnMut(&[u8], Output)) {
    let mut stream = index.into_stream();
    while let Some((key, value)) = stream.next() {
        see(key, value);
    }
}
