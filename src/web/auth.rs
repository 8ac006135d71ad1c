//! Authentication: who the caller is, their cookies, how fast they may try to sign in, and the first run.

pub mod caller;
pub mod cookies;
pub mod first_run;
pub mod sign_in_throttle;
