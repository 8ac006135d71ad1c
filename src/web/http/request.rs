//! Who asks, about what, and what was sent, in the order in which faults are answered. Source: CONTRACT 3.

use axum::extract::{FromRequestParts, Path, Request};
use serde::de::DeserializeOwned;

use crate::domain::request::RequestKey;
use crate::domain::{Action, Said, SlipRecord};
use crate::store::CannotRecord;
use crate::web::state::AppState;

use super::error::WebError;
use super::submission::{Counted, Submission, has_no_body, key_of};
use crate::web::auth::caller::Who;

/// A request about a tournament.
pub async fn submitted(
    app: &AppState,
    action: Action,
    request: Request,
) -> Result<(Who, String, Submission), WebError> {
    let (mut who, tournament, request) = asked::<String>(app, action, request).await?;
    who.tournament(&who.present(), &tournament)?;
    let sent = read(app, &who, request).await?;
    who.renew(app).await?;
    Ok((who, tournament, sent))
}

/// A request about a slip that is on record. Another's is not found, whatever was sent about it.
pub async fn about_slip(
    app: &AppState,
    action: Action,
    request: Request,
) -> Result<(Who, SlipRecord, Submission), WebError> {
    let (mut who, id, request) = asked::<String>(app, action, request).await?;
    let record = who.slip(app, &id).await?;
    let sent = read(app, &who, request).await?;
    who.renew(app).await?;
    Ok((who, record, sent))
}

/// Who asks, and what the route names. The body is still to be read.
pub async fn asked<Named: DeserializeOwned + Send>(
    app: &AppState,
    action: Action,
    request: Request,
) -> Result<(Who, Named, Request), WebError> {
    let (mut parts, body) = request.into_parts();
    let who = Who::from_request_parts(&mut parts, app).await?;
    who.may(action)?;
    let path = Path::<Named>::from_request_parts(&mut parts, app).await;
    let Path(named) = path.map_err(|_| WebError::NotFound)?;
    Ok((who, named, Request::from_parts(parts, body)))
}

/// The body, once the asker's quota allows it.
///
/// # Errors
/// 429 for a station or client that writes too often; and what is wrong with the body.
pub async fn read(app: &AppState, who: &Who, request: Request) -> Result<Submission, WebError> {
    let key = key_of(who, request.headers()).ok().flatten();
    let counted = counted(app, who, key.as_ref()).await?;
    Ok(Submission { counted, ..Submission::read(who, request).await? })
}

/// The same where nothing need be said, and so no body need be sent.
///
/// # Errors
/// As [`read`].
pub async fn read_or_nothing(app: &AppState, who: &Who, request: Request) -> Result<Submission, WebError> {
    if !has_no_body(&request) {
        return read(app, who, request).await;
    }
    let key = key_of(who, request.headers())?;
    let counted = counted(app, who, key.as_ref()).await?;
    Ok(Submission { key, counted, ..Submission::from(Said::new()) })
}

/// Counts a request of a station or client. One whose key already has a recorded answer is neither counted nor refused: an
/// answer is looked for here only where there is no room, and where one is found later the count is given back.
///
/// # Errors
/// 429 `too-many`; 503 `cannot-record` where nobody can tell whether there is an answer.
pub async fn counted(app: &AppState, who: &Who, key: Option<&RequestKey>) -> Result<Counted, WebError> {
    let Some(most) = who.requests_per_minute() else { return Ok(Counted::Not) };
    let (token, now) = (&who.0.id, app.system.monotonic());
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
