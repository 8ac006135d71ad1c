//! What a judge or director says of a slip that is on record: decided on the record as it is, and recorded on that
//! state and no other.

use crate::app::App;
use crate::domain::penalty::{Challenged, penalty};
use crate::domain::request::{RequestMark, digest};
use crate::domain::{Event, Penalty, Ruling, SlipRecord, is_any_listed};
use crate::present::Present;
use crate::store::{Draft, Recorded};

use super::challenge::{Answered, earlier_answer, same_request, second_lexicon};
use super::error::WebError;
use super::submission::Submission;
use super::who::Who;

/// How often is decided anew where somebody else was faster.
const TRIES: usize = 5;

/// A slip, and what can be said of it.
pub struct Settling<'a> {
    pub record: &'a SlipRecord,
    pub request: Option<RequestMark>,
    present: &'a Present,
}

/// Has `decide` settle a slip, and answers with the committed entry. A key that was answered before gets that entry
/// again.
///
/// # Errors
/// 404 where the asker has no such slip; what `decide` refuses; 409 `wrong-state` where others are always faster.
pub async fn settle(
    app: &App,
    who: &Who,
    mut record: SlipRecord,
    route: &str,
    sent: &Submission,
    decide: impl Fn(Settling<'_>) -> Result<Event, WebError>,
) -> Result<Answered, WebError> {
    let present = app.present();
    let id = record.slip.id.clone();
    let alphabet = present.alphabet(&record.lexicon).ok_or(WebError::Internal)?;
    let digest = digest(&format!("slips/{id}/{route}"), &sent.said, &alphabet);
    if let Some(entry) = earlier_answer(app, who, sent).await? {
        return same_request(entry, digest.as_deref());
    }
    let key = sent.key.as_ref().map(|key| key.as_str().to_owned());
    let request = key.zip(digest.clone()).map(|(key, digest)| RequestMark { key, digest });
    for _ in 0..TRIES {
        let event = decide(Settling { record: &record, request: request.clone(), present: &present })?;
        let draft = Draft { log: record.tournament.clone(), actor: who.actor(), event };
        match app.scribe.record(draft).await? {
            Recorded::New(entry) => return Ok(Answered { entry, replayed: false }),
            Recorded::Before(entry) => return same_request(entry, digest.as_deref()),
            Recorded::Stale => record = who.slip(app, &id).await?,
        }
    }
    Err(WebError::Overtaken)
}

impl Settling<'_> {
    /// The penalty where this ruling stands.
    ///
    /// # Errors
    /// 409 `no-active-lexicon` where a second lexicon decides about a waiver and is not there.
    pub fn penalty(&self, ruling: Ruling) -> Result<Penalty, WebError> {
        let tournament = self.present.floor.tournament(&self.record.tournament).ok_or(WebError::NotFound)?;
        let division = tournament.division(&self.record.slip.division)?;
        let mut any_in_second = false;
        if ruling == Ruling::Acceptable
            && let Some(second) = second_lexicon(self.present, division)?
        {
            let words = self.record.words.iter().filter_map(|word| second.alphabet().read(word).ok().flatten());
            any_in_second = is_any_listed(&words.collect::<Vec<_>>(), &*second);
        }
        let slip = &self.record.slip;
        let play = Challenged { words: self.record.words.len(), out_play: slip.out_play, any_in_second };
        Ok(penalty(&division.ruleset, division.settings.choices(), ruling, play))
    }
}
