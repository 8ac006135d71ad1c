//! What can go wrong with a database, and what kind of trouble it is.

use std::path::PathBuf;

/// Something went wrong with the database.
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
    #[error("the database does not keep {setting} = {wanted} (it says {found}); adjudge does not run without it")]
    Setting { setting: &'static str, wanted: &'static str, found: String },
    #[error("{} is not where it was opened any more, or its folder is closed to this user: put it back, then start again", file.display())]
    Moved { file: PathBuf },
    #[error("a row of the database cannot be: {what}; run adjudge ledger verify")]
    Impossible { what: String },
}

/// What a failure means for the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The disk is full. Nothing was written; it will be possible again.
    Full,
    /// The storage itself failed. After a failed sync nobody knows what is on the disk, so the server
    /// must stop and check everything at its next start.
    Broken,
    /// The connection ended or stalled; whether a commit took place is not known.
    Lost,
    /// Anything else: busy, refused, not understood. Nothing was written.
    Refused,
}

impl DbError {
    /// Makes an engine's error say what was being done.
    pub(super) fn while_(doing: &'static str) -> impl Fn(sqlx::Error) -> Self {
        move |source| Self::Engine { doing, source }
    }

    /// What kind of trouble it is.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::Engine { source, .. } => kind_of(source),
            Self::Slow { .. } => Kind::Lost,
            Self::Impossible { .. } | Self::Moved { .. } => Kind::Broken,
            Self::Migrations(_) | Self::OldEngine(_) | Self::Setting { .. } => Kind::Refused,
        }
    }
}

fn kind_of(error: &sqlx::Error) -> Kind {
    match error {
        sqlx::Error::Database(error) => error.code().map_or(Kind::Refused, |code| kind_of_code(&code)),
        sqlx::Error::Io(_) | sqlx::Error::Protocol(_) | sqlx::Error::PoolClosed | sqlx::Error::WorkerCrashed => {
            Kind::Lost
        }
        _ => Kind::Refused,
    }
}

/// SQLite numbers its errors, the kind in the low byte; Postgres names them with five characters, the
/// kind in the first two.
fn kind_of_code(code: &str) -> Kind {
    if code.len() == 5 && code.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return match code {
            "53100" => Kind::Full,
            _ if code.starts_with("58") || code.starts_with("XX") || code.starts_with("F0") => Kind::Broken,
            _ if code.starts_with("08") || code.starts_with("57P") => Kind::Lost,
            _ => Kind::Refused,
        };
    }
    match code.parse::<u32>().map(|code| code & 0xFF) {
        // SQLITE_FULL
        Ok(13) => Kind::Full,
        // SQLITE_READONLY, SQLITE_IOERR, SQLITE_CORRUPT, SQLITE_CANTOPEN, SQLITE_NOTADB
        Ok(8 | 10 | 11 | 14 | 26) => Kind::Broken,
        _ => Kind::Refused,
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
            assert_eq!(kind_of_code(code), kind, "{code}");
        }
    }
}
