//! The data folder: where a server keeps its database, its key and its lexica.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::domain::event::ServerInitialised;
use crate::domain::ledger::Actor;
use crate::domain::{Event, SERVER_LOG};
use crate::world::{NoChance, World};

use super::db::{Db, DbError};
use super::key::{self, KeyError};
use super::ledger::{Draft, Ledger, LedgerError};

/// A data folder that may or may not hold a ledger yet.
#[derive(Clone, Debug)]
pub struct Folder {
    root: PathBuf,
}

/// Why a data folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    #[error("{} holds no ledger: run adjudge init", .0.display())]
    NotInitialised(PathBuf),
    #[error("{} already holds a ledger", .0.display())]
    AlreadyInitialised(PathBuf),
    #[error("{} holds a signing key but no database: restore the database from the backup, or name another folder", .0.display())]
    DatabaseLost(PathBuf),
    #[error("the ledger in {} was begun with another signing key: put back the key that belongs to it", .0.display())]
    OtherKey(PathBuf),
    #[error("{} cannot be made: {source}", path.display())]
    Make { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Key(#[from] KeyError),
    #[error(transparent)]
    NoChance(#[from] NoChance),
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

impl From<DbError> for FolderError {
    fn from(error: DbError) -> Self {
        Self::Ledger(error.into())
    }
}

impl Folder {
    #[must_use]
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.root.join("adjudge.db")
    }

    #[must_use]
    pub fn key(&self) -> PathBuf {
        self.root.join("keys").join("signing.key")
    }

    /// Where lexicon files are: `<id>-<first 16 of the fingerprint>.fst` and `.json`.
    #[must_use]
    pub fn lexicons(&self) -> PathBuf {
        self.root.join("lexicons")
    }

    /// Whether there is nothing of ours in it. An `adjudge.toml` may stand ready.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.database().exists() && !self.key().exists()
    }

    /// Makes the ledger and its key. An `init` that was cut short before is taken up where it ended.
    ///
    /// # Errors
    /// Where there is a ledger already, or only a part of one that `init` cannot have left behind.
    pub async fn init(&self, world: &World, by: &Actor) -> Result<Ledger, FolderError> {
        if self.key().exists() && !self.database().exists() {
            return Err(FolderError::DatabaseLost(self.root.clone()));
        }
        for folder in [self.root.clone(), self.root.join("keys"), self.lexicons()] {
            make_private(&folder)?;
        }
        // The database comes first and the key second: a key without a database is always a loss.
        let db = Db::open_sqlite(&self.database(), true).await?;
        if !self.key().exists() {
            key::create(&self.key(), &world.secret()?)?;
        }
        if first_entry(&db).await?.is_some() {
            return Err(FolderError::AlreadyInitialised(self.root.clone()));
        }
        let ledger = Ledger::new(db, key::load(&self.key())?);
        let verifier = ledger.signer().verifier(SERVER_LOG).to_string();
        let event = Event::ServerInitialised(ServerInitialised { program: crate::PROGRAM.to_owned(), verifier });
        let draft = Draft { log: SERVER_LOG.to_owned(), actor: by.clone(), event };
        ledger.record(world.now(), vec![draft]).await?;
        Ok(ledger)
    }

    /// Opens the ledger that is there.
    ///
    /// # Errors
    /// [`FolderError::NotInitialised`] where there is none, and whatever keeps it from being opened.
    pub async fn open(&self) -> Result<Ledger, FolderError> {
        let not_initialised = || FolderError::NotInitialised(self.root.clone());
        if !self.database().exists() {
            return Err(if self.key().exists() {
                FolderError::DatabaseLost(self.root.clone())
            } else {
                not_initialised()
            });
        }
        let db = Db::open_sqlite(&self.database(), false).await?;
        let Some(begun) = first_entry(&db).await? else {
            db.close().await;
            return Err(not_initialised());
        };
        let ledger = Ledger::new(db, key::load(&self.key())?);
        if begun.verifier != ledger.signer().verifier(SERVER_LOG).to_string() {
            return Err(FolderError::OtherKey(self.root.clone()));
        }
        Ok(ledger)
    }
}

/// Entry 0 of the log `server`, which names the key.
async fn first_entry(db: &Db) -> Result<Option<ServerInitialised>, LedgerError> {
    let first = super::ledger::entry(db, SERVER_LOG, 0).await?;
    Ok(first.and_then(|entry| match entry.event {
        Event::ServerInitialised(begun) => Some(begun),
        _ => None,
    }))
}

fn make_private(path: &Path) -> Result<(), FolderError> {
    let failed = |source| FolderError::Make { path: path.to_owned(), source };
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(failed)
}
