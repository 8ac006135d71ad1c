//! The station's pages: table and count, words, hand-over, one ruling, clear.
//!
//! Every step is a form of its own and works without JavaScript; typed values travel in hidden fields, never in an
//! address. With JavaScript the same forms are sent, and the response replaces the content of the page, so that the
//! station stays one page without a history (`static/station/`). Nothing is looked up before the opponent presses the
//! judging key.

mod call;
mod ending;
mod entry;
mod events;
mod instructions;
mod language;
mod letter_keys;
mod notice;
mod outcome;
mod recovery;
mod review;
pub mod session;
mod test_run;

pub use call::call;
pub use ending::end;
pub use events::follow;
pub use language::set_language;
pub use recovery::resolve_slip;
pub use review::{ask_for_review, go_back_to_ruling, mistyped, request_review};
pub use test_run::run_tests;

use std::sync::Arc;

use axum::response::{IntoResponse, Redirect, Response};

use crate::domain::fields::{Fields, RequestBody};
use crate::domain::request::RequestKey;
use crate::domain::setup::TABLE_NEEDED;
use crate::domain::{Alphabet, Division, FaultCode, RawSlip, Slip};
use crate::web::acts::challenge::{active_lexicon, challenge, earlier_part};
use crate::web::acts::slip_decision::correct;
use crate::web::http::entry_response::Answer;
use crate::web::http::error::WebError;
use crate::web::http::request::{KeyedRequest, check_rate_limit};

use super::form::SlipForm;
use session::StationSession;

/// `GET /station`: clock stopped, slip in hand?
pub async fn begin(session: StationSession) -> Response {
    entry::start_page(&session, &SlipForm::default())
}

/// `POST /station/words`: as many fields as words were announced.
pub async fn write_words(session: StationSession, form: SlipForm) -> Response {
    match announced(&session, &form) {
        Ok(announced) => entry::words_page(&session, &form, announced, None),
        Err(error) => entry::entry_with_faults(&session, &form, &error),
    }
}

/// `POST /station/check`: the words as tiles, for the opponent to confirm.
pub async fn hand_over(session: StationSession, form: SlipForm) -> Response {
    check_words(&session, &form).await.unwrap_or_else(|error| entry::entry_with_faults(&session, &form, &error))
}

/// The hand-over page; before it, the question whether this is another play than the one that was judged a short time
/// before.
async fn check_words(session: &StationSession, form: &SlipForm) -> Result<Response, WebError> {
    let (slip, division, alphabet) = readable(session, form)?;
    let key = session.app.system.new_id_now()?;
    let is_settled = form.slip.is_some() || form.is_another_play;
    let earlier = if is_settled { None } else { earlier_part(&session.app, &session.caller, division, &slip).await? };
    Ok(match earlier {
        Some(earlier) => entry::another_play_page(session, form, &slip, division, &alphabet, key, earlier),
        None => entry::hand_over_page(session, form, &slip, division, &alphabet, key),
    })
}

/// `POST /station/ruling`: the opponent pressed the judging key.
pub async fn judge(mut session: StationSession, form: SlipForm) -> Response {
    if let Err(error) = session.renew().await {
        return entry::entry_with_faults(&session, &form, &error);
    }
    let Some(key) = form.key.as_deref().and_then(RequestKey::parse) else {
        return Redirect::to("/station").into_response();
    };
    let answered = match check_rate_limit(&session.app, &session.caller, Some(&key)).await {
        Ok(answered) => answered,
        Err(error) => return entry::entry_with_faults(&session, &form, &error),
    };
    let sent = KeyedRequest {
        key: Some(key),
        answered,
        is_same_play: form.is_same_play,
        ..request_body(&session, &form).into()
    };
    let answered = match &form.slip {
        None => challenge(&session.app, &session.caller, &session.caller.principal.tournament, &sent).await,
        Some(slip) => Box::pin(corrected(&session, slip, &form, sent)).await,
    };
    match answered {
        // A player who goes back or reloads after the ruling was cleared must not see the last table's words.
        Ok(answered) if answered.replayed && outcome::is_cleared(&session, &answered.entry) => {
            Redirect::to("/station").into_response()
        }
        Ok(answered) => outcome::outcome_page(&session, &answered.entry).await,
        Err(error) => entry::entry_with_faults(&session, &form, &error),
    }
}

/// Corrects a slip: the words as on the board become its next adjudication. Source: D 9.
async fn corrected(
    session: &StationSession,
    slip: &str,
    form: &SlipForm,
    sent: KeyedRequest,
) -> Result<Answer, WebError> {
    let record = session.caller.slip(&session.app, slip).await?;
    let mut said = RequestBody::new();
    said.insert("words".to_owned(), form.words.clone().into());
    Box::pin(correct(&session.app, &session.caller, record, &KeyedRequest { body: said, ..sent })).await
}

fn request_body(session: &StationSession, form: &SlipForm) -> RequestBody {
    let division = session.division_at(form.division.as_deref(), form.table_number()).ok();
    form.to_body(division.map(|division| division.id.as_str()))
}

/// The values of the first page, once all of them are valid.
#[derive(Clone, Copy)]
struct Announced<'session> {
    /// How many words are on the slip, 1 to 8.
    count: usize,
    division: &'session Division,
}

/// Table, count and division, each of which may have a fault of its own.
fn announced<'session>(session: &'session StationSession, form: &SlipForm) -> Result<Announced<'session>, WebError> {
    let said = request_body(session, form);
    let mut fields = Fields::of(&said, FaultCode::InvalidSlip);
    let table = fields.number("table", 1..=9999);
    let count = fields.number("declared_count", 1..=8);
    let _ = (fields.line("division", 32), fields.texts("words"));
    let division = session.division_at(form.division.as_deref(), table);
    if table.is_none() && form.table.trim().is_empty() && session.asks_table() {
        fields.fault("table", TABLE_NEEDED);
    } else if let Err(elsewhere) = &division {
        fields.fault(&elsewhere.first().field, &elsewhere.first().detail);
    }
    if count.is_none() && form.count.trim().is_empty() {
        fields.fault("declared_count", "say how many words are on the slip");
    }
    if let Some(faults) = fields.faults() {
        return Err(faults.into());
    }
    let division = division?;
    session.check_division_open(division)?;
    Ok(Announced { count: count.and_then(|count| usize::try_from(count).ok()).unwrap_or(1), division })
}

/// The slip as far as it can be read without a look-up.
fn readable<'session>(
    session: &'session StationSession,
    form: &SlipForm,
) -> Result<(Slip, &'session Division, Arc<Alphabet>), WebError> {
    let tournament = session.tournament()?;
    let division_of = |table| tournament.division_of_table(table).map(|division| division.id.clone());
    let raw = RawSlip::read(&request_body(session, form), division_of)?;
    let division = tournament.division_at(&raw.division, raw.place.table)?;
    division.check_table(raw.place.table)?;
    let lexicon = active_lexicon(session.snapshot(), division)?;
    let slip = raw.parse(lexicon.alphabet(), division.settings.max_tiles())?;
    Ok((slip, division, lexicon.alphabet().clone()))
}
