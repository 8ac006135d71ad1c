//! Small files that are written whole or not at all, and that only their owner can read.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

/// Creates a folder that only its owner can enter, and the folders above it.
///
/// # Errors
/// If it cannot be created.
pub fn create_private_dir(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Writes a file in one step: a reader finds the old content or the new one.
///
/// # Errors
/// If it cannot be written; the old file stays.
pub fn write_atomic(path: &Path, text: &str) -> io::Result<()> {
    let unnamed = path.with_extension("new");
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&unnamed)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&unnamed, path)?;
    File::open(path.parent().unwrap_or(path))?.sync_all()
}
