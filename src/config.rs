//! Where the server keeps its data and where it listens: flags, then environment, then the file
//! `adjudge.toml` in the data folder, then defaults.

mod file;
mod listen;

use std::net::SocketAddr;
use std::path::PathBuf;

use crate::transport::{CertificateSource, Limits};

pub use file::ConfigError;
pub use listen::{DEFAULT_LISTEN, parse_listen};

/// The levels of the log.
pub const LOG_LEVELS: [&str; 4] = ["error", "warn", "info", "debug"];

/// Flags and environment as given, before the file and the defaults; clap reads both.
#[derive(Clone, Default)]
pub struct RawConfig {
    pub data: Option<PathBuf>,
    pub listen: Option<SocketAddr>,
    pub log: Option<String>,
    pub database_url: Option<String>,
    pub mdns: bool,
}

/// The settings in force. A database's URL may hold a password, so there is no `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub struct Config {
    pub data: PathBuf,
    pub listen: SocketAddr,
    /// `error`, `warn`, `info` or `debug`.
    pub log: String,
    /// `sqlite://FILE` or `postgres://…`; by default a file in the data folder.
    pub database_url: Option<String>,
    /// A further folder for copies of checkpoints, best on another disk; only the file can name it.
    pub checkpoint_dir: Option<PathBuf>,
    /// Whether the name `adjudge.local` is announced on the network.
    pub mdns: bool,
    /// How many clients may be connected; only the file can set it.
    pub limits: Limits,
    /// The certificate and key files of the server; only the file can name them.
    pub own_certificate: Option<CertificateSource>,
}

impl Config {
    /// Merges flags and environment with the file in the data folder and the defaults.
    ///
    /// # Errors
    /// If the file is there and cannot be used.
    pub fn resolve(raw: RawConfig, default_data: &str) -> Result<Self, ConfigError> {
        let data = raw.data.unwrap_or_else(|| PathBuf::from(default_data));
        let file = file::read(&data.join("adjudge.toml"))?;
        Ok(Self {
            data,
            limits: file.limits,
            own_certificate: file.own_certificate,
            listen: raw.listen.or(file.listen).unwrap_or(DEFAULT_LISTEN),
            log: raw.log.or(file.log).unwrap_or_else(|| "info".to_owned()),
            database_url: raw.database_url.or(file.database_url),
            checkpoint_dir: file.checkpoint_dir,
            mdns: raw.mdns || file.mdns,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn flags_win_over_the_file_and_the_file_over_defaults() {
        let folder = tempfile::tempdir().unwrap();
        let raw = |listen: Option<&str>| RawConfig {
            data: Some(folder.path().to_owned()),
            listen: listen.map(|address| parse_listen(address).unwrap()),
            ..RawConfig::default()
        };
        let resolved = |listen| Config::resolve(raw(listen), "./data").unwrap();
        assert_eq!(resolved(None).listen, DEFAULT_LISTEN);
        fs::write(folder.path().join("adjudge.toml"), "listen = \"127.0.0.1:9\"\nlog = \"debug\"\n").unwrap();
        assert_eq!((resolved(None).listen.port(), resolved(None).log.as_str()), (9, "debug"));
        assert_eq!(resolved(Some("127.0.0.1:7")).listen.port(), 7);
    }
}
