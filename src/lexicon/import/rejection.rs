//! Why a line is no word: the kinds of reason, recognised by the forms of real lists.
//!
//! The alphabet says *where* a line stops being a word. The kind says *what that probably is*, so that a
//! director with a list of definitions reads that it has definitions, and not that U+0020 is no letter.

use std::fmt;
use std::str::FromStr;

use serde::de::IntoDeserializer as _;
use serde::de::value::Error as BadValue;
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::domain::alphabet::{Alphabet, Unreadable, is_default_ignorable};

/// What a rejected line looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// `CRANE a tall bird`, `CRANE⇥a tall bird`, `ice cream`, `MY LIST 2026`
    TextAfter,
    /// `AA AB AD`, `AA⇥AB`
    Columns,
    /// `CRANE 12`
    NumberAfter,
    /// `2501 QI`, `49000`
    NumberFirst,
    /// `CRANE35`, `1A2A`
    Digit,
    /// `CRANE#`, `CRANE*`
    Mark,
    /// `+CRANE`, `-RIVER`
    MarkBefore,
    /// `CRANE(S)`, `[Words]`
    Bracket,
    /// `CRANE/S`
    Slash,
    /// `X-RAY`
    Hyphen,
    /// `DON'T`
    Apostrophe,
    /// `"CRANE",14`, `crane=a bird;1`
    Table,
    /// `ÉTÉ` where accents are not folded
    Accent,
    /// `AÃ‘O`
    DecodedTwice,
    /// `CRАNE` with a Cyrillic А, `ＱＩ`
    LookAlike,
    /// `ЖУК` in English
    OtherLetter,
    /// a soft hyphen, a zero-width space
    Invisible,
    /// a byte order mark that does not begin the file
    ByteOrderMark,
    /// a control character
    Control,
    /// letters of the alphabet that make no tile: Q without U in Catalan
    Tile,
    /// longer or shorter than the lengths that the list covers
    Length,
    /// `#ZA` or `# ZA` in a list that does not begin with a comment
    CommentedWord,
    /// `#NAME?`, `#N/A`
    SpreadsheetError,
    /// anything else
    Other,
}

/// The name in reports and in `--allow-rejects all-of:…`, for example `text-after`.
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

impl FromStr for Kind {
    type Err = BadValue;

    fn from_str(name: &str) -> Result<Self, BadValue> {
        Self::deserialize(name.into_deserializer())
    }
}

/// The reason that is shown for a line: where it stops being a word, and what that looks like.
pub(super) fn fault_reason(kind: Kind, fault: &Unreadable) -> String {
    match kind {
        // The place would only say that a blank is no letter.
        Kind::TextAfter | Kind::Columns | Kind::NumberAfter | Kind::NumberFirst => kind.seen().to_owned(),
        _ => format!("{fault}: {}", kind.seen()),
    }
}

impl Kind {
    /// Recognises what a line looks like. The line has no white space around it. `is_word` says of a text whether it
    /// is a word that the list could have.
    pub(super) fn of(line: &str, fault: &Unreadable, alphabet: &Alphabet, is_word: impl Fn(&str) -> bool) -> Self {
        match fault {
            Unreadable::NotALetter { found, .. } if !found.is_ascii() && is_decoded_twice(line) => Self::DecodedTwice,
            Unreadable::NotALetter { found, .. } if found.is_whitespace() => Self::of_text_after(line, is_word),
            Unreadable::NotALetter { found, position, .. } => Self::of_character(line, *found, *position, alphabet),
            Unreadable::NotATile { .. } => Self::Tile,
            Unreadable::OpenBracket { .. } => Self::Bracket,
        }
    }

    fn of_character(line: &str, found: char, position: usize, alphabet: &Alphabet) -> Self {
        match found {
            '0'..='9' => Self::of_digit(line),
            '+' | '-' | '*' | '!' | '$' | '=' | '>' | '<' | '~' if position == 1 => Self::MarkBefore,
            '(' | ')' | '[' | ']' | '{' | '}' => Self::Bracket,
            '/' | '\\' => Self::Slash,
            '-' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{FE63}' | '\u{FF0D}' => Self::Hyphen,
            '\'' | '`' | '´' | '\u{2BC}' | '\u{2018}'..='\u{201B}' | '\u{2032}' | '\u{FF07}' => Self::Apostrophe,
            ',' | ';' | '"' | '|' | '=' | ':' => Self::Table,
            BYTE_ORDER_MARK => Self::ByteOrderMark,
            _ if found.is_control() => Self::Control,
            _ if is_default_ignorable(found) => Self::Invisible,
            _ if found.is_alphabetic() || is_combining_mark(found) => Self::of_letter(line, found, alphabet),
            _ if is_mark_at_the_end(line, position) => Self::Mark,
            _ => Self::Other,
        }
    }

    /// The kind of a line whose first word ends with a blank, by the text after it.
    fn of_text_after(line: &str, is_word: impl Fn(&str) -> bool) -> Self {
        let mut words = line.split_whitespace().skip(1).peekable();
        let are_numbers = words.peek().is_some() && words.all(is_number);
        if are_numbers {
            Self::NumberAfter
        } else if are_columns(line, is_word) {
            Self::Columns
        } else {
            Self::TextAfter
        }
    }

    fn of_digit(line: &str) -> Self {
        if line.split_whitespace().next().is_some_and(is_number) { Self::NumberFirst } else { Self::Digit }
    }

    fn of_letter(line: &str, found: char, alphabet: &Alphabet) -> Self {
        let is_latin_alphabet =
            alphabet.tiles().any(|tile| tile.starts_with(|letter: char| letter.is_ascii_alphabetic()));
        let bare = found.nfd().next().unwrap_or(found);
        if is_combining_mark(found) || (bare != found && bare.is_ascii_alphabetic()) {
            Self::Accent
        } else if is_latin_alphabet && is_of_a_similar_script(found) && is_of_similar_scripts(line) {
            // A whole word of such letters is no look-alike: it is written in that script.
            Self::OtherLetter
        } else if !found.nfkc().eq([found]) || (is_latin_alphabet && is_of_a_similar_script(found)) {
            Self::LookAlike
        } else {
            Self::OtherLetter
        }
    }

    /// A description of such a line, which continues the sentence that says where it stops being a word.
    #[must_use]
    pub fn seen(self) -> &'static str {
        match self {
            Self::TextAfter => {
                "text after the first word: this looks like a list with definitions; adjudge takes one word a line"
            }
            Self::Columns => {
                "several words on the line: this looks like columns of words; adjudge takes one word a line"
            }
            Self::NumberAfter => {
                "a number after the word: this looks like a list with frequencies; adjudge takes one word a line"
            }
            Self::NumberFirst => {
                "a number first: this looks like a count or a list of frequencies; adjudge takes one word a line"
            }
            Self::Digit => "a digit in a word",
            Self::Mark => "a mark after the word",
            Self::MarkBefore => "a mark before the word: this looks like a list of changes",
            Self::Bracket => "brackets: this looks like several forms in one, or a heading",
            Self::Slash => {
                "a slash: this looks like several forms in one, or a Hunspell dictionary: stems with rules, no word list of a game"
            }
            Self::Hyphen => "a hyphen",
            Self::Apostrophe => "an apostrophe",
            Self::Table => "a separator: this looks like a table (CSV) or another program's list",
            Self::Accent => "an accent that this alphabet does not fold",
            Self::DecodedTwice => "this looks like UTF-8 that was decoded twice",
            Self::LookAlike => "a character that only looks like a letter of this alphabet",
            Self::OtherLetter => "a letter of another alphabet",
            Self::Invisible => "an invisible character",
            Self::ByteOrderMark => "a byte order mark begins a file: two files were joined here",
            Self::Control => "a control character",
            Self::Tile => "no tiles can be laid for it",
            Self::Length => "outside the lengths that the list covers",
            Self::CommentedWord => "a # before a word: a comment, or a word with a mark",
            Self::SpreadsheetError => "an error of a spreadsheet stands here in place of a word",
            Self::Other => "no letter",
        }
    }
}

/// What begins a file of Unicode text and stands nowhere else.
const BYTE_ORDER_MARK: char = '\u{FEFF}';

/// Whether a line is a row of words: all in capitals, each after a tab or several blanks, or three and more of one
/// length. `QUAIL a small bird` is none.
fn are_columns(line: &str, is_word: impl Fn(&str) -> bool) -> bool {
    let fields = || line.split('\t').flat_map(|part| part.split("  ")).map(str::trim).filter(|field| !field.is_empty());
    let words = || line.split_whitespace();
    let length = |word: &str| word.chars().count();
    let is_table = fields().nth(1).is_some() && fields().all(|field| !field.contains(char::is_whitespace));
    let is_in_capitals = !line.contains(char::is_lowercase);
    let is_even = words().nth(2).is_some() && words().all(|word| Some(length(word)) == words().next().map(length));
    (is_table || is_in_capitals || is_even) && words().all(is_word)
}

/// Digits, with the signs that frequencies are written with.
fn is_number(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | '-' | '+' | '%' | ':'))
}

/// Whether nothing but marks stands from this character (counted from 1) to the end of the first word.
fn is_mark_at_the_end(line: &str, position: usize) -> bool {
    let marks = line.chars().skip(position.saturating_sub(1)).take_while(|c| !c.is_whitespace());
    position > 1 && !marks.clone().any(char::is_alphanumeric)
}

/// What Windows-1252 shows for the bytes 0x80 to 0x9F.
const WINDOWS_1252_EXTRAS: &str = "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ";

/// A UTF-8 sequence of two bytes, each shown as a character of Windows-1252 or Latin-1: `Ã‘` for `Ñ`.
pub(super) fn is_decoded_twice(line: &str) -> bool {
    if line.is_ascii() {
        return false;
    }
    let is_lead = |c| matches!(c, '\u{C2}'..='\u{C5}');
    let is_follower = |c| matches!(c, '\u{80}'..='\u{BF}') || WINDOWS_1252_EXTRAS.contains(c);
    line.chars().zip(line.chars().skip(1)).any(|(first, second)| is_lead(first) && is_follower(second))
}

/// Whether every letter of the first word is of such a script.
fn is_of_similar_scripts(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    first.chars().filter(|letter| letter.is_alphabetic()).all(is_of_a_similar_script)
}

/// Scripts with letters that look like Latin ones: Greek, Cyrillic, Armenian, Cherokee, Lisu, Coptic.
fn is_of_a_similar_script(letter: char) -> bool {
    let is_greek_cyrillic_or_armenian = matches!(letter, '\u{370}'..='\u{58F}' | '\u{2C80}'..='\u{2CFF}');
    let is_cherokee_or_lisu =
        matches!(letter, '\u{13A0}'..='\u{13FF}' | '\u{AB70}'..='\u{ABBF}' | '\u{A4D0}'..='\u{A4FF}');
    is_greek_cyrillic_or_armenian || is_cherokee_or_lisu
}
