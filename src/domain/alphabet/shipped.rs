//! Checks every shipped alphabet against tables and readers that these tests write independently.

use proptest::prelude::*;

use super::*;

/// A shipped alphabet as these tests expect it: its tiles, and which letters other characters are read as.
struct Known {
    name: &'static str,
    tiles: Vec<&'static str>,
    also: &'static [(&'static str, &'static str)],
    folds_accents: bool,
}

const A_TO_Z: &str = "A B C D E F G H I J K L M N O P Q R S T U V W X Y Z";
const SPANISH: &str = "A B C CH D E F G H I J L LL M N Ñ O P Q R RR S T U V X Y Z";
const TURKISH: &str = "A B C Ç D E F G Ğ H I İ J K L M N O Ö P R S Ş T U Ü V Y Z";

impl Known {
    fn all() -> Vec<Self> {
        let known = |name, tiles: &'static str, also, folds_accents| Self {
            name,
            tiles: tiles.split(' ').collect(),
            also,
            folds_accents,
        };
        let french = &[("Œ", "OE"), ("œ", "OE"), ("Æ", "AE"), ("æ", "AE")];
        let turkish = &[("Â", "A"), ("â", "A"), ("Î", "İ"), ("î", "İ"), ("Û", "U"), ("û", "U")];
        vec![
            known("english", A_TO_Z, &[], false),
            known("french", A_TO_Z, french, true),
            known("spanish", SPANISH, &[], true),
            known("turkish", TURKISH, turkish, false),
        ]
    }

    fn alphabet(&self) -> Arc<Alphabet> {
        Alphabet::shipped(self.name).unwrap()
    }

    fn lower(&self, letter: char) -> char {
        match (self.name, letter) {
            ("turkish", 'I') => 'ı',
            ("turkish", 'İ') => 'i',
            _ => letter.to_lowercase().next().unwrap(),
        }
    }

    /// The letters that a single character is read as.
    fn letters(&self, typed: char) -> Option<String> {
        let typed: String = typed.nfc().collect();
        let is_a_tile = |letter: &String| self.tiles.contains(&letter.as_str());
        let mut upper_and_lower = self.tiles.iter().filter_map(|tile| {
            let letter = tile.chars().next()?;
            (typed == letter.to_string() || typed == self.lower(letter).to_string()).then(|| letter.to_string())
        });
        let also = || self.also.iter().find(|(from, _)| *from == typed).map(|(_, to)| (*to).to_owned());
        let bare = || {
            let (letter, marks) = (typed.nfd().next()?, typed.nfd().skip(1));
            let bare = letter.to_ascii_uppercase().to_string();
            let has_marks = marks.clone().count() > 0 && marks.into_iter().all(is_combining_mark);
            (self.folds_accents && has_marks && is_a_tile(&bare)).then_some(bare)
        };
        upper_and_lower.next().or_else(also).or_else(bare)
    }

    /// The longest tile that a text begins with.
    fn longest(&self, text: &str) -> Option<&'static str> {
        self.tiles.iter().copied().filter(|tile| text.starts_with(tile)).max_by_key(|tile| tile.len())
    }

    /// The tiles of plain letters, from left to right.
    fn split(&self, mut letters: &str) -> Vec<&'static str> {
        let mut tiles = Vec::new();
        while let Some(tile) = self.longest(letters) {
            tiles.push(tile);
            letters = &letters[tile.len()..];
        }
        assert_eq!(letters, "", "{}", self.name);
        tiles
    }

    /// A word as CONTRACT section 1 writes it.
    fn written(&self, tiles: &[&str]) -> String {
        let tile = |at: usize| {
            let is_found = self.longest(&tiles[at..].concat()) == Some(tiles[at]);
            if is_found { tiles[at].to_owned() } else { format!("[{}]", tiles[at]) }
        };
        (0..tiles.len()).map(tile).collect()
    }
}

fn known(name: &str) -> Known {
    Known::all().into_iter().find(|known| known.name == name).unwrap()
}

/// A word and its number of tiles.
fn read(name: &str, typed: &str) -> (String, usize) {
    let word = Alphabet::shipped(name).unwrap().read(typed);
    let word = word.unwrap_or_else(|error| panic!("{typed}: {error}")).unwrap();
    (word.to_string(), word.tiles())
}

fn tiles(name: &str, typed: &str) -> String {
    let alphabet = Alphabet::shipped(name).unwrap();
    alphabet.split(&alphabet.read(typed).unwrap().unwrap()).join(" ")
}

fn refused(name: &str, typed: &str) -> String {
    Alphabet::shipped(name).unwrap().read(typed).unwrap_err().to_string()
}

#[test]
fn the_tiles_are_those_of_the_game() {
    for known in Known::all() {
        let alphabet = known.alphabet();
        assert!(alphabet.tiles().eq(known.tiles.iter().copied().collect::<BTreeSet<_>>()), "{}", known.name);
    }
    let count = |name| Alphabet::shipped(name).unwrap().tiles().count();
    assert_eq!(["english", "french", "spanish", "turkish"].map(count), [26, 26, 28, 29]);
    assert_eq!(
        ["french", "spanish", "turkish"].map(|name| known(name).alphabet().language().to_owned()),
        ["fr", "es", "tr"]
    );
}

/// FAULTS K1: every character of the scripts that have letters like these, and the blocks of styled ones.
#[test]
fn every_character_is_read_as_known_or_refused() {
    let codes = [0..0x3000, 0xA000..0xAC00, 0xF900..0x1_0000, 0x1_D400..0x1_D800, 0x1_F100..0x1_F200];
    for known in Known::all() {
        let alphabet = known.alphabet();
        for typed in codes.iter().cloned().flatten().filter_map(char::from_u32) {
            let expected = known.letters(typed).map(|letters| known.written(&known.split(&letters)));
            let is_nothing = typed.is_whitespace() || is_default_ignorable(typed);
            let read = alphabet.read(&typed.to_string());
            let place = format!("{typed:?} U+{:04X} in {}", u32::from(typed), known.name);
            match read {
                Ok(None) => assert!(is_nothing, "{place}"),
                Ok(Some(word)) => assert_eq!(Some(word.to_string()), expected, "{place}"),
                Err(_) => assert!(expected.is_none() && !is_nothing, "{place}"),
            }
        }
    }
}

/// FAULTS K1
#[test]
fn look_alikes_are_refused_and_named_in_every_alphabet() {
    for known in Known::all() {
        for (typed, named) in [
            ("CА", "“А” (U+0410) at position 2"),
            ("аC", "“а” (U+0430) at position 1"),
            ("СO", "“С” (U+0421) at position 1"),
            ("ОC", "“О” (U+041E) at position 1"),
            ("CΟ", "“Ο” (U+039F) at position 2"),
            ("AΗ", "“Η” (U+0397) at position 2"),
            ("CІ", "“І” (U+0406) at position 2"),
            ("Cӏ", "“ӏ” (U+04CF) at position 2"),
            ("ＣA", "“Ｃ” (U+FF23) at position 1"),
            ("𝐂A", "“𝐂” (U+1D402) at position 1"),
            ("Ⅽa", "“Ⅽ” (U+216D) at position 1"),
            ("Aª", "“ª” (U+00AA) at position 2"),
            ("ſo", "“ſ” (U+017F) at position 1"),
            ("oﬁ", "“ﬁ” (U+FB01) at position 2"),
            ("oǇ", "“Ǉ” (U+01C7) at position 2"),
            ("oß", "“ß” (U+00DF) at position 2"),
            ("oø", "“ø” (U+00F8) at position 2"),
            ("C-A", "“-” at position 2"),
            ("C'A", "“'” at position 2"),
            ("C1", "“1” at position 2"),
            ("A\u{301}\u{301}\u{301}", "at position 1"),
            ("i\u{307}", "the character U+0307 at position 1"),
        ] {
            let body = refused(known.name, typed);
            assert!(body.contains(named), "{}: {body}", known.name);
        }
    }
}

#[test]
fn english_folds_nothing() {
    for typed in ["É", "é", "e\u{301}", "ı", "İ", "ſ", "ﬁ", "Ñ", "œ", "â"] {
        assert!(refused("english", typed).ends_with("at position 1 is no letter of the english alphabet"), "{typed}");
    }
}

#[test]
fn french_plays_no_accents_and_two_tiles_for_a_ligature() {
    for (typed, word) in [
        ("été", "ETE"),
        ("E\u{301}TE\u{301}", "ETE"),
        ("NOËL", "NOEL"),
        ("garçon", "GARCON"),
        ("œuf", "OEUF"),
        ("ŒUF", "OEUF"),
        ("cæcum", "CAECUM"),
        ("cañon", "CANON"),
        ("pie", "PIE"),
        ("éèêëàâîïôûùüçñÿ", "EEEEAAIIOUUUCNY"),
        ("ÉÈÊËÀÂÎÏÔÛÙÜÇÑŸ", "EEEEAAIIOUUUCNY"),
    ] {
        assert_eq!(read("french", typed), (word.to_owned(), word.len()), "{typed}");
    }
    // Marks belong to one tile, and a ligature is two.
    assert!(refused("french", "[Œ]UF").contains("\"OE\" from position 1 make no tile"));
}

/// FIELD-REPORTS I9
#[test]
fn spanish_has_four_tiles_of_its_own() {
    for (typed, word, split) in [
        ("CHICO", "CHICO", "CH I C O"),
        ("[CH]ICO", "CHICO", "CH I C O"),
        ("[C][H]ICO", "[C]HICO", "C H I C O"),
        ("[c]hico", "[C]HICO", "C H I C O"),
        ("chocho", "CHOCHO", "CH O CH O"),
        ("cho[c][h]o", "CHO[C]HO", "CH O C H O"),
        ("CALLO", "CALLO", "C A LL O"),
        ("ca[l][l]o", "CA[L]LO", "C A L L O"),
        ("CARRO", "CARRO", "C A RR O"),
        ("[RR]", "RR", "RR"),
        ("mañana", "MAÑANA", "M A Ñ A N A"),
        ("MAN\u{303}ANA", "MAÑANA", "M A Ñ A N A"),
        ("m[n\u{303}]a", "MÑA", "M Ñ A"),
        ("BAN\u{303}\u{200D}O", "BAÑO", "B A Ñ O"),
        ("manana", "MANANA", "M A N A N A"),
        ("ÁRBOL", "ARBOL", "A R B O L"),
        ("pingu\u{308}ino", "PINGUINO", "P I N G U I N O"),
        ("queso", "QUESO", "Q U E S O"),
        ("LLL", "LLL", "LL L"),
        ("[l]ll", "[L]LL", "L LL"),
    ] {
        assert_eq!(read("spanish", typed).0, word, "{typed}");
        assert_eq!(tiles("spanish", typed), split, "{typed}");
        assert_eq!(read("spanish", typed).1, split.split(' ').count(), "{typed}");
    }
    assert_ne!(read("spanish", "MAÑANA"), read("spanish", "MANANA"));
    for letter in ["K", "k", "W", "w", "[K]", "[QU]", "[SH]"] {
        refused("spanish", letter);
    }
}

#[test]
fn turkish_keeps_i_with_and_without_a_dot_apart() {
    for (typed, word) in [
        ("ılık", "ILIK"),
        ("ILIK", "ILIK"),
        ("ilik", "İLİK"),
        ("İLİK", "İLİK"),
        ("I\u{307}LI\u{307}K", "İLİK"),
        ("izmir", "İZMİR"),
        ("İZMİR", "İZMİR"),
        ("Izmir", "IZMİR"),
        ("IZMIR", "IZMIR"),
        ("çağ", "ÇAĞ"),
        ("c\u{327}ag\u{306}", "ÇAĞ"),
        ("gözlükçü", "GÖZLÜKÇÜ"),
        ("şiş", "ŞİŞ"),
        ("kâğıt", "KAĞIT"),
        ("millî", "MİLLİ"),
        ("MI\u{302}DE", "MİDE"),
        ("SÜKÛT", "SÜKUT"),
        ("su\u{302}ku\u{302}t", "SUKUT"),
    ] {
        assert_eq!(read("turkish", typed), (word.to_owned(), word.chars().count()), "{typed}");
    }
    for typed in ["Q", "q", "W", "w", "X", "x", "é", "Ê", "ô", "ñ", "ä", "ı\u{302}", "ţ", "s\u{326}", "ǧ"] {
        refused("turkish", typed);
    }
}

/// Tiles of one alphabet, and for each a choice of how it is typed.
fn words() -> impl Strategy<Value = (usize, Vec<(usize, usize)>)> {
    (0..Known::all().len(), proptest::collection::vec((any::<usize>(), any::<usize>()), 1..15))
}

fn chosen(alphabet: usize, word: &[(usize, usize)]) -> (Known, Vec<&'static str>) {
    let known = Known::all().swap_remove(alphabet);
    // Half of the tiles are those that join to others, or the split would hardly ever matter.
    let joining: Vec<&str> = known
        .tiles
        .iter()
        .copied()
        .filter(|tile| matches!(*tile, "C" | "H" | "CH" | "L" | "LL" | "R" | "RR"))
        .collect();
    let tile = |(tile, how): &(usize, usize)| {
        let from = if how / 8 % 2 == 0 { &joining } else { &known.tiles };
        from[tile % from.len()]
    };
    let tiles = word.iter().map(tile).collect();
    (known, tiles)
}

proptest! {
    #[test]
    fn marked_tiles_are_read_as_marked_and_written_as_the_contract_says((alphabet, word) in words()) {
        let (known, tiles) = chosen(alphabet, &word);
        let alphabet = known.alphabet();
        let marked: String = tiles.iter().map(|tile| format!("[{tile}]")).collect();
        let read = alphabet.read(&marked).unwrap().unwrap();
        prop_assert_eq!(alphabet.split(&read), tiles.clone());
        prop_assert_eq!(read.tiles(), tiles.len());
        prop_assert_eq!(read.as_str(), known.written(&tiles));
        prop_assert_eq!(alphabet.read(read.as_str()).unwrap().unwrap(), read.clone());
        prop_assert_eq!(alphabet.read_listed(read.as_str()).unwrap().unwrap(), read);
    }

    #[test]
    fn plain_letters_take_the_longest_tile_at_each_place((alphabet, word) in words()) {
        let (known, tiles) = chosen(alphabet, &word);
        let alphabet = known.alphabet();
        let plain = tiles.concat();
        let read = alphabet.read(&plain).unwrap().unwrap();
        prop_assert_eq!(alphabet.split(&read), known.split(&plain));
        prop_assert_eq!(read.as_str(), plain);
    }

    #[test]
    fn case_changes_nothing_by_the_alphabets_own_table((alphabet, word) in words()) {
        let (known, tiles) = chosen(alphabet, &word);
        let alphabet = known.alphabet();
        let written = known.written(&tiles);
        let bits = word[0].1;
        let lowered = |(at, letter)| if bits >> (at % 64) & 1 == 0 { known.lower(letter) } else { letter };
        let typed: String = written.chars().enumerate().map(lowered).collect();
        let lower: String = written.chars().map(|letter| known.lower(letter)).collect();
        let read = alphabet.read(&written).unwrap();
        prop_assert_eq!(&alphabet.read(&typed).unwrap(), &read, "{}", typed);
        prop_assert_eq!(&alphabet.read(&lower).unwrap(), &read, "{}", lower);
        prop_assert_eq!(&alphabet.read_listed(&typed).unwrap(), &read);
    }

    #[test]
    fn composed_and_decomposed_text_are_the_same(
        alphabet in 0..4_usize,
        typed in "[A-Za-zéèêëàâîïôûùüçñÑÉÁÚÜœŒæÆıİğĞşŞöÖÂÎÛ\\[\\]\u{301}\u{302}\u{303}\u{307}\u{308}\u{327}]{1,12}",
    ) {
        let alphabet = Known::all()[alphabet].alphabet();
        let (composed, decomposed): (String, String) = (typed.nfc().collect(), typed.nfd().collect());
        let expected = alphabet.read(&composed).ok();
        prop_assert_eq!(&alphabet.read(&decomposed).ok(), &expected);
        prop_assert_eq!(&alphabet.read(&typed).ok(), &expected);
        prop_assert_eq!(&alphabet.read_listed(&decomposed).ok(), &expected);
        if let Some(Some(word)) = expected {
            prop_assert_eq!(alphabet.read(word.as_str()).unwrap().unwrap(), word);
        }
    }
}
