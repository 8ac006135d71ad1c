//! Orders about divisions: those that take effect at once, and those that wait for their day.

use super::waiting::{DivisionPlan, Waiting};
use super::{Setup, UnknownRuleset};
use crate::domain::event::{DivisionSet, WaitingField};
use crate::domain::time::Timestamp;

impl Setup {
    /// Whether a change that waits for its day is due.
    #[must_use]
    pub fn has_pending_due(&self, now: Timestamp) -> bool {
        self.waiting.values().any(|waiting| waiting.next().is_some_and(|start| start <= now))
    }

    /// Applies the changes that are due. They stay in force, even if a clock shows an earlier time later.
    ///
    /// # Errors
    /// [`UnknownRuleset`], which already refused the order when it was recorded.
    pub fn apply_due(&mut self, now: Timestamp) -> Result<(), UnknownRuleset> {
        if !self.has_pending_due(now) {
            return Ok(());
        }
        let all = self.waiting.iter_mut();
        let due: Vec<_> = all.map(|(of, waiting)| (of.clone(), waiting.take_due(now))).collect();
        self.waiting.retain(|_, waiting| !waiting.is_empty());
        for ((tournament, division), orders) in due {
            for order in orders {
                let plan = order.after(self.plan(&tournament, &division));
                self.set_division(&tournament, &division, plan)?;
                if let (Some(tournament), Some(start)) = (self.tournaments.get_mut(&tournament), order.start) {
                    tournament.switched = tournament.switched.max(start);
                }
            }
        }
        Ok(())
    }

    /// Applies an order about a division at once, or adds it to those that wait for their day. It replaces the waiting
    /// changes of the fields that it names.
    pub(super) fn take_order(&mut self, tournament: &str, set: &DivisionSet) -> Result<(), UnknownRuleset> {
        // The ruleset must be known now, and the lexica must be imported in time.
        self.ruleset_of(tournament, &set.division, &set.ruleset)?;
        self.use_lexica(&DivisionPlan::of(set));
        let zone =
            self.tournaments.get(tournament).map_or("UTC", |tournament| tournament.time_zone.as_str()).to_owned();
        let waiting = self.waiting.entry((tournament.to_owned(), set.division.clone())).or_default();
        waiting.give_way(set);
        if let Some(from) = &set.from {
            waiting.add(from, &zone, set);
        } else if set.fields.as_ref().is_none_or(|fields| !fields.is_empty()) {
            let mut plan = self.plan(tournament, &set.division).unwrap_or_else(|| DivisionPlan::of(set));
            match &set.fields {
                Some(fields) => fields.iter().for_each(|field| plan.copy(field, &DivisionPlan::of(set))),
                None => plan = DivisionPlan::of(set),
            }
            self.set_division(tournament, &set.division, plan)?;
        }
        self.waiting.retain(|_, waiting| !waiting.is_empty());
        Ok(())
    }

    /// The set-up as it will be once the order is recorded.
    ///
    /// # Errors
    /// [`UnknownRuleset`].
    pub fn ordered(&self, tournament: &str, set: &DivisionSet) -> Result<Self, UnknownRuleset> {
        let mut then = self.clone();
        then.take_order(tournament, set)?;
        Ok(then)
    }

    /// The present division as a plan; `None` where there is none yet.
    fn plan(&self, tournament: &str, division: &str) -> Option<DivisionPlan> {
        Some(DivisionPlan::current(self.tournaments.get(tournament)?.divisions.get(division)?))
    }

    fn waiting_in(&self, tournament: &str, division: &str) -> Option<&Waiting> {
        self.waiting.get(&(tournament.to_owned(), division.to_owned()))
    }

    /// The waiting changes of a division by field, the earliest first.
    #[must_use]
    pub fn waiting(&self, tournament: &str, division: &str) -> Vec<WaitingField> {
        let waiting = self.waiting_in(tournament, division);
        waiting.map(|waiting| waiting.fields(self.plan(tournament, division))).unwrap_or_default()
    }

    /// The ids of the divisions of a tournament that have waiting changes.
    pub fn waiting_divisions<'a>(&'a self, tournament: &'a str) -> impl Iterator<Item = &'a str> {
        self.waiting.keys().filter(move |(of, _)| of == tournament).map(|(_, division)| division.as_str())
    }

    /// A division as it will be from each day on that changes it.
    #[must_use]
    pub fn later_plans(&self, tournament: &str, division: &str) -> Vec<(String, DivisionPlan)> {
        let waiting = self.waiting_in(tournament, division);
        waiting.map(|waiting| waiting.plans(self.plan(tournament, division))).unwrap_or_default()
    }

    /// A division as it is, or as it will be on a day; `None` where it will not be there.
    #[must_use]
    pub fn plan_on(&self, tournament: &str, division: &str, day: Option<&str>) -> Option<DivisionPlan> {
        let later = self.later_plans(tournament, division).into_iter();
        let last = later.take_while(|(from, _)| day.is_some_and(|day| from.as_str() <= day)).last();
        last.map(|(_, plan)| plan).or_else(|| self.plan(tournament, division))
    }

    /// When the next change in a tournament comes into force.
    #[must_use]
    pub fn next_switch(&self, tournament: &str) -> Option<Timestamp> {
        let own = self.waiting.iter().filter(|((of, _), _)| of == tournament);
        own.filter_map(|(_, waiting)| waiting.next()).min()
    }
}
