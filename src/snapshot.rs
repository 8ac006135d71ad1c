//! An immutable snapshot of configuration, accounts and open lexica.
//!
//! A task checks twice a second whether the ledger has new set-up entries, also from the command line or another
//! server, and then replaces the snapshot at once. A request works with one snapshot from beginning to end.

mod clock;
mod lexicon_check;
mod retry;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot, watch};

use crate::domain::accounts::{Device, Pairing, People};
use crate::domain::event::{DeviceKind, LexiconFileWritten, LexiconImported, RulesetSet, server};
use crate::domain::setup::{Basis, UnknownRuleset};
use crate::domain::{Alphabet, Event, Lengths, LexiconName, Role, SERVER_LOG, Setup, Timestamp};
use crate::lexicon::files::{FilesError, can_complete, store};
use crate::lexicon::manifest::ManifestError;
use crate::lexicon::{Expected, Manifest, OpenError, Opened, Shelf, built_in};
use crate::store::accounts::devices;
use crate::store::accounts::tokens::{self, Credential, Principal, sha256_hex};
use crate::store::db::DbError;
use crate::store::{Draft, Ledger, LedgerError, lexicons};
use crate::system::System;

use clock::ClockCheck;
pub use clock::LedgerClock;
pub use lexicon_check::{
    LexiconUnavailable, NO_DATE_LIMIT, check_later, open_division_lexica, open_for_play, opened_now,
};
use retry::RetryTimer;

/// How often the ledger is read for new set-up entries. The contract allows a second.
const REFRESH_INTERVAL: Duration = Duration::from_millis(400);

/// A consistent snapshot of everything that was set up.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    pub setup: Setup,
    /// Who may sign in, and with which devices.
    pub people: People,
    /// The holders of tokens and the paired stations, by the hash of their secret.
    principals: HashMap<String, Principal>,
    /// The ids of paired devices, by the hash of their secret.
    devices: HashMap<String, String>,
    shelf: Shelf,
    /// The position of the last set-up entry in the snapshot.
    position: i64,
}

/// Why there is no snapshot.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error(transparent)]
    Ruleset(#[from] UnknownRuleset),
}

impl From<DbError> for SnapshotError {
    fn from(error: DbError) -> Self {
        Self::Ledger(error.into())
    }
}

/// The set-up, without opening any lexicon: what the command line needs, and quick enough under the write lock. `clock`
/// is the machine's clock; a later entry of the ledger takes precedence.
///
/// # Errors
/// If the ledger cannot be read or has entries that this version does not know.
pub async fn setup_of(ledger: &Ledger, clock: Timestamp) -> Result<Setup, SnapshotError> {
    let mut setup = Setup::default();
    for (_, entry) in ledger.setup_after(0).await? {
        setup.apply(&entry)?;
    }
    setup.apply_due(ledger.effective(clock).await?)?;
    Ok(setup)
}

impl Snapshot {
    /// Reads the whole set-up.
    ///
    /// # Errors
    /// If the ledger cannot be read or has entries that this version does not know.
    pub async fn read(ledger: &Ledger, clock: Timestamp, lexicons: &Path) -> Result<Self, SnapshotError> {
        let (first, now) = (Self::default(), ledger.effective(clock).await?);
        Ok(first.advanced(ledger, now, lexicons).await?.unwrap_or(first))
    }

    /// The snapshot after the clock check at a start, which records a clock that is far after the newest entry.
    ///
    /// # Errors
    /// As [`Snapshot::read`].
    pub async fn with_clock_checked(
        self,
        ledger: &Ledger,
        system: &System,
        lexicons: &Path,
        ledger_clock: &LedgerClock,
    ) -> Result<Self, SnapshotError> {
        let mut clock = ClockCheck::new(ledger_clock.clone());
        let next = looked(&self, &mut clock, ledger, system, lexicons).await?;
        Ok(next.unwrap_or(self))
    }

    /// The snapshot with the set-up entries since; `None` if there are none.
    async fn advanced(&self, ledger: &Ledger, now: Timestamp, lexicons: &Path) -> Result<Option<Self>, SnapshotError> {
        let entries = ledger.setup_after(self.position).await?;
        if entries.is_empty() && !self.setup.has_pending_due(now) {
            return Ok(None);
        }
        let position = entries.last().map_or(self.position, |(position, _)| *position);
        let mut next = Self { position, ..self.clone() };
        for (_, entry) in &entries {
            next.setup.apply(entry)?;
            next.people.apply(entry);
        }
        next.setup.apply_due(now)?;
        let hashes = devices::hashes(ledger).await?.into_iter();
        next.devices = hashes
            .filter(|(id, _)| next.people.device(id).is_some_and(|device| device.pairing != Pairing::Waits))
            .map(|(id, hash)| (hash, id))
            .collect();
        let tokens = tokens::principals(&ledger.db).await?.into_iter();
        next.principals =
            tokens.chain(next.stations()).map(|principal| (principal.secret_sha256.clone(), principal)).collect();
        next.shelf = reload_shelf(self.shelf.clone(), wanted(&next.setup), lexicons.to_owned()).await;
        Ok(Some(next))
    }

    /// The set-up that decides in a tournament, as a [`Basis`].
    #[must_use]
    pub fn basis(&self, tournament: &str) -> Basis {
        self.setup.basis(tournament, self.position)
    }

    /// The snapshot after recording the values of every ruleset that this program ships. If they cannot be written it
    /// is returned unchanged: the program has them as well.
    pub async fn with_shipped_rulesets(self, ledger: &Ledger, system: &System, lexicons: &Path) -> Self {
        match self.record_rulesets(ledger, system, lexicons).await {
            Ok(next) => next.unwrap_or(self),
            Err(error) => {
                tracing::error!(%error, "the shipped rulesets cannot be recorded; it is tried again at the next start");
                self
            }
        }
    }

    async fn record_rulesets(
        &self,
        ledger: &Ledger,
        system: &System,
        lexicons: &Path,
    ) -> Result<Option<Self>, SnapshotError> {
        let set = |ruleset| Event::RulesetSet(RulesetSet { ruleset, copied_from: None });
        let unrecorded = self.setup.unrecorded_rulesets().into_iter();
        let drafts: Vec<Draft> = unrecorded.map(|ruleset| Draft::of(SERVER_LOG, server(), set(ruleset))).collect();
        if drafts.is_empty() {
            return Ok(None);
        }
        ledger.record(system.now(), drafts).await?;
        self.advanced(ledger, ledger.effective(system.now()).await?, lexicons).await
    }

    /// The snapshot with missing lexica restored as far as possible; `None` if that changes nothing.
    pub async fn repaired(&self, ledger: &Ledger, system: &System, lexicons: &Path) -> Option<Self> {
        if let Err(error) = repair(ledger, system, lexicons, &self.setup).await {
            tracing::error!(%error, "a missing lexicon file cannot be written anew");
        }
        let shelf = reload_shelf(self.shelf.clone(), wanted(&self.setup), lexicons.to_owned()).await;
        let failures = |shelf: &Shelf| shelf.iter().filter(|(_, opened)| opened.is_err()).count();
        let has_changed = failures(&shelf) != failures(&self.shelf);
        has_changed.then(|| Self { shelf, ..self.clone() })
    }

    /// Why lexica that should be open are not, one sentence each.
    pub fn failures(&self) -> impl Iterator<Item = &str> {
        self.shelf.iter().filter_map(|(_, opened)| opened.err())
    }

    /// Logs every lexicon that cannot be served.
    pub fn log_failures(&self) {
        for why in self.failures() {
            tracing::error!("no rulings where this list is played: {why}");
        }
    }

    /// Whether a lexicon that should be open is not.
    #[must_use]
    pub fn has_failures(&self) -> bool {
        self.shelf.iter().any(|(_, opened)| opened.is_err())
    }

    /// The principal with this secret. Revoked tokens have none.
    #[must_use]
    pub fn principal(&self, secret: &str) -> Option<&Principal> {
        self.holder_by_hash(&sha256_hex(secret))
    }

    /// The principal with the secret of this hash.
    #[must_use]
    pub fn holder_by_hash(&self, secret_sha256: &str) -> Option<&Principal> {
        self.principals.get(secret_sha256)
    }

    /// The principal of that name.
    #[must_use]
    pub fn holder_named(&self, name: &str) -> Option<&Principal> {
        self.principals.values().find(|principal| principal.name == name)
    }

    /// The principal of the token with this id, unless it was revoked.
    #[must_use]
    pub fn holder_of(&self, token: &str) -> Option<&Principal> {
        self.principals.values().find(|principal| principal.id == token)
    }

    /// Whether the server has no users yet: no token, no director and no station.
    #[must_use]
    pub fn is_unconfigured(&self) -> bool {
        self.principals.is_empty() && !self.people.staff().any(|staff| staff.role == Role::Director)
    }

    /// The stations that are paired and confirmed.
    fn stations(&self) -> Vec<Principal> {
        let principal = |(hash, id): (&String, &String)| {
            let device = self.people.device(id)?;
            let is_station = device.kind == DeviceKind::Station && device.pairing == Pairing::Paired;
            is_station.then(|| Principal {
                id: device.id.clone(),
                tournament: device.tournament.clone(),
                role: Role::Station,
                name: device.setting.label.clone(),
                secret_sha256: hash.clone(),
                created_us: 0,
                divisions: device.setting.divisions.clone(),
                plays: None,
                per_minute: None,
                by: Credential::Device,
            })
        };
        self.devices.iter().filter_map(principal).collect()
    }

    /// The device with this secret, confirmed or not.
    #[must_use]
    pub fn device(&self, secret: &str) -> Option<&Device> {
        self.people.device(self.devices.get(&sha256_hex(secret))?)
    }

    /// Whether an authenticated principal still has access.
    #[must_use]
    pub fn knows(&self, principal: &Principal) -> bool {
        match principal.by {
            Credential::Token | Credential::Device => self.holder_of(&principal.id).is_some(),
            Credential::Session => self.people.staff_of(&principal.id).is_some(),
        }
    }

    /// A lexicon that a division plays or played with, if it was opened and verified.
    #[must_use]
    pub fn opened(&self, name: &LexiconName) -> Option<Arc<Opened>> {
        self.shelf.get(&name.id, &name.fingerprint)?.ok().cloned()
    }

    /// The word lengths that a lexicon covers, whether it is open or not.
    #[must_use]
    pub fn lengths(&self, name: &LexiconName) -> Option<Lengths> {
        match self.opened(name) {
            Some(opened) => Some(opened.lengths()),
            None => Some(self.setup.imported(name)?.lengths),
        }
    }

    /// How many judges a tournament has, without directors.
    #[must_use]
    pub fn judges(&self, tournament: &str) -> usize {
        let is_here = |of: &str, role| [tournament, SERVER_LOG].contains(&of) && role == Role::Judge;
        let tokens =
            self.principals.values().filter(|principal| is_here(&principal.tournament, principal.role)).count();
        tokens + self.people.staff().filter(|staff| is_here(&staff.tournament, staff.role)).count()
    }

    /// The alphabet by which a lexicon is read.
    #[must_use]
    pub fn alphabet(&self, name: &LexiconName) -> Option<Arc<Alphabet>> {
        match self.opened(name) {
            Some(opened) => Some(Arc::clone(opened.alphabet())),
            None => alphabet_of(self.setup.imported(name)?),
        }
    }
}

/// The lexica that must be open: every one that a division plays or played with, since old rulings are viewed with
/// their own. A lexicon whose alphabet is unavailable is left out, and so is not served.
fn wanted(setup: &Setup) -> Vec<Expected> {
    setup
        .used()
        .filter_map(|name| match setup.imported(name) {
            Some(imported) => expected(imported),
            None => Some(built_in::named(name)?.expected().clone()),
        })
        .collect()
}

/// What the ledger requires of an imported lexicon; `None` if its alphabet is unavailable.
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

async fn reload_shelf(shelf: Shelf, wanted: Vec<Expected>, lexicons: PathBuf) -> Shelf {
    let kept = shelf.clone();
    // Opening reads and hashes whole files, which would block the tasks that answer players.
    tokio::task::spawn_blocking(move || shelf.with(&wanted, &lexicons)).await.unwrap_or(kept)
}

/// Writes the lexicon files that this server lacks, from the database's copies, and records it. A file that exists and
/// differs is left alone: it may be evidence, and it is not served.
///
/// # Errors
/// If the ledger cannot be read or written. A copy that fails its check is only logged.
async fn repair(ledger: &Ledger, system: &System, folder: &Path, setup: &Setup) -> Result<(), LedgerError> {
    for expected in wanted(setup) {
        let name = &expected.name;
        if built_in::is_built_in(&expected) || !can_complete(folder, &expected).unwrap_or(false) {
            continue;
        }
        let Some(copy) = lexicons::copy_of(&ledger.db, &name.id, &name.fingerprint).await? else { continue };
        match write_anew(folder, &expected, &copy) {
            Ok(()) => {
                let written = LexiconFileWritten { lexicon: name.clone(), index_sha256: expected.index_sha256.clone() };
                let event = Event::LexiconFileWritten(written);
                let draft = Draft::of(SERVER_LOG, server(), event);
                ledger.record(system.now(), vec![draft]).await?;
            }
            Err(error) => tracing::error!(lexicon = name.id, %error, "the database's copy of a lexicon cannot be used"),
        }
    }
    Ok(())
}

/// The database's copy of a lexicon cannot be used.
#[derive(Debug, thiserror::Error)]
enum Unusable {
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    #[error(transparent)]
    Index(#[from] OpenError),
    #[error(transparent)]
    Files(#[from] FilesError),
}

fn write_anew(folder: &Path, expected: &Expected, copy: &lexicons::Copy) -> Result<(), Unusable> {
    let manifest = Manifest::from_json(&copy.manifest)?;
    Opened::from_copy(copy.index.clone(), expected)?;
    store(folder, &manifest, &copy.index)?;
    Ok(())
}

/// Refreshes the snapshot as long as it is in use. A lexicon that could not be opened is tried again from time to time:
/// a file that was repaired or removed is restored without a restart.
pub async fn refresh_loop(
    ledger: Ledger,
    system: System,
    lexicons: PathBuf,
    snapshot: watch::Sender<Arc<Snapshot>>,
    ledger_clock: LedgerClock,
    mut wanted: mpsc::Receiver<oneshot::Sender<()>>,
) {
    let mut clock = ClockCheck::new(ledger_clock);
    let mut retry = RetryTimer::new(system.monotonic());
    loop {
        // Requests that change the set-up, or come with an unknown secret, wait for the refresh.
        let mut asked: Vec<_> =
            tokio::time::timeout(REFRESH_INTERVAL, wanted.recv()).await.ok().flatten().into_iter().collect();
        asked.extend(std::iter::from_fn(|| wanted.try_recv().ok()));
        if snapshot.is_closed() {
            return;
        }
        // Dropping these senders at the end of this round wakes the waiting requests.
        let _asked = asked;
        let now = Arc::clone(&snapshot.borrow());
        let next = match looked(&now, &mut clock, &ledger, &system, &lexicons).await {
            Ok(next) => next,
            Err(error) => {
                tracing::error!(%error, "what was set up cannot be read; serving what was known");
                continue;
            }
        };
        let seen = next.as_ref().unwrap_or(&now);
        let is_time = seen.has_failures() && (retry.is_due(system.monotonic()) || next.is_some());
        let repaired = if is_time { seen.repaired(&ledger, &system, &lexicons).await } else { None };
        if let Some(next) = repaired.or(next) {
            next.log_failures();
            snapshot.send_replace(Arc::new(next));
        }
        let setup = Arc::clone(&snapshot.borrow());
        clock.log(&system, &setup.setup);
    }
}

/// The snapshot after checking the clock and the ledger; `None` if nothing is new.
async fn looked(
    snapshot: &Snapshot,
    clock: &mut ClockCheck,
    ledger: &Ledger,
    system: &System,
    lexicons: &Path,
) -> Result<Option<Snapshot>, SnapshotError> {
    let now = clock.look(ledger, system, &snapshot.setup).await?;
    snapshot.advanced(ledger, now, lexicons).await
}
