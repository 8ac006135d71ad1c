//! The pages. Each is drawn from a view that holds only what the page may show.

pub mod assets;
pub mod director;
pub mod first_run;

mod form;
pub mod home;
pub mod pairing;
pub mod pairing_codes;
pub mod passphrase;
mod preflight;
pub mod questions;
mod seat;
pub mod sign_in;
pub mod station;
mod texts;
pub mod trust;
pub mod views;

use axum::http::Uri;
use axum::response::{IntoResponse, Response};

use crate::app::App;
use crate::domain::LexiconName;
use crate::lexicon::built_in;
use crate::present::Present;

use super::error::WebError;
use seat::drawn;

/// An error as whoever asked can read it: a problem for programs, a page for people.
pub fn problem(_app: &App, uri: &Uri, error: WebError) -> Response {
    if uri.path().starts_with("/api/") {
        return error.into_response();
    }
    let (status, _, title) = error.shape();
    let page = views::ProblemPage { status: status.as_u16(), title: title.to_owned(), detail: error.to_string() };
    drawn(status, &page)
}

/// How many characters of a fingerprint the pages show.
const FINGERPRINT_CHARS: usize = 8;

/// The list of a lexicon that is open.
fn word_list(present: &Present, name: &LexiconName) -> Option<views::WordList> {
    let fingerprint = name.fingerprint.chars().take(FINGERPRINT_CHARS).collect();
    Some(views::WordList { words: present.opened(name)?.words(), fingerprint })
}

/// A lexicon as the pages show it.
fn shown(name: &LexiconName) -> views::LexiconLabel {
    views::LexiconLabel {
        title: name.title.clone(),
        edition: name.edition.clone(),
        is_built_in: built_in::named(name).is_some(),
    }
}
