//! The file `adjudge.toml`. An error in it names the line, the column, the key and the expected value.

use std::fs;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::transport::{CertificateSource, KEPT_FOR_LOOPBACK, Limits};

use super::{LOG_LEVELS, parse_listen};

/// How many clients may be connected unless the file sets it.
const DEFAULT_LIMITS: Limits = Limits { connections: 1024, per_address: 64 };

/// The expected value of each key.
const KEYS: [(&str, &str); 9] = [
    ("listen", "\"ADDRESS:PORT\", like \"0.0.0.0:8017\""),
    ("log", "\"error\", \"warn\", \"info\" or \"debug\""),
    ("database_url", "\"postgres://USER@HOST/DATABASE\" or \"sqlite://FILE\""),
    ("checkpoint_dir", "a folder, like \"/mnt/stick/adjudge\""),
    ("mdns", "true or false"),
    ("max_connections", "a whole number above 32, which are kept for this machine"),
    ("max_connections_per_address", "a whole number of 1 or more"),
    ("tls_cert", "a PEM file, like \"/etc/adjudge/cert.pem\", together with tls_key"),
    ("tls_key", "a PEM file, like \"/etc/adjudge/key.pem\", together with tls_cert"),
];

/// The configuration file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("cannot read {}: make it a UTF-8 text that this user may read", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{}, line {line}, column {column}: {why}", path.display())]
    Wrong { path: PathBuf, line: usize, column: usize, why: String },
}

/// The settings of the file.
pub(super) struct ConfigFile {
    pub listen: Option<SocketAddr>,
    pub log: Option<String>,
    pub database_url: Option<String>,
    pub checkpoint_dir: Option<PathBuf>,
    pub mdns: bool,
    pub limits: Limits,
    pub own_certificate: Option<CertificateSource>,
}

/// The keys of the file. Unknown keys are refused so that a misspelt one is not ignored.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Keys {
    #[serde(deserialize_with = "listen_address")]
    listen: Option<SocketAddr>,
    #[serde(deserialize_with = "log_level")]
    log: Option<String>,
    database_url: Option<String>,
    checkpoint_dir: Option<PathBuf>,
    mdns: bool,
    #[serde(deserialize_with = "more_than::<KEPT_FOR_LOOPBACK, _>")]
    max_connections: Option<usize>,
    #[serde(deserialize_with = "more_than::<0, _>")]
    max_connections_per_address: Option<usize>,
    tls_cert: Option<PathBuf>,
    tls_key: Option<PathBuf>,
}

fn listen_address<'de, D: Deserializer<'de>>(value: D) -> Result<Option<SocketAddr>, D::Error> {
    parse_listen(&String::deserialize(value)?).map(Some).map_err(D::Error::custom)
}

fn log_level<'de, D: Deserializer<'de>>(value: D) -> Result<Option<String>, D::Error> {
    let level = String::deserialize(value)?;
    if LOG_LEVELS.contains(&level.as_str()) { Ok(Some(level)) } else { Err(D::Error::custom("no such level")) }
}

fn more_than<'de, const LEAST: usize, D: Deserializer<'de>>(value: D) -> Result<Option<usize>, D::Error> {
    let number = usize::deserialize(value)?;
    if number > LEAST { Ok(Some(number)) } else { Err(D::Error::custom("too small")) }
}

/// Reads the file; a missing file sets nothing.
pub(super) fn read(path: &Path) -> Result<ConfigFile, ConfigError> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(source) => return Err(ConfigError::Read { path: path.to_owned(), source }),
    };
    let wrong = |offset, why| {
        let (line, column) = position(&text, offset);
        ConfigError::Wrong { path: path.to_owned(), line, column, why }
    };
    if let Err(error) = text.parse::<toml::Table>() {
        return Err(wrong(error.span().map_or(0, |span| span.start), format!("not TOML: {}", error.message())));
    }
    let keys: Keys = toml::from_str(&text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        wrong(offset, expected(&text, offset))
    })?;
    keys.decide().map_err(|key| {
        let begins_line = |at: usize| text.get(..at).is_some_and(|before| before.is_empty() || before.ends_with('\n'));
        let offset = text.match_indices(key).map(|(at, _)| at).find(|at| begins_line(*at)).unwrap_or_default();
        wrong(offset, expected(&text, offset))
    })
}

impl Keys {
    /// Resolves keys that depend on each other, or names the key that lacks another.
    fn decide(self) -> Result<ConfigFile, &'static str> {
        let own_certificate = match (self.tls_cert, self.tls_key) {
            (Some(certificate), Some(key)) => Some(CertificateSource::OwnCertificate { certificate, key }),
            (None, None) => None,
            (Some(_), None) => return Err("tls_cert"),
            (None, Some(_)) => return Err("tls_key"),
        };
        Ok(ConfigFile {
            listen: self.listen,
            log: self.log,
            database_url: self.database_url,
            checkpoint_dir: self.checkpoint_dir,
            mdns: self.mdns,
            limits: Limits {
                connections: self.max_connections.unwrap_or(DEFAULT_LIMITS.connections),
                per_address: self.max_connections_per_address.unwrap_or(DEFAULT_LIMITS.per_address),
            },
            own_certificate,
        })
    }
}

/// The expected value in the line of an offset: that of its key, or the list of keys.
fn expected(text: &str, offset: usize) -> String {
    let line = text.get(offset..).and_then(|_| text.lines().nth(position(text, offset).0 - 1)).unwrap_or_default();
    let key = line.split('=').next().unwrap_or_default().trim().trim_matches(['"', '\'', '[', ']']);
    if let Some((_, expected)) = KEYS.iter().find(|(known, _)| *known == key) {
        return format!("{key} takes {expected}");
    }
    let known: Vec<&str> = KEYS.iter().map(|(known, _)| *known).collect();
    format!("there is no key {key:?}; the keys are {}", known.join(", "))
}

/// Line and column of an offset, both from 1; the column in characters.
fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before.get(start..).unwrap_or_default().chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error_for(text: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("adjudge.toml");
        fs::write(&path, text).unwrap();
        let said = read(&path).map(drop).unwrap_err().to_string();
        said.strip_prefix(&format!("{}, ", path.display())).unwrap().to_owned()
    }

    #[test]
    fn an_error_names_line_column_key_and_expected_value() {
        assert_eq!(
            error_for("# ours\nlisen = \"127.0.0.1:9\"\n"),
            "line 2, column 1: there is no key \"lisen\"; the keys are listen, log, database_url, checkpoint_dir, mdns, \
             max_connections, max_connections_per_address, tls_cert, tls_key"
        );
        assert_eq!(error_for("log = \"info\"\nmdns = \"yes\"\n"), "line 2, column 8: mdns takes true or false");
        assert_eq!(
            error_for("listen = \"everywhere\""),
            "line 1, column 10: listen takes \"ADDRESS:PORT\", like \"0.0.0.0:8017\""
        );
        assert_eq!(
            error_for("\n\ntls_key = \"x\""),
            "line 3, column 1: tls_key takes a PEM file, like \"/etc/adjudge/key.pem\", together with tls_cert"
        );
        assert!(error_for("listen = \n").starts_with("line 1, column 10: not TOML: "), "{}", error_for("listen = \n"));
    }

    #[test]
    fn invalid_values_are_refused() {
        for wrong in [
            "tls_cert = \"x\"",
            "log = \"loud\"",
            "max_connections = 32",
            "max_connections_per_address = 0",
            "max_connections = -1",
            "[server]\nlisten = \"127.0.0.1:9\"",
        ] {
            assert!(
                error_for(wrong).contains(" takes ") || error_for(wrong).contains("there is no key"),
                "{wrong}: {}",
                error_for(wrong)
            );
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("adjudge.toml");
        assert!(read(&path).is_ok_and(|file| file.limits == DEFAULT_LIMITS), "a missing file");
        fs::write(&path, "max_connections = 33\nmax_connections_per_address = 1\nlisten = \"8017\"\n").unwrap();
        assert!(read(&path).is_ok_and(|file| file.limits == Limits { connections: 33, per_address: 1 }));
    }

    #[test]
    fn the_table_names_every_key() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("adjudge.toml");
        fs::write(&path, "x = 1").unwrap();
        let known = toml::from_str::<Keys>("x = 1").unwrap_err().message().to_owned();
        for (key, _) in KEYS {
            assert!(known.contains(&format!("`{key}`")), "{key}: {known}");
        }
        assert_eq!(known.matches('`').count() / 2, KEYS.len() + 1, "{known}");
        assert_eq!(KEPT_FOR_LOOPBACK, 32, "the table says so");
    }
}
