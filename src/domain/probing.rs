//! Probing: filing parts of a play again would reveal which of its words failed. Such a slip is held for a judge.
//! Source: D 8, NSF II.L.5.
//!
//! CAT and QIX were unacceptable. A player who then files CAT alone learns from its ruling that QIX is the bad word. A
//! word of an acceptable play, filed with another word, reveals as much about that other word. So a player's slip that
//! shares a word with a ruled slip of its table is held, unless it repeats exactly that slip, whose ruling is known.
//!
//! Where the rule does not hold a slip, it alerts the director: players at another table or in another division may
//! honestly challenge equal words, and a slip that waits for a judge has no ruling yet that could be revealed. A play
//! that is filed in parts, COW and then QIXX, shares no word: a table's slip that follows another one so soon names
//! that slip, and the director is alerted.

mod location;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;

use super::event::{Event, SlipHeld, SlipRuled};
use super::ledger::Actor;
use super::record::{SlipRecord, State};
use super::role::Role;
use super::ruling::Ruling;
use super::slip::are_same_words;
use super::time::Timestamp;

pub use location::{FilingLocation, ProbingWindows, TEN_MINUTES_US};

/// Who files a slip and when, and what the players declare about it.
#[derive(Clone, Copy, Debug)]
pub struct Filer<'a> {
    pub tournament: &'a str,
    pub by: &'a Actor,
    pub role: Role,
    pub at: Timestamp,
    pub windows: ProbingWindows,
    /// Whether the players declare the slip a part of the play that was ruled on before it.
    pub is_same_play: bool,
}

/// The neighbouring slip whose result a correction's new words would reveal. Source: D 9.
#[must_use]
pub fn revealed_by_correction<'a>(
    record: &SlipRecord,
    words: &[String],
    near: impl IntoIterator<Item = &'a SlipRecord>,
    windows: ProbingWindows,
) -> Option<&'a SlipRecord> {
    near.into_iter().find(|other| other.has_been_ruled() && is_beside(record, other, windows) && shares(words, other))
}

/// Whether a slip's ruling reveals the ruling of a neighbouring slip that is under review. The judge of that review
/// must see neither. Source: D 6.
#[must_use]
pub fn reveals_reviewed_slip(record: &SlipRecord, near: &[SlipRecord], windows: ProbingWindows) -> bool {
    let words: Vec<String> = words_of(record).cloned().collect();
    near.iter()
        .any(|other| other.state == State::UnderReview && is_beside(record, other, windows) && shares(&words, other))
}

/// Whether two slips on record are neighbours.
fn is_beside(record: &SlipRecord, other: &SlipRecord, windows: ProbingWindows) -> bool {
    other.slip.id != record.slip.id && FilingLocation::of(record).is_near(FilingLocation::of(other), windows)
}

/// The words of a slip's adjudications, or of the slip itself where there is no adjudication yet.
fn words_of(record: &SlipRecord) -> impl Iterator<Item = &String> {
    record.adjudications.iter().flat_map(|one| &one.words).chain(&record.words)
}

/// Whether any of the words is one of a slip's.
fn shares(words: &[String], other: &SlipRecord) -> bool {
    words_of(other).any(|word| words.contains(word))
}

/// Whether a slip has exactly these words, in any of its adjudications.
#[must_use]
pub fn has_same_words(words: &[String], other: &SlipRecord) -> bool {
    other.adjudications.iter().any(|one| are_same_words(&one.words, words))
}

/// The ruled slip of its table that a slip may be another part of: the last one that shares no word with it, if it was
/// filed a short time before, or at any time where `is_same_play`.
#[must_use]
pub fn earlier_part<'a>(
    here: FilingLocation<'_>,
    words: &[String],
    near: &[&'a SlipRecord],
    windows: ProbingWindows,
    is_same_play: bool,
) -> Option<&'a SlipRecord> {
    let is_at_table = |other: &&SlipRecord| {
        here.slip.table.is_some() && here.table_key_of_any_round() == FilingLocation::of(other).table_key_of_any_round()
    };
    // A slip that was filed before one that is too old is older still, even if a wrong clock gave it a later time.
    let is_soon = |other: &&SlipRecord| is_same_play || here.apart_us(FilingLocation::of(other)) <= windows.parts_us;
    let is_part = |other: &&SlipRecord| {
        let is_linked = here.slip.follows.as_ref() == Some(&other.slip.id);
        let is_other = other.slip.id != here.slip.id && !other.slip.free_lookup && !is_linked;
        is_other && other.ruling().is_some() && !shares(words, other)
    };
    let mut of_table: Vec<&SlipRecord> = near.iter().copied().filter(is_at_table).collect();
    of_table.sort_by_key(|other| Reverse(FilingLocation::of(other).order()));
    of_table.into_iter().take_while(is_soon).find(is_part)
}

/// Applies the probing rule to an adjudicated slip, given its neighbours on record: the slip is ruled, held, or ruled
/// with an alert to the director.
#[must_use]
pub fn apply(event: SlipRuled, filer: Filer<'_>, near: &[&SlipRecord]) -> Event {
    if event.slip.free_lookup {
        return Event::SlipRuled(event);
    }
    let Filer { windows, is_same_play, .. } = filer;
    let here = FilingLocation { tournament: filer.tournament, slip: &event.slip, by: filer.by, at: filer.at };
    let sharing: Vec<&SlipRecord> = near.iter().copied().filter(|other| shares(&event.words, other)).collect();
    let here_are = |is_so: fn(&SlipRecord) -> bool| -> Vec<&SlipRecord> {
        sharing
            .iter()
            .copied()
            .filter(|other| here.is_near(FilingLocation::of(other), windows) && is_so(other))
            .collect()
    };
    let ruled = here_are(SlipRecord::has_been_ruled);
    let is_known = ruled.iter().any(|other| has_same_words(&event.words, other));
    let (ruled, waiting) = if is_known { Default::default() } else { (ruled, here_are(SlipRecord::waits_for_ruling)) };
    let speaks_for_players = filer.role.speaks_for_players();
    let part = if speaks_for_players { earlier_part(here, &event.words, near, windows, is_same_play) } else { None };
    let parts_of = part.map(|part| part.slip.id.clone());
    if speaks_for_players && (!ruled.is_empty() || is_same_play) {
        return held(event, ids_of(&ruled), parts_of.filter(|_| is_same_play));
    }
    let told = [ruled, waiting, elsewhere(here, &event.words, &sharing, filer)].concat();
    Event::SlipRuled(SlipRuled { shares: ids_of(&told), parts_of, ..event })
}

/// Unacceptable slips of other tables that share a word: those that the same station filed in the round, since a player
/// may have gone to another table's screen or named another division; and those that any station or token filed in the
/// division a short time before.
fn elsewhere<'a>(
    here: FilingLocation<'_>,
    words: &[String],
    sharing: &[&'a SlipRecord],
    filer: Filer<'_>,
) -> Vec<&'a SlipRecord> {
    let is_elsewhere = |other: &&SlipRecord| {
        let there = FilingLocation::of(other);
        let is_division = here.slip.division == there.slip.division;
        let is_same_station = filer.role == Role::Station
            && there.by.id == here.by.id
            && !(is_division && here.slip.table == there.slip.table)
            && here.is_of_round(there, filer.windows);
        let is_recent = is_division && here.apart_us(there) <= TEN_MINUTES_US;
        (is_same_station || is_recent)
            && other.ruling() == Some(Ruling::Unacceptable)
            && !other.slip.free_lookup
            && !has_same_words(words, other)
    };
    sharing.iter().copied().filter(is_elsewhere).collect()
}

/// The ids of the slips, each once, in their order.
fn ids_of(slips: &[&SlipRecord]) -> Vec<String> {
    let mut ids: Vec<String> = Vec::with_capacity(slips.len());
    for slip in slips {
        if !ids.contains(&slip.slip.id) {
            ids.push(slip.slip.id.clone());
        }
    }
    ids
}

fn held(event: SlipRuled, shares: Vec<String>, parts_of: Option<String>) -> Event {
    Event::SlipHeld(SlipHeld {
        slip: event.slip,
        typed: event.typed,
        words: event.words,
        lexicon: event.lexicon,
        second: event.second,
        shares,
        parts_of,
        request: event.request,
        program: event.program,
    })
}
