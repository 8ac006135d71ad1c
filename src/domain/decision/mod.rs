//! What is said of a slip that is on record: reviews and opinions, corrections, how it ended, what the director rules.
//!
//! Each is read from a request, and then decided on the slip's record as it is: the event, or why not. Nothing here
//! looks a word up; a ruling by look-up is handed in.

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
