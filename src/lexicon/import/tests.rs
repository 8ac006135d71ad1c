//! Every format that LEXICON-FORMATS.md names, by its row, and how adjudge reads or refuses it.

use std::collections::BTreeMap;

use super::super::fingerprint::sha256_hex;
use super::super::samples::{castilian, english};
use super::*;
use crate::domain::alphabet::Alphabet;

fn read(bytes: impl AsRef<[u8]>) -> Result<Import, ImportError> {
    read_with(bytes, |_| {})
}

fn read_with(bytes: impl AsRef<[u8]>, set: impl FnOnce(&mut ImportOptions)) -> Result<Import, ImportError> {
    let mut options = ImportOptions::new("N23", english());
    set(&mut options);
    read_text(bytes.as_ref(), &options)
}

/// The words of an import, found by their fingerprint.
fn assert_words(import: &Import, words: &[&str]) {
    let listed = words.join("\n") + "\n";
    assert_eq!(import.index().words(), words.len());
    assert_eq!(import.index().fingerprint(), sha256_hex(listed.as_bytes()), "{words:?}");
}

fn refusal(bytes: impl AsRef<[u8]>) -> String {
    read(bytes).map(|import| import.report().to_string()).unwrap_err().to_string()
}

/// The only rejected line of a file.
fn rejected(bytes: impl AsRef<[u8]>) -> Rejected {
    let error = read(bytes).map(|import| import.report().to_string()).unwrap_err();
    let report = error.report().unwrap_or_else(|| panic!("{error}"));
    assert_eq!(report.rejected, 1, "{error}");
    report.rejected_lines[0].clone()
}

/// Line 2 of a file is rejected for a reason of this kind, and the reason says this.
fn assert_rejected(line: &str, kind: Kind, reason: &str) {
    let found = rejected(format!("CRANE\n{line}\nQI\n"));
    assert_eq!((found.line, found.kind), (2, kind), "{line}: {}", found.reason);
    assert!(found.reason.contains(reason), "{line}: {}", found.reason);
}

fn notes(bytes: impl AsRef<[u8]>) -> Vec<String> {
    read(bytes).unwrap().report().notes.clone()
}

fn warnings(bytes: impl AsRef<[u8]>) -> Vec<String> {
    let mut warnings = read(bytes).unwrap().report().warnings.clone();
    warnings.retain(|warning| !warning.starts_with("fewer than"));
    warnings
}

#[test]
fn row_1_plain_text_is_read_without_notes_or_warnings() {
    let import = read("QUAIL\nRIVER\n").unwrap();
    assert_words(&import, &["QUAIL", "RIVER"]);
    let report = import.report();
    assert_eq!((report.lines, report.words, report.duplicates, report.rejected), (2, 2, 0, 0));
    assert!(report.notes.is_empty());
    assert_eq!(report.file_sha256, sha256_hex(b"QUAIL\nRIVER\n"));
    assert_eq!(report.file_bytes, 12);
    assert_eq!(report.fingerprint.as_deref(), Some(import.index().fingerprint()));
}

#[test]
fn rows_2_to_4_any_line_ending_is_read_and_noted() {
    for (text, note) in [
        ("QUAIL\r\nRIVER\r\n", "line endings: CRLF (Windows)"),
        ("QUAIL\rRIVER\r", "line endings: CR only (old Mac)"),
        ("QUAIL\r\nRIVER\n", "line endings: mixed (1 LF, 1 CRLF, 0 CR)"),
    ] {
        let import = read(text).unwrap();
        assert_words(&import, &["QUAIL", "RIVER"]);
        assert_eq!(import.report().notes, [note]);
        assert_eq!(import.report().lines, 2);
    }
    let import = read("ZONE\r\nZONE\n").unwrap();
    assert_words(&import, &["ZONE"]);
    assert_eq!(import.report().duplicates, 1);
}

#[test]
fn row_5_the_last_word_needs_no_newline() {
    assert_words(&read("QUAIL\nRIVER").unwrap(), &["QUAIL", "RIVER"]);
    assert_eq!(notes("QUAIL\nRIVER"), ["the last line has no newline: RIVER was read as a whole word"]);
}

#[test]
fn row_6_a_byte_order_mark_at_the_start_is_left_out() {
    assert_words(&read("\u{FEFF}QUAIL\nRIVER\n").unwrap(), &["QUAIL", "RIVER"]);
    assert_eq!(notes("\u{FEFF}QUAIL\n"), ["a byte order mark at the start was left out"]);
    assert!(read("\u{FEFF}\u{FEFF}QUAIL\n").is_err());
}

#[test]
fn row_7_a_byte_order_mark_in_the_middle_says_that_two_files_were_joined() {
    let found = rejected("QUAIL\n\u{FEFF}RIVER\n");
    assert_eq!((found.line, found.kind, found.text.as_str()), (2, Kind::ByteOrderMark, "\\u{feff}RIVER"));
    assert!(found.reason.contains("U+FEFF at position 1"), "{}", found.reason);
    assert!(found.reason.contains("two files were joined here"), "{}", found.reason);
    assert_eq!(rejected("QUAIL\nZA\u{FEFF}AA\n").kind, Kind::ByteOrderMark);
    let error = refusal("QUAIL\n\u{FEFF}RIVER\n");
    assert!(error.contains("import the one file that you mean") && !error.contains("--allow-rejects"), "{error}");
}

#[test]
fn rows_8_and_9_utf_16_is_refused_with_and_without_its_mark() {
    let utf16 = |mark: &[u8], to_bytes: fn(u16) -> [u8; 2]| {
        let mut bytes = mark.to_vec();
        bytes.extend("QUAIL\r\nRIVER\r\nŻÓŁW\r\n".encode_utf16().flat_map(to_bytes));
        bytes
    };
    for bytes in [
        utf16(b"\xFF\xFE", u16::to_le_bytes),
        utf16(b"\xFE\xFF", u16::to_be_bytes),
        utf16(b"", u16::to_le_bytes),
        utf16(b"", u16::to_be_bytes),
        b"Q\0".to_vec(),
    ] {
        assert!(matches!(read(&bytes), Err(ImportError::Utf16)), "{bytes:?}");
    }
    assert_eq!(refusal(b"\xFF\xFEQ\0"), "the file looks like UTF-16; save as UTF-8 and import it again");
}

#[test]
fn row_10_bytes_that_are_not_utf_8_are_refused_with_their_line() {
    for (bytes, line, byte) in [
        (&b"QUAIL\nA\xD1O\n"[..], 2, 0xD1),
        (b"\xC4RA\r\nQUAIL\r\n", 1, 0xC4),
        (b"QUAIL\rRIVER\rA\xD1O", 3, 0xD1),
        (b"QUAIL\nRIVER\xC3", 2, 0xC3),
    ] {
        let Err(ImportError::NotUtf8 { line: found, byte: first, .. }) = read(bytes) else { panic!("{bytes:?}") };
        assert_eq!((found, first), (line, byte), "{bytes:?}");
    }
    assert!(refusal(b"QUAIL\nA\xD1O\n").contains("line 2 is not UTF-8 (byte 0xD1)"));
}

#[test]
fn row_11_text_that_was_decoded_twice_is_recognised() {
    assert_rejected("AÃ‘O", Kind::DecodedTwice, "“Ã” (U+00C3) at position 2");
    assert_rejected("Ã‰TÃ‰", Kind::DecodedTwice, "decoded twice");
    assert_rejected("caf\u{C3}\u{A9}", Kind::DecodedTwice, "decoded twice");
}

#[test]
fn row_11_text_that_was_decoded_twice_is_recognised_also_where_accents_fold() {
    // Ú, Ê and Î, whose second bytes are the letters š, Š and Ž in Windows-1252.
    for (alphabet, line) in [("spanish", "MÃšSICA"), ("french", "FÃŠTE"), ("french", "ÃŽLE"), ("spanish", "AÃ‘O")]
    {
        let options = ImportOptions::new("N23", Alphabet::shipped(alphabet).unwrap());
        let error = read_text(format!("{line}\nSAL\n").as_bytes(), &options).unwrap_err();
        let found = error.report().unwrap().rejected_lines[0].clone();
        assert_eq!((found.line, found.kind), (1, Kind::DecodedTwice), "{line}");
    }
}

#[test]
fn row_12_decomposed_letters_are_composed() {
    let options = ImportOptions::new("FISE", castilian());
    let import = read_text("AN\u{303}O\nA\u{D1}O\nCANO\u{301}N\n".as_bytes(), &options).unwrap();
    assert_words(&import, &["AÑO", "CANON"]);
    assert_eq!(import.report().duplicates, 1);
}

#[test]
fn row_13_case_is_folded_and_some_capitalised_words_are_a_warning() {
    assert_words(&read("quail\nRiver\nCRANE\n").unwrap(), &["CRANE", "QUAIL", "RIVER"]);
    assert_eq!(
        warnings("quail\ncrane\nRiver\nAnna\n"),
        ["capitalised entries: names? 2 of 4 are written like “Crane”, first in line 3"]
    );
    for text in ["Quail\nRiver\n", "quail\nriver\n", "QUAIL\nRIVER\n", "QUAIL\nqUAIL\n"] {
        assert!(warnings(text).is_empty(), "{text}");
    }
}

#[test]
fn row_14_blanks_around_a_word_are_trimmed_and_blank_lines_are_counted() {
    let import = read("  QUAIL \u{A0}\n\n \t \n\u{3000}RIVER\u{2003}\r\n\n").unwrap();
    assert_words(&import, &["QUAIL", "RIVER"]);
    assert_eq!((import.report().lines, import.report().blank), (5, 3));
}

#[test]
fn row_15_comment_lines_are_counted() {
    let import = read("# made for a test\n #another\nQUAIL\n#\n").unwrap();
    assert_words(&import, &["QUAIL"]);
    assert_eq!(import.report().comments, 3);
}

#[test]
fn row_15_a_comment_that_looks_like_a_marked_word_is_a_warning() {
    assert!(warnings("# QUAIL is a bird\n#\nRIVER\n").is_empty());
    let warning = "2 comments look like words with a # before, first in line 3: they were not read";
    assert_eq!(warnings("# my list\nRIVER\n#QUAIL\n# ZA\n"), [warning]);
    let warning = "2 comments are errors of a spreadsheet, first in line 3: the words that stood there are lost";
    assert_eq!(warnings("# my list\nRIVER\n#NAME?\n#N/A\n"), [warning]);
    assert!(warnings("# WORDS\nRIVER\n").iter().all(|warning| warning.contains("first in line 1")));
}

#[test]
fn row_15_a_list_that_does_not_begin_with_a_comment_drops_no_word_as_one() {
    for line in ["# ZA", "#ZA", "#QUAIL"] {
        assert_rejected(line, Kind::CommentedWord, "a # before a word");
    }
    for line in ["#NAME?", "#N/A"] {
        assert_rejected(line, Kind::SpreadsheetError, "an error of a spreadsheet stands here");
    }
    assert_eq!(rejected("#ZA\nQI\n").line, 1);
    let error = refusal("CRANE\n#NAME?\nQI\n");
    assert!(error.contains("keep it out of a spreadsheet") && !error.contains("--allow-rejects"), "{error}");
    let import = read("CRANE\n# A\n# what follows is new\nQI\n").unwrap();
    assert_eq!((import.report().comments, import.report().words), (2, 2));
}

#[test]
fn row_16_a_heading_is_never_dropped_in_silence() {
    let error = refusal("MY LIST 2026\nQUAIL\n");
    assert!(error.contains("line 1 “MY LIST 2026”: text after the first word"), "{error}");
    assert!(error.contains("if line 1 is a heading, leave it out with --skip-first 1"), "{error}");
    let import = read_with("MY LIST 2026\nQUAIL\n", |o| o.skip_first = 1).unwrap();
    assert_words(&import, &["QUAIL"]);
    assert_eq!(import.report().skipped, 1);
    assert_eq!(import.report().notes, ["line 1 was skipped: “MY LIST 2026”"]);
    let error = read_with("A B\nC D\nQUAIL\n", |o| o.skip_first = 1).unwrap_err().to_string();
    assert!(error.contains("--skip-first 2"), "{error}");
    let error = refusal("QUAIL a small bird\nRIVER\n");
    assert!(!error.contains("--skip-first"), "a word with a definition is no heading: {error}");
    assert!(matches!(read_with("QUAIL\n", |o| o.skip_first = 5), Err(ImportError::NoWords { skipped: 1, .. })));
}

#[test]
fn row_16_a_heading_of_one_word_is_a_warning_where_it_breaks_the_order() {
    let list = "AB\nAD\nAE\nAG\nAH\nAI\nAL\nAM\nAN\nAR\n";
    assert!(warnings(list).is_empty());
    let warning = &warnings(format!("WORDS\n{list}"))[0];
    assert!(warning.starts_with("the first word, WORDS, alone breaks the order of the list"), "{warning}");
    assert!(warnings(format!("WORDS\n{list}AA\n")).is_empty());
}

#[test]
fn rows_17_18_and_25_text_after_the_word_is_rejected_with_a_hint() {
    let seen = "text after the first word: this looks like a list with definitions; adjudge takes one word a line";
    for line in ["QUAIL\ta small bird", "QUAIL a small bird [n -S]", "QUAILS\t…\tQUAIL", "also QUAILS", "AA rough lava"]
    {
        assert_rejected(line, Kind::TextAfter, seen);
    }
    for line in ["AA AB AD", "AA\tAB\tAD", "aa  ab  ad", "aa ab ad ae", "QUAILS QUAIL"] {
        assert_rejected(line, Kind::Columns, "several words on the line: this looks like columns of words");
    }
    assert_rejected("quail# a bird", Kind::Mark, "a mark after the word");
    assert_rejected("QUAIL 12", Kind::NumberAfter, "a number after the word");
    assert_rejected("QUAIL\t0.25\t13%", Kind::NumberAfter, "frequencies");
    assert_rejected("QUAIL bird\u{12}s", Kind::TextAfter, seen);
}

#[test]
fn row_20_a_line_of_64_kib_is_read_and_a_longer_one_refused() {
    let long = rejected("A".repeat(65_536) + "\nQI\n");
    assert_eq!((long.line, long.kind), (1, Kind::Length));
    let error = read("QI\n".to_owned() + &"A".repeat(65_537)).unwrap_err();
    assert!(matches!(error, ImportError::LongLine { line: 2, bytes: 65_537 }), "{error}");
}

#[test]
fn row_21_a_control_character_in_a_word_is_rejected() {
    assert_rejected("QU\u{12}AIL", Kind::Control, "U+0012 at position 3");
    assert_rejected("QUAIL\u{1A}", Kind::Control, "U+001A at position 6");
}

#[test]
fn row_23_tables_are_rejected_with_a_hint() {
    assert_rejected("word,score", Kind::Table, "a table (CSV)");
    assert_rejected("\"QUAIL\",14", Kind::Table, "a table (CSV)");
    assert_rejected("quail=a bird;1", Kind::Table, "another program's list");
    assert_rejected("QUAIL;RIVER", Kind::Table, "a separator");
}

#[test]
fn rows_24_and_26_numbers_are_rejected() {
    assert_rejected("2501 QI", Kind::NumberFirst, "a number first");
    assert_rejected("49000", Kind::NumberFirst, "a number first");
    assert_rejected("QUAIL35", Kind::Digit, "“3” at position 6");
    assert_rejected("1A2A", Kind::Digit, "a digit in a word");
}

#[test]
fn rows_27_and_28_marks_are_rejected_until_an_option_says_what_they_mean() {
    for mark in ["#", "$", "*", "+", "!", "^", "†", "#$", "*,"] {
        assert_rejected(&format!("QUAIL{mark}"), Kind::Mark, "a mark after the word");
    }
    for mark in ["+", "-", "*", "!", "$"] {
        assert_rejected(&format!("{mark}QUAIL"), Kind::MarkBefore, "a list of changes");
    }
    let error = refusal("QUAIL#\n");
    assert!(error.contains("find out what each mark means") && !error.contains("--allow-rejects"), "{error}");
}

#[test]
fn rows_29_30_52_and_54_forms_that_need_expanding_are_rejected() {
    for line in ["QUAIL(S)", "QU(AIL,EEN)", "QUAIL[S]", "[QUAIL]", "[Words]", "QUAIL)", "[QU]AIL"] {
        assert_rejected(line, Kind::Bracket, "brackets");
    }
    for line in ["QUAIL/S", "quail/MS"] {
        assert_rejected(line, Kind::Slash, "Hunspell");
    }
    let error = refusal("49000\nquail/MS\nriver/S\n");
    assert!(error.contains("a Hunspell dictionary (.dic): stems with rules, no word list of a game"), "{error}");
    assert!(refusal("2\nQUAIL\nRIVER\n").contains("--skip-first 1"), "a count before a plain list");
}

#[test]
fn row_31_apostrophes_hyphens_and_blanks_are_rejected() {
    for line in ["don't", "don’t", "quail`s"] {
        assert_rejected(line, Kind::Apostrophe, "an apostrophe");
    }
    for line in ["x-ray", "x‐ray", "x–ray", "quail-"] {
        assert_rejected(line, Kind::Hyphen, "a hyphen");
    }
    assert_rejected("ice cream", Kind::TextAfter, "text after the first word");
    assert_rejected("ice\u{A0}cream", Kind::TextAfter, "text after the first word");
}

#[test]
fn row_32_accents_are_rejected_where_the_alphabet_does_not_fold_them() {
    assert_rejected("ÉTÉ", Kind::Accent, "“É” (U+00C9) at position 1");
    assert_rejected("e\u{301}te", Kind::Accent, "“é” (U+00E9) at position 1");
    assert_rejected("ŁÓDKA", Kind::OtherLetter, "“Ł” (U+0141)");
}

#[test]
fn row_33_other_lengths_are_rejected_and_counted() {
    let error = read("A\nQI\nABCDEFGHIJKLMNOP\nABCDEFGHIJKLMNOPQ\nBCDEFGHIJKLMNOPQ\n").unwrap_err();
    let report = error.report().unwrap();
    assert_eq!(report.rejected_by_length, BTreeMap::from([(1, 1), (16, 2), (17, 1)]));
    assert_eq!(report.rejected_lines[0].reason, "it has 1 tile, and the list covers 2-15");
    assert!(error.to_string().contains("rejected by length: 1: 1, 16: 2, 17: 1"), "{error}");
    assert!(error.to_string().contains("--lengths"), "{error}");
    let wider = |o: &mut ImportOptions| o.lengths = parse_lengths("2-16").unwrap();
    assert_words(&read_with("QI\nABCDEFGHIJKLMNOP\n", wider).unwrap(), &["ABCDEFGHIJKLMNOP", "QI"]);
    assert!(error.to_string().contains("--lengths 2-17"), "{error}");
    for lines in ["A\nQI\n".to_owned(), format!("{}\nQI\n", "A".repeat(61))] {
        let error = refusal(lines);
        assert!(error.contains("leave these lines out: --lengths reaches from 2 to 60 tiles"), "{error}");
    }
}

#[test]
fn row_33_length_is_counted_in_tiles() {
    let mut options = ImportOptions::new("FISE", castilian());
    options.lengths = parse_lengths("2-4").unwrap();
    assert_words(&read_text("CHALLA\n".as_bytes(), &options).unwrap(), &["CHALLA"]);
    options.lengths = parse_lengths("2-3").unwrap();
    let error = read_text("CHALLA\n".as_bytes(), &options).unwrap_err().to_string();
    assert!(error.contains("it has 4 tiles, and the list covers 2-3"), "{error}");
}

#[test]
fn rows_34_and_35_the_order_and_repetitions_do_not_matter() {
    let import = read("RIVER\nQUAIL\nQuail\nquail\n").unwrap();
    assert_words(&import, &["QUAIL", "RIVER"]);
    assert_eq!(import.report().duplicates, 2);
    assert_eq!(import.report().by_length, BTreeMap::from([(5, 2)]));
}

#[test]
fn rows_37_to_53_other_forms_are_refused_by_name() {
    let tar = [&[b'x'; 257][..], b"ustar\0"].concat();
    let dawg = [&b"\x01"[..], &[7; 16], b"\x00\x10\x00", b"\x1A", b"A B C D ", &[0, 1, 2, 3]].concat();
    let forms: [(&[u8], &str); 30] = [
        (b"\x1F\x8B\x08\0\0", "a gzip archive"),
        (b"BZh91AY&SY", "a bzip2 archive"),
        (b"\xFD7zXZ\0\0", "an xz archive"),
        (b"\x28\xB5\x2F\xFD\x04", "a Zstandard archive"),
        (b"7z\xBC\xAF\x27\x1C\0", "a 7-Zip archive"),
        (b"Rar!\x1A\x07\x01\0", "a RAR archive"),
        (b"PK\x03\x04\x14\0\0\0\x08\0words.txt", "a zip archive"),
        (b"PK\x03\x04\x14\0\0\0\x08\0word/document.xml", "a Word document"),
        (b"PK\x03\x04\x14\0\0\0\x08\0xl/workbook.xml", "an Excel workbook"),
        (b"PK\x03\x04mimetypeapplication/vnd.oasis.opendocument.text", "an OpenDocument file"),
        (b"PK\x05\x06\0\0\0\0", "a zip archive"),
        (&tar, "a tar archive"),
        (b"%PDF-1.7\n", "a PDF document"),
        (b"{\\rtf1\\ansi", "a rich text (RTF) document"),
        (b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1\0", "an old Office document"),
        (b"\0\x01\0\0Standard Jet DB\0", "an Access database (Standard Jet DB)"),
        (b"\0\x01\0\0Standard ACE DB\0", "an Access database (Standard ACE DB)"),
        (b"SQLite format 3\0\x10\0", "an SQLite database"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:12\n", "a Git LFS pointer"),
        (b"<!doctype html>\n<html>", "an HTML page"),
        (b"\n  <HTML lang=en>", "an HTML page"),
        (b"\xEF\xBB\xBF<!DOCTYPE HTML>", "an HTML page"),
        (b"<?xml version=\"1.0\"?>", "an XML document"),
        (b"[\"quail\",\"river\"]", "JSON"),
        (b"{\"words\": [\"quail\"]}", "JSON"),
        (b"[\n  {\"word\": \"quail\"}]", "JSON"),
        (&dawg, "a word graph of Quackle (.dawg)"),
        (b"QUAIL\0RIVER\n", "binary"),
        (b"\x05\0\x40\0\x02\0\0\x01\x07\x01\x80\x05", "binary"),
        (b"\0", "binary"),
    ];
    for (bytes, name) in forms {
        let Err(error) = read(bytes) else { panic!("{name}") };
        assert!(matches!(error, ImportError::OtherForm { form, .. } if form.starts_with(name)), "{name}: {error}");
    }
    assert!(refusal(b"\x1F\x8B\x08").contains("adjudge reads plain text with one word a line; unpack it"));
    assert!(refusal(b"version https://git-lfs.github.com/spec/v1\n").contains("git lfs pull"));
}

#[test]
fn row_53_a_module_of_javascript_is_rejected() {
    assert!(refusal("export default [\n  \"quail\",\n]\n").contains("3 of 3 lines are no words"));
}

#[test]
fn row_42_a_list_without_words_is_refused_and_a_small_one_a_warning() {
    for text in ["", "\n", "  \r\n\t\r\n", "# nothing\n", "\u{FEFF}", "\u{A0}\n"] {
        assert!(matches!(read(text), Err(ImportError::NoWords { .. })), "{text:?}");
    }
    assert_eq!(
        refusal("# nothing\n\n"),
        "there are no words in the file (2 lines: 0 skipped, 1 blank, 1 comments, \
         0 rejected); check that it is the right one"
    );
    let list = |words: u8| (0..words).map(|n| format!("{}{}\n", char::from(b'A' + n / 26), char::from(b'A' + n % 26)));
    assert_eq!(
        read(list(99).collect::<String>()).unwrap().report().warnings[0],
        "fewer than 100 words (99): is this the whole list?"
    );
    assert!(!read(list(100).collect::<String>()).unwrap().report().to_string().contains("fewer than"));
}

#[test]
fn rows_41_and_68_an_unexpected_list_is_refused_with_what_was_found() {
    let error = read_with("QUAIL\nRIVER", |o| o.expect_words = Some(3)).unwrap_err();
    assert!(error.to_string().contains("expected 3 words, found 2 (the last line has no newline"), "{error}");
    let error = read_with("QUAIL\nRIVER\n", |o| o.expect_fingerprint = Some("0".repeat(64))).unwrap_err();
    let found = sha256_hex(b"QUAIL\nRIVER\n");
    assert!(
        error.to_string().contains(&format!("expected the fingerprint {}, found {found}", "0".repeat(64))),
        "{error}"
    );
    assert_eq!(error.report().unwrap().words, 2);
    let right = |o: &mut ImportOptions| {
        o.expect_words = Some(2);
        o.expect_fingerprint = Some(found.to_uppercase());
        o.must_have = vec!["quail".to_owned()];
        o.must_lack = vec!["CRANE".to_owned()];
    };
    assert!(read_with("QUAIL\nRIVER\n", right).is_ok());
}

#[test]
fn rows_41_and_68_all_unmet_expectations_come_at_once() {
    let wrong = |o: &mut ImportOptions| {
        o.expect_words = Some(1);
        o.must_have = vec!["quail".to_owned(), "CRANE".to_owned(), "Q".to_owned()];
        o.must_lack = vec!["river".to_owned()];
    };
    let Err(ImportError::Unmet { unmet, .. }) = read_with("QUAIL\nRIVER\n", wrong) else { panic!() };
    let all = [
        "expected 1 words, found 2",
        "expected the word CRANE, and it is not in the list",
        "expected the word Q, and it is not in the list",
        "expected no word RIVER, and it is in the list",
    ];
    assert_eq!(unmet, all);
    let error = read_with("QUAIL\n", |o| o.must_lack = vec!["X-RAY".to_owned()]).unwrap_err();
    assert!(error.to_string().contains("the must-lack word \"X-RAY\" is no word of the english alphabet"), "{error}");
}

#[test]
fn row_58_marked_tiles_are_read_where_the_alphabet_has_tiles_of_several_letters() {
    let options = ImportOptions::new("FISE", castilian());
    let import = read_text("[CH]A[LL]A\nCHALLA\n[C][H]ALLA\n".as_bytes(), &options).unwrap();
    assert_words(&import, &["CHALLA", "[C]HALLA"]);
}

#[test]
fn row_66_look_alikes_are_rejected_by_their_code_point() {
    assert_rejected("QU\u{410}IL", Kind::LookAlike, "“А” (U+0410) at position 3");
    assert_rejected("\u{39F}AK", Kind::LookAlike, "(U+039F) at position 1");
    assert_rejected("ＱＩ", Kind::LookAlike, "(U+FF31) at position 1");
    assert_rejected("ﬁx", Kind::LookAlike, "(U+FB01) at position 1");
    assert_rejected("שלום", Kind::OtherLetter, "another alphabet");
}

#[test]
fn a_list_in_another_script_or_alphabet_says_which_one_to_give_or_that_one_can_be_written() {
    for line in ["ΛΟΓΟΣ", "λόγος", "ЖУК", "РОТ"] {
        assert_rejected(line, Kind::OtherLetter, "a letter of another alphabet");
        let error = refusal(format!("{line}\n"));
        assert!(error.contains("if the list is written in another alphabet than english"), "{error}");
        assert!(error.contains("write a file for it as docs/alphabets.md shows"), "{error}");
        assert!(!error.contains("anew") && !error.contains("--allow-rejects"), "{error}");
    }
    assert!(refusal("ÉTÉ\n").contains("--alphabet french"));
    let options = ImportOptions::new("N23", Alphabet::shipped("spanish").unwrap());
    let error = read_text("KILO\n".as_bytes(), &options).unwrap_err().to_string();
    assert!(!error.contains("--alphabet spanish") && error.contains("--alphabet english"), "{error}");
}

#[test]
fn row_67_letters_that_no_word_uses_are_named() {
    let report = read("QUAIL\n").unwrap().report().clone();
    assert_eq!(report.letters_never_used.concat(), "BCDEFGHJKMNOPRSTVWXYZ");
    let words: String = (b'A'..=b'J')
        .flat_map(|a| (b'A'..=b'J').map(move |b| format!("{}{}\n", char::from(a), char::from(b))))
        .collect();
    let warning = "no word uses K L M N O P Q R S T U V W X Y Z: is this a list in another language, or a part of one?";
    assert_eq!(warnings(words).first().map(String::as_str), Some(warning));
}

#[test]
fn row_69_invisible_characters_in_a_word_are_rejected() {
    for (line, code) in [
        ("QU\u{AD}AIL", "U+00AD"),
        ("QUAIL\u{200B}", "U+200B"),
        ("\u{202E}QUAIL", "U+202E"),
        ("QU\u{200D}AIL", "U+200D"),
    ] {
        assert_rejected(line, Kind::Invisible, code);
    }
}

#[test]
fn rejected_lines_refuse_the_import_and_the_first_ten_are_shown() {
    let text: Vec<String> = (0..13).map(|n| format!("QUAIL{n}")).collect();
    let error = refusal(format!("RIVER\n{}\n", text.join("\n")));
    assert!(error.starts_with("13 of 14 lines are no words of the list: nothing was stored\n"), "{error}");
    assert!(error.contains("  line 11 “QUAIL9”: "), "{error}");
    assert!(!error.contains("“QUAIL10”"), "{error}");
    assert!(error.contains("  and 3 more\n  rejected by reason: digit: 13\nTo do: "), "{error}");
    assert!(error.contains("  rejected by reason: digit: 13\n") && !error.contains("--allow-rejects"), "{error}");
}

#[test]
fn leaving_lines_out_is_offered_only_for_those_that_hold_no_word() {
    let error = refusal("AA rough lava\nAB a muscle\nABANDONMENTS\n");
    assert!(error.contains("rejected by reason: text-after: 2"), "{error}");
    assert!(!error.contains("--allow-rejects") && !error.contains("--skip-first"), "{error}");
    for line in ["QUAIL-", "'QUAIL'", "AA – rough lava", "+QUAIL", "QUAIL(S)", "QUAIL35", "AA AB", "QU\u{AD}AIL"] {
        let error = refusal(format!("RIVER\n{line}\n"));
        assert!(!error.contains("--allow-rejects"), "{line}: {error}");
    }
    assert!(refusal("RIVER\nX-RAY\n").ends_with("or leave the rejected lines out with --allow-rejects 1"));
    let error = refusal("RIVER\nX-RAY\nDON'T\nQUAIL#\n");
    let offer =
        "or leave out the 2 lines that hold no word of the list with --allow-rejects all-of:hyphen,all-of:apostrophe";
    assert!(error.ends_with(offer), "{error}");
}

#[test]
fn beyond_one_line_in_twenty_the_reason_is_needed() {
    let allow = |values: &str| {
        let values = values.split(',').map(|value| value.parse::<AllowedReject>().unwrap()).collect();
        move |o: &mut ImportOptions| o.allow_rejects = values
    };
    let taken = |rejects: usize, line: &str, values: &str| {
        let words: String = (b'A'..=b'Z')
            .flat_map(|a| (b'A'..=b'Z').map(move |b| format!("{}{}\n", char::from(a), char::from(b))))
            .take(100 - rejects)
            .collect();
        read_with(words + &format!("{line}\n").repeat(rejects), allow(values))
    };
    assert_eq!(taken(5, "X-RAY", "5").unwrap().report().rejected, 5);
    let error = taken(6, "X-RAY", "6").unwrap_err();
    assert!(matches!(error, ImportError::Rejects { excess: Excess::Share(5), .. }), "{error}");
    assert!(error.to_string().contains("leaves out 5 % of the lines at most, here 5"), "{error}");
    assert!(error.to_string().ends_with("with --allow-rejects all-of:hyphen"), "{error}");
    assert_eq!(taken(6, "X-RAY", "all-of:hyphen").unwrap().report().rejected, 6);
    assert!(taken(6, "X-RAY", "all-of:apostrophe").is_err());
    let import = taken(6, "ZOOS a park", "all-of:text-after").unwrap();
    let lost = "6 of the lines that were left out may hold words of the list, first line 95 “ZOOS a park”: the list lacks them then";
    assert!(import.report().warnings.iter().any(|warning| warning == lost), "{:?}", import.report().warnings);
    let error = read_with("AA rough lava\nAB\nABANDONMENTS\n", allow("1")).unwrap_err();
    assert!(matches!(error, ImportError::Rejects { excess: Excess::Share(0), .. }), "{error}");
}

#[test]
fn a_list_of_a_thousand_words_has_words_of_every_length_that_it_covers() {
    let words = |lengths: std::ops::RangeInclusive<usize>| {
        let mut words = String::new();
        for length in lengths {
            for n in 0..200_u32 {
                let letter = |place: usize| {
                    char::from(b'A' + u8::try_from((n / 26_u32.pow(u32::from(place == 0))) % 26).unwrap())
                };
                words.extend((0..length).map(letter));
                words.push('\n');
            }
        }
        words
    };
    let with = |list: &str, lengths: &str, allow_gaps: bool| {
        read_with(list, |o| {
            (o.lengths, o.allow_gaps) = (parse_lengths(lengths).unwrap(), allow_gaps);
        })
    };
    for (list, lengths, empty, proposed) in [
        (words(2..=8), "2-15", "no word of the list has 9-15 tiles", "--lengths 2-8,"),
        (words(3..=15), "2-15", "no word of the list has 2 tiles", "--lengths 3-15,"),
        (words(2..=15), "2-31", "no word of the list has 16-31 tiles", "--lengths 2-15,"),
    ] {
        let error = with(&list, lengths, false).unwrap_err();
        assert!(matches!(error, ImportError::Gaps { .. }), "{error}");
        let said = error.to_string();
        assert!(said.contains(empty) && said.contains(proposed) && said.contains("--allow-gaps"), "{said}");
        assert!(error.report().unwrap().words >= 1_000);
        let taken = with(&list, lengths, true).unwrap();
        assert!(
            taken.report().warnings.iter().any(|warning| warning.starts_with(empty)),
            "{:?}",
            taken.report().warnings
        );
    }
    assert!(with(&words(2..=8), "2-8", false).is_ok() && with(&words(2..=5), "2-15", false).is_ok());
}

#[test]
fn two_words_on_a_line_are_a_warning_and_never_left_out_by_advice() {
    let warning = "two words may have run together, a line end was lost: line 2 “AAMEVABRBQ” (AAMEV and ABRBQ)";
    assert_eq!(warnings("AABCD\nAAMEVABRBQ\nABXYZ\nACDEF\nBEEFY\n"), [warning]);
    assert_eq!(warnings("AAMEV\nAAMEVABRBQ\nABRBQ\nACDEF\nBEEFY\n"), [warning]);
    let error = read_with("AABCD\nAAMEVABRBQ\nABXYZ\nACDEF\nBEEFY\n", |o| o.lengths = parse_lengths("2-8").unwrap());
    let error = error.unwrap_err().to_string();
    assert!(
        error.contains("covers 2-8; two words may have run together") && !error.contains("--allow-rejects"),
        "{error}"
    );
}

#[test]
fn allowed_rejects_are_left_out_counted_and_recorded() {
    let allow = |count: usize| move |o: &mut ImportOptions| o.allow_rejects.count = count;
    let list = "QUAIL\nX-RAY\nDON'T\n".to_owned() + &"RIVER\n".repeat(37);
    let error = read_with(&list, allow(1)).unwrap_err();
    assert!(matches!(error, ImportError::Rejects { excess: Excess::Count(1), .. }), "{error}");
    let import = read_with(&list, allow(2)).unwrap();
    assert_words(&import, &["QUAIL", "RIVER"]);
    assert!(import.report().warnings.contains(&"2 of 40 lines were rejected and left out".to_owned()));
    assert_eq!(import.manifest(Timestamp::from_micros(0), "adjudge 0.1.0").source.rejected, 2);
    assert!(matches!(read_with("X-RAY\n", allow(2)), Err(ImportError::NoWords { rejected: 1, .. })));
}

#[test]
fn a_long_or_hostile_line_is_shown_short_and_harmless() {
    let found = rejected(format!("QUAIL\n{}\u{1B}[31m\n", "AB ".repeat(30)));
    assert_eq!(found.text.chars().count(), 41);
    assert!(found.text.ends_with('…'));
    assert_eq!(rejected("QUAIL\nA\u{1B}[31m\n").text, "A\\u{1b}[31m");
}

#[test]
fn a_report_holds_a_hundred_rejected_lines_and_counts_all() {
    let error = read("X-RAY\n".repeat(5_000)).unwrap_err();
    let report = error.report().unwrap();
    assert_eq!((report.rejected, report.rejected_lines.len()), (5_000, 100));
    assert_eq!(report.rejected_by_kind, BTreeMap::from([(Kind::Hyphen, 5_000)]));
}

#[test]
fn every_line_is_counted_once() {
    let text = "heading one\nQUAIL\nquail\n\n# c\nX-RAY\nRIVER\n";
    let import = read_with(text, |o| (o.skip_first, o.allow_rejects.count) = (1, 1)).unwrap();
    let r = import.report();
    assert_eq!([r.skipped, r.blank, r.comments, r.rejected, r.duplicates, r.words], [1, 1, 1, 1, 1, 2]);
    assert_eq!(r.lines, r.skipped + r.blank + r.comments + r.rejected + r.duplicates + r.words);
}

#[test]
fn the_report_is_readable_by_a_person_and_by_a_program() {
    let import = read("Quail\r\nRIVER\r\n").unwrap();
    let fingerprint = sha256_hex(b"QUAIL\nRIVER\n");
    let text = format!(
        "N23: 2 words of 2-15 tiles, english alphabet\n\
         2 lines: 0 duplicates, 0 blank, 0 comments, 0 skipped, 0 rejected\n\
         note: line endings: CRLF (Windows)\n\
         WARNING: fewer than 100 words (2): is this the whole list?\n\
         WARNING: capitalised entries: names? 1 of 2 are written like “Crane”, first in line 1\n\
         words by length: 5: 2\n\
         letters never used: B C D F G H J K M N O P S T W X Y Z\n\
         file SHA-256: {} (14 bytes)\n\
         fingerprint:  {fingerprint}",
        sha256_hex(b"Quail\r\nRIVER\r\n"),
    );
    assert_eq!(import.report().to_string(), text);
    let json = serde_json::to_value(import.report()).unwrap();
    assert_eq!(json["by_length"]["5"], 2);
    assert_eq!(json["lengths"], serde_json::json!([2, 15]));
    assert_eq!(json["fingerprint"], fingerprint);
    let error = read("QUAIL\nX-RAY\n").unwrap_err();
    let json = serde_json::to_value(error.report().unwrap()).unwrap();
    assert_eq!(json["rejected_lines"][0]["kind"], "hyphen");
    assert_eq!(json["rejected_by_kind"]["hyphen"], 1);
    assert!(json["fingerprint"].is_null());
}

#[test]
fn the_manifest_says_what_was_imported() {
    let set = |o: &mut ImportOptions| {
        o.title = "Our list".to_owned();
        o.edition = "2023".to_owned();
        o.effective_from = Some("2027-01-01".to_owned());
    };
    let import = read_with("QUAIL\nQI\nquail\n", set).unwrap();
    let manifest = import.manifest(Timestamp::from_micros(1_795_943_520_000_001), "adjudge 0.1.0");
    assert_eq!((manifest.id.as_str(), manifest.title.as_str(), manifest.edition.as_str()), ("N23", "Our list", "2023"));
    assert_eq!((manifest.language.as_str(), manifest.alphabet.as_str()), ("en", "english"));
    assert_eq!(manifest.effective_from.as_deref(), Some("2027-01-01"));
    assert_eq!(manifest.imported_at, "2026-11-29T09:12:00.000001Z");
    assert_eq!((manifest.words, manifest.source.lines, manifest.source.duplicates), (2, 3, 1));
    assert_eq!(manifest.fingerprint, sha256_hex(b"QI\nQUAIL\n"));
    assert_eq!(manifest.index_sha256, sha256_hex(import.index().bytes()));
    assert_eq!(manifest.index_bytes, import.index().bytes().len());
}

#[test]
fn options_are_checked_before_the_file_is_read() {
    let error = read_with("", |o| o.effective_from = Some("soon".to_owned())).unwrap_err();
    assert!(matches!(error, ImportError::Option(BadOption::Day(_))), "{error}");
    let error = read_with("", |o| o.id = "../x".to_owned()).unwrap_err();
    assert!(matches!(error, ImportError::Option(BadOption::Name(_))), "{error}");
}
