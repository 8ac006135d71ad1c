//! HTTPS: the source of the certificate, and what is wrong with one that cannot be used.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::domain::Timestamp;

use crate::transport::host::HostNames;
use crate::transport::identity::{PublicCertificate, Transport};
use crate::transport::venue_ca::VenueCa;

/// Where a server's certificate comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CertificateSource {
    /// Issued by the venue's own authority in this folder.
    VenueCa(PathBuf),
    /// Files that another authority issued.
    OwnCertificate { certificate: PathBuf, key: PathBuf },
}

/// Why there is no HTTPS.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    #[error("{} cannot be {doing}: {source}", path.display())]
    Io { doing: &'static str, path: PathBuf, source: io::Error },
    #[error("{} holds no certificate: it must be a PEM file, the server's certificate first and those of its issuers after it", .0.display())]
    NoCertificate(PathBuf),
    #[error("{} holds no private key: it must be a PEM file with one key that needs no password", .0.display())]
    NoKey(PathBuf),
    #[error("the certificate {} and the key {} cannot be used together ({why}): name the two files that were issued for this server", certificate.display(), key.display())]
    Unfit { certificate: PathBuf, key: PathBuf, why: String },
    #[error("the certificate {} is not valid today: get a new one, or set this machine's clock", .0.display())]
    NotValidNow(PathBuf),
    #[error("the venue CA in {} cannot be used ({why}): put the folder back from the backup, or move it away and start again: a new CA is made, which every device must install", folder.display())]
    Authority { folder: PathBuf, why: String },
    #[error("the venue CA in {} has ended: move the folder away and start again: a new one is made, which every device must install", .0.display())]
    Ended(PathBuf),
    #[error("no certificate can be made: {0}")]
    Make(rcgen::Error),
}

/// A certificate with its issuers' certificates, and its key.
#[derive(Debug)]
pub struct CertifiedKey {
    pub chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
}

impl CertifiedKey {
    pub fn read(certificate: &Path, key: &Path) -> Result<Self, TlsError> {
        let read = |path: &Path| {
            fs::read(path).map_err(|source| TlsError::Io { doing: "read", path: path.to_owned(), source })
        };
        let chain = chain(&read(certificate)?, certificate)?;
        let key_der = PrivateKeyDer::from_pem_slice(&read(key)?).map_err(|_| TlsError::NoKey(key.to_owned()))?;
        Ok(Self { chain, key: key_der })
    }

    /// Parses the text of a file, whose name stands in errors.
    pub fn parse(text: &[u8], file: &Path) -> Result<Self, TlsError> {
        let key = PrivateKeyDer::from_pem_slice(text).map_err(|_| TlsError::NoKey(file.to_owned()))?;
        Ok(Self { chain: chain(text, file)?, key })
    }

    fn leaf(&self) -> PublicCertificate {
        PublicCertificate::new(self.chain.first().map_or(&[], |leaf| leaf.as_ref()))
    }
}

fn chain(text: &[u8], file: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let chain = CertificateDer::pem_slice_iter(text).collect::<Result<Vec<_>, _>>();
    chain.ok().filter(|chain| !chain.is_empty()).ok_or_else(|| TlsError::NoCertificate(file.to_owned()))
}

impl CertificateSource {
    /// The server's TLS configuration, and the part of the certificate that people see. The venue's authority and
    /// certificate are created if they are missing.
    ///
    /// # Errors
    /// What prevents the server from proving its identity.
    pub fn server_config(
        &self,
        machine: &HostNames,
        now: Timestamp,
    ) -> Result<(Arc<ServerConfig>, Transport), TlsError> {
        match self {
            Self::VenueCa(folder) => {
                let venue = VenueCa::open(folder, machine, now)?;
                let file = folder.join("server.pem");
                let config = config(venue.issue_server_certificate(machine, now)?, &file, &file)?;
                Ok((config, Transport::VenueCa(PublicCertificate::new(&venue.certificate))))
            }
            Self::OwnCertificate { certificate, key } => {
                let pair = CertifiedKey::read(certificate, key)?;
                let leaf = pair.leaf();
                if !is_valid_at(&leaf.der, now) {
                    return Err(TlsError::NotValidNow(certificate.clone()));
                }
                Ok((config(pair, certificate, key)?, Transport::OwnCertificate(leaf)))
            }
        }
    }

    /// The certificate that a server of this folder shows, if there is one.
    #[must_use]
    pub fn public_certificate(&self) -> Option<CertificateDer<'static>> {
        let path = match self {
            Self::VenueCa(folder) => folder.join("server.pem"),
            Self::OwnCertificate { certificate, .. } => certificate.clone(),
        };
        CertificateDer::from_pem_file(path).ok()
    }
}

fn is_valid_at(der: &[u8], now: Timestamp) -> bool {
    let now = x509_parser::time::ASN1Time::from_timestamp(now.micros().div_euclid(1_000_000));
    let read = x509_parser::parse_x509_certificate(der);
    matches!((read, now), (Ok((_, read)), Ok(now)) if read.validity().is_valid_at(now))
}

fn config(pair: CertifiedKey, certificate: &Path, key: &Path) -> Result<Arc<ServerConfig>, TlsError> {
    let unfit = |error: rustls::Error| TlsError::Unfit {
        certificate: certificate.to_owned(),
        key: key.to_owned(),
        why: error.to_string(),
    };
    let versions = ServerConfig::builder_with_provider(crypto_provider()).with_safe_default_protocol_versions();
    let builder = versions.map_err(unfit)?.with_no_client_auth();
    let mut config = builder.with_single_cert(pair.chain, pair.key).map_err(unfit)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

/// The one provider of cryptography.
pub fn crypto_provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}
