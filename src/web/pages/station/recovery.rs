//! Recovery: the outcome of a slip whose response was lost.

use axum::http::StatusCode;
use axum::response::Response;

use crate::domain::event::Event;
use crate::domain::fields::RequestBody;
use crate::web::acts::idempotency::resolve;
use crate::web::pages::form::Form;
use crate::web::pages::render;
use crate::web::pages::views::station::NoticePage;

use super::call::keyed_request;
use super::notice::{NOTICE_S, notice, refusal_page};
use super::outcome::outcome_page;
use super::session::StationSession;

/// `POST /station/resolve`: the ruling of a slip whose response was lost, or that none was given.
pub async fn resolve_slip(session: StationSession, form: Form) -> Response {
    let found = async {
        let sent = keyed_request(&session, &form, RequestBody::new()).await?;
        resolve(&session.app, &session.caller, &session.caller.principal.tournament, &sent).await
    };
    match found.await {
        Ok(answered) if matches!(answered.entry.event, Event::KeyClosed(_)) => {
            let page = notice(&session, None, &session.t.no_ruling, session.t.none_given.to_string());
            let steps = vec![session.t.none_given_why.to_string()];
            render(StatusCode::OK, &NoticePage { steps, clear_s: Some(2 * NOTICE_S), ..page })
        }
        Ok(answered) => outcome_page(&session, &answered.entry).await,
        Err(error) => refusal_page(&session, &error),
    }
}
