//! The API, a file a subject.

pub mod approvals;
pub mod audit;
mod breakdown;
pub mod clock;
pub mod decks;
pub mod events;
pub mod exports;
pub mod floor;
pub mod incidents;
pub mod ledger;
pub mod lexicons;
pub mod operation;
pub mod proofs;
pub mod queue;
pub mod settling;
pub mod slips;
pub mod view;
