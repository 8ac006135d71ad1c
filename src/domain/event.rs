//! The events: everything that can ever be written into a log. docs/ledger.md lists the kinds.

mod floor;
mod life;
mod slips;

use serde::{Deserialize, Serialize};

use super::ledger::Actor;
use super::lexicon::{Lengths, LexiconName};
use super::request::RequestMark;
use super::role::Role;
use super::ruleset::Ruleset;
use super::settings::{Settings, TournamentSettings};

pub use floor::{Called, IncidentKind, IncidentReviewed, IncidentRuled, RoundSet, RoundState, TestDeckRun, Whom};
pub use life::{
    Capacity, CompensationDecided, DirectorRuled, DirectorsRulingReviewed, Follows, ItemClaimed, NextOpinion, Player,
    Released, ReviewReason, ReviewRequested, SlipAdjudicated, SlipCorrected, SlipDisposed, SlipLapsed, SlipReleased,
    Source,
};
pub use slips::{
    ChallengeDisposed, Declarer, Disposition, FiledSlip, KeyClosed, Method, PaperRuled, SlipAwaitsManualLookup,
    SlipHeld, SlipRuled,
};

/// The server itself, for what nobody asked it to do.
#[must_use]
pub fn server() -> Actor {
    Actor { id: SERVER_LOG.to_owned(), name: "adjudge".to_owned(), role: SERVER_LOG.to_owned() }
}

/// Defines the events with the kinds that name them in a leaf.
macro_rules! events {
    ($($variant:ident($payload:ty) = $kind:literal,)*) => {
        /// What happened. The `kind` of a leaf is the variant's name, its `payload` the content.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(tag = "kind", content = "payload", rename_all = "kebab-case")]
        pub enum Event {
            $($variant($payload),)*
        }

        /// Every kind, in the order of [`Event`].
        pub const KINDS: &[&str] = &[$($kind),*];

        impl Event {
            /// The kind as the ledger names it.
            #[must_use]
            pub const fn kind(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $kind,)*
                }
            }
        }
    };
}

events! {
    ServerInitialised(ServerInitialised) = "server-initialised",
    LexiconImported(LexiconImported) = "lexicon-imported",
    LexiconFileWritten(LexiconFileWritten) = "lexicon-file-written",
    RulesetSet(RulesetSet) = "ruleset-set",
    TokenCreated(TokenCreated) = "token-created",
    TokenRevoked(TokenRevoked) = "token-revoked",
    LogOpened(LogOpened) = "log-opened",
    Restored(Restored) = "restored",
    StorageFull(StorageFull) = "storage-full",
    StorageOk(StorageOk) = "storage-ok",
    TournamentCreated(TournamentCreated) = "tournament-created",
    DivisionSet(DivisionSet) = "division-set",
    RoundSet(RoundSet) = "round-set",
    SlipRuled(SlipRuled) = "slip-ruled",
    SlipAwaitsManualLookup(SlipAwaitsManualLookup) = "slip-awaits-manual-lookup",
    SlipHeld(SlipHeld) = "slip-held",
    PaperRuled(PaperRuled) = "paper-ruled",
    ChallengeDisposed(ChallengeDisposed) = "challenge-disposed",
    SlipAdjudicated(SlipAdjudicated) = "slip-adjudicated",
    SlipCorrected(SlipCorrected) = "slip-corrected",
    SlipReleased(SlipReleased) = "slip-released",
    ReviewRequested(ReviewRequested) = "review-requested",
    SlipLapsed(SlipLapsed) = "slip-lapsed",
    SlipDisposed(SlipDisposed) = "slip-disposed",
    DirectorRuled(DirectorRuled) = "director-ruled",
    DirectorsRulingReviewed(DirectorsRulingReviewed) = "directors-ruling-reviewed",
    CompensationDecided(CompensationDecided) = "compensation-decided",
    ItemClaimed(ItemClaimed) = "item-claimed",
    ItemGivenBack(ItemClaimed) = "item-given-back",
    Called(Called) = "called",
    CallEnded(ItemClaimed) = "call-ended",
    IncidentRuled(IncidentRuled) = "incident-ruled",
    IncidentReviewed(IncidentReviewed) = "incident-reviewed",
    TestDeckRun(TestDeckRun) = "test-deck-run",
    KeyClosed(KeyClosed) = "key-closed",
}

/// Whether this version knows the kind.
#[must_use]
pub fn is_kind(kind: &str) -> bool {
    KINDS.contains(&kind)
}

/// The log for what concerns the whole server. No tournament may have this id.
pub const SERVER_LOG: &str = "server";

/// The server's ledger begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerInitialised {
    pub program: String,
    /// The verifier key of the log `server`, in its text form.
    pub verifier: String,
}

/// A lexicon is on the shelf. It is not active by that.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LexiconImported {
    pub lexicon: LexiconName,
    pub language: String,
    pub alphabet: String,
    /// The alphabet file, where it is not a shipped one.
    pub alphabet_file: Option<String>,
    pub lengths: Lengths,
    pub words: u64,
    /// Lower-case hex SHA-256 of the index, byte for byte.
    pub index_sha256: String,
    /// The first day on which it may be used, `2026-11-29`.
    pub effective_from: Option<String>,
    /// Lower-case hex SHA-256 of the file it came from.
    pub source_sha256: String,
    /// How many lines of that file were left out by the director's leave.
    pub rejected: u64,
    pub program: String,
}

/// A server had no file of a lexicon and wrote it anew from the database's verified copy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LexiconFileWritten {
    pub lexicon: LexiconName,
    pub index_sha256: String,
}

/// A token exists. Its secret is nowhere but with its holder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenCreated {
    pub token: String,
    pub name: String,
    pub role: Role,
    pub tournament: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenRevoked {
    pub token: String,
    pub name: String,
}

/// The log of a tournament was opened. The log `server` says so, so that a whole log cannot vanish.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogOpened {
    /// The name of the log, which is the tournament's id.
    pub opened: String,
}

/// Entries of a log were changed or lost. It is closed as it lies, nothing of it is touched, and this log
/// goes on with it. Always entry 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Restored {
    /// Every earlier log of the same name, oldest first; the last is the one that is continued.
    pub closed: Vec<ClosedLog>,
    /// Slips are numbered on from here, so that a number that may have been given is not given again.
    pub last_number: u64,
    /// The verifier key of this log, in its text form.
    pub verifier: String,
    pub program: String,
}

/// A closed log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClosedLog {
    pub log: String,
    /// How many entries lie there.
    pub size: u64,
    /// The root over the leaves as they lie, in base64 as in a checkpoint.
    pub root: String,
    /// The newest checkpoint that is known of it, wherever that was kept.
    pub checkpoint: Option<KnownCheckpoint>,
    /// What is wrong with the entries; null where they are whole as far as they go.
    pub fault: Option<String>,
    /// How many of them are covered by a checkpoint that fitted before any fault. What later ones set up is not in force.
    pub sound: u64,
    /// The kept checkpoints that were weighed, each by the lower-case hex SHA-256 of its note.
    pub weighed: Vec<String>,
    /// The verifier key of the closed log, in its text form.
    pub verifier: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownCheckpoint {
    pub size: u64,
    pub root: String,
}

impl ClosedLog {
    /// How many entries are known to have been there and are not.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.checkpoint.as_ref().map_or(0, |known| known.size.saturating_sub(self.size))
    }
}

/// The disk was full: from then on every slip was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StorageFull {
    /// Since when, RFC 3339. The entry itself could be written only when there was room again.
    pub since: String,
}

/// The disk has room again: slips are taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StorageOk {}

/// The log of a tournament begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TournamentCreated {
    pub title: String,
    /// An IANA time zone, for screens; the log itself is in UTC.
    pub time_zone: String,
    #[serde(default, skip_serializing_if = "TournamentSettings::is_default")]
    pub settings: TournamentSettings,
    pub program: String,
}

/// A director's own ruleset: a copy of another, as it is from now on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RulesetSet {
    pub ruleset: Ruleset,
    /// The name of the ruleset that it was copied from.
    pub copied_from: Option<String>,
}

/// A division plays with this lexicon and this ruleset from now on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DivisionSet {
    pub division: String,
    pub lexicon: LexiconName,
    /// The lexicon that a waiver is decided by, where the ruleset has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second: Option<LexiconName>,
    pub ruleset: String,
    pub settings: Settings,
    /// The first day on which it is so, in the tournament's time zone; at once where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<RequestMark>,
}

impl Event {
    /// Whether it changes what is set up: tournaments, divisions, rounds, lexica, rulesets, who holds a token, which
    /// station is closed.
    #[must_use]
    pub const fn is_setup(&self) -> bool {
        matches!(
            self,
            Self::ServerInitialised(_)
                | Self::LexiconImported(_)
                | Self::RulesetSet(_)
                | Self::TokenCreated(_)
                | Self::TokenRevoked(_)
                | Self::TournamentCreated(_)
                | Self::DivisionSet(_)
                | Self::RoundSet(_)
                | Self::TestDeckRun(_)
        )
    }

    /// The verifier key that the first entry of a log names.
    #[must_use]
    pub fn verifier(&self) -> Option<&str> {
        match self {
            Self::ServerInitialised(begun) => Some(&begun.verifier),
            Self::Restored(restored) => Some(&restored.verifier),
            _ => None,
        }
    }

    /// The id of the slip, incident or call that the event is about.
    #[must_use]
    pub fn subject(&self) -> Option<&str> {
        match self {
            Self::IncidentRuled(event) => Some(&event.incident),
            Self::Called(event) => Some(&event.call),
            _ => {
                let filed = self.slip().map(|slip| slip.id.as_str());
                filed.or_else(|| self.follows().map(|follows| follows.slip.as_str()))
            }
        }
    }

    /// For what happens to a slip, incident or call that is on record: the entry that it was decided after.
    #[must_use]
    pub fn follows(&self) -> Option<&Follows> {
        match self {
            Self::SlipAdjudicated(event) => Some(&event.follows),
            Self::SlipCorrected(event) => Some(&event.follows),
            Self::SlipReleased(event) => Some(&event.follows),
            Self::ReviewRequested(event) => Some(&event.follows),
            Self::SlipLapsed(event) => Some(&event.follows),
            Self::SlipDisposed(event) => Some(&event.follows),
            Self::DirectorRuled(event) => Some(&event.follows),
            Self::DirectorsRulingReviewed(event) => Some(&event.follows),
            Self::CompensationDecided(event) => Some(&event.follows),
            Self::ItemClaimed(event) | Self::ItemGivenBack(event) | Self::CallEnded(event) => Some(&event.follows),
            Self::IncidentReviewed(event) => Some(&event.follows),
            _ => None,
        }
    }

    /// The slip that the event files.
    #[must_use]
    pub fn slip(&self) -> Option<&FiledSlip> {
        match self {
            Self::SlipRuled(event) => Some(&event.slip),
            Self::SlipAwaitsManualLookup(event) => Some(&event.slip),
            Self::SlipHeld(event) => Some(&event.slip),
            Self::PaperRuled(event) => Some(&event.slip),
            Self::ChallengeDisposed(event) => Some(&event.slip),
            _ => None,
        }
    }

    /// The lexicon that a slip was judged by, or would have been.
    #[must_use]
    pub fn lexicon(&self) -> Option<&LexiconName> {
        match self {
            Self::SlipRuled(event) => Some(&event.lexicon),
            Self::SlipAwaitsManualLookup(event) => Some(&event.lexicon),
            Self::SlipHeld(event) => Some(&event.lexicon),
            Self::PaperRuled(event) => Some(&event.lexicon),
            Self::ChallengeDisposed(event) => Some(&event.lexicon),
            _ => None,
        }
    }

    /// The id of the review that the event opens.
    #[must_use]
    pub fn review(&self) -> Option<&str> {
        match self {
            Self::ReviewRequested(event) => Some(&event.review),
            _ => None,
        }
    }

    /// The same event with the slip's number, which is known only once its place in the log is.
    #[must_use]
    pub fn numbered(mut self, number: u64) -> Self {
        match &mut self {
            Self::SlipRuled(event) => event.slip.number = number,
            Self::SlipAwaitsManualLookup(event) => event.slip.number = number,
            Self::SlipHeld(event) => event.slip.number = number,
            Self::PaperRuled(event) => event.slip.number = number,
            Self::ChallengeDisposed(event) => event.slip.number = number,
            _ => {}
        }
        self
    }

    /// The request that made the event, where it had a key.
    #[must_use]
    pub fn request(&self) -> Option<&RequestMark> {
        match self {
            Self::SlipRuled(event) => event.request.as_ref(),
            Self::SlipAwaitsManualLookup(event) => event.request.as_ref(),
            Self::SlipHeld(event) => event.request.as_ref(),
            Self::PaperRuled(event) => event.request.as_ref(),
            Self::ChallengeDisposed(event) => event.request.as_ref(),
            Self::SlipAdjudicated(event) => event.request.as_ref(),
            Self::SlipCorrected(event) => event.request.as_ref(),
            Self::SlipReleased(event) => event.request.as_ref(),
            Self::ReviewRequested(event) => event.request.as_ref(),
            Self::SlipLapsed(event) => event.request.as_ref(),
            Self::SlipDisposed(event) => event.request.as_ref(),
            Self::DirectorRuled(event) => event.request.as_ref(),
            Self::DirectorsRulingReviewed(event) => event.request.as_ref(),
            Self::CompensationDecided(event) => event.request.as_ref(),
            Self::ItemClaimed(event) | Self::ItemGivenBack(event) | Self::CallEnded(event) => event.request.as_ref(),
            Self::Called(event) => event.request.as_ref(),
            Self::IncidentRuled(event) => event.request.as_ref(),
            Self::IncidentReviewed(event) => event.request.as_ref(),
            Self::RoundSet(event) => event.request.as_ref(),
            Self::DivisionSet(event) => event.request.as_ref(),
            Self::TestDeckRun(event) => event.request.as_ref(),
            Self::KeyClosed(event) => Some(&event.request),
            _ => None,
        }
    }
}
