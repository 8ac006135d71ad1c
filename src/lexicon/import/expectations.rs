//! The director's expectations of a list, compared with the list that was read.
//!
//! A list that a download cut off, or two editions in one file, still read without a fault. The
//! count, the fingerprint and a few marker words of the edition reveal this.

use super::options::{BadOption, ImportOptions};
use crate::lexicon::index::Index;
use crate::lexicon::list::List;

/// Every expectation that is not met, each as a sentence.
///
/// # Errors
/// [`BadOption::Word`] for a marker word that is no word.
pub(super) fn unmet(
    options: &ImportOptions,
    index: &Index,
    list: &List,
    ends_in_newline: bool,
) -> Result<Vec<String>, BadOption> {
    let mut unmet = Vec::new();
    if let Some(expected) = options.expect_words.filter(|expected| *expected != index.words()) {
        let cut = if ends_in_newline { "" } else { " (the last line has no newline: the file may be cut off)" };
        unmet.push(format!("expected {expected} words, found {}{cut}", index.words()));
    }
    let fingerprint = options.expect_fingerprint.as_deref().map(str::to_ascii_lowercase);
    if let Some(expected) = fingerprint.filter(|expected| expected != index.fingerprint()) {
        unmet.push(format!("expected the fingerprint {expected}, found {}", index.fingerprint()));
    }
    let missing = options.marker_words("must-have", &options.must_have)?.into_iter().filter(|word| !list.holds(word));
    unmet.extend(missing.map(|word| format!("expected the word {word}, and it is not in the list")));
    let surplus = options.marker_words("must-lack", &options.must_lack)?.into_iter().filter(|word| list.holds(word));
    unmet.extend(surplus.map(|word| format!("expected no word {word}, and it is in the list")));
    Ok(unmet)
}
