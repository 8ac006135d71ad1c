//! Incidents: a director's rulings on matters other than look-ups, and the opinions on them. Source: NASPA II.D.

use super::entry::Entry;
use super::event::{Capacity, DecidedOn, Event, IncidentRuled};
use super::fault::{FaultCode, Faults};
use super::fields::{Fields, MAX_NOTE_CHARS, RequestBody};
use super::ledger::Actor;
use super::player_name::MAX_NAME_CHARS;
use super::record::{OutOfPlace, folded};
use super::request::RequestMark;
use super::time::Timestamp;
use crate::domain::event::IncidentKind;
use crate::domain::setup::Division;

/// An incident, as its entries record it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncidentRecord {
    pub tournament: String,
    pub ruled: IncidentRuled,
    pub by: Actor,
    pub at: Timestamp,
    /// The second and the third opinion.
    pub opinions: Vec<IncidentOpinion>,
    /// Whether an entry of the incident is in question.
    pub in_question: bool,
    pub log: String,
    pub entry: u64,
}

/// An opinion on a ruling on an incident.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncidentOpinion {
    /// Counts from the director's ruling as 1.
    pub ordinal: usize,
    pub agrees: bool,
    pub ruling: String,
    pub capacity: Capacity,
    pub note: String,
    pub by: Actor,
    pub at: Timestamp,
}

/// An incident as reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incident {
    pub division: String,
    pub round: Option<i64>,
    pub table: Option<i64>,
    pub what: IncidentKind,
    pub ruling: String,
    pub remedy: String,
    pub rule: String,
    pub note: String,
    pub slip: Option<String>,
}

impl Incident {
    /// Reads a request.
    ///
    /// # Errors
    /// All faults at once, each `invalid-request`.
    pub fn read(body: &RequestBody) -> Result<Self, Faults> {
        let mut fields = Fields::of(body, FaultCode::InvalidRequest);
        let division = fields.required_line("division", 32);
        let round = fields.number("round", 1..=999);
        let table = fields.number("table", 1..=9999);
        let what = fields.required_choice("kind", "blank, timing, orientation, play, conduct or other");
        let ruling = fields.required_text("ruling", MAX_NOTE_CHARS);
        let remedy = fields.note("remedy").unwrap_or_default();
        let rule = fields.note("rule").unwrap_or_default();
        let note = fields.note("note").unwrap_or_default();
        let slip = fields.line("slip", MAX_NAME_CHARS);
        let read = || {
            let (division, what, ruling) = (division?, what?, ruling?);
            Some(Self { division, round, table, what, ruling, remedy, rule, note, slip })
        };
        let read = read();
        fields.finish(read)
    }
}

impl Incident {
    /// The event that records it as the incident `id` of a division. The round is the open one, unless the request
    /// names one.
    #[must_use]
    pub fn into_event(self, id: String, division: &Division, request: Option<RequestMark>) -> IncidentRuled {
        IncidentRuled {
            incident: id,
            division: division.id.clone(),
            round: division.round_or_open(self.round),
            table: self.table,
            what: self.what,
            ruling: self.ruling,
            remedy: self.remedy,
            rule: self.rule,
            note: self.note,
            slip: self.slip,
            ruleset: division.ruleset.name.clone(),
            ruleset_sha256: Some(division.ruleset_sha256.clone()),
            request,
            program: crate::PROGRAM.to_owned(),
        }
    }
}

impl IncidentRecord {
    /// Folds the entries of one incident, oldest first. No entries, no record.
    ///
    /// # Errors
    /// [`OutOfPlace`] names the first entry that does not fit.
    pub fn fold<'entries>(entries: impl IntoIterator<Item = &'entries Entry>) -> Result<Option<Self>, OutOfPlace> {
        folded(entries, Self::next)
    }

    fn next(record: Option<Self>, entry: &Entry) -> Option<Self> {
        match (record, &entry.event) {
            (None, Event::IncidentRuled(ruled)) => Some(Self {
                tournament: entry.tournament().to_owned(),
                ruled: ruled.clone(),
                by: entry.actor.clone(),
                at: entry.at,
                opinions: Vec::new(),
                in_question: entry.in_question,
                log: entry.log.clone(),
                entry: entry.seq,
            }),
            (Some(mut record), Event::IncidentReviewed(event))
                if record.follows() == event.follows && record.next_opinion() == Some(event.ordinal) =>
            {
                record.opinions.push(IncidentOpinion {
                    ordinal: event.ordinal,
                    agrees: event.agrees,
                    ruling: event.ruling.clone(),
                    capacity: event.capacity,
                    note: event.note.clone(),
                    by: entry.actor.clone(),
                    at: entry.at,
                });
                let in_question = record.in_question || entry.in_question;
                Some(Self { in_question, log: entry.log.clone(), entry: entry.seq, ..record })
            }
            _ => None,
        }
    }

    /// The reference to this state, for an event that is decided on it.
    #[must_use]
    pub fn follows(&self) -> DecidedOn {
        DecidedOn { slip: self.ruled.incident.clone(), log: self.log.clone(), seq: self.entry }
    }

    /// The ordinal of the next opinion: a second, and a third where the first two differ.
    #[must_use]
    pub fn next_opinion(&self) -> Option<usize> {
        match self.opinions.as_slice() {
            [] => Some(2),
            [second] if !second.agrees => Some(3),
            _ => None,
        }
    }

    /// Whether this actor gave the ruling or an opinion on it.
    #[must_use]
    pub fn has_spoken(&self, actor: &Actor) -> bool {
        self.by.id == actor.id || self.opinions.iter().any(|one| one.by.id == actor.id)
    }
}
