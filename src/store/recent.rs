//! The slips of the last ten minutes, by their words: two players may take the parts of one play to two stations and
//! two tables, and the director gets an alert. Source: D 8.
//!
//! They are in memory, since every word of every slip looks them up, and only for an alert. What any server wrote since
//! the last look-up is read under the write lock before a batch is checked.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::domain::ledger::base_log;
use crate::domain::probing::{TEN_MINUTES_US, has_same_words};
use crate::domain::{Entry, Ruling, SlipRecord, Timestamp};

use super::db::Row;
use super::ledger::{LedgerError, read_entry};

/// How many slips of a log are remembered. No hall files as many in ten minutes.
const MAX_SLIPS: usize = 2_000;

/// How many slips that share a word an alert names at most.
const MAX_SHARING: usize = 8;

/// The recent slips of each tournament.
#[derive(Debug, Default)]
pub(super) struct RecentSlips(Mutex<HashMap<String, Recent>>);

#[derive(Debug, Default)]
struct Recent {
    /// The log that was read: the tournament's first log or its open continuation.
    log: String,
    /// The number of its first entry that was not read.
    next: u64,
    slips: HashMap<String, SlipRecord>,
    /// Their ids in the order in which they were filed.
    filed: VecDeque<String>,
    /// The ids of the slips with a word that were unacceptable at some time, by the word's key.
    by_word: HashMap<String, Vec<String>>,
}

/// The key by which slips of a division that share a word are found.
pub(super) fn word_key(tournament: &str, division: &str, word: &str) -> String {
    format!("{tournament} {division} ={word}")
}

/// The keys of all words that a slip ever had.
pub(super) fn word_keys(record: &SlipRecord) -> BTreeSet<String> {
    let words = record.adjudications.iter().flat_map(|one| &one.words).chain(&record.words);
    words.map(|word| word_key(&record.tournament, &record.slip.division, word)).collect()
}

impl RecentSlips {
    /// The number of the first entry of a log that was not read.
    pub(super) fn next(&self, log: &str) -> u64 {
        self.locked().get(base_log(log)).map_or(0, |recent| recent.next)
    }

    /// Adds the rows that were read of a log, in order, and removes slips that are too old.
    pub(super) fn take_in(&self, rows: &[Row], now: Timestamp) -> Result<(), LedgerError> {
        let entries = rows.iter().map(read_entry).collect::<Result<Vec<Entry>, _>>()?;
        let mut all = self.locked();
        for entry in &entries {
            all.entry(entry.tournament().to_owned()).or_default().add(entry);
        }
        for recent in all.values_mut() {
            recent.forget(now);
        }
        Ok(())
    }

    /// The newest unacceptable slips with the word of a key, except those with exactly these words.
    pub(super) fn sharing(&self, tournament: &str, key: &str, words: &[String]) -> Vec<SlipRecord> {
        let all = self.locked();
        let Some(recent) = all.get(tournament) else { return Vec::new() };
        let ids = recent.by_word.get(key).into_iter().flatten().rev();
        let slips = ids.filter_map(|id| recent.slips.get(id));
        let other = slips.filter(|slip| slip.ruling() == Some(Ruling::Unacceptable) && !has_same_words(words, slip));
        other.take(MAX_SHARING).cloned().collect()
    }

    fn locked(&self) -> MutexGuard<'_, HashMap<String, Recent>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Recent {
    fn add(&mut self, entry: &Entry) {
        if self.log != entry.log || self.next != entry.seq {
            // The log is new here, or so much was written by others that entries in between were not read.
            *self = Self { log: entry.log.clone(), ..Self::default() };
        }
        self.next = entry.seq + 1;
        let Some(id) = entry.event.subject() else { return };
        let before = self.slips.remove(id);
        let is_filed = entry.location().is_some();
        if before.is_none() && !is_filed {
            return;
        }
        // Readers of the slip report a record that cannot be folded; here only its alert is missing.
        let Ok(record) = SlipRecord::next(before, entry) else { return };
        if is_filed {
            self.filed.push_back(id.to_owned());
        }
        if record.ruling() == Some(Ruling::Unacceptable) && !record.slip.free_lookup {
            for key in word_keys(&record) {
                let ids = self.by_word.entry(key).or_default();
                if !ids.iter().any(|known| known == id) {
                    ids.push(id.to_owned());
                }
            }
        }
        self.slips.insert(id.to_owned(), record);
    }

    fn forget(&mut self, now: Timestamp) {
        let first = now.micros().saturating_sub(TEN_MINUTES_US);
        while let Some(oldest) = self.filed.front() {
            let is_old = self.slips.get(oldest).is_none_or(|slip| slip.filed_at.micros() < first);
            if !is_old && self.filed.len() <= MAX_SLIPS {
                return;
            }
            let Some(slip) = self.filed.pop_front().and_then(|oldest| self.slips.remove(&oldest)) else { continue };
            for key in word_keys(&slip) {
                if let Some(ids) = self.by_word.get_mut(&key) {
                    ids.retain(|id| *id != slip.slip.id);
                    if ids.is_empty() {
                        self.by_word.remove(&key);
                    }
                }
            }
        }
    }
}
