//! `ledger verify | export | checkpoint`.

use std::fs;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

use crate::domain::event::ClosedLog;
use crate::domain::ledger::{Checkpoint, Tree, claimed_origin, log_of};
use crate::store::integrity::checkpoint_copies::{CheckpointCopy, Copies, read_short};
use crate::store::integrity::verify::{Checked, VerifyError, verify_database, verify_log_and_copies};
use crate::store::{DataDirError, Ledger};

use super::args::LedgerCommand;
use super::export::verify_export;
use super::{Context, Outcome, complain};

/// How many leaves are read at a time.
const PAGE: u64 = 1000;

pub async fn run(context: &Context, command: LedgerCommand) -> anyhow::Result<Outcome> {
    match command {
        LedgerCommand::Verify { log, checkpoints, export: Some(folder) } => {
            verify_export(&folder, log.as_deref(), &read_kept(checkpoints)?)
        }
        LedgerCommand::Verify { log, checkpoints, export: None } => {
            let kept = read_kept(checkpoints)?;
            let ledger = match context.folder.open().await {
                Err(DataDirError::Ledger(error)) if error.is_damage() => {
                    return Ok(broken(&format!("log server is broken: entry 0: {error}")));
                }
                opened => opened?,
            };
            let copies = context.checkpoint_copies().read(&ledger).await?;
            print_troubles(&copies);
            let outcome = verify_logs(&ledger, log.as_deref(), &copies.kept, &kept).await;
            ledger.db.close().await;
            outcome
        }
        LedgerCommand::Export { log, folder } => {
            let ledger = context.ledger().await?;
            for log in chosen(&ledger, log).await? {
                if export(&ledger, &log, &folder).await? {
                    println!("{log}: exported to {}", folder.display());
                } else {
                    println!(
                        "{log}: not exported: it is closed and no entry of it is left, as its continuation records"
                    );
                }
            }
            ledger.db.close().await;
            Ok(Outcome::Done)
        }
        LedgerCommand::Checkpoint { log } => {
            let ledger = context.ledger().await?;
            let note = ledger.last_checkpoint(&log).await?;
            ledger.db.close().await;
            print!(
                "{}",
                note.with_context(|| format!("there is no log {log:?}: adjudge ledger verify lists the logs"))?
            );
            Ok(Outcome::Done)
        }
    }
}

async fn chosen(ledger: &Ledger, log: Option<String>) -> anyhow::Result<Vec<String>> {
    let all = ledger.logs().await?;
    match log {
        None => Ok(all),
        Some(log) if all.contains(&log) => Ok(vec![log]),
        Some(log) => bail!("there is no log {log:?}; the logs are {}", all.join(", ")),
    }
}

/// Prints on standard error which outside copies cannot be used, and which belong to another server.
pub fn print_troubles(copies: &Copies) {
    for (path, why) in &copies.troubles {
        complain(format_args!("{}: {why}", path.display()));
    }
    for path in &copies.foreign {
        complain(format_args!("{}: another server's copy of a checkpoint, left alone", path.display()));
    }
}

/// Checks the logs like a start does, and against the given checkpoints.
async fn verify_logs(
    ledger: &Ledger,
    log: Option<&str>,
    kept: &[CheckpointCopy],
    given: &[CheckpointCopy],
) -> anyhow::Result<Outcome> {
    if let Err(error) = verify_database(ledger).await {
        return match error {
            VerifyError::Database(_) => Ok(broken(&error.to_string())),
            error => Err(error.into()),
        };
    }
    let logs = chosen(ledger, log.map(str::to_owned)).await?;
    // A known fault must not hide another.
    let mut outcome = Outcome::Done;
    for lost in kept.iter().chain(given).filter(|copy| log.is_none() && !logs.contains(&copy.log)) {
        outcome = is_lost(lost);
    }
    for log in logs {
        match verify_log_and_copies(ledger, &log, kept, given).await {
            Ok(Checked { closed: Some(ClosedLog { fault: Some(fault), .. }), .. }) => {
                outcome = broken(&format!("{fault}; log {log} was closed with this fault and is continued"));
            }
            Ok(checked) => report(&log, &checked.tree, given, checked.closed.as_ref()),
            Err(error) if !error.is_damage() => return Err(error.into()),
            Err(error) => outcome = broken(&error.to_string()),
        }
    }
    Ok(outcome)
}

pub(super) fn report(log: &str, whole: &Tree, kept: &[CheckpointCopy], closed: Option<&ClosedLog>) {
    let fitted = match kept.iter().filter(|copy| copy.log == log).count() {
        0 => "",
        _ => ", fits the checkpoint given",
    };
    let closed = match closed.map(ClosedLog::lost) {
        None => String::new(),
        Some(0) => ", closed and continued".to_owned(),
        Some(lost) => format!(", closed and continued, {lost} more are lost"),
    };
    let code = Checkpoint::of(log, whole).short_code();
    println!("{log}: whole, {}, code {code}{fitted}{closed}", entries(whole.size()));
}

/// A number of entries, in words.
pub fn entries(count: u64) -> String {
    if count == 1 { "1 entry".to_owned() } else { format!("{count} entries") }
}

/// The answer is no: not an error of the command, but printed where errors are printed.
pub(super) fn broken(what: &str) -> Outcome {
    complain(what);
    Outcome::No
}

pub(super) fn is_lost(kept: &CheckpointCopy) -> Outcome {
    broken(&format!(
        "log {} is lost: {} is a checkpoint of it, and the ledger has no such log",
        kept.log,
        kept.path.display()
    ))
}

/// A short text file: a checkpoint or a key.
pub(super) fn read_note(path: &Path) -> anyhow::Result<String> {
    let failed = || format!("cannot read {}", path.display());
    String::from_utf8(read_short(path).with_context(failed)?).with_context(failed)
}

/// Reads checkpoint files, each with the log that it names.
fn read_kept(paths: Vec<PathBuf>) -> anyhow::Result<Vec<CheckpointCopy>> {
    paths
        .into_iter()
        .map(|path| {
            let note = read_note(&path)?;
            let log = claimed_origin(&note).and_then(log_of).map(str::to_owned);
            let log = log.with_context(|| {
                format!(
                    "{} is no checkpoint of adjudge: give a file that adjudge ledger checkpoint printed",
                    path.display()
                )
            })?;
            Ok(CheckpointCopy { path, log, note })
        })
        .collect()
}

/// Writes the files of a log; false if nothing is left of it to write.
async fn export(ledger: &Ledger, log: &str, folder: &Path) -> anyhow::Result<bool> {
    let failed = || format!("cannot write to {}", folder.display());
    fs::create_dir_all(folder).with_context(failed)?;
    // The checkpoint is read first: entries that are appended meanwhile are left out.
    let note = ledger.last_checkpoint(log).await?;
    let closed = ledger.closed(log).await?;
    let (key, size) = match (&closed, &note) {
        // A closed log is exported as it is.
        (Some(ClosedLog { size: 0, .. }), _) => return Ok(false),
        (Some(closed), _) => (closed.verifier.clone(), None),
        (None, Some(note)) => {
            let key = ledger.signer().verifier(log);
            (key.to_string(), Some(Checkpoint::open(note, &key)?.size))
        }
        (None, None) => bail!("log {log} has no checkpoint: run adjudge ledger verify"),
    };
    write_leaves(ledger, log, size, &folder.join(format!("{log}.jsonl"))).await?;
    if let Some(note) = note {
        fs::write(folder.join(format!("{log}.checkpoint")), note).with_context(failed)?;
    }
    fs::write(folder.join(format!("{log}.vkey")), format!("{key}\n")).with_context(failed)?;
    Ok(true)
}

/// Writes the leaves of a log, one a line: `size` of them, or all.
async fn write_leaves(ledger: &Ledger, log: &str, size: Option<u64>, path: &Path) -> anyhow::Result<()> {
    let failed = || format!("cannot write {}", path.display());
    let mut file = BufWriter::new(fs::File::create(path).with_context(failed)?);
    let (mut next, size) = (0, size.map(i64::try_from).transpose()?);
    while size.is_none_or(|size| next < size) {
        let limit = size.and_then(|size| u64::try_from(size - next).ok()).map_or(PAGE, |rest| PAGE.min(rest));
        let leaves = ledger.raw_leaves(log, next, limit).await?;
        let Some((last, _)) = leaves.last() else { break };
        next = last + 1;
        for (_, leaf) in &leaves {
            writeln!(file, "{leaf}").with_context(failed)?;
        }
    }
    if size.is_some_and(|size| next < size) {
        bail!("log {log} ends at {next} before its checkpoint: run adjudge ledger verify");
    }
    file.into_inner().map_err(std::io::IntoInnerError::into_error).and_then(|file| file.sync_all()).with_context(failed)
}
