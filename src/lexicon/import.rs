//! Importing: from the file of a word list to a verified index.
//!
//! ```text
//! bytes --form--> text --lines--> lines --reader--> words + report --expectations--> Import
//! ```
//!
//! The reading is strict, because a list with a few misread words gives a few wrong rulings that no one
//! notices. A file in another form is refused by name; a line that is no word is rejected with
//! its number and the reason; and one rejected line refuses the import, unless the director allows
//! it. Nothing is dropped, cut or guessed silently: the report counts every line that was left out.

mod advice;
mod comments;
mod encodings;
mod expectations;
mod file_format;
mod gaps;
mod lines;
mod merged_words;
mod options;
mod published_counts;
mod reader;
mod rejection;
mod rejects;
mod report;
#[cfg(test)]
mod tests;
mod warnings;

pub use gaps::Gaps;
pub use options::{BadOption, ImportOptions, check_day, parse_lengths};
pub use rejection::Kind;
pub use rejects::{AllowedReject, AllowedRejects, Excess, NoAllowedReject};
pub use report::{Rejected, Report};

use super::fingerprint::sha256_hex;
use super::index::{Index, IndexError};
use super::manifest::{Manifest, Source};
use crate::domain::time::Timestamp;

/// A list that was read, indexed and verified. Nothing is stored yet.
#[derive(Clone, Debug)]
pub struct Import {
    options: ImportOptions,
    index: Index,
    report: Report,
}

/// A list was not imported. Nothing was stored.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error(transparent)]
    Option(#[from] BadOption),
    #[error("the file is {form}, and adjudge reads plain text with one word a line; {advice}")]
    OtherForm { form: &'static str, advice: &'static str },
    #[error("the file looks like UTF-16; save as UTF-8 and import it again")]
    Utf16,
    #[error("line {line} is not UTF-8 (byte 0x{byte:02X}); save the file as UTF-8 ({hint})")]
    NotUtf8 { line: usize, byte: u8, hint: String },
    #[error("line {line} has {bytes} bytes, more than the 65536 of the longest line; adjudge takes one word a line")]
    LongLine { line: usize, bytes: usize },
    #[error(
        "there are no words in the file ({lines} lines: {skipped} skipped, {blank} blank, {comments} comments, \
        {rejected} rejected); check that it is the right one"
    )]
    NoWords { lines: usize, skipped: usize, blank: usize, comments: usize, rejected: usize },
    #[error("{}", report.refusal(*excess))]
    Rejects { report: Box<Report>, excess: Excess },
    #[error("{gaps}: nothing was stored; {}", gaps.advice())]
    Gaps { report: Box<Report>, gaps: Gaps },
    #[error("the list is not the expected one, nothing was stored: {}; check the file and the options", unmet.join("; "))]
    Unmet { report: Box<Report>, unmet: Vec<String> },
    #[error(transparent)]
    Index(#[from] IndexError),
}

impl ImportError {
    /// The report, where the file could be read line by line: for `--json` and for the screen.
    #[must_use]
    pub fn report(&self) -> Option<&Report> {
        match self {
            Self::Rejects { report, .. } | Self::Gaps { report, .. } | Self::Unmet { report, .. } => Some(report),
            _ => None,
        }
    }
}

/// Reads a plain UTF-8 list with one word a line.
///
/// # Errors
/// [`ImportError`]: options that contradict themselves, another form of file, rejected lines beyond
/// those allowed, no words, or an expectation that is not met.
pub fn read_text(bytes: &[u8], options: &ImportOptions) -> Result<Import, ImportError> {
    options.check()?;
    file_format::refuse_others(bytes)?;
    let text = file_format::utf8(bytes)?;
    let reader::Reading { list, mut report, ends_in_newline } = reader::read(text, options)?;
    report.file_sha256 = sha256_hex(bytes);
    report.file_bytes = bytes.len();
    if let Some(excess) = options.allow_rejects.excess(&report) {
        return Err(ImportError::Rejects { report: Box::new(report), excess });
    }
    report.warnings.extend(warnings::left_out_warnings(&report));
    if list.is_empty() {
        return Err(no_words(&report));
    }
    let index = Index::build(&list)?;
    report.fingerprint = Some(index.fingerprint().to_owned());
    report.warnings.extend(published_counts::unlike(options, list.by_length()));
    let unmet = expectations::unmet(options, &index, &list, ends_in_newline)?;
    if !unmet.is_empty() {
        return Err(ImportError::Unmet { report: Box::new(report), unmet });
    }
    if let Some(gaps) = Gaps::of(options.lengths, list.by_length()) {
        if gaps.is_refused() && !options.allow_gaps {
            return Err(ImportError::Gaps { report: Box::new(report), gaps });
        }
        report.warnings.extend(gaps.warning());
    }
    Ok(Import { options: options.clone(), index, report })
}

fn no_words(report: &Report) -> ImportError {
    let Report { lines, skipped, blank, comments, rejected, .. } = *report;
    ImportError::NoWords { lines, skipped, blank, comments, rejected }
}

impl Import {
    /// The verified index.
    #[must_use]
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// The report on the file.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Adds a warning for the person who imports the list that does not follow from the file alone.
    pub fn warn(&mut self, warning: String) {
        self.report.warnings.push(warning);
    }

    /// The manifest to store beside the index. `program` is for example `adjudge 0.1.0`.
    #[must_use]
    pub fn manifest(&self, imported_at: Timestamp, program: &str) -> Manifest {
        let options = &self.options;
        Manifest {
            id: options.id.clone(),
            title: options.title.clone(),
            edition: options.edition.clone(),
            language: options.language.clone(),
            alphabet: options.alphabet.name().to_owned(),
            alphabet_file: options.alphabet_file.clone(),
            lengths: options.lengths,
            words: self.index.words(),
            fingerprint: self.index.fingerprint().to_owned(),
            index_sha256: self.index.sha256().to_owned(),
            index_bytes: self.index.bytes().len(),
            by_length: self.index.by_length().clone(),
            effective_from: options.effective_from.clone(),
            source: self.source(),
            imported_at: imported_at.to_string(),
            program: program.to_owned(),
        }
    }

    fn source(&self) -> Source {
        let report = &self.report;
        Source {
            sha256: report.file_sha256.clone(),
            bytes: report.file_bytes,
            lines: report.lines,
            skipped: report.skipped,
            blank: report.blank,
            comments: report.comments,
            rejected: report.rejected,
            duplicates: report.duplicates,
        }
    }
}
