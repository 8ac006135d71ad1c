//! `ledger verify | export | checkpoint`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead as _, BufReader, BufWriter, Read as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

use crate::domain::event::{ClosedLog, Restored, is_kind};
use crate::domain::ledger::{
    Audit, Broken, Checkpoint, Kept, Leaf, Tree, VerifierKey, claimed_origin, family, log_of, place,
};
use crate::domain::{Entry, Event};
use crate::store::outside::{KeptCopy, read_short};
use crate::store::verify::{Checked, VerifyError, verify, verify_database};
use crate::store::{FolderError, Ledger};

use super::args::LedgerCommand;
use super::{Context, Outcome};

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
                Err(FolderError::Ledger(error)) if error.is_damage() => {
                    return Ok(broken(&format!("log server is broken: entry 0: {error}")));
                }
                opened => opened?,
            };
            let outcome = verify_logs(&ledger, log.as_deref(), &kept).await;
            ledger.db.close().await;
            outcome
        }
        LedgerCommand::Export { log, folder } => {
            let ledger = context.ledger().await?;
            for log in chosen(&ledger, log).await? {
                if export(&ledger, &log, &folder).await? {
                    println!("{log}: exported to {}", folder.display());
                } else {
                    println!("{log}: closed, and nothing is left of it; its continuation says so");
                }
            }
            ledger.db.close().await;
            Ok(Outcome::Done)
        }
        LedgerCommand::Checkpoint { log } => {
            let ledger = context.ledger().await?;
            let note = ledger.last_checkpoint(&log).await?;
            ledger.db.close().await;
            print!("{}", note.with_context(|| format!("there is no log {log:?}"))?);
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

async fn verify_logs(ledger: &Ledger, log: Option<&str>, kept: &[KeptCopy]) -> anyhow::Result<Outcome> {
    if let Err(error) = verify_database(ledger).await {
        return match error {
            VerifyError::Database(_) => Ok(broken(&error.to_string())),
            error => Err(error.into()),
        };
    }
    let logs = chosen(ledger, log.map(str::to_owned)).await?;
    if let Some(lost) = kept.iter().find(|copy| log.is_none() && !logs.contains(&copy.log)) {
        return Ok(is_lost(lost));
    }
    // A fault that is known must not hide another.
    let mut outcome = Outcome::Done;
    for log in logs {
        match verify(ledger, &log, kept).await {
            Ok(Checked { closed: Some(ClosedLog { fault: Some(fault), .. }), .. }) => {
                outcome = broken(&format!("{fault}; log {log} was closed as it lies, and is continued"));
            }
            Ok(checked) => report(&log, &checked.tree, kept, checked.closed.as_ref()),
            Err(error) if !error.is_damage() => return Err(error.into()),
            Err(error) => outcome = broken(&error.to_string()),
        }
    }
    Ok(outcome)
}

fn report(log: &str, whole: &Tree, kept: &[KeptCopy], closed: Option<&ClosedLog>) {
    let fitted = match kept.iter().filter(|copy| copy.log == log).count() {
        0 => "",
        _ => ", fits the checkpoint that was kept",
    };
    let closed = match closed.map(ClosedLog::lost) {
        None => String::new(),
        Some(0) => ", closed and continued".to_owned(),
        Some(lost) => format!(", closed and continued, {lost} more are lost"),
    };
    let code = Checkpoint::of(log, whole).short_code();
    println!("{log}: whole, {}, code {code}{fitted}{closed}", entries(whole.size()));
}

/// So many entries, in words.
pub fn entries(count: u64) -> String {
    if count == 1 { "1 entry".to_owned() } else { format!("{count} entries") }
}

/// The answer is no: that is not an error of the command, but it is said where errors are.
fn broken(what: &str) -> Outcome {
    eprintln!("adjudge: {what}");
    Outcome::No
}

fn is_lost(kept: &KeptCopy) -> Outcome {
    broken(&format!("log {} is lost: {} was kept of it", kept.log, kept.path.display()))
}

/// A short text file: a checkpoint or a key.
fn read_note(path: &Path) -> anyhow::Result<String> {
    let failed = || format!("{} cannot be read", path.display());
    String::from_utf8(read_short(path).with_context(failed)?).with_context(failed)
}

/// Checkpoint files, and the logs they say they are about.
fn read_kept(paths: Vec<PathBuf>) -> anyhow::Result<Vec<KeptCopy>> {
    paths
        .into_iter()
        .map(|path| {
            let note = read_note(&path)?;
            let log = claimed_origin(&note).and_then(log_of).map(str::to_owned);
            let log = log.with_context(|| format!("{} is no checkpoint of adjudge", path.display()))?;
            Ok(KeptCopy { path, log, note })
        })
        .collect()
}

/// Writes the files of a log; false where nothing is left of it that could be written.
async fn export(ledger: &Ledger, log: &str, folder: &Path) -> anyhow::Result<bool> {
    let failed = || format!("{} cannot be written", folder.display());
    fs::create_dir_all(folder).with_context(failed)?;
    // The checkpoint is read first: whatever is appended meanwhile is left out.
    let note = ledger.last_checkpoint(log).await?;
    let closed = ledger.closed(log).await?;
    let (key, size) = match (&closed, &note) {
        // A closed log goes out as it lies.
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

/// Writes the leaves of a log, one a line: so many, or as many as there are.
async fn write_leaves(ledger: &Ledger, log: &str, size: Option<u64>, path: &Path) -> anyhow::Result<()> {
    let failed = || format!("{} cannot be written", path.display());
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

fn verify_export(folder: &Path, log: Option<&str>, kept: &[KeptCopy]) -> anyhow::Result<Outcome> {
    let logs = match log {
        Some(log) => vec![log.to_owned()],
        None => exported_logs(folder)?,
    };
    if logs.is_empty() {
        bail!("{} holds no exported log", folder.display());
    }
    if let Some(lost) = kept.iter().find(|copy| log.is_none() && !logs.contains(&copy.log)) {
        return Ok(is_lost(lost));
    }
    let (mut outcome, mut whole) = (Outcome::Done, BTreeMap::new());
    for log in logs {
        match verify_exported_log(folder, &log, kept)? {
            Ok(tree) => {
                report(&log, &tree, kept, None);
                whole.insert(log, tree);
            }
            Err(what) => outcome = broken(&format!("log {log} is broken: {what}")),
        }
    }
    if log.is_none() {
        for what in not_as_closed(folder, &whole)? {
            outcome = broken(&what);
        }
    }
    Ok(outcome)
}

/// What does not fit between exported logs: a closed one must be what its last continuation says.
fn not_as_closed(folder: &Path, whole: &BTreeMap<String, Tree>) -> anyhow::Result<Vec<String>> {
    let mut found = Vec::new();
    let is_last = |log: &str| whole.keys().all(|other| family(other) != family(log) || place(other) <= place(log));
    for log in whole.keys().filter(|log| is_last(log)) {
        for closed in first_entry(folder, log)?.map(|restored| restored.closed).unwrap_or_default() {
            let exported = whole.get(&closed.log).map(|tree| (tree.size(), tree.root().base64()));
            if closed.size > 0 && exported != Some((closed.size, closed.root)) {
                found.push(format!("log {} is not in the export as {log} says that it was closed", closed.log));
            }
        }
    }
    Ok(found)
}

/// What entry 0 of an exported log says of the logs before it, if it is a continuation.
fn first_entry(folder: &Path, log: &str) -> anyhow::Result<Option<Restored>> {
    let path = folder.join(format!("{log}.jsonl"));
    let mut line = String::new();
    BufReader::new(fs::File::open(&path).with_context(|| format!("{} cannot be read", path.display()))?)
        .take(u64::try_from(Leaf::MAX_BYTES)?)
        .read_line(&mut line)?;
    Ok(match Entry::from_leaf(Leaf::parse(line.trim_end())?)?.event {
        Event::Restored(restored) => Some(restored),
        _ => None,
    })
}

/// The logs of an export folder, by any of their three files.
fn exported_logs(folder: &Path) -> anyhow::Result<Vec<String>> {
    let entries = fs::read_dir(folder).with_context(|| format!("{} cannot be read", folder.display()))?;
    let mut logs = BTreeSet::new();
    for entry in entries {
        let name = entry?.file_name();
        let parts = name.to_str().and_then(|name| name.rsplit_once('.'));
        logs.extend(
            parts.filter(|(_, ending)| ["jsonl", "checkpoint", "vkey"].contains(ending)).map(|(log, _)| log.to_owned()),
        );
    }
    Ok(logs.into_iter().collect())
}

/// Checks an exported log; the inner error says what is broken.
fn verify_exported_log(folder: &Path, log: &str, kept: &[KeptCopy]) -> anyhow::Result<Result<Tree, Broken>> {
    let path = |ending: &str| folder.join(format!("{log}.{ending}"));
    let (key, note) = (read_note(&path("vkey"))?, read_note(&path("checkpoint"))?);
    let key: VerifierKey =
        key.trim_end().parse().with_context(|| format!("{} is no verifier key", path("vkey").display()))?;
    let lines = fs::File::open(path("jsonl")).with_context(|| format!("{} cannot be read", path("jsonl").display()))?;
    let about = kept.iter().filter(|copy| copy.log == log);
    let audit = Audit::new(log, key, is_kind).with_checkpoint(Kept::Stored, &note);
    let audit = about.fold(audit, |audit, copy| audit?.with_checkpoint(Kept::Outside, &copy.note));
    match audit {
        Ok(audit) => verify_lines(audit, lines),
        Err(broken) => Ok(Err(broken)),
    }
}

/// Reads line by line, never more of one than an entry can have.
fn verify_lines(mut audit: Audit, lines: fs::File) -> anyhow::Result<Result<Tree, Broken>> {
    let longest = u64::try_from(Leaf::MAX_BYTES)?.saturating_add(1);
    let mut reader = BufReader::new(lines);
    let mut line = Vec::new();
    while reader.by_ref().take(longest).read_until(b'\n', &mut line)? > 0 {
        if let Err(broken) = audit.line(&line) {
            return Ok(Err(broken));
        }
        line.clear();
    }
    Ok(audit.finish())
}
