//! Authentication: who the caller is, their cookies, and how fast they may try to sign in.

pub mod caller;
pub mod cookies;
pub mod sign_in_throttle;
