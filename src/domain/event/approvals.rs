//! What is written where two persons are needed.

use serde::{Deserialize, Serialize};

use crate::domain::event::decision::DecidedOn;
use crate::domain::fields::RequestBody;
use crate::domain::request::RequestMark;

/// Somebody wants something done that needs another person. Nothing has changed by it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApprovalAsked {
    /// A `UUIDv7`.
    pub approval: String,
    pub act: AskedAct,
    pub request: Option<RequestMark>,
    pub program: String,
}

/// What is wanted, as it was said. `on` is what it was asked about: where that has changed since, it is not done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "kebab-case")]
pub enum AskedAct {
    SetDivision {
        division: String,
        #[serde(rename = "said")]
        body: RequestBody,
        /// The digest of the division as it was and as it would be.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        on: Option<String>,
    },
    RuleOnSlip {
        slip: String,
        #[serde(rename = "said")]
        body: RequestBody,
        /// The slip's last entry then.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        on: Option<DecidedOn>,
    },
    CorrectSlip {
        slip: String,
        #[serde(rename = "said")]
        body: RequestBody,
        /// The slip's last entry then.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        on: Option<DecidedOn>,
    },
}

/// Another person approved it, and the entry before this one does it in the name of whoever asked; or declined it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApprovalGiven {
    pub follows: DecidedOn,
    pub approve: bool,
    /// What the act answers, given to whoever approved it.
    pub answer: RequestBody,
    pub request: Option<RequestMark>,
}
