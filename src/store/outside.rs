//! Copies of checkpoints outside the database. A history that was cut short or written anew, with all
//! its checkpoints, fits itself; it does not fit these.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::domain::ledger::{Checkpoint, Hash, claimed_size, place};

use super::ledger::{Ledger, LedgerError};

/// The ending of a copy: `<log>.checkpoint`.
const ENDING: &str = "checkpoint";

/// The folders that copies are kept in; more than one where the director named another disk.
#[derive(Clone, Debug, Default)]
pub struct Outside {
    folders: Vec<PathBuf>,
    /// The copies that the ledger does not know any more, by log.
    alarms: Arc<Mutex<BTreeMap<String, PathBuf>>>,
}

/// A copy that was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptCopy {
    pub path: PathBuf,
    pub log: String,
    pub note: String,
}

impl KeptCopy {
    /// The SHA-256 of its note, by which an entry of a restore names it.
    #[must_use]
    pub fn sha256(&self) -> String {
        Hash::of(self.note.as_bytes()).to_string()
    }
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
        Self { folders, alarms: Arc::default() }
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
    /// to the log and does not keep the others from being written. A copy that the ledger does not know any more is an
    /// alarm, and stays as it is.
    ///
    /// # Errors
    /// Where the ledger cannot be read.
    pub async fn keep(&self, ledger: &Ledger, logs: impl IntoIterator<Item = String>) -> Result<(), LedgerError> {
        for log in logs {
            let log = ledger.open_log(&log).await?;
            // Read before the ledger is: whatever another server writes meanwhile, these are older than what is there.
            let kept: Vec<String> = self.folders.iter().map(|folder| kept_in(folder, &log)).collect();
            let newest = ledger.last_checkpoint(&log).await?;
            for (folder, kept) in self.folders.iter().zip(kept).filter(|(_, kept)| Some(kept) != newest.as_ref()) {
                if is_forgotten(ledger, &log, &kept).await? {
                    self.alarm(&log, &copy_of(folder, &log));
                } else if let Some(Err(error)) = newest.as_ref().map(|note| write(folder, &log, note)) {
                    tracing::error!(folder = %folder.display(), %log, %error, "a checkpoint could not be kept outside");
                }
            }
        }
        Ok(())
    }

    /// Writes checkpoints, each under its log, into every folder that has no newer one. Nothing is asked of the ledger,
    /// which may have failed.
    pub fn keep_notes(&self, notes: &BTreeMap<String, String>) {
        for (folder, (log, note)) in self.folders.iter().flat_map(|folder| notes.iter().map(move |note| (folder, note)))
        {
            if let Err(error) = write(folder, log, note) {
                tracing::error!(folder = %folder.display(), %log, %error, "a checkpoint could not be kept outside");
            }
        }
    }

    fn alarm(&self, log: &str, copy: &Path) {
        let mut alarms = self.alarms.lock().unwrap_or_else(PoisonError::into_inner);
        if !alarms.contains_key(log) {
            tracing::error!(
                %log, copy = %copy.display(),
                "the ledger does not know this copy of its checkpoint any more: entries were lost or changed; \
                 run adjudge ledger verify --checkpoint with it, and stop the server as soon as play allows"
            );
            alarms.insert(log.to_owned(), copy.to_owned());
        }
    }

    /// The logs that lost entries, or had them changed, since this server started; each with the copy that tells. An
    /// alarm stays until the server is started again, which then looks at all of the ledger.
    #[must_use]
    pub fn alarms(&self) -> BTreeMap<String, PathBuf> {
        self.alarms.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Whether the ledger does not know a copy, which was one of its own checkpoints: what that covered was cut off or
/// changed, whatever was added since.
async fn is_forgotten(ledger: &Ledger, log: &str, kept: &str) -> Result<bool, LedgerError> {
    let Some(size) = claimed_size(kept) else { return Ok(false) };
    Ok(ledger.checkpoint_at(log, size).await?.as_deref() != Some(kept))
}

fn copy_at(path: PathBuf) -> Result<Option<KeptCopy>, CannotRead> {
    let log =
        path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(ENDING)?.strip_suffix('.'));
    let Some(log) = log.filter(|log| place(log).is_some()).map(str::to_owned) else {
        tracing::warn!(path = %path.display(), "passed over: this is no name of a log's checkpoint");
        return Ok(None);
    };
    match read_short(&path) {
        // What is no text is no checkpoint either, and is found to be none where it is opened.
        Ok(note) => Ok(Some(KeptCopy { note: String::from_utf8_lossy(&note).into_owned(), path, log })),
        Err(source) => Err(CannotRead { path, source }),
    }
}

/// The bytes of a short file, a checkpoint or a key: no more than show that it is too long for either.
///
/// # Errors
/// Where it cannot be read.
pub fn read_short(path: &Path) -> io::Result<Vec<u8>> {
    let longest = u64::try_from(Checkpoint::MAX_NOTE_BYTES).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    File::open(path)?.take(longest.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Where a folder has the copy of a log.
fn copy_of(folder: &Path, log: &str) -> PathBuf {
    folder.join(format!("{log}.{ENDING}"))
}

/// The copy of a log in a folder; nothing where it cannot be read, and then it is written anew.
fn kept_in(folder: &Path, log: &str) -> String {
    let kept = read_short(&copy_of(folder, log));
    kept.map(|kept| String::from_utf8_lossy(&kept).into_owned()).unwrap_or_default()
}

/// Under its own name a copy is whole: it is written beside it, synced, and renamed. A log never shrinks, so a copy of
/// more entries is the one that tells of what was cut off, and stays.
fn write(folder: &Path, log: &str, note: &str) -> io::Result<()> {
    let (path, temporary) = (copy_of(folder, log), folder.join(format!("{log}.{ENDING}.new")));
    if claimed_size(&kept_in(folder, log)) > claimed_size(note) {
        return Ok(());
    }
    fs::create_dir_all(folder)?;
    let mut file = File::create(&temporary)?;
    file.write_all(note.as_bytes())?;
    file.sync_all()?;
    fs::rename(&temporary, &path)?;
    File::open(folder)?.sync_all()
}
