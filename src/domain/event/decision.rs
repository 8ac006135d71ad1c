//! Events of a slip that is on record: opinions, reviews, corrections, dispositions.

use crate::domain::player::Player;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::domain::compensation::Claim;
use crate::domain::event::filing::{Disposition, Method, is_no};
use crate::domain::lexicon::LexiconName;
use crate::domain::penalty::Penalty;
use crate::domain::request::RequestMark;
use crate::domain::ruleset::LapseCause;
use crate::domain::ruling::Ruling;

/// Which slip, incident or call an entry is about, and the entry before it: the decision was based on that state, and
/// of two simultaneous decisions the second is refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DecidedOn {
    pub slip: String,
    /// The log of the entry before, which is another one where the log was continued since.
    pub log: String,
    pub seq: u64,
}

/// Another opinion on a slip that is on record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlipAdjudicated {
    pub follows: DecidedOn,
    /// The review that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<String>,
    pub method: Method,
    pub words: Vec<String>,
    /// For a look-up: in which lexicon.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lexicon: Option<LexiconName>,
    /// The sources of a manual look-up.
    pub sources: Vec<Source>,
    pub ruling: Ruling,
    pub penalty: Option<Penalty>,
    /// Whether the judge had judged this slip before, which the tournament allowed. Source: D 6.
    #[serde(default, skip_serializing_if = "is_no")]
    pub same_judge: bool,
    /// Whether the ruleset's chain of opinions ends with it.
    #[serde(default, skip_serializing_if = "is_no")]
    pub ends_chain: bool,
    pub request: Option<RequestMark>,
    pub program: String,
}

/// A slip had been mis-entered; the words as on the board were looked up. Source: NASPA IV.J.1, D 9.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlipCorrected {
    pub follows: DecidedOn,
    /// The review that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<String>,
    pub method: Method,
    /// The words that the slip had before.
    pub instead_of: Vec<String>,
    pub typed: Vec<String>,
    pub words: Vec<String>,
    pub lexicon: LexiconName,
    pub ruling: Ruling,
    pub penalty: Option<Penalty>,
    #[serde(default, skip_serializing_if = "is_no")]
    pub same_judge: bool,
    /// Whether the ruleset's chain of opinions ends with it.
    #[serde(default, skip_serializing_if = "is_no")]
    pub ends_chain: bool,
    pub request: Option<RequestMark>,
    pub program: String,
}

/// A judge released a held slip. Source: D 8.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlipReleased {
    pub follows: DecidedOn,
    /// The ruling, if the judge found a play of its own; none if the slip repeats the ruled play and is refused.
    pub ruled: Option<Released>,
    pub request: Option<RequestMark>,
    pub program: String,
}

/// The ruling of a held slip that is about a play of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Released {
    pub lexicon: LexiconName,
    pub ruling: Ruling,
    pub penalty: Option<Penalty>,
}

/// The players or a director request another opinion on a slip.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReviewRequested {
    pub follows: DecidedOn,
    /// A `UUIDv7`.
    pub review: String,
    pub requested_by: Player,
    pub reason: ReviewReason,
    /// The spectator who suggested it. Source: NSF II.Q.
    pub suggested_by: Option<String>,
    pub next: NextOpinion,
    pub request: Option<RequestMark>,
    pub program: String,
}

/// Why another opinion is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReviewReason {
    Disagree,
    MisEntered,
    MachineDoubted,
    /// A cross-check in the sources that the list was made from. Source: NSF I.A.1.b.
    OtherSource,
    /// A director grants a review, even where the chain of opinions allows none.
    Director,
}

/// How the next opinion is formed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NextOpinion {
    Lookup,
    Manual,
    Director,
}

/// No more reviews may be asked for. Source: NASPA IV.J.1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlipLapsed {
    pub follows: DecidedOn,
    pub cause: LapseCause,
    pub request: Option<RequestMark>,
    pub program: String,
}

/// A slip without a ruling ended without a look-up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlipDisposed {
    pub follows: DecidedOn,
    pub disposition: Disposition,
    pub penalty: Option<Penalty>,
    pub request: Option<RequestMark>,
    pub program: String,
}

/// A director ruled on a slip. The ruling replaces any ruling before it. Source: NSF II.L.6.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DirectorRuled {
    pub follows: DecidedOn,
    pub words: Vec<String>,
    pub ruling: Ruling,
    pub penalty: Option<Penalty>,
    pub ground: String,
    pub note: String,
    /// Time that was given back, added at the end of the game. Source: NASPA II.C.
    pub seconds_restored: i64,
    pub request: Option<RequestMark>,
    pub program: String,
}

/// Another opinion on a director's ruling. Source: NASPA II.D.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DirectorsRulingReviewed {
    pub follows: DecidedOn,
    /// Counts from the director's ruling as 1.
    pub ordinal: usize,
    pub agrees: bool,
    pub words: Vec<String>,
    pub ruling: Ruling,
    pub penalty: Option<Penalty>,
    pub capacity: Capacity,
    pub note: String,
    pub request: Option<RequestMark>,
    pub program: String,
}

/// The capacity in which a person gives an opinion on a director's ruling. Source: NASPA II.D.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Capacity {
    Director,
    RulesCommittee,
}

/// A claim to points of spread for an erroneous adjudication was decided. Source: NSF II.L.7.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompensationDecided {
    pub follows: DecidedOn,
    pub claim: Claim,
    pub decision: crate::domain::compensation::Decision,
    pub request: Option<RequestMark>,
    pub program: String,
}

/// A judge or director takes an item of the queue, or gives it back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ItemClaimed {
    pub follows: DecidedOn,
    /// The item's id: of a review, a slip or a call.
    pub item: String,
    pub request: Option<RequestMark>,
}

/// A source beside the lexicon.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    pub title: String,
    pub edition: String,
    pub entry: String,
}

/// A director confirms what the ledger records of a slip in question: from now on it is valid as recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlipSettled {
    pub follows: DecidedOn,
    /// Always true: a director who does not confirm the record rules instead.
    pub keep: bool,
    /// The evidence for it: a checkpoint copy, a sheet of paper, the players.
    pub ground: String,
    pub request: Option<RequestMark>,
    pub program: String,
}
