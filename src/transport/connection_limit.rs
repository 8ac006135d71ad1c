//! Connection limits: how many may be open in all, from one address, and by strangers.
//!
//! A connection is a stranger's until a request on it was authenticated. Strangers get a share of all places; when it
//! is full, a new one replaces the oldest from the address that has the most. So a crowd of addresses that only connect
//! cannot lock out a paired device: its connection is accepted, and counts as a stranger's only until its first head
//! was read.

use std::collections::{BTreeSet, HashMap};
use std::future::{Ready, ready};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Extension;
use axum::middleware::AddExtension;
use axum_server::accept::Accept;
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tower::Layer as _;

use crate::transport::write_timeout::WriteTimeoutStream;

/// This many of all connections are reserved for this machine, so that the person at it gets in however full the hall
/// is.
pub const KEPT_FOR_LOOPBACK: usize = 32;

/// An address may have this many strangers' connections, however small its share is.
const MIN_STRANGERS_PER_ADDRESS: usize = 4;

/// The limits on connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// In all, including those that are reserved for this machine.
    pub connections: usize,
    /// From one address of another machine.
    pub per_address: usize,
}

impl Limits {
    /// The connections for other machines.
    fn others(self) -> usize {
        self.connections.saturating_sub(KEPT_FOR_LOOPBACK)
    }

    /// The connections on which nothing was authenticated yet: half of those for other machines.
    fn strangers(self) -> usize {
        self.others().div_ceil(2)
    }

    /// The strangers' connections from one address: a quarter of its share.
    fn strangers_per_address(self) -> usize {
        (self.per_address / 4).max(MIN_STRANGERS_PER_ADDRESS).min(self.per_address)
    }
}

/// Accepts connections, and closes those beyond the limits at once: a queue would make all clients wait.
#[derive(Clone, Debug)]
pub struct ConnectionLimiter {
    /// How long a client may read nothing.
    write_timeout: Duration,
    open: Arc<Mutex<OpenConnections>>,
}

#[derive(Debug)]
struct OpenConnections {
    limits: Limits,
    last_id: u64,
    strangers: usize,
    by_id: HashMap<u64, OpenConnection>,
    by_address: HashMap<IpAddr, AddressShare>,
}

#[derive(Debug)]
struct OpenConnection {
    address: IpAddr,
    /// Dropping it closes the connection.
    _close: oneshot::Sender<()>,
}

#[derive(Debug, Default)]
struct AddressShare {
    total: usize,
    /// The oldest first.
    strangers: BTreeSet<u64>,
}

/// A connection's permit, released when the connection is dropped.
#[derive(Debug)]
pub struct ConnectionPermit {
    id: u64,
    /// Resolves when another connection takes the place.
    pub(super) evicted: oneshot::Receiver<()>,
    open: Arc<Mutex<OpenConnections>>,
}

/// A connection's handle for its requests.
#[derive(Clone, Debug)]
pub struct ConnectionIdentity {
    id: u64,
    is_known: Arc<AtomicBool>,
    open: Arc<Mutex<OpenConnections>>,
}

impl ConnectionIdentity {
    /// Whether a request on this connection was authenticated.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.is_known.load(Ordering::Relaxed)
    }

    /// Records that a request on this connection was authenticated: it is no longer a stranger's.
    pub fn mark_known(&self) {
        if !self.is_known.swap(true, Ordering::Relaxed) {
            locked(&self.open).mark_known(self.id);
        }
    }
}

impl ConnectionLimiter {
    pub fn new(limits: Limits, write_timeout: Duration) -> Self {
        let open =
            OpenConnections { limits, last_id: 0, strangers: 0, by_id: HashMap::new(), by_address: HashMap::new() };
        Self { write_timeout, open: Arc::new(Mutex::new(open)) }
    }

    /// A permit for a connection from an address, if one is available.
    fn try_acquire(&self, from: IpAddr) -> Option<ConnectionPermit> {
        let (close, evicted) = oneshot::channel();
        let id = locked(&self.open).admit(share_of(from), close)?;
        Some(ConnectionPermit { id, evicted, open: Arc::clone(&self.open) })
    }

    #[cfg(test)]
    pub fn is_empty(&self) -> bool {
        let open = locked(&self.open);
        open.by_id.is_empty() && open.by_address.is_empty() && open.strangers == 0
    }
}

impl OpenConnections {
    fn admit(&mut self, address: IpAddr, close: oneshot::Sender<()>) -> Option<u64> {
        let is_local = is_this_machine(address);
        if is_local {
            if self.by_id.len() >= self.limits.connections {
                return None;
            }
        } else {
            self.make_room(address)?;
        }
        self.last_id += 1;
        let id = self.last_id;
        self.by_id.insert(id, OpenConnection { address, _close: close });
        let share = self.by_address.entry(address).or_default();
        share.total += 1;
        if !is_local {
            share.strangers.insert(id);
            self.strangers += 1;
        }
        Some(id)
    }

    /// Makes room for one more stranger from an address, evicting another if needed: one of the same address if its
    /// share is full, else the oldest from the address with the most. `None` if there is none.
    fn make_room(&mut self, address: IpAddr) -> Option<()> {
        let (total, own) = self.by_address.get(&address).map_or((0, 0), |share| (share.total, share.strangers.len()));
        let is_own_share_full = total >= self.limits.per_address || own >= self.limits.strangers_per_address();
        if !is_own_share_full && self.strangers < self.limits.strangers() && self.by_id.len() < self.limits.others() {
            return Some(());
        }
        let from = if is_own_share_full {
            // A whole hall may have one address: a silent connection there gives way to a device of the hall.
            self.by_address.get(&address)?
        } else {
            self.by_address
                .values()
                .max_by_key(|share| share.strangers.len())
                .filter(|share| share.strangers.len() > own)?
        };
        let oldest = from.strangers.first().copied()?;
        self.remove(oldest);
        Some(())
    }

    fn mark_known(&mut self, id: u64) {
        let Some(connection) = self.by_id.get(&id) else { return };
        if let Some(share) = self.by_address.get_mut(&connection.address)
            && share.strangers.remove(&id)
        {
            self.strangers -= 1;
        }
    }

    fn remove(&mut self, id: u64) {
        self.mark_known(id);
        let Some(connection) = self.by_id.remove(&id) else { return };
        if let Some(share) = self.by_address.get_mut(&connection.address) {
            share.total -= 1;
            if share.total == 0 {
                self.by_address.remove(&connection.address);
            }
        }
    }
}

/// The address that a connection counts for: an IPv4 address, or the /64 network that one customer of an IPv6 provider
/// has.
fn share_of(address: IpAddr) -> IpAddr {
    // An IPv4 client of a dual-stack socket has an IPv6 address that maps its own.
    match address.to_canonical() {
        IpAddr::V6(address) if !address.is_loopback() => {
            let [a, b, c, d, ..] = address.segments();
            Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
        }
        address => address,
    }
}

/// The addresses by which people and programs of this machine connect. The rest of 127.0.0.0/8 has to be configured on
/// purpose, and has no privilege.
fn is_this_machine(address: IpAddr) -> bool {
    address == Ipv4Addr::LOCALHOST || address == Ipv6Addr::LOCALHOST
}

fn locked(open: &Mutex<OpenConnections>) -> MutexGuard<'_, OpenConnections> {
    open.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        locked(&self.open).remove(self.id);
    }
}

impl<S> Accept<TcpStream, S> for ConnectionLimiter {
    type Stream = WriteTimeoutStream<TcpStream>;
    type Service = AddExtension<S, ConnectionIdentity>;
    type Future = Ready<io::Result<(Self::Stream, Self::Service)>>;

    fn accept(&self, stream: TcpStream, service: S) -> Self::Future {
        let permit = stream.peer_addr().and_then(|peer| {
            self.try_acquire(peer.ip()).ok_or_else(|| {
                tracing::debug!(%peer, "too many connections: this one is closed");
                io::ErrorKind::QuotaExceeded.into()
            })
        });
        ready(permit.map(|permit| {
            let identity =
                ConnectionIdentity { id: permit.id, is_known: Arc::default(), open: Arc::clone(&permit.open) };
            (WriteTimeoutStream::new(stream, permit, self.write_timeout), Extension(identity).layer(service))
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limiter(connections: usize, per_address: usize) -> ConnectionLimiter {
        ConnectionLimiter::new(Limits { connections, per_address }, Duration::ZERO)
    }

    /// The connections that stay open of many.
    fn acquire_often(limiter: &ConnectionLimiter, from: &str) -> Vec<ConnectionPermit> {
        let from = from.parse().unwrap();
        let mut permits: Vec<_> = std::iter::from_fn(|| limiter.try_acquire(from)).take(1_000).collect();
        permits.retain_mut(|permit| !is_evicted(permit));
        permits
    }

    fn acquire_known(limiter: &ConnectionLimiter, from: &str) -> Option<ConnectionPermit> {
        let permit = limiter.try_acquire(from.parse().unwrap())?;
        locked(&limiter.open).mark_known(permit.id);
        Some(permit)
    }

    fn is_evicted(permit: &mut ConnectionPermit) -> bool {
        permit.evicted.try_recv() == Err(oneshot::error::TryRecvError::Closed)
    }

    #[test]
    fn an_address_gets_its_share_and_others_theirs() {
        let limiter = limiter(1024, 64);
        let greedy = acquire_often(&limiter, "10.0.0.1");
        assert_eq!(greedy.len(), 16, "strangers from one address");
        let again = acquire_often(&limiter, "::ffff:10.0.0.1");
        assert_eq!(again.len(), 16, "the same address, written otherwise: its newer ones take the places of the older");
        assert_eq!(acquire_often(&limiter, "10.0.0.2").len(), 16);
        drop((greedy, again));
        assert!(limiter.is_empty(), "what is closed leaves nothing behind");
        let known: Vec<_> = std::iter::from_fn(|| acquire_known(&limiter, "10.0.0.1")).take(1_000).collect();
        assert_eq!(known.len(), 64, "whoever was authenticated has the whole share of the address");
    }

    #[test]
    fn one_network_of_ipv6_is_one_address() {
        let limiter = limiter(1024, 64);
        let one = acquire_often(&limiter, "2001:db8::1");
        let other = acquire_often(&limiter, "2001:db8::2");
        assert_eq!((one.len(), other.len()), (16, 16));
        assert_eq!(locked(&limiter.open).by_id.len(), 16, "both together have one share");
        assert_eq!(acquire_often(&limiter, "2001:db8:0:1::1").len(), 16);
    }

    #[test]
    fn strangers_cannot_lock_out_a_device_at_the_same_address() {
        let limiter = limiter(1024, 64);
        let strangers = acquire_often(&limiter, "10.0.0.1");
        let devices: Vec<_> = (0..60).filter_map(|_| acquire_known(&limiter, "10.0.0.1")).collect();
        assert_eq!((strangers.len(), devices.len()), (16, 60));
        drop(strangers);
    }

    #[test]
    fn strangers_at_fifty_addresses_cannot_lock_out_a_device() {
        let limiter = limiter(1024, 64);
        let mut crowd = Vec::new();
        for round in 0..100 {
            for number in 1..=50 {
                crowd.extend(limiter.try_acquire(format!("10.1.0.{number}").parse().unwrap()));
            }
            assert!(locked(&limiter.open).strangers <= 496, "round {round}");
        }
        let mut devices: Vec<_> = (1..=15).map(|_| acquire_known(&limiter, "10.2.0.1").expect("let in")).collect();
        for number in 51..=250 {
            crowd.extend(acquire_often(&limiter, &format!("10.1.0.{number}")));
        }
        assert!(devices.iter_mut().all(|device| !is_evicted(device)), "an authenticated connection stays");
        assert!(crowd.iter_mut().any(is_evicted), "strangers made room");
        assert!(locked(&limiter.open).strangers <= 496);
    }

    #[test]
    fn devices_may_use_the_connections_that_strangers_do_not() {
        let limiter = limiter(232, 64);
        let devices: Vec<_> = (1..=4)
            .flat_map(|number| (0..50).map(move |_| number))
            .filter_map(|number| acquire_known(&limiter, &format!("10.2.0.{number}")))
            .collect();
        assert_eq!(devices.len(), 200, "all places of other machines");
        assert!(limiter.try_acquire([10, 3, 0, 1].into()).is_none(), "no stranger is there to make room");
        assert!(limiter.try_acquire(Ipv4Addr::LOCALHOST.into()).is_some());
    }

    #[test]
    fn this_machine_gets_a_connection_however_many_are_open() {
        let limiter = limiter(100, 64);
        let hall: Vec<_> = (0..5)
            .flat_map(|number| std::iter::repeat_n(format!("10.0.0.{number}"), 30))
            .filter_map(|from| acquire_known(&limiter, &from))
            .collect();
        assert_eq!(hall.len(), 100 - KEPT_FOR_LOOPBACK);
        let here: Vec<_> = ["127.0.0.1", "::1"].map(|from| acquire_often(&limiter, from)).into();
        assert_eq!(here.iter().map(Vec::len).sum::<usize>(), KEPT_FOR_LOOPBACK);
    }

    #[test]
    fn this_machine_has_no_limit_but_the_whole() {
        let limiter = limiter(200, 4);
        assert_eq!(
            acquire_often(&limiter, "127.0.0.9").len(),
            4,
            "another address of the loopback network is no privilege"
        );
        assert_eq!(acquire_often(&limiter, "127.0.0.1").len(), 200);
    }
}
