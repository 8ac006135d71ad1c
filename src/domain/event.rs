//! The events: everything that can ever be written into a log. docs/ledger.md lists the kinds.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::fault::Fault;
use super::ledger::{Actor, Leaf, family};
use super::lexicon::{Lengths, LexiconName};
use super::penalty::Penalty;
use super::request::RequestMark;
use super::role::Role;
use super::ruling::Ruling;
use super::settings::Settings;
use super::time::Timestamp;

/// The server itself, for what nobody asked it to do.
#[must_use]
pub fn server() -> Actor {
    Actor { id: SERVER_LOG.to_owned(), name: "adjudge".to_owned(), role: SERVER_LOG.to_owned() }
}

/// What happened. The `kind` of a leaf is the variant's name, its `payload` the content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "payload", rename_all = "kebab-case")]
pub enum Event {
    ServerInitialised(ServerInitialised),
    LexiconImported(LexiconImported),
    LexiconFileWritten(LexiconFileWritten),
    TokenCreated(TokenCreated),
    TokenRevoked(TokenRevoked),
    LogOpened(LogOpened),
    Restored(Restored),
    StorageFull(StorageFull),
    StorageOk(StorageOk),
    TournamentCreated(TournamentCreated),
    DivisionSet(DivisionSet),
    SlipRuled(SlipRuled),
    SlipAwaitsManualLookup(SlipAwaitsManualLookup),
    SlipAdjudicated(SlipAdjudicated),
    DirectorRuled(DirectorRuled),
    KeyClosed(KeyClosed),
}

/// Every kind, in the order of [`Event`].
pub const KINDS: [&str; 16] = [
    "server-initialised",
    "lexicon-imported",
    "lexicon-file-written",
    "token-created",
    "token-revoked",
    "log-opened",
    "restored",
    "storage-full",
    "storage-ok",
    "tournament-created",
    "division-set",
    "slip-ruled",
    "slip-awaits-manual-lookup",
    "slip-adjudicated",
    "director-ruled",
    "key-closed",
];

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
    pub program: String,
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
}

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

impl Event {
    /// The kind as the ledger names it.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::ServerInitialised(_) => "server-initialised",
            Self::LexiconImported(_) => "lexicon-imported",
            Self::LexiconFileWritten(_) => "lexicon-file-written",
            Self::TokenCreated(_) => "token-created",
            Self::TokenRevoked(_) => "token-revoked",
            Self::LogOpened(_) => "log-opened",
            Self::Restored(_) => "restored",
            Self::StorageFull(_) => "storage-full",
            Self::StorageOk(_) => "storage-ok",
            Self::TournamentCreated(_) => "tournament-created",
            Self::DivisionSet(_) => "division-set",
            Self::SlipRuled(_) => "slip-ruled",
            Self::SlipAwaitsManualLookup(_) => "slip-awaits-manual-lookup",
            Self::SlipAdjudicated(_) => "slip-adjudicated",
            Self::DirectorRuled(_) => "director-ruled",
            Self::KeyClosed(_) => "key-closed",
        }
    }

    /// Whether it changes what is set up: tournaments, divisions, lexica, who holds a token.
    #[must_use]
    pub const fn is_setup(&self) -> bool {
        match self {
            Self::ServerInitialised(_)
            | Self::LexiconImported(_)
            | Self::TokenCreated(_)
            | Self::TokenRevoked(_)
            | Self::TournamentCreated(_)
            | Self::DivisionSet(_) => true,
            Self::LexiconFileWritten(_)
            | Self::LogOpened(_)
            | Self::Restored(_)
            | Self::StorageFull(_)
            | Self::StorageOk(_)
            | Self::SlipRuled(_)
            | Self::SlipAwaitsManualLookup(_)
            | Self::SlipAdjudicated(_)
            | Self::DirectorRuled(_)
            | Self::KeyClosed(_) => false,
        }
    }

    /// The id of the slip that the event is about.
    #[must_use]
    pub fn slip_id(&self) -> Option<&str> {
        let filed = self.slip().map(|slip| slip.id.as_str());
        filed.or_else(|| self.follows().map(|follows| follows.slip.as_str()))
    }

    /// For what happens to a slip that is on record: the entry that it was decided after.
    #[must_use]
    pub fn follows(&self) -> Option<&Follows> {
        match self {
            Self::SlipAdjudicated(event) => Some(&event.follows),
            Self::DirectorRuled(event) => Some(&event.follows),
            _ => None,
        }
    }

    /// The slip that the event files.
    #[must_use]
    pub fn slip(&self) -> Option<&FiledSlip> {
        match self {
            Self::SlipRuled(event) => Some(&event.slip),
            Self::SlipAwaitsManualLookup(event) => Some(&event.slip),
            _ => None,
        }
    }

    /// The lexicon that a slip was judged by, or would have been.
    #[must_use]
    pub fn lexicon(&self) -> Option<&LexiconName> {
        match self {
            Self::SlipRuled(event) => Some(&event.lexicon),
            Self::SlipAwaitsManualLookup(event) => Some(&event.lexicon),
            _ => None,
        }
    }

    /// The same event with the slip's number, which is known only once its place in the log is.
    #[must_use]
    pub fn numbered(mut self, number: u64) -> Self {
        match &mut self {
            Self::SlipRuled(event) => event.slip.number = number,
            Self::SlipAwaitsManualLookup(event) => event.slip.number = number,
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
            Self::SlipAdjudicated(event) => event.request.as_ref(),
            Self::DirectorRuled(event) => event.request.as_ref(),
            Self::KeyClosed(event) => Some(&event.request),
            _ => None,
        }
    }
}

/// An event at its place in a log: who, when, what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub log: String,
    pub seq: u64,
    pub at: Timestamp,
    pub actor: Actor,
    pub event: Event,
}

/// A leaf that this version cannot read.
#[derive(Debug, thiserror::Error)]
#[error("entry {seq} of log {log} cannot be read: {why}")]
pub struct UnreadableEntry {
    pub log: String,
    pub seq: u64,
    pub why: String,
}

impl Entry {
    /// The tournament that it belongs to, or `server`: its log may be a continuation.
    #[must_use]
    pub fn tournament(&self) -> &str {
        family(&self.log)
    }

    /// The leaf that is stored and hashed.
    ///
    /// # Errors
    /// Where the event does not serialise, which no event of this program does.
    pub fn to_leaf(&self) -> Result<Leaf, UnreadableEntry> {
        let unreadable = |why: &str| self.unreadable(why);
        let whole = serde_json::to_value(&self.event).map_err(|error| unreadable(&error.to_string()))?;
        let payload = whole.get("payload").cloned().ok_or_else(|| unreadable("it has no payload"))?;
        Ok(Leaf {
            actor: self.actor.clone(),
            at: self.at.to_string(),
            kind: self.event.kind().to_owned(),
            log: self.log.clone(),
            payload,
            seq: self.seq,
        })
    }

    /// Reads a leaf back.
    ///
    /// # Errors
    /// Where the kind is unknown, or the payload is not of its kind.
    pub fn from_leaf(leaf: Leaf) -> Result<Self, UnreadableEntry> {
        let unreadable = |why: String| UnreadableEntry { log: leaf.log.clone(), seq: leaf.seq, why };
        let mut whole = serde_json::Map::new();
        whole.insert("kind".to_owned(), leaf.kind.into());
        whole.insert("payload".to_owned(), leaf.payload);
        let event = serde_json::from_value(Value::Object(whole)).map_err(|error| unreadable(error.to_string()))?;
        let at = Timestamp::parse(&leaf.at).map_err(|error| unreadable(error.to_string()))?;
        Ok(Self { log: leaf.log, seq: leaf.seq, at, actor: leaf.actor, event })
    }

    fn unreadable(&self, why: &str) -> UnreadableEntry {
        UnreadableEntry { log: self.log.clone(), seq: self.seq, why: why.to_owned() }
    }
}
