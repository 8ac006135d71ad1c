//! Whether the files of a database are still the ones that were opened. A file that was removed or put in
//! another's place under a running server takes writes and loses them at the end; nothing of that shows
//! but here.

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::DbError;
use super::sqlite::MAX_WRITE_AHEAD_LOG_BYTES;

/// The files of an open SQLite database, each with what it was when it was opened.
#[derive(Clone, Debug)]
pub(super) struct FileIdentity {
    files: Arc<[WatchedFile; 2]>,
}

#[derive(Debug)]
struct WatchedFile {
    path: PathBuf,
    opened: Option<Mark>,
    /// The largest that it was seen to be, in bytes.
    largest: AtomicU64,
    /// SQLite never cuts the file to less than this, or than what it was where that is less.
    never_below: u64,
}

/// What a name of a file leads to, and nothing that a write changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mark {
    device: u64,
    inode: u64,
}

impl FileIdentity {
    /// The database file and its write-ahead log as they are now, while both are open.
    pub(super) fn of(file: &Path) -> Self {
        // The database file only grows; its write-ahead log is cut after a checkpoint, and never below the limit that
        // the connections set.
        let files = [(file.to_owned(), u64::MAX), (write_ahead_log(file), MAX_WRITE_AHEAD_LOG_BYTES)];
        Self { files: Arc::new(files.map(|(path, never_below)| WatchedFile::of(path, never_below))) }
    }

    /// How large the write-ahead log is.
    pub(super) fn log_bytes(&self) -> Option<u64> {
        let [_, log] = &*self.files;
        std::fs::metadata(&log.path).ok().map(|found| found.len())
    }

    /// # Errors
    /// [`DbError::FileReplaced`] names the first file that is gone or another one, [`DbError::Shrunk`] one that somebody else
    /// wrote over or cut: what was acknowledged may be missing from it.
    pub(super) fn check(&self) -> Result<(), DbError> {
        self.files.iter().try_for_each(WatchedFile::check)
    }
}

impl WatchedFile {
    fn of(path: PathBuf, never_below: u64) -> Self {
        let found = std::fs::metadata(&path).ok();
        let largest = AtomicU64::new(found.as_ref().map_or(0, Metadata::len));
        Self { path, opened: found.as_ref().map(mark), largest, never_below }
    }

    fn check(&self) -> Result<(), DbError> {
        // Known before the look: what others find meanwhile is newer than it.
        let largest = self.largest.load(Ordering::SeqCst);
        let found = std::fs::metadata(&self.path).ok();
        if found.as_ref().map(mark) != self.opened {
            return Err(DbError::FileReplaced { path: self.path.clone() });
        }
        let bytes = found.map_or(0, |found| found.len());
        self.largest.fetch_max(bytes, Ordering::SeqCst);
        if bytes < largest.min(self.never_below) {
            return Err(DbError::Shrunk { path: self.path.clone(), bytes, largest });
        }
        Ok(())
    }
}

/// Where SQLite writes first.
pub(in crate::store) fn write_ahead_log(file: &Path) -> PathBuf {
    let mut log = file.as_os_str().to_owned();
    log.push("-wal");
    log.into()
}

/// Asks for the name only: opening the file and closing it would drop SQLite's locks on it.
#[cfg(unix)]
fn mark(found: &Metadata) -> Mark {
    use std::os::unix::fs::MetadataExt as _;
    Mark { device: found.dev(), inode: found.ino() }
}

#[cfg(not(unix))]
fn mark(_: &Metadata) -> Mark {
    Mark { device: 0, inode: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_grows_while_many_look_at_it_is_no_file_that_was_cut() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("adjudge.db");
        std::fs::write(&path, [0; 4096]).unwrap();
        let place = FileIdentity::of(&path);
        std::thread::scope(|scope| {
            let looks = [(); 8].map(|()| scope.spawn(|| (0..20_000).all(|_| place.check().is_ok())));
            let mut file = std::fs::File::options().append(true).open(&path).unwrap();
            for _ in 0..5_000 {
                std::io::Write::write_all(&mut file, &[0; 4096]).unwrap();
            }
            assert!(looks.into_iter().all(|look| look.join().unwrap()));
        });
        std::fs::File::options().write(true).open(&path).unwrap().set_len(4096).unwrap();
        assert!(matches!(place.check(), Err(DbError::Shrunk { bytes: 4096, .. })));
    }
}
