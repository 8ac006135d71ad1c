//! Acts: what callers do, whether through the API or on a page. An act decides in the domain and records once.

pub mod call;
pub mod challenge;
pub mod clock;
pub mod disposition;
pub mod division;
pub mod event_stream;
pub mod idempotency;
pub mod paper_ruling;
pub mod slip_decision;
pub mod test_deck;
