//! Copies of signed checkpoints outside the database. They reveal truncation or rewriting that the database alone
//! cannot.
//!
//! A copy stands under the id of the key that signed it, `<key id>/<log>.checkpoint`, so that another server's copies
//! on the same disk are never mistaken for this server's. Source: CONTRACT section 6.

mod copies;
mod disk;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::atomic_file;
use crate::domain::event::{CheckpointCopyWritten, server};
use crate::domain::ledger::{Hash, VerifierKey, claimed_size};
use crate::domain::{Event, SERVER_LOG};
use crate::system::System;

use crate::store::ledger::{Draft, Ledger, LedgerError};
use copies::{Found, copy_of, look_at, old_copy_of};
use disk::CopyPlace;

pub use copies::{CheckpointCopy, Copies, read_short};

/// The folders of the copies; more than one if the director configured another disk.
#[derive(Clone, Debug, Default)]
pub struct CheckpointCopies {
    places: Vec<CopyPlace>,
    found: Arc<Mutex<Alerts>>,
}

#[derive(Debug, Default)]
struct Alerts {
    /// The copies that disagree with the ledger, by log.
    alarms: BTreeMap<String, PathBuf>,
    /// What cannot be written or read, and what to do about it.
    troubles: BTreeMap<PathBuf, String>,
}

/// The name of the folder for the copies of a key: its id for the log `server`.
#[must_use]
pub fn key_id(key: &VerifierKey) -> String {
    format!("{:08x}", key.of_log(SERVER_LOG).id())
}

impl CheckpointCopies {
    /// Copies in the data folder, and on another disk if one is configured.
    #[must_use]
    pub fn at(data: PathBuf, other_disk: Option<PathBuf>) -> Self {
        let other = other_disk.map(|path| CopyPlace::on_disk(path, data.clone()));
        Self { places: [Some(CopyPlace::beside(data)), other].into_iter().flatten().collect(), found: Arc::default() }
    }

    /// Reads all copies that belong to this ledger or might.
    ///
    /// # Errors
    /// If the ledger cannot be read. A copy that cannot be read is part of the result.
    pub async fn read(&self, ledger: &Ledger) -> Result<Copies, LedgerError> {
        let keys = ledger.keys().await?;
        let is_new = ledger.logs().await?.is_empty();
        let mut copies = Copies::default();
        for place in &self.places {
            if let Err(why) = place.check(&keys) {
                copies.troubles.push((place.path.clone(), why));
                continue;
            }
            // If database and key are lost, nothing tells whose the copies in the data folder are: they count as this
            // server's.
            copies.add_all(&place.path, &keys, is_new && !place.is_disk());
        }
        copies.sort();
        let mut alerts = self.alerts();
        alerts.troubles.extend(copies.troubles.iter().cloned());
        Ok(copies)
    }

    /// Writes the newest checkpoint of each log into every folder that lacks it; for a closed log that of its
    /// continuation, since the copy of a closed log may be the only evidence of its loss. A folder that fails is
    /// reported, and the others are still written. A copy that disagrees with the ledger raises an alarm and is left as
    /// it is. A copy that cannot be read is left too, unless another copy agrees with the ledger.
    ///
    /// # Errors
    /// If the ledger cannot be read or written.
    pub async fn update(
        &self,
        ledger: &Ledger,
        system: &System,
        logs: impl IntoIterator<Item = String>,
    ) -> Result<(), LedgerError> {
        let id = key_id(&ledger.signer().verifier(SERVER_LOG));
        let ready: Vec<&CopyPlace> = self.places.iter().filter(|place| self.is_ready(place, &id)).collect();
        let mut open = BTreeSet::new();
        for log in logs {
            open.insert(ledger.open_log(&log).await?);
        }
        for log in open {
            let key = ledger.signer().verifier(&log);
            // The copies are read before the ledger: even if another server writes meanwhile, they are no newer than
            // the ledger.
            let found: Vec<(&CopyPlace, Found, Found)> = ready
                .iter()
                .map(|place| {
                    let (new, old) = (copy_of(&place.path, &id, &log), old_copy_of(&place.path, &log));
                    (*place, look_at(&new, &key), look_at(&old, &key).only_own(&key))
                })
                .collect();
            let Some(newest) = ledger.last_checkpoint(&log).await? else { continue };
            let (mut agrees, mut telling) = (false, Vec::new());
            for (place, new, old) in &found {
                for (copy, path) in [(new, copy_of(&place.path, &id, &log)), (old, old_copy_of(&place.path, &log))] {
                    let Found::Copy { size, note } = copy else { continue };
                    if *note == newest || ledger.checkpoint_at(&log, *size).await?.as_ref() == Some(note) {
                        agrees = true;
                    } else {
                        self.alarm(&log, &path);
                        telling.push(place.path.clone());
                    }
                }
            }
            for (place, new, old) in found {
                if !telling.contains(&place.path) {
                    self.renew(ledger, system, place, (&log, &newest), (new, old), agrees).await?;
                }
            }
        }
        Ok(())
    }

    /// Writes one copy, unless it is the newest checkpoint already.
    async fn renew(
        &self,
        ledger: &Ledger,
        system: &System,
        place: &CopyPlace,
        (log, newest): (&str, &str),
        (new, old): (Found, Found),
        agrees: bool,
    ) -> Result<(), LedgerError> {
        let id = key_id(&ledger.signer().verifier(SERVER_LOG));
        let (path, old_path) = (copy_of(&place.path, &id, log), old_copy_of(&place.path, log));
        let is_bad = matches!(new, Found::Unreadable { .. });
        match &new {
            Found::Copy { note, .. } if note == newest && !matches!(old, Found::Copy { .. }) => {
                self.is_well(&path);
                return Ok(());
            }
            Found::Unreadable { why, .. } if !agrees => {
                self.trouble(&path, why);
                return Ok(());
            }
            _ => {}
        }
        if !self.write(place, &path, newest) {
            return Ok(());
        }
        if let Found::Copy { .. } = old {
            // The copy stood under its log's name alone, where older versions wrote it; now it stands here.
            let _ = std::fs::remove_file(&old_path);
        }
        if is_bad {
            let written = CheckpointCopyWritten { copied: log.to_owned(), path: path.display().to_string() };
            let draft = Draft::of(SERVER_LOG, server(), Event::CheckpointCopyWritten(written));
            ledger.record(system.now(), vec![draft]).await?;
        }
        Ok(())
    }

    /// Writes the newest checkpoints that this process signed over every older copy. It does not read the database,
    /// which may have failed.
    pub fn keep_newest(&self, ledger: &Ledger) {
        let id = key_id(&ledger.signer().verifier(SERVER_LOG));
        for place in self.places.iter().filter(|place| self.is_ready(place, &id)) {
            for (log, note) in ledger.newest().notes() {
                let (path, key) = (copy_of(&place.path, &id, &log), ledger.signer().verifier(&log));
                let is_newer = match look_at(&path, &key) {
                    Found::Nothing => true,
                    Found::Copy { size, .. } => claimed_size(&note).is_some_and(|newest| newest > size),
                    // It may be evidence.
                    Found::Unreadable { .. } => false,
                };
                if is_newer {
                    self.write(place, &path, &note);
                }
            }
        }
    }

    /// Writes a copy, and gives whether that succeeded.
    fn write(&self, place: &CopyPlace, path: &Path, note: &str) -> bool {
        if let Some(why) = place.absence() {
            self.trouble(&place.path, &why);
            return false;
        }
        match path
            .parent()
            .map_or(Ok(()), atomic_file::create_private_dir)
            .and_then(|()| atomic_file::write_atomic(path, note))
        {
            Ok(()) => {
                self.is_well(path);
                self.is_well(&place.path);
                true
            }
            Err(error) => {
                let why = format!("no checkpoint can be written there: {error}; make room, or make it writable");
                self.trouble(&place.path, &why);
                false
            }
        }
    }

    fn is_ready(&self, place: &CopyPlace, id: &str) -> bool {
        match place.prepare(id) {
            Ok(()) => {
                self.alerts().troubles.retain(|path, why| *path != place.path || !disk::is_about_absence(why));
                true
            }
            Err(why) => {
                self.trouble(&place.path, &why);
                false
            }
        }
    }

    fn alerts(&self) -> MutexGuard<'_, Alerts> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn alarm(&self, log: &str, copy: &Path) {
        let mut alerts = self.alerts();
        if !alerts.alarms.contains_key(log) {
            tracing::error!(
                %log, copy = %copy.display(),
                "the ledger does not know this copy of its checkpoint any more: entries were lost or changed; \
                 run adjudge ledger verify, and stop the server as soon as play allows"
            );
            alerts.alarms.insert(log.to_owned(), copy.to_owned());
        }
    }

    fn trouble(&self, path: &Path, why: &str) {
        if self.alerts().troubles.insert(path.to_owned(), why.to_owned()).as_deref() != Some(why) {
            tracing::error!(path = %path.display(), %why, "copies of checkpoints");
        }
    }

    fn is_well(&self, path: &Path) {
        self.alerts().troubles.remove(path);
    }

    /// The logs that lost entries, or had them changed, since this server started, each with the copy that shows it. An
    /// alarm stays until the next start, which checks the whole ledger.
    #[must_use]
    pub fn alarms(&self) -> BTreeMap<String, PathBuf> {
        self.alerts().alarms.clone()
    }

    /// The copies that cannot be written or read now: one sentence each, with what to do.
    #[must_use]
    pub fn troubles(&self) -> Vec<String> {
        let mut alerts = self.alerts();
        // A trouble with a bad copy ends when the copy is removed.
        alerts.troubles.retain(|path, _| !copies::is_copy(path) || path.exists());
        alerts.troubles.iter().map(|(path, why)| format!("{}: {why}", path.display())).collect()
    }
}

impl CheckpointCopy {
    /// The SHA-256 of the copy's note, by which the entry of a restore names it.
    #[must_use]
    pub fn sha256(&self) -> String {
        Hash::of(self.note.as_bytes()).to_string()
    }
}
