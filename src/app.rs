//! The wiring: one running server, from an opened ledger to an address that answers.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use axum_server::Handle;
use hyper_util::rt::TokioTimer;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::present::{self, Present, PresentError};
use crate::store::verify::{VerifyError, verify_all};
use crate::store::{Folder, Ledger, Scribe};
use crate::web;
use crate::world::World;

/// How long requests under way may take to end at a stop.
const LONGEST_GOODBYE: Duration = Duration::from_secs(8);

/// A connection must send its first request, and each request its whole head, within this.
const SLOWEST_HEAD: Duration = Duration::from_secs(10);

/// What every request handler is given.
#[derive(Clone, Debug)]
pub struct App {
    pub ledger: Ledger,
    pub scribe: Scribe,
    pub world: World,
    /// In a demonstration: the token that browsers on this machine use as a station.
    pub open_station: Option<Arc<str>>,
    present: watch::Receiver<Arc<Present>>,
}

impl App {
    /// What is so now; hold on to it for the whole of a request.
    #[must_use]
    pub fn present(&self) -> Arc<Present> {
        Arc::clone(&self.present.borrow())
    }
}

/// How to serve.
#[derive(Clone, Debug)]
pub struct Options {
    pub folder: Folder,
    /// Port 0 takes any free one.
    pub listen: SocketAddr,
    pub world: World,
    /// The name of a station token that browsers on this machine may use without a code.
    pub open_station: Option<String>,
}

/// Why a server did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("cannot listen on {address}: {source}; is another program using it? choose another with --listen")]
    Listen { address: SocketAddr, source: std::io::Error },
    #[error(transparent)]
    Present(#[from] PresentError),
    #[error(transparent)]
    Verify(#[from] VerifyError),
}

/// A server that answers.
#[derive(Debug)]
pub struct Running {
    address: SocketAddr,
    handle: Handle<SocketAddr>,
    server: JoinHandle<std::io::Result<()>>,
    scribe: JoinHandle<()>,
    keeper: JoinHandle<()>,
    ledger: Ledger,
}

/// Starts to serve an opened ledger, after checking all of it.
///
/// # Errors
/// Where the address is taken, the ledger is broken, or what it says cannot be understood.
pub async fn start(ledger: Ledger, options: Options) -> Result<Running, StartError> {
    let failed = |source| StartError::Listen { address: options.listen, source };
    let listener = TcpListener::bind(options.listen).map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;

    verify_all(&ledger).await?;
    let lexicons = options.folder.lexicons();
    let (sender, present) = watch::channel(Arc::new(Present::read(&ledger, &lexicons).await?));
    let keeper = tokio::spawn(present::keep_up(ledger.clone(), lexicons, sender));
    let (scribe, writing) = Scribe::start(ledger.clone(), options.world.clone());

    let open_station = options.open_station.map(Arc::from);
    let app = App { ledger: ledger.clone(), scribe, world: options.world, open_station, present };
    let handle = Handle::new();
    let mut server =
        axum_server::from_tcp(listener).map_err(failed)?.handle(handle.clone()).first_request_timeout(SLOWEST_HEAD);
    server.http_builder().http1().timer(TokioTimer::new()).header_read_timeout(SLOWEST_HEAD);
    let router = web::router(app).into_make_service_with_connect_info::<SocketAddr>();
    let server = tokio::spawn(server.serve(router));
    Ok(Running { address, handle, server, scribe: writing, keeper, ledger })
}

impl Running {
    /// Where it answers.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Takes no new requests, lets those under way end, writes what was accepted, and closes the
    /// ledger.
    pub async fn stop(self) {
        self.handle.graceful_shutdown(Some(LONGEST_GOODBYE));
        self.keeper.abort();
        // Each of these ends by itself: the server at the deadline, the scribe with its last sender.
        let _ = self.server.await;
        let _ = self.keeper.await;
        let _ = self.scribe.await;
        self.ledger.db.close().await;
    }
}
