//! HTTP itself: reading requests, writing answers and errors, middleware. This layer is independent of the content of a
//! request.

pub mod entry_response;
pub mod error;
#[cfg(feature = "fault-injection")]
pub mod fault_injection;
pub mod metrics;
pub mod request;
pub mod streaming_body;
pub mod strict_json;
