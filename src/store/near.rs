//! The slips near those of a batch, so that nobody learns from one which word of another failed. Looked up under the
//! write lock: of two that are filed at the same moment the second is weighed beside the first. Source: D 8, D 9.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::domain::ledger::{family, place};
use crate::domain::probing::{self, Spot};
use crate::domain::{Entry, Event, SlipRecord};

use super::batch::parts;
use super::db::{Arg, Row};
use super::ledger::{Draft, Ledger, LedgerError, Watch, entry_of};
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
    pub(super) fn of(rows: impl Iterator<Item = Row>, asked: BTreeSet<String>) -> Result<Self, LedgerError> {
        let mut near = Self::default();
        near.spots.extend(asked.into_iter().map(|spot| (spot, BTreeSet::new())));
        let mut entries: BTreeMap<String, BTreeMap<(Option<u32>, u64), Entry>> = BTreeMap::new();
        for row in rows {
            let (spot, entry) = (row.text("spot")?, entry_of(&row)?);
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

    /// Weighs a draft beside the slips near it: a player's slip may be held by that. A correction that would tell of
    /// another slip may not be recorded, and is decided anew.
    pub(super) fn weigh(&self, draft: Draft) -> Option<Draft> {
        let beside = self.beside(&spots_of(&draft));
        let Draft { log, actor, event, watch } = draft;
        let event = match (&watch, event) {
            (Some(Watch::Slip { role, .. }), Event::SlipRuled(event)) => {
                probing::watched(event, family(&log), &actor, *role, &beside)
            }
            (Some(Watch::Correction(record)), Event::SlipCorrected(event))
                if probing::told_by_correction(record, &event.words, beside).is_some() =>
            {
                return None;
            }
            (_, event) => event,
        };
        Some(Draft { log, actor, event, watch })
    }

    fn beside(&self, spots: &[String]) -> Vec<&SlipRecord> {
        let ids: BTreeSet<&String> = spots.iter().filter_map(|spot| self.spots.get(spot)).flatten().collect();
        ids.into_iter().filter_map(|id| self.slips.get(id)).collect()
    }

    /// Takes in what was recorded, for the drafts after it.
    pub(super) fn note(&mut self, entry: &Entry) -> Result<(), LedgerError> {
        let Some(slip) = entry.event.subject() else { return Ok(()) };
        let before = self.slips.remove(slip);
        if before.is_none() && entry.event.follows().is_some() {
            return Ok(());
        }
        for spot in [entry.place(), entry.seat()].into_iter().flatten() {
            if let Some(slips) = self.spots.get_mut(&spot) {
                slips.insert(slip.to_owned());
            }
        }
        if before.is_some() || entry.event.slip().is_some() {
            self.slips.insert(slip.to_owned(), SlipRecord::next(before, entry)?);
        }
        Ok(())
    }
}

impl Ledger {
    /// The slips near one that is on record.
    ///
    /// # Errors
    /// Where the database fails or holds an unreadable entry.
    pub async fn slips_near(&self, record: &SlipRecord) -> Result<Vec<SlipRecord>, LedgerError> {
        let spots = Spot::of(record).near();
        let args: Vec<Arg<'_>> = spots.iter().map(|spot| Arg::Text(spot)).collect();
        let mut rows = Vec::new();
        for (statement, some) in parts(wide::NEAR, &args) {
            rows.extend(self.db.fetch(statement, some).await?);
        }
        Ok(Near::of(rows.into_iter(), BTreeSet::new())?.slips.into_values().collect())
    }
}

/// The spots whose slips a batch is weighed beside.
pub(super) fn asked(drafts: &[Draft]) -> BTreeSet<String> {
    drafts.iter().flat_map(spots_of).collect()
}

/// The spots whose slips a draft is weighed beside.
fn spots_of(draft: &Draft) -> Vec<String> {
    match &draft.watch {
        None => Vec::new(),
        Some(Watch::Slip { elsewhere, .. }) => {
            let spot = Spot::of_event(family(&draft.log), &draft.event, &draft.actor);
            spot.map(|spot| [spot.near(), spot.of_station(elsewhere)].concat()).unwrap_or_default()
        }
        Some(Watch::Correction(record)) => Spot::of(record).near(),
    }
}
