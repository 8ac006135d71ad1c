//! The key file: the 32 bytes that sign every checkpoint of this server.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::domain::ledger::Signer;

/// The first word of the file, so that another file is not mistaken for a key.
const MARK: &str = "adjudge-signing-key-1";

/// Why the key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    #[error("the signing key {} is missing: put it back from the backup (for a further server on Postgres: adjudge init --join KEYFILE), or go on with a new one: adjudge restore", .0.display())]
    Missing(PathBuf),
    #[error("the signing key {} cannot be {doing}: {source}", path.display())]
    Io { path: PathBuf, doing: &'static str, source: io::Error },
    #[error("the signing key {} can be read by others: chmod 600 it", .0.display())]
    Exposed(PathBuf),
    #[error("{} is no signing key, or was cut short: put it back from the backup", .0.display())]
    NotAKey(PathBuf),
}

/// Writes a new key file that only its owner can read.
///
/// # Errors
/// If there is a file already or it cannot be written.
pub fn create(path: &Path, seed: &[u8; 32]) -> Result<(), KeyError> {
    write_new(path, format!("{MARK} {}\n", STANDARD.encode(seed)).as_bytes())
}

fn write_new(path: &Path, text: &[u8]) -> Result<(), KeyError> {
    let io = |source| KeyError::Io { path: path.to_owned(), doing: "written", source };
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path).map_err(io)?;
    file.write_all(text).and_then(|()| file.sync_all()).map_err(|source| {
        // An incomplete key is useless, and would block the next try.
        let _ = fs::remove_file(path);
        io(source)
    })
}

/// Copies a key file, byte for byte.
///
/// # Errors
/// If it cannot be read, or there is a file already.
pub fn copy(from: &Path, to: &Path) -> Result<(), KeyError> {
    let text = fs::read(from).map_err(|source| KeyError::Io { path: from.to_owned(), doing: "read", source })?;
    write_new(to, &text)
}

/// Gives a key its final name.
///
/// # Errors
/// If the file cannot be renamed.
pub fn name(from: &Path, to: &Path) -> Result<(), KeyError> {
    let io = |source| KeyError::Io { path: to.to_owned(), doing: "written", source };
    fs::rename(from, to).map_err(io)?;
    let folder = to.parent().unwrap_or(to);
    fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(io)
}

/// Reads a key file.
///
/// # Errors
/// If it is missing, readable by others, or not a key.
pub fn load(path: &Path) -> Result<Signer, KeyError> {
    let text = fs::read_to_string(path).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => KeyError::Missing(path.to_owned()),
        io::ErrorKind::InvalidData => KeyError::NotAKey(path.to_owned()),
        _ => KeyError::Io { path: path.to_owned(), doing: "read", source },
    })?;
    if is_exposed(path) {
        return Err(KeyError::Exposed(path.to_owned()));
    }
    let not_a_key = || KeyError::NotAKey(path.to_owned());
    let encoded = text.strip_prefix(MARK).and_then(|rest| rest.strip_suffix('\n')).ok_or_else(not_a_key)?;
    let seed = STANDARD.decode(encoded.trim_start()).map_err(|_| not_a_key())?;
    Ok(Signer::from_seed(seed.try_into().map_err(|_| not_a_key())?))
}

#[cfg(unix)]
fn is_exposed(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn is_exposed(_path: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_comes_back_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        create(&path, &[7; 32]).unwrap();
        assert_eq!(load(&path).unwrap().public(), Signer::from_seed([7; 32]).public());
        assert!(matches!(create(&path, &[8; 32]), Err(KeyError::Io { .. })), "a key is never overwritten");
    }

    #[cfg(unix)]
    #[test]
    fn a_key_that_is_missing_cut_or_open_to_others_is_refused() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        assert!(matches!(load(&path), Err(KeyError::Missing(_))));
        create(&path, &[7; 32]).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(matches!(load(&path), Err(KeyError::Exposed(_))));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let whole = fs::read_to_string(&path).unwrap();
        fs::write(&path, &whole[..30]).unwrap();
        assert!(matches!(load(&path), Err(KeyError::NotAKey(_))));
    }
}
