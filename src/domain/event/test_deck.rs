//! Events of test decks: plays whose rulings are known.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::domain::request::RequestMark;
use crate::domain::ruling::Ruling;

/// The director's own plays for the test decks of a division. They replace the earlier ones; an empty list removes
/// them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestDeckSet {
    pub division: String,
    pub plays: Vec<KnownPlay>,
    pub request: Option<RequestMark>,
}

/// A play of which the ruling is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct KnownPlay {
    #[schema(min_items = 1, max_items = 8)]
    pub words: Vec<String>,
    pub ruling: Ruling,
}

/// A station ran a test deck of plays whose rulings are known. The event does not name the play that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestDeckRun {
    pub division: String,
    pub passed: bool,
    pub request: Option<RequestMark>,
    pub program: String,
}
