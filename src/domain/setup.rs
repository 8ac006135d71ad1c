//! The set-up: tournaments, divisions and lexica in their present state, as the logs record it.
//!
//! It is a fold of the few set-up events, small enough to fit in memory as a whole. Slips are not part of it.

mod basis;
mod orders;
mod rulesets;
mod tournament;
mod waiting;

use std::collections::{BTreeMap, BTreeSet};

use super::entry::Entry;
use super::event::{ClockDoubted, Event, LexiconImported, RoundSet};
use super::lexicon::LexiconName;
use super::ruleset::Ruleset;
use super::settings::Settings;
use super::time::Timestamp;
use rulesets::Rulesets;

pub use basis::Basis;
pub use tournament::{Division, TABLE_NEEDED, Tournament};
pub use waiting::DivisionPlan;
use waiting::Waiting;

/// The present set-up.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    tournaments: BTreeMap<String, Tournament>,
    lexica: Vec<LexiconImported>,
    used: Vec<LexiconName>,
    rulesets: Rulesets,
    /// The tokens of stations whose last test failed.
    closed_stations: BTreeSet<String>,
    /// The tournaments and divisions whose test decks stations have run since the last change there, with the stations.
    tested: BTreeSet<(String, String, String)>,
    /// The changes that wait for their day, by tournament and division.
    waiting: BTreeMap<(String, String), Waiting>,
    /// Why a director must confirm the clock.
    clock_doubt: Option<ClockDoubted>,
}

/// An entry names a ruleset that this version does not have.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "division {division} of tournament {tournament} uses the ruleset {ruleset:?}, which this version does not know: run the version that set it"
)]
pub struct UnknownRuleset {
    tournament: String,
    division: String,
    ruleset: String,
}

impl Setup {
    /// Applies the next entry of a log. Entries about slips change nothing here. Changes that were due by the entry's
    /// time come into force before it.
    ///
    /// # Errors
    /// [`UnknownRuleset`] where a division uses a ruleset that this version does not know.
    pub fn apply(&mut self, entry: &Entry) -> Result<(), UnknownRuleset> {
        self.apply_due(entry.at)?;
        self.take_in(entry)?;
        self.apply_due(entry.at)
    }

    fn take_in(&mut self, entry: &Entry) -> Result<(), UnknownRuleset> {
        match &entry.event {
            Event::LexiconImported(imported) => self.lexica.push(imported.clone()),
            Event::LexiconEffectiveSet(set) => {
                for imported in self.lexica.iter_mut().filter(|imported| imported.lexicon == set.lexicon) {
                    imported.effective_from.clone_from(&set.effective_from);
                }
            }
            Event::TournamentCreated(created) => {
                let tournament = Tournament {
                    id: entry.tournament().to_owned(),
                    title: created.title.clone(),
                    time_zone: created.time_zone.clone(),
                    settings: created.settings.clone(),
                    switched: Timestamp::from_micros(0),
                    divisions: BTreeMap::new(),
                };
                self.tournaments.insert(entry.tournament().to_owned(), tournament);
            }
            Event::DivisionSet(set) => self.take_order(entry.tournament(), set)?,
            Event::RoundSet(set) => self.set_round(entry, set),
            Event::RulesetSet(set) => {
                let sha256 = self.rulesets.set(&set.ruleset);
                // Divisions use the ruleset's new values; slips on record keep the values that applied when they were
                // filed.
                let divisions = self.tournaments.values_mut().flat_map(|one| one.divisions.values_mut());
                for division in divisions.filter(|division| division.ruleset.name == set.ruleset.name) {
                    division.ruleset = set.ruleset.clone();
                    division.ruleset_sha256.clone_from(&sha256);
                }
            }
            Event::ClockDoubted(doubted) => self.clock_doubt = Some(doubted.clone()),
            Event::ClockConfirmed(confirmed) => {
                // Changes in force stay in force, although entries may now be earlier than their day.
                if let Ok(newest) = Timestamp::parse(&confirmed.newest) {
                    self.apply_due(newest)?;
                }
                self.clock_doubt = None;
                for tournament in self.tournaments.values_mut() {
                    tournament.switched = Timestamp::from_micros(0);
                }
            }
            Event::TestDeckSet(set) => {
                self.test_anew(entry.tournament(), &set.division);
                if let Some(division) = self.division_mut(entry.tournament(), &set.division) {
                    division.known_plays.clone_from(&set.plays);
                }
            }
            Event::TestDeckRun(run) => {
                let station = entry.actor.id.clone();
                self.tested.insert((entry.tournament().to_owned(), run.division.clone(), station.clone()));
                if run.passed {
                    self.closed_stations.remove(&station);
                } else {
                    self.closed_stations.insert(station);
                }
            }
            // All other events leave the set-up unchanged.
            _ => {}
        }
        Ok(())
    }

    /// The ruleset that a division uses.
    ///
    /// # Errors
    /// [`UnknownRuleset`].
    pub fn ruleset_of(&self, tournament: &str, division: &str, ruleset: &str) -> Result<Ruleset, UnknownRuleset> {
        self.ruleset(ruleset).ok_or_else(|| UnknownRuleset {
            tournament: tournament.to_owned(),
            division: division.to_owned(),
            ruleset: ruleset.to_owned(),
        })
    }

    fn use_lexica(&mut self, plan: &DivisionPlan) {
        for lexicon in std::iter::once(&plan.lexicon).chain(&plan.second) {
            if !self.used.contains(lexicon) {
                self.used.push(lexicon.clone());
            }
        }
    }

    fn set_division(&mut self, tournament: &str, id: &str, plan: DivisionPlan) -> Result<(), UnknownRuleset> {
        let ruleset = self.ruleset_of(tournament, id, &plan.ruleset)?;
        self.test_anew(tournament, id);
        if let Some(tournament) = self.tournaments.get_mut(tournament) {
            let before = tournament.divisions.remove(id);
            let (rounds, known_plays) = before.map(|before| (before.rounds, before.known_plays)).unwrap_or_default();
            let division = Division {
                id: id.to_owned(),
                lexicon: plan.lexicon,
                second: plan.second,
                ruleset_sha256: ruleset.sha256(),
                ruleset,
                settings: plan.settings,
                names: tournament.settings.names(),
                rounds,
                known_plays,
            };
            tournament.divisions.insert(id.to_owned(), division);
        }
        Ok(())
    }

    /// Requires every station to run the division's test deck again.
    fn test_anew(&mut self, tournament: &str, division: &str) {
        self.tested.retain(|(of, tested, _)| of != tournament || tested != division);
    }

    fn set_round(&mut self, entry: &Entry, set: &RoundSet) {
        self.test_anew(entry.tournament(), &set.division);
        if let Some(division) = self.division_mut(entry.tournament(), &set.division) {
            division.rounds.set(set.number, set.state, entry.at);
        }
    }

    fn division_mut(&mut self, tournament: &str, division: &str) -> Option<&mut Division> {
        self.tournaments.get_mut(tournament)?.divisions.get_mut(division)
    }

    /// Whether a division of a tournament uses a ruleset, now or from a later day.
    #[must_use]
    pub fn uses_ruleset(&self, tournament: &Tournament, ruleset: &str) -> bool {
        let later = self.waiting_divisions(&tournament.id).flat_map(|one| self.later_plans(&tournament.id, one));
        let mut later = later.map(|(_, plan)| plan.ruleset);
        tournament.divisions().any(|division| division.ruleset.name == ruleset) || later.any(|one| one == ruleset)
    }

    /// Whether a station's last test failed: it gives no rulings until it passes one.
    #[must_use]
    pub fn is_closed(&self, station: &str) -> bool {
        self.closed_stations.contains(station)
    }

    /// Whether a station still has to run a division's test deck with the division's present set-up.
    #[must_use]
    pub fn needs_test(&self, tournament: &str, division: &str, station: &str) -> bool {
        !self.tested.contains(&(tournament.to_owned(), division.to_owned(), station.to_owned()))
    }

    /// Why a director must confirm the clock, where the ledger records a doubt.
    #[must_use]
    pub fn clock_doubt(&self) -> Option<&ClockDoubted> {
        self.clock_doubt.as_ref()
    }

    /// The id and the settings of each division of a tournament, with its present settings and those of later days.
    #[must_use]
    pub fn settings_of_divisions(&self, tournament: &str) -> Vec<(String, Settings)> {
        let now = self.tournaments.get(tournament).into_iter().flat_map(Tournament::divisions);
        let now = now.map(|division| (division.id.clone(), division.settings.clone()));
        let later = self.waiting_divisions(tournament).flat_map(|division| {
            let plans = self.later_plans(tournament, division).into_iter();
            plans.map(|(_, plan)| (division.to_owned(), plan.settings))
        });
        now.chain(later).collect()
    }

    #[must_use]
    pub fn tournament(&self, id: &str) -> Option<&Tournament> {
        self.tournaments.get(id)
    }

    /// The tournaments, in the order of their ids.
    pub fn tournaments(&self) -> impl Iterator<Item = &Tournament> {
        self.tournaments.values()
    }

    /// The imported lexica, in the order of their import.
    #[must_use]
    pub fn lexica(&self) -> &[LexiconImported] {
        &self.lexica
    }

    /// The imported lexicon of that id. Ids are unique ignoring case.
    #[must_use]
    pub fn lexicon(&self, id: &str) -> Option<&LexiconImported> {
        self.lexica.iter().find(|imported| imported.lexicon.id.eq_ignore_ascii_case(id))
    }

    /// The import of exactly this lexicon.
    #[must_use]
    pub fn imported(&self, name: &LexiconName) -> Option<&LexiconImported> {
        self.lexica.iter().find(|imported| imported.lexicon == *name)
    }

    /// Every lexicon that any division uses or ever used, each once.
    pub fn used(&self) -> impl Iterator<Item = &LexiconName> {
        self.used.iter()
    }

    /// The lexica that any division uses now, each once.
    #[must_use]
    pub fn active(&self) -> Vec<&LexiconName> {
        let divisions = || self.tournaments.values().flat_map(Tournament::divisions);
        self.used.iter().filter(|name| divisions().any(|division| division.lexica().any(|one| one == *name))).collect()
    }
}

#[cfg(test)]
mod tests;
