//! Acts that need two persons, where the tournament wants it: asked for by one, given by another, and only then done.

use super::entry::Entry;
use super::event::{ApprovalAsked, ApprovalGiven, AskedAct, DivisionSet, Event, Follows};
use super::fault::{Faults, Slug};
use super::fields::{Fields, Said};
use super::floor::{Division, Floor, Tournament};
use super::ledger::Actor;
use super::record::{OutOfPlace, folded};
use super::request::RequestMark;
use super::role::Role;
use super::settle::{Act, Refusal};
use super::time::Timestamp;

/// An act that was asked for, as its entries tell it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalRecord {
    pub tournament: String,
    pub asked: ApprovalAsked,
    /// Whoever wants it done.
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
                is_decided: false,
                log: entry.log.clone(),
                entry: entry.seq,
            }),
            (Some(record), Event::ApprovalGiven(given)) if given.follows == record.follows() && !record.is_decided => {
                Some(Self { is_decided: true, log: entry.log.clone(), entry: entry.seq, ..record })
            }
            _ => None,
        }
    }

    fn follows(&self) -> Follows {
        Follows { slip: self.asked.approval.clone(), log: self.log.clone(), seq: self.entry }
    }

    /// Whether somebody may decide on it.
    ///
    /// # Errors
    /// `wrong-state` where it was decided already, `same-person` for whoever asked.
    pub fn check(&self, asker: &Actor) -> Result<(), Refusal> {
        match self.is_decided {
            true => Err(Refusal::WrongState("this was decided already".to_owned())),
            false if self.by.id == asker.id => Err(Refusal::SamePerson),
            false => Ok(()),
        }
    }

    /// The event that decides it. `answer` is what whoever approves is told of the act.
    #[must_use]
    pub fn given(&self, approve: bool, answer: Said, request: Option<RequestMark>) -> ApprovalGiven {
        ApprovalGiven { follows: self.follows(), approve, answer, request }
    }
}

/// What somebody says of an act that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub approve: bool,
}

impl Verdict {
    /// Reads a request.
    ///
    /// # Errors
    /// All faults at once, each `invalid-request`.
    pub fn read(said: &Said) -> Result<Self, Faults> {
        let mut fields = Fields::of(said, Slug::InvalidRequest);
        let approve = fields.needed_yes_or_no("approve");
        fields.whole(approve).map(|approve| Self { approve })
    }
}

impl Tournament {
    /// What is asked of another person first, where somebody says this of a slip: a director's ruling and correction.
    #[must_use]
    pub fn asks_another(&self, act: Act<'_>, role: Role, slip: &str, said: &Said) -> Option<AskedAct> {
        let (slip, said) = (slip.to_owned(), said.clone());
        match act {
            Act::Rule if self.settings.two_person() => Some(AskedAct::RuleOnSlip { slip, said }),
            Act::Correct { .. } if self.settings.two_person() && role == Role::Director => {
                Some(AskedAct::CorrectSlip { slip, said })
            }
            _ => None,
        }
    }
}

impl Floor {
    /// Whether another person must approve that a division is set so: a new division, another lexicon, another ruleset,
    /// or anything while something else is to come into force there on a later day.
    #[must_use]
    pub fn switch_asks_another(&self, tournament: &Tournament, set: &DivisionSet) -> bool {
        let is_as_now = |division: &Division| {
            (&division.lexicon, &division.second, &division.ruleset.name) == (&set.lexicon, &set.second, &set.ruleset)
        };
        let is_same =
            tournament.division(&set.division).is_ok_and(is_as_now) && !self.will_change(tournament, &set.division);
        tournament.settings.two_person() && !is_same
    }
}
