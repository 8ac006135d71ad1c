//! A stream with a write timeout: clients that stop reading are disconnected.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

use super::connection_limit::ConnectionPermit;

/// Fails a write that made no progress for as long as its timeout. Other code limits reads and idle connections.
#[derive(Debug)]
pub struct WriteTimeoutStream<I> {
    io: I,
    timeout: Duration,
    /// Runs while a write waits for the client.
    waiting: Option<Pin<Box<Sleep>>>,
    /// The connection's permit, which another connection may take.
    permit: ConnectionPermit,
    is_evicted: bool,
}

impl WriteTimeoutStream<TcpStream> {
    /// Wraps a TCP connection. Data that never arrives, because a tablet is asleep or out of reach, ends it too: the
    /// system alone would retransmit for a quarter of an hour.
    pub fn new(stream: TcpStream, permit: ConnectionPermit, timeout: Duration) -> Self {
        #[cfg(target_os = "linux")]
        {
            use nix::sys::socket::setsockopt;
            use nix::sys::socket::sockopt::TcpUserTimeout;
            // Best effort; without it the connection ends later.
            let _ = setsockopt(&stream, TcpUserTimeout, &u32::try_from(timeout.as_millis()).unwrap_or(u32::MAX));
        }
        Self::wrap(stream, permit, timeout)
    }
}

impl<I> WriteTimeoutStream<I> {
    fn wrap(io: I, permit: ConnectionPermit, timeout: Duration) -> Self {
        Self { io, timeout, waiting: None, permit, is_evicted: false }
    }

    /// Fails once another connection has taken this one's permit.
    fn check_permit(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        self.is_evicted = self.is_evicted || Pin::new(&mut self.permit.evicted).poll(context).is_ready();
        if self.is_evicted { Err(io::ErrorKind::ConnectionAborted.into()) } else { Ok(()) }
    }

    fn poll_with_timeout(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.waiting = None;
            return written;
        }
        let timeout = self.timeout;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(timeout)));
        ready!(waiting.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<I: AsyncRead + Unpin> AsyncRead for WriteTimeoutStream<I> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.check_permit(context)?;
        Pin::new(&mut self.io).poll_read(context, into)
    }
}

impl<I: AsyncWrite + Unpin> AsyncWrite for WriteTimeoutStream<I> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.check_permit(context)?;
        let written = Pin::new(&mut self.io).poll_write(context, bytes);
        self.poll_with_timeout(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.check_permit(context)?;
        let written = Pin::new(&mut self.io).poll_write_vectored(context, pieces);
        self.poll_with_timeout(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    // A socket has nothing to flush and shuts down at once: neither shows that the client has read anything.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(context)
    }
}
