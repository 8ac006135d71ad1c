//! Alphabets: which tiles there are, and how typed text becomes tiles.
//!
//! An alphabet is data, a small TOML file:
//!
//! ```toml
//! name = "spanish"
//! language = "es"
//! tiles = ["A", "C", "CH", "E", "L", "LL", "Ñ", "O"]   # every tile, each one or more letters
//! lower = "acehlñoœ"                              # the n-th lower-case letter …
//! upper = "ACEHLÑOŒ"                              # … is read as the n-th upper-case one
//! fold_accents = true                             # É is read as E, unless it is a letter of a tile
//! blank_only = []                                 # letters without a tile that a blank may stand for
//! [folds]                                         # other readings, after case
//! "Œ" = "OE"
//! ```
//!
//! Reading goes from left to right and takes the longest tile at each place: `CHAL` is `CH A L`.
//! A tile may be marked, `[C]HAL`, to say otherwise. Case belongs to the alphabet's own table and
//! never to the machine's locale, so `ſ`, `ı` and `ﬁ` are no English letters, although general
//! upper-casing would make them so. Source: TILES.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, LazyLock};

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{decompose_canonical, is_combining_mark};

pub use self::file::NoAlphabet;
use self::file::{AlphabetFile, Fold};
use super::word::Word;

mod file;
#[cfg(test)]
mod shipped;

/// The alphabets that ship with the program, by name.
static SHIPPED: LazyLock<BTreeMap<&'static str, Arc<Alphabet>>> = LazyLock::new(|| {
    let texts = [
        ("english", include_str!("alphabets/english.toml")),
        ("french", include_str!("alphabets/french.toml")),
        ("spanish", include_str!("alphabets/spanish.toml")),
        ("turkish", include_str!("alphabets/turkish.toml")),
    ];
    let alphabets =
        texts.into_iter().filter_map(|(name, text)| Some((name, Arc::new(Alphabet::from_toml(text).ok()?))));
    alphabets.collect()
});

/// One set of tiles and the way to read them.
#[derive(Debug)]
pub struct Alphabet {
    name: String,
    language: String,
    tiles: BTreeSet<String>,
    keys: Vec<String>,
    longest: usize,
    letters: BTreeSet<char>,
    case: HashMap<char, char>,
    folds: Vec<Fold>,
    fold_accents: bool,
    /// By ASCII code: the tile that a letter always is, regardless of its neighbours.
    plain: [Option<char>; 128],
}

/// Why typed text is no word of an alphabet. Positions count the characters as typed, from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    #[error("{} at position {position} is no letter of the {alphabet} alphabet", named(*found))]
    NotALetter { found: char, position: usize, alphabet: String },
    #[error("the letters {letters:?} from position {position} make no tile of the {alphabet} alphabet")]
    NotATile { letters: String, position: usize, alphabet: String },
    #[error("the bracket at position {position} is not closed")]
    OpenBracket { position: usize },
}

/// A character as a person can find it. Beyond ASCII its code point is given too, so that look-alikes and
/// invisible ones can be distinguished.
fn named(found: char) -> String {
    let code = u32::from(found);
    if found == ' ' {
        return "the space".to_owned();
    }
    if found.is_ascii_graphic() {
        return format!("“{found}”");
    }
    if found.is_control() || found.is_whitespace() || is_default_ignorable(found) || is_combining_mark(found) {
        format!("the character U+{code:04X}")
    } else {
        format!("“{found}” (U+{code:04X})")
    }
}

/// One letter of the text being read, and its position in the typed text.
#[derive(Clone, Copy)]
struct Letter {
    letter: char,
    position: usize,
}

impl Alphabet {
    /// A shipped alphabet; `None` where there is none of that name.
    #[must_use]
    pub fn shipped(name: &str) -> Option<Arc<Self>> {
        SHIPPED.get(name).cloned()
    }

    /// The names of the shipped alphabets, sorted.
    pub fn shipped_names() -> impl Iterator<Item = &'static str> {
        SHIPPED.keys().copied()
    }

    /// Reads an alphabet file.
    ///
    /// # Errors
    /// [`NoAlphabet`] names the first thing that is wrong.
    pub fn from_toml(text: &str) -> Result<Self, NoAlphabet> {
        let file = AlphabetFile::of(text)?;
        let (tiles, case) = (file.tiles()?, file.case()?);
        let letters = tiles.iter().flat_map(|tile| tile.chars()).collect();
        let folds = file.folds(&case, &letters)?;
        let keys = file.keys();
        let mut alphabet = Self {
            name: file.name,
            keys,
            language: file.language,
            longest: tiles.iter().map(|tile| tile.chars().count()).max().unwrap_or(1),
            letters,
            case,
            folds,
            fold_accents: file.fold_accents,
            tiles,
            plain: [None; 128],
        };
        if let Some(tile) = alphabet.tiles().find(|tile| !alphabet.reads_back(tile)) {
            return Err(NoAlphabet(format!("the tile {tile:?} would be read as something else, by case or a fold")));
        }
        alphabet.plain = alphabet.plain_letters();
        Ok(alphabet)
    }

    /// Whether a tile, marked, is read as itself. One that is not could stand in no word.
    fn reads_back(&self, tile: &str) -> bool {
        let marked: Vec<(usize, char)> = format!("[{tile}]").chars().enumerate().collect();
        self.tiles_of(&self.letters_of(&marked)).is_ok_and(|read| read == [tile])
    }

    /// The letters that can be read one by one: where every tile is one letter, those that are a tile and
    /// stand in no fold. ASCII has no marks that would join a letter.
    fn plain_letters(&self) -> [Option<char>; 128] {
        let is_plain = |letter: &char| {
            let in_fold = self.folds.iter().any(|(from, _)| from.contains(letter));
            self.longest == 1 && letter.is_ascii() && self.letters.contains(letter) && !in_fold
        };
        let mut plain = [None; 128];
        for (code, slot) in (0_u8..).zip(&mut plain) {
            *slot = Some(self.upper(char::from(code))).filter(is_plain);
        }
        plain
    }

    /// The word, if every byte of the text is a plain letter, as in nearly all words of an English list. The result
    /// equals that of the general method, at a fraction of its cost.
    fn plain_word(&self, text: &str) -> Option<Word> {
        let mut written = String::with_capacity(text.len());
        for byte in text.bytes() {
            written.push((*self.plain.get(usize::from(byte))?)?);
        }
        let tiles = written.len();
        (tiles > 0).then(|| Word::new(written, tiles))
    }

    /// The name that lexica and the ledger use, for example `english`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The language as a BCP 47 tag, for example `en`.
    #[must_use]
    pub fn language(&self) -> &str {
        &self.language
    }

    /// Every tile, sorted by bytes.
    pub fn tiles(&self) -> impl Iterator<Item = &str> {
        self.tiles.iter().map(String::as_str)
    }

    /// Every tile in the order of the alphabet's file, which is the usual order of the letters; letters for a blank
    /// come last.
    #[must_use]
    pub fn keys(&self) -> &[String] {
        &self.keys
    }

    /// Every letter that is read as its other case, followed by that other case: `aAbB`. Sorted.
    #[must_use]
    pub fn case_pairs(&self) -> String {
        let mut pairs: Vec<(&char, &char)> = self.case.iter().collect();
        pairs.sort_unstable();
        pairs.into_iter().flat_map(|(lower, upper)| [lower, upper]).collect()
    }

    /// Reads what a person typed: invisible characters and white space around it are dropped.
    /// Text in which nothing is left is `Ok(None)`.
    ///
    /// # Errors
    /// [`Unreadable`] names the first place that is no tile.
    pub fn read(&self, typed: &str) -> Result<Option<Word>, Unreadable> {
        if let Some(word) = self.plain_word(typed.trim()) {
            return Ok(Some(word));
        }
        let mut seen: Vec<(usize, char)> =
            typed.chars().enumerate().filter(|(_, letter)| !is_default_ignorable(*letter)).collect();
        let end = seen.iter().rposition(|(_, letter)| !letter.is_whitespace()).map_or(0, |last| last + 1);
        seen.truncate(end);
        let start = seen.iter().position(|(_, letter)| !letter.is_whitespace()).unwrap_or(end);
        self.word_of(seen.get(start..).unwrap_or_default())
    }

    /// Reads a line of a word list: as [`read`](Self::read), but an invisible character is a fault,
    /// because in a list it is a sign of damage. White space must already be gone.
    ///
    /// # Errors
    /// [`Unreadable`] names the first place that is no tile.
    pub fn read_listed(&self, line: &str) -> Result<Option<Word>, Unreadable> {
        if let Some(word) = self.plain_word(line) {
            return Ok(Some(word));
        }
        let seen: Vec<(usize, char)> = line.chars().enumerate().collect();
        self.word_of(&seen)
    }

    /// Splits a word into its tiles, for a screen that draws them.
    #[must_use]
    pub fn split(&self, word: &Word) -> Vec<String> {
        self.split_written(word.as_str())
    }

    /// Splits the canonical spelling of a word into its tiles.
    #[must_use]
    pub fn split_written(&self, written: &str) -> Vec<String> {
        let seen: Vec<(usize, char)> = written.chars().enumerate().collect();
        self.tiles_of(&self.letters_of(&seen)).unwrap_or_default()
    }

    fn word_of(&self, seen: &[(usize, char)]) -> Result<Option<Word>, Unreadable> {
        let tiles = self.tiles_of(&self.letters_of(seen))?;
        if tiles.is_empty() { Ok(None) } else { Ok(Some(Word::new(self.write(&tiles), tiles.len()))) }
    }

    /// Composes, upper-cases and folds, and remembers where each letter came from.
    fn letters_of(&self, seen: &[(usize, char)]) -> Vec<Letter> {
        let mut letters = Vec::with_capacity(seen.len());
        let mut rest = seen;
        while let Some((&(place, first), after)) = rest.split_first() {
            // A letter and the marks on it are composed together and share its position.
            let marks = after.iter().take_while(|(_, next)| joins_the_letter_before(*next)).count();
            let (marked, next) = after.split_at(marks);
            let composed = std::iter::once(first).chain(marked.iter().map(|(_, mark)| *mark)).nfc();
            letters.extend(composed.map(|letter| Letter { letter: self.upper(letter), position: place + 1 }));
            rest = next;
        }
        self.folded(&letters)
    }

    fn upper(&self, letter: char) -> char {
        self.case.get(&letter).copied().unwrap_or(letter)
    }

    /// Replaces what the alphabet reads as something else, longest reading first.
    fn folded(&self, letters: &[Letter]) -> Vec<Letter> {
        let mut folded = Vec::with_capacity(letters.len());
        let mut rest = letters;
        while let Some(first) = rest.first() {
            let (taken, read_as) = self.fold_at(rest);
            folded.extend(read_as.into_iter().map(|letter| Letter { letter, position: first.position }));
            rest = rest.get(taken..).unwrap_or_default();
        }
        folded
    }

    /// How many letters the fold at the start of `rest` takes, and what they are read as.
    fn fold_at(&self, rest: &[Letter]) -> (usize, Vec<char>) {
        for (from, to) in &self.folds {
            let stands_here =
                rest.len() >= from.len() && rest.iter().zip(from).all(|(seen, wanted)| seen.letter == *wanted);
            if stands_here {
                return (from.len(), to.clone());
            }
        }
        let Some(first) = rest.first() else { return (1, Vec::new()) };
        (1, vec![self.without_accents(first.letter)])
    }

    /// The bare letter where the alphabet folds accents; any other character as it is.
    fn without_accents(&self, letter: char) -> char {
        if !self.fold_accents || self.letters.contains(&letter) {
            return letter;
        }
        let mut parts = Vec::new();
        decompose_canonical(letter, |part| parts.push(part));
        match parts.split_first() {
            Some((&base, marks)) if marks.iter().all(|mark| is_combining_mark(*mark)) => {
                let base = self.upper(base);
                if self.letters.contains(&base) { base } else { letter }
            }
            _ => letter,
        }
    }

    /// Cuts letters into tiles: a marked tile as marked, else the longest tile at each place.
    fn tiles_of(&self, letters: &[Letter]) -> Result<Vec<String>, Unreadable> {
        let mut tiles = Vec::with_capacity(letters.len());
        let mut rest = letters;
        while let Some(first) = rest.first() {
            let (taken, tile) = if first.letter == '[' { self.marked_tile(rest)? } else { self.longest_tile(rest)? };
            tiles.push(tile);
            rest = rest.get(taken..).unwrap_or_default();
        }
        Ok(tiles)
    }

    fn marked_tile(&self, rest: &[Letter]) -> Result<(usize, String), Unreadable> {
        let position = rest.first().map_or(1, |bracket| bracket.position);
        let inside: String = rest.iter().skip(1).map(|seen| seen.letter).take_while(|letter| *letter != ']').collect();
        let taken = inside.chars().count() + 2;
        if rest.len() < taken {
            return Err(Unreadable::OpenBracket { position });
        }
        if self.tiles.contains(&inside) {
            return Ok((taken, inside));
        }
        Err(Unreadable::NotATile { letters: inside, position, alphabet: self.name.clone() })
    }

    fn longest_tile(&self, rest: &[Letter]) -> Result<(usize, String), Unreadable> {
        let lengths = (1..=self.longest.min(rest.len())).rev();
        let mut candidates =
            lengths.map(|taken| (taken, rest.iter().take(taken).map(|seen| seen.letter).collect::<String>()));
        if let Some(found) = candidates.find(|(_, tile)| self.tiles.contains(tile)) {
            return Ok(found);
        }
        Err(self.no_tile_at(rest))
    }

    fn no_tile_at(&self, rest: &[Letter]) -> Unreadable {
        let (found, position) = rest.first().map_or((' ', 1), |seen| (seen.letter, seen.position));
        if self.letters.contains(&found) {
            let letters = rest.iter().take(self.longest).map(|seen| seen.letter).collect();
            return Unreadable::NotATile { letters, position, alphabet: self.name.clone() };
        }
        Unreadable::NotALetter { found, position, alphabet: self.name.clone() }
    }

    /// Writes tiles plainly, in brackets where reading the plain letters would find a longer tile.
    fn write(&self, tiles: &[String]) -> String {
        let mut written = String::with_capacity(tiles.iter().map(String::len).sum());
        for (place, tile) in tiles.iter().enumerate() {
            let plain: Vec<Letter> = tiles
                .iter()
                .skip(place)
                .take(self.longest)
                .flat_map(|tile| tile.chars())
                .map(|letter| Letter { letter, position: 1 })
                .collect();
            let read_back = self.longest_tile(&plain).map(|(_, found)| found);
            if read_back.as_deref() == Ok(tile) {
                written.push_str(tile);
            } else {
                written.push('[');
                written.push_str(tile);
                written.push(']');
            }
        }
        written
    }
}

/// Combining marks, and the Hangul vowels and finals that NFC joins to the syllable before them.
fn joins_the_letter_before(letter: char) -> bool {
    is_combining_mark(letter) || matches!(letter, '\u{1160}'..='\u{11FF}')
}

/// Unicode's `Default_Ignorable_Code_Point`: what a screen shows as nothing.
#[must_use]
pub fn is_default_ignorable(letter: char) -> bool {
    matches!(letter,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}'
        | '\u{FFF0}'..='\u{FFF8}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0000}'..='\u{E0FFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASTILIAN: &str = r#"
        name = "castilian-test"
        language = "es"
        tiles = ["A", "C", "CH", "E", "H", "I", "L", "LL", "N", "Ñ", "O", "R", "RR"]
        lower = "acehilnñor"
        upper = "ACEHILNÑOR"
        fold_accents = true
        blank_only = ["W"]
        [folds]
        "Œ" = "OE"
    "#;

    const LATIN: &str = r#"
        name = "latin-test"
        language = "la"
        tiles = ["A", "B", "C", "D", "E", "I", "K", "R", "T", "U"]
        lower = "abcdeikqrtu"
        upper = "ABCDEIKQRTU"
    "#;

    fn english() -> Arc<Alphabet> {
        Alphabet::shipped("english").unwrap()
    }

    fn castilian() -> Alphabet {
        Alphabet::from_toml(CASTILIAN).unwrap()
    }

    fn read(alphabet: &Alphabet, typed: &str) -> (String, usize) {
        let word = alphabet.read(typed).unwrap().unwrap();
        (word.to_string(), word.tiles())
    }

    fn unreadable(typed: &str) -> String {
        english().read(typed).unwrap_err().to_string()
    }

    #[test]
    fn every_shipped_alphabet_can_be_read_and_bears_its_name() {
        assert_eq!(Alphabet::shipped_names().collect::<Vec<_>>(), ["english", "french", "spanish", "turkish"]);
        for name in Alphabet::shipped_names() {
            assert_eq!(Alphabet::shipped(name).unwrap().name(), name);
        }
    }

    #[test]
    fn case_spaces_and_invisible_characters_change_nothing() {
        for typed in ["qi", "Qi", "QI", "qI", "  QI\u{A0}", "Q\u{AD}I", "\u{FEFF}QI\u{200D}", "[Q]I"] {
            assert_eq!(read(&english(), typed), ("QI".to_owned(), 2), "{typed:?}");
        }
    }

    #[test]
    fn text_without_visible_characters_is_no_word() {
        for typed in ["", "   ", "\u{200B}", " \u{AD} "] {
            assert_eq!(english().read(typed), Ok(None), "{typed:?}");
        }
    }

    #[test]
    fn a_fault_names_the_place_in_what_was_typed() {
        assert_eq!(unreadable("X-RAY"), "“-” at position 2 is no letter of the english alphabet");
        assert_eq!(unreadable("  QI1"), "“1” at position 5 is no letter of the english alphabet");
        assert_eq!(unreadable("QU\u{AD}\u{410}IL"), "“А” (U+0410) at position 4 is no letter of the english alphabet");
        assert_eq!(unreadable("QI ZA"), "the space at position 3 is no letter of the english alphabet");
        assert_eq!(unreadable("[QI"), "the bracket at position 1 is not closed");
        assert_eq!(unreadable("[QU]IT"), "the letters \"QU\" from position 1 make no tile of the english alphabet");
    }

    #[test]
    fn general_upper_casing_is_never_used() {
        for typed in ["ſo", "ıs", "ﬁx", "ＱＩ", "É", "E\u{301}", "straße"] {
            assert!(english().read(typed).is_err(), "{typed:?}");
        }
    }

    #[test]
    fn the_longest_tile_is_taken_and_a_marked_one_as_marked() {
        let alphabet = castilian();
        assert_eq!(read(&alphabet, "challa"), ("CHALLA".to_owned(), 4));
        assert_eq!(read(&alphabet, "[CH]A[ll]A"), ("CHALLA".to_owned(), 4));
        assert_eq!(read(&alphabet, "[C][H]ALLA"), ("[C]HALLA".to_owned(), 5));
        assert_eq!(read(&alphabet, "CA[L][L]A"), ("CA[L]LA".to_owned(), 5));
        // Three L: the longest tile comes first, so only the other split needs its bracket.
        assert_eq!(read(&alphabet, "LLLA"), ("LLLA".to_owned(), 3));
        assert_eq!(read(&alphabet, "[L][LL]A"), ("[L]LLA".to_owned(), 3));
    }

    #[test]
    fn accents_fold_but_a_letter_of_its_own_stays() {
        let alphabet = castilian();
        assert_eq!(read(&alphabet, "can\u{303}o\u{301}n"), ("CAÑON".to_owned(), 5));
        assert_eq!(read(&alphabet, "CAÑÓN"), read(&alphabet, "CAN\u{303}O\u{301}N"));
        assert_eq!(read(&alphabet, "Œ").1, 2);
        assert_eq!(read(&alphabet, "W").1, 1);
    }

    #[test]
    fn the_fast_path_reads_words_as_the_general_one_does() {
        let folding = |folds: &str| Alphabet::from_toml(&(LATIN.to_owned() + folds)).unwrap();
        let alphabets = [folding(""), folding("[folds]\nQ = 'K'\nAQ = 'E'"), castilian()];
        let texts = ["cat", "QI", "Aqua", "aerie", "CHALLA", "q", "a1", "a b", "[A]B", "É", "ae\u{301}", ""];
        for alphabet in [&*english()].into_iter().chain(&alphabets) {
            for text in texts {
                let seen: Vec<(usize, char)> = text.chars().enumerate().collect();
                let long = alphabet.word_of(&seen);
                assert_eq!(alphabet.read(text), long, "{text} by {}", alphabet.name());
                assert_eq!(alphabet.read_listed(text), long, "{text} by {}", alphabet.name());
            }
        }
        assert!(english().plain_word("cat").is_some() && castilian().plain_word("cat").is_none());
    }

    #[test]
    fn a_written_word_reads_back_as_itself() {
        let alphabet = castilian();
        for typed in ["[C]HALLA", "[L]LLA", "LLLA", "CA[L]L[L]A", "ARRA", "A[R]RA"] {
            let word = alphabet.read(typed).unwrap().unwrap();
            assert_eq!(alphabet.read(word.as_str()).unwrap().unwrap(), word);
            assert_eq!(alphabet.split(&word).len(), word.tiles());
        }
    }

    #[test]
    fn a_list_line_with_an_invisible_character_is_refused() {
        let error = english().read_listed("QU\u{AD}AIL").unwrap_err().to_string();
        assert_eq!(error, "the character U+00AD at position 3 is no letter of the english alphabet");
    }

    #[test]
    fn a_bad_alphabet_file_is_refused_with_its_fault() {
        let refused = |text: &str| Alphabet::from_toml(text).unwrap_err().to_string();
        let other = |from: &str, to: &str| refused(&CASTILIAN.replace(from, to));
        assert!(other("lower = \"acehilnñor\"", "lower = \"ace\"").contains("lower has 3 letters and upper has 10"));
        assert!(other("fold_accents", "fold_acents").contains("fold_acents"));
        for (from, to, fault) in [
            ("\"R\",", "\"R\", \"R\",", "\"R\" is twice in tiles and blank_only"),
            ("[\"W\"]", "[\"H\"]", "\"H\" is twice in tiles and blank_only"),
            ("[\"W\"]", "[\"\"]", "\"\" cannot be a tile"),
            ("[\"W\"]", "[\"[W\"]", "\"[W\" cannot be a tile"),
            ("[\"W\"]", "[\"i\"]", "the tile \"i\" would be read as something else"),
            ("[\"W\"]", "[\"\u{301}\"]", "cannot be a tile"),
            ("acehil", "aceail", "lower has 'a' twice"),
            ("acehil", "aceNil", "the tile \"N\" would be read as something else"),
            ("\"Œ\" =", "\"\" =", "\"\" cannot be folded"),
            ("\"Œ\" =", "\"[\" =", "\"[\" cannot be folded"),
            ("\"Œ\" =", "\"EA\" =", "the fold of \"EA\" is of nothing but letters of tiles"),
            ("\"Œ\" =", "\"aŒ\" =", "the fold of \"aŒ\" comes after case, and 'a' is 'A' by then"),
            ("\"OE\"", "\"\"", "the fold of \"Œ\" would drop letters"),
            ("\"OE\"", "\"OK\"", "the fold of \"Œ\" gives 'K', which is a letter of no tile"),
            ("\"OE\"", "\"OE\"\n\"É\" = \"E\"\n\"E\u{301}\" = \"A\"", "is there twice"),
        ] {
            let body = other(from, to);
            assert!(body.contains(fault), "{body}");
        }
        assert!(refused("name = \"x\"\nlanguage = \"x\"\ntiles = []").contains("it has no tiles"));
    }

    #[test]
    fn the_file_in_the_manual_is_an_alphabet() {
        let manual = include_str!("../../docs/alphabets.md");
        let (_, after) = manual.split_once("```toml\n").unwrap();
        let alphabet = Alphabet::from_toml(after.split_once("```").unwrap().0).unwrap();
        assert_eq!(read(&alphabet, "chœllé"), ("CHOELLE".to_owned(), 5));
        assert_eq!(read(&alphabet, "wañá").1, 4);
    }
}
