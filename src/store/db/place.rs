//! Whether the files of a database are still the ones that were opened. A file that was removed or put in
//! another's place under a running server takes writes and loses them at the end; nothing of that shows
//! but here.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::DbError;

/// The files of an open SQLite database, each with what it was when it was opened.
#[derive(Clone, Debug)]
pub(super) struct Place {
    files: Arc<[(PathBuf, Option<Mark>)]>,
}

/// What a name of a file leads to, and nothing that a write changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mark {
    device: u64,
    inode: u64,
}

impl Place {
    /// The database file and its write-ahead log as they are now, while both are open.
    pub(super) fn of(file: &Path) -> Self {
        let marked = |path: PathBuf| (path.clone(), mark(&path));
        Self { files: [file.to_owned(), write_ahead_log(file)].map(marked).into() }
    }

    /// How large the write-ahead log is.
    pub(super) fn log_bytes(&self) -> Option<u64> {
        let (path, _) = self.files.last()?;
        std::fs::metadata(path).ok().map(|found| found.len())
    }

    /// # Errors
    /// [`DbError::Moved`] names the first file that is gone or another one.
    pub(super) fn check(&self) -> Result<(), DbError> {
        match self.files.iter().find(|(path, opened)| mark(path) != *opened) {
            Some((path, _)) => Err(DbError::Moved { path: path.clone() }),
            None => Ok(()),
        }
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
fn mark(path: &Path) -> Option<Mark> {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(path).ok().map(|found| Mark { device: found.dev(), inode: found.ino() })
}

#[cfg(not(unix))]
fn mark(path: &Path) -> Option<Mark> {
    std::fs::metadata(path).ok().map(|_| Mark { device: 0, inode: 0 })
}
