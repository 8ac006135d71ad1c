//! The recheck: looks up old rulings again in another lexicon and lists the differences. It changes no ruling.

use serde::Serialize;
use utoipa::ToSchema;

use super::alphabet::Alphabet;
use super::lexicon::{Lengths, Lexicon};
use super::record::SlipRecord;
use super::ruling::{Ruling, adjudicate};
use super::word::Word;

/// A look-up that would have another result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Differs {
    pub slip: String,
    pub number: u64,
    pub ordinal: usize,
    pub words: Vec<String>,
    pub recorded: Ruling,
    pub would_be: Ruling,
    /// Whether the ruling of that look-up still stands.
    pub standing: bool,
    /// Present and true only where the slip is in question.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub in_question: bool,
}

/// The result of looking up slips again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct Recheck {
    /// How many look-ups were compared.
    pub checked: u64,
    /// How many could not be compared, because the lexicon does not cover a word or its alphabet cannot write it.
    pub not_covered: u64,
    pub differ: Vec<Differs>,
}

impl Recheck {
    /// Repeats the look-ups of a slip.
    pub fn take(&mut self, record: &SlipRecord, lexicon: &impl Lexicon, alphabet: &Alphabet, covered: Lengths) {
        for one in record.adjudications.iter().filter(|one| one.lexicon.is_some()) {
            let words: Option<Vec<Word>> = one
                .words
                .iter()
                .map(|written| alphabet.read(written).ok().flatten().filter(|word| covered.cover(word.tiles())))
                .collect();
            let Some(words) = words else {
                self.not_covered += 1;
                continue;
            };
            self.checked += 1;
            let would_be = adjudicate(&words, lexicon);
            if would_be != one.ruling {
                self.differ.push(Differs {
                    slip: record.slip.id.clone(),
                    number: record.slip.number,
                    ordinal: one.ordinal,
                    words: one.words.clone(),
                    recorded: one.ruling,
                    would_be,
                    standing: one.ordinal == record.adjudications.len() && !record.in_question,
                    in_question: one.in_question,
                });
            }
        }
    }
}
