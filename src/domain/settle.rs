//! What a judge or director says of a slip that is on record: a manual look-up, a ruling of the director.
//!
//! Each is read from a request, and then decided on the slip's record as it is: the event, or why not.

use serde::Deserialize;

use super::event::{DirectorRuled, Method, SlipAdjudicated, Source};
use super::fault::{Faults, Slug};
use super::fields::{Fields, LONGEST_NAME, LONGEST_NOTE, Said};
use super::penalty::Penalty;
use super::record::{SlipRecord, State};
use super::request::RequestMark;
use super::ruling::Ruling;

const RULINGS: &str = "acceptable or unacceptable";

/// As many sources as a judge names at most.
const MOST_SOURCES: usize = 10;

/// A manual look-up: what a person found in other sources. The ruling is the judge's for the whole slip.
/// Source: NSF I.A.1.b.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManualLookup {
    pub ruling: Ruling,
    /// At least one.
    pub sources: Vec<Source>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum OnlyManual {
    Manual,
}

fn source(fields: &mut Fields<'_>) -> Option<Source> {
    let title = fields.needed_line("title", LONGEST_NAME);
    let edition = fields.line("edition", LONGEST_NAME).unwrap_or_default();
    let entry = fields.line("entry", LONGEST_NAME).unwrap_or_default();
    title.map(|title| Source { title, edition, entry })
}

/// A director's ruling on a slip. Source: NSF II.L.6.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectorsRuling {
    pub ruling: Ruling,
    pub ground: String,
    pub note: String,
    pub seconds_restored: i64,
}

/// Why something cannot happen to a slip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrongState(pub &'static str);

impl ManualLookup {
    /// Reads a request.
    ///
    /// # Errors
    /// All faults at once, each `invalid-request`.
    pub fn read(said: &Said) -> Result<Self, Faults> {
        let mut fields = Fields::of(said, Slug::InvalidRequest);
        fields.needed_word::<OnlyManual>("method", "manual: nothing is looked up here");
        let ruling = fields.needed_word("ruling", RULINGS);
        let sources = fields.objects("sources", MOST_SOURCES, source);
        fields.whole(ruling.zip(sources)).map(|(ruling, sources)| Self { ruling, sources })
    }

    /// The event that gives the slip its ruling.
    ///
    /// # Errors
    /// Where the slip does not wait for a manual look-up.
    pub fn of(
        self,
        record: &SlipRecord,
        penalty: Penalty,
        request: Option<RequestMark>,
    ) -> Result<SlipAdjudicated, WrongState> {
        match record.state {
            State::AwaitingManualLookup => Ok(SlipAdjudicated {
                follows: record.follows(),
                method: Method::Manual,
                words: record.words.clone(),
                sources: self.sources,
                ruling: self.ruling,
                penalty,
                request,
                program: crate::PROGRAM.to_owned(),
            }),
            State::Ruled | State::Final => Err(WrongState("this slip has a ruling and does not wait for a look-up")),
        }
    }
}

impl DirectorsRuling {
    /// Reads a request.
    ///
    /// # Errors
    /// All faults at once, each `invalid-request`.
    pub fn read(said: &Said) -> Result<Self, Faults> {
        let mut fields = Fields::of(said, Slug::InvalidRequest);
        let ruling = fields.needed_word("ruling", RULINGS);
        let ground = fields.needed_line("ground", LONGEST_NOTE);
        let note = fields.note("note").unwrap_or_default();
        let seconds_restored = fields.number("seconds_restored", 0..=3600).unwrap_or(0);
        let read = ruling.zip(ground);
        fields.whole(read).map(|(ruling, ground)| Self { ruling, ground, note, seconds_restored })
    }

    /// The event that makes the ruling final. A director rules in every state.
    #[must_use]
    pub fn of(self, record: &SlipRecord, penalty: Penalty, request: Option<RequestMark>) -> DirectorRuled {
        DirectorRuled {
            follows: record.follows(),
            words: record.words.clone(),
            ruling: self.ruling,
            penalty,
            ground: self.ground,
            note: self.note,
            seconds_restored: self.seconds_restored,
            request,
            program: crate::PROGRAM.to_owned(),
        }
    }
}
