//! Guesses the encoding of a file that is not UTF-8: as a hint for saving it again as UTF-8, never to read it.
//!
//! A word in the right encoding has letters only, and its case is all upper, all lower, or like `Crane`; in another one
//! it mostly has a sign or a capital in the middle.

use super::lines::Lines;

/// How many bytes of a file are examined.
const BYTES_LOOKED_AT: usize = 4 * 1024 * 1024;

/// What the bytes from 0x80 on are: letters, `'` for apostrophes and dashes, and `.` for what is in no word.
const ENCODINGS: [(&str, &str); 4] = [
    (
        "Windows-1252 (or Latin-1)",
        "..........Š.Œ.Ž..''...''..š.œ.žŸ................................ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ.ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö.øùúûüýþÿ",
    ),
    (
        "Windows-1250",
        "..........Š.ŚŤŽŹ.''...''..š.śťžź...Ł.Ą....Ş....Ż...ł.....ąş.Ľ.ľżŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎĐŃŇÓÔŐÖ.ŘŮÚŰÜÝŢßŕáâăäĺćçčéęëěíîďđńňóôőö.řůúűüýţ.",
    ),
    (
        "CP850",
        "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø.Ø..áíóúñÑ...............ÁÂÀ..............ãÃ..........ÊËÈ.ÍÎÏ.....Ì.ÓßÔÒõÕ...ÚÛÙýÝ..................",
    ),
    (
        "Mac Roman",
        "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü.......ß......ÆØ..............æø...........ÀÃÕŒœ''..''..ÿŸ...........ÂÊÁËÈÍÎÏÌÓÔ.ÒÚÛÙ...........",
    ),
];

/// A hint about the encoding of a file, from its first line on that is not UTF-8.
pub(super) fn hint(bytes: &[u8]) -> String {
    let bytes = bytes.get(..BYTES_LOOKED_AT).unwrap_or(bytes);
    // Latin-1 gives every byte a character, so that lines can be cut as text.
    let text: String = bytes.iter().map(|byte| char::from(*byte)).collect();
    let first_words = Lines::of(&text).filter_map(|line| line.split(is_separator).find(|word| !word.is_empty()));
    let words: Vec<&str> = first_words.filter(|word| !word.is_ascii()).collect();
    let foreign =
        words.iter().filter(|word| word.chars().nth(1).is_some() && !word.contains(|c: char| c.is_ascii_alphabetic()));
    if foreign.count() * 2 > words.len() {
        return "its words have no Latin letters: it may be in an encoding of another script, such as Windows-1251 for \
            Cyrillic or Windows-1253 for Greek"
            .to_owned();
    }
    let scores: Vec<(&str, usize)> = ENCODINGS.iter().map(|(name, letters)| (*name, score(&words, letters))).collect();
    let best = scores.iter().map(|(_, score)| *score).max().unwrap_or_default();
    let names: Vec<&str> = scores.iter().filter(|(_, score)| *score == best).map(|(name, _)| *name).collect();
    match best {
        0 => "the program that made it knows which encoding it is in".to_owned(),
        _ => format!("it may be in {}", names.join(" or ")),
    }
}

fn is_separator(c: char) -> bool {
    matches!(c, ' ' | '\t' | ',' | ';' | '"')
}

/// How many words look like words in an encoding.
fn score(words: &[&str], letters: &str) -> usize {
    let letters: Vec<char> = letters.chars().collect();
    let read = |c: char| match usize::try_from(u32::from(c)) {
        Ok(code @ 0x80..) => letters.get(code - 0x80).copied().unwrap_or('.'),
        _ => c,
    };
    words.iter().filter(|word| is_like_a_word(&word.chars().map(read).collect::<String>())).count()
}

fn is_like_a_word(word: &str) -> bool {
    // These have one case only.
    let cased: String = word.chars().filter(|c| !matches!(c, 'ß' | 'ÿ' | '\'')).collect();
    let (first, rest) = cased.split_at_checked(cased.chars().next().map_or(0, char::len_utf8)).unwrap_or_default();
    let is_even = |text: &str| text.chars().all(char::is_lowercase) || text.chars().all(char::is_uppercase);
    cased.chars().all(char::is_alphabetic)
        && (is_even(&cased) || (first.chars().all(char::is_uppercase) && rest.chars().all(char::is_lowercase)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A list in an encoding.
    fn encoded(name: &str, list: &str) -> Vec<u8> {
        let (_, letters) = ENCODINGS.iter().find(|(encoding, _)| encoding.starts_with(name)).unwrap();
        let byte = |c: char| match u8::try_from(c) {
            Ok(byte) if byte.is_ascii() => byte,
            _ => u8::try_from(0x80 + letters.chars().position(|letter| letter == c).unwrap()).unwrap(),
        };
        list.chars().map(byte).collect()
    }

    #[test]
    fn every_table_has_a_place_for_every_byte() {
        assert!(ENCODINGS.iter().all(|(_, letters)| letters.chars().count() == 128));
    }

    #[test]
    fn each_encoding_is_hinted_as_itself() {
        let western = "MAÑANA\nNIÑO\nÉTÉ\nCAFÉ\nÄRGER\nÖL\nÜBER\nGARÇON\n";
        let polish = "ŻÓŁW\nŁÓDKA\nŚNIEG\nCIĄG\nKOŃ\n";
        let czech = "ŤAPKA\nČAS\nŘEKA\nŠATY\nŽENA\n";
        for (name, list) in [
            ("Windows-1252", western),
            ("CP850", western),
            ("Mac Roman", western),
            ("Windows-1250", polish),
            ("Windows-1250", czech),
        ] {
            for list in [list.to_owned(), list.to_lowercase()] {
                let hint = hint(&encoded(name, &list));
                assert!(hint.contains(name), "{name}: {hint}");
                let is_wrong = |other: &str| other != name && hint.contains(other);
                let may_be_both = name == "Windows-1252" && hint.contains("Windows-1250");
                assert!(
                    may_be_both || !["Windows-1252", "Windows-1250", "CP850", "Mac Roman"].into_iter().any(is_wrong),
                    "{name}: {hint}"
                );
            }
        }
    }

    #[test]
    fn the_hint_names_another_script_and_bytes_of_no_encoding() {
        assert!(hint(b"\xE4\xEE\xEC\n\xEA\xEE\xF2\n").contains("another script, such as Windows-1251"));
        assert_eq!(hint(b"QU\xA9IL\nA\xA9B\n"), "the program that made it knows which encoding it is in");
    }
}
