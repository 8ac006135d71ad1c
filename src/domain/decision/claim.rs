//! Claiming an item of the queue and giving it back, so that two judges do not walk to one table.

use super::context::DecisionContext;
use crate::domain::event::ItemClaimed;
use crate::domain::refusal::Refusal;
use crate::domain::role::Role;

/// The event by which the asker takes an item.
///
/// # Errors
/// `wrong-state` where it is not in the queue any more, or another person has claimed it.
pub fn claim(before: DecisionContext<'_>, item: &str) -> Result<ItemClaimed, Refusal> {
    check_open(&before, item)?;
    before.check_claim()?;
    Ok(claimed(before, item))
}

/// The event by which the asker gives an item back. A director may do so for another person.
///
/// # Errors
/// `wrong-state` where no one has claimed it, or another person has.
pub fn give_back(before: DecisionContext<'_>, item: &str) -> Result<ItemClaimed, Refusal> {
    check_open(&before, item)?;
    match &before.record.claimed_by {
        None => Err(Refusal::wrong_state("nobody has taken this from the queue")),
        Some(_) if before.role == Role::Director => Ok(claimed(before, item)),
        Some(_) => {
            before.check_claim()?;
            Ok(claimed(before, item))
        }
    }
}

fn check_open(before: &DecisionContext<'_>, item: &str) -> Result<(), Refusal> {
    let is_open = before.record.item().is_some_and(|open| open == item);
    if is_open { Ok(()) } else { Err(Refusal::wrong_state("this is not in the queue any more")) }
}

fn claimed(before: DecisionContext<'_>, item: &str) -> ItemClaimed {
    ItemClaimed { follows: before.record.follows(), item: item.to_owned(), request: before.request }
}
