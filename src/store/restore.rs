//! Going on after a loss. Nothing that lies in the database is changed: a log that lost or changed an entry is
//! closed as it lies, and a new one, its continuation, takes the entries from then on. Its entry 0 says what was
//! found, signed.

use std::collections::BTreeSet;

use crate::domain::event::{ClosedLog, KnownCheckpoint, LogOpened, Restored, TokenRevoked};
use crate::domain::ledger::{Actor, Checkpoint, VerifierKey, continuation, family};
use crate::domain::{Event, SERVER_LOG};
use crate::world::World;

use super::db::{Arg, DbError, Kind};
use super::ledger::{Draft, Ledger, LedgerError, entry};
use super::outside::KeptCopy;
use super::statements as sql;
use super::verify::{VerifyError, as_it_lies, closed_as, odd_tokens, verify_entries, verify_settled};

/// Why nothing could be restored. Nothing was written then.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error("log {0} grew while it was looked at: stop every server of this ledger first, then try again")]
    Grew(String),
}

impl From<DbError> for RestoreError {
    fn from(error: DbError) -> Self {
        Self::Ledger(error.into())
    }
}

/// What a restore wrote.
#[derive(Debug, Default)]
pub struct Restoration {
    /// The continuations that were begun, and what each says.
    pub continued: Vec<(String, Restored)>,
    /// Tokens that were not what their entries say, and are revoked.
    pub revoked: Vec<String>,
}

/// How many entries of a log were covered by checkpoints when it was looked at.
type Seen = (String, Option<u64>);

/// Continues every log that is broken, behind a kept checkpoint, or signed with another key than the one at
/// hand, makes damaged indexes anew, and revokes every token that is not what its entries say.
///
/// # Errors
/// Where the database fails, or somebody writes meanwhile.
pub async fn restore(
    ledger: &Ledger,
    world: &World,
    by: &Actor,
    kept: &[KeptCopy],
) -> Result<Restoration, RestoreError> {
    if ledger.db.check().await?.is_some() {
        ledger.db.reindex().await?;
    }
    let (mut done, mut seen) = (Restoration::default(), Vec::new());
    let mut logs: BTreeSet<String> = ledger.logs().await?.into_iter().collect();
    logs.extend(kept.iter().map(|copy| copy.log.clone()));
    logs.insert(SERVER_LOG.to_owned());
    let names: BTreeSet<&str> = logs.iter().map(|log| family(log)).collect();
    for name in names {
        let chain = chain(&logs, name);
        if is_whole(ledger, &chain, kept).await? {
            continue;
        }
        for log in &chain {
            seen.push((log.clone(), ledger.signed_size(log).await?));
        }
        let next = continuation(chain.last().map_or(name, String::as_str));
        let said = restored(ledger, &chain, &next, kept).await?;
        done.continued.push((next, said));
    }
    begin(ledger, world, by, &done.continued, &seen).await?;
    done.revoked = revoke_odd_tokens(ledger, world, by).await?;
    Ok(done)
}

/// The logs of one name, oldest first.
fn chain(logs: &BTreeSet<String>, name: &str) -> Vec<String> {
    let mut chain: Vec<String> = logs.iter().filter(|log| family(log) == name).cloned().collect();
    chain.sort_by_key(|log| (log.len(), log.clone()));
    chain
}

async fn is_whole(ledger: &Ledger, chain: &[String], kept: &[KeptCopy]) -> Result<bool, RestoreError> {
    for log in chain {
        match verify_settled(ledger, log, kept).await {
            // A token can be revoked; its log need not be closed for it.
            Ok(_) | Err(VerifyError::Token(_)) => {}
            Err(fault) => return said_of_entries(fault).map(|_| false),
        }
    }
    Ok(true)
}

/// What a check says of the entries; an error where it could not be carried out.
fn said_of_entries(fault: VerifyError) -> Result<String, RestoreError> {
    match fault {
        VerifyError::Ledger(error) if error.kind() != Kind::Broken => Err(error.into()),
        fault => Ok(fault.to_string()),
    }
}

async fn restored(ledger: &Ledger, chain: &[String], next: &str, kept: &[KeptCopy]) -> Result<Restored, RestoreError> {
    let mut said = Restored {
        closed: Vec::new(),
        last_number: 0,
        verifier: ledger.signer().verifier(next).to_string(),
        program: crate::PROGRAM.to_owned(),
    };
    for log in chain {
        let closed = match closed_as(ledger, log).await {
            Ok(Some(closed)) if verify_settled(ledger, log, kept).await.is_ok() => closed,
            _ => remains(ledger, log, kept).await?,
        };
        let before = ledger.restored(log).await.ok().flatten().map_or(0, |before| before.last_number);
        let given = ledger.db.fetch(sql::LAST_NUMBER, &[Arg::Text(log)]).await?;
        let given = given.first().map(|row| row.count("number")).transpose()?.unwrap_or(0);
        // Each entry that is lost may have been a slip.
        said.last_number = said.last_number.max(before).max(given) + closed.lost();
        said.closed.push(closed);
    }
    Ok(said)
}

/// A log as it lies, held against every checkpoint of it that is known.
async fn remains(ledger: &Ledger, log: &str, kept: &[KeptCopy]) -> Result<ClosedLog, RestoreError> {
    let key = key_of(ledger, log).await;
    let tree = as_it_lies(ledger, log).await?;
    let opened = |copy: &KeptCopy| Checkpoint::open(&copy.note, &key).ok();
    let (behind, ahead): (Vec<&KeptCopy>, Vec<&KeptCopy>) = kept
        .iter()
        .filter(|copy| copy.log == log)
        .partition(|copy| opened(copy).is_none_or(|checkpoint| checkpoint.size <= tree.size()));
    let behind: Vec<KeptCopy> = behind.into_iter().cloned().collect();
    let fault = match verify_entries(ledger, log, key.clone(), &behind).await {
        Ok(_) => None,
        Err(fault) => Some(said_of_entries(fault)?),
    };
    let stored = ledger.last_checkpoint(log).await?;
    let stored = stored.and_then(|note| Checkpoint::open(&note, &key).ok());
    let known = ahead.into_iter().chain(&behind).filter_map(opened).chain(stored);
    let newest = known.max_by_key(|checkpoint| checkpoint.size);
    Ok(ClosedLog {
        log: log.to_owned(),
        size: tree.size(),
        root: tree.root().base64(),
        checkpoint: newest.map(|known| KnownCheckpoint { size: known.size, root: known.root.base64() }),
        fault,
        verifier: key.to_string(),
    })
}

/// The key that a log was signed with, as its first entry says or, where it is the first of its name, that of
/// the log `server`; else the one at hand.
async fn key_of(ledger: &Ledger, log: &str) -> VerifierKey {
    let begins = if log == family(log) { SERVER_LOG } else { log };
    let said = match entry(&ledger.db, begins, 0).await {
        Ok(Some(first)) => match first.event {
            Event::ServerInitialised(begun) => Some(begun.verifier),
            Event::Restored(restored) => Some(restored.verifier),
            _ => None,
        },
        _ => None,
    };
    let key = said.and_then(|text| text.parse::<VerifierKey>().ok());
    key.map_or_else(|| ledger.signer().verifier(log), |key| key.of_log(log))
}

/// Begins the continuations, all in one transaction.
async fn begin(
    ledger: &Ledger,
    world: &World,
    by: &Actor,
    continued: &[(String, Restored)],
    seen: &[Seen],
) -> Result<(), RestoreError> {
    let mut tx = ledger.db.begin_write().await?;
    for (log, size) in seen {
        let rows = tx.fetch(sql::LAST_CHECKPOINT, &[Arg::Text(log)]).await?;
        if rows.first().map(|row| row.count("size")).transpose()? != *size {
            return Err(RestoreError::Grew(log.clone()));
        }
    }
    let draft = |log: &str, event| Draft { log: log.to_owned(), actor: by.clone(), event };
    for (next, said) in continued {
        ledger.append(&mut tx, world.now(), vec![draft(next, Event::Restored(said.clone()))]).await?;
        for closed in &said.closed {
            tx.execute(sql::ADD_CONTINUED, &[Arg::Text(&closed.log), Arg::Text(next)]).await?;
        }
    }
    // Now the open log `server` is found, and takes what is said of the others.
    let others = continued.iter().map(|(next, _)| next).filter(|next| family(next) != SERVER_LOG);
    let opened = others.map(|next| draft(SERVER_LOG, Event::LogOpened(LogOpened { opened: next.clone() })));
    ledger.append(&mut tx, world.now(), opened.collect()).await?;
    Ok(tx.commit().await?)
}

async fn revoke_odd_tokens(ledger: &Ledger, world: &World, by: &Actor) -> Result<Vec<String>, RestoreError> {
    let odd = odd_tokens(ledger).await?;
    if odd.is_empty() {
        return Ok(Vec::new());
    }
    let mut tx = ledger.db.begin_write().await?;
    let (mut drafts, mut names) = (Vec::new(), Vec::new());
    for (token, name) in odd {
        tx.execute(sql::REVOKE_TOKEN, &[Arg::Int(world.now().micros()), Arg::Text(&token)]).await?;
        let event = Event::TokenRevoked(TokenRevoked { token, name: name.clone() });
        drafts.push(Draft { log: SERVER_LOG.to_owned(), actor: by.clone(), event });
        names.push(name);
    }
    ledger.append(&mut tx, world.now(), drafts).await?;
    tx.commit().await?;
    Ok(names)
}
