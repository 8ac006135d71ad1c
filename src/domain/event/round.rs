//! Events of rounds, and of slips filed faster than in play.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::domain::fault::{FaultCode, Faults};
use crate::domain::fields::{Fields, RequestBody};
use crate::domain::request::RequestMark;

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
    pub fn read(body: &RequestBody, request: Option<RequestMark>) -> Result<Self, Faults> {
        let mut fields = Fields::of(body, FaultCode::InvalidRequest);
        let division = fields.required_line("division", 32);
        let number = fields.required_number("number", 1..=999);
        let state = fields.required_choice("state", "open, closed or free-lookup");
        let read = || Some(Self { division: division?, number: number?, state: state?, request });
        let read = read();
        fields.finish(read)
    }
}

/// What a round is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RoundState {
    /// Games are played in it.
    Open,
    Closed,
    /// Between games: players check words, without any penalty.
    FreeLookup,
}

/// Slips are filed faster than games produce them, so a player may be probing the dictionary. The event alerts the
/// director and changes nothing. Source: D 8.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RapidFiling {
    /// The table whose slips are refused for the moment; none where one station files too many slips, for any tables.
    pub table: Option<i64>,
    /// How many slips were filed within a minute.
    pub slips: u64,
}
