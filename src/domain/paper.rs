//! A ruling that was given on paper while the server was unavailable. The server looks nothing up and records the
//! ruling as it was given. It is no free look-up, even if its round is for free look-ups by now.

use super::alphabet::Alphabet;
use super::event::PaperRuled;
use super::fault::{FaultCode, Faults};
use super::fields::{Fields, MAX_NOTE_CHARS, RequestBody};
use super::penalty::{Challenged, penalty};
use super::request::RequestMark;
use super::ruling::Ruling;
use super::slip::{ChallengeDetails, check_words, read_words};
use super::time::Timestamp;
use crate::domain::setup::Division;

/// No ruling on paper is older than the year 2000.
const OLDEST_US: i64 = 946_684_800 * 1_000_000;

/// A ruling as written on paper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaperRuling {
    pub division: Option<String>,
    pub typed: Vec<String>,
    pub place: ChallengeDetails,
    pub ruling: Ruling,
    pub given_at: Timestamp,
    /// The judge who gave the ruling.
    pub given_by: String,
    /// The source of the ruling.
    pub source: String,
    /// Whether the paper waives the penalty of an unsuccessful challenge.
    pub waived: bool,
}

impl PaperRuling {
    /// Reads a request made at `now`.
    ///
    /// # Errors
    /// All faults at once, each `invalid-slip`.
    pub fn read(body: &RequestBody, now: Timestamp) -> Result<Self, Faults> {
        let mut fields = Fields::of(body, FaultCode::InvalidSlip);
        let division = fields.line("division", 32);
        let typed = fields.texts("words");
        check_words(&mut fields, typed.as_deref(), None);
        let place = ChallengeDetails {
            round: fields.number("round", 1..=999),
            table: fields.number("table", 1..=9999),
            challenger: fields.name("challenger"),
            opponent: fields.name("opponent"),
            ..ChallengeDetails::default()
        };
        let ruling = fields.required_choice("ruling", "acceptable or unacceptable");
        let given_at = fields.required_time("at");
        if given_at.is_some_and(|at| at > now) {
            fields.fault("at", "a ruling that was given on paper was given before now");
        }
        if given_at.is_some_and(|at| at.micros() < OLDEST_US) {
            fields.fault("at", "the year cannot be right");
        }
        let given_by = fields.required_name("by");
        let source = fields.required_text("source", MAX_NOTE_CHARS);
        let waived = fields.bool_field("waived").unwrap_or(false);
        if waived && ruling == Some(Ruling::Unacceptable) {
            fields.fault("waived", "nothing is waived where the play is unacceptable: leave waived out");
        }
        let read = || {
            let (typed, ruling, given_at) = (typed?, ruling?, given_at?);
            Some(Self { division, typed, place, ruling, given_at, given_by: given_by?, source: source?, waived })
        };
        let read = read();
        fields.finish(read)
    }

    /// The event that records it as the slip `id` of a division, whose alphabet reads the words.
    ///
    /// # Errors
    /// `invalid-slip` where the challenger must be named, or the ruleset waives nothing; `unreadable-word`.
    pub fn of(
        self,
        division: &Division,
        alphabet: &Alphabet,
        id: String,
        request: Option<RequestMark>,
    ) -> Result<PaperRuled, Faults> {
        division.check_challenger(self.place.challenger.as_deref(), FaultCode::InvalidSlip)?;
        if self.waived && !division.ruleset.needs_second() {
            let detail = format!("under {} nothing is waived: leave waived out", division.ruleset.title);
            return Err(Faults::one("waived", FaultCode::InvalidSlip, detail));
        }
        let words = read_words(alphabet, &self.typed, division.settings.max_tiles())?;
        let slip = division.in_round(self.place).filed(division, id, alphabet.name(), None);
        let earlier = slip.earlier.unwrap_or_default();
        // Nothing is looked up: the paper decides whether the penalty is waived.
        let play = Challenged { words: words.len(), out_play: false, earlier, any_in_second: !self.waived };
        Ok(PaperRuled {
            penalty: Some(penalty(&division.ruleset, division.settings.choices(), self.ruling, play)),
            slip,
            typed: self.typed,
            words: words.iter().map(ToString::to_string).collect(),
            lexicon: division.lexicon.clone(),
            second: division.second.clone(),
            ruling: self.ruling,
            given_at: self.given_at.to_string(),
            given_by: self.given_by,
            source: self.source,
            request,
            program: crate::PROGRAM.to_owned(),
        })
    }
}
