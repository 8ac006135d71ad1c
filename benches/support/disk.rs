//! The disk's own speed: how long it takes to make 4 KiB durable. No ruling can be faster than that.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use super::median;

const SYNCS: usize = 100;

/// The median of some `fdatasync` in a folder, each after 4 KiB were appended.
pub fn fdatasync(folder: &Path) -> std::io::Result<Duration> {
    let path = folder.join("fdatasync.probe");
    let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
    let mut took = Vec::with_capacity(SYNCS);
    for _ in 0..SYNCS {
        file.write_all(&[0; 4096])?;
        let begun = Instant::now();
        file.sync_data()?;
        took.push(begun.elapsed().as_secs_f64());
    }
    std::fs::remove_file(path)?;
    Ok(Duration::from_secs_f64(median(took)))
}
