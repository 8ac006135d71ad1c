//! Limits of use: requests a minute, open event streams, write probes.

pub mod rate_limit;
pub mod stream_limit;
pub mod write_probe;
