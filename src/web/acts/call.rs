//! Calls of a judge or the director to a table. Source: CONTRACT 3.3.

use crate::domain::Event;
use crate::domain::event::Called;
use crate::web::acts::idempotency::record_event_once;
use crate::web::auth::caller::Caller;
use crate::web::http::entry_response::Answer;
use crate::web::http::error::WebError;
use crate::web::http::request::KeyedRequest;
use crate::web::state::AppState;

/// Records a call.
///
/// # Errors
/// 422 `invalid-request`, or why there is no entry.
pub async fn call(app: &AppState, caller: &Caller, tournament: &str, sent: &KeyedRequest) -> Result<Answer, WebError> {
    record_event_once(app, caller, tournament, "calls", sent, |_, _, request| {
        Ok(Event::Called(Called::read(&sent.body, app.system.new_id_now()?, request)?))
    })
    .await
}
