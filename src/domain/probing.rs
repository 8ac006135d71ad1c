//! Probing: filing parts of a play again tells which of its words failed. Such a slip is held for a judge.
//! Source: D 8, NSF II.L.5.
//!
//! CAT and QIX were unacceptable. Whoever then files CAT alone learns from its ruling that QIX is the bad word, and
//! from an acceptable play's word beside another one as much about that. So a player's slip that shares a word with a
//! ruled one of the same place is held, unless it is the very same slip, whose ruling is known.

use super::event::{Event, SlipHeld, SlipRuled};
use super::ledger::Actor;
use super::record::SlipRecord;
use super::role::Role;
use super::ruling::Ruling;

/// Where slips are near enough to tell of each other: at one table in one round of a division.
#[must_use]
pub fn place(tournament: &str, event: &Event) -> Option<String> {
    let slip = told_of(event)?;
    slip.table.map(|table| key(tournament, &slip.division, slip.round, &table.to_string()))
}

/// The same where a table is not known: from one station or token in one round of a division. Slips that name no table
/// have a seat of their own, since only they are near all others of that token.
#[must_use]
pub fn seat(tournament: &str, event: &Event, actor: &Actor) -> Option<String> {
    let slip = told_of(event)?;
    Some(key(tournament, &slip.division, slip.round, &seat_of(actor, slip.table.is_some())))
}

fn seat_of(actor: &Actor, has_table: bool) -> String {
    let table = if has_table { "" } else { " -" };
    format!("@{}{table}", actor.id)
}

/// The places and seats of everything that is near a slip. `role` is that of whoever says something of it: of a station
/// also what it filed for other tables is looked at.
#[must_use]
pub fn spots(record: &SlipRecord, role: Role) -> Vec<String> {
    let slip = &record.slip;
    let place = slip.table.map(|table| table.to_string());
    let without_table = Some(seat_of(&record.filed_by, false));
    let with_table = (slip.table.is_none() || role == Role::Station).then(|| seat_of(&record.filed_by, true));
    let all = [place, without_table, with_table].into_iter().flatten();
    all.map(|at| key(&record.tournament, &slip.division, slip.round, &at)).collect()
}

fn key(tournament: &str, division: &str, round: Option<i64>, at: &str) -> String {
    let round = round.map_or_else(|| "-".to_owned(), |round| round.to_string());
    format!("{tournament} {division} {round} {at}")
}

/// The slip of an event that files one which has a ruling or can get one.
fn told_of(event: &Event) -> Option<&super::event::FiledSlip> {
    match event {
        Event::ChallengeDisposed(_) => None,
        _ => event.slip(),
    }
}

/// Whether a slip's ruling could be told by another of the same place: at the same table, or, where either has none,
/// from the same station or token. Free look-ups hold nothing.
#[must_use]
pub fn may_be_told_of(one: &SlipRecord, other: &SlipRecord) -> bool {
    let is_ruled = other.ruling().is_some() && !other.slip.free_lookup;
    let is_near = match (one.slip.table, other.slip.table) {
        (Some(here), Some(there)) => here == there,
        _ => one.filed_by.id == other.filed_by.id,
    };
    is_ruled && is_near && (&one.slip.division, one.slip.round) == (&other.slip.division, other.slip.round)
}

/// Whether any of the words is one of a slip's, in any of its adjudications.
#[must_use]
pub fn shares(words: &[String], other: &SlipRecord) -> bool {
    other.adjudications.iter().flat_map(|one| &one.words).any(|word| words.contains(word))
}

/// Whether these are exactly a slip's words, each as often, in any order.
fn is_same(words: &[String], other: &SlipRecord) -> bool {
    let sorted = |words: &[String]| {
        let mut words = words.to_vec();
        words.sort();
        words
    };
    other.adjudications.iter().any(|one| sorted(&one.words) == sorted(words))
}

/// What becomes of a slip that was heard, beside the slips on record that are near it: it is ruled, or held, or
/// ruled with an alert to the director. `asked` is the slip as it would stand.
#[must_use]
pub fn watched(event: SlipRuled, asked: &SlipRecord, role: Role, near: &[&SlipRecord]) -> Event {
    if event.slip.free_lookup {
        return Event::SlipRuled(event);
    }
    let sharing: Vec<&&SlipRecord> =
        near.iter().filter(|other| may_be_told_of(asked, other) && shares(&event.words, other)).collect();
    let is_known = sharing.iter().any(|other| is_same(&event.words, other));
    let shares: Vec<String> = sharing.iter().map(|other| other.slip.id.clone()).collect();
    match role {
        Role::Station | Role::Client if !is_known && !shares.is_empty() => held(event, shares),
        Role::Station | Role::Client => {
            let shares = elsewhere(&event, asked, role, near);
            Event::SlipRuled(SlipRuled { shares, ..event })
        }
        Role::Judge | Role::Director | Role::Observer => Event::SlipRuled(SlipRuled { shares, ..event }),
    }
}

/// Unacceptable slips that the same station filed for other tables in the round, and with which the slip shares a
/// word: a player may have gone to another table's screen. It is ruled, and the director told.
fn elsewhere(event: &SlipRuled, asked: &SlipRecord, role: Role, near: &[&SlipRecord]) -> Vec<String> {
    let is_elsewhere = |other: &&&SlipRecord| {
        role == Role::Station
            && other.filed_by.id == asked.filed_by.id
            && other.slip.table != asked.slip.table
            && other.slip.round == asked.slip.round
            && other.ruling() == Some(Ruling::Unacceptable)
            && !other.slip.free_lookup
            && shares(&event.words, other)
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
