//! Confirming the machine's clock. Source: CONTRACT 3.6.

use crate::domain::request::RequestMark;
use crate::store::Appended;
use crate::web::auth::caller::Caller;
use crate::web::http::error::WebError;
use crate::web::state::AppState;

/// Records that the caller confirmed the clock, and waits until the server uses it.
///
/// # Errors
/// 503 if it cannot be recorded.
pub async fn confirm(app: &AppState, caller: &Caller, request: Option<RequestMark>) -> Result<Appended, WebError> {
    let recorded = app
        .ledger
        .confirm_clock(app.system.now(), &caller.actor(), request)
        .await
        .map_err(WebError::from_failed_write)?;
    app.refresh().await;
    recorded.into_iter().next().ok_or(WebError::Internal)
}
