//! The name `adjudge.local`, announced by multicast DNS: people need not type an address, and printed sheets stay valid
//! when the address changes. Source: RFC 6762.

use std::net::SocketAddr;
use std::time::Duration;

use mdns_sd::{DaemonEvent, IfKind, Receiver, ServiceDaemon, ServiceInfo};

use crate::system::System;

use crate::transport::host::OWN_NAME;

/// The service type that a browser finds under the name.
const KIND: &str = "_http._tcp.local.";

/// How long a registration may take. The server probes the network for a second whether another machine has the name.
const ANNOUNCE_TIMEOUT: Duration = Duration::from_secs(4);

/// How long the goodbye announcement may take.
const SHUTDOWN_GRACE: Duration = Duration::from_millis(500);

/// The registration of the name, while it is announced.
pub struct MdnsRegistration(ServiceDaemon);

impl std::fmt::Debug for MdnsRegistration {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Told")
    }
}

/// Why the name is not announced. Devices still reach the server by its address.
#[derive(Debug, thiserror::Error)]
pub enum MdnsError {
    #[error("only this machine reaches the server: start it with --listen 0.0.0.0:8017")]
    OnlyHere,
    #[error("another machine in this network has the name: stop its server, then start this one again")]
    Taken,
    #[error("the mDNS announcement timed out after {} s: check that the network is up", ANNOUNCE_TIMEOUT.as_secs())]
    Nobody,
    #[error("{0}")]
    Mdns(#[from] mdns_sd::Error),
}

impl MdnsRegistration {
    /// Announces the name of a server with that listening address, unless another machine has it. This takes about a
    /// second, and blocks the thread.
    ///
    /// # Errors
    /// [`MdnsError`] says why not; nothing is announced then.
    pub fn start(listen: SocketAddr, system: &System) -> Result<Self, MdnsError> {
        if listen.ip().is_loopback() {
            return Err(MdnsError::OnlyHere);
        }
        let told = Self(ServiceDaemon::new()?);
        match told.tell(listen, system) {
            Ok(()) => Ok(told),
            Err(error) => {
                told.stop();
                Err(error)
            }
        }
    }

    fn tell(&self, listen: SocketAddr, system: &System) -> Result<(), MdnsError> {
        let Self(daemon) = self;
        // An announcement on loopback alone reaches no other device.
        daemon.disable_interface(vec![IfKind::LoopbackV4, IfKind::LoopbackV6])?;
        if listen.is_ipv4() {
            daemon.disable_interface(IfKind::IPv6)?;
        }
        let events = daemon.monitor()?;
        let at = if listen.ip().is_unspecified() { String::new() } else { listen.ip().to_string() };
        let host = format!("{OWN_NAME}.");
        let mut service = ServiceInfo::new(KIND, "adjudge", &host, at.as_str(), listen.port(), None)?;
        if listen.ip().is_unspecified() {
            // The announcement follows the machine's addresses as they change.
            service = service.enable_addr_auto();
        }
        daemon.register(service)?;
        wait_until_announced(&events, &host, system)
    }

    /// Withdraws the name.
    pub fn stop(&self) {
        // A stop does not wait for a network that is gone.
        let _ = self.0.shutdown().map(|ended| ended.recv_timeout(SHUTDOWN_GRACE));
    }
}

/// Waits until the name was announced, or another machine claimed it.
fn wait_until_announced(events: &Receiver<DaemonEvent>, host: &str, system: &System) -> Result<(), MdnsError> {
    let until = system.monotonic() + ANNOUNCE_TIMEOUT;
    while let Some(left) = until.checked_sub(system.monotonic()) {
        match events.recv_timeout(left) {
            Ok(DaemonEvent::Announce(..)) => return Ok(()),
            Ok(DaemonEvent::NameChange(change)) if change.original.eq_ignore_ascii_case(host) => {
                return Err(MdnsError::Taken);
            }
            Ok(_) => {}
            Err(_) => break,
        }
    }
    Err(MdnsError::Nobody)
}
