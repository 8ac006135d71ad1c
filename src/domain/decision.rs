//! Decisions about a slip that is on record: reviews and opinions, corrections, dispositions, the director's rulings.
//!
//! Each is read from a request and then decided on the slip's present record: the result is an event, or a refusal.
//! [`Decisions`] looks up words; the other modules receive the ruling of a look-up as an argument.

mod claim;
mod context;
mod correction;
mod decisions;
mod disposition;
mod lapse;
mod opinion;
mod question;
mod release;
mod review;
mod ruling;

pub use crate::domain::refusal::Refusal;
pub use decisions::{Asker, Decisions, Lexica, SlipAction};
pub use disposition::EndedChallenge;
pub use opinion::OpinionOnIncident;
