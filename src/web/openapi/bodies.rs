//! The bodies of requests, as the API's description shows them. The domain reads requests field by field, so these
//! types have no values; tests send a request with every field of each. The bodies of answers are in `answers`.

#![expect(dead_code, reason = "they describe what is read elsewhere")]

use crate::domain::player::Player;
use utoipa::{IntoParams, ToSchema};

use crate::domain::Ruling;
use crate::domain::event::{Capacity, Declarer, IncidentKind, KnownPlay, ReviewReason, RoundState, Whom};
use crate::domain::ruleset::{LapseCause, Per, Then};
use crate::domain::settings::Keyboard;

/// The key of a person's request. Devices and programs must send one.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
pub struct OptionalKey {
    /// A new one for every request. Stations and clients must send one
    #[param(rename = "Idempotency-Key", min_length = 1, max_length = 128, pattern = "^[\\x21-\\x7e]+$")]
    idempotency_key: Option<String>,
}

/// The key of a request that is nothing without one.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
pub struct RequiredKey {
    /// The key that the slip was sent with
    #[param(rename = "Idempotency-Key", min_length = 1, max_length = 128, pattern = "^[\\x21-\\x7e]+$")]
    idempotency_key: String,
}

/// A `UUIDv7`.
#[derive(ToSchema)]
#[schema(pattern = "^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$")]
pub struct Id(String);

/// A word as it was typed.
#[derive(ToSchema)]
#[schema(min_length = 1)]
pub struct TypedWord(String);

/// A challenge slip. A field that is left out equals null; an unknown one is refused.
#[derive(ToSchema)]
pub struct FileSlip {
    /// The division's id. May be left out where the table belongs to a division.
    #[schema(min_length = 1, max_length = 32)]
    division: Option<String>,
    /// The challenged words as typed.
    #[schema(min_items = 1, max_items = 8, example = json!(["CAT", "QI"]))]
    words: Vec<TypedWord>,
    /// Equals the number of words.
    #[schema(minimum = 1, maximum = 8)]
    declared_count: Option<i64>,
    /// Left out, it is the round that is open.
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
    follows: Option<Id>,
}

/// The words as on the board, as many as the slip has.
#[derive(ToSchema)]
pub struct CorrectSlip {
    #[schema(min_items = 1, max_items = 8)]
    words: Vec<TypedWord>,
}

/// What a judge found in other sources. The ruling is the judge's, for the whole slip.
#[derive(ToSchema)]
pub struct LookUpManually {
    method: ByManual,
    ruling: Ruling,
    #[schema(min_items = 1, max_items = 10)]
    sources: Vec<ConsultedSource>,
}

#[derive(ToSchema)]
#[schema(rename_all = "kebab-case")]
pub enum ByManual {
    Manual,
}

/// The slip's words are looked up again, in its own lexicon.
#[derive(ToSchema)]
pub struct LookUpAgain {
    method: ByLookup,
    /// As read from the board.
    #[schema(min_items = 1, max_items = 8)]
    words: Option<Vec<TypedWord>>,
}

#[derive(ToSchema)]
#[schema(rename_all = "kebab-case")]
pub enum ByLookup {
    Lookup,
}

/// The opinion that a review asks for, in the way that its `next` says.
#[derive(ToSchema)]
#[serde(untagged)]
pub enum AnswerReview {
    Lookup(LookUpAgain),
    Manual(LookUpManually),
}

/// A source beside the lexicon.
#[derive(ToSchema)]
pub struct ConsultedSource {
    #[schema(min_length = 1, max_length = 100)]
    title: String,
    #[schema(min_length = 1, max_length = 100)]
    edition: Option<String>,
    /// Where in it, for example `p. 17`.
    #[schema(min_length = 1, max_length = 100)]
    entry: Option<String>,
}

/// A request for another opinion.
#[derive(ToSchema)]
pub struct RequestReview {
    requested_by: Player,
    /// `director` only from a director.
    reason: ReviewReason,
    /// A spectator who suggested it.
    #[schema(min_length = 1, max_length = 100)]
    suggested_by: Option<String>,
}

#[derive(ToSchema)]
pub struct ReleaseSlip {
    decision: ReleaseDecision,
}

/// Whether a held slip is a play of its own or the same play once more.
#[derive(ToSchema)]
#[schema(rename_all = "kebab-case")]
pub enum ReleaseDecision {
    NewPlay,
    SamePlay,
}

#[derive(ToSchema)]
pub struct LapseSlip {
    /// `players-left` only from a director.
    cause: LapseCause,
}

/// How a challenge may be said to have ended; `refused` comes of a release only.
#[derive(ToSchema)]
#[schema(rename_all = "kebab-case")]
pub enum DeclaredEnding {
    Withdrawn,
    ConcededByChallenger,
    ConcededByOpponent,
    Void,
    Abandoned,
}

/// How a slip without a ruling ended.
#[derive(ToSchema)]
pub struct DisposeSlip {
    kind: DeclaredEnding,
    #[schema(min_length = 1, max_length = 2000)]
    reason: String,
    /// Null for `abandoned`, and only there.
    declared_by: Option<Declarer>,
}

/// How a challenge ended before a slip was filed.
#[derive(ToSchema)]
pub struct DisposeChallenge {
    /// May be left out where the table belongs to a division.
    #[schema(min_length = 1, max_length = 32)]
    division: Option<String>,
    kind: DeclaredEnding,
    /// The challenged words. None for `abandoned`; needed where a challenger concedes and points go by the word.
    #[schema(min_items = 1, max_items = 8)]
    words: Option<Vec<TypedWord>>,
    #[schema(min_length = 1, max_length = 2000)]
    reason: String,
    #[schema(minimum = 1, maximum = 999)]
    round: Option<i64>,
    #[schema(minimum = 1, maximum = 9999)]
    table: Option<i64>,
    #[schema(min_length = 1, max_length = 100)]
    challenger: Option<String>,
    #[schema(min_length = 1, max_length = 100)]
    opponent: Option<String>,
    /// Null for `abandoned`, and only there.
    declared_by: Option<Declarer>,
    follows: Option<Id>,
}

/// A director's ruling, which is final.
#[derive(ToSchema)]
pub struct RuleOnSlip {
    ruling: Ruling,
    #[schema(min_length = 1, max_length = 2000)]
    ground: String,
    #[schema(max_length = 2000)]
    note: Option<String>,
    /// Time given back, added at the end of the game.
    #[schema(minimum = 0, maximum = 3600)]
    seconds_restored: Option<i64>,
}

/// A slip in question is kept as it stands in its record.
#[derive(ToSchema)]
pub struct SettleSlip {
    /// Always true: a director who does not keep it rules instead.
    keep: bool,
    /// What vouches for it: a copy outside the database, a sheet of paper, the players.
    #[schema(min_length = 1, max_length = 2000)]
    ground: String,
}

/// An opinion on a director's ruling on a slip.
#[derive(ToSchema)]
pub struct GiveOpinion {
    /// Fits `ruling`.
    agrees: bool,
    ruling: Ruling,
    capacity: Capacity,
    #[schema(max_length = 2000)]
    note: Option<String>,
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

/// A ruling that was given on paper.
#[derive(ToSchema)]
pub struct EnterPaperRuling {
    /// May be left out where the table belongs to a division.
    #[schema(min_length = 1, max_length = 32)]
    division: Option<String>,
    #[schema(min_items = 1, max_items = 8)]
    words: Vec<TypedWord>,
    #[schema(minimum = 1, maximum = 999)]
    round: Option<i64>,
    #[schema(minimum = 1, maximum = 9999)]
    table: Option<i64>,
    #[schema(min_length = 1, max_length = 100)]
    challenger: Option<String>,
    #[schema(min_length = 1, max_length = 100)]
    opponent: Option<String>,
    ruling: Ruling,
    /// When it was given, like 2026-11-29T09:12:00Z.
    #[schema(format = DateTime)]
    at: String,
    /// Who gave it.
    #[schema(min_length = 1, max_length = 100)]
    by: String,
    /// What it rested on.
    #[schema(min_length = 1, max_length = 2000)]
    source: String,
    /// Whether what an acceptable play costs was waived; only under a ruleset that has a waiver.
    waived: Option<bool>,
}

#[derive(ToSchema)]
pub struct SetRound {
    #[schema(min_length = 1, max_length = 32)]
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
    /// A lexicon's id. Needed, unless the request only cancels.
    #[schema(min_length = 1, max_length = 32)]
    lexicon: Option<String>,
    /// The first day on which it is so, in the tournament's time zone.
    #[schema(format = Date)]
    from: Option<String>,
    /// A lexicon's id, where the ruleset waives by a second lexicon.
    #[schema(min_length = 1, max_length = 32)]
    second: Option<String>,
    /// Needed, unless the request only cancels.
    #[schema(min_length = 1, max_length = 32)]
    ruleset: Option<String>,
    settings: Option<DivisionSettings>,
    /// Whether all that waits for its day in the division is taken back. Alone, it needs no other field.
    cancel: Option<bool>,
    /// Why; needed while a round of the division is open.
    #[schema(max_length = 2000)]
    reason: Option<String>,
}

/// What an event decides for itself. What is left out or null is the default.
#[derive(ToSchema)]
pub struct DivisionSettings {
    #[schema(minimum = 0, maximum = 100)]
    points: Option<i64>,
    per: Option<Per>,
    side: Option<Player>,
    self_lookup: Option<bool>,
    /// The division's tables.
    #[schema(example = "1-20,31", pattern = "^[ ,0-9-]*$")]
    tables: Option<String>,
    /// The width of the board in squares; 15.
    #[schema(minimum = 2, maximum = 31)]
    max_tiles: Option<i64>,
    clocks: Option<bool>,
    /// Whether a station must name the table; true.
    table_required: Option<bool>,
    /// How long a ruling stays before a key clears it; 2000.
    #[schema(minimum = 0, maximum = 10000)]
    hold_ms: Option<i64>,
    /// After how many seconds a ruling clears itself; 10.
    #[schema(minimum = 2, maximum = 120)]
    clear_s: Option<i64>,
    /// For how many minutes slips are near each other where one names no round; 90.
    #[schema(minimum = 1, maximum = 1440)]
    near_minutes: Option<i64>,
    /// How many seconds after a ruling of its table a slip may be a part of the same play; 180.
    #[schema(minimum = 0, maximum = 3600)]
    parts_s: Option<i64>,
    /// How a station orders its letter keys; by the language of the lexicon.
    keyboard: Option<Keyboard>,
    /// Whether a station sounds a tone with each ruling and each call; false.
    sound: Option<bool>,
    /// What becomes of a word that the lexicon does not have.
    not_found: Option<Then>,
}

/// That the clock of the server's machine is right.
#[derive(ToSchema)]
pub struct ConfirmClock {
    /// Only `true` confirms it.
    confirm: bool,
}

#[derive(ToSchema)]
pub struct RunTestDeck {
    #[schema(min_length = 1, max_length = 32)]
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
    /// None takes away those that were set.
    #[schema(max_items = 100)]
    plays: Vec<KnownPlay>,
}

/// A ruling on something that is no look-up.
#[derive(ToSchema)]
pub struct ReportIncident {
    #[schema(min_length = 1, max_length = 32)]
    division: String,
    #[schema(minimum = 1, maximum = 999)]
    round: Option<i64>,
    #[schema(minimum = 1, maximum = 9999)]
    table: Option<i64>,
    kind: IncidentKind,
    #[schema(min_length = 1, max_length = 2000)]
    ruling: String,
    #[schema(max_length = 2000)]
    remedy: Option<String>,
    /// The rule that it rests on.
    #[schema(max_length = 2000)]
    rule: Option<String>,
    #[schema(max_length = 2000)]
    note: Option<String>,
    /// The id of the slip that it has to do with.
    slip: Option<Id>,
}

/// An opinion on a ruling on an incident. An agreeing opinion repeats the ruling.
#[derive(ToSchema)]
pub struct ReviewIncident {
    agrees: bool,
    #[schema(min_length = 1, max_length = 2000)]
    ruling: String,
    capacity: Capacity,
    #[schema(max_length = 2000)]
    note: Option<String>,
}

/// An object without fields: `{}`.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Nothing)]
pub struct EmptyRequest {}
