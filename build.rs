//! Builds the index of the built-in lexicon, `wordnik`, and fails where it is not the one that
//! `lexicons/wordnik.json` describes: a changed crate must never change a ruling unnoticed.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::PathBuf;

use fst::SetBuilder;
use serde_json::{Value, json};

#[path = "src/lexicon/fingerprint.rs"]
mod fingerprint;

use fingerprint::{Fingerprint, sha256_hex};

/// How many words the crate has, and how many of them have 2 to 15 letters.
const ALL_WORDS: usize = 198_420;
const PLAYABLE_WORDS: usize = 194_152;

const MANIFEST: &str = "lexicons/wordnik.json";

fn main() -> Result<(), Box<dyn Error>> {
    for input in ["build.rs", "src/lexicon/fingerprint.rs", MANIFEST] {
        println!("cargo::rerun-if-changed={input}");
    }
    let (words, source) = words()?;
    let mut builder = SetBuilder::memory();
    builder.extend_iter(&words)?;
    let index = builder.into_inner()?;
    compare_with_manifest(&words, &source, &index)?;
    let folder = std::env::var_os("OUT_DIR").ok_or("cargo sets no OUT_DIR")?;
    std::fs::write(PathBuf::from(folder).join("wordnik.fst"), index)?;
    Ok(())
}

/// The playable words, sorted, and the crate's whole list as a text of one word a line.
fn words() -> Result<(Vec<String>, String), Box<dyn Error>> {
    let mut all: Vec<&str> = wordnik_list::word_iterator().collect();
    all.sort_unstable();
    expect("words in the crate", &ALL_WORDS, &all.len())?;
    let is_playable = |word: &&&str| (2..=15).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_lowercase());
    let mut words: Vec<String> = all.iter().filter(is_playable).map(|word| word.to_ascii_uppercase()).collect();
    words.sort_unstable();
    words.dedup();
    expect("words of 2 to 15 letters", &PLAYABLE_WORDS, &words.len())?;
    Ok((words, all.join("\n") + "\n"))
}

/// Compares what was built with what is written down, fields that name no person or time.
fn compare_with_manifest(words: &[String], source: &str, index: &[u8]) -> Result<(), Box<dyn Error>> {
    let mut fingerprint = Fingerprint::default();
    let mut by_length: BTreeMap<usize, usize> = BTreeMap::new();
    for word in words {
        fingerprint.add(word.as_bytes());
        *by_length.entry(word.len()).or_default() += 1;
    }
    let found = json!({
        "words": words.len(),
        "fingerprint": fingerprint.finish(),
        "index_sha256": sha256_hex(index),
        "index_bytes": index.len(),
        "by_length": by_length,
        "lengths": [2, 15],
        "source": {
            "sha256": sha256_hex(source.as_bytes()), "bytes": source.len(), "lines": ALL_WORDS,
            "skipped": 0, "blank": 0, "comments": 0, "rejected": ALL_WORDS - PLAYABLE_WORDS, "duplicates": 0,
        },
    });
    let manifest: Value = serde_json::from_str(&std::fs::read_to_string(MANIFEST)?)?;
    for (field, value) in found.as_object().into_iter().flatten() {
        expect(&format!("`{field}` in {MANIFEST}"), manifest.get(field).unwrap_or(&Value::Null), value)?;
    }
    Ok(())
}

fn expect<T: PartialEq + std::fmt::Display>(what: &str, expected: &T, found: &T) -> Result<(), Box<dyn Error>> {
    if expected == found {
        return Ok(());
    }
    Err(format!("the crate wordnik_list is not the known one: {what} should be {expected}, and it gives {found}")
        .into())
}
