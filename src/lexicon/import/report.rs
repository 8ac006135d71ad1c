//! The report of an import: the lines of the file and how each was read.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use super::advice;
use super::options::ImportOptions;
use super::rejects::Excess;
use crate::domain::alphabet::is_default_ignorable;
use crate::domain::lexicon::Lengths;
use crate::lexicon::import::rejection::Kind;

/// How many rejected lines a report holds. All are counted.
const REJECTED_LINES_HELD: usize = 100;

/// How many rejected lines are shown to a person.
const REJECTED_LINES_SHOWN: usize = 10;

/// How much of a line is shown, in characters.
const LINE_SHOWN_CHARACTERS: usize = 40;

/// The report on a file. Every line is counted in exactly one of `skipped`, `blank`, `comments`,
/// `rejected`, `duplicates` and `words`.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The id that it was read for.
    pub id: String,
    /// The name of the alphabet.
    pub alphabet: String,
    /// The accepted lengths, in tiles.
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
    /// How many of them may hold a word of the list, which is lost where the line is left out.
    #[serde(skip)]
    pub(super) with_word: BTreeMap<Kind, usize>,
    /// The first of these lines.
    #[serde(skip)]
    pub(super) first_with_word: Option<Rejected>,
    /// How many words were rejected for their length, by length in tiles.
    pub rejected_by_length: BTreeMap<usize, usize>,
    /// Unusual properties that made no difference.
    pub notes: Vec<String>,
    /// Warnings that a person should check.
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

/// Why a line is no word of the list.
pub(super) struct NoWord {
    pub(super) kind: Kind,
    pub(super) reason: String,
    /// Whether the line may still hold a word of the list, which is lost where the line is left out.
    pub(super) has_word: bool,
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
            with_word: BTreeMap::new(),
            first_with_word: None,
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

    /// Counts a line that is no word of the list. `has_word` says that it may hold one.
    pub(super) fn reject(&mut self, line: usize, text: &str, why: NoWord) {
        let NoWord { kind, reason, has_word } = why;
        self.rejected += 1;
        *self.rejected_by_kind.entry(kind).or_default() += 1;
        if self.rejected_lines.len() < REJECTED_LINES_HELD || (has_word && self.first_with_word.is_none()) {
            let rejected = Rejected { line, text: shown(text), reason, kind };
            if has_word && self.first_with_word.is_none() {
                self.first_with_word = Some(rejected.clone());
            }
            if self.rejected_lines.len() < REJECTED_LINES_HELD {
                self.rejected_lines.push(rejected);
            }
        }
        if has_word {
            *self.with_word.entry(kind).or_default() += 1;
        }
    }

    /// Marks rejected lines as possibly holding a word, if they are among the lines that the report holds.
    pub(super) fn hold_words(&mut self, lines: impl Iterator<Item = usize>) {
        for line in lines {
            let Some(rejected) = self.rejected_lines.iter_mut().find(|rejected| rejected.line == line) else {
                continue;
            };
            rejected.reason.push_str("; two words may have run together");
            *self.with_word.entry(rejected.kind).or_default() += 1;
            self.first_with_word.get_or_insert_with(|| rejected.clone());
        }
    }

    /// The message that refuses an import for its rejected lines.
    pub(super) fn refusal(&self, excess: Excess) -> String {
        let are = if self.rejected == 1 { "line is no word" } else { "lines are no words" };
        let mut text =
            vec![format!("{} of {} {are} of the list{excess}: nothing was stored", self.rejected, self.lines)];
        text.extend(self.rejected_lines.iter().take(REJECTED_LINES_SHOWN).map(|rejected| format!("  {rejected}")));
        let more = self.rejected.saturating_sub(REJECTED_LINES_SHOWN);
        text.extend((more > 0).then(|| format!("  and {more} more")));
        text.push(format!("  rejected by reason: {}", counts(&self.rejected_by_kind)));
        let lengths = &self.rejected_by_length;
        text.extend((!lengths.is_empty()).then(|| format!("  rejected by length: {}", counts(lengths))));
        text.push(format!("To do: {}", advice::for_rejects(self).join("; ")));
        text.join("\n")
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

fn counts(counted: &BTreeMap<impl fmt::Display, usize>) -> String {
    let counts: Vec<String> = counted.iter().map(|(what, count)| format!("{what}: {count}")).collect();
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
        if *rejected > 0 {
            writeln!(f, "rejected by reason: {}", counts(&self.rejected_by_kind))?;
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
