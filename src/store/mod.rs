//! The store: the ledger in a database, the key that signs it, and the hashes of secrets.

mod batch;
pub mod clock;
mod continuations;
pub mod db;
pub mod devices;
pub mod folder;
mod head;
pub mod key;
pub mod ledger;
pub mod lexicons;
mod migrations;
mod near;
mod newest;
pub mod outside;
pub mod pairing;
pub mod people;
mod reading;
mod recent;
pub mod restore;
pub mod sample;
pub mod scribe;
pub mod secrets;
pub mod sessions;
pub mod statements;
pub mod tokens;
mod transaction;
pub mod verify;

pub use db::{Address, Db};
pub use folder::{Folder, FolderError};
pub use ledger::{Draft, Ledger, LedgerError, Recorded, Watch};
pub use newest::NewestCheckpoints;
pub use outside::Outside;
pub use scribe::{CannotRecord, Scribe, Storage};
pub use transaction::Transaction;
