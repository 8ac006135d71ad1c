//! Orders that wait for their day in a division. On its day an order changes the fields that it names and no others.

use std::collections::BTreeMap;

use super::Division;
use crate::domain::event::{DivisionSet, WaitingField};
use crate::domain::lexicon::LexiconName;
use crate::domain::settings::{SETTING_KEYS, Settings};
use crate::domain::time::Timestamp;

/// The fields of a division besides its settings.
const FIELDS: [&str; 3] = ["lexicon", "second", "ruleset"];

/// The values of a division that an order can set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DivisionPlan {
    pub lexicon: LexiconName,
    pub second: Option<LexiconName>,
    /// The ruleset's name.
    pub ruleset: String,
    pub settings: Settings,
}

impl DivisionPlan {
    pub(super) fn of(set: &DivisionSet) -> Self {
        Self {
            lexicon: set.lexicon.clone(),
            second: set.second.clone(),
            ruleset: set.ruleset.clone(),
            settings: set.settings.clone(),
        }
    }

    pub(super) fn current(division: &Division) -> Self {
        Self {
            lexicon: division.lexicon.clone(),
            second: division.second.clone(),
            ruleset: division.ruleset.name.clone(),
            settings: division.settings.clone(),
        }
    }

    /// Copies one field from another plan. An unknown field changes nothing.
    pub(super) fn copy(&mut self, field: &str, from: &Self) {
        match field {
            "lexicon" => self.lexicon = from.lexicon.clone(),
            "second" => self.second.clone_from(&from.second),
            "ruleset" => self.ruleset.clone_from(&from.ruleset),
            key => self.settings.copy(key, &from.settings),
        }
    }

    /// Whether both plans have equal lexica and equal rulesets.
    #[must_use]
    pub fn plays_as(&self, other: &Self) -> bool {
        (&self.lexicon, &self.second, &self.ruleset) == (&other.lexicon, &other.second, &other.ruleset)
    }

    fn value(&self, field: &str) -> Option<String> {
        match field {
            "lexicon" => Some(self.lexicon.id.clone()),
            "second" => self.second.as_ref().map(|second| second.id.clone()),
            "ruleset" => Some(self.ruleset.clone()),
            key => self.settings.value(key),
        }
    }
}

/// An order whose day has not come.
#[derive(Clone, Debug)]
pub(super) struct Order {
    pub(super) from: String,
    /// The first moment of that day; `None` where an old ledger names no day, which never comes.
    pub(super) start: Option<Timestamp>,
    pub(super) plan: DivisionPlan,
    /// The fields that it still changes.
    fields: Vec<String>,
    /// Whether it describes the whole division, as orders of old ledgers and of new divisions do.
    is_whole: bool,
}

impl Order {
    /// The division after the order's day, where it was `before`.
    pub(super) fn after(&self, before: Option<DivisionPlan>) -> DivisionPlan {
        let Some(mut plan) = before else { return self.plan.clone() };
        for field in &self.fields {
            plan.copy(field, &self.plan);
        }
        plan
    }
}

/// The orders that wait in one division, the earliest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Waiting(Vec<Order>);

impl Waiting {
    /// Removes the changes that an order replaces: those of the fields that it names, or all.
    pub(super) fn give_way(&mut self, set: &DivisionSet) {
        if set.cancel {
            self.0.clear();
        }
        for order in &mut self.0 {
            order.fields.retain(|field| !set.fields.iter().flatten().any(|named| named == field));
        }
        self.0.retain(|order| !order.fields.is_empty());
    }

    /// Adds an order for a later day. Of several orders for one day, the one recorded last is applied last.
    pub(super) fn add(&mut self, from: &str, zone: &str, set: &DivisionSet) {
        let all = || FIELDS.into_iter().chain(SETTING_KEYS).map(str::to_owned).collect();
        self.0.push(Order {
            from: from.to_owned(),
            start: Timestamp::start_of(from, zone),
            plan: DivisionPlan::of(set),
            fields: set.fields.clone().unwrap_or_else(all),
            is_whole: set.fields.is_none(),
        });
        self.0.sort_by(|one, other| one.start.cmp(&other.start).then_with(|| one.from.cmp(&other.from)));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The first moment at which an order comes into force.
    pub(super) fn next(&self) -> Option<Timestamp> {
        self.0.iter().filter_map(|order| order.start).min()
    }

    /// Removes and returns the orders whose day has come.
    pub(super) fn take_due(&mut self, now: Timestamp) -> Vec<Order> {
        let is_due = |order: &Order| order.start.is_some_and(|start| start <= now);
        let (due, later) = std::mem::take(&mut self.0).into_iter().partition(is_due);
        self.0 = later;
        due
    }

    /// The division from each day on that changes it, where it is `now`.
    pub(super) fn plans(&self, now: Option<DivisionPlan>) -> Vec<(String, DivisionPlan)> {
        let mut before = now;
        let mut plans: BTreeMap<&str, DivisionPlan> = BTreeMap::new();
        for order in &self.0 {
            let after = order.after(before);
            plans.insert(&order.from, after.clone());
            before = Some(after);
        }
        plans.into_iter().map(|(from, plan)| (from.to_owned(), plan)).collect()
    }

    /// The fields with waiting changes. An order that describes the whole division counts for the fields that it
    /// changes.
    pub(super) fn fields(&self, now: Option<DivisionPlan>) -> Vec<WaitingField> {
        let (mut before, mut fields) = (now, Vec::new());
        for order in &self.0 {
            let after = order.after(before.clone());
            for field in &order.fields {
                let value = after.value(field);
                let was = before.as_ref().map(|before| before.value(field));
                let says_something = match was {
                    Some(was) => was != value,
                    None => value.is_some(),
                };
                if says_something || !order.is_whole {
                    fields.push(WaitingField { field: field.clone(), from: order.from.clone(), value });
                }
            }
            before = Some(after);
        }
        fields
    }
}
