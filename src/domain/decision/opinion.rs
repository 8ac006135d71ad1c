//! Opinions on a director's ruling: a second from another director or a member of the rules committee, and a third
//! where the two differ. This chain is about rulings, on slips or incidents, not about look-ups. Source: NASPA II.D.

use super::context::{DecisionContext, RULINGS};
use crate::domain::event::{Capacity, DirectorsRulingReviewed, IncidentReviewed};
use crate::domain::fault::{FaultCode, Faults};
use crate::domain::fields::{Fields, MAX_NOTE_CHARS, RequestBody};
use crate::domain::incident::IncidentRecord;
use crate::domain::ledger::Actor;
use crate::domain::penalty::Penalty;
use crate::domain::record::SlipRecord;
use crate::domain::refusal::Refusal;
use crate::domain::request::RequestMark;
use crate::domain::ruleset::{Ruleset, citation};
use crate::domain::ruling::Ruling;

const CAPACITIES: &str = "director or rules-committee";

/// An opinion on a ruling on a slip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpinionOnRuling {
    pub agrees: bool,
    pub ruling: Ruling,
    pub capacity: Capacity,
    pub note: String,
}

impl OpinionOnRuling {
    /// Reads a request about a slip. An opinion that agrees must equal the director's ruling, and one that does not
    /// must differ from it.
    ///
    /// # Errors
    /// All faults at once, each `invalid-request`.
    pub fn read(body: &RequestBody, record: &SlipRecord) -> Result<Self, Faults> {
        let mut fields = Fields::of(body, FaultCode::InvalidRequest);
        let agrees = fields.required_bool("agrees");
        let ruling = fields.required_choice("ruling", RULINGS);
        let capacity = fields.required_choice("capacity", CAPACITIES);
        let note = fields.note("note").unwrap_or_default();
        let first = record.directors_chain().first().map(|first| first.ruling);
        if let (Some(agrees), Some(ruling), Some(first)) = (agrees, ruling, first)
            && agrees != (ruling == first)
        {
            fields.fault("agrees", format!("the director ruled {first}: agrees and ruling do not fit"));
        }
        let read = || Some(Self { agrees: agrees?, ruling: ruling?, capacity: capacity?, note });
        let read = read();
        fields.finish(read)
    }

    /// The ordinal of the opinion, where the director's ruling counts as 1.
    ///
    /// # Errors
    /// `not-in-ruleset`, `wrong-state`, `same-judge`, in this order.
    pub fn check(before: &DecisionContext<'_>) -> Result<usize, Refusal> {
        knows_opinions(before.ruleset)?;
        let next = before.record.next_opinion().ok_or_else(no_room)?;
        if before.record.directors_chain().iter().any(|one| one.is_by(before.asker)) {
            return Err(Refusal::SameJudge);
        }
        Ok(next)
    }

    /// The event that records the opinion.
    ///
    /// # Errors
    /// As [`OpinionOnRuling::check`] says.
    pub fn into_event(
        self,
        before: DecisionContext<'_>,
        penalty: Option<Penalty>,
    ) -> Result<DirectorsRulingReviewed, Refusal> {
        let ordinal = Self::check(&before)?;
        Ok(DirectorsRulingReviewed {
            follows: before.record.follows(),
            ordinal,
            agrees: self.agrees,
            words: before.record.words.clone(),
            ruling: self.ruling,
            penalty,
            capacity: self.capacity,
            note: self.note,
            request: before.request,
            program: crate::PROGRAM.to_owned(),
        })
    }
}

/// An opinion on a ruling on an incident.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpinionOnIncident {
    pub agrees: bool,
    pub ruling: String,
    pub capacity: Capacity,
    pub note: String,
}

impl OpinionOnIncident {
    /// Reads a request about an incident.
    ///
    /// # Errors
    /// All faults at once, each `invalid-request`.
    pub fn read(body: &RequestBody, incident: &IncidentRecord) -> Result<Self, Faults> {
        let mut fields = Fields::of(body, FaultCode::InvalidRequest);
        let agrees = fields.required_bool("agrees");
        let ruling = fields.required_text("ruling", MAX_NOTE_CHARS);
        let capacity = fields.required_choice("capacity", CAPACITIES);
        let note = fields.note("note").unwrap_or_default();
        if let (Some(agrees), Some(ruling)) = (agrees, &ruling)
            && agrees != (*ruling == incident.ruled.ruling)
        {
            fields.fault("agrees", "agrees and ruling do not fit: whoever agrees repeats the director's ruling");
        }
        let read = || Some(Self { agrees: agrees?, ruling: ruling?, capacity: capacity?, note });
        let read = read();
        fields.finish(read)
    }

    /// The event.
    ///
    /// # Errors
    /// `not-in-ruleset`, `wrong-state`, `same-judge`, in this order.
    pub fn into_event(
        self,
        incident: &IncidentRecord,
        ruleset: &Ruleset,
        asker: &Actor,
        request: Option<RequestMark>,
    ) -> Result<IncidentReviewed, Refusal> {
        knows_opinions(ruleset)?;
        let ordinal = incident.next_opinion().ok_or_else(no_room)?;
        if incident.has_spoken(asker) {
            return Err(Refusal::SameJudge);
        }
        Ok(IncidentReviewed {
            follows: incident.follows(),
            ordinal,
            agrees: self.agrees,
            ruling: self.ruling,
            capacity: self.capacity,
            note: self.note,
            request,
            program: crate::PROGRAM.to_owned(),
        })
    }
}

fn knows_opinions(ruleset: &Ruleset) -> Result<(), Refusal> {
    if ruleset.director_opinions.allowed {
        return Ok(());
    }
    let (title, cited) = (&ruleset.title, citation(&ruleset.director_opinions.rule));
    Err(Refusal::NotInRuleset(format!("{title} has no opinions on a director's ruling{cited}")))
}

fn no_room() -> Refusal {
    Refusal::wrong_state("there is no director's ruling here on which another opinion could be given")
}
