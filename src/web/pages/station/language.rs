//! The language of a station's pages.

use axum::http::header;
use axum::response::Response;

use crate::web::auth::cookies::Cookie;
use crate::web::pages::form::Form;
use crate::web::pages::i18n::Messages;

use super::entry::start_page;
use super::session::StationSession;

/// `POST /station/language`: the language of the next pages. Any other name selects the station's own language.
pub async fn set_language(session: StationSession, form: Form) -> Response {
    let is_tls = session.app.identity.is_tls();
    let chosen = Messages::of(&form.text("language")).filter(|chosen| chosen.lang != session.default_language.lang);
    let cookie = match chosen {
        Some(t) => Cookie::Language.set(&t.lang.to_string(), is_tls),
        None => Cookie::Language.end(is_tls),
    };
    let mut response =
        start_page(&StationSession { t: chosen.unwrap_or(session.default_language), ..session }, &form.into());
    response.headers_mut().extend(cookie.map(|cookie| (header::SET_COOKIE, cookie)));
    response
}
