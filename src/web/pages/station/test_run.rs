//! A station's test decks, run when they are due or when the players ask.

use axum::response::Response;

use crate::domain::Division;
use crate::domain::fields::RequestBody;
use crate::domain::request::RequestKey;
use crate::web::acts::test_deck;
use crate::web::http::error::WebError;
use crate::web::http::request::{KeyedRequest, check_rate_limit};
use crate::web::pages::form::{Form, SlipForm};

use super::entry::start_page;
use super::notice::refusal_page;
use super::session::StationSession;

/// `POST /station/tests`: runs the test decks that are due here, or with `again` all of them, and shows the first page.
pub async fn run_tests(mut session: StationSession, form: Form) -> Response {
    let again = !form.text("again").is_empty();
    let owes = |division: &Division| {
        again
            || session.snapshot().setup.needs_test(
                &session.caller.principal.tournament,
                &division.id,
                &session.caller.principal.id,
            )
    };
    // Without open play there is nothing to test.
    let due = session.divisions().filter(|division| owes(division) && session.check_division_open(division).is_ok());
    let due: Vec<String> = due.map(|division| division.id.clone()).collect();
    for division in due {
        if let Err(error) = test(&session, division).await {
            return refusal_page(&session, &error);
        }
    }
    // The outcome is in a newer snapshot than the request's.
    match session.renew().await {
        Ok(()) => start_page(&session, &SlipForm::default()),
        Err(error) => refusal_page(&session, &error),
    }
}

/// Runs a division's test deck.
async fn test(session: &StationSession, division: String) -> Result<(), WebError> {
    let key = session.app.system.new_id_now()?;
    check_rate_limit(&session.app, &session.caller, None).await?;
    let mut said = RequestBody::new();
    said.insert("division".to_owned(), division.into());
    let sent = KeyedRequest { key: RequestKey::parse(&key), ..said.into() };
    test_deck::run(&session.app, &session.caller, &session.caller.principal.tournament, &sent).await.map(drop)
}
