//! Reading the ledger: slips, and the other items that entries are about.

use crate::domain::ledger::{SoundSizes, ordinal};
use crate::domain::{Entry, SlipRecord};

use super::db::{Arg, DbError, Row};
use super::ledger::{Ledger, LedgerError, entry_of, to_i64};
use super::statements as sql;

/// How many slips are read at a time.
const PAGE: u64 = 200;

/// The slips of a tournament, page by page, the newest first.
#[derive(Debug)]
pub struct Slips<'a> {
    ledger: &'a Ledger,
    tournament: &'a str,
    /// Slips with numbers below this one are still to be read.
    before: u64,
}

impl Slips<'_> {
    /// The next page; `None` after the last.
    ///
    /// # Errors
    /// If the database fails or holds an unreadable entry.
    pub async fn page(&mut self) -> Result<Option<Vec<SlipRecord>>, LedgerError> {
        let page = self.ledger.slips_before(self.tournament, self.before, PAGE).await?;
        let Some(last) = page.last() else { return Ok(None) };
        self.before = last.slip.number;
        Ok(Some(page))
    }
}

impl Ledger {
    /// The slips of a tournament with numbers below `before`, page by page, the newest first.
    #[must_use]
    pub fn slips<'a>(&'a self, tournament: &'a str, before: u64) -> Slips<'a> {
        Slips { ledger: self, tournament, before }
    }

    /// Up to `limit` slips of a tournament with numbers below `before`, the newest first.
    ///
    /// # Errors
    /// If the database fails or holds an unreadable entry.
    async fn slips_before(&self, tournament: &str, before: u64, limit: u64) -> Result<Vec<SlipRecord>, LedgerError> {
        let (mut slips, sound) = (Vec::new(), self.sound_sizes().await?);
        // A continuation's slips have higher numbers than those of the log before it.
        for log in self.logs_of(tournament).await?.iter().rev() {
            let wanted = limit.saturating_sub(slips.len() as u64);
            if wanted > 0 {
                let args = [Arg::Text(log), Arg::Int(to_i64(before)), Arg::Int(to_i64(wanted))];
                let rows = self.db.fetch(sql::SLIPS_BEFORE, &args).await?;
                for entries in by_subject(&rows, &sound)? {
                    slips.extend(SlipRecord::fold(&entries)?);
                }
            }
        }
        Ok(slips)
    }

    /// How many unsuccessful challenges a player made in a tournament, by the standing rulings. It reads all slips.
    ///
    /// # Errors
    /// If the database fails or holds an unreadable entry.
    pub async fn count_unsuccessful_challenges(&self, tournament: &str, player: &str) -> Result<u64, LedgerError> {
        let (mut pages, mut count) = (self.slips(tournament, u64::MAX), 0);
        while let Some(some) = pages.page().await? {
            count += some.iter().filter(|record| record.counts_against(player)).count() as u64;
        }
        Ok(count)
    }

    /// The record of a slip, if there is such a slip.
    ///
    /// # Errors
    /// If the database fails or holds an unreadable entry.
    pub async fn slip(&self, id: &str) -> Result<Option<SlipRecord>, LedgerError> {
        Ok(SlipRecord::fold(&self.entries_about(id).await?)?)
    }

    /// The slip that a review is about, if there is such a review.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn slip_of_review(&self, review: &str) -> Result<Option<String>, LedgerError> {
        let rows = self.db.fetch(sql::SLIP_OF_REVIEW, &[Arg::Text(review)]).await?;
        Ok(rows.first().map(|row| row.text("slip")).transpose()?)
    }

    /// All entries about a slip, incident or call, oldest first.
    ///
    /// # Errors
    /// If the database fails or holds an unreadable entry.
    pub async fn entries_about(&self, id: &str) -> Result<Vec<Entry>, LedgerError> {
        let rows = self.db.fetch(sql::ENTRIES_OF_SLIP, &[Arg::Text(id)]).await?;
        let sound = self.sound_sizes().await?;
        rows.iter().filter_map(|row| entry_of(row, &sound).transpose()).collect()
    }

    /// All entries about each item that entries of a kind opened in a tournament and that is not settled since, oldest
    /// first.
    ///
    /// # Errors
    /// If the database fails or holds an unreadable entry.
    pub async fn open_items_of_kind(&self, tournament: &str, kind: &str) -> Result<Vec<Vec<Entry>>, LedgerError> {
        let (mut all, sound) = (Vec::new(), self.sound_sizes().await?);
        for log in self.logs_of(tournament).await? {
            let rows = self.db.fetch(sql::OPENED_BY, &[Arg::Text(&log), Arg::Text(kind)]).await?;
            all.extend(by_subject(&rows, &sound)?);
        }
        Ok(all)
    }

    /// The logs of a tournament: its first and the continuations, oldest first.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn logs_of(&self, tournament: &str) -> Result<Vec<String>, DbError> {
        let rows = self.db.fetch(sql::LOGS_OF, &[Arg::Text(tournament)]).await?;
        let mut logs = rows.iter().map(|row| row.text("by_log")).collect::<Result<Vec<_>, _>>()?;
        logs.push(tournament.to_owned());
        logs.sort_by_key(|log| ordinal(log));
        Ok(logs)
    }
}

/// The entries of the rows in order, grouped by item.
fn by_subject(rows: &[Row], sound: &SoundSizes) -> Result<Vec<Vec<Entry>>, LedgerError> {
    let mut all: Vec<Vec<Entry>> = Vec::new();
    for entry in rows.iter().filter_map(|row| entry_of(row, sound).transpose()) {
        let entry = entry?;
        match all
            .last_mut()
            .filter(|last| last.first().is_some_and(|first| first.event.subject() == entry.event.subject()))
        {
            Some(last) => last.push(entry),
            None => all.push(vec![entry]),
        }
    }
    Ok(all)
}
