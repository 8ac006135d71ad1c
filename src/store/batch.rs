//! A batch on its way into the tables: what had been answered before is found, and what is new is written,
//! each with as few statements as can be.

use std::collections::HashMap;

use crate::domain::Entry;

use super::db::{Arg, DbError, Tx};
use super::ledger::{Draft, LedgerError, Recorded, entry_of, signed};
use super::statements as sql;
use super::statements::wide::{self, Wide};

/// Whose key: the actor's id and the key.
type Asked = (String, String);

/// The keys of a batch that have been answered: before it, or by an earlier draft of it. Looked up under
/// the write lock, so that of two equal requests at the same moment one is recorded.
pub(super) struct Answered(HashMap<Asked, Answer>);

enum Answer {
    Before(Box<Entry>),
    /// By the entry at this place of the batch.
    Here(usize),
}

impl Answered {
    pub(super) async fn look_up(tx: &mut Tx, drafts: &[Draft]) -> Result<Self, LedgerError> {
        let marks = drafts.iter().filter_map(|draft| Some((draft, draft.event.request()?)));
        let args: Vec<Arg<'_>> =
            marks.flat_map(|(draft, mark)| [Arg::Text(&draft.actor.id), Arg::Text(&mark.key)]).collect();
        let mut found = HashMap::new();
        for (statement, some) in parts(wide::ANSWERS, &args) {
            for row in tx.fetch(statement, some).await? {
                found
                    .insert((row.text("asked_by")?, row.text("asked_key")?), Answer::Before(Box::new(entry_of(&row)?)));
            }
        }
        Ok(Self(found))
    }

    /// The entry that already answered the draft's key. `recorded` is what became of the drafts before it.
    pub(super) fn by(&self, draft: &Draft, recorded: &[Recorded]) -> Option<Entry> {
        let mark = draft.event.request()?;
        match self.0.get(&(draft.actor.id.clone(), mark.key.clone()))? {
            Answer::Before(entry) => Some(entry.as_ref().clone()),
            Answer::Here(place) => recorded.get(*place).and_then(Recorded::entry).cloned(),
        }
    }

    /// Notes that the entry at this place of the batch answers its key from now on.
    pub(super) fn note(&mut self, place: usize, entry: &Entry) {
        if let Some(mark) = entry.event.request() {
            self.0.insert((entry.actor.id.clone(), mark.key.clone()), Answer::Here(place));
        }
    }
}

/// The text of a leaf and its hash.
pub(super) struct Sealed {
    pub(super) hash: String,
    pub(super) text: String,
}

/// Writes new entries, each with its leaf and what is derived from it.
pub(super) async fn write(tx: &mut Tx, entries: &[(&Entry, &Sealed)]) -> Result<(), DbError> {
    let mut rows = Vec::with_capacity(entries.len() * wide::ADD_ENTRIES.columns);
    let spots: Vec<_> = entries.iter().map(|(entry, _)| (entry.place(), entry.seat())).collect();
    for ((entry, sealed), (place, seat)) in entries.iter().zip(&spots) {
        let (slip, mark) = (entry.event.slip(), entry.event.request());
        rows.extend([
            Arg::Text(&entry.log),
            Arg::Int(signed(entry.seq)),
            Arg::Text(entry.event.kind()),
            entry.event.subject().map_or(Arg::NoText, Arg::Text),
            slip.map_or(Arg::NoInt, |slip| Arg::Int(signed(slip.number))),
            mark.map_or(Arg::NoText, |_| Arg::Text(&entry.actor.id)),
            mark.map_or(Arg::NoText, |mark| Arg::Text(&mark.key)),
            place.as_deref().map_or(Arg::NoText, Arg::Text),
            seat.as_deref().map_or(Arg::NoText, Arg::Text),
            entry.event.review().map_or(Arg::NoText, Arg::Text),
            Arg::Text(&sealed.hash),
            Arg::Text(&sealed.text),
        ]);
    }
    for (statement, some) in parts(wide::ADD_ENTRIES, &rows) {
        tx.execute(statement, some).await?;
    }
    // What sets something up is rare, and each takes the position after the one before.
    for (entry, _) in entries.iter().filter(|(entry, _)| entry.event.is_setup()) {
        tx.execute(sql::ADD_SETUP, &[Arg::Text(&entry.log), Arg::Int(signed(entry.seq))]).await?;
    }
    Ok(())
}

/// Cuts the arguments of many rows into parts, the widest first, each with the statement that takes it.
pub(super) fn parts<'a, 'b>(wide: Wide, args: &'a [Arg<'b>]) -> Vec<(sql::Statement, &'a [Arg<'b>])> {
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
    fn any_number_of_rows_is_written_whole_and_in_order() {
        for rows in 0..=200 {
            let args: Vec<Arg<'_>> = (0..rows * 2).map(Arg::Int).collect();
            let parts = parts(wide::ANSWERS, &args);
            let written: Vec<String> = parts.iter().flat_map(|(_, part)| *part).map(|arg| format!("{arg:?}")).collect();
            assert_eq!(written, args.iter().map(|arg| format!("{arg:?}")).collect::<Vec<_>>());
            assert!(parts.len() <= 9, "{rows} rows take {} statements", parts.len());
        }
    }
}
