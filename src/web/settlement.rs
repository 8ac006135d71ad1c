//! What is said of a slip that is on record: decided on the record as it is, and recorded on that state and no other.

use std::sync::Arc;

use crate::app::App;
use crate::domain::event::ApprovalAsked;
use crate::domain::probing::{ProbingWindows, Spot};
use crate::domain::request::{RequestMark, digest};
use crate::domain::settle::{Act, Desk, Shelf, Speaker};
use crate::domain::{Alphabet, Event, Lengths, LexiconName, SlipRecord};
use crate::lexicon::Opened;
use crate::present::Present;
use crate::store::{Draft, Watch};

use super::error::WebError;
use super::keyed::{Answered, decided};
use super::submission::Submission;
use super::who::Who;

impl Shelf for Present {
    type List = Opened;

    fn opened(&self, name: &LexiconName) -> Option<Arc<Opened>> {
        Self::opened(self, name)
    }

    fn lengths(&self, name: &LexiconName) -> Option<Lengths> {
        Self::lengths(self, name)
    }

    fn alphabet(&self, name: &LexiconName) -> Option<Arc<Alphabet>> {
        Self::alphabet(self, name)
    }
}

/// The desk of a slip as things are at present.
pub fn desk<'p>(present: &'p Present, record: &SlipRecord) -> Desk<'p, Present> {
    Desk { floor: &present.floor, shelf: present, judges: present.judges(&record.tournament) }
}

/// How far apart slips of a slip's division can be filed and still tell of each other.
pub fn windows(present: &Present, record: &SlipRecord) -> ProbingWindows {
    let tournament = present.floor.tournament(&record.tournament);
    let division = tournament.and_then(|tournament| tournament.division(&record.slip.division).ok());
    division.map(ProbingWindows::of).unwrap_or_default()
}

/// Has what was said of a slip decided, and answers with the committed entry. A key that was answered before gets
/// that entry again.
///
/// # Errors
/// 404 where the asker has no such slip; what the desk refuses; 409 `wrong-state` where others are always faster.
pub async fn settle(
    app: &App,
    who: &Who,
    record: SlipRecord,
    route: &str,
    sent: &Submission,
    act: Act<'_>,
) -> Result<Answered, WebError> {
    let present = who.present();
    let id = record.slip.id.clone();
    let alphabet = present.alphabet(&record.lexicon).ok_or(WebError::Internal)?;
    let digest = digest(&format!("slips/{id}/{route}"), &sent.said, &alphabet);
    let speaker = Speaker { actor: who.actor(), role: who.0.role, plays: who.0.plays.clone() };
    let tournament = present.floor.tournament(&record.tournament).ok_or(WebError::NotFound)?;
    let approval = app.world.fresh_id()?;
    let windows = windows(&present, &record);
    let decide = |record: &SlipRecord, request: Option<RequestMark>| {
        let event = desk(&present, record).decide(record, &speaker, act, &sent.said, request.clone())?;
        // What could not be done is refused before anybody is asked to approve it.
        let event = match tournament.asks_another(act, speaker.role, record, &sent.said) {
            None => event,
            Some(act) => Event::ApprovalAsked(ApprovalAsked {
                approval: approval.clone(),
                act,
                request,
                program: crate::PROGRAM.to_owned(),
            }),
        };
        let draft = Draft::of(&record.tournament, speaker.actor.clone(), event);
        Ok(match act {
            Act::Correct { .. } if speaker.role.speaks_for_players() => {
                draft.watched(Watch::Correction(Box::new(record.clone()), windows))
            }
            _ => draft,
        })
    };
    decided(app, who, sent, digest, record, decide, || who.slip(app, &id)).await
}

/// Corrects what was mis-entered, beside the slips near it. A station that failed its test corrects nothing.
///
/// # Errors
/// 409 `station-closed`; as [`settle`].
pub async fn correct(app: &App, who: &Who, record: SlipRecord, sent: &Submission) -> Result<Answered, WebError> {
    if who.present().floor.is_closed(&who.0.id) {
        return Err(WebError::StationClosed);
    }
    let near =
        if who.0.role.speaks_for_players() { app.ledger.slips_near(Spot::of(&record)).await? } else { Vec::new() };
    settle(app, who, record, "corrections", sent, Act::Correct { near: &near }).await
}
