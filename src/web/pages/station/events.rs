//! The station's event stream.

use axum::http::HeaderMap;
use axum::response::Response;

use crate::web::acts::event_stream::stream;
use crate::web::http::error::WebError;

use super::session::StationSession;

/// `GET /station/news`: the events that concern this station.
pub async fn follow(session: StationSession, headers: HeaderMap) -> Result<Response, WebError> {
    let tournament = session.caller.principal.tournament.clone();
    stream(session.app, session.caller, &tournament, &headers).await
}
