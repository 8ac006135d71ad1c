//! `ledger verify --export`: checks the files of `ledger export` without the database.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;

use anyhow::{Context as _, bail};

use crate::domain::event::{ClosedLog, LogOpened, Restored, is_kind};
use crate::domain::ledger::{Broken, CheckpointOrigin, Leaf, LogVerifier, Tree, VerifierKey, base_log, ordinal};
use crate::domain::{Entry, Event, SERVER_LOG};
use crate::store::integrity::checkpoint_copies::CheckpointCopy;

use super::ledger::{broken, is_lost, read_note, report};
use super::{Outcome, complain};

/// Checks every log of an export, or one, and that no log is missing.
///
/// # Errors
/// If it cannot be read.
pub fn verify_export(folder: &Path, log: Option<&str>, kept: &[CheckpointCopy]) -> anyhow::Result<Outcome> {
    let logs = match log {
        Some(log) => vec![log.to_owned()],
        None => exported_logs(folder)?,
    };
    if logs.is_empty() {
        bail!("{} holds no exported log", folder.display());
    }
    let (mut outcome, mut whole) = (Outcome::Done, BTreeMap::new());
    for lost in kept.iter().filter(|copy| log.is_none() && !logs.contains(&copy.log)) {
        outcome = is_lost(lost);
    }
    let closed = closed_logs(folder, &exported_logs(folder)?);
    for log in &logs {
        match verify_exported_log(folder, log, kept)? {
            Ok(tree) => {
                report(log, &tree, kept, closed.get(log).map(|(_, closed)| closed));
                whole.insert(log.clone(), tree);
            }
            Err(what) => outcome = broken(&format!("log {log} is broken: {what}")),
        }
    }
    if log.is_none() && !logs.iter().any(|log| base_log(log) == SERVER_LOG) {
        complain("warning: the export lacks the log server, which names all logs, so a missing log is not noticed");
    }
    if log.is_none() {
        for what in not_as_closed(&closed, &whole).into_iter().chain(missing_logs(folder, &logs, &closed)?) {
            outcome = broken(&what);
        }
    }
    Ok(outcome)
}

/// What the last continuation of each name records of the logs before it, by their names, with the name of that
/// continuation.
fn closed_logs(folder: &Path, logs: &[String]) -> BTreeMap<String, (String, ClosedLog)> {
    let mut found = BTreeMap::new();
    let is_last =
        |log: &str| logs.iter().all(|other| base_log(other) != base_log(log) || ordinal(other) <= ordinal(log));
    for log in logs.iter().filter(|log| is_last(log)) {
        let restored = first_entry(folder, log).unwrap_or_default();
        let closed = restored.map(|restored| restored.closed).unwrap_or_default();
        found.extend(closed.into_iter().map(|closed| (closed.log.clone(), (log.clone(), closed))));
    }
    found
}

/// The mismatches between exported logs: a closed log must be as its last continuation records it.
fn not_as_closed(closed: &BTreeMap<String, (String, ClosedLog)>, whole: &BTreeMap<String, Tree>) -> Vec<String> {
    let is_as_said = |closed: &ClosedLog| {
        let exported = whole.get(&closed.log).map(|tree| (tree.size(), tree.root().base64()));
        closed.size == 0 || exported == Some((closed.size, closed.root.clone()))
    };
    let others = closed.values().filter(|(_, closed)| !is_as_said(closed));
    others
        .map(|(by, closed)| {
            format!(
                "log {} is not in the export with the size and root that {by} recorded when it was closed",
                closed.log
            )
        })
        .collect()
}

/// The logs whose opening the log `server` records and that the export lacks.
fn missing_logs(
    folder: &Path,
    logs: &[String],
    closed: &BTreeMap<String, (String, ClosedLog)>,
) -> anyhow::Result<Vec<String>> {
    let mut missing = Vec::new();
    for server in logs.iter().filter(|log| base_log(log) == SERVER_LOG) {
        let path = folder.join(format!("{server}.jsonl"));
        let lines = fs::File::open(&path).with_context(|| format!("cannot read {}", path.display()))?;
        for line in BufReader::new(lines).split(b'\n') {
            // A line that cannot be read is a fault of that log, which was reported.
            let entry = String::from_utf8(line?).ok().and_then(|line| Leaf::parse(&line).ok());
            let Some(Ok(entry)) = entry.map(Entry::from_leaf) else { continue };
            let Event::LogOpened(LogOpened { opened }) = entry.event else { continue };
            let is_empty = closed.get(&opened).is_some_and(|(_, closed)| closed.size == 0);
            if !is_empty && !logs.contains(&opened) {
                missing.push(format!("log {opened} is missing from the export: {server} records that it was opened"));
            }
        }
    }
    Ok(missing)
}

/// What entry 0 of an exported log records of the logs before it, if it is a continuation.
fn first_entry(folder: &Path, log: &str) -> anyhow::Result<Option<Restored>> {
    let path = folder.join(format!("{log}.jsonl"));
    let mut line = String::new();
    BufReader::new(fs::File::open(&path).with_context(|| format!("cannot read {}", path.display()))?)
        .take(u64::try_from(Leaf::MAX_BYTES)?)
        .read_line(&mut line)?;
    Ok(match Entry::from_leaf(Leaf::parse(line.trim_end())?)?.event {
        Event::Restored(restored) => Some(restored),
        _ => None,
    })
}

/// The logs of an export folder, by any of their three files.
fn exported_logs(folder: &Path) -> anyhow::Result<Vec<String>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
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
fn verify_exported_log(folder: &Path, log: &str, kept: &[CheckpointCopy]) -> anyhow::Result<Result<Tree, String>> {
    let path = |ending: &str| folder.join(format!("{log}.{ending}"));
    let (key, note) = (read_note(&path("vkey"))?, read_note(&path("checkpoint"))?);
    // One line and a line feed, byte for byte: a carriage return shows that another program changed the file.
    let Some(Ok(key)) = key.strip_suffix('\n').map(str::parse::<VerifierKey>) else {
        return Ok(Err(format!("{} was changed since it was exported: it is no verifier key", path("vkey").display())));
    };
    let lines = fs::File::open(path("jsonl")).with_context(|| format!("cannot read {}", path("jsonl").display()))?;
    let about = kept.iter().filter(|copy| copy.log == log);
    let audit = LogVerifier::new(log, key, is_kind).with_checkpoint(CheckpointOrigin::Stored, &note);
    let audit = about.fold(audit, |audit, copy| audit?.with_checkpoint(CheckpointOrigin::Outside, &copy.note));
    match audit {
        Ok(audit) => Ok(verify_lines(audit, lines)?.map_err(|broken| broken.to_string())),
        Err(broken) => Ok(Err(broken.to_string())),
    }
}

/// Reads line by line, never more of a line than an entry can have.
fn verify_lines(mut audit: LogVerifier, lines: fs::File) -> anyhow::Result<Result<Tree, Broken>> {
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
