//! Notice pages, shown when no ruling was given: why, what to do, and whom to call.

use axum::response::Response;

use super::session::StationSession;
use crate::domain::{Division, FaultCode};
use crate::web::http::error::WebError;
use crate::web::pages::form::{Form, SlipForm};
use crate::web::pages::i18n::{Message, Messages};
use crate::web::pages::render;
use crate::web::pages::views::station::{Call, NoticePage, Retry};

/// After how many seconds a notice gives way to the first page.
pub const NOTICE_S: u32 = 10;

/// A notice page with its titles and nothing else yet.
pub fn notice(session: &StationSession, division: Option<&Division>, head: &Message, title: String) -> NoticePage {
    NoticePage {
        header: session.header(division),
        head: head.to_string(),
        title,
        steps: Vec::new(),
        call: None,
        has_sound: false,
        slip_number: None,
        ruled_slip: None,
        retry: None,
        can_test: false,
        is_first: false,
        clear_s: None,
    }
}

/// The call that a page offers; none without an idempotency key for it.
pub fn call(session: &StationSession, is_director: bool, table: &str) -> Option<Call> {
    let (whom, label) =
        if is_director { ("director", &session.t.call_director) } else { ("judge", &session.t.call_judge) };
    let key = session.app.system.new_id_now().ok()?;
    Some(Call { whom, label: label.to_string(), table: table.trim().to_owned(), key })
}

/// The page of a refusal after which no typed values are worth keeping.
pub fn refusal_page(session: &StationSession, error: &WebError) -> Response {
    no_ruling_page(session, &SlipForm::default(), error)
}

/// The page of a refused request after a ruling; it leads back to the ruling.
pub fn refusal_after_ruling(session: &StationSession, form: &Form, error: &WebError) -> Response {
    let slip = Some(form.text("slip")).filter(|slip| !slip.is_empty());
    no_ruling_page(session, &SlipForm { slip, ..SlipForm::default() }, error)
}

/// The page that says that there is no ruling, and why.
pub fn no_ruling_page(session: &StationSession, form: &SlipForm, error: &WebError) -> Response {
    let t = session.t;
    if let WebError::Refused(why) = error {
        let page = notice(session, None, &t.not_possible, sentence(t, &why.to_string()));
        let call = call(session, false, &form.table);
        return render(error.status_slug_title().0, &NoticePage { call, ruled_slip: form.slip.clone(), ..page });
    }
    let is_about = |slug: FaultCode| matches!(error, WebError::Faults(faults) if faults.first().slug == slug);
    let can_wait = matches!(error, WebError::WriteError(_) | WebError::CannotRead(_));
    let can_retry = can_wait || matches!(error, WebError::TooMany(_));
    let is_closed = matches!(error, WebError::StationClosed);
    // Why no challenge at all is accepted at this moment.
    let none_is_taken = match error {
        _ if is_closed => Some(&t.closed),
        _ if is_about(FaultCode::SelfLookupOff) => Some(&t.players_do_not),
        _ if is_about(FaultCode::RoundClosed) => Some(&t.round_closed),
        _ if is_about(FaultCode::NoActiveLexicon) => Some(&t.no_lexicon),
        _ => None,
    };
    let (title, step) = match none_is_taken {
        _ if can_wait => (&t.not_recorded, t.try_again_then.to_string()),
        Some(title) if is_closed => (title, t.closed_why.to_string()),
        title => (title.unwrap_or(&t.not_here), sentence(t, &error.to_string())),
    };
    let division = session.division(form.division.as_deref());
    let is_in_question = matches!(error, WebError::InQuestion);
    let calls_director = is_about(FaultCode::NoActiveLexicon) || is_about(FaultCode::RoundClosed) || is_in_question;
    let calls_judge = matches!(error, WebError::Faults(_) | WebError::TooMany(_)) && !calls_director;
    let is_first = form.key.is_none() && none_is_taken.is_some();
    let retry = form.key.clone().filter(|_| can_retry).map(|key| Retry {
        hidden: form.hidden_fields(division.map(|division| division.id.as_str())),
        words: form.words.clone(),
        key,
        is_same_play: form.is_same_play,
        by_itself: can_wait,
    });
    render(
        error.status_slug_title().0,
        &NoticePage {
            steps: vec![step],
            call: call(session, !calls_judge, &form.table),
            ruled_slip: form.slip.clone(),
            retry,
            can_test: is_closed,
            is_first,
            ..notice(session, division, &t.no_ruling, title.to_string())
        },
    )
}

/// A fault as players read it. In the domain it begins with a small letter, since it follows the name of a field there.
pub fn sentence(t: &Messages, detail: &str) -> String {
    let said = t.translate(detail);
    let mut letters = said.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
