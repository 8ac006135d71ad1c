//! A body that is written while it is sent: exports of any length, and event streams.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use tokio::sync::mpsc;

/// How many pieces may wait for a slow reader.
const WAITING: usize = 16;

/// The writing end of a body. Writing fails once the reader is gone.
pub struct BodyWriter(mpsc::Sender<Piece>);

/// A piece of a body, or its truncation.
type Piece = Result<Bytes, Truncated>;

/// The body could not be written to its end. The connection breaks, so that no client takes a part for the whole.
#[derive(Debug, thiserror::Error)]
#[error("the ledger could not be read to its end")]
pub struct Truncated;

/// The client disconnected: no more need be written.
pub struct ReaderGone;

impl BodyWriter {
    /// Writes a piece, as soon as the reader has room for it.
    ///
    /// # Errors
    /// [`ReaderGone`].
    pub async fn write(&self, piece: impl Into<Bytes>) -> Result<(), ReaderGone> {
        self.0.send(Ok(piece.into())).await.map_err(|_| ReaderGone)
    }

    /// Truncates the body.
    pub async fn abort(&self) {
        // A client that disconnected cannot be informed.
        let _ = self.0.send(Err(Truncated)).await;
    }

    /// Resolves when the client disconnects.
    pub async fn closed(&self) {
        self.0.closed().await;
    }
}

struct Pieces(mpsc::Receiver<Piece>);

impl HttpBody for Pieces {
    type Data = Bytes;
    type Error = Truncated;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, Self::Error>>> {
        self.0.poll_recv(context).map(|piece| piece.map(|piece| piece.map(http_body::Frame::data)))
    }
}

/// A body, and the writer that fills it.
pub fn streaming_body() -> (BodyWriter, Body) {
    let (writer, pieces) = mpsc::channel(WAITING);
    (BodyWriter(writer), Body::new(Pieces(pieces)))
}
