//! The pages. Each is rendered from a view that holds only what the page may show.

pub mod assets;
pub mod director;
pub mod first_run;

mod form;
pub mod home;
mod i18n;
pub mod pairing;
pub mod pairing_codes;
pub mod passphrase;
mod preflight;
pub mod questions;
pub mod sign_in;
pub mod station;
pub mod trust;
pub mod views;

use askama::Template;
use axum::http::{StatusCode, Uri};
use axum::response::{Html, IntoResponse, Response};

use crate::domain::LexiconName;
use crate::lexicon::built_in;
use crate::snapshot::Snapshot;
use crate::web::state::AppState;

use crate::web::http::error::WebError;

/// An error in the form that fits the client: a problem for programs, a page for people.
pub fn problem(_app: &AppState, uri: &Uri, error: WebError) -> Response {
    if uri.path().starts_with("/api/") {
        return error.into_response();
    }
    let (status, _, title) = error.status_slug_title();
    let page = views::ProblemPage { status: status.as_u16(), title: title.to_owned(), detail: page_detail(&error) };
    render(status, &page)
}

/// The text of an error for a page; a problem's own text speaks of tokens and methods.
fn page_detail(error: &WebError) -> String {
    match error {
        WebError::NotFound => "There is no page at this address, or you may not see it.".to_owned(),
        WebError::MethodNotAllowed(_) => "This address takes forms only: go to the page that it belongs to.".to_owned(),
        error => error.to_string(),
    }
}

/// How many characters of a fingerprint the pages show.
const FINGERPRINT_CHARS: usize = 8;

/// The word list of a lexicon that is open.
fn word_list(snapshot: &Snapshot, name: &LexiconName) -> Option<views::WordList> {
    let fingerprint = name.fingerprint.chars().take(FINGERPRINT_CHARS).collect();
    Some(views::WordList { words: snapshot.opened(name)?.words(), fingerprint })
}

/// A lexicon as the pages show it.
fn shown(name: &LexiconName) -> views::LexiconLabel {
    views::LexiconLabel {
        title: name.title.clone(),
        edition: name.edition.clone(),
        is_built_in: built_in::named(name).is_some(),
    }
}

/// Renders a page.
fn render(status: StatusCode, page: &impl Template) -> Response {
    match page.render() {
        Ok(html) => (status, Html(html)).into_response(),
        Err(error) => {
            tracing::error!(error = %error, "a page cannot be rendered");
            WebError::Internal.into_response()
        }
    }
}
