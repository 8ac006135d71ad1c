//! What is so at present: the floor, who holds a token, and the opened lexica.
//!
//! A value of it never changes. A task looks twice a second whether the ledger says something new,
//! also from the command line or another server, and then puts a new value in its place at once; a
//! request works with one value from beginning to end.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use crate::domain::event::LexiconImported;
use crate::domain::floor::UnknownRuleset;
use crate::domain::{Alphabet, Floor, LexiconName};
use crate::lexicon::{Expected, Opened, Shelf, built_in};
use crate::store::db::DbError;
use crate::store::tokens::{self, Holder, hash_of};
use crate::store::{Ledger, LedgerError};

/// How often the ledger is asked for something new. The contract allows a second.
const LOOK_EVERY: Duration = Duration::from_millis(400);

/// One consistent view of everything that was set up.
#[derive(Clone, Debug, Default)]
pub struct Present {
    pub floor: Floor,
    holders: HashMap<String, Holder>,
    shelf: Shelf,
    /// The last set-up entry that was taken in.
    position: i64,
}

/// Why the present cannot be known.
#[derive(Debug, thiserror::Error)]
pub enum PresentError {
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error(transparent)]
    Ruleset(#[from] UnknownRuleset),
}

impl From<DbError> for PresentError {
    fn from(error: DbError) -> Self {
        Self::Ledger(error.into())
    }
}

impl Present {
    /// Reads everything that was ever set up.
    ///
    /// # Errors
    /// Where the ledger cannot be read or names what this version does not know.
    pub async fn read(ledger: &Ledger, lexicons: &Path) -> Result<Self, PresentError> {
        let first = Self::default();
        Ok(first.advanced(ledger, lexicons).await?.unwrap_or(first))
    }

    /// The present after what was set up since; `None` where that is nothing.
    async fn advanced(&self, ledger: &Ledger, lexicons: &Path) -> Result<Option<Self>, PresentError> {
        let entries = ledger.setup_after(self.position).await?;
        let Some((position, _)) = entries.last() else { return Ok(None) };
        let mut next = Self { position: *position, ..self.clone() };
        for (_, entry) in &entries {
            next.floor.apply(entry)?;
        }
        next.holders = tokens::holders(&ledger.db)
            .await?
            .into_iter()
            .map(|holder| (holder.secret_sha256.clone(), holder))
            .collect();
        next.shelf = stocked(self.shelf.clone(), wanted(&next.floor), lexicons.to_owned()).await;
        Ok(Some(next))
    }

    /// Who holds this secret. Revoked tokens have no holder.
    #[must_use]
    pub fn holder(&self, secret: &str) -> Option<&Holder> {
        self.holders.get(&hash_of(secret))
    }

    /// The holder of that name.
    #[must_use]
    pub fn holder_named(&self, name: &str) -> Option<&Holder> {
        self.holders.values().find(|holder| holder.name == name)
    }

    /// Whether nobody can speak to the server yet.
    #[must_use]
    pub fn has_no_holders(&self) -> bool {
        self.holders.is_empty()
    }

    /// A lexicon that some division plays or played with, if it was opened and verified.
    #[must_use]
    pub fn opened(&self, name: &LexiconName) -> Option<Arc<Opened>> {
        self.shelf.get(&name.id, &name.fingerprint)?.ok().cloned()
    }

    /// The alphabet by which a lexicon is read.
    #[must_use]
    pub fn alphabet(&self, name: &LexiconName) -> Option<Arc<Alphabet>> {
        match self.opened(name) {
            Some(opened) => Some(Arc::clone(opened.alphabet())),
            None => alphabet_of(self.floor.imported(name)?),
        }
    }
}

/// What must be on the shelf: every lexicon that a division plays or played with, since old rulings
/// are looked at with their own. One whose alphabet cannot be had is left out, and so is not served.
fn wanted(floor: &Floor) -> Vec<Expected> {
    floor
        .used()
        .filter_map(|name| match floor.imported(name) {
            Some(imported) => expected(imported),
            None => Some(built_in::named(name)?.expected().clone()),
        })
        .collect()
}

/// What the ledger says an imported lexicon must prove to be; `None` where its alphabet cannot be had.
#[must_use]
pub fn expected(imported: &LexiconImported) -> Option<Expected> {
    Some(Expected {
        name: imported.lexicon.clone(),
        alphabet: alphabet_of(imported)?,
        lengths: imported.lengths,
        words: usize::try_from(imported.words).ok()?,
        index_sha256: imported.index_sha256.clone(),
    })
}

fn alphabet_of(imported: &LexiconImported) -> Option<Arc<Alphabet>> {
    match &imported.alphabet_file {
        Some(text) => Alphabet::from_toml(text).ok().map(Arc::new),
        None => Alphabet::shipped(&imported.alphabet),
    }
}

async fn stocked(shelf: Shelf, wanted: Vec<Expected>, lexicons: PathBuf) -> Shelf {
    let kept = shelf.clone();
    // Opening reads and hashes whole files, which is no work for the tasks that answer players.
    tokio::task::spawn_blocking(move || shelf.with(&wanted, &lexicons)).await.unwrap_or(kept)
}

/// Keeps the present up to date as long as somebody looks at it.
pub async fn keep_up(ledger: Ledger, lexicons: PathBuf, present: watch::Sender<Arc<Present>>) {
    while !present.is_closed() {
        tokio::time::sleep(LOOK_EVERY).await;
        let now = Arc::clone(&present.borrow());
        match now.advanced(&ledger, &lexicons).await {
            Ok(Some(next)) => drop(present.send_replace(Arc::new(next))),
            Ok(None) => {}
            Err(error) => tracing::error!(error = %error, "what was set up cannot be read; serving what was known"),
        }
    }
}
