//! A body that is written while it is sent: exports of any length, and events as they happen.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use tokio::sync::mpsc;

/// How many pieces may wait for a slow reader.
const WAITING: usize = 16;

/// Where the pieces of a body go. Sending fails once the reader is gone.
pub struct Pen(mpsc::Sender<Piece>);

/// A piece of a body, or that it ends before its end.
type Piece = Result<Bytes, CutShort>;

/// What was being written could not be read to its end. The connection breaks, so that nobody takes a part for the
/// whole.
#[derive(Debug, thiserror::Error)]
#[error("the ledger could not be read to its end")]
pub struct CutShort;

/// The reader hung up: nothing more need be written.
pub struct ReaderGone;

impl Pen {
    /// Writes a piece, as soon as the reader has room for it.
    ///
    /// # Errors
    /// [`ReaderGone`].
    pub async fn write(&self, piece: impl Into<Bytes>) -> Result<(), ReaderGone> {
        self.0.send(Ok(piece.into())).await.map_err(|_| ReaderGone)
    }

    /// Ends the body before its end.
    pub async fn break_off(&self) {
        // Where the reader is gone there is nobody to tell.
        let _ = self.0.send(Err(CutShort)).await;
    }

    /// Resolves when the reader hangs up.
    pub async fn gone(&self) {
        self.0.closed().await;
    }
}

struct Pieces(mpsc::Receiver<Piece>);

impl HttpBody for Pieces {
    type Data = Bytes;
    type Error = CutShort;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, Self::Error>>> {
        self.0.poll_recv(context).map(|piece| piece.map(|piece| piece.map(http_body::Frame::data)))
    }
}

/// A body, and the pen that writes it.
pub fn written() -> (Pen, Body) {
    let (pen, pieces) = mpsc::channel(WAITING);
    (Pen(pen), Body::new(Pieces(pieces)))
}
