//! Sampling: reading some entries again each second while the server runs. Filing slips alone reads no older page, so a
//! database file that another program overwrote would take rulings until the next start. Postgres guards its own files,
//! and each read there costs a network round trip, so nothing is sampled on it.

use crate::system::System;

use crate::store::ledger::{Ledger, LedgerError, entry};

/// How many entries of a log are read at once, besides its newest.
const SAMPLES: usize = 32;

/// Reads the newest entry of a log and some at random, if the database is a file. Each is compared with its hash; one
/// that does not match stops the server, as in every other read.
///
/// # Errors
/// If an entry cannot be read.
pub async fn read_samples(ledger: &Ledger, system: &System, log: &str) -> Result<(), LedgerError> {
    if !ledger.db.is_file() {
        return Ok(());
    }
    let log = ledger.open_log(log).await?;
    let size = ledger.signed_size(&log).await?.unwrap_or(0);
    // Without randomness the newest entry is still read.
    let drawn: [u8; SAMPLES * 8] = system.random_bytes().unwrap_or([0; SAMPLES * 8]);
    let at_random = drawn.chunks_exact(8).filter_map(|bytes| Some(u64::from_be_bytes(bytes.try_into().ok()?)));
    for number in at_random.chain([size.saturating_sub(1)]) {
        if let Some(place) = number.checked_rem(size) {
            entry(&ledger.db, &log, place).await?;
        }
    }
    Ok(())
}
