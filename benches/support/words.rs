//! Made-up words. Nothing here comes from a tournament list: syllables are drawn by seeded chance and
//! given the endings of English, so that words share beginnings and endings as those of a list do.

use std::collections::BTreeSet;

use adjudge::domain::{Alphabet, Word};
use anyhow::Context as _;

const ONSETS: [&str; 24] = [
    "B", "C", "D", "F", "G", "H", "L", "M", "N", "P", "R", "S", "T", "V", "W", "ST", "TR", "CH", "PL", "BR", "QU", "J",
    "Z", "K",
];
const VOWELS: [&str; 9] = ["A", "E", "I", "O", "U", "EA", "OU", "A", "E"];
const CODAS: [&str; 10] = ["", "", "N", "R", "L", "T", "S", "ND", "CK", "X"];
const ENDINGS: [&str; 10] = ["", "", "S", "ED", "ING", "ER", "ERS", "LY", "NESS", "ABLE"];
const LETTERS: [&str; 26] = [
    "A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L", "M", "N", "O", "P", "Q", "R", "S", "T", "U", "V", "W",
    "X", "Y", "Z",
];

/// The board has 15 squares a side.
const LONGEST: usize = 15;

/// Seeded chance (`SplitMix64`): the same draws at every run.
pub struct Dice(pub u64);

impl Dice {
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, which is not zero.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.draw() % end as u64).unwrap_or_default()
    }

    pub fn one_of<'a, T>(&mut self, some: &'a [T]) -> Option<&'a T> {
        some.get(self.below(some.len().max(1)))
    }

    pub fn shuffle<T>(&mut self, some: &mut [T]) {
        for place in (1..some.len()).rev() {
            some.swap(place, self.below(place + 1));
        }
    }

    fn part(&mut self, parts: &[&'static str]) -> &'static str {
        self.one_of(parts).copied().unwrap_or_default()
    }
}

/// `count` different words of 2 to 15 letters, sorted.
pub fn made_up(count: usize, dice: &mut Dice) -> Vec<String> {
    let mut words = BTreeSet::new();
    while words.len() < count {
        let syllables = 1 + dice.below(4);
        let mut word: String =
            (0..syllables).flat_map(|_| [dice.part(&ONSETS), dice.part(&VOWELS), dice.part(&CODAS)]).collect();
        word.push_str(dice.part(&ENDINGS));
        if (2..=LONGEST).contains(&word.len()) {
            words.insert(word);
        }
    }
    words.into_iter().collect()
}

/// The word with one of its letters replaced: the misspelling that gets challenged.
pub fn one_letter_off(word: &str, dice: &mut Dice) -> String {
    let place = dice.below(word.len());
    let letter = dice.part(&LETTERS);
    word.char_indices().map(|(at, old)| if at == place { letter.to_owned() } else { old.to_string() }).collect()
}

/// Letters in no order, 2 to 15 of them.
pub fn random(dice: &mut Dice) -> String {
    let letters = 2 + dice.below(LONGEST - 1);
    (0..letters).map(|_| dice.part(&LETTERS)).collect()
}

/// The words as the product reads them.
pub fn read(typed: &[String]) -> anyhow::Result<Vec<Word>> {
    let english = Alphabet::shipped("english").context("the English alphabet ships")?;
    typed.iter().map(|typed| english.read(typed)?.context("a word has letters")).collect()
}

/// A list file: one word a line, in no order.
pub fn list_file(words: &[String], dice: &mut Dice) -> String {
    let mut shuffled: Vec<&str> = words.iter().map(String::as_str).collect();
    dice.shuffle(&mut shuffled);
    shuffled.join("\n") + "\n"
}
