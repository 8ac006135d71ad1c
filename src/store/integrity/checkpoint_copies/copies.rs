//! Reading copies of checkpoints: which server they belong to, and whether they are valid.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use super::key_id;
use crate::domain::ledger::{Checkpoint, VerifierKey, claimed_key_ids, ordinal};

/// The file extension of a copy: `<log>.checkpoint`.
const ENDING: &str = "checkpoint";

/// A copy of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointCopy {
    pub path: PathBuf,
    pub log: String,
    pub note: String,
}

/// The copies that were found outside the database.
#[derive(Clone, Debug, Default)]
pub struct Copies {
    /// Signed by a key of this ledger, in the order of their paths.
    pub kept: Vec<CheckpointCopy>,
    /// Copies of this ledger that are not valid: emptied, truncated, changed, or signed by a key that is lost.
    pub unreadable: Vec<CheckpointCopy>,
    /// What cannot be read, and what to do about it.
    pub troubles: Vec<(PathBuf, String)>,
    /// Other servers' copies, which are left alone.
    pub foreign: Vec<PathBuf>,
}

/// What was found at the path of a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::store) enum Found {
    Nothing,
    Copy { size: u64, note: String },
    Unreadable { note: String, why: String },
}

impl Found {
    /// Keeps only what belongs to this server: at the old path another server's copy may stand too, which counts as
    /// none.
    pub(in crate::store) fn only_own(self, key: &VerifierKey) -> Self {
        match &self {
            Self::Unreadable { note, .. } if !is_claimed_by(note, key) => Self::Nothing,
            _ => self,
        }
    }
}

/// The path of a log's copy within a folder.
pub(in crate::store) fn copy_of(folder: &Path, id: &str, log: &str) -> PathBuf {
    folder.join(id).join(format!("{log}.{ENDING}"))
}

/// The path at which earlier versions wrote it.
pub(in crate::store) fn old_copy_of(folder: &Path, log: &str) -> PathBuf {
    folder.join(format!("{log}.{ENDING}"))
}

/// Reads the copy at a path, with the key of the log that it should cover.
pub(in crate::store) fn look_at(path: &Path, key: &VerifierKey) -> Found {
    let bytes = match read_short(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Found::Nothing,
        Err(error) => return Found::Unreadable { note: String::new(), why: describe_unusable(&error.to_string()) },
    };
    let note = String::from_utf8_lossy(&bytes).into_owned();
    match Checkpoint::open(&note, key) {
        Ok(checkpoint) => Found::Copy { size: checkpoint.size, note },
        Err(_) if note.is_empty() => Found::Unreadable { note, why: describe_unusable("it is empty") },
        Err(error) => Found::Unreadable { note, why: describe_unusable(&error.to_string()) },
    }
}

fn describe_unusable(why: &str) -> String {
    format!(
        "this copy of a checkpoint cannot be used ({why}): put it back from elsewhere, or, where the disk is known to be \
         at fault, remove the file, and it is written anew"
    )
}

/// Whether a note claims to be signed by a key.
fn is_claimed_by(note: &str, key: &VerifierKey) -> bool {
    claimed_key_ids(note).contains(&key.id())
}

impl Copies {
    /// Adds the copies of a folder. `are_all_own` is set if nothing tells whose the copies are.
    pub(in crate::store) fn add_all(&mut self, folder: &Path, keys: &[VerifierKey], are_all_own: bool) {
        for path in self.entries_of(folder) {
            let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
            let is_id = name.len() == 8 && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
            if is_id && path.is_dir() {
                let key = keys.iter().find(|key| key_id(key) == name);
                for path in self.entries_of(&path) {
                    match key {
                        Some(key) => self.add(path, key, true),
                        None => self.add_other(path, are_all_own),
                    }
                }
            } else if let Some(log) = log_of(&path) {
                let bytes = read_short(&path).unwrap_or_default();
                let note = String::from_utf8_lossy(&bytes);
                let key = keys.iter().find(|key| is_claimed_by(&note, &key.of_log(&log)));
                match (key, keys.first()) {
                    (Some(key), _) => self.add(path, key, true),
                    (None, _) if !claimed_key_ids(&note).is_empty() || are_all_own => self.add_other(path, are_all_own),
                    (None, Some(key)) => self.add(path, key, false),
                    (None, None) => {}
                }
            }
        }
    }

    /// Logs the copies that are not used.
    pub fn tell(&self) {
        for (path, why) in &self.troubles {
            tracing::error!(path = %path.display(), %why, "copies of checkpoints");
        }
        for path in &self.foreign {
            tracing::info!(path = %path.display(), "left alone: another server's copy of a checkpoint");
        }
    }

    pub(in crate::store) fn sort(&mut self) {
        self.kept.sort_by(|one, other| one.path.cmp(&other.path));
    }

    /// Adds a copy of this ledger, or what was found in its place.
    fn add(&mut self, path: PathBuf, key: &VerifierKey, is_claimed: bool) {
        let Some(log) = log_of(&path) else { return };
        match look_at(&path, &key.of_log(&log)) {
            Found::Nothing => {}
            Found::Copy { note, .. } => self.kept.push(CheckpointCopy { path, log, note }),
            Found::Unreadable { note, why } => {
                self.troubles.push((path.clone(), why));
                if is_claimed {
                    self.unreadable.push(CheckpointCopy { path, log, note });
                }
            }
        }
    }

    fn add_other(&mut self, path: PathBuf, is_own: bool) {
        let Some(log) = log_of(&path) else { return };
        if is_own {
            let note = read_short(&path).unwrap_or_default();
            let note = String::from_utf8_lossy(&note).into_owned();
            self.unreadable.push(CheckpointCopy { path, log, note });
        } else {
            self.foreign.push(path);
        }
    }

    fn entries_of(&mut self, folder: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
        entries.unwrap_or_else(|error: io::Error| {
            if error.kind() != io::ErrorKind::NotFound {
                self.troubles.push((folder.to_owned(), format!("it cannot be read: {error}; make it readable")));
            }
            Vec::new()
        })
    }
}

/// Whether a path ends like that of a copy.
pub(in crate::store) fn is_copy(path: &Path) -> bool {
    log_of(path).is_some()
}

/// The log that a file is named after, if its name is that of a copy.
fn log_of(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?.strip_suffix(ENDING)?.strip_suffix('.')?;
    ordinal(name).map(|_| name.to_owned())
}

/// The bytes of a short file, a checkpoint or a key: no more than are needed to see that it is too long for either.
///
/// # Errors
/// If it cannot be read.
pub fn read_short(path: &Path) -> io::Result<Vec<u8>> {
    let longest = u64::try_from(Checkpoint::MAX_NOTE_BYTES).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    File::open(path)?.take(longest.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}
