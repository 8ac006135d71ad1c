//! The requests that write: caller, route, rate limit, key and body, read in the order in which the server reports
//! their faults. Source: CONTRACT 3.

use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use axum::extract::{FromRequestParts, Path, Request};
use axum::http::{HeaderMap, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::de::DeserializeOwned;

use crate::domain::request::{RequestKey, RequestMark, digest};
use crate::domain::{Action, Alphabet, Entry, FaultCode, Faults, RequestBody, SlipRecord};
use crate::store::WriteError;
use crate::web::auth::caller::Caller;
use crate::web::state::AppState;

use super::error::WebError;
use super::strict_json;

/// The largest body of a request, in bytes.
pub const MAX_BODY_BYTES: usize = 16 * 1024;

/// A body that takes longer than this is cut off.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// How long the look-up of a key may take.
const LOOK_UP_TIMEOUT: Duration = Duration::from_secs(2);

/// The header by which a client makes a request repeatable.
const KEY_HEADER: &str = "idempotency-key";

/// An authorised request that writes: its key, its body, and the answer that the key has already.
#[derive(Debug, Default)]
pub struct KeyedRequest {
    pub key: Option<RequestKey>,
    pub body: RequestBody,
    /// The entry that answered the key before this request came; such a request is not counted.
    pub answered: Option<Entry>,
    /// Whether the players at a station said that this is a part of the play that was ruled on before it.
    pub is_same_play: bool,
}

impl From<RequestBody> for KeyedRequest {
    fn from(body: RequestBody) -> Self {
        Self { body, ..Self::default() }
    }
}

impl KeyedRequest {
    /// The digest of a request to `route` without words, for which every alphabet gives the same digest.
    #[must_use]
    pub fn plain_digest(&self, route: &str) -> Option<String> {
        Alphabet::shipped("english").and_then(|alphabet| digest(route, &self.body, &alphabet))
    }

    /// The mark that an entry records of a request to `route` without words, if it has a key.
    #[must_use]
    pub fn plain_mark(&self, route: &str) -> Option<RequestMark> {
        self.request_mark(self.plain_digest(route))
    }

    /// The mark that an entry records of this request, if it has a key.
    #[must_use]
    pub fn request_mark(&self, digest: Option<String>) -> Option<RequestMark> {
        let key = self.key.as_ref().map(|key| key.as_str().to_owned());
        key.zip(digest).map(|(key, digest)| RequestMark { key, digest })
    }

    /// Checks that a request that takes no fields has none.
    ///
    /// # Errors
    /// 422 `invalid-request`, naming the first.
    pub fn expect_empty_body(&self) -> Result<(), WebError> {
        let first = self.body.keys().next();
        first.map_or(Ok(()), |field| {
            Err(Faults::one(field, FaultCode::InvalidRequest, "this request takes no fields: send {}").into())
        })
    }
}

/// A request about a tournament.
///
/// # Errors
/// 401, 403, 404, and as [`read_body`].
pub async fn tournament_request(
    app: &AppState,
    action: Action,
    request: Request,
) -> Result<(Caller, String, KeyedRequest), WebError> {
    let (mut caller, tournament, request) = authorized::<String>(app, action, request).await?;
    caller.tournament(&caller.snapshot(), &tournament)?;
    let sent = read_body(app, &mut caller, request).await?;
    Ok((caller, tournament, sent))
}

/// A request about a division of a tournament.
///
/// # Errors
/// 401, 403, 404, and as [`read_body`].
pub async fn division_request(
    app: &AppState,
    action: Action,
    request: Request,
) -> Result<(Caller, (String, String), KeyedRequest), WebError> {
    let (mut caller, names, request) = authorized::<(String, String)>(app, action, request).await?;
    caller.tournament(&caller.snapshot(), &names.0)?;
    let sent = read_body(app, &mut caller, request).await?;
    Ok((caller, names, sent))
}

/// A request about a slip that is on record. A slip of another tournament or station is always answered with 404.
///
/// # Errors
/// 401, 403, 404, and as [`read_body`].
pub async fn slip_request(
    app: &AppState,
    action: Action,
    request: Request,
) -> Result<(Caller, SlipRecord, KeyedRequest), WebError> {
    let (mut caller, id, request) = authorized::<String>(app, action, request).await?;
    let record = caller.slip(app, &id).await?;
    let sent = read_body(app, &mut caller, request).await?;
    Ok((caller, record, sent))
}

/// The authorised caller, and the names in the route. The body is still to be read.
///
/// # Errors
/// 401 `not-signed-in`, 403 `forbidden`, 404 `not-found`, in this order.
pub async fn authorized<Named: DeserializeOwned + Send>(
    app: &AppState,
    action: Action,
    request: Request,
) -> Result<(Caller, Named, Request), WebError> {
    let (mut parts, body) = request.into_parts();
    let caller = Caller::from_request_parts(&mut parts, app).await?;
    caller.may(action)?;
    let path = Path::<Named>::from_request_parts(&mut parts, app).await;
    let Path(named) = path.map_err(|_| WebError::NotFound)?;
    Ok((caller, named, Request::from_parts(parts, body)))
}

/// Reads key and body, once the caller's rate limit allows it. The caller is renewed, since a body takes its time to
/// arrive.
///
/// # Errors
/// 429 `too-many`, 400 `idempotency-key-required`, 413, 415, 400 `malformed-json`, in this order; 401 for a caller that
/// was revoked meanwhile.
pub async fn read_body(app: &AppState, caller: &mut Caller, request: Request) -> Result<KeyedRequest, WebError> {
    let key = idempotency_key(caller, request.headers());
    let answered = check_rate_limit(app, caller, key.as_ref().ok().and_then(Option::as_ref)).await?;
    let key = key?;
    let is_json = is_json(request.headers());
    let bytes = collect_body(request.into_body()).await?;
    if !is_json {
        return Err(if bytes.is_empty() { WebError::NoBody } else { WebError::UnsupportedMediaType });
    }
    if bytes.is_empty() {
        return Err(WebError::MalformedJson("it is empty; where no field is needed, send {}".to_owned()));
    }
    let body = strict_json::read_object(&bytes).map_err(WebError::MalformedJson)?;
    caller.renew(app).await?;
    Ok(KeyedRequest { key, answered, ..body.into() })
}

/// Like [`read_body`], for a route without fields: a body and its content type are optional.
///
/// # Errors
/// As [`read_body`].
pub async fn read_optional_body(
    app: &AppState,
    caller: &mut Caller,
    request: Request,
) -> Result<KeyedRequest, WebError> {
    let has_body = request.body().size_hint().exact() != Some(0);
    if has_body {
        return read_body(app, caller, request).await;
    }
    let key = idempotency_key(caller, request.headers())?;
    let answered = check_rate_limit(app, caller, key.as_ref()).await?;
    caller.renew(app).await?;
    Ok(KeyedRequest { key, answered, ..KeyedRequest::default() })
}

/// Looks the key up, and gives its recorded answer. A request whose key has none counts against the rate limit of its
/// station or client.
///
/// # Errors
/// 429 `too-many`; 503 `cannot-record` if the key cannot be looked up; such a request is counted.
pub async fn check_rate_limit(
    app: &AppState,
    caller: &Caller,
    key: Option<&RequestKey>,
) -> Result<Option<Entry>, WebError> {
    let found = match key {
        Some(key) => look_up(app, caller, key).await,
        None => Ok(None),
    };
    if let Ok(Some(entry)) = found {
        return Ok(Some(entry));
    }
    let limit = caller.requests_per_minute();
    let counted =
        limit.map_or(Ok(()), |most| app.rate_limits.request(&caller.principal.id, most, app.system.monotonic()));
    found?;
    counted?;
    Ok(None)
}

async fn look_up(app: &AppState, caller: &Caller, key: &RequestKey) -> Result<Option<Entry>, WebError> {
    let found =
        tokio::time::timeout(LOOK_UP_TIMEOUT, app.ledger.entry_for_key(&caller.principal.id, key.as_str())).await;
    match found.map_err(|_| WriteError::Slow)?.map_err(WebError::from) {
        Err(WebError::CannotRead(cause)) => Err(WriteError::Ledger(cause).into()),
        found => found,
    }
}

/// The idempotency key of a request.
///
/// # Errors
/// 400 `idempotency-key-required`.
fn idempotency_key(caller: &Caller, headers: &HeaderMap) -> Result<Option<RequestKey>, WebError> {
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

fn is_json(headers: &HeaderMap) -> bool {
    let sent = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = sent.split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("application/json")
}

/// Collects a whole body within the limits of size and time.
///
/// # Errors
/// 413, 408, 400.
pub async fn collect_body(body: Body) -> Result<bytes::Bytes, WebError> {
    // A body whose declared length is too large is refused at once.
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
