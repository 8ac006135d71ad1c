//! Who asks, about what, and what was sent, in the order in which faults are answered. Source: CONTRACT 3.

use axum::extract::{FromRequestParts, Path, Request};
use serde::de::DeserializeOwned;

use crate::domain::request::RequestKey;
use crate::domain::{Action, Said, SlipRecord};
use crate::store::CannotRecord;
use crate::web::state::AppState;

use super::error::WebError;
use super::submission::{Counted, KeyedRequest, has_no_body, idempotency_key};
use crate::web::auth::caller::Caller;

/// A request about a tournament.
pub async fn tournament_request(
    app: &AppState,
    action: Action,
    request: Request,
) -> Result<(Caller, String, KeyedRequest), WebError> {
    let (mut caller, tournament, request) = authorized::<String>(app, action, request).await?;
    caller.tournament(&caller.snapshot(), &tournament)?;
    let sent = read_body(app, &caller, request).await?;
    caller.renew(app).await?;
    Ok((caller, tournament, sent))
}

/// A request about a slip that is on record. Another's is not found, whatever was sent about it.
pub async fn slip_request(
    app: &AppState,
    action: Action,
    request: Request,
) -> Result<(Caller, SlipRecord, KeyedRequest), WebError> {
    let (mut caller, id, request) = authorized::<String>(app, action, request).await?;
    let record = caller.slip(app, &id).await?;
    let sent = read_body(app, &caller, request).await?;
    caller.renew(app).await?;
    Ok((caller, record, sent))
}

/// Who asks, and what the route names. The body is still to be read.
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

/// The body, once the asker's quota allows it.
///
/// # Errors
/// 429 for a station or client that writes too often; and what is wrong with the body.
pub async fn read_body(app: &AppState, caller: &Caller, request: Request) -> Result<KeyedRequest, WebError> {
    let key = idempotency_key(caller, request.headers()).ok().flatten();
    let counted = check_rate_limit(app, caller, key.as_ref()).await?;
    Ok(KeyedRequest { counted, ..KeyedRequest::read(caller, request).await? })
}

/// The same where nothing need be said, and so no body need be sent.
///
/// # Errors
/// As [`read_body`].
pub async fn read_body_or_none(app: &AppState, caller: &Caller, request: Request) -> Result<KeyedRequest, WebError> {
    if !has_no_body(&request) {
        return read_body(app, caller, request).await;
    }
    let key = idempotency_key(caller, request.headers())?;
    let counted = check_rate_limit(app, caller, key.as_ref()).await?;
    Ok(KeyedRequest { key, counted, ..KeyedRequest::from(Said::new()) })
}

/// Counts a request of a station or client. One whose key already has a recorded answer is neither counted nor refused: an
/// answer is looked for here only where there is no room, and where one is found later the count is given back.
///
/// # Errors
/// 429 `too-many`; 503 `cannot-record` where nobody can tell whether there is an answer.
pub async fn check_rate_limit(app: &AppState, caller: &Caller, key: Option<&RequestKey>) -> Result<Counted, WebError> {
    let Some(most) = caller.requests_per_minute() else { return Ok(Counted::Not) };
    let (token, now) = (&caller.principal.id, app.system.monotonic());
    if key.is_some_and(|key| app.rate_limits.is_answered(token, key.as_str(), now)) {
        return Ok(Counted::Repeated);
    }
    let Err(too_many) = app.rate_limits.request(token, most, now) else { return Ok(Counted::Once) };
    let Some(key) = key else { return Err(too_many.into()) };
    match app.ledger.answer(token, key.as_str()).await.map_err(WebError::from) {
        Ok(Some(earlier)) => Ok(Counted::Answered(Box::new(earlier))),
        Ok(None) => Err(too_many.into()),
        Err(WebError::CannotRead(cause)) => Err(CannotRecord::Ledger(cause).into()),
        Err(error) => Err(error),
    }
}
