//! A writing request: its key and its body, read in the order in which faults are answered.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use axum::extract::Request;
use axum::http::{HeaderMap, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};

use crate::domain::request::{RequestKey, RequestMark, digest};
use crate::domain::{Alphabet, Entry, Faults, Said, Slug};

use super::error::WebError;
use super::strict_json;
use crate::web::auth::caller::Caller;

/// The largest body of a request, in bytes.
pub const MAX_BODY_BYTES: usize = 16 * 1024;

/// A body that takes longer than this is cut off.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// The header by which a client makes a request repeatable.
const KEY_HEADER: &str = "idempotency-key";

/// Whether a request was counted among those of its station or client.
#[derive(Clone, Debug, Default)]
pub enum Counted {
    /// There is no quota for it.
    #[default]
    Not,
    Once,
    /// It is not counted, since its key was answered a short time ago.
    Repeated,
    /// There was no room for it, but its key has this recorded answer.
    Answered(Box<Entry>),
}

/// What was sent, and under which key.
#[derive(Debug)]
pub struct KeyedRequest {
    pub key: Option<RequestKey>,
    pub said: Said,
    /// Whether it was counted among the requests of the minute of its station or client, and of its table.
    pub counted: Counted,
    pub is_counted_at_table: AtomicBool,
    /// Whether the players at a station said that this is a part of the play that was ruled on before it.
    pub is_same_play: bool,
}

impl From<Said> for KeyedRequest {
    fn from(said: Said) -> Self {
        Self {
            key: None,
            said,
            counted: Counted::Not,
            is_counted_at_table: AtomicBool::new(false),
            is_same_play: false,
        }
    }
}

impl KeyedRequest {
    /// The digest of a request to `route` in which there are no words, so that any alphabet gives the same.
    #[must_use]
    pub fn plain_digest(&self, route: &str) -> Option<String> {
        Alphabet::shipped("english").and_then(|alphabet| digest(route, &self.said, &alphabet))
    }

    /// Whether a request that takes no fields has none.
    ///
    /// # Errors
    /// 422 `invalid-request`, naming the first.
    pub fn expect_empty_body(&self) -> Result<(), WebError> {
        let first = self.said.keys().next();
        first.map_or(Ok(()), |field| {
            Err(Faults::one(field, Slug::InvalidRequest, "this request takes no fields: send {}").into())
        })
    }

    /// What an entry remembers of this request, where it has a key.
    #[must_use]
    pub fn request_mark(&self, digest: Option<String>) -> Option<RequestMark> {
        let key = self.key.as_ref().map(|key| key.as_str().to_owned());
        key.zip(digest).map(|(key, digest)| RequestMark { key, digest })
    }

    /// Reads a request of `caller`.
    ///
    /// # Errors
    /// 400 `idempotency-key-required`, 413, 415, 400 `malformed-json`, in this order.
    pub async fn read(caller: &Caller, request: Request) -> Result<Self, WebError> {
        let key = idempotency_key(caller, request.headers())?;
        let is_json = is_json(request.headers());
        let bytes = body_of(request.into_body()).await?;
        if !is_json {
            return Err(if bytes.is_empty() { WebError::NoBody } else { WebError::UnsupportedMediaType });
        }
        if bytes.is_empty() {
            return Err(WebError::MalformedJson("it is empty; where no field is needed, send {}".to_owned()));
        }
        let said = strict_json::read_object(&bytes).map_err(WebError::MalformedJson)?;
        Ok(Self { key, ..Self::from(said) })
    }
}

/// The key of a request.
///
/// # Errors
/// 400 `idempotency-key-required`.
pub fn idempotency_key(caller: &Caller, headers: &HeaderMap) -> Result<Option<RequestKey>, WebError> {
    let mut given = headers.get_all(KEY_HEADER).iter();
    match (given.next(), given.next()) {
        (None, _) if caller.principal.role.needs_key() => Err(WebError::KeyRequired),
        (None, _) => Ok(None),
        (Some(key), None) => {
            let key = key.to_str().ok().and_then(RequestKey::parse);
            key.map(Some).ok_or(WebError::KeyRequired)
        }
        (Some(_), Some(_)) => Err(WebError::KeyRequired),
    }
}

/// Whether a request has no body, whatever it says of its type.
pub fn has_no_body(request: &Request) -> bool {
    request.body().size_hint().exact() == Some(0)
}

fn is_json(headers: &HeaderMap) -> bool {
    let sent = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = sent.split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("application/json")
}

/// A whole body within the limits of size and time.
///
/// # Errors
/// 413, 408, 400.
pub async fn body_of(body: Body) -> Result<bytes::Bytes, WebError> {
    // A body that says itself that it is too large is not waited for.
    if usize::try_from(body.size_hint().lower()).is_ok_and(|announced| announced > MAX_BODY_BYTES) {
        return Err(WebError::TooLarge(MAX_BODY_BYTES));
    }
    let whole = tokio::time::timeout(BODY_TIMEOUT, Limited::new(body, MAX_BODY_BYTES).collect());
    match whole.await {
        Err(_) => Err(WebError::TooSlow),
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(WebError::TooLarge(MAX_BODY_BYTES)),
        Ok(Err(_)) => Err(WebError::MalformedJson("it was cut short".to_owned())),
    }
}
