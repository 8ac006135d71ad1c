//! Probing: filing parts of a play again tells which of its words failed. Such a slip is held for a judge.
//! Source: D 8, NSF II.L.5.
//!
//! CAT and QIX were unacceptable. Whoever then files CAT alone learns from its ruling that QIX is the bad word, and
//! from an acceptable play's word beside another one as much about that. So a player's slip that shares a word with a
//! ruled one of the same place is held, unless it is the very same slip, whose ruling is known.
//!
//! Where the rule does not hold a slip the director is told of it: at another table or in another division the same
//! words may honestly be challenged, and a slip that waits for a judge has no ruling yet of which another could tell.

use super::event::{Event, FiledSlip, SlipHeld, SlipRuled};
use super::ledger::Actor;
use super::record::{SlipRecord, State};
use super::role::Role;
use super::ruling::Ruling;
use super::slip::are_same_words;

/// Where a slip was filed, and by whom.
#[derive(Clone, Copy, Debug)]
pub struct Spot<'a> {
    pub tournament: &'a str,
    pub slip: &'a FiledSlip,
    pub by: &'a Actor,
}

impl<'a> Spot<'a> {
    /// That of an event that files a slip which has a ruling or can get one.
    #[must_use]
    pub fn of_event(tournament: &'a str, event: &'a Event, by: &'a Actor) -> Option<Self> {
        match event {
            Event::ChallengeDisposed(_) => None,
            _ => event.slip().map(|slip| Self { tournament, slip, by }),
        }
    }

    /// That of a slip on record.
    #[must_use]
    pub fn of(record: &'a SlipRecord) -> Self {
        Self { tournament: &record.tournament, slip: &record.slip, by: &record.filed_by }
    }

    /// Where slips are near enough to tell of each other: at one table in one round of a division.
    #[must_use]
    pub fn place(self) -> Option<String> {
        self.slip.table.map(|table| self.key(&self.slip.division, &table.to_string()))
    }

    /// The same where a table is not known: from one station or token in one round of a division. Slips that name no
    /// table have a seat of their own, since only they are near all others of that token.
    #[must_use]
    pub fn seat(self) -> String {
        self.seat_of(self.slip.table.is_some())
    }

    fn seat_of(self, has_table: bool) -> String {
        self.seat_in(&self.slip.division, has_table)
    }

    fn seat_in(self, division: &str, has_table: bool) -> String {
        let table = if has_table { "" } else { " -" };
        self.key(division, &format!("@{}{table}", self.by.id))
    }

    /// The places and seats of everything that is near.
    #[must_use]
    pub fn near(self) -> Vec<String> {
        let with_table = self.slip.table.is_none().then(|| self.seat_of(true));
        [self.place(), Some(self.seat_of(false)), with_table].into_iter().flatten().collect()
    }

    /// The seats of everything that the same station filed in the round, in these divisions.
    #[must_use]
    pub fn of_station(self, divisions: &[String]) -> Vec<String> {
        let seats = |division: &String| [true, false].map(|has_table| self.seat_in(division, has_table));
        divisions.iter().flat_map(seats).collect()
    }

    fn key(self, division: &str, at: &str) -> String {
        let round = self.slip.round.map_or_else(|| "-".to_owned(), |round| round.to_string());
        format!("{} {division} {round} {at}", self.tournament)
    }

    /// Whether another slip is of the same place: at the same table, or, where either has none, from the same station
    /// or token. Free look-ups hold nothing.
    fn is_near(self, other: &SlipRecord) -> bool {
        let is_there = match (self.slip.table, other.slip.table) {
            (Some(here), Some(there)) => here == there,
            _ => self.by.id == other.filed_by.id,
        };
        let is_round = (&self.slip.division, self.slip.round) == (&other.slip.division, other.slip.round);
        is_there && is_round && !other.slip.free_lookup
    }
}

/// The other slip near a corrected one of which its new words would tell. Source: D 9.
#[must_use]
pub fn told_by_correction<'a>(
    record: &SlipRecord,
    words: &[String],
    near: impl IntoIterator<Item = &'a SlipRecord>,
) -> Option<&'a SlipRecord> {
    near.into_iter().find(|other| other.ruling().is_some() && is_beside(record, other) && shares(words, other))
}

/// Whether a slip's ruling tells something of another one's that is under review: its judge is not to see either.
/// Source: D 6.
#[must_use]
pub fn tells_of_review(record: &SlipRecord, near: &[SlipRecord]) -> bool {
    let words: Vec<String> =
        record.adjudications.iter().flat_map(|one| &one.words).chain(&record.words).cloned().collect();
    near.iter().any(|other| other.state == State::UnderReview && is_beside(record, other) && shares(&words, other))
}

/// Whether two slips on record are of one place.
fn is_beside(record: &SlipRecord, other: &SlipRecord) -> bool {
    other.slip.id != record.slip.id && Spot::of(record).is_near(other)
}

/// Whether any of the words is one of a slip's, in any of its adjudications or, where there is none yet, as it stands.
fn shares(words: &[String], other: &SlipRecord) -> bool {
    other.adjudications.iter().flat_map(|one| &one.words).chain(&other.words).any(|word| words.contains(word))
}

/// What becomes of a slip that was heard, beside the slips on record that are near it: it is ruled, or held, or
/// ruled with an alert to the director. `by` filed it in the role.
#[must_use]
pub fn watched(event: SlipRuled, tournament: &str, by: &Actor, role: Role, near: &[&SlipRecord]) -> Event {
    if event.slip.free_lookup {
        return Event::SlipRuled(event);
    }
    let here = Spot { tournament, slip: &event.slip, by };
    let sharing: Vec<&SlipRecord> = near.iter().copied().filter(|other| shares(&event.words, other)).collect();
    let here_are = |is_so: fn(&SlipRecord) -> bool| -> Vec<&SlipRecord> {
        sharing.iter().copied().filter(|other| here.is_near(other) && is_so(other)).collect()
    };
    let ruled = here_are(|other| other.ruling().is_some());
    let is_said_by =
        |other: &&SlipRecord| other.adjudications.iter().any(|one| are_same_words(&one.words, &event.words));
    let is_known = ruled.iter().any(is_said_by);
    let waiting = if is_known { Vec::new() } else { here_are(SlipRecord::waits_for_ruling) };
    let told = match role {
        Role::Station | Role::Client if !is_known && !ruled.is_empty() => return held(event, ids_of(&ruled)),
        Role::Station => [waiting, elsewhere(here, &sharing)].concat(),
        Role::Client => waiting,
        Role::Judge | Role::Director | Role::Observer => [ruled, waiting].concat(),
    };
    Event::SlipRuled(SlipRuled { shares: ids_of(&told), ..event })
}

/// Unacceptable slips that the same station filed for other tables in the round: a player may have gone to another
/// table's screen, or named another division.
fn elsewhere<'a>(here: Spot<'_>, sharing: &[&'a SlipRecord]) -> Vec<&'a SlipRecord> {
    let is_elsewhere = |other: &&SlipRecord| {
        other.filed_by.id == here.by.id
            && (&other.slip.division, other.slip.table) != (&here.slip.division, here.slip.table)
            && other.slip.round == here.slip.round
            && other.ruling() == Some(Ruling::Unacceptable)
            && !other.slip.free_lookup
    };
    sharing.iter().copied().filter(is_elsewhere).collect()
}

fn ids_of(slips: &[&SlipRecord]) -> Vec<String> {
    slips.iter().map(|slip| slip.slip.id.clone()).collect()
}

fn held(event: SlipRuled, shares: Vec<String>) -> Event {
    Event::SlipHeld(SlipHeld {
        slip: event.slip,
        typed: event.typed,
        words: event.words,
        lexicon: event.lexicon,
        second: event.second,
        shares,
        request: event.request,
        program: event.program,
    })
}
