//! Integrity: the ledger verified against its own hashes and against copies of checkpoints outside the database, and
//! restored where it does not verify.

pub mod checkpoint_copies;
pub mod restore;
pub mod sampling;
pub mod verify;
