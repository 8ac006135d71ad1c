//! Load: clients that file slips and check every answer.
//!
//! Two kinds, which answer two questions. *Waves* ([`waves`]): each client sends its next slip when it has
//! the answer to its last; what comes out is how many slips a second the server can take. *Paced*
//! ([`paced`]): slips fall due by the clock, whether or not earlier ones were answered, as challenges at a
//! tournament do; what comes out is how long a player waits, counted from when the slip fell due, so that a
//! slow server cannot hide its delay by slowing the clients down.
//!
//! A wrong answer, a lost connection or any status but 201 is an error, and ends the bench.

#![allow(dead_code, unused_imports, reason = "each bench uses a part of it")]

mod connection;
mod paced;
mod slips;
mod waves;

pub use connection::Connection;
pub use paced::{Waits, paced};
pub use slips::{Expected, Slips};
pub use waves::waves;
