//! Entries that are read again while the server runs, some each second. A load of slips alone reads no older page, so a
//! database file that another program wrote over would take rulings until the next start. Postgres guards its own files,
//! and each entry that is read again there costs a trip over the network: on it nothing is read again.

use crate::system::System;

use crate::store::ledger::{Ledger, LedgerError, entry};

/// How many entries of a log are read at once, beside its newest.
const SAMPLES: usize = 32;

/// Reads the newest entry of a log and some at random, where the database is a file. Each is compared with its hash, and one
/// that does not fit ends the serving, as wherever it is read.
///
/// # Errors
/// Where an entry cannot be read.
pub async fn read_samples(ledger: &Ledger, system: &System, log: &str) -> Result<(), LedgerError> {
    if !ledger.db.is_file() {
        return Ok(());
    }
    let log = ledger.open_log(log).await?;
    let size = ledger.signed_size(&log).await?.unwrap_or(0);
    // Without randomness the newest is read all the same.
    let drawn: [u8; SAMPLES * 8] = system.random_bytes().unwrap_or([0; SAMPLES * 8]);
    let at_random = drawn.chunks_exact(8).filter_map(|bytes| Some(u64::from_be_bytes(bytes.try_into().ok()?)));
    for number in at_random.chain([size.saturating_sub(1)]) {
        if let Some(place) = number.checked_rem(size) {
            entry(&ledger.db, &log, place).await?;
        }
    }
    Ok(())
}
