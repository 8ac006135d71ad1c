//! Why a line is no word: the kinds of reason, recognised from what lists in the wild look like.
//!
//! The alphabet says *where* a line stops being a word. The kind says *what that probably is*, so that
//! a director who was sent a list with definitions is told so, and not that U+0020 is no letter.

use serde::Serialize;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::domain::alphabet::{Alphabet, Unreadable, is_default_ignorable};

/// What a rejected line looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// `CRANE a tall bird`, `CRANE⇥a tall bird`, `ICE CREAM`, `MY LIST 2026`
    TextAfter,
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
    /// a soft hyphen, a byte order mark in the middle, a zero-width space
    Invisible,
    /// a control character
    Control,
    /// letters of the alphabet that make no tile: Q without U in Catalan
    Tile,
    /// longer or shorter than the lengths that the list covers
    Length,
    /// anything else
    Other,
}

/// The reason that is shown for a line: where it stops being a word, and what that looks like.
pub(super) fn fault_reason(kind: Kind, fault: &Unreadable) -> String {
    match kind {
        // The place would only say that a blank is no letter.
        Kind::TextAfter | Kind::NumberAfter | Kind::NumberFirst => kind.seen().to_owned(),
        _ => format!("{fault}: {}", kind.seen()),
    }
}

impl Kind {
    /// Recognises what a line looks like. The line has no white space around it.
    pub(super) fn of(line: &str, fault: &Unreadable, alphabet: &Alphabet) -> Self {
        match fault {
            Unreadable::NotALetter { found, .. } if !found.is_ascii() && is_decoded_twice(line) => Self::DecodedTwice,
            Unreadable::NotALetter { found, position, .. } => Self::of_character(line, *found, *position, alphabet),
            Unreadable::NotATile { .. } => Self::Tile,
            Unreadable::OpenBracket { .. } => Self::Bracket,
        }
    }

    fn of_character(line: &str, found: char, position: usize, alphabet: &Alphabet) -> Self {
        match found {
            _ if found.is_whitespace() => Self::of_text_after(line),
            '0'..='9' => Self::of_digit(line),
            '+' | '-' | '*' | '!' | '$' | '=' | '>' | '<' | '~' if position == 1 => Self::MarkBefore,
            '(' | ')' | '[' | ']' | '{' | '}' => Self::Bracket,
            '/' | '\\' => Self::Slash,
            '-' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{FE63}' | '\u{FF0D}' => Self::Hyphen,
            '\'' | '`' | '´' | '\u{2BC}' | '\u{2018}'..='\u{201B}' | '\u{2032}' | '\u{FF07}' => Self::Apostrophe,
            ',' | ';' | '"' | '|' | '=' | ':' => Self::Table,
            _ if found.is_control() => Self::Control,
            _ if is_default_ignorable(found) => Self::Invisible,
            _ if found.is_alphabetic() || is_combining_mark(found) => Self::of_letter(found, alphabet),
            _ if is_mark_at_the_end(line, position) => Self::Mark,
            _ => Self::Other,
        }
    }

    /// A blank ends the first word; what comes after it tells.
    fn of_text_after(line: &str) -> Self {
        let mut words = line.split_whitespace().skip(1).peekable();
        let are_numbers = words.peek().is_some() && words.all(is_number);
        if are_numbers { Self::NumberAfter } else { Self::TextAfter }
    }

    fn of_digit(line: &str) -> Self {
        if line.split_whitespace().next().is_some_and(is_number) { Self::NumberFirst } else { Self::Digit }
    }

    fn of_letter(found: char, alphabet: &Alphabet) -> Self {
        let is_latin_alphabet =
            alphabet.tiles().any(|tile| tile.starts_with(|letter: char| letter.is_ascii_alphabetic()));
        let bare = found.nfd().next().unwrap_or(found);
        if is_combining_mark(found) || (bare != found && bare.is_ascii_alphabetic()) {
            Self::Accent
        } else if !found.nfkc().eq([found]) || (is_latin_alphabet && is_of_a_similar_script(found)) {
            Self::LookAlike
        } else {
            Self::OtherLetter
        }
    }

    /// What such a line looks like, to read on from where it stops being a word.
    #[must_use]
    pub fn seen(self) -> &'static str {
        match self {
            Self::TextAfter => {
                "text after the first word: this looks like a list with definitions; adjudge takes one word a line"
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
            Self::Slash => "a slash: this looks like several forms in one, or a Hunspell dictionary",
            Self::Hyphen => "a hyphen",
            Self::Apostrophe => "an apostrophe",
            Self::Table => "a separator: this looks like a table (CSV) or another program's list",
            Self::Accent => "an accent that this alphabet does not fold",
            Self::DecodedTwice => "this looks like UTF-8 that was decoded twice",
            Self::LookAlike => "a character that only looks like a letter of this alphabet",
            Self::OtherLetter => "a letter of another alphabet",
            Self::Invisible => "an invisible character",
            Self::Control => "a control character",
            Self::Tile => "no tiles can be laid for it",
            Self::Length => "outside the lengths that the list covers",
            Self::Other => "no letter",
        }
    }

    /// What to do about such lines.
    #[must_use]
    pub fn advice(self) -> &'static str {
        match self {
            Self::TextAfter | Self::NumberAfter | Self::NumberFirst | Self::Table => {
                "save the column with the words alone, one word a line, as plain text"
            }
            Self::Digit => "write the words without digits (where digits stand for tiles, with the tiles' letters)",
            Self::Mark | Self::MarkBefore => {
                "find out what each mark means, leave out the words that do not belong, and take the marks off the others"
            }
            Self::Bracket | Self::Slash => "write every form in full on a line of its own",
            Self::Hyphen | Self::Apostrophe => "leave out what is no word of the game",
            Self::Accent | Self::OtherLetter | Self::Tile => {
                "choose the alphabet of the list's language with --alphabet"
            }
            Self::DecodedTwice => "get the list again and save it as UTF-8",
            Self::LookAlike | Self::Invisible | Self::Control | Self::Other => "type the named lines anew",
            Self::Length => "cover other lengths with --lengths",
        }
    }
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

/// Scripts with letters that look like Latin ones: Greek, Cyrillic, Armenian, Cherokee, Lisu, Coptic.
fn is_of_a_similar_script(letter: char) -> bool {
    let is_greek_cyrillic_or_armenian = matches!(letter, '\u{370}'..='\u{58F}' | '\u{2C80}'..='\u{2CFF}');
    let is_cherokee_or_lisu =
        matches!(letter, '\u{13A0}'..='\u{13FF}' | '\u{AB70}'..='\u{ABBF}' | '\u{A4D0}'..='\u{A4FF}');
    is_greek_cyrillic_or_armenian || is_cherokee_or_lisu
}
