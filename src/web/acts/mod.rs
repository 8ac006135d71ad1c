//! Acts: what callers do, whether through the API or on a page. An act decides in the domain and records once.

pub mod challenge;
pub mod idempotency;
pub mod slip_decision;
