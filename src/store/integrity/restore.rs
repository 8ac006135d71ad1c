//! Restore: continuing after a loss. The existing rows are not changed: a log that lost or changed an entry is closed
//! as it is, and a new log, its continuation, takes the entries from then on. Entry 0 of the continuation records what
//! was found, signed.

use std::collections::BTreeSet;

use crate::domain::event::{ClosedLog, KnownCheckpoint, LogOpened, Restored};
use crate::domain::ledger::{Actor, Checkpoint, VerifierKey, base_log, claimed_size, continuation, ordinal};
use crate::domain::{Event, SERVER_LOG};
use crate::system::System;

use super::verify::{VerifyError, tree_of_stored_leaves_at, verify_entries_until_fault, verify_log_and_copies};
use crate::store::accounts::tokens;
use crate::store::db::{Arg, DbError};
use crate::store::integrity::checkpoint_copies::{CheckpointCopy, Copies};
use crate::store::ledger::{Draft, Ledger, LedgerError, entry};
use crate::store::statements as sql;

/// How many characters of a fault are recorded.
const MAX_FAULT_CHARS: usize = 500;

/// No event has so many slips: a larger number comes from a forged size.
const LAST_NUMBER: u64 = 1_000_000_000;

/// How to continue with a database file whose pages are damaged.
pub const PUT_BACK: &str = "put back the newest backup; where there is none, move adjudge.db, adjudge.db-wal and \
    adjudge.db-shm away, then: adjudge restore";

/// Why nothing could be restored. Nothing was written then.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error("the database has rows of a log {0:?}, which is no valid name of a log: put back the newest backup")]
    Stray(String),
    #[error("the database file itself is damaged ({0}), and restore cannot rebuild it: {PUT_BACK}")]
    Damaged(String),
    #[error("log {0} grew while restore read it: stop every server of this ledger first, then try again")]
    Grew(String),
}

impl From<DbError> for RestoreError {
    fn from(error: DbError) -> Self {
        if error.is_damage() { Self::Damaged(error.to_string()) } else { Self::Ledger(error.into()) }
    }
}

/// What a restore wrote.
#[derive(Debug, Default)]
pub struct Restoration {
    /// The new continuations, and what each records.
    pub continued: Vec<(String, Restored)>,
    /// Tokens whose row disagreed with the ledger; they are revoked.
    pub revoked: Vec<String>,
    /// Whether damaged indexes were rebuilt.
    pub has_new_indexes: bool,
}

/// How many entries of a log checkpoints covered when it was read.
type Seen = (String, Option<u64>);

/// Continues every log that is broken, behind a copy of its checkpoint, or signed with another key than the current
/// one; rebuilds damaged indexes; and revokes every token whose row disagrees with the ledger. A copy that cannot be
/// read, or that belongs to another server, closes no log.
///
/// # Errors
/// If the database fails, or another process writes meanwhile.
pub async fn restore(
    ledger: &Ledger,
    system: &System,
    by: &Actor,
    copies: &Copies,
) -> Result<Restoration, RestoreError> {
    let has_new_indexes = mend_indexes(ledger).await?;
    let (mut done, mut seen) = (Restoration { has_new_indexes, ..Restoration::default() }, Vec::new());
    let mut logs: BTreeSet<String> = ledger.logs().await?.into_iter().collect();
    // If a ledger is lost together with its key, the copies reveal only the names and sizes of its logs.
    let named = copies.unreadable.iter().filter(|_| logs.is_empty()).map(|copy| copy.log.clone());
    let named: Vec<String> = named.chain(copies.kept.iter().map(|copy| copy.log.clone())).collect();
    logs.extend(named);
    logs.insert(SERVER_LOG.to_owned());
    if let Some(stray) = logs.iter().find(|log| ordinal(log).is_none()) {
        return Err(RestoreError::Stray(stray.clone()));
    }
    let names: BTreeSet<&str> = logs.iter().map(|log| base_log(log)).collect();
    for name in names {
        let chain = chain(&logs, name);
        if is_whole(ledger, &chain, &copies.kept).await? {
            continue;
        }
        for log in &chain {
            seen.push((log.clone(), ledger.signed_size(log).await?));
        }
        let next = continuation(chain.last().map_or(name, String::as_str));
        let said = restored(ledger, &chain, &next, copies).await?;
        done.continued.push((next, said));
    }
    begin(ledger, system, by, &done.continued, &seen).await?;
    done.revoked = tokens::revoke_forged(ledger, system, by).await?;
    Ok(done)
}

/// Rebuilds the indexes, and gives whether it did. They derive from the rows, so they can be rebuilt. Other damage to
/// the file needs the backup.
async fn mend_indexes(ledger: &Ledger) -> Result<bool, RestoreError> {
    let Some(found) = ledger.db.check().await? else { return Ok(false) };
    ledger.db.reindex().await.map_err(|_| RestoreError::Damaged(found))?;
    ledger.db.check().await?.map_or(Ok(true), |found| Err(RestoreError::Damaged(found)))
}

/// The logs of one name, oldest first.
fn chain(logs: &BTreeSet<String>, name: &str) -> Vec<String> {
    let mut chain: Vec<String> = logs.iter().filter(|log| base_log(log) == name).cloned().collect();
    chain.sort_by_key(|log| ordinal(log));
    chain
}

async fn is_whole(ledger: &Ledger, chain: &[String], kept: &[CheckpointCopy]) -> Result<bool, RestoreError> {
    for log in chain {
        match verify_log_and_copies(ledger, log, kept, &[]).await {
            // A token can be revoked; its log need not be closed for that.
            Ok(_) | Err(VerifyError::Token(_)) => {}
            Err(fault) => return said_of_entries(fault).map(|_| false),
        }
    }
    Ok(true)
}

/// What a check found wrong with the entries; an error if it could not be carried out.
fn said_of_entries(fault: VerifyError) -> Result<String, RestoreError> {
    match fault {
        VerifyError::Ledger(error) if !error.is_damage() => Err(error.into()),
        fault => Ok(fault.to_string().chars().take(MAX_FAULT_CHARS).collect()),
    }
}

async fn restored(ledger: &Ledger, chain: &[String], next: &str, copies: &Copies) -> Result<Restored, RestoreError> {
    let mut said = Restored {
        closed: Vec::new(),
        last_number: 0,
        verifier: ledger.signer().verifier(next).to_string(),
        program: crate::PROGRAM.to_owned(),
    };
    for log in chain {
        let closed = match ledger.closed(log).await {
            Ok(Some(closed)) if verify_log_and_copies(ledger, log, &copies.kept, &[]).await.is_ok() => closed,
            _ => remains(ledger, log, copies).await?,
        };
        let before = ledger.restored(log).await.ok().flatten().map_or(0, |before| before.last_number);
        // Each entry may have been a slip, including entries known only from a copy that cannot be opened. The numbers
        // in the rows are not used: they may be what was changed.
        let known = closed.checkpoint.as_ref().map_or(0, |known| known.size);
        let all = copies.kept.iter().chain(&copies.unreadable);
        let claimed = all.filter(|copy| copy.log == *log).filter_map(|copy| claimed_size(&copy.note)).max();
        let entries = closed.size.max(known).max(claimed.unwrap_or(0));
        said.last_number = said.last_number.max(before).saturating_add(entries).min(LAST_NUMBER);
        said.closed.push(closed);
    }
    Ok(said)
}

/// The state of a log, compared with every known checkpoint of it.
async fn remains(ledger: &Ledger, log: &str, copies: &Copies) -> Result<ClosedLog, RestoreError> {
    let key = key_of(ledger, log).await;
    let all = copies.kept.iter().chain(&copies.unreadable);
    let about: Vec<&CheckpointCopy> = all.filter(|copy| copy.log == log).collect();
    let opened = |copy: &CheckpointCopy| Checkpoint::open(&copy.note, &key).ok();
    let checkpoints: Vec<Checkpoint> = about.iter().filter_map(|copy| opened(copy)).collect();
    let (tree, compared) = tree_of_stored_leaves_at(ledger, log, &checkpoints).await?;
    let answered = |copy: &CheckpointCopy| opened(copy).is_some_and(|checkpoint| checkpoint.size <= tree.size());
    let behind: Vec<CheckpointCopy> = about.iter().filter(|copy| answered(copy)).map(|copy| (*copy).clone()).collect();
    let (checked, covered) = verify_entries_until_fault(ledger, log, key.clone(), &behind).await;
    let checkpoint_copies = match &checked {
        // A row that is derived from an entry is damaged, so the entry cannot be relied on, even if a copy vouches for
        // it.
        Err(VerifyError::Projection { .. }) => 0,
        _ => vouched_for(&compared),
    };
    let sound = covered.settled.max(checkpoint_copies).min(tree.size());
    let vouched = covered.vouched.max(checkpoint_copies).min(tree.size());
    let fault = checked.err().map(said_of_entries).transpose()?;
    // A note that cannot be read does not count.
    let stored = ledger.last_checkpoint(log).await.ok().flatten();
    let stored = stored.and_then(|note| Checkpoint::open(&note, &key).ok());
    let newest = about.iter().filter_map(|copy| opened(copy)).chain(stored).max_by_key(|checkpoint| checkpoint.size);
    Ok(ClosedLog {
        log: log.to_owned(),
        size: tree.size(),
        root: tree.root().base64(),
        checkpoint: newest.map(|known| KnownCheckpoint { size: known.size, root: known.root.base64() }),
        fault,
        sound,
        vouched: Some(vouched).filter(|vouched| *vouched < sound),
        weighed: about.iter().map(|copy| copy.sha256()).collect(),
        verifier: key.to_string(),
    })
}

/// How many entries outside copies vouch for, after comparing them with the stored entries: up to the largest copy that
/// fits, before any that does not.
fn vouched_for(compared: &[(u64, bool)]) -> u64 {
    let contradicted = compared.iter().filter(|(_, fits)| !fits).map(|(size, _)| *size).min();
    let fitting = compared.iter().filter(|(size, fits)| *fits && contradicted.is_none_or(|from| *size < from));
    fitting.map(|(size, _)| *size).max().unwrap_or(0)
}

/// The key that signed a log: the one in its first entry or, for the first log of its name, the one of the log `server`
/// whose entry opened it; else the current key.
async fn key_of(ledger: &Ledger, log: &str) -> VerifierKey {
    let open_items_of_kind = ledger.log_that_opened(log).await.ok().flatten().unwrap_or_else(|| SERVER_LOG.to_owned());
    let begins = if log == base_log(log) && log != SERVER_LOG { open_items_of_kind } else { log.to_owned() };
    let first = entry(&ledger.db, &begins, 0).await.ok().flatten();
    let said = first.and_then(|first| first.event.verifier().map(str::to_owned));
    let key = said.and_then(|text| text.parse::<VerifierKey>().ok());
    key.map_or_else(|| ledger.signer().verifier(log), |key| key.of_log(log))
}

/// Begins the continuations, all in one transaction.
async fn begin(
    ledger: &Ledger,
    system: &System,
    by: &Actor,
    continued: &[(String, Restored)],
    seen: &[Seen],
) -> Result<(), RestoreError> {
    let mut tx = ledger.begin().await?;
    for (log, size) in seen {
        let rows = tx.fetch(sql::LAST_CHECKPOINT, &[Arg::Text(log)]).await?;
        if rows.first().map(|row| row.count("size")).transpose()? != *size {
            return Err(RestoreError::Grew(log.clone()));
        }
    }
    let draft = |log: &str, event| Draft::of(log, by.clone(), event);
    for (next, said) in continued {
        tx.append(system.now(), vec![draft(next, Event::Restored(said.clone()))]).await?;
        tx.execute(sql::ADD_CONTINUED, &[Arg::Text(base_log(next)), Arg::Text(next)]).await?;
    }
    // From now on the open log `server` is found, and takes the entries about the others.
    let others = continued.iter().map(|(next, _)| next).filter(|next| base_log(next) != SERVER_LOG);
    let opened = others.map(|next| draft(SERVER_LOG, Event::LogOpened(LogOpened { opened: next.clone() })));
    tx.append(system.now(), opened.collect()).await?;
    Ok(tx.commit().await?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::event::{StorageOk, server};
    use crate::store::DataDir;
    use crate::store::integrity::verify::verify_all;

    /// Earlier versions named a continuation `lagos+2`: it is still read, written to and continued.
    #[tokio::test]
    async fn a_continuation_of_an_older_version_stays_in_use() {
        let (data, system) = (tempfile::tempdir().unwrap(), System::Real);
        let ledger = DataDir::at(data.path()).init(&system, &server()).await.unwrap();
        let add = async || {
            let draft = Draft::of("lagos", server(), Event::StorageOk(StorageOk {}));
            ledger.record(system.now(), vec![draft]).await.unwrap().remove(0).entry().unwrap().log.clone()
        };
        assert_eq!(add().await, "lagos");
        for (chain, next) in [(vec!["lagos"], "lagos+2"), (vec!["lagos", "lagos+2"], "lagos~3")] {
            let chain: Vec<String> = chain.into_iter().map(str::to_owned).collect();
            let said = restored(&ledger, &chain, next, &Copies::default()).await.unwrap();
            begin(&ledger, &system, &server(), &[(next.to_owned(), said)], &[]).await.unwrap();
            assert_eq!(add().await, next);
            verify_all(&ledger, &[]).await.unwrap();
        }
        assert_eq!(ledger.logs_of("lagos").await.unwrap(), ["lagos", "lagos+2", "lagos~3"]);
        assert_eq!(continuation(&ledger.open_log("lagos").await.unwrap()), "lagos~4");
    }

    #[test]
    fn copies_vouch_up_to_the_largest_that_fits_before_any_that_does_not() {
        assert_eq!(vouched_for(&[]), 0);
        assert_eq!(vouched_for(&[(3, true), (5, true)]), 5);
        assert_eq!(vouched_for(&[(3, true), (5, false), (7, true)]), 3);
        assert_eq!(vouched_for(&[(5, true), (5, false)]), 0);
    }
}
