//! Lists and slips in the shipped alphabets beyond English. The lists are made up.

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::harness::{Desk, Floor};

/// A list as it is typed, and its words as tiles.
struct List {
    alphabet: &'static str,
    language: &'static str,
    /// The tiles of more than one letter.
    long: &'static [&'static str],
    typed: &'static str,
    words: &'static [&'static str],
}

const FRENCH: List = List {
    alphabet: "french",
    language: "fr",
    long: &[],
    typed: "noël ŒUF chaîne été E\u{301}TE\u{301} zébu aimé cæcum garc\u{327}on",
    words: &["N O E L", "O E U F", "C H A I N E", "E T E", "Z E B U", "A I M E", "C A E C U M", "G A R C O N"],
};

const SPANISH: List = List {
    alphabet: "spanish",
    language: "es",
    long: &["CH", "LL", "RR"],
    typed: "ñu ZORRO chico [C][H]IA callo ca[l][l]a man\u{303}ana MAÑANA áspero CHOCHO nube carro [R]RRA CARRO",
    words: &[
        "Ñ U",
        "Z O RR O",
        "CH I C O",
        "C H I A",
        "C A LL O",
        "C A L L A",
        "M A Ñ A N A",
        "A S P E R O",
        "CH O CH O",
        "N U B E",
        "C A RR O",
        "R RR A",
    ],
};

const TURKISH: List = List {
    alphabet: "turkish",
    language: "tr",
    long: &[],
    typed: "ılık izmir İZMİR I\u{307}ZMI\u{307}R kâğıt şiş çağ MİLLÎ IRMAK az",
    words: &["I L I K", "İ Z M İ R", "K A Ğ I T", "Ş İ Ş", "Ç A Ğ", "M İ L L İ", "I R M A K", "A Z"],
};

impl List {
    /// Its words as the contract has them written (section 1).
    fn written(&self, word: &str) -> String {
        let tiles: Vec<&str> = word.split(' ').collect();
        let tile = |at: usize| {
            let letters = tiles[at..].concat();
            let is_hidden = self.long.iter().any(|long| long.len() > tiles[at].len() && letters.starts_with(long));
            if is_hidden { format!("[{}]", tiles[at]) } else { tiles[at].to_owned() }
        };
        (0..tiles.len()).map(tile).collect()
    }

    fn fingerprint(&self) -> String {
        let mut lines: Vec<String> = self.words.iter().map(|word| self.written(word) + "\n").collect();
        lines.sort_unstable_by(|one, other| one.as_bytes().cmp(other.as_bytes()));
        Sha256::digest(lines.concat()).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn imported(&self) -> Desk {
        Desk::with_list(&self.typed.replace(' ', "\n"), &["--alphabet", self.alphabet])
    }
}

/// FIELD-REPORTS F6, I9; FAULTS F6, K3
#[test]
fn a_list_in_every_alphabet_has_the_fingerprint_of_the_contract() {
    for list in [FRENCH, SPANISH, TURKISH] {
        let desk = list.imported();
        let info: Value = serde_json::from_str(&desk.done(&["lexicon", "info", "T", "--json"])).unwrap();
        assert_eq!(info["fingerprint"], json!(list.fingerprint()), "{}", list.alphabet);
        assert_eq!(info["words"], json!(list.words.len()), "{}", list.alphabet);
        assert_eq!((&info["alphabet"], &info["language"]), (&json!(list.alphabet), &json!(list.language)));
        desk.done(&["lexicon", "verify", "T"]);
        for word in list.typed.split(' ') {
            assert_eq!(desk.done(&["check", "--lexicon", "T", word]), "acceptable\n", "{word}");
        }
    }
}

#[test]
fn a_line_that_another_alphabet_would_read_is_rejected_with_its_place() {
    for (alphabet, line, named) in [
        ("french", "CАFE", "U+0410"),
        ("french", "[O]EUF", "bracket"),
        ("spanish", "KILO", "“K” at position 1"),
        ("spanish", "XILEX[K]A", "\"K\" from position 6"),
        ("turkish", "TAXI", "“X” at position 3"),
        ("turkish", "kafé", "U+00E9"),
        ("turkish", "i\u{307}zmir", "U+0307"),
    ] {
        let desk = Desk::empty();
        desk.done(&["init"]);
        let file = desk.file("list.txt", format!("OSO\n{line}\n").as_bytes());
        let import = ["lexicon", "import", file.to_str().unwrap(), "--id", "L", "--alphabet", alphabet];
        let said = desk.refused(2, &import);
        assert!(said.contains("line 2") && said.contains(named), "{alphabet}: {said}");
    }
}

/// One slip of one word: its ruling, or what is wrong with it.
async fn ruling(floor: &Floor, table: u32, word: &str) -> String {
    let answer = floor.file(&format!("k{table}"), json!({"division": "A", "table": table, "words": [word]})).await;
    match answer.status {
        201 => answer.json()["ruling"].as_str().unwrap().to_owned(),
        422 => answer.json()["detail"].as_str().unwrap().to_owned(),
        status => panic!("{word}: {status} {}", answer.body),
    }
}

/// FIELD-REPORTS I9; FAULTS K1
#[tokio::test]
async fn a_slip_is_ruled_by_the_tiles_of_the_lexicons_alphabet() {
    for (list, asked) in [
        (
            FRENCH,
            vec![("ÉTÉ", true), ("ETE", true), ("œuf", true), ("oeuf", true), ("NOE\u{308}L", true), ("EUF", false)],
        ),
        (
            SPANISH,
            vec![
                ("CHICO", true),
                ("[CH]ico", true),
                ("[C][H]ICO", false),
                ("CHIA", false),
                ("[c][h]ia", true),
                ("MAN\u{303}ANA", true),
                ("MAN\u{303}\u{200D}ANA", true),
                ("MANANA", false),
                ("CALLA", false),
                ("rrra", false),
                ("ASPERO", true),
            ],
        ),
        (
            TURKISH,
            vec![("ILIK", true), ("ilik", false), ("izmir", true), ("IZMIR", false), ("milli", true), ("ırmak", true)],
        ),
    ] {
        let floor = Floor::of(list.imported());
        for (table, (word, is_acceptable)) in (1..).zip(asked) {
            let expected = if is_acceptable { "acceptable" } else { "unacceptable" };
            assert_eq!(ruling(&floor, table, word).await, expected, "{word} in {}", list.alphabet);
        }
        let said = ruling(&floor, 100, "ZА").await;
        assert!(said.contains("“А” (U+0410) at position 2") && said.contains(list.alphabet), "{said}");
    }
}

/// FAULTS F10: the board has fifteen squares, however many letters stand on them.
#[tokio::test]
async fn lengths_are_counted_in_tiles() {
    let floor = Floor::of(SPANISH.imported());
    assert_eq!(ruling(&floor, 1, &"CH".repeat(15)).await, "unacceptable");
    assert!(ruling(&floor, 2, &"CH".repeat(16)).await.contains("16"));
    assert!(ruling(&floor, 3, "CH").await.contains("tile"));
    assert!(ruling(&floor, 4, "KIWI").await.contains("“K” at position 1"));
    let answer = floor.file("k5", json!({"division": "A", "table": 5, "words": ["chocho", "c[h]ico"]})).await;
    let slip = floor.read(&floor.client, &answer).await;
    assert_eq!(slip["words"], json!(["CHOCHO", "[C]HICO"]));
}
