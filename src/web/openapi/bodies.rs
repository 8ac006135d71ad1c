//! The bodies of requests and answers as programs read of them. The domain reads requests field by field and answers
//! are drawn from entries, so nothing is ever made of these types; tests send a request with every field of each.

#![expect(dead_code, reason = "they describe what is read and written elsewhere")]

use utoipa::{IntoParams, ToSchema};

use crate::domain::Ruling;
use crate::domain::compensation::Condition;
use crate::domain::event::{
    Capacity, Declarer, IncidentKind, KnownPlay, Method, NextOpinion, Player, ReviewReason, RoundState, Whom,
};

/// The key of a person's request. Devices and programs must send one.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
pub struct OptionalKey {
    /// 1 to 128 visible ASCII characters, a new one for every request
    #[param(rename = "Idempotency-Key")]
    idempotency_key: Option<String>,
}

/// A challenge slip. A field that is left out equals null; an unknown one is refused.
#[derive(ToSchema)]
pub struct FileSlip {
    /// The division's id. May be left out where the table belongs to a division.
    division: Option<String>,
    /// The challenged words as typed.
    #[schema(min_items = 1, max_items = 8, example = json!(["CAT", "QI"]))]
    words: Vec<String>,
    /// Equals the number of words.
    #[schema(minimum = 1, maximum = 8)]
    declared_count: Option<i64>,
    /// The round that is open, where it is left out.
    #[schema(minimum = 1, maximum = 999)]
    round: Option<i64>,
    /// A station must give it, unless the division's `table_required` is false.
    #[schema(minimum = 1, maximum = 9999)]
    table: Option<i64>,
    #[schema(min_length = 1, max_length = 100)]
    challenger: Option<String>,
    /// The player of the challenged play.
    #[schema(min_length = 1, max_length = 100)]
    opponent: Option<String>,
    #[schema(minimum = 0, maximum = 9999)]
    play_score: Option<i64>,
    /// Whether the challenged play ended the game.
    out_play: Option<bool>,
    /// The id of the slip that it follows upon, where a challenge is made anew.
    follows: Option<String>,
}

/// The ruling for the whole play.
#[derive(ToSchema)]
pub struct Given {
    ruling: Ruling,
}

/// The ruling that was given, or null where none was.
#[derive(ToSchema)]
pub struct Resolved {
    ruling: Option<Ruling>,
}

/// The words as on the board, as many as the slip has.
#[derive(ToSchema)]
pub struct CorrectSlip {
    #[schema(min_items = 1, max_items = 8)]
    words: Vec<String>,
}

/// What a judge found in other sources. The ruling is the judge's, for the whole slip.
#[derive(ToSchema)]
pub struct LookUpManually {
    /// `manual`
    method: String,
    ruling: Ruling,
    #[schema(min_items = 1, max_items = 10)]
    sources: Vec<ConsultedSource>,
}

/// A source beside the lexicon.
#[derive(ToSchema)]
pub struct ConsultedSource {
    title: String,
    edition: Option<String>,
    /// Where in it, for example `p. 17`.
    entry: Option<String>,
}

/// A request for another opinion.
#[derive(ToSchema)]
pub struct RequestReview {
    requested_by: Player,
    /// `director` only from a director.
    reason: ReviewReason,
    /// A spectator who suggested it.
    suggested_by: Option<String>,
}

#[derive(ToSchema)]
pub struct ReviewOpened {
    /// The review's id.
    review: String,
    /// How its opinion is formed.
    next: NextOpinion,
}

/// The opinion that a review asks for: by `lookup`, with the words as read from the board if one likes, or `manual`,
/// with ruling and sources.
#[derive(ToSchema)]
pub struct AnswerReview {
    method: Method,
    words: Option<Vec<String>>,
    ruling: Option<Ruling>,
    sources: Option<Vec<ConsultedSource>>,
}

#[derive(ToSchema)]
pub struct ReleaseSlip {
    /// `new-play` or `same-play`
    decision: String,
}

#[derive(ToSchema)]
pub struct LapseSlip {
    /// `tiles-commingled`, `next-play-and-clock` or, from a director, `players-left`
    cause: String,
}

#[derive(ToSchema)]
pub struct Lapsed {
    /// `lapsed`
    state: String,
}

/// How a slip without a ruling ended.
#[derive(ToSchema)]
pub struct DisposeSlip {
    /// `withdrawn`, `conceded-by-challenger`, `conceded-by-opponent`, `void` or `abandoned`
    kind: String,
    reason: String,
    /// Null for `abandoned`, and only there.
    declared_by: Option<Declarer>,
}

/// How a challenge ended before a slip was filed.
#[derive(ToSchema)]
pub struct DisposeChallenge {
    /// May be left out where the table belongs to a division.
    division: Option<String>,
    /// `withdrawn`, `conceded-by-challenger`, `conceded-by-opponent`, `void` or `abandoned`
    kind: String,
    /// The challenged words. None for `abandoned`; needed where a challenger concedes and points go by the word.
    words: Option<Vec<String>>,
    reason: String,
    round: Option<i64>,
    table: Option<i64>,
    challenger: Option<String>,
    opponent: Option<String>,
    declared_by: Option<Declarer>,
    follows: Option<String>,
}

#[derive(ToSchema)]
pub struct Ended {
    disposition: String,
}

/// A director's ruling, which is final.
#[derive(ToSchema)]
pub struct RuleOnSlip {
    ruling: Ruling,
    ground: String,
    note: Option<String>,
    /// Time given back, added at the end of the game.
    #[schema(minimum = 0, maximum = 3600)]
    seconds_restored: Option<i64>,
}

/// An opinion on a director's ruling on a slip.
#[derive(ToSchema)]
pub struct GiveOpinion {
    /// Fits `ruling`.
    agrees: bool,
    ruling: Ruling,
    capacity: Capacity,
    note: Option<String>,
}

#[derive(ToSchema)]
pub struct OpinionGiven {
    /// Counts from the director's ruling as 1.
    ordinal: u64,
}

/// A claim to spread for an erroneous adjudication.
#[derive(ToSchema)]
pub struct ClaimCompensation {
    claimant: Player,
    #[schema(minimum = 0, maximum = 9999)]
    play_value: i64,
    /// By the score sheet and the opponent.
    value_confirmed: bool,
    /// Before the claimant left the tournament area for the day.
    told_before_leaving: bool,
    turn_restored: bool,
}

#[derive(ToSchema)]
pub struct Compensated {
    granted: bool,
    /// Where it was granted.
    spread: Option<i64>,
    /// Where it was not: every condition that is not met.
    failed: Option<Vec<Condition>>,
}

/// A ruling that was given on paper.
#[derive(ToSchema)]
pub struct EnterPaperRuling {
    /// May be left out where the table belongs to a division.
    division: Option<String>,
    words: Vec<String>,
    round: Option<i64>,
    table: Option<i64>,
    challenger: Option<String>,
    opponent: Option<String>,
    ruling: Ruling,
    /// When it was given, like 2026-11-29T09:12:00Z.
    at: String,
    /// Who gave it.
    by: String,
    /// What it rested on.
    source: String,
    /// Whether what an acceptable play costs was waived; only under a ruleset that has a waiver.
    waived: Option<bool>,
}

#[derive(ToSchema)]
pub struct SetRound {
    division: String,
    #[schema(minimum = 1, maximum = 999)]
    number: i64,
    state: RoundState,
}

#[derive(ToSchema)]
pub struct CallSomebody {
    r#for: Whom,
    #[schema(minimum = 1, maximum = 9999)]
    table: Option<i64>,
}

/// A division, whole: what is left out is the default again.
#[derive(ToSchema)]
pub struct SetDivision {
    /// A lexicon's id.
    lexicon: String,
    /// The first day on which it is so, in the tournament's time zone.
    from: Option<String>,
    second: Option<String>,
    ruleset: String,
    #[schema(value_type = Object)]
    settings: Option<serde_json::Value>,
}

#[derive(ToSchema)]
pub struct RunTestDeck {
    division: String,
}

/// What another person says of an act that needs two.
#[derive(ToSchema)]
pub struct DecideApproval {
    approve: bool,
}

/// The plays of which the director knows the rulings.
#[derive(ToSchema)]
pub struct SetTestDeck {
    /// Up to 100; none takes away those that were set.
    plays: Vec<KnownPlay>,
}

#[derive(ToSchema)]
pub struct DeckRun {
    passed: bool,
}

/// A ruling on something that is no look-up.
#[derive(ToSchema)]
pub struct ReportIncident {
    division: String,
    round: Option<i64>,
    table: Option<i64>,
    kind: IncidentKind,
    ruling: String,
    remedy: Option<String>,
    /// The rule that it rests on.
    rule: Option<String>,
    note: Option<String>,
    /// The id of the slip that it has to do with.
    slip: Option<String>,
}

#[derive(ToSchema)]
pub struct IncidentReported {
    incident: String,
}

/// An opinion on a ruling on an incident. Whoever agrees repeats the ruling.
#[derive(ToSchema)]
pub struct ReviewIncident {
    agrees: bool,
    ruling: String,
    capacity: Capacity,
    note: Option<String>,
}

/// An object without fields: `{}`.
#[derive(ToSchema)]
pub struct Nothing {}

/// It is recorded: `{}`.
#[derive(ToSchema)]
pub struct Done {}
