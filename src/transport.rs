//! The transport: connection limits, timeouts, and the certificate that proves the server's identity. The code behind
//! it sees whole requests of clients that send and read in time.

mod connection_limit;
mod fd_limit;
mod host;
mod identity;
mod mdns;
pub mod pinned;
mod tls;
mod venue_ca;
mod write_timeout;

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum_server::tls_rustls::{RustlsAcceptor, RustlsConfig};
use axum_server::{Handle, Server};
use hyper_util::rt::TokioTimer;
use rustls::ServerConfig;
use tokio::task::JoinHandle;

use connection_limit::ConnectionLimiter;

pub use connection_limit::{ConnectionIdentity, KEPT_FOR_LOOPBACK, Limits};
pub use host::HostNames;
pub use identity::{Fingerprint, MdnsStatus, PublicCertificate, ServerIdentity, Transport};
pub use mdns::{MdnsError, MdnsRegistration};
pub use tls::{CertificateSource, TlsError};

/// A connection must send its first request, and each request its whole head, within this time.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);

/// A TLS handshake must end within this time; together with the head it stays within 15 seconds.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(5);

/// A client that reads nothing of a response for this long is disconnected.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);

/// The buffer of a head while it arrives. A longer head is refused by 431 before it is parsed, so that all connections
/// together cannot exhaust the memory.
const MAX_HEAD_BUFFER_BYTES: usize = 96 * 1024;

/// How many connections may wait to be accepted.
#[cfg(target_os = "linux")]
const MAX_UNACCEPTED: i32 = 1024;

/// Serves on a bound listener, over TLS if it is configured. The handle stops it.
///
/// # Errors
/// If the listener cannot be used.
pub fn serve(
    listener: TcpListener,
    router: Router,
    limits: Limits,
    tls: Option<Arc<ServerConfig>>,
    handle: Handle<SocketAddr>,
) -> std::io::Result<JoinHandle<std::io::Result<()>>> {
    fd_limit::raise_fd_limit(limits.connections);
    lengthen_queue(&listener);
    let limiter = ConnectionLimiter::new(limits, WRITE_TIMEOUT);
    let server = axum_server::from_tcp(listener)?.acceptor(limiter).handle(handle);
    let (server, router) = (with_limits(server), router.into_make_service_with_connect_info::<SocketAddr>());
    let Some(tls) = tls else { return Ok(tokio::spawn(server.serve(router))) };
    let secured = |limiter| {
        let acceptor = RustlsAcceptor::new(RustlsConfig::from_config(tls)).handshake_timeout(HANDSHAKE_TIMEOUT);
        acceptor.acceptor(limiter)
    };
    Ok(tokio::spawn(server.map(secured).serve(router)))
}

/// Raises the system's backlog of connections to be accepted above its usual 128: a crowd that connects at once must
/// not make a station's connection wait for a second try.
#[cfg(target_os = "linux")]
fn lengthen_queue(listener: &TcpListener) {
    use nix::sys::socket::{Backlog, listen};
    // Best effort; without it the backlog is shorter.
    let _ = Backlog::new(MAX_UNACCEPTED).and_then(|length| listen(listener, length));
}

#[cfg(not(target_os = "linux"))]
fn lengthen_queue(_: &TcpListener) {}

fn with_limits<A>(server: Server<SocketAddr, A>) -> Server<SocketAddr, A> {
    let mut server = server.http1_only().first_request_timeout(HEAD_TIMEOUT);
    let mut builder = server.http_builder().http1();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT).max_buf_size(MAX_HEAD_BUFFER_BYTES);
    server
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpStream;

    use axum::body::Body;
    use axum::routing::get;

    use super::*;

    /// FAULTS I2, with a shorter timeout: a response that does not fit into the system's buffers.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_client_that_stops_reading_is_disconnected_and_a_slow_one_is_not() {
        const LONG: usize = 64 << 20;
        let router = Router::new().route("/", get(|| async { Body::from(vec![b'x'; LONG]) }));
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let limits = Limits { connections: 100, per_address: 100 };
        let limiter = ConnectionLimiter::new(limits, Duration::from_millis(500));
        fd_limit::raise_fd_limit(limits.connections);
        let server = axum_server::from_tcp(listener).unwrap().acceptor(limiter.clone());
        tokio::spawn(with_limits(server).serve(router.into_make_service()));
        let ask = move || {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.write_all(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
            stream
        };
        let slow = tokio::task::spawn_blocking(move || {
            let (mut stream, mut piece, mut read) = (ask(), vec![0; 2 << 20], 0);
            loop {
                match stream.read(&mut piece).unwrap() {
                    0 => return read,
                    some => read += some,
                }
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        let idle = ask();
        assert!(slow.await.unwrap() > LONG, "a slow reader got all of it");
        let is_cut = || limiter.is_empty();
        for _ in 0..300 {
            if is_cut() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        assert!(is_cut(), "whoever read nothing is still connected");
        drop(idle);
    }
}
