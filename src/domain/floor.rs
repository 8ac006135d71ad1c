//! The floor: tournaments, divisions and lexica as the logs say they are now.
//!
//! It is a fold of the few events that set things up, small enough to be held whole. Slips are not
//! part of it.

use std::collections::BTreeMap;

use super::entry::Entry;
use super::event::{DivisionSet, Event, LexiconImported};
use super::fault::{Faults, Slug};
use super::lexicon::LexiconName;
use super::ruleset::Ruleset;
use super::settings::Settings;

/// Everything that was set up.
#[derive(Clone, Debug, Default)]
pub struct Floor {
    tournaments: BTreeMap<String, Tournament>,
    lexica: Vec<LexiconImported>,
    used: Vec<LexiconName>,
}

/// One event with its divisions.
#[derive(Clone, Debug)]
pub struct Tournament {
    pub id: String,
    pub title: String,
    pub time_zone: String,
    divisions: BTreeMap<String, Division>,
}

/// A part of a tournament that plays with one lexicon and one ruleset.
#[derive(Clone, Debug)]
pub struct Division {
    pub id: String,
    pub lexicon: LexiconName,
    pub second: Option<LexiconName>,
    pub ruleset: Ruleset,
    pub settings: Settings,
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
            Event::TournamentCreated(created) => {
                let tournament = Tournament {
                    id: entry.tournament().to_owned(),
                    title: created.title.clone(),
                    time_zone: created.time_zone.clone(),
                    divisions: BTreeMap::new(),
                };
                self.tournaments.insert(entry.tournament().to_owned(), tournament);
            }
            Event::DivisionSet(set) => self.set_division(entry.tournament(), set)?,
            Event::ServerInitialised(_)
            | Event::TokenCreated(_)
            | Event::TokenRevoked(_)
            | Event::LexiconFileWritten(_)
            | Event::LogOpened(_)
            | Event::Restored(_)
            | Event::StorageFull(_)
            | Event::StorageOk(_)
            | Event::SlipRuled(_)
            | Event::SlipAwaitsManualLookup(_)
            | Event::SlipAdjudicated(_)
            | Event::DirectorRuled(_)
            | Event::KeyClosed(_) => {}
        }
        Ok(())
    }

    fn set_division(&mut self, tournament: &str, set: &DivisionSet) -> Result<(), UnknownRuleset> {
        let ruleset = Ruleset::shipped(&set.ruleset).ok_or_else(|| UnknownRuleset {
            tournament: tournament.to_owned(),
            division: set.division.clone(),
            ruleset: set.ruleset.clone(),
        })?;
        for lexicon in std::iter::once(&set.lexicon).chain(&set.second) {
            if !self.used.contains(lexicon) {
                self.used.push(lexicon.clone());
            }
        }
        if let Some(tournament) = self.tournaments.get_mut(tournament) {
            let division = Division {
                id: set.division.clone(),
                lexicon: set.lexicon.clone(),
                second: set.second.clone(),
                ruleset,
                settings: set.settings.clone(),
            };
            tournament.divisions.insert(set.division.clone(), division);
        }
        Ok(())
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

impl Division {
    /// Its lexicon, and the second one if it has one.
    pub fn lexica(&self) -> impl Iterator<Item = &LexiconName> {
        std::iter::once(&self.lexicon).chain(&self.second)
    }

    /// Whether players may look up at a station; a director may turn it on or off. Source: NSF II.L.5.
    #[must_use]
    pub fn allows_self_lookup(&self) -> bool {
        self.settings.self_lookup.unwrap_or(self.ruleset.self_lookup.allowed)
    }
}

impl Tournament {
    /// The division of that id.
    ///
    /// # Errors
    /// `wrong-division`, naming the divisions there are.
    pub fn division(&self, id: &str) -> Result<&Division, Faults> {
        self.divisions.get(id).ok_or_else(|| {
            let known: Vec<&str> = self.divisions.keys().map(String::as_str).collect();
            let detail = format!("tournament {} has no such division; its divisions are {}", self.id, known.join(", "));
            Faults::one("division", Slug::WrongDivision, detail)
        })
    }

    /// In the order of their ids.
    pub fn divisions(&self) -> impl Iterator<Item = &Division> {
        self.divisions.values()
    }

    /// Whether a station must name its table in that division.
    #[must_use]
    pub fn requires_table(&self, division: &str) -> bool {
        self.divisions.get(division).is_some_and(|division| division.settings.table_required())
    }
}
