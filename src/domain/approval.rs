//! Acts that need two persons, where the tournament requires it: one person requests the act, another approves it, and
//! only then does the server carry it out.

use serde_json::json;

use super::entry::Entry;
use super::event::{ApprovalAsked, ApprovalGiven, AskedAct, DecidedOn, DivisionSet, Event};
use super::fault::{FaultCode, Faults};
use super::fields::{Fields, RequestBody};
use super::ledger::{Actor, Hash, canonical};
use super::record::{OutOfPlace, SlipRecord, folded};
use super::request::RequestMark;
use super::role::Role;
use super::time::Timestamp;
use crate::domain::decision::{Refusal, SlipAction};
use crate::domain::setup::{Setup, Tournament};

/// A requested act, as its entries record it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalRecord {
    pub tournament: String,
    pub asked: ApprovalAsked,
    /// The person who requested the act.
    pub by: Actor,
    pub at: Timestamp,
    pub is_decided: bool,
    pub log: String,
    pub entry: u64,
}

impl ApprovalRecord {
    /// Folds the entries of one approval, oldest first. No entries, no record.
    ///
    /// # Errors
    /// [`OutOfPlace`] names the first entry that does not fit.
    pub fn fold<'entries>(entries: impl IntoIterator<Item = &'entries Entry>) -> Result<Option<Self>, OutOfPlace> {
        folded(entries, Self::next)
    }

    fn next(record: Option<Self>, entry: &Entry) -> Option<Self> {
        match (record, &entry.event) {
            (None, Event::ApprovalAsked(asked)) => Some(Self {
                tournament: entry.tournament().to_owned(),
                asked: asked.clone(),
                by: entry.actor.clone(),
                at: entry.at,
                // A request in question cannot be approved: it has to be made again.
                is_decided: entry.in_question,
                log: entry.log.clone(),
                entry: entry.seq,
            }),
            (Some(record), Event::ApprovalGiven(given)) if given.follows == record.follows() && !record.is_decided => {
                Some(Self { is_decided: true, log: entry.log.clone(), entry: entry.seq, ..record })
            }
            _ => None,
        }
    }

    fn follows(&self) -> DecidedOn {
        DecidedOn { slip: self.asked.approval.clone(), log: self.log.clone(), seq: self.entry }
    }

    /// Checks that the asker may approve or decline the act.
    ///
    /// # Errors
    /// `wrong-state` where it was decided already, `same-person` for the person who requested it.
    pub fn check(&self, asker: &Actor) -> Result<(), Refusal> {
        match self.is_decided {
            true => Err(Refusal::WrongState("this was decided already".to_owned())),
            false if self.by.id == asker.id => Err(Refusal::SamePerson),
            false => Ok(()),
        }
    }

    /// Checks that the slip has not changed since the act was requested. `entries` are all of the slip's entries,
    /// oldest first. Claims of the slip in the queue do not count as changes.
    ///
    /// # Errors
    /// `wrong-state`.
    pub fn check_slip(&self, entries: &[Entry]) -> Result<(), Refusal> {
        let (AskedAct::RuleOnSlip { on, .. } | AskedAct::CorrectSlip { on, .. }) = &self.asked.act else {
            return Ok(());
        };
        let is_earlier = |entry: &&Entry| on.as_ref().is_none_or(|on| (&entry.log, entry.seq) != (&on.log, on.seq));
        let is_claim = |entry: &Entry| matches!(entry.event, Event::ItemClaimed(_) | Event::ItemGivenBack(_));
        let mut since = entries.iter().skip_while(is_earlier);
        if since.next().is_some() && since.all(is_claim) { Ok(()) } else { Err(changed()) }
    }

    /// Checks that the division has not changed since the act was requested, and that the act would still set it to the
    /// same values.
    ///
    /// # Errors
    /// `wrong-state`.
    pub fn check_switch(&self, setup: &Setup, set: &DivisionSet) -> Result<(), Refusal> {
        match &self.asked.act {
            AskedAct::SetDivision { on, .. } if *on != Some(setup.switch_sha256(&self.tournament, set)) => {
                Err(changed())
            }
            _ => Ok(()),
        }
    }

    /// The event that approves or declines the act. `answer` is the act's response, which the approver gets.
    #[must_use]
    pub fn given(&self, approve: bool, answer: RequestBody, request: Option<RequestMark>) -> ApprovalGiven {
        ApprovalGiven { follows: self.follows(), approve, answer, request }
    }
}

fn changed() -> Refusal {
    let why =
        "what this is about has changed since it was asked for: decline it, and ask anew for what is still wanted";
    Refusal::WrongState(why.to_owned())
}

/// A decision on a requested act: approved or declined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub approve: bool,
}

impl Verdict {
    /// Reads a request.
    ///
    /// # Errors
    /// All faults at once, each `invalid-request`.
    pub fn read(body: &RequestBody) -> Result<Self, Faults> {
        let mut fields = Fields::of(body, FaultCode::InvalidRequest);
        let approve = fields.required_bool("approve");
        fields.finish(approve).map(|approve| Self { approve })
    }
}

impl Tournament {
    /// The approval request that this act on a slip needs first: a director's ruling or correction, where the
    /// tournament requires two persons.
    #[must_use]
    pub fn asks_another(
        &self,
        act: SlipAction<'_>,
        role: Role,
        record: &SlipRecord,
        body: &RequestBody,
    ) -> Option<AskedAct> {
        let (slip, body, on) = (record.slip.id.clone(), body.clone(), Some(record.follows()));
        match act {
            SlipAction::Rule if self.settings.two_person() => Some(AskedAct::RuleOnSlip { slip, body, on }),
            SlipAction::Correct { .. } if self.settings.two_person() && role == Role::Director => {
                Some(AskedAct::CorrectSlip { slip, body, on })
            }
            _ => None,
        }
    }
}

impl Setup {
    /// The digest of a division as it is, with its changes for later days, and of what the event would set it to. It
    /// covers the values of the rulesets and lexica, not their names alone.
    #[must_use]
    pub fn switch_sha256(&self, tournament: &str, set: &DivisionSet) -> String {
        let division = self.tournament(tournament).and_then(|one| one.division(&set.division).ok());
        let now = division.map(|now| json!([now.lexicon, now.second, now.ruleset_sha256, now.settings]));
        let later = self.waiting(tournament, &set.division);
        let ruleset = self.ruleset(&set.ruleset).map(|ruleset| ruleset.sha256());
        let wanted = DivisionSet { request: None, replaced: Vec::new(), ..set.clone() };
        let whole = canonical(&json!([now, later, wanted, ruleset]));
        Hash::of(whole.unwrap_or_default().as_bytes()).to_string()
    }

    /// Whether another person must approve this change of a division: one that changes its lexica or its ruleset, now
    /// or on a later day, or that creates the division.
    #[must_use]
    pub fn switch_asks_another(&self, tournament: &Tournament, set: &DivisionSet) -> bool {
        let switches = |setup: &Self| {
            let now = setup.plan_on(&tournament.id, &set.division, None).map(|plan| (String::new(), plan));
            let later = setup.later_plans(&tournament.id, &set.division);
            let mut switches: Vec<_> = now.into_iter().chain(later).collect();
            switches.dedup_by(|(_, one), (_, before)| one.plays_as(before));
            switches.into_iter().map(|(day, plan)| (day, plan.lexicon, plan.second, plan.ruleset)).collect::<Vec<_>>()
        };
        let is_same = self.ordered(&tournament.id, set).is_ok_and(|then| switches(self) == switches(&then));
        tournament.settings.two_person() && !is_same
    }
}
