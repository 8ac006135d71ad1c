//! Who asks, about what, and what was sent, in the order in which faults are answered. Source: CONTRACT 3.

use axum::extract::{FromRequestParts, Path, Request};

use crate::app::App;
use crate::domain::{Action, Role, SlipRecord};

use super::error::WebError;
use super::submission::{Submission, key_of};
use super::who::Who;

/// A request about a tournament.
pub async fn submitted(app: &App, action: Action, request: Request) -> Result<(Who, String, Submission), WebError> {
    let (who, tournament, request) = asked(app, action, request).await?;
    who.tournament(&app.present(), &tournament)?;
    let sent = read(app, &who, request).await?;
    Ok((who, tournament, sent))
}

/// A request about a slip that is on record. Another's is not found, whatever was sent about it.
pub async fn about_slip(
    app: &App,
    action: Action,
    request: Request,
) -> Result<(Who, SlipRecord, Submission), WebError> {
    let (who, id, request) = asked(app, action, request).await?;
    let record = who.slip(app, &id).await?;
    let sent = read(app, &who, request).await?;
    Ok((who, record, sent))
}

/// Who asks, and what the route names. The body is still to be read.
pub async fn asked(app: &App, action: Action, request: Request) -> Result<(Who, String, Request), WebError> {
    let (mut parts, body) = request.into_parts();
    let who = Who::from_request_parts(&mut parts, app).await?;
    who.may(action)?;
    let path = Path::<String>::from_request_parts(&mut parts, app).await;
    let Path(id) = path.map_err(|_| WebError::NotFound)?;
    Ok((who, id, Request::from_parts(parts, body)))
}

/// The body, once the asker's quota allows it.
///
/// # Errors
/// 429 for a station that writes too often, unless its key was answered before: that is neither counted nor refused.
pub async fn read(app: &App, who: &Who, request: Request) -> Result<Submission, WebError> {
    let is_counted = match who.0.role {
        Role::Station => match app.quotas.station(&who.0.id, app.world.now()) {
            Ok(()) => true,
            Err(too_many) => {
                let key = key_of(who, request.headers()).ok().flatten().ok_or(too_many)?;
                app.ledger.answer(&who.0.id, key.as_str()).await?.ok_or(too_many)?;
                false
            }
        },
        Role::Judge | Role::Director | Role::Observer | Role::Client => false,
    };
    Ok(Submission { is_counted, ..Submission::read(who, request).await? })
}
