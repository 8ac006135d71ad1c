//! Database errors, and what each means for the server.

use std::path::PathBuf;

/// An error of the database.
#[derive(Debug, thiserror::Error)]
pub enum DbError {
    #[error("the database failed while {doing}: {source}")]
    Engine { doing: &'static str, source: sqlx::Error },
    #[error("the database did not answer in time while {doing}")]
    Slow { doing: &'static str },
    #[error("the migrations of the database failed: {0}")]
    Migrations(#[from] sqlx::migrate::MigrateError),
    #[error("this program was built with SQLite {0}, which can lose committed entries; build it with 3.51.3 or later")]
    OldEngine(String),
    #[error("the database has {setting} = {found}, and adjudge needs {wanted}: change it")]
    Setting { setting: &'static str, wanted: &'static str, found: String },
    #[error(
        "the database was set to {setting} = {found} while it committed, and may lose that: set it to {wanted} and check \
         the ledger"
    )]
    NotDurable { setting: &'static str, wanted: &'static str, found: String },
    #[error("{} was removed or replaced while it was in use: put it back from the backup", path.display())]
    FileReplaced { path: PathBuf },
    #[error(
        "{} was written over or cut while it was in use: it has {bytes} bytes and had {largest}; put it back from the backup", path.display()
    )]
    Shrunk { path: PathBuf, bytes: u64, largest: u64 },
    #[error("inconsistent row in the database: {what}; run adjudge ledger verify")]
    Impossible { what: String },
    #[error("the storage failed, and the server is stopping")]
    Failed,
    #[error("the database file could not be checked, so its state is unknown: {why}; try again")]
    Unchecked { why: String },
}

/// What a failure means for the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The disk is full. Nothing was written; a later write can succeed.
    Full,
    /// The storage itself failed. After a failed sync the content of the disk is unknown, so the server must stop and
    /// check everything at its next start.
    Broken,
    /// The connection ended or stalled; whether a commit took place is not known.
    Lost,
    /// Anything else: busy, refused, not understood. Nothing was written.
    Refused,
}

impl DbError {
    /// Adds to an engine's error what was being done.
    pub(super) fn context(doing: &'static str) -> impl Fn(sqlx::Error) -> Self {
        move |source| Self::Engine { doing, source }
    }

    /// Whether the error proves that the database is damaged or replaced, so that no part of the server may use it any
    /// more.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Engine { source: sqlx::Error::Database(error), .. } => {
                error.code().is_some_and(|code| Code::read(&code).is_damage())
            }
            Self::FileReplaced { .. } | Self::Shrunk { .. } => true,
            _ => false,
        }
    }

    /// What the failure means for the server.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::Engine { source, .. } => kind_of(source),
            Self::Slow { .. } => Kind::Lost,
            Self::Impossible { .. }
            | Self::FileReplaced { .. }
            | Self::Shrunk { .. }
            | Self::NotDurable { .. }
            | Self::Failed => Kind::Broken,
            Self::Migrations(_) | Self::OldEngine(_) | Self::Setting { .. } | Self::Unchecked { .. } => Kind::Refused,
        }
    }
}

fn kind_of(error: &sqlx::Error) -> Kind {
    match error {
        sqlx::Error::Database(error) => error.code().map_or(Kind::Refused, |code| Code::read(&code).kind()),
        sqlx::Error::Io(_) | sqlx::Error::Protocol(_) | sqlx::Error::PoolClosed | sqlx::Error::WorkerCrashed => {
            Kind::Lost
        }
        _ => Kind::Refused,
    }
}

/// An engine's error code.
#[derive(Clone, Copy, Debug)]
pub(super) enum Code<'a> {
    /// SQLite's extended code, the primary code in the low byte.
    Sqlite(u32),
    /// Five characters, the class in the first two.
    Postgres(&'a str),
    Unknown,
}

/// `SQLITE_IOERR_NOMEM`: the engine did not even try the disk.
const NO_MEMORY_TO_READ: u32 = 0x0C0A;

impl<'a> Code<'a> {
    pub(super) fn read(code: &'a str) -> Self {
        if code.len() == 5 && code.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return Self::Postgres(code);
        }
        code.parse().map_or(Self::Unknown, Self::Sqlite)
    }

    fn kind(self) -> Kind {
        match self {
            Self::Postgres("53100") => Kind::Full,
            Self::Postgres(code) => match code.get(..2) {
                Some("58" | "XX" | "F0") => Kind::Broken,
                Some("08") => Kind::Lost,
                _ if code.starts_with("57P") => Kind::Lost,
                _ => Kind::Refused,
            },
            Self::Sqlite(NO_MEMORY_TO_READ) | Self::Unknown => Kind::Refused,
            Self::Sqlite(code) => match code & 0xFF {
                // SQLITE_FULL
                13 => Kind::Full,
                // SQLITE_READONLY, SQLITE_IOERR, SQLITE_CORRUPT, SQLITE_CANTOPEN, SQLITE_NOTADB
                8 | 10 | 11 | 14 | 26 => Kind::Broken,
                _ => Kind::Refused,
            },
        }
    }

    /// `SQLITE_CORRUPT` and `SQLITE_NOTADB`; `data_corrupted` and `index_corrupted`.
    pub(super) fn is_damage(self) -> bool {
        match self {
            Self::Sqlite(code) => matches!(code & 0xFF, 11 | 26),
            Self::Postgres(code) => matches!(code, "XX001" | "XX002"),
            Self::Unknown => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_engines_codes_fall_into_their_kind() {
        for (code, kind) in [
            ("13", Kind::Full),
            ("10", Kind::Broken),
            // SQLITE_IOERR_FSYNC
            ("1034", Kind::Broken),
            ("11", Kind::Broken),
            // SQLITE_NOMEM, SQLITE_IOERR_NOMEM, out_of_memory
            ("7", Kind::Refused),
            ("3082", Kind::Refused),
            ("53200", Kind::Refused),
            ("5", Kind::Refused),
            ("1555", Kind::Refused),
            ("53100", Kind::Full),
            ("58030", Kind::Broken),
            ("XX001", Kind::Broken),
            ("57P01", Kind::Lost),
            ("08006", Kind::Lost),
            ("23505", Kind::Refused),
            ("55P03", Kind::Refused),
        ] {
            assert_eq!(Code::read(code).kind(), kind, "{code}");
        }
    }

    #[test]
    fn only_proof_of_damage_stops_a_server_that_reads() {
        for damaged in ["11", "26", "267", "779", "XX001", "XX002"] {
            assert!(Code::read(damaged).is_damage(), "{damaged}");
        }
        // Busy, no memory, a disk that cannot be read, no file descriptor left; a Postgres that is stopping or full.
        for other in ["5", "7", "10", "266", "3082", "14", "57P01", "53200", "XX000", ""] {
            assert!(!Code::read(other).is_damage(), "{other}");
        }
    }
}
