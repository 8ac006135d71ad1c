//! A tournament with its divisions: which division a slip belongs to, and whether that division accepts it.

use std::collections::BTreeMap;

use crate::domain::event::{KnownPlay, RoundState};
use crate::domain::fault::{FaultCode, Faults};
use crate::domain::lexicon::LexiconName;
use crate::domain::player_name::NamePolicy;
use crate::domain::rounds::Rounds;
use crate::domain::ruleset::{Ruleset, citation};
use crate::domain::settings::{Settings, TournamentSettings};
use crate::domain::slip::{ChallengeDetails, unnamed_division};
use crate::domain::time::Timestamp;

/// The message of a station that needs the table number.
pub const TABLE_NEEDED: &str = "give the number of your table";

/// One event with its divisions.
#[derive(Clone, Debug)]
pub struct Tournament {
    pub id: String,
    pub title: String,
    pub time_zone: String,
    pub settings: TournamentSettings,
    /// The first moment of the last day on which a waiting change came into force in a division.
    pub switched: Timestamp,
    pub(super) divisions: BTreeMap<String, Division>,
}

/// A part of a tournament that plays with one lexicon and one ruleset.
#[derive(Clone, Debug)]
pub struct Division {
    pub id: String,
    pub lexicon: LexiconName,
    pub second: Option<LexiconName>,
    pub ruleset: Ruleset,
    /// The digest of the ruleset's values.
    pub ruleset_sha256: String,
    pub settings: Settings,
    /// How much the tournament records of players' names.
    pub names: NamePolicy,
    pub rounds: Rounds,
    /// The director's own plays for test decks.
    pub known_plays: Vec<KnownPlay>,
}

impl Division {
    /// The division's lexicon, and its second one if there is one.
    pub fn lexica(&self) -> impl Iterator<Item = &LexiconName> {
        std::iter::once(&self.lexicon).chain(&self.second)
    }

    /// Checks that players of the division may look up words themselves.
    ///
    /// # Errors
    /// `self-lookup-off`, with the rule.
    pub fn check_self_lookup(&self) -> Result<(), Faults> {
        if self.allows_self_lookup() {
            return Ok(());
        }
        let (id, cited) = (&self.id, citation(&self.ruleset.self_lookup.rule));
        let detail = format!("in division {id} the players do not look words up themselves{cited}: call a judge");
        Err(Faults::one("division", FaultCode::SelfLookupOff, detail))
    }

    /// Checks that the division accepts slips of a round.
    ///
    /// # Errors
    /// `round-closed`, naming the round that is open.
    pub fn check_round(&self, round: Option<i64>) -> Result<(), Faults> {
        if self.rounds.takes(round) {
            return Ok(());
        }
        let detail = match self.rounds.current() {
            Some((open, _)) => format!("in division {} round {open} is open: file the slip for it", self.id),
            None => format!("in division {} no round is open: call the director", self.id),
        };
        Err(Faults::one("round", FaultCode::RoundClosed, detail))
    }

    /// Checks that a station's slip names its table, where the division requires it.
    ///
    /// # Errors
    /// `invalid-slip`.
    pub fn check_table(&self, table: Option<i64>) -> Result<(), Faults> {
        if table.is_some() || !self.settings.table_required() {
            return Ok(());
        }
        Err(Faults::one("table", FaultCode::InvalidSlip, TABLE_NEEDED))
    }

    /// Checks that the challenger is named, where the penalty depends on their earlier unsuccessful challenges.
    ///
    /// # Errors
    /// A fault of that slug.
    pub fn check_challenger(&self, challenger: Option<&str>, slug: FaultCode) -> Result<(), Faults> {
        if challenger.is_some() || !self.ruleset.escalates() {
            return Ok(());
        }
        let detail = "name the challenger: under this ruleset the penalty goes by his unsuccessful challenges";
        Err(Faults::one("challenger", slug, detail))
    }

    /// The round in which games are being played.
    #[must_use]
    pub fn open_round(&self) -> Option<i64> {
        self.rounds.current().filter(|(_, state)| *state == RoundState::Open).map(|(number, _)| number)
    }

    /// The challenge details of a slip, with the open round where they name none.
    #[must_use]
    pub fn in_round(&self, place: ChallengeDetails) -> ChallengeDetails {
        ChallengeDetails { round: self.round_or_open(place.round), ..place }
    }

    /// The named round, or else the open one.
    #[must_use]
    pub fn round_or_open(&self, round: Option<i64>) -> Option<i64> {
        round.or(self.rounds.current().map(|(number, _)| number))
    }

    /// Whether players may look up at a station; a director may turn it on or off. Source: NSF II.L.5.
    #[must_use]
    pub fn allows_self_lookup(&self) -> bool {
        self.settings.self_lookup.unwrap_or(self.ruleset.self_lookup.allowed)
    }
}

impl Tournament {
    /// The division that a table belongs to, where the divisions have tables.
    #[must_use]
    pub fn division_of_table(&self, table: i64) -> Option<&Division> {
        self.divisions
            .values()
            .find(|division| division.settings.tables.as_ref().is_some_and(|tables| tables.contain(table)))
    }

    /// The division that was named, or that the table belongs to.
    ///
    /// # Errors
    /// `wrong-division`; a fault of that slug where neither says which.
    pub fn division_for(&self, named: Option<&str>, table: Option<i64>, slug: FaultCode) -> Result<&Division, Faults> {
        match (named, table.and_then(|table| self.division_of_table(table))) {
            (Some(named), _) => self.division_at(named, table),
            (None, Some(division)) => Ok(division),
            (None, None) => Err(Faults::one("division", slug, unnamed_division(table))),
        }
    }

    /// The division of that id, after a check that the table belongs to no other division.
    ///
    /// # Errors
    /// `wrong-division`, naming the right one.
    pub fn division_at(&self, id: &str, table: Option<i64>) -> Result<&Division, Faults> {
        let division = self.division(id)?;
        match table.and_then(|table| self.division_of_table(table)) {
            Some(right) if right.id != division.id => {
                let detail = format!("this table belongs to division {}", right.id);
                Err(Faults::one("division", FaultCode::WrongDivision, detail))
            }
            _ => Ok(division),
        }
    }

    /// The division of that id.
    ///
    /// # Errors
    /// `wrong-division`, naming the divisions there are.
    pub fn division(&self, id: &str) -> Result<&Division, Faults> {
        self.divisions.get(id).ok_or_else(|| Faults::one("division", FaultCode::WrongDivision, self.no_such_division()))
    }

    /// The message where a request names an unknown division.
    #[must_use]
    pub fn no_such_division(&self) -> String {
        let known: Vec<&str> = self.divisions.keys().map(String::as_str).collect();
        format!("tournament {} has no such division; its divisions are {}", self.id, known.join(", "))
    }

    /// The divisions, in the order of their ids.
    pub fn divisions(&self) -> impl Iterator<Item = &Division> {
        self.divisions.values()
    }
}
