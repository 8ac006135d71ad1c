//! Where the server keeps its data and where it listens: flags, then environment, then the file
//! `adjudge.toml` in the data folder, then defaults.

use std::fs;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::transport::{CertificateSource, KEPT_FOR_LOOPBACK, Limits};

/// `127.0.0.1:8017`
pub const DEFAULT_LISTEN: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 8017);

/// How many may be connected, where the file says nothing else.
const DEFAULT_LIMITS: Limits = Limits { connections: 1024, per_address: 64 };

/// Flags and environment as given, before the file and the defaults; clap reads both.
#[derive(Clone, Default)]
pub struct RawConfig {
    pub data: Option<PathBuf>,
    pub listen: Option<SocketAddr>,
    pub log: Option<String>,
    pub database_url: Option<String>,
    pub mdns: bool,
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
    /// Whether the network is told the name `adjudge.local`.
    pub mdns: bool,
    /// How many may be connected; only the file can say it.
    pub limits: Limits,
    /// Files that prove who the server is; only the file can name them.
    pub own_certificate: Option<CertificateSource>,
}

/// `adjudge.toml`. Unknown keys are refused so that a misspelt one is not ignored.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ConfigFile {
    listen: Option<SocketAddr>,
    log: Option<String>,
    database_url: Option<String>,
    checkpoint_dir: Option<PathBuf>,
    mdns: bool,
    max_connections: Option<usize>,
    max_connections_per_address: Option<usize>,
    tls_cert: Option<PathBuf>,
    tls_key: Option<PathBuf>,
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
    /// Merges flags and environment with the file in the data folder and the defaults.
    ///
    /// # Errors
    /// Where the file is there and cannot be used.
    pub fn resolve(raw: RawConfig, default_data: &str) -> Result<Self, ConfigError> {
        let data = raw.data.unwrap_or_else(|| PathBuf::from(default_data));
        let path = data.join("adjudge.toml");
        let file = read_file(&path)?;
        let wrong = |why| ConfigError::Wrong { path: path.clone(), why };
        let (limits, own_certificate) = (file.limits().map_err(wrong)?, file.certificate().map_err(wrong)?);
        Ok(Self {
            data,
            limits,
            own_certificate,
            listen: raw.listen.or(file.listen).unwrap_or(DEFAULT_LISTEN),
            log: raw.log.or(file.log).unwrap_or_else(|| "info".to_owned()),
            database_url: raw.database_url.or(file.database_url),
            checkpoint_dir: file.checkpoint_dir,
            mdns: raw.mdns || file.mdns,
        })
    }
}

impl ConfigFile {
    /// How many may be connected; in words what is wrong with it.
    fn limits(&self) -> Result<Limits, String> {
        let connections = self.max_connections.unwrap_or(DEFAULT_LIMITS.connections);
        let per_address = self.max_connections_per_address.unwrap_or(DEFAULT_LIMITS.per_address);
        if connections <= KEPT_FOR_LOOPBACK {
            return Err(format!(
                "max_connections must be more than the {KEPT_FOR_LOOPBACK} that are kept for this machine"
            ));
        }
        if per_address == 0 {
            return Err("max_connections_per_address must be at least 1".to_owned());
        }
        Ok(Limits { connections, per_address })
    }

    fn certificate(&self) -> Result<Option<CertificateSource>, String> {
        match (self.tls_cert.clone(), self.tls_key.clone()) {
            (Some(certificate), Some(key)) => Ok(Some(CertificateSource::OwnCertificate { certificate, key })),
            (None, None) => Ok(None),
            _ => Err("tls_cert and tls_key belong together: name both files, or neither".to_owned()),
        }
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
        let raw = |listen: Option<&str>| RawConfig {
            data: Some(folder.path().to_owned()),
            listen: listen.map(|address| address.parse().unwrap()),
            ..RawConfig::default()
        };
        let resolved = |listen| Config::resolve(raw(listen), "./data").unwrap();
        assert_eq!(resolved(None).listen, DEFAULT_LISTEN);
        fs::write(folder.path().join("adjudge.toml"), "listen = \"127.0.0.1:9\"\nlog = \"debug\"\n").unwrap();
        assert_eq!((resolved(None).listen.port(), resolved(None).log.as_str()), (9, "debug"));
        assert_eq!(resolved(Some("127.0.0.1:7")).listen.port(), 7);
    }

    #[test]
    fn settings_that_nobody_can_mean_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let resolved = |text: &str| {
            fs::write(folder.path().join("adjudge.toml"), text).unwrap();
            Config::resolve(RawConfig { data: Some(folder.path().to_owned()), ..RawConfig::default() }, "./data")
        };
        assert!(resolved("").is_ok_and(|config| config.limits == DEFAULT_LIMITS));
        assert!(resolved("max_connections = 33\nmax_connections_per_address = 1\n").is_ok());
        for text in
            ["tls_cert = \"x\"", "max_connections = 32", "max_connections_per_address = 0", "max_connections = -1"]
        {
            assert!(resolved(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_misspelt_key_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("adjudge.toml"), "lisen = \"127.0.0.1:9\"\n").unwrap();
        let raw = RawConfig { data: Some(folder.path().to_owned()), ..RawConfig::default() };
        let error = Config::resolve(raw, "./data").map(drop).unwrap_err().to_string();
        assert!(error.contains("unknown field `lisen`"), "{error}");
    }
}
