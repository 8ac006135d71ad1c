//! What is said of a slip that is on record: decided on the record as it is, and recorded on that state and no other.

use std::sync::Arc;

use crate::app::App;
use crate::domain::request::digest;
use crate::domain::settle::{Act, Desk, Shelf, Speaker};
use crate::domain::{Alphabet, Lengths, LexiconName, SlipRecord};
use crate::lexicon::Opened;
use crate::present::Present;
use crate::store::{Draft, Recorded, Watch};

use super::challenge::{Answered, answered_before, same_request};
use super::error::WebError;
use super::submission::Submission;
use super::who::Who;

/// How often is decided anew where somebody else was faster.
const TRIES: usize = 5;

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

/// Has what was said of a slip decided, and answers with the committed entry. A key that was answered before gets
/// that entry again.
///
/// # Errors
/// 404 where the asker has no such slip; what the desk refuses; 409 `wrong-state` where others are always faster.
pub async fn settle(
    app: &App,
    who: &Who,
    mut record: SlipRecord,
    route: &str,
    sent: &Submission,
    act: Act<'_>,
) -> Result<Answered, WebError> {
    let present = app.present();
    let id = record.slip.id.clone();
    let alphabet = present.alphabet(&record.lexicon).ok_or(WebError::Internal)?;
    let digest = digest(&format!("slips/{id}/{route}"), &sent.said, &alphabet);
    if let Some(answered) = answered_before(app, who, sent, digest.as_deref()).await? {
        return Ok(answered);
    }
    let (request, speaker) = (sent.mark(digest.clone()), Speaker { actor: who.actor(), role: who.0.role });
    for _ in 0..TRIES {
        let event = desk(&present, &record).decide(&record, &speaker, act, &sent.said, request.clone())?;
        let draft = Draft::of(&record.tournament, speaker.actor.clone(), event);
        let draft = match act {
            Act::Correct { .. } if speaker.role.speaks_for_players() => {
                draft.watched(Watch::Correction(Box::new(record.clone())))
            }
            _ => draft,
        };
        match app.scribe.record(draft).await? {
            Recorded::New(entry) => return Ok(Answered { entry, replayed: false }),
            Recorded::Before(entry) => return same_request(entry, digest.as_deref()),
            Recorded::Stale => record = who.slip(app, &id).await?,
        }
    }
    Err(WebError::Overtaken)
}
