//! Calls: a table calls a judge or the director. The person who takes a call goes to the table, and ends the call once
//! they have been there.

use super::entry::Entry;
use super::event::{Called, DecidedOn, Event, ItemClaimed};
use super::ledger::Actor;
use super::record::{OutOfPlace, folded};
use super::request::RequestMark;
use super::role::Role;
use super::time::Timestamp;
use crate::domain::refusal::Refusal;

/// A call, as its entries record it.
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

    /// The event by which the asker takes the call.
    ///
    /// # Errors
    /// `wrong-state` where the call is over, or another person has taken it.
    pub fn claim(&self, asker: &Actor, request: Option<RequestMark>) -> Result<ItemClaimed, Refusal> {
        match &self.claimed_by {
            _ if self.is_over => Err(Refusal::WrongState("this call is over".to_owned())),
            Some(holder) if holder.id != asker.id => {
                Err(Refusal::WrongState(format!("{} has taken this call", holder.name)))
            }
            _ => Ok(self.claimed(request)),
        }
    }

    /// The event by which the person who took the call ends it. A director may end it for another person.
    ///
    /// # Errors
    /// `wrong-state` where the call is over, no one has taken it, or another person has.
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
