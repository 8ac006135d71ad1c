//! Lines that begin with `#`: comments, unless they may stand for a word.
//!
//! `#ZA` may be a word with a mark, and `#NAME?` is what a spreadsheet leaves of a word that it took for a formula. A
//! file that begins with a comment uses `#` for comments, so there they are counted with a warning; in any other file
//! such a line is rejected.

use crate::lexicon::import::rejection::Kind;

/// The kind of a line that begins with `#`, where that may be no comment: `#ZA`, `# ZA`, `#NAME?`. `text` is what
/// stands after the `#`.
pub(super) fn classify_comment(text: &str, is_word: impl Fn(&str) -> bool) -> Option<Kind> {
    if is_spreadsheet_error(text) {
        return Some(Kind::SpreadsheetError);
    }
    is_word(text.trim()).then_some(Kind::CommentedWord)
}

/// `NAME?`, `VALUE!`, `DIV/0!`, `N/A`, and what spreadsheets in other languages write for them.
fn is_spreadsheet_error(text: &str) -> bool {
    let is_name = |name: &str| {
        name.starts_with(char::is_uppercase) && name.chars().all(|c| c.is_uppercase() || matches!(c, '/' | '0' | '_'))
    };
    let is_not_available =
        || text.split_once('/').is_some_and(|(no, what)| no.len() == 1 && (1..=2).contains(&what.len()));
    text.strip_suffix(['!', '?']).is_some_and(is_name) || (is_name(text) && is_not_available())
}

/// Whether the first line of a list shows that `#` begins comments: the line is a comment itself, not a word with a
/// mark.
pub(super) fn begins_with_comment(line: &str, is_word: impl Fn(&str) -> bool) -> bool {
    line.strip_prefix('#').is_some_and(|text| !is_spreadsheet_error(text) && !is_word(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classify(text: &str) -> Option<Kind> {
        classify_comment(text, |word| ["ZA", "CRANE", "NA"].contains(&word))
    }

    #[test]
    fn a_comment_that_may_stand_for_a_word_is_distinguished_from_others() {
        for text in ["ZA", " ZA", "  CRANE  "] {
            assert_eq!(classify(text), Some(Kind::CommentedWord), "{text}");
        }
        for text in ["NAME?", "N/A", "REF!", "VALUE!", "DIV/0!", "NUM!", "NULL!", "N/D", "BEZUG!", "ИМЯ?"] {
            assert_eq!(classify(text), Some(Kind::SpreadsheetError), "{text}");
        }
        for text in ["", " made for a test", "!", "?", " A", " really?", "CRANE ZA", " what is this?", "/"] {
            assert_eq!(classify(text), None, "{text}");
        }
    }

    #[test]
    fn a_first_line_shows_whether_there_are_comments() {
        let begins = |line: &str| begins_with_comment(line, |word| word == "ZA");
        assert!(["# my list", "#", "# ZA", "#words of 2026"].into_iter().all(begins));
        assert!(!["#ZA", "#NAME?", "ZA"].into_iter().any(begins));
    }
}
