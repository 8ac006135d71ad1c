//! A test deck: plays whose rulings are known beforehand, run through the same code as a challenge.
//!
//! The deck takes its listed words from a walk over the whole list, and its unlisted words are those that the walk did
//! not meet. Neither comes from a look-up in the index, because the deck tests those look-ups.

use std::collections::BTreeSet;

use serde_json::Value;

use super::alphabet::Alphabet;
use super::event::{KnownPlay, TestDeckSet};
use super::fault::{FaultCode, Faults};
use super::fields::{Fields, RequestBody};
use super::lexicon::Lexicon;
use super::request::RequestMark;
use super::ruling::Ruling;
use super::slip::{ChallengeDetails, RawSlip, check_words, read_words};
use crate::domain::adjudication::{Adjudicated, DivisionLexica, adjudicate_slip};
use crate::domain::setup::Division;

/// How many listed words a deck is made of.
const WORDS: usize = 24;

/// How many own plays a director may add.
const MOST_PLAYS: usize = 100;

/// Plays, each with the ruling that it must get.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deck(Vec<(Vec<String>, Ruling)>);

impl Deck {
    /// A deck of words of at most `longest` tiles from all over a list, which `each_word` shows in its order.
    pub fn of_list(each_word: impl Fn(&mut dyn FnMut(&str)), alphabet: &Alphabet, longest: usize) -> Self {
        let fits = |word: &str| alphabet.read(word).ok().flatten().is_some_and(|word| word.tiles() <= longest);
        let mut count = 0_usize;
        each_word(&mut |_| count += 1);
        let step = (count / WORDS).max(1);
        let (mut listed, mut place) = (Vec::new(), 0_usize);
        each_word(&mut |word| {
            // A word that is longer than the board can be in a list and never on a slip.
            if place.is_multiple_of(step) && fits(word) {
                listed.push(word.to_owned());
            }
            place += 1;
        });
        let mut unlisted: BTreeSet<String> = listed.iter().filter_map(|word| turned(word, alphabet)).collect();
        each_word(&mut |word| {
            unlisted.remove(word);
        });
        let good = listed.chunks(3).map(|play| (play.to_vec(), Ruling::Acceptable));
        let bad =
            unlisted.iter().zip(&listed).map(|(bad, good)| (vec![good.clone(), bad.clone()], Ruling::Unacceptable));
        Self(good.chain(bad).collect())
    }

    /// The deck with the director's own plays added.
    #[must_use]
    pub fn and(mut self, plays: &[KnownPlay]) -> Self {
        self.0.extend(plays.iter().map(|play| (play.words.clone(), play.ruling)));
        self
    }

    /// Whether every play of the deck gets its ruling. All of them are run.
    #[must_use]
    pub fn passes<L: Lexicon>(&self, division: &Division, lexica: &DivisionLexica<'_, L>) -> bool {
        let is_right = |(words, ruling): &(Vec<String>, Ruling)| {
            let raw = RawSlip {
                division: division.id.clone(),
                typed: words.clone(),
                place: ChallengeDetails::default(),
                follows: None,
            };
            matches!(adjudicate_slip(raw, division, lexica), Ok(Adjudicated::Ruled { ruling: given, .. }) if given == *ruling)
        };
        !self.0.is_empty() && self.0.iter().fold(true, |passed, play| is_right(play) & passed)
    }
}

/// The director's own plays, as a request gives them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownPlays(pub Vec<KnownPlay>);

impl KnownPlays {
    /// Reads a request; an empty list removes the present plays.
    ///
    /// # Errors
    /// All faults at once, each `invalid-request`.
    pub fn read(body: &RequestBody) -> Result<Self, Faults> {
        let mut fields = Fields::of(body, FaultCode::InvalidRequest);
        let is_empty = body.get("plays").and_then(Value::as_array).is_some_and(Vec::is_empty);
        let plays = if is_empty {
            fields.texts("plays").map(|_| Vec::new())
        } else {
            fields.objects("plays", MOST_PLAYS, known_play)
        };
        fields.finish(plays).map(Self)
    }

    /// Whether the plays can be on a slip of the division.
    ///
    /// # Errors
    /// `unreadable-word`, with the words of the first play that cannot.
    pub fn check(&self, alphabet: &Alphabet, max_tiles: usize) -> Result<(), Faults> {
        self.0.iter().try_for_each(|play| read_words(alphabet, &play.words, max_tiles).map(drop))
    }

    /// The event that sets the plays.
    #[must_use]
    pub fn into_event(self, division: String, request: Option<RequestMark>) -> TestDeckSet {
        TestDeckSet { division, plays: self.0, request }
    }
}

fn known_play(fields: &mut Fields<'_>) -> Option<KnownPlay> {
    let ruling = fields.required_choice("ruling", "acceptable or unacceptable");
    let words = fields.texts("words");
    check_words(fields, words.as_deref(), None);
    words.zip(ruling).map(|(words, ruling)| KnownPlay { words, ruling })
}

/// The word's tiles in reverse order, which is likely a word of no list.
fn turned(word: &str, alphabet: &Alphabet) -> Option<String> {
    let tiles = alphabet.split(&alphabet.read(word).ok().flatten()?);
    let turned: String = tiles.iter().rev().map(|tile| format!("[{tile}]")).collect();
    alphabet.read(&turned).ok().flatten().map(|word| word.to_string())
}
