//! Challenges that the players end without a look-up: withdrawn, conceded or abandoned.

use axum::response::{IntoResponse as _, Redirect, Response};

use crate::domain::fields::RequestBody;
use crate::web::acts::disposition::dispose;
use crate::web::http::error::WebError;
use crate::web::pages::form::Form;

use super::call::{keyed_request, table_of};
use super::notice::refusal_page;
use super::outcome::outcome_page;
use super::session::StationSession;

/// `POST /station/end`: withdrawn, conceded or abandoned. Source: D 3, D 4.
pub async fn end(session: StationSession, form: Form) -> Response {
    let ended = async {
        let said = ending(&session, &form)?;
        let sent = keyed_request(&session, &form, said).await?;
        dispose(&session.app, &session.caller, &session.caller.principal.tournament, &sent).await
    };
    match ended.await {
        // The players have left, so no one reads a result.
        Ok(_) if form.text("kind") == "abandoned" => Redirect::to("/station").into_response(),
        Ok(answered) => outcome_page(&session, &answered.entry).await,
        Err(error) => refusal_page(&session, &error),
    }
}

/// The request body that a program would send, in the ledger's language. An abandoned challenge has no words.
fn ending(session: &StationSession, form: &Form) -> Result<RequestBody, WebError> {
    let (kind, table) = (form.text("kind"), table_of(form));
    let chosen = Some(form.text("division")).filter(|division| !division.is_empty());
    let division = session.division_at(chosen.as_deref(), table)?;
    let is_abandoned = kind == "abandoned";
    let (reason, by) = match kind.as_str() {
        "abandoned" => ("left alone at the station", None),
        "withdrawn" => ("withdrawn at the station", Some("challenger")),
        "conceded-by-opponent" => ("conceded at the station", Some("opponent")),
        _ => ("conceded at the station", Some("challenger")),
    };
    let mut said = RequestBody::new();
    said.insert("division".to_owned(), division.id.clone().into());
    said.insert("table".to_owned(), table.into());
    said.insert("kind".to_owned(), kind.into());
    said.insert("reason".to_owned(), reason.into());
    said.insert("declared_by".to_owned(), by.into());
    if !is_abandoned {
        said.insert("words".to_owned(), form.texts("word").into());
    }
    Ok(said)
}
