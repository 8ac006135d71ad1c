//! Accounts: who may use the server, and with which secret. Tokens, staff, devices, pairing codes and sessions.

pub mod devices;
pub mod pairing;
pub mod secrets;
pub mod sessions;
pub mod staff;
pub mod tokens;
