//! Which lexica this server has. Source: CONTRACT 3.5.

use axum::Json;
use serde::Serialize;
use utoipa::ToSchema;

use crate::domain::event::LexiconImported;
use crate::domain::{Action, Lengths};
use crate::lexicon::{Manifest, built_in};
use crate::snapshot::Snapshot;
use crate::web::auth::caller::Caller;
use crate::web::http::error::WebError;

#[derive(Serialize, ToSchema)]
pub struct Lexicons {
    lexicons: Vec<LexiconView>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = LexiconOnTheShelf)]
struct LexiconView {
    id: String,
    title: String,
    edition: String,
    language: String,
    alphabet: String,
    /// The shortest and the longest word that it covers, in tiles.
    #[schema(value_type = Vec<u8>, min_items = 2, max_items = 2, example = json!([2, 15]))]
    lengths: Lengths,
    words: u64,
    /// SHA-256 over its words, in hexadecimal.
    #[schema(pattern = "^[0-9a-f]{64}$")]
    fingerprint: String,
    state: ShelfState,
}

/// What a lexicon is to this server.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
enum ShelfState {
    /// It is here and no division plays with it.
    Imported,
    /// A division plays with it, and it was verified.
    Active,
    /// A division plays with it, and it cannot be served.
    Failed,
}

/// The lexica of this server.
#[utoipa::path(
    get,
    path = "/api/v1/lexicons",
    tag = "lexica",
    responses((status = 200, body = Lexicons, description = "The lexica"))
)]
pub async fn list_lexicons(caller: Caller) -> Result<Json<Lexicons>, WebError> {
    caller.may(Action::ListLexicons)?;
    let snapshot = caller.snapshot();
    let all =
        built_in::manifest().ok().map(Manifest::imported).into_iter().chain(snapshot.setup.lexica().iter().cloned());
    Ok(Json(Lexicons { lexicons: all.map(|one| LexiconView::of(one, &snapshot)).collect() }))
}

impl LexiconView {
    fn of(lexicon: LexiconImported, snapshot: &Snapshot) -> Self {
        let name = lexicon.lexicon;
        let state = if !snapshot.setup.active().contains(&&name) {
            ShelfState::Imported
        } else if snapshot.opened(&name).is_some() {
            ShelfState::Active
        } else {
            ShelfState::Failed
        };
        Self {
            id: name.id,
            title: name.title,
            edition: name.edition,
            language: lexicon.language,
            alphabet: lexicon.alphabet,
            lengths: lexicon.lengths,
            words: lexicon.words,
            fingerprint: name.fingerprint,
            state,
        }
    }
}
