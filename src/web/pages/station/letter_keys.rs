//! The letter keys on the screen, in rows.

use crate::domain::Alphabet;
use crate::domain::settings::Keyboard;
use crate::web::pages::views::station::LetterKeys;

const QWERTY: [&str; 3] = ["QWERTYUIOP", "ASDFGHJKL", "ZXCVBNM"];
const AZERTY: [&str; 3] = ["AZERTYUIOP", "QSDFGHJKLM", "WXCVBN"];

/// How many keys a row holds at most.
const ROW_KEYS: usize = 10;

/// The keys of an alphabet in the order that the division chose, or in the usual order of its language.
pub fn letter_keys(alphabet: &Alphabet, chosen: Option<Keyboard>) -> LetterKeys {
    let keys = alphabet.keys();
    let rows = match chosen.unwrap_or_else(|| usual(alphabet)) {
        Keyboard::Alphabet => vec![keys.to_vec()],
        Keyboard::Qwerty => rows(&QWERTY, keys),
        Keyboard::Azerty => rows(&AZERTY, keys),
    };
    LetterKeys { rows, case_pairs: alphabet.case_pairs() }
}

/// French keyboards are AZERTY, those of other languages with Latin letters close to QWERTY.
fn usual(alphabet: &Alphabet) -> Keyboard {
    let is_latin = ["A", "E", "T"].iter().all(|letter| alphabet.keys().iter().any(|key| key == letter));
    match alphabet.language() {
        "fr" => Keyboard::Azerty,
        _ if is_latin => Keyboard::Qwerty,
        _ => Keyboard::Alphabet,
    }
}

/// The keys in the rows of a keyboard; tiles that it does not have stand in rows of their own below.
fn rows(layout: &[&str], keys: &[String]) -> Vec<Vec<String>> {
    let is_in = |row: &str, key: &str| key.chars().count() == 1 && row.contains(key);
    let typed = layout.iter().map(|row| {
        let letters = row.chars().map(String::from);
        letters.filter(|letter| keys.contains(letter)).collect::<Vec<_>>()
    });
    let others: Vec<String> = keys.iter().filter(|key| !layout.iter().any(|row| is_in(row, key))).cloned().collect();
    typed.chain(others.chunks(ROW_KEYS).map(<[String]>::to_vec)).filter(|row| !row.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows_of(name: &str, chosen: Option<Keyboard>) -> Vec<String> {
        let keys = letter_keys(&Alphabet::shipped(name).unwrap(), chosen);
        keys.rows.into_iter().map(|row| row.join(" ")).collect()
    }

    #[test]
    fn the_language_chooses_the_order_unless_the_division_does() {
        let english = ["Q W E R T Y U I O P", "A S D F G H J K L", "Z X C V B N M"];
        assert_eq!(rows_of("english", None), english);
        assert_eq!(rows_of("french", None), ["A Z E R T Y U I O P", "Q S D F G H J K L M", "W X C V B N"]);
        assert_eq!(rows_of("french", Some(Keyboard::Qwerty)), english);
        assert!(rows_of("english", Some(Keyboard::Alphabet))[0].starts_with("A B C D"));
    }

    #[test]
    fn every_order_has_every_tile() {
        for name in ["english", "french", "spanish", "turkish"] {
            let alphabet = Alphabet::shipped(name).unwrap();
            for order in [Keyboard::Qwerty, Keyboard::Azerty, Keyboard::Alphabet] {
                let mut keys = letter_keys(&alphabet, Some(order)).rows.concat();
                let mut all = alphabet.keys().to_vec();
                keys.sort();
                all.sort();
                assert_eq!(keys, all, "{name} {order:?}");
            }
        }
    }
}
