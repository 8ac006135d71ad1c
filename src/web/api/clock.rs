//! Confirming the machine's clock. Source: CONTRACT 3.6.

use axum::extract::{Request, State};
use axum::response::Response;

use crate::domain::fields::Fields;
use crate::domain::{Action, FaultCode, Faults, RequestBody};
use crate::store::Appended;
use crate::web::acts::clock::confirm;
use crate::web::acts::idempotency::replay_if_same;
use crate::web::http::entry_response::{Answer, entry_response};
use crate::web::http::error::WebError;
use crate::web::http::request::{authorized, read_body};
use crate::web::openapi::{ConfirmClock, EmptyObject, OptionalKey};
use crate::web::state::AppState;

/// The name of the route in request digests.
const ROUTE: &str = "server/clock";

/// Confirm that the clock of the server's machine is right: entries follow it from then on, also backwards.
#[utoipa::path(
    post,
    path = "/api/v1/server/clock",
    tag = "operation",
    params(OptionalKey),
    request_body = ConfirmClock,
    responses(
        (status = 201, body = EmptyObject, description = "It is recorded")
    )
)]
pub async fn confirm_clock(State(app): State<AppState>, request: Request) -> Result<Response, WebError> {
    let (mut caller, (), request) = authorized::<()>(&app, Action::ConfirmClock, request).await?;
    let sent = read_body(&app, &mut caller, request).await?;
    let digest = sent.plain_digest(ROUTE);
    if let Some(entry) = sent.answered {
        return Ok(entry_response(&replay_if_same(&app, entry, digest.as_deref()).await?));
    }
    is_confirmed(&sent.body)?;
    let answered = match confirm(&app, &caller, sent.request_mark(digest.clone())).await? {
        Appended::Duplicate(entry) => replay_if_same(&app, entry, digest.as_deref()).await?,
        recorded => Answer { entry: recorded.entry().cloned().ok_or(WebError::Internal)?, replayed: false },
    };
    Ok(entry_response(&answered))
}

fn is_confirmed(body: &RequestBody) -> Result<(), Faults> {
    let mut fields = Fields::of(body, FaultCode::InvalidRequest);
    if fields.required_bool("confirm") == Some(false) {
        fields.fault("confirm", "confirm must be true: nothing is to be done otherwise");
    }
    fields.finish(Some(()))
}
