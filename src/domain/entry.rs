//! The entry: an event at its position in a log, and the leaf that stores it.

use serde_json::Value;

use super::event::Event;
use super::ledger::{Actor, Leaf, base_log};
use super::probing::FilingLocation;
use super::time::Timestamp;

/// An event at its position in a log: who, when, what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub log: String,
    pub seq: u64,
    pub at: Timestamp,
    pub actor: Actor,
    pub event: Event,
    /// Whether the entry is in question: it stands at or after the first fault of a log that a restore closed.
    pub in_question: bool,
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
    /// The tournament that the entry belongs to, or `server`. Its log may be a continuation.
    #[must_use]
    pub fn tournament(&self) -> &str {
        base_log(&self.log)
    }

    /// The key of the filed slip's table and round, by which the store finds neighbouring slips that could reveal its
    /// result.
    #[must_use]
    pub fn table_key(&self) -> Option<String> {
        self.location()?.table_key()
    }

    /// The key of the station or token that filed the slip, and its round, by which the store finds neighbouring slips.
    #[must_use]
    pub fn seat(&self) -> Option<String> {
        self.location().map(FilingLocation::filer_key)
    }

    /// Where and when the slip was filed, if the entry files one that has a ruling or can get one.
    #[must_use]
    pub fn location(&self) -> Option<FilingLocation<'_>> {
        FilingLocation::of_event(self.tournament(), &self.event, &self.actor, self.at)
    }

    /// The leaf that is stored and hashed.
    ///
    /// # Errors
    /// [`UnreadableEntry`] where the event cannot be serialised, which does not happen to any event of this program.
    pub fn to_leaf(&self) -> Result<Leaf, UnreadableEntry> {
        let unreadable = |why: &str| self.unreadable(why);
        let mut whole = serde_json::to_value(&self.event).map_err(|error| unreadable(&error.to_string()))?;
        let payload = whole.get_mut("payload").map(Value::take).ok_or_else(|| unreadable("it has no payload"))?;
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
    /// [`UnreadableEntry`] where the kind is unknown, or the payload is not of its kind.
    pub fn from_leaf(leaf: Leaf) -> Result<Self, UnreadableEntry> {
        let unreadable = |why: String| UnreadableEntry { log: leaf.log.clone(), seq: leaf.seq, why };
        let mut whole = serde_json::Map::new();
        whole.insert("kind".to_owned(), leaf.kind.into());
        whole.insert("payload".to_owned(), leaf.payload);
        let event = serde_json::from_value(Value::Object(whole)).map_err(|error| unreadable(error.to_string()))?;
        let at = Timestamp::parse(&leaf.at).map_err(|error| unreadable(error.to_string()))?;
        Ok(Self { log: leaf.log, seq: leaf.seq, at, actor: leaf.actor, event, in_question: false })
    }

    fn unreadable(&self, why: &str) -> UnreadableEntry {
        UnreadableEntry { log: self.log.clone(), seq: self.seq, why: why.to_owned() }
    }
}
