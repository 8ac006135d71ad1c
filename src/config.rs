//! Where the server keeps its data and where it listens: flags, then environment, then the file
//! `adjudge.toml` in the data folder, then defaults.

use std::fs;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// `127.0.0.1:8017`
pub const DEFAULT_LISTEN: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 8017);

/// What was said by flags or environment; clap reads both.
#[derive(Clone, Default)]
pub struct Said {
    pub data: Option<PathBuf>,
    pub listen: Option<SocketAddr>,
    pub log: Option<String>,
    pub database_url: Option<String>,
}

/// What holds. A database's URL may hold a password, so there is no `Debug`.
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
}

/// `adjudge.toml`. Unknown keys are refused so that a misspelt one is not ignored.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ConfigFile {
    listen: Option<SocketAddr>,
    log: Option<String>,
    database_url: Option<String>,
    checkpoint_dir: Option<PathBuf>,
}

/// The configuration file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("{} cannot be read: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{} is wrong: {why}", path.display())]
    Wrong { path: PathBuf, why: String },
}

impl Config {
    /// Decides between what was said and what the file in the data folder says.
    ///
    /// # Errors
    /// Where the file is there and cannot be used.
    pub fn decide(said: Said, default_data: &str) -> Result<Self, ConfigError> {
        let data = said.data.unwrap_or_else(|| PathBuf::from(default_data));
        let file = read_file(&data.join("adjudge.toml"))?;
        Ok(Self {
            data,
            listen: said.listen.or(file.listen).unwrap_or(DEFAULT_LISTEN),
            log: said.log.or(file.log).unwrap_or_else(|| "info".to_owned()),
            database_url: said.database_url.or(file.database_url),
            checkpoint_dir: file.checkpoint_dir,
        })
    }
}

fn read_file(path: &Path) -> Result<ConfigFile, ConfigError> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(ConfigFile::default()),
        Err(source) => return Err(ConfigError::Read { path: path.to_owned(), source }),
    };
    toml::from_str(&text).map_err(|error| ConfigError::Wrong { path: path.to_owned(), why: error.message().to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_win_over_the_file_and_the_file_over_defaults() {
        let folder = tempfile::tempdir().unwrap();
        let said = |listen: Option<&str>| Said {
            data: Some(folder.path().to_owned()),
            listen: listen.map(|address| address.parse().unwrap()),
            ..Said::default()
        };
        let decided = |listen| Config::decide(said(listen), "./data").unwrap();
        assert_eq!(decided(None).listen, DEFAULT_LISTEN);
        fs::write(folder.path().join("adjudge.toml"), "listen = \"127.0.0.1:9\"\nlog = \"debug\"\n").unwrap();
        assert_eq!((decided(None).listen.port(), decided(None).log.as_str()), (9, "debug"));
        assert_eq!(decided(Some("127.0.0.1:7")).listen.port(), 7);
    }

    #[test]
    fn a_misspelt_key_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("adjudge.toml"), "lisen = \"127.0.0.1:9\"\n").unwrap();
        let said = Said { data: Some(folder.path().to_owned()), ..Said::default() };
        let error = Config::decide(said, "./data").map(drop).unwrap_err().to_string();
        assert!(error.contains("unknown field `lisen`"), "{error}");
    }
}
