//! Properties of the whole way from a file to a served lexicon: it agrees with the list, it does not
//! depend on the layout of the file, and damage is refused or makes no difference.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;

use super::files::{index_path, store};
use super::fingerprint::sha256_hex;
use super::open::Flaw;
use super::samples::{english, holds, imported};
use super::*;
use crate::domain::alphabet::Alphabet;
use crate::domain::lexicon::Lexicon;
use crate::domain::time::Timestamp;

/// A made-up list of about five thousand words that share beginnings, ends and middles.
fn made_up_list() -> Vec<String> {
    let (starts, middles) =
        (["", "RE", "UN", "OVER", "S", "ST"], ["BA", "CRO", "QUI", "ZE", "LLO", "TH", "EA", "NK", "IX"]);
    let ends = ["", "S", "ED", "ER", "ING", "LY", "NESS", "A", "E", "Y", "ISH"];
    let mut words = HashSet::new();
    for start in starts {
        for first in middles {
            for second in middles {
                words.extend(ends.iter().map(|end| format!("{start}{first}{second}{end}")));
            }
        }
    }
    words.retain(|word| (2..=15).contains(&word.len()));
    words.into_iter().collect()
}

/// All neighbours of a word: with one letter changed, added or removed, two swapped, and all its parts.
fn near(word: &str) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    let mut near = Vec::new();
    for at in 0..=letters.len() {
        let (before, after) = letters.split_at(at);
        let text = |parts: &[&[char]]| parts.concat().iter().collect::<String>();
        for letter in 'A'..='Z' {
            near.push(text(&[before, &[letter], after]));
            near.push(text(&[before, &[letter], after.get(1..).unwrap_or_default()]));
        }
        near.push(text(&[before, after.get(1..).unwrap_or_default()]));
        near.extend((at..=letters.len()).map(|end| letters[at..end].iter().collect::<String>()));
        if let [first, second, rest @ ..] = after {
            near.push(text(&[before, &[*second, *first], rest]));
        }
    }
    near
}

#[test]
fn the_index_agrees_with_a_hash_set_for_every_word_and_all_its_neighbours() {
    let list = made_up_list();
    assert!((4_500..=6_500).contains(&list.len()), "{}", list.len());
    let (manifest, index) = imported("N23", &list.join(" "));
    assert_eq!(manifest.words, list.len());
    let opened = Opened::from_copy(index, &manifest.expected().unwrap()).unwrap();
    let oracle: HashSet<&str> = list.iter().map(String::as_str).collect();
    assert!(list.iter().all(|word| holds(&opened, word)));
    let (mut asked, mut found) = (0, 0);
    // Every twentieth word with all its neighbours: over a hundred thousand look-ups.
    for text in list.iter().step_by(20).flat_map(|word| near(word)).filter(|text| !text.is_empty()) {
        let answer = holds(&opened, &text);
        assert_eq!(answer, oracle.contains(text.as_str()), "{text}");
        asked += 1;
        found += usize::from(answer);
    }
    assert!(asked > 100_000 && found > 1_000, "{asked} asked, {found} found");
}

/// Every word of two to four tiles.
fn of_tiles<'a>(tiles: &[&'a str]) -> Vec<Vec<&'a str>> {
    let longer = |words: &[Vec<&'a str>]| -> Vec<Vec<&'a str>> {
        words.iter().flat_map(|word| tiles.iter().map(move |tile| [word.as_slice(), &[*tile]].concat())).collect()
    };
    let one: Vec<Vec<&str>> = tiles.iter().map(|tile| vec![*tile]).collect();
    let two = longer(&one);
    let three = longer(&two);
    [longer(&three), three, two].concat()
}

/// The oracle compares tiles and not spellings.
#[test]
fn the_index_agrees_with_a_set_of_tiles_in_every_alphabet() {
    for (name, tiles) in [
        ("english", ["C", "H", "I", "L", "N", "R"]),
        ("french", ["C", "H", "O", "E", "A", "T"]),
        ("spanish", ["C", "CH", "H", "L", "LL", "Ñ"]),
        ("turkish", ["I", "İ", "C", "Ç", "U", "Ü"]),
    ] {
        let alphabet = Alphabet::shipped(name).unwrap();
        let words = of_tiles(&tiles);
        let listed: HashSet<&Vec<&str>> = words.iter().step_by(3).collect();
        let marked = |word: &[&str]| word.iter().map(|tile| format!("[{tile}]")).collect::<String>();
        let line = |word: &Vec<&str>| if name == "spanish" { marked(word) } else { word.concat() } + "\n";
        let text: String = listed.iter().map(|word| line(word)).collect();
        let import = read_text(text.as_bytes(), &ImportOptions::new("N23", alphabet)).unwrap();
        assert_eq!((import.index().words(), import.report().duplicates), (listed.len(), 0), "{name}");
        let expected = import.manifest(Timestamp::from_micros(0), "adjudge 0.1.0").expected().unwrap();
        let opened = Opened::from_copy(import.index().bytes().to_vec(), &expected).unwrap();
        for word in &words {
            assert_eq!(holds(&opened, &marked(word)), listed.contains(word), "{word:?} in {name}");
        }
    }
}

#[test]
fn the_words_come_back_sorted_and_whole() {
    let mut list = made_up_list();
    let (manifest, index) = imported("N23", &list.join(" "));
    let opened = Opened::from_copy(index, &manifest.expected().unwrap()).unwrap();
    let mut words = Vec::new();
    opened.each_word(|word| words.push(word.to_owned()));
    list.sort();
    assert_eq!(words, list);
}

/// One way to write a list into a file.
#[derive(Clone, Debug)]
struct Layout {
    words: Vec<(String, usize)>,
    endings: Vec<&'static str>,
    blanks: Vec<&'static str>,
    has_mark: bool,
    ends_in_newline: bool,
}

impl Layout {
    fn text(&self) -> String {
        let lines = self.words.iter().enumerate().flat_map(|(line, (word, case))| {
            let (blank, ending) = (self.blanks[line % self.blanks.len()], self.endings[line % self.endings.len()]);
            [blank.to_owned(), cased(word, *case), blank.to_owned(), ending.to_owned()]
        });
        let text: String = self.has_mark.then(|| "\u{FEFF}".to_owned()).into_iter().chain(lines).collect();
        if self.ends_in_newline { text } else { text.trim_end_matches(['\r', '\n']).to_owned() }
    }
}

/// The word with lower-case letters where the number has a bit.
fn cased(word: &str, bits: usize) -> String {
    let lowered =
        |(at, letter): (usize, char)| if (bits >> at) & 1 == 0 { letter } else { letter.to_ascii_lowercase() };
    word.char_indices().map(lowered).collect()
}

fn layouts() -> impl Strategy<Value = (HashSet<String>, Layout)> {
    let words = proptest::collection::hash_set("[A-Z]{2,8}", 1..40);
    words.prop_flat_map(|words| {
        // Every word at least once and some more often, in any order.
        let repeated: Vec<String> = words.iter().chain(words.iter().take(words.len() / 3)).cloned().collect();
        let cases = proptest::collection::vec(0_usize..256, repeated.len());
        let endings =
            proptest::collection::vec(prop::sample::select(vec!["\n", "\r\n", "\r", "\n\n", "\r\n \t\r\n"]), 1..5);
        let blanks = proptest::collection::vec(prop::sample::select(vec!["", " ", "\t", "\u{A0}"]), 1..4);
        let layout = (Just(repeated).prop_shuffle(), cases, endings, blanks, any::<bool>(), any::<bool>());
        let layout = layout.prop_map(|(repeated, cases, endings, blanks, has_mark, ends_in_newline)| Layout {
            words: repeated.into_iter().zip(cases).collect(),
            endings,
            blanks,
            has_mark,
            ends_in_newline,
        });
        (Just(words), layout)
    })
}

proptest! {
    #[test]
    fn the_layout_of_the_file_never_changes_the_fingerprint((words, layout) in layouts()) {
        let mut sorted: Vec<&str> = words.iter().map(String::as_str).collect();
        sorted.sort_unstable();
        let listed = sorted.join("\n") + "\n";
        let import = read_text(layout.text().as_bytes(), &ImportOptions::new("N23", english())).unwrap();
        prop_assert_eq!(import.index().fingerprint(), sha256_hex(listed.as_bytes()));
        prop_assert_eq!(import.index().words(), words.len());
        prop_assert_eq!(import.report().duplicates, layout.words.len() - words.len());
    }

    #[test]
    fn no_bytes_make_the_reading_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let mut options = ImportOptions::new("N23", english());
        options.allow_rejects.count = 1_000;
        let _ = read_text(&bytes, &options);
    }

    #[test]
    fn no_text_makes_the_reading_panic(text in "\\PC{0,20}[ \t#\\[\\]A-Za-z0-9\r\n\u{FEFF}\u{AD}é\u{301}-]{0,60}") {
        if let Err(error) = read_text(text.as_bytes(), &ImportOptions::new("N23", english())) {
            prop_assert!(!error.to_string().is_empty());
        }
    }

    #[test]
    fn one_more_word_always_changes_the_fingerprint((words, _) in layouts(), more in "[A-Z]{9}") {
        let text = |words: &[&str]| words.join(" ");
        let list: Vec<&str> = words.iter().map(String::as_str).collect();
        let longer: Vec<&str> = list.iter().copied().chain([more.as_str()]).collect();
        prop_assert_ne!(imported("N23", &text(&list)).0.fingerprint, imported("N23", &text(&longer)).0.fingerprint);
    }
}

/// A small stored lexicon: its directory, the path of its index, and the expected properties.
fn stored(words: &str) -> (tempfile::TempDir, std::path::PathBuf, Expected) {
    let (manifest, index) = imported("N23", words);
    let folder = tempfile::tempdir().unwrap();
    store(folder.path(), &manifest, &index).unwrap();
    let path = index_path(folder.path(), "N23", &manifest.fingerprint).unwrap();
    (folder, path, manifest.expected().unwrap())
}

fn flaw(path: &Path, expected: &Expected) -> Flaw {
    Opened::from_file(path, expected).unwrap_err().flaw
}

/// The expected properties of an index of these bytes, as a manifest that was changed with it would state them.
fn expecting(expected: &Expected, bytes: &[u8]) -> Expected {
    Expected { index_sha256: sha256_hex(bytes), ..expected.clone() }
}

#[test]
fn a_whole_file_is_opened_and_has_the_expected_properties() {
    let (_folder, path, expected) = stored("CRANE QI RIVER ZA");
    let opened = Opened::from_file(&path, &expected).unwrap();
    assert_eq!(opened.name(), &expected.name);
    assert_eq!((opened.words(), opened.lengths().to_string()), (4, "2-15".to_owned()));
    assert!(Arc::ptr_eq(opened.alphabet(), &expected.alphabet));
    assert!(holds(&opened, "crane") && !holds(&opened, "CRANES"));
    // The debug form goes into logs, where no word may be.
    assert!(!format!("{opened:?}").contains("CRANE"));
}

#[test]
fn every_single_changed_byte_is_refused() {
    let (_folder, path, expected) = stored("CRANE CRANES QI RIVER RIVERS ZA");
    let whole = fs::read(&path).unwrap();
    for at in 0..whole.len() {
        for flip in [0x01, 0x80, 0xFF] {
            let mut bytes = whole.clone();
            bytes[at] ^= flip;
            let found = Opened::from_copy(bytes.clone(), &expected);
            assert!(matches!(found, Err(OpenError { flaw: Flaw::HashDiffers { .. }, .. })), "byte {at}");
            // And if the manifest were changed along with it, the index's own checksum finds it.
            assert!(Opened::from_copy(bytes.clone(), &expecting(&expected, &bytes)).is_err(), "byte {at}");
        }
    }
    for length in 0..whole.len() {
        let bytes = whole[..length].to_vec();
        assert!(Opened::from_copy(bytes.clone(), &expecting(&expected, &bytes)).is_err(), "{length} bytes");
    }
    assert!(Opened::from_copy(whole, &expected).is_ok());
}

#[test]
fn each_kind_of_wrong_file_is_refused_by_name() {
    let (folder, path, expected) = stored("CRANE QI RIVER ZA");
    let write = |bytes: &[u8]| fs::write(&path, bytes).unwrap();
    write(b"");
    assert!(matches!(flaw(&path, &expected), Flaw::Empty));
    write(b"CRANE\nQI\nRIVER\nZA\n");
    assert!(matches!(flaw(&path, &expected), Flaw::Text));
    let other = imported("N23", "CRANE QI RIVER").1;
    write(&other);
    let error = Opened::from_file(&path, &expected).unwrap_err();
    assert!(matches!(error.flaw, Flaw::HashDiffers { looks_like: "another or a damaged index", .. }));
    let text = error.to_string();
    assert!(text.contains("lexicon N23 is not served") && text.contains("take the file away"), "{text}");
    fs::remove_file(&path).unwrap();
    assert!(matches!(flaw(&path, &expected), Flaw::Missing));
    fs::create_dir(&path).unwrap();
    assert!(matches!(flaw(&path, &expected), Flaw::NoFile));
    assert!(matches!(flaw(&folder.path().join("x\0y"), &expected), Flaw::Unreadable(_)));
}

#[test]
fn an_index_with_a_fitting_hash_must_still_be_a_set_of_the_right_words() {
    let (_folder, _, expected) = stored("CRANE QI RIVER ZA");
    let open = |bytes: Vec<u8>| Opened::from_copy(bytes.clone(), &expecting(&expected, &bytes)).unwrap_err().flaw;
    let map = fst::Map::from_iter([("CRANE", 1), ("QI", 2), ("RIVER", 3), ("ZA", 4)]).unwrap();
    assert!(matches!(open(map.into_fst().into_inner()), Flaw::NoSet));
    let fewer = imported("N23", "CRANE QI RIVER").1;
    assert!(matches!(open(fewer), Flaw::Count { expected: 4, found: 3 }));
    let others = imported("N23", "CRANE QI RIVER ZO").1;
    assert!(matches!(open(others), Flaw::OtherWords { .. }));
    let none = fst::Set::from_iter([""; 0]).unwrap().into_fst().into_inner();
    assert!(matches!(open(none), Flaw::NoWords));
    let no_text = fst::Set::from_iter([b"\xFF"]).unwrap().into_fst().into_inner();
    assert!(matches!(open(no_text), Flaw::NoText));
    assert!(matches!(open(vec![0; 40]), Flaw::NoIndex));
    let count_off_by_one = Expected { words: 5, ..expected.clone() };
    let index = imported("N23", "CRANE QI RIVER ZA").1;
    let found = Opened::from_copy(index, &count_off_by_one).unwrap_err().flaw;
    assert!(matches!(found, Flaw::Count { expected: 5, found: 4 }));
}

#[test]
fn an_index_of_an_old_format_is_refused() {
    let (_folder, path, expected) = stored("CRANE QI RIVER ZA");
    for version in [1_u8, 2, 4, 0] {
        let mut bytes = fs::read(&path).unwrap();
        bytes[0] = version;
        let found = Opened::from_copy(bytes.clone(), &expecting(&expected, &bytes)).unwrap_err().flaw;
        match version {
            1 | 2 => assert!(matches!(found, Flaw::OldVersion { found } if found == u64::from(version)), "{found}"),
            _ => assert!(matches!(found, Flaw::NoIndex), "{found}"),
        }
    }
}

#[test]
fn a_change_to_the_file_after_opening_changes_no_answer() {
    let harms: &[fn(&Path)] = &[
        |path| fs::OpenOptions::new().write(true).open(path).unwrap().set_len(0).unwrap(),
        |path| fs::OpenOptions::new().write(true).open(path).unwrap().set_len(20).unwrap(),
        |path| fs::OpenOptions::new().write(true).open(path).unwrap().set_len(1 << 20).unwrap(),
        |path| fs::write(path, vec![0xFF; 4096]).unwrap(),
        |path| fs::remove_file(path).unwrap(),
        #[cfg(unix)]
        |path| fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o000)).unwrap(),
    ];
    let list = made_up_list();
    let words = english_words(&list);
    let strangers =
        english_words(&list.iter().map(|word| format!("X{word}")).filter(|w| w.len() < 16).collect::<Vec<_>>());
    for harm in harms {
        let (_folder, path, expected) = stored(&list.join(" "));
        let opened = Opened::from_file(&path, &expected).unwrap();
        harm(&path);
        assert!(words.iter().all(|word| opened.contains(word)));
        assert!(!strangers.iter().any(|word| opened.contains(word)));
        let mut count = 0;
        opened.each_word(|_| count += 1);
        assert_eq!(count, list.len());
    }
}

fn english_words(list: &[String]) -> Vec<crate::domain::word::Word> {
    list.iter().map(|word| english().read(word).unwrap().unwrap()).collect()
}
