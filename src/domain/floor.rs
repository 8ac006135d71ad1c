//! The floor: tournaments, divisions and lexica as the logs say they are now.
//!
//! It is a fold of the few events that set things up, small enough to be held whole. Slips are not
//! part of it.

mod rulesets;
mod tournament;

use std::collections::{BTreeMap, BTreeSet};

use super::entry::Entry;
use super::event::{DivisionSet, Event, LexiconImported, RoundSet};
use super::lexicon::LexiconName;
use super::ruleset::Ruleset;
use super::settings::Settings;
use super::time::Timestamp;
use rulesets::Rulesets;

pub use tournament::{Division, TABLE_NEEDED, Tournament};

/// Everything that was set up.
#[derive(Clone, Debug, Default)]
pub struct Floor {
    tournaments: BTreeMap<String, Tournament>,
    lexica: Vec<LexiconImported>,
    used: Vec<LexiconName>,
    rulesets: Rulesets,
    /// The tokens of stations whose last test failed.
    closed_stations: BTreeSet<String>,
    /// The tournaments and divisions whose test decks stations have run since something was set there, with the stations.
    tested: BTreeSet<(String, String, String)>,
    /// Divisions that are set from a later day on, with their tournaments, in the order in which they were set.
    pending: Vec<(String, DivisionSet)>,
}

/// An entry names a ruleset that this version does not have.
#[derive(Debug, thiserror::Error)]
#[error(
    "division {division} of tournament {tournament} uses the ruleset {ruleset:?}, which this version does not know: run the version that set it"
)]
pub struct UnknownRuleset {
    tournament: String,
    division: String,
    ruleset: String,
}

impl Floor {
    /// Takes in the next entry of a log. Entries about slips change nothing here.
    ///
    /// # Errors
    /// [`UnknownRuleset`] where a division cannot be understood; nothing is changed then.
    pub fn apply(&mut self, entry: &Entry) -> Result<(), UnknownRuleset> {
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
                    divisions: BTreeMap::new(),
                };
                self.tournaments.insert(entry.tournament().to_owned(), tournament);
            }
            Event::DivisionSet(set) if set.from.is_some() => {
                // Its ruleset must be known now, and its lexica be there in time.
                self.ruleset_of(entry.tournament(), set)?;
                self.use_lexica(set);
                self.pending.push((entry.tournament().to_owned(), set.clone()));
            }
            Event::DivisionSet(set) => self.set_division(entry.tournament(), set)?,
            Event::RoundSet(set) => self.set_round(entry, set),
            Event::RulesetSet(set) => {
                let sha256 = self.rulesets.set(&set.ruleset);
                // Divisions play by it as it is now; slips on record are judged by what it was.
                let divisions = self.tournaments.values_mut().flat_map(|one| one.divisions.values_mut());
                for division in divisions.filter(|division| division.ruleset.name == set.ruleset.name) {
                    division.ruleset = set.ruleset.clone();
                    division.ruleset_sha256.clone_from(&sha256);
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
            // Everything else sets nothing up.
            _ => {}
        }
        Ok(())
    }

    /// Whether something that was set for a later day is due.
    #[must_use]
    pub fn has_due(&self, now: Timestamp) -> bool {
        self.pending.iter().any(|(tournament, set)| self.is_due(tournament, set, now))
    }

    /// Sets what is due.
    ///
    /// # Errors
    /// [`UnknownRuleset`], which was refused already when it was set.
    pub fn come_into_force(&mut self, now: Timestamp) -> Result<(), UnknownRuleset> {
        let (due, later): (Vec<_>, Vec<_>) = std::mem::take(&mut self.pending)
            .into_iter()
            .partition(|(tournament, set)| self.is_due(tournament, set, now));
        self.pending = later;
        due.iter().try_for_each(|(tournament, set)| self.set_division(tournament, set))
    }

    fn is_due(&self, tournament: &str, set: &DivisionSet, now: Timestamp) -> bool {
        let zone = self.tournaments.get(tournament).map_or("UTC", |tournament| tournament.time_zone.as_str());
        set.from.as_ref().is_none_or(|from| *from <= now.day_in(zone))
    }

    fn ruleset_of(&self, tournament: &str, set: &DivisionSet) -> Result<Ruleset, UnknownRuleset> {
        self.ruleset(&set.ruleset).ok_or_else(|| UnknownRuleset {
            tournament: tournament.to_owned(),
            division: set.division.clone(),
            ruleset: set.ruleset.clone(),
        })
    }

    fn use_lexica(&mut self, set: &DivisionSet) {
        for lexicon in std::iter::once(&set.lexicon).chain(&set.second) {
            if !self.used.contains(lexicon) {
                self.used.push(lexicon.clone());
            }
        }
    }

    fn set_division(&mut self, tournament: &str, set: &DivisionSet) -> Result<(), UnknownRuleset> {
        let ruleset = self.ruleset_of(tournament, set)?;
        self.use_lexica(set);
        self.test_anew(tournament, &set.division);
        if let Some(tournament) = self.tournaments.get_mut(tournament) {
            let before = tournament.divisions.remove(&set.division);
            let (rounds, known_plays) = before.map(|before| (before.rounds, before.known_plays)).unwrap_or_default();
            let division = Division {
                id: set.division.clone(),
                lexicon: set.lexicon.clone(),
                second: set.second.clone(),
                ruleset_sha256: ruleset.sha256(),
                ruleset,
                settings: set.settings.clone(),
                names: tournament.settings.names(),
                rounds,
                known_plays,
            };
            tournament.divisions.insert(set.division.clone(), division);
        }
        Ok(())
    }

    /// What was set is to be tested by every station.
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

    /// Whether something else comes into force in a division on a later day.
    #[must_use]
    pub fn will_change(&self, tournament: &Tournament, division: &str) -> bool {
        self.later(&tournament.id).any(|set| set.division == division)
    }

    /// What comes into force in a tournament on later days.
    pub(super) fn later<'a>(&'a self, tournament: &'a str) -> impl Iterator<Item = &'a DivisionSet> {
        self.pending.iter().filter(move |(of, _)| of == tournament).map(|(_, set)| set)
    }

    /// Whether a division of a tournament plays by a ruleset, or will.
    #[must_use]
    pub fn plays_by(&self, tournament: &Tournament, ruleset: &str) -> bool {
        tournament.divisions().any(|division| division.ruleset.name == ruleset)
            || self.later(&tournament.id).any(|set| set.ruleset == ruleset)
    }

    /// Whether a station's last test failed: it gives no rulings until it passes one.
    #[must_use]
    pub fn is_closed(&self, station: &str) -> bool {
        self.closed_stations.contains(station)
    }

    /// Whether a station has still to try a division's test deck as the division is now.
    #[must_use]
    pub fn owes_test(&self, tournament: &str, division: &str, station: &str) -> bool {
        !self.tested.contains(&(tournament.to_owned(), division.to_owned(), station.to_owned()))
    }

    /// The id and the settings of each division of a tournament, as they are and as they will be from a later day on.
    pub fn settings_of_divisions<'a>(&'a self, tournament: &'a str) -> impl Iterator<Item = (&'a str, &'a Settings)> {
        let now = self.tournaments.get(tournament).into_iter().flat_map(Tournament::divisions);
        now.map(|division| (division.id.as_str(), &division.settings))
            .chain(self.later(tournament).map(|set| (set.division.as_str(), &set.settings)))
    }

    #[must_use]
    pub fn tournament(&self, id: &str) -> Option<&Tournament> {
        self.tournaments.get(id)
    }

    /// In the order of their ids.
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

    /// Every lexicon that some division plays or ever played with, each once.
    pub fn used(&self) -> impl Iterator<Item = &LexiconName> {
        self.used.iter()
    }

    /// The lexica that some division plays with now, each once.
    #[must_use]
    pub fn active(&self) -> Vec<&LexiconName> {
        let divisions = || self.tournaments.values().flat_map(Tournament::divisions);
        self.used.iter().filter(|name| divisions().any(|division| division.lexica().any(|one| one == *name))).collect()
    }
}
