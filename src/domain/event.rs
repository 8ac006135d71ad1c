//! The events: everything that can ever be written into a log. docs/ledger.md lists the kinds.

mod approvals;
mod call;
mod decision;
mod filing;
mod incident;
mod people;
mod round;
mod setup;
mod test_deck;

use serde::{Deserialize, Serialize};

use super::ledger::Actor;
use super::lexicon::LexiconName;
use super::request::RequestMark;

pub use approvals::{ApprovalAsked, ApprovalGiven, AskedAct};
pub use call::{Called, Whom};
pub use decision::{
    Capacity, CompensationDecided, DecidedOn, DirectorRuled, DirectorsRulingReviewed, ItemClaimed, NextOpinion,
    Released, ReviewReason, ReviewRequested, SlipAdjudicated, SlipCorrected, SlipDisposed, SlipLapsed, SlipReleased,
    SlipSettled, Source,
};
pub use filing::{
    ChallengeDisposed, Declarer, Disposition, FiledSlip, KeyClosed, Method, PaperRuled, SlipAwaitsManualLookup,
    SlipHeld, SlipRuled,
};
pub use incident::{IncidentKind, IncidentReviewed, IncidentRuled};
pub use people::{
    DeviceKind, DeviceMade, DeviceNamed, DevicePaired, DeviceSet, DeviceSetting, SignInRefused, SignedIn, StaffAdded,
    StaffNamed,
};
pub use round::{RapidFiling, RoundSet, RoundState};
pub use setup::{
    CheckpointCopyWritten, ClockConfirmed, ClockDoubted, ClosedLog, DivisionSet, KnownCheckpoint, LexiconEffectiveSet,
    LexiconFileWritten, LexiconImported, LogOpened, Restored, RulesetSet, ServerInitialised, StorageFull, StorageOk,
    TokenCreated, TokenRevoked, TournamentCreated, WaitingField,
};
pub use test_deck::{KnownPlay, TestDeckRun, TestDeckSet};

/// The server itself, as the actor of what it does without a request.
#[must_use]
pub fn server() -> Actor {
    Actor { id: SERVER_LOG.to_owned(), name: "adjudge".to_owned(), role: SERVER_LOG.to_owned() }
}

/// Defines the events with the kinds that name them in a leaf.
macro_rules! events {
    ($($variant:ident($payload:ty) = $kind:literal,)*) => {
        /// An event that a log records. Each variant is written under its kind, whatever the variant is called.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(tag = "kind", content = "payload")]
        pub enum Event {
            $(#[serde(rename = $kind)] $variant($payload),)*
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
    LexiconEffectiveSet(LexiconEffectiveSet) = "lexicon-effective-set",
    LexiconFileWritten(LexiconFileWritten) = "lexicon-file-written",
    RulesetSet(RulesetSet) = "ruleset-set",
    TokenCreated(TokenCreated) = "token-created",
    TokenRevoked(TokenRevoked) = "token-revoked",
    StaffAdded(StaffAdded) = "staff-added",
    StaffReset(StaffNamed) = "staff-reset",
    PassphraseChosen(StaffNamed) = "passphrase-chosen",
    StaffRemoved(StaffNamed) = "staff-removed",
    SignedIn(SignedIn) = "signed-in",
    SignInRefused(SignInRefused) = "sign-in-refused",
    DeviceMade(DeviceMade) = "device-made",
    DeviceSet(DeviceSet) = "device-set",
    DeviceCodeMade(DeviceNamed) = "device-code-made",
    DevicePaired(DevicePaired) = "device-paired",
    DeviceConfirmed(DeviceNamed) = "device-confirmed",
    DeviceRevoked(DeviceNamed) = "device-revoked",
    LogOpened(LogOpened) = "log-opened",
    Restored(Restored) = "restored",
    CheckpointCopyWritten(CheckpointCopyWritten) = "checkpoint-copy-written",
    StorageFull(StorageFull) = "storage-full",
    StorageOk(StorageOk) = "storage-ok",
    ClockDoubted(ClockDoubted) = "clock-doubted",
    ClockConfirmed(ClockConfirmed) = "clock-confirmed",
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
    SlipSettled(SlipSettled) = "slip-settled",
    DirectorsRulingReviewed(DirectorsRulingReviewed) = "directors-ruling-reviewed",
    CompensationDecided(CompensationDecided) = "compensation-decided",
    ItemClaimed(ItemClaimed) = "item-claimed",
    ItemGivenBack(ItemClaimed) = "item-given-back",
    Called(Called) = "called",
    CallEnded(ItemClaimed) = "call-ended",
    RapidFiling(RapidFiling) = "station-hurries",
    IncidentRuled(IncidentRuled) = "incident-ruled",
    IncidentReviewed(IncidentReviewed) = "incident-reviewed",
    TestDeckSet(TestDeckSet) = "test-deck-set",
    TestDeckRun(TestDeckRun) = "test-deck-run",
    ApprovalAsked(ApprovalAsked) = "approval-asked",
    ApprovalGiven(ApprovalGiven) = "approval-given",
    KeyClosed(KeyClosed) = "key-closed",
}

/// Whether this version knows the kind.
#[must_use]
pub fn is_kind(kind: &str) -> bool {
    KINDS.contains(&kind)
}

/// The log for what concerns the whole server. No tournament may have this id.
pub const SERVER_LOG: &str = "server";

impl Event {
    /// Whether the event changes the set-up: tournaments, divisions, rounds, lexica, rulesets, accounts and tokens,
    /// closed stations.
    #[must_use]
    pub const fn is_setup(&self) -> bool {
        matches!(
            self,
            Self::ServerInitialised(_)
                | Self::LexiconImported(_)
                | Self::LexiconEffectiveSet(_)
                | Self::RulesetSet(_)
                | Self::TokenCreated(_)
                | Self::TokenRevoked(_)
                | Self::StaffAdded(_)
                | Self::StaffReset(_)
                | Self::StaffRemoved(_)
                | Self::SignInRefused(SignInRefused { is_locked: true, .. })
                | Self::DeviceMade(_)
                | Self::DeviceSet(_)
                | Self::DevicePaired(_)
                | Self::DeviceConfirmed(_)
                | Self::DeviceRevoked(_)
                | Self::ClockDoubted(_)
                | Self::ClockConfirmed(_)
                | Self::TournamentCreated(_)
                | Self::DivisionSet(_)
                | Self::RoundSet(_)
                | Self::TestDeckSet(_)
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

    /// The id of the slip, incident, call or approval that the event is about.
    #[must_use]
    pub fn subject(&self) -> Option<&str> {
        match self {
            Self::IncidentRuled(event) => Some(&event.incident),
            Self::Called(event) => Some(&event.call),
            Self::ApprovalAsked(event) => Some(&event.approval),
            _ => {
                let filed = self.slip().map(|slip| slip.id.as_str());
                filed.or_else(|| self.follows().map(|follows| follows.slip.as_str()))
            }
        }
    }

    /// For an event about a slip, incident or call that is on record: the entry that the decision was based on.
    #[must_use]
    pub fn follows(&self) -> Option<&DecidedOn> {
        match self {
            Self::SlipAdjudicated(event) => Some(&event.follows),
            Self::SlipCorrected(event) => Some(&event.follows),
            Self::SlipReleased(event) => Some(&event.follows),
            Self::ReviewRequested(event) => Some(&event.follows),
            Self::SlipLapsed(event) => Some(&event.follows),
            Self::SlipDisposed(event) => Some(&event.follows),
            Self::DirectorRuled(event) => Some(&event.follows),
            Self::SlipSettled(event) => Some(&event.follows),
            Self::DirectorsRulingReviewed(event) => Some(&event.follows),
            Self::CompensationDecided(event) => Some(&event.follows),
            Self::ItemClaimed(event) | Self::ItemGivenBack(event) | Self::CallEnded(event) => Some(&event.follows),
            Self::IncidentReviewed(event) => Some(&event.follows),
            Self::ApprovalGiven(event) => Some(&event.follows),
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

    /// The lexicon that a slip was looked up in, or would have been.
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

    /// The event with the slip's number, which is known only once the entry's position in the log is.
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

    /// The request that caused the event, if it had a key.
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
            Self::SlipSettled(event) => event.request.as_ref(),
            Self::DirectorsRulingReviewed(event) => event.request.as_ref(),
            Self::CompensationDecided(event) => event.request.as_ref(),
            Self::ItemClaimed(event) | Self::ItemGivenBack(event) | Self::CallEnded(event) => event.request.as_ref(),
            Self::Called(event) => event.request.as_ref(),
            Self::IncidentRuled(event) => event.request.as_ref(),
            Self::IncidentReviewed(event) => event.request.as_ref(),
            Self::ClockConfirmed(event) => event.request.as_ref(),
            Self::RoundSet(event) => event.request.as_ref(),
            Self::DivisionSet(event) => event.request.as_ref(),
            Self::TestDeckSet(event) => event.request.as_ref(),
            Self::TestDeckRun(event) => event.request.as_ref(),
            Self::ApprovalAsked(event) => event.request.as_ref(),
            Self::ApprovalGiven(event) => event.request.as_ref(),
            Self::KeyClosed(event) => Some(&event.request),
            _ => None,
        }
    }
}
