//! Where and when slips were filed, and which of them are neighbours: near enough to reveal each other's results.

use crate::domain::event::{Event, FiledSlip};
use crate::domain::ledger::Actor;
use crate::domain::record::SlipRecord;
use crate::domain::setup::Division;
use crate::domain::time::Timestamp;

const MINUTE_US: i64 = 60_000_000;

/// How far apart two slips of one table can be filed and still belong to one round, before any round was opened. It is
/// also how long the director is alerted when another table files a word of an unacceptable slip.
pub const TEN_MINUTES_US: i64 = 10 * MINUTE_US;

/// How far apart slips of a division can be filed and still reveal something about each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProbingWindows {
    /// The longest time between two neighbours where either has no round, in microseconds.
    pub near_us: i64,
    /// How soon after a ruling of its table another slip may be a part of the same play, in microseconds.
    pub parts_us: i64,
    /// When the first round was opened. Slips filed before it may name any round.
    pub first_opened: Option<Timestamp>,
}

impl ProbingWindows {
    /// The windows of a division with its present settings.
    #[must_use]
    pub fn of(division: &Division) -> Self {
        Self {
            near_us: i64::from(division.settings.near_minutes()) * MINUTE_US,
            parts_us: i64::from(division.settings.parts_s()) * 1_000_000,
            first_opened: division.rounds.first_opened(),
        }
    }

    fn is_before_rounds(self, at: Timestamp) -> bool {
        self.first_opened.is_none_or(|opened| at < opened)
    }
}

/// The rounds that a key covers.
#[derive(Clone, Copy, Debug)]
enum RoundKey {
    Any,
    /// The round that a slip names, or none.
    Named(Option<i64>),
}

/// Where a slip was filed, by whom, and when.
#[derive(Clone, Copy, Debug)]
pub struct FilingLocation<'a> {
    pub tournament: &'a str,
    pub slip: &'a FiledSlip,
    pub by: &'a Actor,
    pub at: Timestamp,
}

impl<'a> FilingLocation<'a> {
    /// The location of an event that files a slip which has a ruling or can get one.
    #[must_use]
    pub fn of_event(tournament: &'a str, event: &'a Event, by: &'a Actor, at: Timestamp) -> Option<Self> {
        match event {
            Event::ChallengeDisposed(_) => None,
            _ => event.slip().map(|slip| Self { tournament, slip, by, at }),
        }
    }

    /// The location of a slip on record.
    #[must_use]
    pub fn of(record: &'a SlipRecord) -> Self {
        let SlipRecord { tournament, slip, filed_by, filed_at, .. } = record;
        Self { tournament, slip, by: filed_by, at: *filed_at }
    }

    /// The key of the table in its round of a division; `None` where no table is known.
    #[must_use]
    pub fn table_key(self) -> Option<String> {
        self.slip.table.map(|table| self.key(&self.slip.division, &round_key(self.slip.round), &table.to_string()))
    }

    /// The key of the station or token in the round of a division. Slips that name no table have a key of their own,
    /// since only they are neighbours of all other slips of that token.
    #[must_use]
    pub fn filer_key(self) -> String {
        self.filer_key_in(&self.slip.division, RoundKey::Named(self.slip.round), self.slip.table.is_some())
    }

    /// The key of the table in any round of its division.
    #[must_use]
    pub fn table_key_of_any_round(self) -> Option<String> {
        self.slip.table.map(|table| format!("{} {} {table}", self.tournament, self.slip.division))
    }

    /// The key of the station or token in any round of a division.
    #[must_use]
    pub fn filer_key_of_any_round(self) -> String {
        self.filer_key_in(&self.slip.division, RoundKey::Any, self.slip.table.is_some())
    }

    /// The table keys and filer keys of all neighbouring slips and of all slips of that table.
    #[must_use]
    pub fn neighbour_keys(self) -> Vec<String> {
        let rounds = match self.slip.round {
            Some(_) => vec![RoundKey::Named(self.slip.round), RoundKey::Named(None)],
            None => vec![RoundKey::Any],
        };
        // At the same table slips of every station and token count; where either slip has no table, those of the same
        // one.
        let with_tables: &[bool] = if self.slip.table.is_some() { &[false] } else { &[false, true] };
        let seats = with_tables.iter().flat_map(|has_table| rounds.iter().map(move |round| (*round, *has_table)));
        let seats = seats.map(|(round, has_table)| self.filer_key_in(&self.slip.division, round, has_table));
        self.table_key_of_any_round().into_iter().chain(seats).collect()
    }

    /// The filer keys of everything that the same station filed in the round, in these divisions.
    #[must_use]
    pub fn station_keys(self, divisions: &[String]) -> Vec<String> {
        let round = RoundKey::Named(self.slip.round);
        let seats = |division: &String| [true, false].map(|has_table| self.filer_key_in(division, round, has_table));
        divisions.iter().flat_map(seats).collect()
    }

    /// The filer key in a round, or in any round.
    fn filer_key_in(self, division: &str, round: RoundKey, has_table: bool) -> String {
        let at = format!("@{}{}", self.by.id, if has_table { "" } else { " -" });
        match round {
            RoundKey::Named(round) => self.key(division, &round_key(round), &at),
            RoundKey::Any => format!("{} {division} {at}", self.tournament),
        }
    }

    fn key(self, division: &str, round: &str, at: &str) -> String {
        format!("{} {division} {round} {at}", self.tournament)
    }

    /// How long after the first of the two the second was filed, in microseconds. Their numbers say which is the first:
    /// where a clock was set back between them, no time has passed.
    pub(super) fn apart_us(self, other: Self) -> i64 {
        let (first, second) = if self.order() < other.order() { (self, other) } else { (other, self) };
        second.at.micros().saturating_sub(first.at.micros()).max(0)
    }

    /// The slip's position among all slips of the tournament. A slip that is being filed has no number yet and is the
    /// last.
    pub(super) fn order(self) -> u64 {
        if self.slip.number == 0 { u64::MAX } else { self.slip.number }
    }

    /// Whether another slip is a neighbour: of the same table, or, where either has no table, of the same station or
    /// token; and of the same round. A free look-up is no neighbour.
    pub(super) fn is_near(self, other: Self, windows: ProbingWindows) -> bool {
        let is_there = match (self.slip.table, other.slip.table) {
            (Some(here), Some(there)) => here == there,
            _ => self.by.id == other.by.id,
        };
        let is_division = self.slip.division == other.slip.division;
        is_there && is_division && !other.slip.free_lookup && self.is_of_round(other, windows)
    }

    /// Whether the slips are of one round. A slip without a round belongs to any round that is near in time, and before
    /// the first round was opened the round that a table names does not count.
    pub(super) fn is_of_round(self, other: Self, windows: ProbingWindows) -> bool {
        let apart = self.apart_us(other);
        let is_named = match (self.slip.round, other.slip.round) {
            (Some(here), Some(there)) => here == there,
            _ => apart <= windows.near_us,
        };
        let is_one_table = self.slip.table.is_some() && self.slip.table == other.slip.table;
        let is_before_rounds = [self.at, other.at].into_iter().all(|at| windows.is_before_rounds(at));
        is_named || (is_one_table && is_before_rounds && apart <= TEN_MINUTES_US)
    }
}

fn round_key(round: Option<i64>) -> String {
    round.map_or_else(|| "-".to_owned(), |round| round.to_string())
}
