//! The HTTP API, version 1. docs/api.md describes it for clients.

pub mod lexicons;
pub mod operation;
pub mod slips;
