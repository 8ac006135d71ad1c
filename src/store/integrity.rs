//! Integrity: verifies the ledger against its own hashes and against copies of checkpoints outside the database, and
//! restores a ledger that does not verify.

pub mod checkpoint_copies;
pub mod restore;
pub mod sampling;
pub mod verify;
