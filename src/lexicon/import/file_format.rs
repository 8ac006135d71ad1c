//! The format of a file: plain text, or another one, which adjudge names and refuses.
//!
//! A file of another format would give a wrong list or thousands of rejected lines. Its first bytes
//! identify the format, so the refusal is one sentence.

use super::lines::line_at;
use super::{ImportError, encodings};

/// A format that its first bytes identify.
struct Form {
    begins: &'static [u8],
    name: &'static str,
    advice: &'static str,
}

const UNPACK: &str = "unpack it and import the text file that is in it";
const SAVE_AS_TEXT: &str = "save the list as plain text (UTF-8), one word a line";
const EXPORT: &str = "export the list as text from the program that made it";
const LFS: &str = "fetch the file itself with `git lfs pull`";
const HTML: &str = "this is often a failed download: open the address in a browser and save the list itself";

const OF_THE_GAME: &str = "get the list of the game from those who publish it";

/// How many lines show whether a file is a Hunspell dictionary.
const HUNSPELL_LINES: usize = 1_000;

/// Longer beginnings stand before shorter ones that they share.
const FORMS: &[Form] = &[
    Form { begins: b"\x1F\x8B", name: "a gzip archive", advice: UNPACK },
    Form { begins: b"BZh", name: "a bzip2 archive", advice: UNPACK },
    Form { begins: b"\xFD7zXZ\0", name: "an xz archive", advice: UNPACK },
    Form { begins: b"\x28\xB5\x2F\xFD", name: "a Zstandard archive", advice: UNPACK },
    Form { begins: b"7z\xBC\xAF\x27\x1C", name: "a 7-Zip archive", advice: UNPACK },
    Form { begins: b"Rar!\x1A\x07", name: "a RAR archive", advice: UNPACK },
    Form { begins: b"%PDF", name: "a PDF document", advice: SAVE_AS_TEXT },
    Form { begins: b"{\\rtf", name: "a rich text (RTF) document", advice: SAVE_AS_TEXT },
    Form { begins: b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", name: "an old Office document", advice: SAVE_AS_TEXT },
    Form { begins: b"\0\x01\0\0Standard Jet DB", name: "an Access database (Standard Jet DB)", advice: EXPORT },
    Form { begins: b"\0\x01\0\0Standard ACE DB", name: "an Access database (Standard ACE DB)", advice: EXPORT },
    Form {
        begins: b"SQLite format 3\0",
        name: "an SQLite database",
        advice: "if Zyzzyva made it, export with `sqlite3 FILE 'SELECT word FROM words' > words.txt`",
    },
    Form { begins: b"version https://git-lfs", name: "a Git LFS pointer, not the list", advice: LFS },
];

/// Refuses a file that is not plain text, by the name of its format where the first bytes identify that.
///
/// # Errors
/// [`ImportError::OtherForm`] or [`ImportError::Utf16`].
pub(super) fn refuse_others(bytes: &[u8]) -> Result<(), ImportError> {
    if let Some(form) = FORMS.iter().find(|form| bytes.starts_with(form.begins)) {
        return Err(refused(form.name, form.advice));
    }
    if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
        return Err(zip(bytes));
    }
    if bytes.get(257..262) == Some(b"ustar") {
        return Err(refused("a tar archive", UNPACK));
    }
    if is_utf16(bytes) {
        return Err(ImportError::Utf16);
    }
    if is_quackle_dawg(bytes) {
        return Err(refused("a word graph of Quackle (.dawg)", EXPORT));
    }
    if bytes.contains(&0) {
        let advice =
            "if it is a word graph (.dawg, .gaddag, .kwg, .dwg) or another program's file, export the list as text";
        return Err(refused("binary (it has NUL bytes)", advice));
    }
    if is_hunspell(bytes) {
        return Err(refused("a Hunspell dictionary (.dic): stems with rules, no word list of a game", OF_THE_GAME));
    }
    refuse_markup(bytes)
}

/// Reads the bytes as UTF-8.
///
/// # Errors
/// [`ImportError::NotUtf8`] names the first line that is not UTF-8.
pub(super) fn utf8(bytes: &[u8]) -> Result<&str, ImportError> {
    std::str::from_utf8(bytes).map_err(|error| {
        let (good, bad) = bytes.split_at(error.valid_up_to());
        let byte = bad.first().copied().unwrap_or_default();
        let start = good.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')).map_or(0, |end| end + 1);
        let from_there = bytes.get(start..).unwrap_or_default();
        ImportError::NotUtf8 { line: line_at(good), byte, hint: encodings::hint(from_there) }
    })
}

fn refused(form: &'static str, advice: &'static str) -> ImportError {
    ImportError::OtherForm { form, advice }
}

/// The refusal of a zip archive. Office documents are zip archives; the names of the files in one identify its kind.
fn zip(bytes: &[u8]) -> ImportError {
    let names = bytes.get(..4096).unwrap_or(bytes);
    let holds = |name: &[u8]| names.windows(name.len()).any(|window| window == name);
    if holds(b"word/") {
        refused("a Word document", SAVE_AS_TEXT)
    } else if holds(b"xl/") {
        refused("an Excel workbook", SAVE_AS_TEXT)
    } else if holds(b"opendocument") {
        refused("an OpenDocument file", SAVE_AS_TEXT)
    } else {
        refused("a zip archive", UNPACK)
    }
}

/// Refuses text for another program: a page, or a list in JSON.
fn refuse_markup(bytes: &[u8]) -> Result<(), ImportError> {
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start();
    let start = text.get(..64).unwrap_or(text).to_ascii_lowercase();
    if [&b"<!doctype html"[..], b"<html", b"<head", b"<body", b"<!--"].iter().any(|tag| start.starts_with(tag)) {
        return Err(refused("an HTML page", HTML));
    }
    if start.starts_with(b"<?xml") {
        return Err(refused("an XML document", SAVE_AS_TEXT));
    }
    let in_brackets = start.strip_prefix(b"[").map(<[u8]>::trim_ascii_start);
    let is_json_list = in_brackets.is_some_and(|inner| inner.starts_with(b"\"") || inner.starts_with(b"{"));
    if is_json_list || start.starts_with(b"{") {
        return Err(refused("JSON", SAVE_AS_TEXT));
    }
    Ok(())
}

/// UTF-16 and UTF-32 with their byte order mark, or without it where every second byte is NUL.
fn is_utf16(bytes: &[u8]) -> bool {
    let marks: [&[u8]; 3] = [b"\xFF\xFE", b"\xFE\xFF", b"\0\0\xFE\xFF"];
    if marks.iter().any(|mark| bytes.starts_with(mark)) {
        return true;
    }
    let (pairs, _) = bytes.get(..4096).unwrap_or(bytes).as_chunks::<2>();
    let first = pairs.iter().filter(|[first, _]| *first == 0).count();
    let second = pairs.iter().filter(|[_, second]| *second == 0).count();
    // Plain letters have their NUL on one side only; with more than a few on the other side it is no text.
    let (more, less) = (first.max(second), first.min(second));
    more * 2 > pairs.len() && less * 20 <= more
}

/// Whether this is a Hunspell dictionary: a count alone in the first line, and stems with flags (`quail/MS`) after it.
fn is_hunspell(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let mut lines = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let is_count = |line: &[u8]| !line.is_empty() && line.iter().all(u8::is_ascii_digit);
    let has_flags = |line: &[u8]| {
        let (stem, flags) = line.split_at(line.iter().position(|byte| *byte == b'/').unwrap_or(line.len()));
        !stem.is_empty() && flags.len() > 1 && !flags.contains(&b' ')
    };
    lines.next().is_some_and(is_count) && lines.take(HUNSPELL_LINES).any(has_flags)
}

/// Whether this is Quackle's second format: version 1, a hash of 16 bytes, a count of 3, the number of letters,
/// and the letters with a blank after each.
fn is_quackle_dawg(bytes: &[u8]) -> bool {
    let letters = bytes.get(21..).unwrap_or_default();
    let mut tokens = letters.split(|byte| *byte == b' ').take(3);
    let is_letter = |token: &[u8]| (1..=8).contains(&token.len()) && !token.iter().any(u8::is_ascii_control);
    bytes.first() == Some(&1)
        && bytes.get(20).is_some_and(|count| (2..=63).contains(count))
        && letters.contains(&b' ')
        && tokens.all(is_letter)
}
