//! Whether the files of a database are still the ones that were opened. A file that was removed or replaced under a
//! running server takes writes and loses them when it is closed. Only this check notices that.

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::DbError;
use super::sqlite::MAX_WRITE_AHEAD_LOG_BYTES;

/// The files of an open SQLite database, each with its identity when it was opened.
#[derive(Clone, Debug)]
pub(super) struct FileIdentity {
    files: Arc<[WatchedFile; 2]>,
}

#[derive(Debug)]
struct WatchedFile {
    path: PathBuf,
    opened: Option<Mark>,
    /// The largest size seen, in bytes.
    largest: AtomicU64,
    /// SQLite never truncates the file below this size, or below its current size if that is smaller.
    never_below: u64,
}

/// The identity of the file that a path leads to. A write does not change it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mark {
    device: u64,
    inode: u64,
}

impl FileIdentity {
    /// The identity of the database file and its write-ahead log now, while both are open.
    pub(super) fn of(file: &Path) -> Self {
        // The database file only grows. The write-ahead log is truncated after a checkpoint, but never below the limit
        // that the connections set.
        let files = [(file.to_owned(), u64::MAX), (write_ahead_log(file), MAX_WRITE_AHEAD_LOG_BYTES)];
        Self { files: Arc::new(files.map(|(path, never_below)| WatchedFile::of(path, never_below))) }
    }

    /// The size of the write-ahead log in bytes.
    pub(super) fn log_bytes(&self) -> Option<u64> {
        let [_, log] = &*self.files;
        std::fs::metadata(&log.path).ok().map(|found| found.len())
    }

    /// # Errors
    /// [`DbError::FileReplaced`] names the first file that is missing or replaced, [`DbError::Shrunk`] one that another
    /// program overwrote or truncated: acknowledged entries may be missing from it.
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
        // Read before the file's size: sizes that other threads find meanwhile are newer.
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

/// The write-ahead log of a database file.
pub(in crate::store) fn write_ahead_log(file: &Path) -> PathBuf {
    let mut log = file.as_os_str().to_owned();
    log.push("-wal");
    log.into()
}

/// Reads the metadata of the path only: opening and closing the file would drop SQLite's locks on it.
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
    fn a_growing_file_is_not_reported_as_truncated() {
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
