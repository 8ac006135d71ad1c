//! The report of an import: what was in the file and what became of it.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use super::kinds::Kind;
use super::options::ImportOptions;
use crate::domain::alphabet::is_default_ignorable;
use crate::domain::lexicon::Lengths;

/// How many rejected lines a report holds. All are counted.
const REJECTED_LINES_HELD: usize = 100;

/// How many rejected lines are shown to a person.
const REJECTED_LINES_SHOWN: usize = 10;

/// How much of a line is shown, in characters.
const LINE_SHOWN_CHARACTERS: usize = 40;

/// What was found in a file. Every line is in exactly one of `skipped`, `blank`, `comments`,
/// `rejected`, `duplicates` and `words`.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The id that it was read for.
    pub id: String,
    /// The name of the alphabet.
    pub alphabet: String,
    /// The lengths that were taken, in tiles.
    pub lengths: Lengths,
    /// All lines of the file.
    pub lines: usize,
    /// Different words.
    pub words: usize,
    /// Lines that repeat a word of another line.
    pub duplicates: usize,
    /// Lines with nothing on them.
    pub blank: usize,
    /// Lines that begin with `#`.
    pub comments: usize,
    /// Lines left out by `--skip-first`.
    pub skipped: usize,
    /// Lines that are no words of the list.
    pub rejected: usize,
    /// The first hundred rejected lines.
    pub rejected_lines: Vec<Rejected>,
    /// How many lines were rejected for which kind of reason.
    pub rejected_by_kind: BTreeMap<Kind, usize>,
    /// How many words were rejected for their length, by length in tiles.
    pub rejected_by_length: BTreeMap<usize, usize>,
    /// What was unusual and made no difference.
    pub notes: Vec<String>,
    /// What a person should look at.
    pub warnings: Vec<String>,
    /// How many words there are of each length in tiles.
    pub by_length: BTreeMap<usize, usize>,
    /// Tiles of the alphabet that no word uses.
    pub letters_never_used: Vec<String>,
    /// The SHA-256 of the file, lower-case hex.
    pub file_sha256: String,
    /// The size of the file in bytes.
    pub file_bytes: usize,
    /// The fingerprint of the words; `None` where lines were rejected and no index was built.
    pub fingerprint: Option<String>,
}

/// A line that is no word of the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rejected {
    /// The number of the line in the file, from 1.
    pub line: usize,
    /// The line, shortened, with what cannot be seen written as `\u{…}`.
    pub text: String,
    /// Why it is no word, for a person.
    pub reason: String,
    /// The kind of reason, for a program.
    pub kind: Kind,
}

impl Report {
    pub(super) fn new(options: &ImportOptions) -> Self {
        Self {
            id: options.id.clone(),
            alphabet: options.alphabet.name().to_owned(),
            lengths: options.lengths,
            lines: 0,
            words: 0,
            duplicates: 0,
            blank: 0,
            comments: 0,
            skipped: 0,
            rejected: 0,
            rejected_lines: Vec::new(),
            rejected_by_kind: BTreeMap::new(),
            rejected_by_length: BTreeMap::new(),
            notes: Vec::new(),
            warnings: Vec::new(),
            by_length: BTreeMap::new(),
            letters_never_used: Vec::new(),
            file_sha256: String::new(),
            file_bytes: 0,
            fingerprint: None,
        }
    }

    pub(super) fn reject(&mut self, line: usize, text: &str, kind: Kind, reason: String) {
        self.rejected += 1;
        *self.rejected_by_kind.entry(kind).or_default() += 1;
        if self.rejected_lines.len() < REJECTED_LINES_HELD {
            self.rejected_lines.push(Rejected { line, text: shown(text), reason, kind });
        }
    }

    /// The message that refuses an import for its rejected lines.
    pub(super) fn refusal(&self, allowed: usize) -> String {
        let are = if self.rejected == 1 { "line is no word" } else { "lines are no words" };
        let left_out = match allowed {
            0 => String::new(),
            _ => format!(", and --allow-rejects leaves out {allowed} at most"),
        };
        let mut text =
            vec![format!("{} of {} {are} of the list{left_out}: nothing was stored", self.rejected, self.lines)];
        text.extend(self.rejected_lines.iter().take(REJECTED_LINES_SHOWN).map(|rejected| format!("  {rejected}")));
        let more = self.rejected.saturating_sub(REJECTED_LINES_SHOWN);
        text.extend((more > 0).then(|| format!("  and {more} more")));
        let lengths = &self.rejected_by_length;
        text.extend((!lengths.is_empty()).then(|| format!("  rejected by length: {}", counts(lengths))));
        text.push(format!("To do: {}", self.advice().join("; ")));
        text.join("\n")
    }

    /// What to do about the rejected lines, one sentence a kind.
    fn advice(&self) -> Vec<String> {
        let mut advice: Vec<String> = Vec::new();
        for kind in self.rejected_by_kind.keys() {
            if !advice.iter().any(|said| said == kind.advice()) {
                advice.push(kind.advice().to_owned());
            }
        }
        let first_line_read = self.skipped + 1;
        if self.rejected_lines.first().is_some_and(|rejected| rejected.line == first_line_read) {
            advice.push(format!(
                "if line {first_line_read} is a heading, leave it out with --skip-first {first_line_read}"
            ));
        }
        advice.push("or leave the rejected lines out with --allow-rejects N".to_owned());
        advice
    }
}

/// A line as it may be shown: short, and with nothing in it that a terminal would act on or hide.
pub(super) fn shown(line: &str) -> String {
    let mut shown = String::new();
    for letter in line.chars().take(LINE_SHOWN_CHARACTERS) {
        if letter.is_control() || is_default_ignorable(letter) || (letter.is_whitespace() && letter != ' ') {
            shown.extend(letter.escape_unicode());
        } else {
            shown.push(letter);
        }
    }
    if line.chars().nth(LINE_SHOWN_CHARACTERS).is_some() {
        shown.push('…');
    }
    shown
}

fn counts(by_length: &BTreeMap<usize, usize>) -> String {
    let counts: Vec<String> = by_length.iter().map(|(tiles, count)| format!("{tiles}: {count}")).collect();
    counts.join(", ")
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} “{}”: {}", self.line, self.text, self.reason)
    }
}

/// The report for a person, several lines without an ending.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, words, lengths, alphabet, lines, duplicates, blank, comments, skipped, rejected, .. } = self;
        writeln!(f, "{id}: {words} words of {lengths} tiles, {alphabet} alphabet")?;
        write!(f, "{lines} lines: {duplicates} duplicates, {blank} blank, {comments} comments, ")?;
        writeln!(f, "{skipped} skipped, {rejected} rejected")?;
        for rejected in self.rejected_lines.iter().take(REJECTED_LINES_SHOWN) {
            writeln!(f, "rejected: {rejected}")?;
        }
        let more = rejected.saturating_sub(REJECTED_LINES_SHOWN);
        if more > 0 {
            writeln!(f, "rejected: and {more} more")?;
        }
        self.notes.iter().try_for_each(|note| writeln!(f, "note: {note}"))?;
        self.warnings.iter().try_for_each(|warning| writeln!(f, "WARNING: {warning}"))?;
        writeln!(f, "words by length: {}", counts(&self.by_length))?;
        if !self.letters_never_used.is_empty() {
            writeln!(f, "letters never used: {}", self.letters_never_used.join(" "))?;
        }
        writeln!(f, "file SHA-256: {} ({} bytes)", self.file_sha256, self.file_bytes)?;
        write!(f, "fingerprint:  {}", self.fingerprint.as_deref().unwrap_or("none"))
    }
}
