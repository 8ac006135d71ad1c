//! Probing: filing parts of a play again tells which of its words failed. Such a slip is held for a judge.
//! Source: D 8, NSF II.L.5.
//!
//! CAT and QIX were unacceptable. Whoever then files CAT alone learns from its ruling that QIX is the bad word, and
//! from an acceptable play's word beside another one as much about that. So a player's slip that shares a word with a
//! ruled one of the same place is held, unless it is the very same slip, whose ruling is known.

use super::event::{Event, FiledSlip, SlipHeld, SlipRuled};
use super::ledger::Actor;
use super::record::SlipRecord;
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
        self.slip.table.map(|table| self.key(&table.to_string()))
    }

    /// The same where a table is not known: from one station or token in one round of a division. Slips that name no
    /// table have a seat of their own, since only they are near all others of that token.
    #[must_use]
    pub fn seat(self) -> String {
        self.seat_of(self.slip.table.is_some())
    }

    fn seat_of(self, has_table: bool) -> String {
        let table = if has_table { "" } else { " -" };
        self.key(&format!("@{}{table}", self.by.id))
    }

    /// The places and seats of everything that is near. `role` is that of whoever says something of the slip: of a
    /// station also what it filed for other tables is looked at.
    #[must_use]
    pub fn near(self, role: Role) -> Vec<String> {
        let looks_at_tables = self.slip.table.is_none() || role == Role::Station;
        let with_table = looks_at_tables.then(|| self.seat_of(true));
        [self.place(), Some(self.seat_of(false)), with_table].into_iter().flatten().collect()
    }

    fn key(self, at: &str) -> String {
        let round = self.slip.round.map_or_else(|| "-".to_owned(), |round| round.to_string());
        format!("{} {} {round} {at}", self.tournament, self.slip.division)
    }

    /// Whether a slip's ruling could be told by another one here: at the same table, or, where either has none, from
    /// the same station or token. Free look-ups hold nothing.
    fn may_tell_of(self, other: &SlipRecord) -> bool {
        let is_ruled = other.ruling().is_some() && !other.slip.free_lookup;
        let is_near = match (self.slip.table, other.slip.table) {
            (Some(here), Some(there)) => here == there,
            _ => self.by.id == other.filed_by.id,
        };
        is_ruled && is_near && (&self.slip.division, self.slip.round) == (&other.slip.division, other.slip.round)
    }
}

/// The other slip near a corrected one of which its new words would tell. Source: D 9.
#[must_use]
pub fn told_by_correction<'a>(
    record: &SlipRecord,
    words: &[String],
    near: impl IntoIterator<Item = &'a SlipRecord>,
) -> Option<&'a SlipRecord> {
    let here = Spot::of(record);
    let is_told =
        |other: &&SlipRecord| other.slip.id != record.slip.id && here.may_tell_of(other) && shares(words, other);
    near.into_iter().find(is_told)
}

/// Whether any of the words is one of a slip's, in any of its adjudications.
fn shares(words: &[String], other: &SlipRecord) -> bool {
    other.adjudications.iter().flat_map(|one| &one.words).any(|word| words.contains(word))
}

/// What becomes of a slip that was heard, beside the slips on record that are near it: it is ruled, or held, or
/// ruled with an alert to the director. `by` filed it in the role.
#[must_use]
pub fn watched(event: SlipRuled, tournament: &str, by: &Actor, role: Role, near: &[&SlipRecord]) -> Event {
    if event.slip.free_lookup {
        return Event::SlipRuled(event);
    }
    let here = Spot { tournament, slip: &event.slip, by };
    let sharing: Vec<&&SlipRecord> =
        near.iter().filter(|other| here.may_tell_of(other) && shares(&event.words, other)).collect();
    let is_said_by =
        |other: &&&SlipRecord| other.adjudications.iter().any(|one| are_same_words(&one.words, &event.words));
    let is_known = sharing.iter().any(is_said_by);
    let ids: Vec<String> = sharing.iter().map(|other| other.slip.id.clone()).collect();
    match role {
        Role::Station | Role::Client if !is_known && !ids.is_empty() => held(event, ids),
        Role::Station => {
            let shares = elsewhere(here, &event.words, near);
            Event::SlipRuled(SlipRuled { shares, ..event })
        }
        Role::Client => Event::SlipRuled(event),
        Role::Judge | Role::Director | Role::Observer => Event::SlipRuled(SlipRuled { shares: ids, ..event }),
    }
}

/// Unacceptable slips that the same station filed for other tables in the round, and with which the slip shares a
/// word: a player may have gone to another table's screen. It is ruled, and the director told.
fn elsewhere(here: Spot<'_>, words: &[String], near: &[&SlipRecord]) -> Vec<String> {
    let is_elsewhere = |other: &&&SlipRecord| {
        other.filed_by.id == here.by.id
            && other.slip.table != here.slip.table
            && other.slip.round == here.slip.round
            && other.ruling() == Some(Ruling::Unacceptable)
            && !other.slip.free_lookup
            && shares(words, other)
    };
    near.iter().filter(is_elsewhere).map(|other| other.slip.id.clone()).collect()
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
