//! The venue's own certificate authority: created once, installed on every device, and able to speak for this machine
//! only.
//!
//! No public authority issues certificates for the addresses of a hall's network, so the server has its own. It may
//! sign only names that mean nothing outside the hall: a stolen key cannot impersonate a bank.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rcgen::{
    BasicConstraints, Certificate, CertificateParams, DnType, ExtendedKeyUsagePurpose, GeneralSubtree, IsCa, Issuer,
    KeyPair, KeyUsagePurpose, NameConstraints, PKCS_ECDSA_P256_SHA256, date_time_ymd,
};
use rustls::RootCertStore;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier as _;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};

use crate::atomic_file;
use crate::domain::Timestamp;

use super::tls::{CertifiedKey, TlsError, crypto_provider};
use crate::transport::host::HostNames;

const DAY_S: i64 = 24 * 60 * 60;

/// Five years.
const DAYS_OF_AUTHORITY: i64 = 5 * 365;

/// The longest lifetime that every browser accepts, including the day before, since clocks differ.
const DAYS_OF_CERTIFICATE: i64 = 396;

/// A certificate with fewer days left is replaced.
const MIN_REMAINING_DAYS: i64 = 30;

/// The authority of a data folder.
#[derive(Debug)]
pub struct VenueCa {
    folder: PathBuf,
    pub certificate: CertificateDer<'static>,
    /// When it ends, in seconds since 1970.
    ends_s: i64,
}

impl VenueCa {
    /// The existing authority, or a new one if there is none.
    ///
    /// # Errors
    /// If it cannot be created or read, or has expired.
    pub fn open(folder: &Path, machine: &HostNames, now: Timestamp) -> Result<Self, TlsError> {
        let path = folder.join("ca.crt");
        if !path.exists() {
            make_authority(folder, machine, now)?;
        }
        let unread = |why: String| TlsError::Authority { folder: folder.to_owned(), why };
        let certificate = CertificateDer::from_pem_file(&path).map_err(|error| unread(error.to_string()))?;
        let ends_s = {
            let (_, read) =
                x509_parser::parse_x509_certificate(&certificate).map_err(|error| unread(error.to_string()))?;
            read.validity().not_after.timestamp()
        };
        if seconds(now) >= ends_s {
            return Err(TlsError::Ended(folder.to_owned()));
        }
        Ok(Self { folder: folder.to_owned(), certificate, ends_s })
    }

    /// The server's certificate and key: the existing ones as long as every client would accept them for each of the
    /// machine's names, else new ones.
    ///
    /// # Errors
    /// If new ones are needed and cannot be issued.
    pub fn issue_server_certificate(&self, machine: &HostNames, now: Timestamp) -> Result<CertifiedKey, TlsError> {
        // The authority may not speak for a name that the machine got later; then the other names must do.
        let unnamed = HostNames { host: None, ..machine.clone() };
        for machine in [machine, &unnamed] {
            let names = machine.names();
            if let Ok(kept) = CertifiedKey::read(&self.server_file(), &self.server_file())
                && self.speaks_for(&kept, &names, now)
            {
                return Ok(kept);
            }
            let made = self.issue(&names, now)?;
            let issued = CertifiedKey::parse(made.as_bytes(), &self.server_file())?;
            if self.speaks_for(&issued, &names, now) {
                atomic_file::write_atomic(&self.server_file(), &made).map_err(failed("written", self.server_file()))?;
                tracing::info!(?names, "a new server certificate was made");
                return Ok(issued);
            }
        }
        let why = "what it signs is not accepted; is the clock of this machine right?".to_owned();
        Err(TlsError::Authority { folder: self.folder.clone(), why })
    }

    /// Certificate and key in one file, so that they always fit each other.
    fn server_file(&self) -> PathBuf {
        self.folder.join("server.pem")
    }

    /// Whether a client that trusts only this authority accepts the certificate for all names, now and for some weeks.
    fn speaks_for(&self, pair: &CertifiedKey, names: &[String], now: Timestamp) -> bool {
        let mut roots = RootCertStore::empty();
        let is_root = roots.add(self.certificate.clone()).is_ok();
        let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), crypto_provider()).build();
        let (Some(leaf), Ok(verifier), true) = (pair.chain.first(), verifier, is_root) else { return false };
        let then = (seconds(now) + MIN_REMAINING_DAYS * DAY_S).min(self.ends_s - DAY_S).max(seconds(now));
        let at = |time_s: i64| UnixTime::since_unix_epoch(Duration::from_secs(time_s.try_into().unwrap_or(0)));
        names.iter().all(|name| {
            let Ok(name) = ServerName::try_from(name.as_str()) else { return false };
            [seconds(now), then]
                .iter()
                .all(|time_s| verifier.verify_server_cert(leaf, &[], &name, &[], at(*time_s)).is_ok())
        })
    }

    /// A new certificate for these names with its key, as PEM.
    fn issue(&self, names: &[String], now: Timestamp) -> Result<String, TlsError> {
        let path = self.folder.join("ca.key");
        let text = fs::read_to_string(&path).map_err(failed("read", path))?;
        let unread = |error: rcgen::Error| TlsError::Authority { folder: self.folder.clone(), why: error.to_string() };
        let issuer = KeyPair::from_pem(&text).and_then(|key| Issuer::from_ca_cert_der(&self.certificate, key));
        let issuer = issuer.map_err(unread)?;
        let mut params = CertificateParams::new(names).map_err(TlsError::Make)?;
        params.distinguished_name.push(DnType::CommonName, "adjudge");
        last(&mut params, seconds(now) - DAY_S, (seconds(now) + DAYS_OF_CERTIFICATE * DAY_S).min(self.ends_s));
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        params.use_authority_key_identifier_extension = true;
        let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).map_err(TlsError::Make)?;
        let certificate = params.signed_by(&key, &issuer).map_err(TlsError::Make)?;
        Ok(format!("{}{}", certificate.pem(), key.serialize_pem()))
    }
}

/// Creates an authority. The key is written first: a certificate without its key would be installed for nothing.
fn make_authority(folder: &Path, machine: &HostNames, now: Timestamp) -> Result<(), TlsError> {
    let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).map_err(TlsError::Make)?;
    let certificate = authority(&key, machine, now).map_err(TlsError::Make)?;
    atomic_file::create_private_dir(folder).map_err(failed("made", folder.to_owned()))?;
    for (name, text) in [("ca.key", key.serialize_pem()), ("ca.crt", certificate.pem())] {
        atomic_file::write_atomic(&folder.join(name), &text).map_err(failed("written", folder.join(name)))?;
    }
    Ok(())
}

fn authority(key: &KeyPair, machine: &HostNames, now: Timestamp) -> Result<Certificate, rcgen::Error> {
    let host = machine.host.as_deref().unwrap_or("this machine");
    let mut params = CertificateParams::default();
    params.distinguished_name = rcgen::DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, format!("adjudge venue CA, {host}, {}", now.day()));
    last(&mut params, seconds(now) - DAY_S, seconds(now) + DAYS_OF_AUTHORITY * DAY_S);
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    // Addresses are not limited: those of a hall change, and no web site is known by one.
    let names = machine.names().into_iter().filter(|name| name.parse::<std::net::IpAddr>().is_err());
    params.name_constraints = Some(NameConstraints {
        permitted_subtrees: names.map(GeneralSubtree::DnsName).collect(),
        excluded_subtrees: Vec::new(),
    });
    params.self_signed(key)
}

fn failed(doing: &'static str, path: PathBuf) -> impl FnOnce(io::Error) -> TlsError {
    move |source| TlsError::Io { doing, path, source }
}

fn seconds(at: Timestamp) -> i64 {
    at.micros().div_euclid(1_000_000)
}

/// Sets the validity, from the beginning of a day to the beginning of another.
fn last(params: &mut CertificateParams, from_s: i64, until_s: i64) {
    let day = |at_s: i64| {
        let moment = jiff::Timestamp::from_second(at_s).unwrap_or_default();
        let date = jiff::tz::Offset::UTC.to_datetime(moment).date();
        date_time_ymd(date.year().into(), date.month().unsigned_abs(), date.day().unsigned_abs())
    };
    params.not_before = day(from_s);
    params.not_after = day(until_s);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(host: &str, address: &str) -> HostNames {
        HostNames { host: Some(host.to_owned()), addresses: vec![address.parse().unwrap()] }
    }

    fn after_days(days: i64) -> Timestamp {
        Timestamp::from_micros((1_795_000_000 + days * DAY_S) * 1_000_000)
    }

    fn server(folder: &Path, machine: &HostNames, days: i64) -> CertifiedKey {
        VenueCa::open(folder, machine, after_days(days))
            .unwrap()
            .issue_server_certificate(machine, after_days(days))
            .unwrap()
    }

    #[test]
    fn the_certificate_is_renewed_when_needed_and_the_authority_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let (desk, folder) = (machine("desk", "192.168.1.5"), folder.path());
        let authority = |days| VenueCa::open(folder, &desk, after_days(days)).unwrap().certificate;
        let first = server(folder, &desk, 0);
        let (installed, again) = (authority(0), |machine: &HostNames, days| server(folder, machine, days).chain);
        assert_eq!(again(&desk, 366 - MIN_REMAINING_DAYS - 1), first.chain, "it is kept as long as it serves");
        assert_ne!(again(&desk, 380), first.chain, "it would have ended soon");
        let moved = machine("desk", "10.0.0.9");
        assert_ne!(again(&moved, 380), again(&desk, 380), "an address was missing");
        let renamed = machine("other", "192.168.1.5");
        let without = again(&renamed, 381);
        assert_eq!(again(&renamed, 382), without, "a name that the authority may not speak for is left out");
        assert_eq!(authority(700), installed);
    }

    #[test]
    fn an_authority_that_ended_or_lost_its_key_says_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let (desk, folder) = (machine("desk", "192.168.1.5"), folder.path());
        server(folder, &desk, 0);
        assert!(matches!(VenueCa::open(folder, &desk, after_days(5 * 365 + 1)), Err(TlsError::Ended(_))));
        server(folder, &desk, 5 * 365 - 2);
        fs::remove_file(folder.join("ca.key")).unwrap();
        server(folder, &desk, 5 * 365 - 2);
        let moved = machine("desk", "10.0.0.9");
        let venue = VenueCa::open(folder, &moved, after_days(1)).unwrap();
        assert!(matches!(venue.issue_server_certificate(&moved, after_days(1)), Err(TlsError::Io { .. })));
    }

    #[test]
    fn the_authority_speaks_for_this_machine_only() {
        let folder = tempfile::tempdir().unwrap();
        let desk = machine("desk", "192.168.1.5");
        let venue = VenueCa::open(folder.path(), &desk, after_days(0)).unwrap();
        let names = ["bank.example".to_owned()];
        let made = venue.issue(&names, after_days(0)).unwrap();
        let made = CertifiedKey::parse(made.as_bytes(), folder.path()).unwrap();
        assert!(!venue.speaks_for(&made, &names, after_days(0)));
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_reads_the_keys() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let tls = folder.path().join("tls");
        server(&tls, &machine("desk", "192.168.1.5"), 0);
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&tls), 0o700);
        assert_eq!([mode(&tls.join("ca.key")), mode(&tls.join("server.pem"))], [0o600, 0o600]);
    }
}
