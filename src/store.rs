//! The store: the ledger in a database, the key that signs it, and the hashes of secrets.

pub mod accounts;
mod batch;
pub mod clock;
mod continuations;
pub mod data_dir;
pub mod db;
mod head;
pub mod integrity;
pub mod key;
pub mod ledger;
pub mod lexicons;
mod migrations;
mod newest;
mod probing;
mod queries;
mod recent;
pub mod statements;
mod transaction;
pub mod writer;

pub use data_dir::{DataDir, DataDirError};
pub use db::{Address, Db};
pub use integrity::checkpoint_copies::CheckpointCopies;
pub use ledger::{Appended, Draft, Ledger, LedgerError, ProbingCheck};
pub use newest::NewestCheckpoints;
pub use transaction::Transaction;
pub use writer::{LedgerWriter, Storage, WriteError};
