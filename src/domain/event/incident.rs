//! Events of rulings on incidents, and of opinions on them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::domain::event::decision::{Capacity, DecidedOn};
use crate::domain::request::RequestMark;

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
    /// The rule that the ruling rests on, as the director states it.
    pub rule: String,
    pub note: String,
    /// The slip that the incident concerns.
    pub slip: Option<String>,
    pub ruleset: String,
    /// The digest of the ruleset's values when the incident was recorded. The opinions on it use these values.
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
    pub follows: DecidedOn,
    /// Counts from the director's ruling as 1.
    pub ordinal: usize,
    pub agrees: bool,
    pub ruling: String,
    pub capacity: Capacity,
    pub note: String,
    pub request: Option<RequestMark>,
    pub program: String,
}
