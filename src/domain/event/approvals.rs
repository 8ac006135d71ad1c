//! Events of acts that need two persons.

use serde::{Deserialize, Serialize};

use crate::domain::event::decision::DecidedOn;
use crate::domain::fields::RequestBody;
use crate::domain::request::RequestMark;

/// A person requested an act that another person must approve. The request changes nothing by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApprovalAsked {
    /// A `UUIDv7`.
    pub approval: String,
    pub act: AskedAct,
    pub request: Option<RequestMark>,
    pub program: String,
}

/// The requested act, as the request states it. `on` is the state that it was requested on: if that state changes, the
/// act cannot be approved.
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
        /// The slip's last entry at the time of the request.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        on: Option<DecidedOn>,
    },
    CorrectSlip {
        slip: String,
        #[serde(rename = "said")]
        body: RequestBody,
        /// The slip's last entry at the time of the request.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        on: Option<DecidedOn>,
    },
}

/// Another person approved the act, and the entry before this one carries it out in the name of the person who
/// requested it; or another person declined it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApprovalGiven {
    pub follows: DecidedOn,
    pub approve: bool,
    /// The act's response, which the approver got.
    pub answer: RequestBody,
    pub request: Option<RequestMark>,
}
