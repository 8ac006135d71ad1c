//! How many may be connected at once: in all, and from one address.

use std::collections::HashMap;
use std::future::{Ready, ready};
use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum_server::accept::Accept;
use tokio::net::TcpStream;

use super::line::Line;

/// Of all connections so many are for this machine alone: whoever sits at it gets in, however full the hall is.
pub const KEPT_FOR_LOOPBACK: usize = 32;

/// How many connections there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// In all, with those that are kept for this machine.
    pub connections: usize,
    /// From one address of another machine.
    pub per_address: usize,
}

/// Lets connections in, and closes at once those beyond the limits: a queue of them would only make everybody wait.
#[derive(Clone, Debug)]
pub struct Gate {
    limits: Limits,
    /// How long a reader may read nothing.
    patience: Duration,
    inside: Arc<Mutex<Inside>>,
}

#[derive(Debug, Default)]
struct Inside {
    total: usize,
    by_address: HashMap<IpAddr, usize>,
}

/// A connection's place, given back when the connection is dropped.
#[derive(Debug)]
pub struct Pass {
    address: IpAddr,
    inside: Arc<Mutex<Inside>>,
}

impl Gate {
    pub fn new(limits: Limits, patience: Duration) -> Self {
        Self { limits, patience, inside: Arc::default() }
    }

    /// A place for a connection from there, if there is one.
    fn enter(&self, from: IpAddr) -> Option<Pass> {
        // An IPv4 client of a socket for both kinds has an IPv6 address made of its own.
        let address = from.to_canonical();
        let mut inside = locked(&self.inside);
        let own = inside.by_address.get(&address).copied().unwrap_or(0);
        let has_room = if address.is_loopback() {
            inside.total < self.limits.connections
        } else {
            inside.total < self.limits.connections.saturating_sub(KEPT_FOR_LOOPBACK) && own < self.limits.per_address
        };
        has_room.then(|| {
            inside.total += 1;
            inside.by_address.insert(address, own + 1);
            Pass { address, inside: Arc::clone(&self.inside) }
        })
    }

    #[cfg(test)]
    pub fn is_empty(&self) -> bool {
        let inside = locked(&self.inside);
        inside.total == 0 && inside.by_address.is_empty()
    }
}

fn locked(inside: &Mutex<Inside>) -> MutexGuard<'_, Inside> {
    inside.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Pass {
    fn drop(&mut self) {
        let mut inside = locked(&self.inside);
        inside.total = inside.total.saturating_sub(1);
        let left = inside.by_address.remove(&self.address).unwrap_or(0).saturating_sub(1);
        if left > 0 {
            inside.by_address.insert(self.address, left);
        }
    }
}

impl<S> Accept<TcpStream, S> for Gate {
    type Stream = Line<TcpStream>;
    type Service = S;
    type Future = Ready<io::Result<(Self::Stream, S)>>;

    fn accept(&self, stream: TcpStream, service: S) -> Self::Future {
        let entered = stream.peer_addr().and_then(|peer| {
            self.enter(peer.ip()).ok_or_else(|| {
                tracing::debug!(%peer, "too many connections: this one is closed");
                io::ErrorKind::QuotaExceeded.into()
            })
        });
        ready(entered.map(|pass| (Line::over(stream, pass, self.patience), service)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(connections: usize, per_address: usize) -> Gate {
        Gate::new(Limits { connections, per_address }, Duration::ZERO)
    }

    fn enter_often(gate: &Gate, from: &str) -> Vec<Pass> {
        let from = from.parse().unwrap();
        std::iter::from_fn(|| gate.enter(from)).take(1_000).collect()
    }

    #[test]
    fn an_address_gets_its_share_and_others_theirs() {
        let gate = gate(1024, 64);
        let greedy = enter_often(&gate, "10.0.0.1");
        assert_eq!(greedy.len(), 64);
        assert_eq!(enter_often(&gate, "::ffff:10.0.0.1").len(), 0, "the same address, written otherwise");
        assert_eq!(enter_often(&gate, "10.0.0.2").len(), 64);
        drop(greedy);
        assert!(gate.is_empty(), "what is closed leaves nothing behind");
        assert_eq!(enter_often(&gate, "10.0.0.1").len(), 64);
    }

    #[test]
    fn however_full_it_is_this_machine_gets_in() {
        let gate = gate(100, 64);
        let hall: Vec<_> = ["10.0.0.1", "10.0.0.2", "fd00::1"].map(|from| enter_often(&gate, from)).into();
        assert_eq!(hall.iter().map(Vec::len).sum::<usize>(), 100 - KEPT_FOR_LOOPBACK);
        let here: Vec<_> = ["127.0.0.1", "::1"].map(|from| enter_often(&gate, from)).into();
        assert_eq!(here.iter().map(Vec::len).sum::<usize>(), KEPT_FOR_LOOPBACK);
    }

    #[test]
    fn this_machine_has_no_limit_but_the_whole() {
        assert_eq!(enter_often(&gate(200, 2), "127.0.0.1").len(), 200);
    }
}
