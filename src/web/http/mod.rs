//! HTTP itself: requests read, answers and errors written, middleware. Nothing here knows what a request is about.

pub mod entry_response;
pub mod error;
#[cfg(feature = "fault-hooks")]
pub mod fault_injection;
pub mod metrics;
pub mod request;
pub mod streaming_body;
pub mod strict_json;
