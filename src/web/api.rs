//! The API, a file a subject.

pub mod approvals;
pub mod audit;
mod breakdown;
pub mod calls;
pub mod clock;
pub mod decisions;
pub mod events;
pub mod exports;
pub mod health;
pub mod incidents;
pub mod ledger;
pub mod lexicons;
pub mod proofs;
pub mod queue;
pub mod setup;
pub mod slip_view;
pub mod slips;
pub mod test_decks;
