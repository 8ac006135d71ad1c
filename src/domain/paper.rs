//! A ruling that was given on paper while the server was away. Nothing is looked up: it is recorded as it was given.

use super::event::{FiledSlip, PaperRuled};
use super::fault::{Faults, Slug};
use super::fields::{Fields, LONGEST_NAME, LONGEST_NOTE, Said};
use super::lexicon::LexiconName;
use super::penalty::Penalty;
use super::request::RequestMark;
use super::ruling::Ruling;
use super::slip::{Place, check_words};
use super::time::Timestamp;

/// A ruling as written on paper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaperRuling {
    pub division: Option<String>,
    pub typed: Vec<String>,
    pub place: Place,
    pub ruling: Ruling,
    pub given_at: Timestamp,
    /// Its judge.
    pub given_by: String,
    /// What it rested on.
    pub source: String,
}

impl PaperRuling {
    /// Reads a request made at `now`.
    ///
    /// # Errors
    /// All faults at once, each `invalid-slip`.
    pub fn read(said: &Said, now: Timestamp) -> Result<Self, Faults> {
        let mut fields = Fields::of(said, Slug::InvalidSlip);
        let division = fields.line("division", 32);
        let typed = fields.texts("words");
        check_words(&mut fields, said, typed.as_deref(), None);
        let place = Place {
            round: fields.number("round", 1..=999),
            table: fields.number("table", 1..=9999),
            challenger: fields.line("challenger", LONGEST_NAME),
            opponent: fields.line("opponent", LONGEST_NAME),
            ..Place::default()
        };
        let ruling = fields.needed_word("ruling", "acceptable or unacceptable");
        let given_at = fields.needed_time("at");
        if given_at.is_some_and(|at| at > now) {
            fields.fault("at", "a ruling that was given on paper was given before now");
        }
        let given_by = fields.needed_line("by", LONGEST_NAME);
        let source = fields.needed_line("source", LONGEST_NOTE);
        let read = || {
            let (typed, ruling, given_at) = (typed?, ruling?, given_at?);
            Some(Self { division, typed, place, ruling, given_at, given_by: given_by?, source: source? })
        };
        let read = read();
        fields.whole(read)
    }

    /// The event that records it.
    #[must_use]
    pub fn of(
        self,
        slip: FiledSlip,
        words: Vec<String>,
        lexica: (LexiconName, Option<LexiconName>),
        penalty: Option<Penalty>,
        request: Option<RequestMark>,
    ) -> PaperRuled {
        let (lexicon, second) = lexica;
        PaperRuled {
            slip,
            typed: self.typed,
            words,
            lexicon,
            second,
            ruling: self.ruling,
            penalty,
            given_at: self.given_at.to_string(),
            given_by: self.given_by,
            source: self.source,
            request,
            program: crate::PROGRAM.to_owned(),
        }
    }
}
