//! Faults: errors in a request that a person can correct. They are returned all at once, beside the typed input.

use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The kind of a fault: the last part of the problem's `type`, `/problems/<slug>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FaultCode {
    InvalidSlip,
    InvalidRequest,
    WrongDivision,
    SelfLookupOff,
    RoundClosed,
    NoActiveLexicon,
    UnreadableWord,
    NeedsManualLookup,
}

impl FaultCode {
    /// The slug in the API.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidSlip => "invalid-slip",
            Self::InvalidRequest => "invalid-request",
            Self::WrongDivision => "wrong-division",
            Self::SelfLookupOff => "self-lookup-off",
            Self::RoundClosed => "round-closed",
            Self::NoActiveLexicon => "no-active-lexicon",
            Self::UnreadableWord => "unreadable-word",
            Self::NeedsManualLookup => "needs-manual-lookup",
        }
    }
}

impl fmt::Display for FaultCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One fault of one field, in words a player can read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Fault {
    /// The field as the API names it: `table`, `words[1]` (counted from 0).
    pub field: String,
    pub slug: FaultCode,
    /// A sentence that says what to do. It never reveals whether a word is acceptable.
    pub detail: String,
}

/// One or more faults of one level, in the order of the fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Faults {
    first: Fault,
    others: Vec<Fault>,
}

impl Faults {
    /// `None` where there is no fault at all.
    #[must_use]
    pub fn of(faults: Vec<Fault>) -> Option<Self> {
        let mut faults = faults.into_iter();
        let first = faults.next()?;
        Some(Self { first, others: faults.collect() })
    }

    /// A single fault.
    #[must_use]
    pub fn one(field: &str, slug: FaultCode, detail: impl Into<String>) -> Self {
        let first = Fault { field: field.to_owned(), slug, detail: detail.into() };
        Self { first, others: Vec::new() }
    }

    /// The fault to show where a client shows only one.
    #[must_use]
    pub fn first(&self) -> &Fault {
        &self.first
    }

    pub fn iter(&self) -> impl Iterator<Item = &Fault> {
        std::iter::once(&self.first).chain(&self.others)
    }
}
