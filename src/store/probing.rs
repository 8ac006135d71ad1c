//! The slips that neighbour those of a batch: a player must not learn from one slip which word of another failed.
//! Looked up under the write lock: of two slips that are filed at the same moment, the second is checked against the
//! first. Source: D 8, D 9.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::domain::ledger::{SoundSizes, base_log, ordinal};
use crate::domain::probing::{self, Filer, FilingLocation};
use crate::domain::{Entry, Event, SlipRecord, Timestamp};

use super::batch::parts;
use super::db::{Arg, Row};
use super::ledger::{Draft, Ledger, LedgerError, ProbingCheck, entry_of};
use super::recent::{RecentSlips, word_key, word_keys};
use crate::store::statements::multi_row;

/// The slips of the locations of a batch: tables and filers.
#[derive(Default)]
pub(super) struct NeighbouringSlips {
    /// The ids of the slips at each location.
    locations: HashMap<String, BTreeSet<String>>,
    slips: HashMap<String, SlipRecord>,
}

impl NeighbouringSlips {
    /// Reads the slips that were found at the requested locations.
    pub(super) fn of(
        rows: impl Iterator<Item = Row>,
        asked: BTreeSet<String>,
        sound: &SoundSizes,
    ) -> Result<Self, LedgerError> {
        let mut near = Self::default();
        near.locations.extend(asked.into_iter().map(|location| (location, BTreeSet::new())));
        let mut entries: BTreeMap<String, BTreeMap<(Option<u32>, u64), Entry>> = BTreeMap::new();
        for row in rows {
            let location = row.text("spot")?;
            let Some(entry) = entry_of(&row, sound)? else { continue };
            let Some(slip) = entry.event.subject().map(str::to_owned) else { continue };
            near.locations.entry(location).or_default().insert(slip.clone());
            entries.entry(slip).or_default().insert((ordinal(&entry.log), entry.seq), entry);
        }
        for (slip, entries) in entries {
            if let Some(record) = SlipRecord::fold(entries.values())? {
                near.slips.insert(slip, record);
            }
        }
        Ok(near)
    }

    /// Adds the recent slips that share a word with one of the drafts.
    pub(super) fn take_in(&mut self, drafts: &[Draft], recent: &RecentSlips) {
        for draft in drafts {
            let Event::SlipRuled(event) = &draft.event else { continue };
            for key in word_keys_of(draft) {
                let sharing = recent.sharing(base_log(&draft.log), &key, &event.words);
                let slips = self.locations.entry(key).or_default();
                for slip in sharing {
                    slips.insert(slip.slip.id.clone());
                    self.slips.entry(slip.slip.id.clone()).or_insert(slip);
                }
            }
        }
    }

    /// Applies the probing rule to a draft: a player's slip may be held because of its neighbours. A correction that
    /// would reveal another slip is not recorded, and the caller decides anew.
    pub(super) fn apply_probing_rule(&self, draft: Draft, now: Timestamp) -> Option<Draft> {
        let beside = self.neighbours(places_of(&draft).into_iter().chain(word_keys_of(&draft)));
        let Draft { log, actor, event, watch, basis } = draft;
        let event = match (&watch, event) {
            (Some(ProbingCheck::Slip { role, windows, is_same_play, .. }), Event::SlipRuled(event)) => {
                let filer = Filer {
                    tournament: base_log(&log),
                    by: &actor,
                    role: *role,
                    at: now,
                    windows: *windows,
                    is_same_play: *is_same_play,
                };
                probing::apply(event, filer, &beside)
            }
            (Some(ProbingCheck::Correction(record, windows)), Event::SlipCorrected(event))
                if probing::revealed_by_correction(record, &event.words, beside, *windows).is_some() =>
            {
                return None;
            }
            (_, event) => event,
        };
        Some(Draft { log, actor, event, watch, basis })
    }

    fn neighbours(&self, locations: impl Iterator<Item = String>) -> Vec<&SlipRecord> {
        let ids: BTreeSet<&String> = locations.filter_map(|location| self.locations.get(&location)).flatten().collect();
        ids.into_iter().filter_map(|id| self.slips.get(id)).collect()
    }

    /// Adds a recorded entry, for the drafts after it.
    pub(super) fn add(&mut self, entry: &Entry) -> Result<(), LedgerError> {
        let Some(slip) = entry.event.subject() else { return Ok(()) };
        let before = self.slips.remove(slip);
        if before.is_none() && entry.event.slip().is_none() {
            return Ok(());
        }
        let record = SlipRecord::next(before, entry)?;
        let places = entry.location().into_iter().flat_map(|location| {
            [
                location.table_key(),
                location.table_key_of_any_round(),
                Some(location.filer_key()),
                Some(location.filer_key_of_any_round()),
            ]
        });
        for location in places.flatten().chain(word_keys(&record)) {
            if let Some(slips) = self.locations.get_mut(&location) {
                slips.insert(slip.to_owned());
            }
        }
        self.slips.insert(slip.to_owned(), record);
        Ok(())
    }
}

impl Ledger {
    /// The slips that neighbour a location, and those of its table in any round.
    ///
    /// # Errors
    /// If the database fails or holds an unreadable entry.
    pub async fn neighbours(&self, location: FilingLocation<'_>) -> Result<Vec<SlipRecord>, LedgerError> {
        let locations = location.neighbour_keys();
        let args: Vec<Arg<'_>> = locations.iter().map(|location| Arg::Text(location)).collect();
        let mut rows = Vec::new();
        for (statement, some) in parts(multi_row::NEIGHBOURS, &args) {
            rows.extend(self.db.fetch(statement, some).await?);
        }
        let sound = self.sound_sizes().await?;
        Ok(NeighbouringSlips::of(rows.into_iter(), BTreeSet::new(), &sound)?.slips.into_values().collect())
    }
}

/// The locations whose slips the probing checks of a batch need.
pub(super) fn location_keys_of(drafts: &[Draft]) -> BTreeSet<String> {
    drafts.iter().flat_map(places_of).collect()
}

/// The logs whose recent slips the probing checks of a batch need.
pub(super) fn logs_of(drafts: &[Draft]) -> BTreeSet<&str> {
    let with_probing_check = drafts.iter().filter(|draft| matches!(draft.watch, Some(ProbingCheck::Slip { .. })));
    with_probing_check.map(|draft| draft.log.as_str()).collect()
}

/// The keys of the words of a slip with a probing check.
fn word_keys_of(draft: &Draft) -> BTreeSet<String> {
    match (&draft.watch, &draft.event) {
        (Some(ProbingCheck::Slip { .. }), Event::SlipRuled(event)) => {
            let key = |word| word_key(base_log(&draft.log), &event.slip.division, word);
            event.words.iter().map(|word| key(word)).collect()
        }
        _ => BTreeSet::new(),
    }
}

/// The locations whose slips the probing check of a draft needs.
fn places_of(draft: &Draft) -> Vec<String> {
    match &draft.watch {
        None => Vec::new(),
        Some(ProbingCheck::Slip { elsewhere, .. }) => {
            let location =
                FilingLocation::of_event(base_log(&draft.log), &draft.event, &draft.actor, Timestamp::from_micros(0));
            location
                .map(|location| [location.neighbour_keys(), location.station_keys(elsewhere)].concat())
                .unwrap_or_default()
        }
        Some(ProbingCheck::Correction(record, _)) => FilingLocation::of(record).neighbour_keys(),
    }
}
