//! Events of the server itself, of its logs, and of the set-up.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::domain::lexicon::{Lengths, LexiconName};
use crate::domain::request::RequestMark;
use crate::domain::role::Role;
use crate::domain::ruleset::Ruleset;
use crate::domain::settings::{Settings, TournamentSettings};

/// The server's ledger begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerInitialised {
    pub program: String,
    /// The verifier key of the log `server`, in its text form.
    pub verifier: String,
}

/// A lexicon was imported. The import does not make it active.
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
    /// How many lines of that file were left out, as the director allowed.
    pub rejected: u64,
    pub program: String,
}

/// The day from which a lexicon is in force was changed; the words stay what they are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LexiconEffectiveSet {
    pub lexicon: LexiconName,
    /// The first day on which it may be used; `None` where it may always be.
    pub effective_from: Option<String>,
    pub reason: String,
}

/// A server had no file of a lexicon and wrote it anew from the database's verified copy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LexiconFileWritten {
    pub lexicon: LexiconName,
    pub index_sha256: String,
}

/// A token was created. Only the client that uses the token has its secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenCreated {
    pub token: String,
    pub name: String,
    pub role: Role,
    pub tournament: String,
    /// For a client: how many requests a minute it may make, where that is not the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_minute: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenRevoked {
    pub token: String,
    pub name: String,
}

/// The log of a tournament was opened. The log `server` records this, so that a whole log cannot vanish unnoticed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogOpened {
    /// The name of the log, which is the tournament's id.
    pub opened: String,
}

/// Entries of a log were changed or lost. That log is closed as it is, no entry of it is changed, and this log
/// continues it. Always entry 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Restored {
    /// Every earlier log of the same name, oldest first; the last is the one that is continued.
    pub closed: Vec<ClosedLog>,
    /// The numbers of new slips continue after this one, so that no number is assigned twice.
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
    /// How many entries are stored.
    pub size: u64,
    /// The root over the stored leaves, in base64 as in a checkpoint.
    pub root: String,
    /// The newest known checkpoint of the log, from the database or from a copy.
    pub checkpoint: Option<KnownCheckpoint>,
    /// What is wrong with the entries; null where they are whole as far as they go.
    pub fault: Option<String>,
    /// How many of them are covered by a checkpoint that fitted before any fault, or by a checkpoint copy that fits.
    /// The set-up of later entries is not in force.
    pub sound: u64,
    /// How many entries are not in question, where that is fewer: a checkpoint copy contradicts the log's own
    /// checkpoints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vouched: Option<u64>,
    /// The checkpoint copies that the restore took into account, each by the lower-case hex SHA-256 of its note.
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
    /// How many entries, from the first, are not in question.
    #[must_use]
    pub fn vouched(&self) -> u64 {
        self.vouched.unwrap_or(self.sound)
    }

    /// How many entries are known to have existed and are missing.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.checkpoint.as_ref().map_or(0, |known| known.size.saturating_sub(self.size))
    }
}

/// A checkpoint copy was unusable, another copy agreed with the ledger, and the server rewrote the unusable one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckpointCopyWritten {
    /// The log that the copy is about.
    pub copied: String,
    /// The path of the copy.
    pub path: String,
}

/// The disk was full: the server refused every slip from then on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StorageFull {
    /// Since when, RFC 3339. The entry itself could be written only once the disk had space again.
    pub since: String,
}

/// The disk has space again: the server accepts slips.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StorageOk {}

/// The clock was found more than 30 days ahead of the newest entry. A director must confirm the right time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClockDoubted {
    /// The time of the newest entry before.
    pub newest: String,
    /// The time that the clock showed.
    pub clock: String,
}

/// A director confirmed the clock: this entry has the time that the clock showed, even if the entry before it is later.
/// It is written into every open log, first into the log `server`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClockConfirmed {
    /// The time of the newest entry before, over all logs. Changes that were due until then are in force.
    pub newest: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<RequestMark>,
}

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

/// A director's own ruleset, a copy of another one, with its values from now on.
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
    /// The lexicon that decides a waiver, where the ruleset has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second: Option<LexiconName>,
    pub ruleset: String,
    pub settings: Settings,
    /// The first day on which it is in force, in the tournament's time zone; at once where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The fields that the order names: on its day it changes these and no others, and it replaces waiting changes of
    /// them. None where it describes the whole division.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fields: Option<Vec<String>>,
    /// Whether it cancels all changes of the division that wait for their day.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cancel: bool,
    /// The waiting changes that this order cancels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaced: Vec<WaitingField>,
    /// The reason for the change, where a round was open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<RequestMark>,
}

/// A field of a division that changes on a later day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WaitingField {
    /// `lexicon`, `second`, `ruleset`, or the key of a setting.
    pub field: String,
    /// The first day of the new value, in the tournament's time zone.
    pub from: String,
    /// The new value: an id, a name, or the value of a setting; null for the default, or for no second lexicon.
    pub value: Option<String>,
}

impl std::fmt::Display for WaitingField {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let value = self.value.as_deref().unwrap_or(if self.field == "second" { "none" } else { "default" });
        write!(f, "{} {value} from {}", self.field, self.from)
    }
}
