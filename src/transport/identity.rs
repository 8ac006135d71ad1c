//! The server's identity: what the page `/trust` shows to people before they trust the server.

use std::fmt;
use std::net::SocketAddr;

use sha2::{Digest as _, Sha256};

use crate::transport::host::OWN_NAME;

/// The server's transport and its addresses.
#[derive(Clone, Debug)]
pub struct ServerIdentity {
    pub transport: Transport,
    /// The addresses: those for others first, those for this machine last.
    pub addresses: Vec<SocketAddr>,
    pub mdns: MdnsStatus,
}

/// Whether devices find the server as `adjudge.local`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum MdnsStatus {
    /// The announcement is switched off.
    #[default]
    Off,
    Announced,
    /// The announcement failed, with the reason.
    Failed(String),
}

/// How the server speaks.
#[derive(Clone, Debug)]
pub enum Transport {
    /// HTTP, which everyone on the network can read.
    Http,
    /// HTTPS by a certificate of the venue's own authority, which devices must install.
    VenueCa(PublicCertificate),
    /// HTTPS by a certificate that another authority issued.
    OwnCertificate(PublicCertificate),
}

/// A certificate without its key, which is public.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicCertificate {
    /// In DER.
    pub der: Vec<u8>,
    pub fingerprint: Fingerprint,
}

/// The SHA-256 of a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint([u8; 32]);

impl PublicCertificate {
    #[must_use]
    pub fn new(der: &[u8]) -> Self {
        Self { der: der.to_vec(), fingerprint: Fingerprint(Sha256::digest(der).into()) }
    }
}

impl Fingerprint {
    /// Sixteen groups of four digits: short enough to be read aloud and compared.
    #[must_use]
    pub fn groups(&self) -> Vec<String> {
        self.0.chunks(2).map(|pair| pair.iter().map(|byte| format!("{byte:02X}")).collect()).collect()
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.groups().join(" "))
    }
}

impl ServerIdentity {
    #[must_use]
    pub fn is_tls(&self) -> bool {
        !matches!(self.transport, Transport::Http)
    }

    #[must_use]
    pub fn scheme(&self) -> &'static str {
        if self.is_tls() { "https" } else { "http" }
    }

    /// The URLs for a browser; the announced name, if there is one, before all others.
    #[must_use]
    pub fn urls(&self) -> Vec<String> {
        let scheme = self.scheme();
        let is_told = |_: &&SocketAddr| self.mdns == MdnsStatus::Announced;
        let name =
            self.addresses.first().filter(is_told).map(|first| format!("{scheme}://{OWN_NAME}:{}", first.port()));
        name.into_iter().chain(self.addresses.iter().map(|address| format!("{scheme}://{address}"))).collect()
    }

    /// The URL for another device; `None` if only this machine reaches the server.
    #[must_use]
    pub fn lan_url(&self) -> Option<String> {
        let is_reached = self.addresses.first().is_some_and(|address| !address.ip().is_loopback());
        self.urls().into_iter().next().filter(|_| is_reached)
    }

    /// The trust page's URL for another device.
    #[must_use]
    pub fn page(&self) -> Option<String> {
        self.lan_url().map(|url| format!("{url}/trust"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_is_shown_in_groups() {
        let text = PublicCertificate::new(b"abc").fingerprint.to_string();
        assert_eq!(text, "BA78 16BF 8F01 CFEA 4141 40DE 5DAE 2223 B003 61A3 9617 7A9C B410 FF61 F200 15AD");
    }

    #[test]
    fn the_page_has_an_address_only_where_others_reach_it() {
        let page = |reached: &str| {
            ServerIdentity {
                transport: Transport::Http,
                addresses: vec![reached.parse().unwrap()],
                mdns: MdnsStatus::Off,
            }
            .page()
        };
        assert_eq!(page("10.0.0.1:8017").as_deref(), Some("http://10.0.0.1:8017/trust"));
        assert_eq!(page("127.0.0.1:8017"), None);
    }
}
