//! The slips near those of a batch, so that nobody learns from one which word of another failed. Looked up under the
//! write lock: of two that are filed at the same moment the second is weighed beside the first. Source: D 8, D 9.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::domain::ledger::{SoundSizes, family, place};
use crate::domain::probing::{self, Filer, Spot};
use crate::domain::{Entry, Event, SlipRecord, Timestamp};

use super::batch::parts;
use super::db::{Arg, Row};
use super::ledger::{Draft, Ledger, LedgerError, Watch, entry_of};
use super::recent::{RecentSlips, word_key, word_keys};
use super::statements::wide;

/// The slips of the spots that a batch asks for: of tables, and of seats.
#[derive(Default)]
pub(super) struct Near {
    /// The ids of a spot's slips.
    spots: HashMap<String, BTreeSet<String>>,
    slips: HashMap<String, SlipRecord>,
}

impl Near {
    /// What was found at the spots that were asked for.
    pub(super) fn of(
        rows: impl Iterator<Item = Row>,
        asked: BTreeSet<String>,
        sound: &SoundSizes,
    ) -> Result<Self, LedgerError> {
        let mut near = Self::default();
        near.spots.extend(asked.into_iter().map(|spot| (spot, BTreeSet::new())));
        let mut entries: BTreeMap<String, BTreeMap<(Option<u32>, u64), Entry>> = BTreeMap::new();
        for row in rows {
            let spot = row.text("spot")?;
            let Some(entry) = entry_of(&row, sound)? else { continue };
            let Some(slip) = entry.event.subject().map(str::to_owned) else { continue };
            near.spots.entry(spot).or_default().insert(slip.clone());
            entries.entry(slip).or_default().insert((place(&entry.log), entry.seq), entry);
        }
        for (slip, entries) in entries {
            if let Some(record) = SlipRecord::fold(entries.values())? {
                near.slips.insert(slip, record);
            }
        }
        Ok(near)
    }

    /// Takes in the recent slips that share a word with one of the drafts.
    pub(super) fn take_in(&mut self, drafts: &[Draft], recent: &RecentSlips) {
        for draft in drafts {
            let Event::SlipRuled(event) = &draft.event else { continue };
            for key in word_keys_of(draft) {
                let sharing = recent.sharing(family(&draft.log), &key, &event.words);
                let slips = self.spots.entry(key).or_default();
                for slip in sharing {
                    slips.insert(slip.slip.id.clone());
                    self.slips.entry(slip.slip.id.clone()).or_insert(slip);
                }
            }
        }
    }

    /// Weighs a draft beside the slips near it: a player's slip may be held by that. A correction that would tell of
    /// another slip may not be recorded, and is decided anew.
    pub(super) fn weigh(&self, draft: Draft, now: Timestamp) -> Option<Draft> {
        let beside = self.beside(places_of(&draft).into_iter().chain(word_keys_of(&draft)));
        let Draft { log, actor, event, watch, basis } = draft;
        let event = match (&watch, event) {
            (Some(Watch::Slip { role, windows, is_same_play, .. }), Event::SlipRuled(event)) => {
                let filer = Filer {
                    tournament: family(&log),
                    by: &actor,
                    role: *role,
                    at: now,
                    windows: *windows,
                    is_same_play: *is_same_play,
                };
                probing::watched(event, filer, &beside)
            }
            (Some(Watch::Correction(record, windows)), Event::SlipCorrected(event))
                if probing::told_by_correction(record, &event.words, beside, *windows).is_some() =>
            {
                return None;
            }
            (_, event) => event,
        };
        Some(Draft { log, actor, event, watch, basis })
    }

    fn beside(&self, spots: impl Iterator<Item = String>) -> Vec<&SlipRecord> {
        let ids: BTreeSet<&String> = spots.filter_map(|spot| self.spots.get(&spot)).flatten().collect();
        ids.into_iter().filter_map(|id| self.slips.get(id)).collect()
    }

    /// Takes in what was recorded, for the drafts after it.
    pub(super) fn note(&mut self, entry: &Entry) -> Result<(), LedgerError> {
        let Some(slip) = entry.event.subject() else { return Ok(()) };
        let before = self.slips.remove(slip);
        if before.is_none() && entry.event.slip().is_none() {
            return Ok(());
        }
        let record = SlipRecord::next(before, entry)?;
        let places = entry.spot().into_iter().flat_map(|spot| {
            [spot.place(), spot.place_of_any_round(), Some(spot.seat()), Some(spot.seat_of_any_round())]
        });
        for spot in places.flatten().chain(word_keys(&record)) {
            if let Some(slips) = self.spots.get_mut(&spot) {
                slips.insert(slip.to_owned());
            }
        }
        self.slips.insert(slip.to_owned(), record);
        Ok(())
    }
}

impl Ledger {
    /// The slips near a spot, and those of its table in any round.
    ///
    /// # Errors
    /// Where the database fails or holds an unreadable entry.
    pub async fn slips_near(&self, spot: Spot<'_>) -> Result<Vec<SlipRecord>, LedgerError> {
        let spots = spot.near();
        let args: Vec<Arg<'_>> = spots.iter().map(|spot| Arg::Text(spot)).collect();
        let mut rows = Vec::new();
        for (statement, some) in parts(wide::NEAR, &args) {
            rows.extend(self.db.fetch(statement, some).await?);
        }
        let sound = self.sound_sizes().await?;
        Ok(Near::of(rows.into_iter(), BTreeSet::new(), &sound)?.slips.into_values().collect())
    }
}

/// The places and seats whose slips a batch is weighed beside.
pub(super) fn asked(drafts: &[Draft]) -> BTreeSet<String> {
    drafts.iter().flat_map(places_of).collect()
}

/// The logs whose recent slips a batch is weighed beside.
pub(super) fn logs_of(drafts: &[Draft]) -> BTreeSet<&str> {
    let watched = drafts.iter().filter(|draft| matches!(draft.watch, Some(Watch::Slip { .. })));
    watched.map(|draft| draft.log.as_str()).collect()
}

/// The keys of the words of a slip that is weighed.
fn word_keys_of(draft: &Draft) -> BTreeSet<String> {
    match (&draft.watch, &draft.event) {
        (Some(Watch::Slip { .. }), Event::SlipRuled(event)) => {
            let key = |word| word_key(family(&draft.log), &event.slip.division, word);
            event.words.iter().map(|word| key(word)).collect()
        }
        _ => BTreeSet::new(),
    }
}

/// The places and seats whose slips a draft is weighed beside.
fn places_of(draft: &Draft) -> Vec<String> {
    match &draft.watch {
        None => Vec::new(),
        Some(Watch::Slip { elsewhere, .. }) => {
            let spot = Spot::of_event(family(&draft.log), &draft.event, &draft.actor, Timestamp::from_micros(0));
            spot.map(|spot| [spot.near(), spot.of_station(elsewhere)].concat()).unwrap_or_default()
        }
        Some(Watch::Correction(record, _)) => Spot::of(record).near(),
    }
}
