//! What is written of slips: filed, judged, ruled on.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::domain::fault::Fault;
use crate::domain::lexicon::LexiconName;
use crate::domain::penalty::Penalty;
use crate::domain::request::RequestMark;
use crate::domain::role::Role;
use crate::domain::ruling::Ruling;

/// What a slip says but for its words, and what its division was when it was filed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FiledSlip {
    /// A `UUIDv7`.
    pub id: String,
    /// Counts the tournament's slips from 1.
    pub number: u64,
    pub division: String,
    pub round: Option<i64>,
    pub table: Option<i64>,
    pub challenger: Option<String>,
    pub opponent: Option<String>,
    pub play_score: Option<i64>,
    pub out_play: bool,
    pub ruleset: String,
    /// The alphabet its words were read by.
    pub alphabet: String,
}

/// A slip was filed and ruled at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlipRuled {
    pub slip: FiledSlip,
    pub method: Method,
    pub typed: Vec<String>,
    pub words: Vec<String>,
    pub lexicon: LexiconName,
    /// The division's second lexicon, whether it was asked or not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second: Option<LexiconName>,
    pub ruling: Ruling,
    pub penalty: Penalty,
    pub request: Option<RequestMark>,
    pub program: String,
}

/// A slip was filed with a word that its lexicon does not cover. There is no ruling.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlipAwaitsManualLookup {
    pub slip: FiledSlip,
    pub typed: Vec<String>,
    pub words: Vec<String>,
    pub lexicon: LexiconName,
    /// What whoever filed it was told.
    pub faults: Vec<Fault>,
    pub request: Option<RequestMark>,
    pub program: String,
}

/// Another opinion on a slip that is on record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlipAdjudicated {
    pub follows: Follows,
    pub method: Method,
    pub words: Vec<String>,
    /// Where a manual look-up found what it says.
    pub sources: Vec<Source>,
    pub ruling: Ruling,
    pub penalty: Penalty,
    pub request: Option<RequestMark>,
    pub program: String,
}

/// A director ruled on a slip, whatever was ruled before. Source: NSF II.L.6.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DirectorRuled {
    pub follows: Follows,
    pub words: Vec<String>,
    pub ruling: Ruling,
    pub penalty: Penalty,
    pub ground: String,
    pub note: String,
    /// Time that was given back, added at the end of the game. Source: NASPA II.C.
    pub seconds_restored: i64,
    pub request: Option<RequestMark>,
    pub program: String,
}

/// Which slip an entry is about, and the slip's entry before it: what was decided was decided on that state, and of
/// two that decide at once the second is refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Follows {
    pub slip: String,
    /// The log of the entry before: another one where the log was continued since.
    pub log: String,
    pub seq: u64,
}

/// A source beside the lexicon.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    pub title: String,
    pub edition: String,
    pub entry: String,
}

/// Somebody lost an answer and asked for it; there was none. From now on the key gives none, so that a
/// request that is still under way cannot be ruled after the players were told that it was not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyClosed {
    pub request: RequestMark,
}

/// How an opinion on a slip was formed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// The players, at a station or through a client.
    SelfLookup,
    /// A judge or director, in the lexicon.
    Lookup,
    /// A judge or director, in other sources.
    Manual,
    /// A director's ruling, which is no look-up.
    Director,
}

impl Method {
    /// The method of a slip that somebody in this role files.
    #[must_use]
    pub const fn of(role: Role) -> Self {
        match role {
            Role::Station | Role::Client => Self::SelfLookup,
            Role::Judge | Role::Director | Role::Observer => Self::Lookup,
        }
    }
}
