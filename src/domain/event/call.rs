//! Events of calls for a judge or the director.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::domain::fault::{FaultCode, Faults};
use crate::domain::fields::{Fields, RequestBody};
use crate::domain::request::RequestMark;

/// A table calls a judge or the director.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Called {
    /// A `UUIDv7`.
    pub call: String,
    #[serde(rename = "for")]
    pub whom: Whom,
    pub table: Option<i64>,
    pub request: Option<RequestMark>,
}

impl Called {
    /// Reads a request; the call gets this id.
    ///
    /// # Errors
    /// All faults at once, each `invalid-request`.
    pub fn read(body: &RequestBody, id: String, request: Option<RequestMark>) -> Result<Self, Faults> {
        let mut fields = Fields::of(body, FaultCode::InvalidRequest);
        let whom = fields.required_choice("for", "judge or director");
        let table = fields.number("table", 1..=9999);
        let read = whom.map(|whom| Self { call: id, whom, table, request });
        fields.finish(read)
    }
}

/// Who is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Whom {
    Judge,
    Director,
}
