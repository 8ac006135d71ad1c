//! Reading a list line by line: each line is skipped, blank, a comment, a word, or rejected.

use std::collections::BTreeSet;

use super::comments::{begins_with_comment, classify_comment};
use super::lines::Lines;
use super::options::ImportOptions;
use super::report::{NoWord, Report};
use super::{ImportError, merged_words};
use crate::domain::alphabet::Alphabet;
use crate::domain::word::Word;
use crate::lexicon::import::rejection::{Kind, fault_reason, is_decoded_twice};
use crate::lexicon::import::warnings::Remarks;
use crate::lexicon::list::{Gathered, List};

/// The longest line, in bytes. A longer one is no line of a word list.
const MAX_LINE_BYTES: usize = 64 * 1024;

/// How many words that are too long are examined again.
const TOO_LONG_HELD: usize = 1_000;

/// The result of reading a list.
pub(super) struct Reading {
    /// The words, sorted, each once.
    pub(super) list: List,
    /// The report, but for the hashes.
    pub(super) report: Report,
    /// Whether the last line has an ending; a file that was cut off has none.
    pub(super) ends_in_newline: bool,
}

struct Reader<'a> {
    options: &'a ImportOptions,
    /// Whether brackets have a meaning in this alphabet: whether a tile has more than one letter.
    has_long_tiles: bool,
    /// Whether the first line shows that `#` begins comments here; `None` before there is one.
    has_comments: Option<bool>,
    gathered: Gathered,
    /// Words with their lines that are longer than the list covers.
    too_long: Vec<(usize, String)>,
    report: Report,
    remarks: Remarks,
}

/// Reads a whole text.
///
/// # Errors
/// [`ImportError::LongLine`]; lines that are no words are in the report.
pub(super) fn read(text: &str, options: &ImportOptions) -> Result<Reading, ImportError> {
    let mut reader = Reader::new(options);
    let unmarked = text.strip_prefix('\u{FEFF}');
    if unmarked.is_some() {
        reader.report.notes.push("a byte order mark at the start was left out".to_owned());
    }
    let mut lines = Lines::of(unmarked.unwrap_or(text));
    for line in lines.by_ref() {
        reader.read_line(line)?;
    }
    reader.report.notes.extend(lines.endings.note());
    Ok(reader.finish(lines.endings.none == 0))
}

impl<'a> Reader<'a> {
    fn new(options: &'a ImportOptions) -> Self {
        let has_long_tiles = options.alphabet.tiles().any(|tile| tile.chars().count() > 1);
        let (report, remarks) = (Report::new(options), Remarks::default());
        let (gathered, too_long) = (Gathered::default(), Vec::new());
        Self { options, has_long_tiles, has_comments: None, gathered, too_long, report, remarks }
    }

    fn read_line(&mut self, line: &str) -> Result<(), ImportError> {
        self.report.lines += 1;
        let number = self.report.lines;
        if line.len() > MAX_LINE_BYTES {
            return Err(ImportError::LongLine { line: number, bytes: line.len() });
        }
        let text = line.trim();
        if number <= self.options.skip_first {
            self.report.skipped += 1;
            self.remarks.skipped(number, text);
        } else if text.is_empty() {
            self.report.blank += 1;
        } else {
            let begins = self.has_comments.unwrap_or_else(|| begins_with_comment(text, |text| self.is_word(text)));
            self.has_comments = Some(begins);
            match text.strip_prefix('#') {
                Some(comment) => self.read_comment(number, text, comment),
                None => self.read_entry(number, text),
            }
        }
        Ok(())
    }

    fn read_comment(&mut self, number: usize, text: &str, comment: &str) {
        match classify_comment(comment, |text| self.is_word(text)) {
            Some(kind) if self.has_comments != Some(true) => {
                self.report.reject(number, text, NoWord { kind, reason: kind.seen().to_owned(), has_word: true });
            }
            kind => {
                self.report.comments += 1;
                self.remarks.comment(number, kind);
            }
        }
    }

    fn read_entry(&mut self, number: usize, text: &str) {
        match self.word(number, text) {
            Ok(word) => {
                self.remarks.word(number, text);
                self.gathered.add(&word, number);
            }
            Err(why) => self.report.reject(number, text, why),
        }
    }

    fn word(&mut self, number: usize, text: &str) -> Result<Word, NoWord> {
        let alphabet: &Alphabet = &self.options.alphabet;
        let seen = |kind: Kind| NoWord { kind, reason: kind.seen().to_owned(), has_word: true };
        if !self.has_long_tiles && has_bracket(text) {
            // `CRANE[S]` would read as CRANES: in such an alphabet a bracket marks no tile.
            return Err(seen(Kind::Bracket));
        }
        let read = alphabet.read_listed(text).map_err(|fault| {
            let kind = Kind::of(text, &fault, alphabet, |text| self.is_word(text));
            NoWord { kind, reason: fault_reason(kind, &fault), has_word: self.may_hold_word(kind, text) }
        });
        let word = read?.ok_or_else(|| seen(Kind::Other))?;
        if is_decoded_twice(text) {
            // Where accents fold, `MÃšSICA` would be read as MASSICA and not as MÚSICA.
            return Err(seen(Kind::DecodedTwice));
        }
        let (tiles, lengths) = (word.tiles(), self.options.lengths);
        if lengths.cover(tiles) {
            return Ok(word);
        }
        if tiles > lengths.longest && self.too_long.len() < TOO_LONG_HELD {
            self.too_long.push((number, word.to_string()));
        }
        *self.report.rejected_by_length.entry(tiles).or_default() += 1;
        let unit = if tiles == 1 { "tile" } else { "tiles" };
        let reason = format!("it has {tiles} {unit}, and the list covers {lengths}");
        Err(NoWord { kind: Kind::Length, reason, has_word: false })
    }

    /// Whether a text is a word that the list could have.
    fn is_word(&self, text: &str) -> bool {
        let word = self.options.alphabet.read_listed(text).ok().flatten();
        word.is_some_and(|word| self.options.lengths.cover(word.tiles()))
    }

    /// Whether a line that is no word may hold one: `CRANE a tall bird` does, and `X-RAY` is no word of the game.
    fn may_hold_word(&self, kind: Kind, text: &str) -> bool {
        let is_joint = |c: char| !c.is_alphanumeric();
        match kind {
            // `CRANE-` or `'CRANE'` is a word with a mark, and `CRANE – a tall bird` one with a definition.
            Kind::Hyphen | Kind::Apostrophe => {
                text.contains(char::is_whitespace) || self.is_word(text.trim_matches(is_joint))
            }
            _ => text.contains(char::is_alphabetic),
        }
    }

    fn finish(mut self, ends_in_newline: bool) -> Reading {
        let entries = self.gathered.len();
        let last = self.gathered.words().next_back().filter(|_| !ends_in_newline).map(str::to_owned);
        self.remarks.heading(&self.gathered);
        let candidates = merged_words::find_candidates(&self.gathered, &self.too_long);
        let list = self.gathered.sorted();
        let report = &mut self.report;
        let merged = merged_words::confirm(&candidates, &list);
        report.warnings.extend(merged_words::warning(&merged));
        report.hold_words(merged.iter().map(|candidate| candidate.line));
        report.words = list.len();
        report.duplicates = entries - report.words;
        report.by_length = list.by_length().clone();
        report.letters_never_used = never_used(&self.options.alphabet, self.has_long_tiles, &list);
        if let Some(last) = last {
            report.notes.push(format!("the last line has no newline: {last} was read as a whole word"));
        }
        self.remarks.write(report, entries);
        Reading { list, report: self.report, ends_in_newline }
    }
}

/// Whether a bracket stands in the first word of a line.
fn has_bracket(text: &str) -> bool {
    // Nearly no line has a bracket anywhere, which this test finds quickly.
    text.bytes().any(|byte| matches!(byte, b'[' | b']'))
        && text.split_whitespace().next().is_some_and(|first| first.contains(['[', ']']))
}

/// The tiles that no word uses.
fn never_used(alphabet: &Alphabet, has_long_tiles: bool, list: &List) -> Vec<String> {
    let mut unused: BTreeSet<String> = alphabet.tiles().map(str::to_owned).collect();
    for word in list.words() {
        if unused.is_empty() {
            break;
        }
        if has_long_tiles {
            for tile in alphabet.split_written(word) {
                unused.remove(&tile);
            }
        } else {
            unused.retain(|letter| !word.contains(letter.as_str()));
        }
    }
    unused.into_iter().collect()
}
