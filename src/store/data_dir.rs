//! The data folder: where a server keeps its key, its lexica and, unless it uses Postgres, its database.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use crate::atomic_file;
use crate::domain::event::ServerInitialised;
use crate::domain::ledger::{Actor, Signer, VerifierKey};
use crate::domain::{Event, SERVER_LOG};
use crate::system::{NoRandomness, System};

use super::db::{Address, Db, DbError, write_ahead_log};
use super::key::{self, KeyError};
use super::ledger::{self, Draft, Ledger, LedgerError};

/// A data folder, which may not hold a ledger yet.
#[derive(Clone, Debug)]
pub struct DataDir {
    root: PathBuf,
    address: Address,
}

/// The lock of a folder, held by its one server for as long as it runs. The system releases it when the process ends,
/// however it ends.
#[derive(Debug)]
pub struct DirLock(#[expect(dead_code, reason = "the open file is the lock")] File);

/// Why a data folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DataDirError {
    #[error("{} holds no ledger: run adjudge init", .0.display())]
    NotInitialised(PathBuf),
    #[error("{0:?} already holds a ledger; for a further server on it: adjudge init --join KEYFILE")]
    AlreadyInitialised(Address),
    #[error("{0:?} holds no ledger that could be joined: run adjudge init without --join")]
    NothingToJoin(Address),
    #[error("{0:?} names no database: write sqlite://FILE or postgres://USER@HOST/DATABASE")]
    NoAddress(String),
    #[error("{} holds a key, lexicons or checkpoints of a ledger but no database with it: put the database back from the newest backup, name another folder, or continue without it: adjudge restore", .0.display())]
    DatabaseLost(PathBuf),
    #[error("found a write-ahead log without its database: {} (it may hold entries): put the database file back beside it, or move it away too and continue without it: adjudge restore", .0.display())]
    LogWithout(PathBuf),
    #[error("another adjudge serves this ledger ({} is locked): stop it first, or name another folder with --data", .0.display())]
    Served(PathBuf),
    #[error("{} cannot be locked: {source}; make it writable for this user", path.display())]
    Lock { path: PathBuf, source: io::Error },
    #[error(
        "the ledger in {0:?} was begun with another signing key: put back the key that belongs to it, or continue with this one: adjudge restore"
    )]
    OtherKey(Address),
    #[error("{} cannot be made: {source}", path.display())]
    Make { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Key(#[from] KeyError),
    #[error(transparent)]
    NoRandomness(#[from] NoRandomness),
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

impl From<DbError> for DataDirError {
    fn from(error: DbError) -> Self {
        Self::Ledger(error.into())
    }
}

impl DataDir {
    /// A folder with its own SQLite database.
    #[must_use]
    pub fn at(root: impl Into<PathBuf>) -> Self {
        let root = root.into();
        Self { address: Address::Sqlite(root.join("adjudge.db")), root }
    }

    /// A folder with the database that a URL names.
    ///
    /// # Errors
    /// [`DataDirError::NoAddress`] if the URL names none.
    pub fn with_database(root: impl Into<PathBuf>, url: &str) -> Result<Self, DataDirError> {
        let address = match url.split_once("://") {
            Some(("sqlite", file)) if !file.is_empty() => Address::Sqlite(file.into()),
            Some(("postgres" | "postgresql", _)) => Address::Postgres(url.to_owned()),
            // The text may hold a password, so the message shows only its beginning.
            _ => return Err(DataDirError::NoAddress(url.chars().take_while(|letter| *letter != ':').collect())),
        };
        Ok(Self { root: root.into(), address })
    }

    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    #[must_use]
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Whether the database cannot exist: its file is missing or empty.
    fn lacks_database(&self) -> bool {
        matches!(&self.address, Address::Sqlite(file) if fs::metadata(file).map_or(0, |found| found.len()) == 0)
    }

    /// Whether the folder has a part that only a folder with a ledger has: a key, lexica or checkpoints.
    fn has_remnants(&self) -> bool {
        let has_files = |folder: PathBuf| fs::read_dir(folder).is_ok_and(|mut files| files.next().is_some());
        self.key().exists() || has_files(self.lexicons()) || has_files(self.checkpoints())
    }

    /// The default folder for copies of checkpoints. A folder on another disk is safer, and may be configured in
    /// addition.
    #[must_use]
    pub fn checkpoints(&self) -> PathBuf {
        self.root.join("checkpoints")
    }

    /// The file whose lock says that a server runs. It stands beside a SQLite database, because that is what two
    /// servers must not share.
    fn lock(&self) -> PathBuf {
        match &self.address {
            // Every path to the database resolves to one file.
            Address::Sqlite(file) => fs::canonicalize(file).unwrap_or_else(|_| file.clone()).with_extension("lock"),
            Address::Postgres(_) => self.root.join("adjudge.lock"),
        }
    }

    /// Locks the folder for a server. Commands that end soon need no lock: they take turns with the server by the
    /// database's own lock.
    ///
    /// # Errors
    /// [`DataDirError::Served`] at once if another server holds it.
    pub fn claim(&self) -> Result<DirLock, DataDirError> {
        make_private(&self.root)?;
        let path = self.lock();
        let failed = |source| DataDirError::Lock { path: path.clone(), source };
        let file = File::options().write(true).create(true).truncate(false).open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => Ok(DirLock(file)),
            Err(TryLockError::WouldBlock) => Err(DataDirError::Served(path)),
            Err(TryLockError::Error(source)) => Err(failed(source)),
        }
    }

    #[must_use]
    pub fn key(&self) -> PathBuf {
        self.root.join("keys").join("signing.key")
    }

    /// The folder of lexicon files: `<id>-<first 16 of the fingerprint>.fst` and `.json`.
    #[must_use]
    pub fn lexicons(&self) -> PathBuf {
        self.root.join("lexicons")
    }

    /// Creates the ledger and its key. An `init` that was interrupted is continued.
    ///
    /// # Errors
    /// If there is a ledger already, or only a part of one that `init` cannot have left behind.
    pub async fn init(&self, system: &System, by: &Actor) -> Result<Ledger, DataDirError> {
        let db = self.make().await?;
        if verifier_of(&db).await?.is_some() {
            db.close().await;
            return Err(DataDirError::AlreadyInitialised(self.address.clone()));
        }
        if self.key().exists() {
            return Err(DataDirError::DatabaseLost(self.root.clone()));
        }
        self.prepare_key(system)?;
        let ledger = Ledger::new(db, key::load(&self.unnamed_key())?);
        let verifier = ledger.signer().verifier(SERVER_LOG).to_string();
        let event = Event::ServerInitialised(ServerInitialised { program: crate::PROGRAM.to_owned(), verifier });
        let draft = Draft::of(SERVER_LOG, by.clone(), event);
        // Of two servers that initialise the same database at once, the second finds the entry of the first.
        let mut tx = ledger.begin().await?;
        if verifier_of(&ledger.db).await?.is_some() {
            return Err(DataDirError::AlreadyInitialised(self.address.clone()));
        }
        tx.append(system.now(), vec![draft]).await?;
        tx.commit().await?;
        key::name(&self.unnamed_key(), &self.key())?;
        Ok(ledger)
    }

    /// Creates the folder of a further server on a database that holds a ledger, with the ledger's key.
    ///
    /// # Errors
    /// If there is no ledger, or it was begun with another key.
    pub async fn join(&self, key: &Path) -> Result<Ledger, DataDirError> {
        let signer = key::load(key)?;
        let db = self.make().await?;
        let begun = verifier_of(&db).await?.ok_or_else(|| DataDirError::NothingToJoin(self.address.clone()))?;
        if !is_of(&begun, &signer) {
            return Err(DataDirError::OtherKey(self.address.clone()));
        }
        key::copy(key, &self.key())?;
        Ok(Ledger::new(db, signer))
    }

    /// The key while `init` is under way. It gets its final name when the ledger has its first entry, so a key under
    /// its final name without that entry always means a loss.
    fn unnamed_key(&self) -> PathBuf {
        self.root.join("keys").join("signing.key.new")
    }

    /// Creates the key under its first name. A key that was left incomplete has signed nothing, and is created anew.
    fn prepare_key(&self, system: &System) -> Result<(), DataDirError> {
        let path = self.unnamed_key();
        match key::load(&path) {
            Ok(_) => Ok(()),
            Err(KeyError::Missing(_)) => Ok(key::create(&path, &system.random_bytes()?)?),
            Err(KeyError::NotAKey(_)) => {
                fs::remove_file(&path).map_err(|source| DataDirError::Make { path: path.clone(), source })?;
                Ok(key::create(&path, &system.random_bytes()?)?)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The write-ahead log of a SQLite database that is missing. It may hold the only copy of entries.
    fn write_ahead_log_alone(&self) -> Option<PathBuf> {
        match &self.address {
            Address::Sqlite(file) => Some(write_ahead_log(file)).filter(|log| self.lacks_database() && log.exists()),
            Address::Postgres(_) => None,
        }
    }

    /// The error for a folder that has parts of a ledger and no database.
    fn database_lost(&self) -> DataDirError {
        self.write_ahead_log_alone()
            .map_or_else(|| DataDirError::DatabaseLost(self.root.clone()), DataDirError::LogWithout)
    }

    fn make_folders(&self) -> Result<(), DataDirError> {
        [self.root.clone(), self.root.join("keys"), self.lexicons()].iter().try_for_each(|folder| make_private(folder))
    }

    /// Creates the missing parts of the folder and the database.
    async fn make(&self) -> Result<Db, DataDirError> {
        if self.lacks_database() && self.has_remnants() {
            return Err(self.database_lost());
        }
        self.make_folders()?;
        Ok(Db::open(&self.address, true).await?)
    }

    /// Opens the ledger for a restore. A database and a key that are missing are created.
    ///
    /// # Errors
    /// [`DataDirError::NotInitialised`] if the folder has no part of a ledger; else the error that prevents opening it.
    pub async fn reopen_after_loss(&self, system: &System) -> Result<Ledger, DataDirError> {
        let lacks_database = self.lacks_database();
        // A folder without any part of a ledger is a mistyped path, wherever the database is.
        if !self.has_remnants() {
            return Err(DataDirError::NotInitialised(self.root.clone()));
        }
        if let Some(log) = self.write_ahead_log_alone() {
            return Err(DataDirError::LogWithout(log));
        }
        self.make_folders()?;
        let db = Db::open(&self.address, lacks_database).await?;
        if !self.key().exists() {
            self.prepare_key(system)?;
            key::name(&self.unnamed_key(), &self.key())?;
        }
        Ok(Ledger::new(db, key::load(&self.key())?))
    }

    /// Opens the existing ledger.
    ///
    /// # Errors
    /// [`DataDirError::NotInitialised`] if there is none; else the error that prevents opening it.
    pub async fn open(&self) -> Result<Ledger, DataDirError> {
        let not_initialised = || DataDirError::NotInitialised(self.root.clone());
        if self.lacks_database() {
            return Err(if self.has_remnants() { self.database_lost() } else { not_initialised() });
        }
        let db = Db::open(&self.address, false).await?;
        let Some(begun) = verifier_of(&db).await? else {
            db.close().await;
            return Err(if self.key().exists() {
                DataDirError::DatabaseLost(self.root.clone())
            } else {
                not_initialised()
            });
        };
        if !self.key().exists() && self.unnamed_key().exists() {
            key::name(&self.unnamed_key(), &self.key())?;
        }
        let ledger = Ledger::new(db, key::load(&self.key())?);
        if !is_of(&begun, ledger.signer()) {
            return Err(DataDirError::OtherKey(self.address.clone()));
        }
        Ok(ledger)
    }
}

/// The verifier key with which the open log `server` began; `None` if there is no ledger.
async fn verifier_of(db: &Db) -> Result<Option<String>, LedgerError> {
    let log = ledger::open_log(db, SERVER_LOG).await?;
    let first = ledger::entry(db, &log, 0).await?;
    Ok(first.and_then(|first| first.event.verifier().map(str::to_owned)))
}

/// Whether a verifier key, in its text form, belongs to the signer.
fn is_of(verifier: &str, signer: &Signer) -> bool {
    verifier.parse::<VerifierKey>().is_ok_and(|key| key.public() == signer.public())
}

fn make_private(path: &Path) -> Result<(), DataDirError> {
    atomic_file::create_private_dir(path).map_err(|source| DataDirError::Make { path: path.to_owned(), source })
}
