//! A batch on its way into the tables: keys that were answered before are looked up and new entries are written, each
//! with as few statements as possible.

use std::collections::HashMap;
use std::sync::Arc;

use crate::domain::ledger::SoundSizes;
use crate::domain::{Entry, Timestamp};

use super::clock::LedgerTime;
use super::continuations::Continuations;
use super::db::{Arg, DbError, Query, Row, Tx};
use super::head::Heads;
use super::ledger::{Appended, Draft, LedgerError, entry_of, to_i64};
use super::recent::RecentSlips;
use super::statements as sql;
use crate::store::probing::{self, NeighbouringSlips};
use crate::store::statements::multi_row::{self, MultiRow};

/// What a batch must know of the ledger before any of it is written.
pub(super) struct BatchContext {
    pub(super) answered: AnsweredKeys,
    pub(super) near: NeighbouringSlips,
    pub(super) heads: Heads,
    pub(super) time: LedgerTime,
    /// The last set-up entry, if a draft names the set-up that it was decided by.
    pub(super) last_setup: Option<i64>,
    /// Which entries of closed logs are in question.
    pub(super) sound: Arc<SoundSizes>,
}

impl BatchContext {
    /// Looks everything up at once, under the write lock.
    pub(super) async fn look_up(
        tx: &mut Tx,
        drafts: &[Draft],
        continuations: &Continuations,
        recent: &RecentSlips,
        now: Timestamp,
    ) -> Result<Self, LedgerError> {
        let (locations, logs) = (probing::location_keys_of(drafts), Heads::logs_of(drafts));
        let answers = padded(multi_row::ANSWERS, &AnsweredKeys::key_args(drafts));
        let beside =
            padded(multi_row::NEIGHBOURS, &locations.iter().map(|location| Arg::Text(location)).collect::<Vec<_>>());
        let checked_logs = probing::logs_of(drafts);
        let newest = checked_logs.iter().map(|log| {
            let args = vec![Arg::Text(log), Arg::Int(to_i64(recent.next(log)))];
            Query { statement: sql::NEWEST_ENTRIES, args }
        });
        let heads = logs.iter().map(|log| Query { statement: sql::HEAD, args: vec![Arg::Text(log)] });
        let (answer_count, near_count) = (answers.len(), beside.len());
        let first = Query { statement: sql::CONTINUATIONS, args: Vec::new() };
        let mut asks: Vec<Query<'_>> =
            [first].into_iter().chain(answers).chain(beside).chain(newest).chain(heads).collect();
        asks.push(Query { statement: sql::NEWEST, args: Vec::new() });
        if drafts.iter().any(|draft| draft.basis.is_some()) {
            asks.push(Query { statement: sql::LAST_SETUP, args: Vec::new() });
        }
        let mut found = tx.fetch_many(&asks).await?.into_iter();
        let sound = continuations.sizes_by(&found.next().unwrap_or_default())?;
        let answered = AnsweredKeys::of(found.by_ref().take(answer_count).flatten(), &sound)?;
        let mut near = NeighbouringSlips::of(found.by_ref().take(near_count).flatten(), locations, &sound)?;
        for rows in found.by_ref().take(checked_logs.len()) {
            recent.take_in(&rows, now)?;
        }
        near.take_in(drafts, recent);
        let heads = Heads::of(logs.iter().copied().map(str::to_owned).zip(found.by_ref().take(logs.len()).flatten()));
        let time = LedgerTime::of(found.next().iter().flatten().next())?;
        let last_setup = found.next().iter().flatten().next().map(|row| row.int("position")).transpose()?;
        Ok(Self { answered, near, heads, time, last_setup, sound })
    }
}

/// The owner of a key and the key: the actor's id and the idempotency key.
type RequestKeyOf = (String, String);

/// The keys of a batch that were answered already, before the batch or by an earlier draft of it. Looked up under the
/// write lock, so that of two equal requests at the same moment only one is recorded.
pub(super) struct AnsweredKeys(HashMap<RequestKeyOf, Answer>);

enum Answer {
    Before(Box<Entry>),
    /// By an entry in question that cannot be read.
    Unreadable,
    /// By the entry at this index of the batch.
    Here(usize),
}

impl AnsweredKeys {
    fn key_args(drafts: &[Draft]) -> Vec<Arg<'_>> {
        let marks = drafts.iter().filter_map(|draft| Some((draft, draft.event.request()?)));
        marks.flat_map(|(draft, mark)| [Arg::Text(&draft.actor.id), Arg::Text(&mark.key)]).collect()
    }

    fn of(rows: impl Iterator<Item = Row>, sound: &SoundSizes) -> Result<Self, LedgerError> {
        let mut found = HashMap::new();
        for row in rows {
            let asked = (row.text("asked_by")?, row.text("asked_key")?);
            let answer = entry_of(&row, sound)?.map_or(Answer::Unreadable, |entry| Answer::Before(Box::new(entry)));
            found.insert(asked, answer);
        }
        Ok(Self(found))
    }

    /// The outcome of a draft whose key was answered already. `recorded` has the outcomes of the drafts before it.
    pub(super) fn by(&self, draft: &Draft, recorded: &[Appended]) -> Option<Appended> {
        let mark = draft.event.request()?;
        match self.0.get(&(draft.actor.id.clone(), mark.key.clone()))? {
            Answer::Before(entry) => Some(Appended::Duplicate(entry.as_ref().clone())),
            Answer::Unreadable => Some(Appended::Conflict),
            Answer::Here(place) => recorded.get(*place).and_then(Appended::entry).cloned().map(Appended::Duplicate),
        }
    }

    /// Remembers that the entry at this index of the batch answers its key from now on.
    pub(super) fn note(&mut self, place: usize, entry: &Entry) {
        if let Some(mark) = entry.event.request() {
            self.0.insert((entry.actor.id.clone(), mark.key.clone()), Answer::Here(place));
        }
    }
}

/// The text of a leaf and its hash.
pub(super) struct EncodedLeaf {
    pub(super) hash: String,
    pub(super) text: String,
}

/// Writes new entries, each with its leaf and its derived rows.
pub(super) async fn write(tx: &mut Tx, entries: &[(&Entry, &EncodedLeaf)]) -> Result<(), DbError> {
    let mut rows = Vec::with_capacity(entries.len() * multi_row::ADD_ENTRIES.columns);
    let locations: Vec<_> = entries.iter().map(|(entry, _)| (entry.table_key(), entry.seat())).collect();
    for ((entry, sealed), (place, seat)) in entries.iter().zip(&locations) {
        let (slip, mark) = (entry.event.slip(), entry.event.request());
        rows.extend([
            Arg::Text(&entry.log),
            Arg::Int(to_i64(entry.seq)),
            Arg::Text(entry.event.kind()),
            entry.event.subject().map_or(Arg::NoText, Arg::Text),
            slip.map_or(Arg::NoInt, |slip| Arg::Int(to_i64(slip.number))),
            mark.map_or(Arg::NoText, |_| Arg::Text(&entry.actor.id)),
            mark.map_or(Arg::NoText, |mark| Arg::Text(&mark.key)),
            place.as_deref().map_or(Arg::NoText, Arg::Text),
            seat.as_deref().map_or(Arg::NoText, Arg::Text),
            entry.event.review().map_or(Arg::NoText, Arg::Text),
            Arg::Text(&sealed.hash),
            Arg::Text(&sealed.text),
        ]);
    }
    for (statement, some) in parts(multi_row::ADD_ENTRIES, &rows) {
        tx.execute_later(statement, some).await?;
    }
    // Set-up entries are rare, and each takes the position after the one before.
    for (entry, _) in entries.iter().filter(|(entry, _)| entry.event.is_setup()) {
        tx.execute_later(sql::ADD_SETUP, &[Arg::Text(&entry.log), Arg::Int(to_i64(entry.seq))]).await?;
    }
    Ok(())
}

/// The multi-row read statements, as few as possible and of few widths. The last one is padded with nulls, which match
/// no row.
fn padded<'a>(wide: MultiRow, args: &[Arg<'a>]) -> Vec<Query<'a>> {
    let Some((widest, _)) = wide.widths.first() else { return Vec::new() };
    let some = args.chunks(widest * wide.columns).filter_map(|some| {
        let (rows, statement) = wide.widths.iter().rev().find(|(rows, _)| rows * wide.columns >= some.len())?;
        let mut args = some.to_vec();
        args.resize(rows * wide.columns, Arg::NoText);
        Some(Query { statement: *statement, args })
    });
    some.collect()
}

/// Splits the arguments of many rows into chunks, the widest first, each with the statement that takes it.
pub(super) fn parts<'a, 'b>(wide: MultiRow, args: &'a [Arg<'b>]) -> Vec<(sql::Statement, &'a [Arg<'b>])> {
    let mut parts = Vec::new();
    let mut rest = args;
    for (rows, statement) in wide.widths {
        while let Some((part, after)) = rest.split_at_checked(rows * wide.columns) {
            parts.push((*statement, part));
            rest = after;
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_of_any_number_of_rows_have_every_argument_in_order() {
        for rows in 0..=200 {
            let args: Vec<Arg<'_>> = (0..rows * 2).map(Arg::Int).collect();
            let asked: Vec<Arg<'_>> = padded(multi_row::ANSWERS, &args).into_iter().flat_map(|ask| ask.args).collect();
            let (wanted, rest) = asked.split_at(args.len());
            assert_eq!(format!("{wanted:?}"), format!("{args:?}"));
            assert!(rest.len() < args.len().max(1) && rest.iter().all(|arg| matches!(arg, Arg::NoText)));
        }
    }

    #[test]
    fn writes_of_any_number_of_rows_have_every_argument_in_order() {
        for rows in 0..=200 {
            let args: Vec<Arg<'_>> = (0..rows * 2).map(Arg::Int).collect();
            let parts = parts(multi_row::ANSWERS, &args);
            let written: Vec<String> = parts.iter().flat_map(|(_, part)| *part).map(|arg| format!("{arg:?}")).collect();
            assert_eq!(written, args.iter().map(|arg| format!("{arg:?}")).collect::<Vec<_>>());
            assert!(parts.len() <= 9, "{rows} rows take {} statements", parts.len());
        }
    }
}
