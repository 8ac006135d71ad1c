//! The place of a SQLite database. Files that are removed or replaced while they are open take writes as before,
//! and all of it is gone when the process ends; so before anybody is told, the files must be where they were.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::DbError;

/// The database file and its write-ahead log, each as it was when it was opened.
#[derive(Clone, Debug)]
pub struct Home {
    files: Vec<(PathBuf, Identity)>,
}

/// Device and number of a file: another file of the same name has others.
type Identity = (u64, u64);

impl Home {
    /// The place of a database that was opened just now.
    pub(super) fn of(database: &Path) -> Self {
        let mut log = OsString::from(database);
        log.push("-wal");
        let files = [database.to_owned(), log.into()].into_iter();
        Self { files: files.filter_map(|path| identity(&path).map(|found| (path, found))).collect() }
    }

    /// # Errors
    /// [`DbError::Moved`] names the first file that is not where it was.
    pub(super) fn check(&self) -> Result<(), DbError> {
        match self.files.iter().find(|(path, was)| identity(path) != Some(*was)) {
            Some((path, _)) => Err(DbError::Moved { file: path.clone() }),
            None => Ok(()),
        }
    }
}

fn identity(path: &Path) -> Option<Identity> {
    fs::metadata(path).ok().map(|found| (found.dev(), found.ino()))
}
