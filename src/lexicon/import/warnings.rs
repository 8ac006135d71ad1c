//! Warnings about a list that reads without a fault: oddities that a person should know or check.

use super::report::{Report, shown};
use crate::lexicon::import::rejection::Kind;
use crate::lexicon::list::Gathered;

/// Fewer words than this are hardly a whole list.
const FEW_WORDS: usize = 100;

/// A first line out of order says something only where this many others are in order.
const LINES_IN_ORDER: usize = 10;

/// How many of the skipped lines are shown.
const SKIPPED_LINES_SHOWN: usize = 10;

#[derive(Default)]
pub(super) struct Remarks {
    capitalised: Sighting,
    marked_comments: Sighting,
    spreadsheet_errors: Sighting,
    skipped: Vec<String>,
    heading: Option<String>,
}

/// How often an oddity occurs, and the first line that has it.
#[derive(Default)]
struct Sighting {
    count: usize,
    first_line: usize,
}

impl Sighting {
    fn note(&mut self, line: usize, is_seen: bool) {
        if is_seen {
            self.count += 1;
            self.first_line = if self.count == 1 { line } else { self.first_line };
        }
    }
}

impl Remarks {
    /// Records a line that `--skip-first` left out: the report shows it, so that no word is lost unnoticed.
    pub(super) fn skipped(&mut self, line: usize, text: &str) {
        if line <= SKIPPED_LINES_SHOWN {
            self.skipped.push(format!("line {line} was skipped: “{}”", shown(text)));
        }
    }

    /// Records a comment; one like `#CRANE` may be a word with a mark, one like `#NAME?` stands for a lost word.
    pub(super) fn comment(&mut self, line: usize, looks_like: Option<Kind>) {
        self.marked_comments.note(line, looks_like == Some(Kind::CommentedWord));
        self.spreadsheet_errors.note(line, looks_like == Some(Kind::SpreadsheetError));
    }

    /// Records how a word was written.
    pub(super) fn word(&mut self, line: usize, text: &str) {
        self.capitalised.note(line, is_capitalised(text));
    }

    /// Checks whether the first word alone breaks the order of the list, as a heading would. The words
    /// are in the order of the file.
    pub(super) fn heading(&mut self, gathered: &Gathered) {
        let mut others = gathered.words();
        let Some(first) = others.next() else { return };
        if gathered.len() > LINES_IN_ORDER
            && others.clone().next().is_some_and(|next| first > next)
            && others.is_sorted()
        {
            self.heading = Some(first.to_owned());
        }
    }

    /// Writes all warnings into the report. `entries` counts the words with their repetitions.
    pub(super) fn write(self, report: &mut Report, entries: usize) {
        report.notes.extend(self.skipped);
        let warnings = [
            few_words(report.words),
            capitalised(&self.capitalised, entries),
            marked(&self.marked_comments),
            spreadsheet_errors(&self.spreadsheet_errors),
            self.heading.map(|word| heading(&word)),
            never_used(report),
        ];
        report.warnings.extend(warnings.into_iter().flatten());
    }
}

/// Whether a word is written like a name: `Crane`.
fn is_capitalised(text: &str) -> bool {
    let mut letters = text.chars();
    let begins_upper = letters.next().is_some_and(char::is_uppercase);
    let rest = letters.as_str();
    begins_upper && !rest.is_empty() && rest.chars().all(char::is_lowercase)
}

fn few_words(words: usize) -> Option<String> {
    (1..FEW_WORDS).contains(&words).then(|| format!("fewer than {FEW_WORDS} words ({words}): is this the whole list?"))
}

fn heading(word: &str) -> String {
    let seen = format!("the first word, {word}, alone breaks the order of the list");
    format!("{seen}: if it is a heading, leave it out with --skip-first")
}

fn capitalised(seen: &Sighting, entries: usize) -> Option<String> {
    let Sighting { count, first_line } = *seen;
    let some_but_not_all = (1..entries).contains(&count);
    some_but_not_all.then(|| {
        format!("capitalised entries: names? {count} of {entries} are written like “Crane”, first in line {first_line}")
    })
}

fn marked(seen: &Sighting) -> Option<String> {
    let Sighting { count, first_line } = *seen;
    (count > 0).then(|| {
        format!("{count} comments look like words with a # before, first in line {first_line}: they were not read")
    })
}

fn spreadsheet_errors(seen: &Sighting) -> Option<String> {
    let Sighting { count, first_line } = *seen;
    (count > 0).then(|| {
        format!("{count} comments are errors of a spreadsheet, first in line {first_line}: the words that stood there are lost")
    })
}

fn never_used(report: &Report) -> Option<String> {
    let letters = &report.letters_never_used;
    (report.words >= FEW_WORDS && !letters.is_empty())
        .then(|| format!("no word uses {}: is this a list in another language, or a part of one?", letters.join(" ")))
}

/// The warnings about rejected lines that are left out of a list.
pub(super) fn left_out_warnings(report: &Report) -> Vec<String> {
    let Report { rejected, lines, .. } = report;
    let counted = (*rejected > 0).then(|| format!("{rejected} of {lines} lines were rejected and left out"));
    let with_word = report.first_with_word.as_ref().map(|first| {
        let count: usize = report.with_word.values().sum();
        let seen = format!("{count} of the lines that were left out may hold words of the list");
        format!("{seen}, first line {} “{}”: the list lacks them then", first.line, first.text)
    });
    counted.into_iter().chain(with_word).collect()
}
