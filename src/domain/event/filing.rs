//! Events that file a slip: ruled at once, waiting, held, given on paper, or ended without a look-up.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::domain::fault::Fault;
use crate::domain::lexicon::LexiconName;
use crate::domain::penalty::Penalty;
use crate::domain::request::RequestMark;
use crate::domain::role::Role;
use crate::domain::ruleset::DispositionKind;
use crate::domain::ruling::Ruling;
use crate::domain::settings::Settings;

/// A slip without its words, and the state of its division when it was filed.
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
    /// The digest of the ruleset's values when the slip was filed. All decisions on the slip use these values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ruleset_sha256: Option<String>,
    /// The division's settings that apply to the slip, as they were when it was filed.
    #[serde(default, skip_serializing_if = "Settings::is_default")]
    pub settings: Settings,
    /// The alphabet that read its words.
    pub alphabet: String,
    /// The earlier slip, where this slip makes its challenge anew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follows: Option<String>,
    /// How many unsuccessful challenges the challenger had made before, where the ruleset counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier: Option<u64>,
    /// Whether players only checked words between games. A free look-up has no penalty and is counted nowhere.
    #[serde(default, skip_serializing_if = "is_no")]
    pub free_lookup: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks in this way")]
pub(super) const fn is_no(body: &bool) -> bool {
    !*body
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
    /// The division's second lexicon, whether it was consulted or not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second: Option<LexiconName>,
    pub ruling: Ruling,
    /// None for a free look-up.
    pub penalty: Option<Penalty>,
    /// Slips with which it shares a word, ruled or waiting for a ruling; the director is alerted. Source: D 8.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shares: Vec<String>,
    /// The ruled slip of its table that was filed a short time before and shares no word with it: both may be parts of one
    /// play. The director is alerted. Source: D 8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parts_of: Option<String>,
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second: Option<LexiconName>,
    /// The faults that the server reported to the person who filed the slip.
    pub faults: Vec<Fault>,
    pub request: Option<RequestMark>,
    pub program: String,
}

/// A slip shares a word with a ruled slip of the same table and could reveal which word failed there, or its players
/// declared it a part of a play that was ruled on. It is held for a judge and has no ruling. Source: D 8, NSF II.L.5.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlipHeld {
    pub slip: FiledSlip,
    pub typed: Vec<String>,
    pub words: Vec<String>,
    pub lexicon: LexiconName,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second: Option<LexiconName>,
    /// The ruled slips with which it shares a word.
    pub shares: Vec<String>,
    /// The ruled slip whose play it is another part of, as the players declared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parts_of: Option<String>,
    pub request: Option<RequestMark>,
    pub program: String,
}

/// A ruling that was given on paper while the server was unavailable, entered later. Nothing was looked up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaperRuled {
    pub slip: FiledSlip,
    pub typed: Vec<String>,
    pub words: Vec<String>,
    /// The division's lexicon when it was entered; a review looks the words up in it.
    pub lexicon: LexiconName,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second: Option<LexiconName>,
    pub ruling: Ruling,
    pub penalty: Option<Penalty>,
    /// When the ruling was given, RFC 3339.
    pub given_at: String,
    /// Who gave it.
    pub given_by: String,
    /// The source of the ruling.
    pub source: String,
    pub request: Option<RequestMark>,
    pub program: String,
}

/// A challenge ended without a look-up, and no slip had been filed. Source: NSF II.L.1, NSF II.L.8, NASPA IV.I.3, D 3, D 4.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChallengeDisposed {
    pub slip: FiledSlip,
    /// Empty where the words were not given.
    pub words: Vec<String>,
    pub lexicon: LexiconName,
    pub disposition: Disposition,
    pub penalty: Option<Penalty>,
    pub request: Option<RequestMark>,
    pub program: String,
}

/// How a challenge ended without a look-up, and who declares it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Disposition {
    pub kind: DispositionKind,
    pub reason: String,
    /// None where no one was left at the table.
    pub declared_by: Option<Declarer>,
}

/// Who declares what the server cannot see. A spectator does not. Source: D 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Declarer {
    Challenger,
    Opponent,
    Judge,
    Director,
    ThirdParty,
}

/// A client lost an answer and asked for it, and there was none. The key is closed from now on, so that a request that
/// is still under way cannot be ruled after the players learned that it was not.
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
    /// Given on paper while the server was unavailable.
    Paper,
    /// A director's ruling, which is no look-up.
    Director,
}

impl Method {
    /// The method of a slip that a person or device with this role files.
    #[must_use]
    pub const fn of(role: Role) -> Self {
        match role {
            Role::Station | Role::Client => Self::SelfLookup,
            Role::Judge | Role::Director | Role::Observer => Self::Lookup,
        }
    }
}
