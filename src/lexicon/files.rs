//! The files of a lexicon in the data directory: `<id>-<first 16 of the fingerprint>.fst` and `.json`.
//!
//! A file is written under a temporary name, synced to the disk, and renamed: under its own name it is
//! whole or absent. The manifest is written last, so that a manifest always has its index.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::fingerprint::sha256_hex;
use super::manifest::{Manifest, ManifestError};
use super::names::{BadName, stem};
use super::open::{Expected, Flaw, read_whole};

/// A lexicon's files could not be named, written, read or removed.
#[derive(Debug, thiserror::Error)]
pub enum FilesError {
    #[error(transparent)]
    Name(#[from] BadName),
    #[error("{}: {source}", path.display())]
    Manifest { path: PathBuf, source: ManifestError },
    #[error("the index to store for {id} is not the one of its manifest; nothing was stored; please report this")]
    OtherIndex { id: String },
    #[error("cannot {what} {} ({source}); check the disk and the rights of the data folder", path.display())]
    Disk { what: &'static str, path: PathBuf, source: io::Error },
}

/// The state of an index file on the disk.
#[derive(Debug, PartialEq, Eq)]
pub enum Found {
    /// The file has the SHA-256 that the manifest names.
    Whole,
    /// There is no such file: the server may write it again.
    Missing,
    /// The file has other content, or cannot be read: it must neither be served nor overwritten.
    Differs,
}

/// The path of the index file.
///
/// # Errors
/// [`BadName`] where the id or the fingerprint is invalid.
pub fn index_path(folder: &Path, id: &str, fingerprint: &str) -> Result<PathBuf, BadName> {
    Ok(folder.join(stem(id, fingerprint)? + ".fst"))
}

/// The path of the manifest.
///
/// # Errors
/// [`BadName`] where the id or the fingerprint is invalid.
pub fn manifest_path(folder: &Path, id: &str, fingerprint: &str) -> Result<PathBuf, BadName> {
    Ok(folder.join(stem(id, fingerprint)? + ".json"))
}

/// Stores an index and its manifest; both are on the disk when this returns. It creates the directory
/// where that is missing, and replaces files of these names.
///
/// # Errors
/// [`FilesError`]: there is no file under the final names then, or the index alone.
pub fn store(folder: &Path, manifest: &Manifest, index: &[u8]) -> Result<(), FilesError> {
    let index_path = index_path(folder, &manifest.id, &manifest.fingerprint)?;
    let manifest_path = manifest_path(folder, &manifest.id, &manifest.fingerprint)?;
    if sha256_hex(index) != manifest.index_sha256 {
        return Err(FilesError::OtherIndex { id: manifest.id.clone() });
    }
    let text = manifest.to_json().map_err(|source| FilesError::Manifest { path: manifest_path.clone(), source })?;
    fs::create_dir_all(folder).map_err(disk("make the folder", folder))?;
    write_whole(folder, &index_path, index)?;
    write_whole(folder, &manifest_path, text.as_bytes())
}

/// Whether one of the two files is missing and the other does not differ: only then may the server write both again. A
/// file that differs may be evidence.
///
/// # Errors
/// [`BadName`] where the id or the fingerprint is invalid.
pub fn can_complete(folder: &Path, expected: &Expected) -> Result<bool, BadName> {
    let (id, fingerprint) = (&expected.name.id, &expected.name.fingerprint);
    let has_manifest = manifest_path(folder, id, fingerprint)?.exists();
    let is_said = || manifest(folder, id, fingerprint).is_ok_and(|found| found.says(expected));
    Ok(match inspect(folder, id, fingerprint, &expected.index_sha256)? {
        Found::Differs => false,
        Found::Missing => !has_manifest || is_said(),
        Found::Whole => !has_manifest,
    })
}

/// Reads a manifest back.
///
/// # Errors
/// [`FilesError`] where it is missing, unreadable, or another lexicon's.
pub fn manifest(folder: &Path, id: &str, fingerprint: &str) -> Result<Manifest, FilesError> {
    let path = manifest_path(folder, id, fingerprint)?;
    let text = fs::read_to_string(&path).map_err(disk("read", &path))?;
    let manifest = Manifest::from_json(&text).map_err(|source| FilesError::Manifest { path: path.clone(), source })?;
    if manifest.id == id && manifest.fingerprint == fingerprint {
        return Ok(manifest);
    }
    let other = io::Error::new(io::ErrorKind::InvalidData, "it is the manifest of another lexicon");
    Err(disk("use", &path)(other))
}

/// Compares the index file with the SHA-256 of its manifest, for the checks at start and while serving.
///
/// # Errors
/// [`BadName`] where the id or the fingerprint is invalid.
pub fn inspect(folder: &Path, id: &str, fingerprint: &str, index_sha256: &str) -> Result<Found, BadName> {
    let path = index_path(folder, id, fingerprint)?;
    Ok(match read_whole(&path) {
        Ok(bytes) if sha256_hex(&bytes) == index_sha256 => Found::Whole,
        Err(Flaw::Missing) => Found::Missing,
        Ok(_) | Err(_) => Found::Differs,
    })
}

/// Removes both files, the manifest first. A file that is missing already is no error.
///
/// # Errors
/// [`FilesError`] where a file cannot be removed.
pub fn remove(folder: &Path, id: &str, fingerprint: &str) -> Result<(), FilesError> {
    for path in [manifest_path(folder, id, fingerprint)?, index_path(folder, id, fingerprint)?] {
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(disk("remove", &path)(error)),
            _ => {}
        }
    }
    bring_names_to_disk(folder)
}

/// Writes a file under a temporary name and renames it, and syncs each step to the disk before the next.
fn write_whole(folder: &Path, path: &Path, bytes: &[u8]) -> Result<(), FilesError> {
    let unfinished = unfinished_name(path);
    let written = write_and_rename(&unfinished, path, bytes);
    if written.is_err() {
        // The error to report is the one above; a left-over temporary file is harmless and never read.
        let _ = fs::remove_file(&unfinished);
    }
    written?;
    bring_names_to_disk(folder)
}

fn write_and_rename(unfinished: &Path, path: &Path, bytes: &[u8]) -> Result<(), FilesError> {
    let mut file = File::create(unfinished).map_err(disk("create", unfinished))?;
    file.write_all(bytes).map_err(disk("write", unfinished))?;
    file.sync_all().map_err(disk("bring to the disk", unfinished))?;
    fs::rename(unfinished, path).map_err(disk("rename a finished file to", path))
}

/// A temporary name in the directory of the file that no other writer uses, neither here nor in another process.
fn unfinished_name(path: &Path) -> PathBuf {
    static WRITES: AtomicU64 = AtomicU64::new(0);
    let write = WRITES.fetch_add(1, Ordering::Relaxed);
    path.with_added_extension(format!("{}-{write}.unfinished", std::process::id()))
}

/// Syncs the directory: a rename survives a power cut only once the directory itself is on the disk.
fn bring_names_to_disk(folder: &Path) -> Result<(), FilesError> {
    if cfg!(unix) {
        let folder_file = File::open(folder).map_err(disk("open", folder))?;
        folder_file.sync_all().map_err(disk("bring to the disk", folder))?;
    }
    Ok(())
}

fn disk<'a>(what: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> FilesError + 'a {
    move |source| FilesError::Disk { what, path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::super::samples::imported;
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn both_files_are_stored_whole_and_nothing_else_is_left() {
        let (manifest, index) = imported("N23", "CRANE QI ZA");
        let data = tempfile::tempdir().unwrap();
        let folder = data.path().join("lexicons");
        store(&folder, &manifest, &index).unwrap();
        let stem = format!("N23-{}", manifest.fingerprint.chars().take(16).collect::<String>());
        assert_eq!(names(&folder), [format!("{stem}.fst"), format!("{stem}.json")]);
        assert_eq!(fs::read(folder.join(stem + ".fst")).unwrap(), index);
        assert_eq!(super::manifest(&folder, "N23", &manifest.fingerprint).unwrap(), manifest);
        store(&folder, &manifest, &index).unwrap();
        assert_eq!(names(&folder).len(), 2);
    }

    #[test]
    fn an_index_that_is_not_the_manifests_is_not_stored() {
        let (manifest, _) = imported("N23", "CRANE QI ZA");
        let (_, other) = imported("N23", "CRANE QI");
        let folder = tempfile::tempdir().unwrap();
        let error = store(folder.path(), &manifest, &other).unwrap_err();
        assert!(matches!(error, FilesError::OtherIndex { .. }), "{error}");
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn no_id_leads_out_of_the_directory() {
        let (manifest, index) = imported("N23", "CRANE QI ZA");
        let data = tempfile::tempdir().unwrap();
        let folder = data.path().join("lexicons");
        for id in ["../N23", "/tmp/N23", "a/../../N23", "..", "N23\0", ""] {
            let manifest = Manifest { id: id.to_owned(), ..manifest.clone() };
            assert!(matches!(store(&folder, &manifest, &index), Err(FilesError::Name(_))), "{id:?}");
            assert!(inspect(&folder, id, &manifest.fingerprint, &manifest.index_sha256).is_err());
            assert!(remove(&folder, id, &manifest.fingerprint).is_err());
        }
        assert!(names(data.path()).is_empty());
    }

    #[test]
    fn a_stored_index_is_reported_as_whole_missing_or_different() {
        let (manifest, index) = imported("N23", "CRANE QI ZA");
        let folder = tempfile::tempdir().unwrap();
        let look = || inspect(folder.path(), "N23", &manifest.fingerprint, &manifest.index_sha256).unwrap();
        assert_eq!(look(), Found::Missing);
        store(folder.path(), &manifest, &index).unwrap();
        assert_eq!(look(), Found::Whole);
        fs::write(index_path(folder.path(), "N23", &manifest.fingerprint).unwrap(), b"").unwrap();
        assert_eq!(look(), Found::Differs);
        remove(folder.path(), "N23", &manifest.fingerprint).unwrap();
        assert_eq!(look(), Found::Missing);
        remove(folder.path(), "N23", &manifest.fingerprint).unwrap();
    }

    #[test]
    fn a_manifest_under_another_lexicons_name_is_refused() {
        let (manifest, index) = imported("N23", "CRANE QI ZA");
        let folder = tempfile::tempdir().unwrap();
        store(folder.path(), &manifest, &index).unwrap();
        let there = manifest_path(folder.path(), "N23", &manifest.fingerprint).unwrap();
        let elsewhere = manifest_path(folder.path(), "N24", &manifest.fingerprint).unwrap();
        fs::rename(there, elsewhere).unwrap();
        let error = super::manifest(folder.path(), "N24", &manifest.fingerprint).unwrap_err();
        assert!(error.to_string().contains("another lexicon"), "{error}");
    }

    #[test]
    fn where_a_write_fails_the_error_names_the_path_and_no_file_is_left() {
        let (manifest, index) = imported("N23", "CRANE QI ZA");
        let data = tempfile::tempdir().unwrap();
        let folder = data.path().join("lexicons");
        fs::write(&folder, b"a file where the folder should be").unwrap();
        let error = store(&folder, &manifest, &index).unwrap_err().to_string();
        assert!(error.contains("lexicons") && error.contains("check the disk"), "{error}");
        assert_eq!(names(data.path()), ["lexicons"]);
    }
}
