//! Copies of checkpoints outside the database. A history that was cut short or written anew, with all
//! its checkpoints, fits itself; it does not fit these.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::ledger::{Ledger, LedgerError};

/// The ending of a copy: `<log>.checkpoint`.
const ENDING: &str = "checkpoint";

/// The folders that copies are kept in; more than one where the director named another disk.
#[derive(Clone, Debug, Default)]
pub struct Outside {
    folders: Vec<PathBuf>,
}

/// A copy that was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptCopy {
    pub path: PathBuf,
    pub log: String,
    pub note: String,
}

/// A copy cannot be read. It must not be passed over: it may be the one that tells.
#[derive(Debug, thiserror::Error)]
#[error("the kept checkpoint {} cannot be read: {source}; make it readable, or move it away if the disk is gone", path.display())]
pub struct CannotRead {
    path: PathBuf,
    source: io::Error,
}

impl Outside {
    #[must_use]
    pub fn at(folders: Vec<PathBuf>) -> Self {
        Self { folders }
    }

    /// Every copy there is, in the order of folders and names.
    ///
    /// # Errors
    /// Where a folder or file is there and cannot be read.
    pub fn copies(&self) -> Result<Vec<KeptCopy>, CannotRead> {
        let mut found = Vec::new();
        for folder in &self.folders {
            let failed = |source| CannotRead { path: folder.clone(), source };
            let entries = match fs::read_dir(folder) {
                Ok(entries) => entries,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(failed(error)),
            };
            for entry in entries {
                found.extend(copy_at(entry.map_err(failed)?.path())?);
            }
        }
        found.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(found)
    }

    /// Writes the newest checkpoint of each log into every folder where it is not yet; of a closed log that of its
    /// continuation, since a closed log's copy may be all that tells of what it lost. A folder that fails is reported
    /// to the log and does not keep the others from being written.
    ///
    /// # Errors
    /// Where the ledger cannot be read.
    pub async fn keep(&self, ledger: &Ledger, logs: impl IntoIterator<Item = String>) -> Result<(), LedgerError> {
        for log in logs {
            let log = ledger.open_log(&log).await?;
            let Some(note) = ledger.last_checkpoint(&log).await? else { continue };
            for folder in &self.folders {
                if let Err(error) = write(folder, &log, &note) {
                    tracing::error!(folder = %folder.display(), %log, %error, "a checkpoint could not be kept outside");
                }
            }
        }
        Ok(())
    }
}

fn copy_at(path: PathBuf) -> Result<Option<KeptCopy>, CannotRead> {
    let log =
        path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(ENDING)?.strip_suffix('.'));
    let Some(log) = log.map(str::to_owned) else { return Ok(None) };
    match fs::read_to_string(&path) {
        Ok(note) => Ok(Some(KeptCopy { path, log, note })),
        Err(source) => Err(CannotRead { path, source }),
    }
}

/// Under its own name a copy is whole: it is written beside it, synced, and renamed.
fn write(folder: &Path, log: &str, note: &str) -> io::Result<()> {
    let (path, temporary) = (folder.join(format!("{log}.{ENDING}")), folder.join(format!("{log}.{ENDING}.new")));
    if fs::read(&path).is_ok_and(|kept| kept == note.as_bytes()) {
        return Ok(());
    }
    fs::create_dir_all(folder)?;
    let mut file = File::create(&temporary)?;
    file.write_all(note.as_bytes())?;
    file.sync_all()?;
    fs::rename(&temporary, &path)?;
    File::open(folder)?.sync_all()
}
