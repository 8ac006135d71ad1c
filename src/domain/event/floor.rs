//! What is written of the floor around the slips: rounds, calls, incidents, test decks.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::life::{Capacity, Follows};
use crate::domain::fault::{Faults, Slug};
use crate::domain::fields::{Fields, Said};
use crate::domain::request::RequestMark;
use crate::domain::ruling::Ruling;

/// A round of a division was opened or closed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoundSet {
    pub division: String,
    pub number: i64,
    pub state: RoundState,
    pub request: Option<RequestMark>,
}

impl RoundSet {
    /// Reads a request.
    ///
    /// # Errors
    /// All faults at once, each `invalid-request`.
    pub fn read(said: &Said, request: Option<RequestMark>) -> Result<Self, Faults> {
        let mut fields = Fields::of(said, Slug::InvalidRequest);
        let division = fields.needed_line("division", 32);
        let number = fields.needed_number("number", 1..=999);
        let state = fields.needed_word("state", "open, closed or free-lookup");
        let read = || Some(Self { division: division?, number: number?, state: state?, request });
        let read = read();
        fields.whole(read)
    }
}

/// What a round is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RoundState {
    /// Games are played in it.
    Open,
    Closed,
    /// Between games: players check words, and nothing follows from it.
    FreeLookup,
}

/// Slips come faster than games give rise to them: somebody may be looking words up. It is told to the director, and
/// changes nothing. Source: D 8.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StationHurries {
    /// The table whose slips are not taken for the moment; none where a station's slips are many, for any tables.
    pub table: Option<i64>,
    /// So many were filed within a minute.
    pub slips: u64,
}

/// A table calls for somebody.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Called {
    /// A `UUIDv7`.
    pub call: String,
    #[serde(rename = "for")]
    pub whom: Whom,
    pub table: Option<i64>,
    pub request: Option<RequestMark>,
}

impl Called {
    /// Reads a request; the call gets this id.
    ///
    /// # Errors
    /// All faults at once, each `invalid-request`.
    pub fn read(said: &Said, id: String, request: Option<RequestMark>) -> Result<Self, Faults> {
        let mut fields = Fields::of(said, Slug::InvalidRequest);
        let whom = fields.needed_word("for", "judge or director");
        let table = fields.number("table", 1..=9999);
        let read = whom.map(|whom| Self { call: id, whom, table, request });
        fields.whole(read)
    }
}

/// Who is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Whom {
    Judge,
    Director,
}

/// A director ruled on something that is no look-up. Source: NASPA II.D.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IncidentRuled {
    /// A `UUIDv7`.
    pub incident: String,
    pub division: String,
    pub round: Option<i64>,
    pub table: Option<i64>,
    pub what: IncidentKind,
    pub ruling: String,
    pub remedy: String,
    /// The rule it rests on, as the director says.
    pub rule: String,
    pub note: String,
    /// The slip that it has to do with.
    pub slip: Option<String>,
    pub ruleset: String,
    /// The digest of the ruleset's values when it was recorded: by these the opinions on it go.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ruleset_sha256: Option<String>,
    pub request: Option<RequestMark>,
    pub program: String,
}

/// What an incident is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IncidentKind {
    Blank,
    Timing,
    Orientation,
    Play,
    Conduct,
    Other,
}

/// Another opinion on a ruling on an incident. Source: NASPA II.D.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IncidentReviewed {
    pub follows: Follows,
    /// Counts from the director's ruling as 1.
    pub ordinal: usize,
    pub agrees: bool,
    pub ruling: String,
    pub capacity: Capacity,
    pub note: String,
    pub request: Option<RequestMark>,
    pub program: String,
}

/// The director's own plays for the test decks of a division, in place of those before; none where there are none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestDeckSet {
    pub division: String,
    pub plays: Vec<KnownPlay>,
    pub request: Option<RequestMark>,
}

/// A play of which the ruling is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct KnownPlay {
    #[schema(min_items = 1, max_items = 8)]
    pub words: Vec<String>,
    pub ruling: Ruling,
}

/// A station was tried with plays whose rulings are known. Which play failed is not said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestDeckRun {
    pub division: String,
    pub passed: bool,
    pub request: Option<RequestMark>,
    pub program: String,
}
