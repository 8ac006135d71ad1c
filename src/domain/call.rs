//! Calls: a table rings for a judge or the director. Whoever takes a call goes there, and ends it when he was there.

use super::entry::Entry;
use super::event::{Called, DecidedOn, Event, ItemClaimed};
use super::ledger::Actor;
use super::record::{OutOfPlace, folded};
use super::request::RequestMark;
use super::role::Role;
use super::time::Timestamp;
use crate::domain::refusal::Refusal;

/// A call as its entries tell it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallRecord {
    pub tournament: String,
    pub called: Called,
    pub by: Actor,
    pub at: Timestamp,
    pub claimed_by: Option<Actor>,
    pub is_over: bool,
    pub log: String,
    pub entry: u64,
}

impl CallRecord {
    /// Folds the entries of one call, oldest first. No entries, no record.
    ///
    /// # Errors
    /// [`OutOfPlace`] names the first entry that does not fit.
    pub fn fold<'entries>(entries: impl IntoIterator<Item = &'entries Entry>) -> Result<Option<Self>, OutOfPlace> {
        folded(entries, Self::next)
    }

    fn next(record: Option<Self>, entry: &Entry) -> Option<Self> {
        let begun = |called: &Called| Self {
            tournament: entry.tournament().to_owned(),
            called: called.clone(),
            by: entry.actor.clone(),
            at: entry.at,
            claimed_by: None,
            is_over: false,
            log: entry.log.clone(),
            entry: entry.seq,
        };
        let record = match (record, &entry.event) {
            (None, Event::Called(called)) => return Some(begun(called)),
            (Some(record), event) if event.follows() == Some(&record.follows()) && !record.is_over => record,
            _ => return None,
        };
        let record = Self { log: entry.log.clone(), entry: entry.seq, ..record };
        match &entry.event {
            Event::ItemClaimed(_) => Some(Self { claimed_by: Some(entry.actor.clone()), ..record }),
            Event::CallEnded(_) => Some(Self { is_over: true, ..record }),
            _ => None,
        }
    }

    fn follows(&self) -> DecidedOn {
        DecidedOn { slip: self.called.call.clone(), log: self.log.clone(), seq: self.entry }
    }

    /// The event by which somebody takes the call.
    ///
    /// # Errors
    /// `wrong-state` where it is over, or another has taken it.
    pub fn claim(&self, asker: &Actor, request: Option<RequestMark>) -> Result<ItemClaimed, Refusal> {
        match &self.claimed_by {
            _ if self.is_over => Err(Refusal::WrongState("this call is over".to_owned())),
            Some(holder) if holder.id != asker.id => {
                Err(Refusal::WrongState(format!("{} has taken this call", holder.name)))
            }
            _ => Ok(self.claimed(request)),
        }
    }

    /// The event by which whoever took the call ends it. A director may do so for somebody else.
    ///
    /// # Errors
    /// `wrong-state` where it is over, or nobody or another has taken it.
    pub fn end(&self, asker: &Actor, role: Role, request: Option<RequestMark>) -> Result<ItemClaimed, Refusal> {
        match &self.claimed_by {
            _ if self.is_over => Err(Refusal::WrongState("this call is over".to_owned())),
            None => Err(Refusal::WrongState("nobody has taken this call".to_owned())),
            Some(holder) if holder.id != asker.id && role != Role::Director => {
                Err(Refusal::WrongState(format!("{} has taken this call", holder.name)))
            }
            Some(_) => Ok(self.claimed(request)),
        }
    }

    fn claimed(&self, request: Option<RequestMark>) -> ItemClaimed {
        ItemClaimed { follows: self.follows(), item: self.called.call.clone(), request }
    }
}
