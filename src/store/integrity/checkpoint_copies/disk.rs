//! The folders of the copies. Another disk is marked, so that its empty mount point is never mistaken for it.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::key_id;
use crate::atomic_file;
use crate::domain::ledger::VerifierKey;

/// The file that marks a disk: a sentence, then the ids of the keys of the servers that use it, one a line.
const MARKER: &str = "adjudge-checkpoints";

const MARKED: &str = "Copies of adjudge's checkpoints. Without this file the folder is taken for an empty mount point.";

/// The file in the data folder that says which disk was used.
const USED: &str = "checkpoint_dir";

/// The beginning of every sentence about a disk that is absent.
const AWAY: &str = "the disk is not there";

/// A folder for copies.
#[derive(Clone, Debug)]
pub(in crate::store) struct CopyPlace {
    pub(in crate::store) path: PathBuf,
    /// For another disk: the file in the data folder that remembers its use.
    remembered_in: Option<PathBuf>,
}

/// Whether a sentence is about an absent disk.
pub(in crate::store) fn is_about_absence(why: &str) -> bool {
    why.starts_with(AWAY)
}

impl CopyPlace {
    pub(in crate::store) fn beside(path: PathBuf) -> Self {
        Self { path, remembered_in: None }
    }

    pub(in crate::store) fn on_disk(path: PathBuf, data: PathBuf) -> Self {
        Self { path, remembered_in: Some(data) }
    }

    pub(in crate::store) fn is_disk(&self) -> bool {
        self.remembered_in.is_some()
    }

    /// Whether the folder can be read: a disk that was used before must be there.
    pub(in crate::store) fn check(&self, keys: &[VerifierKey]) -> Result<(), String> {
        let Some(data) = &self.remembered_in else { return Ok(()) };
        let was_used = keys.iter().any(|key| self.was_used(data, &key_id(key)));
        if was_used && !self.marker().exists() { Err(self.away()) } else { Ok(()) }
    }

    /// Whether the folder can be written to; at its first use it is marked with the id of the server's key.
    pub(in crate::store) fn prepare(&self, id: &str) -> Result<(), String> {
        let Some(data) = &self.remembered_in else { return Ok(()) };
        let marker = fs::read_to_string(self.marker());
        if marker.is_err() && self.was_used(data, id) {
            return Err(self.away());
        }
        let failed = |error: std::io::Error| format!("the disk cannot be marked as one for checkpoints: {error}");
        let text = marker.unwrap_or_default();
        if !text.lines().any(|line| line == id) {
            fs::create_dir_all(&self.path).map_err(failed)?;
            let first = if text.is_empty() { format!("{MARKED}\n") } else { String::new() };
            let file = fs::OpenOptions::new().create(true).append(true).open(self.marker());
            file.and_then(|mut file| {
                file.write_all(format!("{first}{id}\n").as_bytes()).and_then(|()| file.sync_all())
            })
            .map_err(failed)?;
        }
        if !self.was_used(data, id) {
            let remembered = remembered(data, id);
            let made = remembered.parent().map_or(Ok(()), atomic_file::create_private_dir);
            made.and_then(|()| atomic_file::write_atomic(&remembered, &format!("{}\n", self.path.display())))
                .map_err(failed)?;
        }
        Ok(())
    }

    /// Why nothing may be written now: the disk went away since it was prepared, and its mount point is empty.
    pub(in crate::store) fn absence(&self) -> Option<String> {
        (self.is_disk() && !self.marker().exists()).then(|| self.away())
    }

    fn marker(&self) -> PathBuf {
        self.path.join(MARKER)
    }

    fn was_used(&self, data: &Path, id: &str) -> bool {
        fs::read_to_string(remembered(data, id)).is_ok_and(|used| used.trim_end() == self.path.display().to_string())
    }

    fn away(&self) -> String {
        format!(
            "{AWAY}: {} is missing, which marks it; plug the disk in and mount it there, or take checkpoint_dir out of \
             adjudge.toml",
            self.marker().display()
        )
    }
}

fn remembered(data: &Path, id: &str) -> PathBuf {
    data.join(id).join(USED)
}
