//! What is said of a slip that is on record: decided on the record as it is, and recorded on that state and no other.

use std::sync::Arc;

use crate::app::App;
use crate::domain::event::{NextOpinion, Player};
use crate::domain::penalty::{Challenged, conceded, nothing, penalty, reversing};
use crate::domain::request::{RequestMark, digest};
use crate::domain::ruleset::DispositionKind;
use crate::domain::settle::Before;
use crate::domain::{
    Alphabet, Division, Event, Faults, Lengths, LexiconName, Penalty, Ruleset, Ruling, SlipRecord, Slug, Tournament,
    Word, adjudicate, is_any_listed,
};
use crate::lexicon::Opened;
use crate::present::Present;
use crate::store::{Draft, Recorded, Watch};

use super::challenge::{Answered, answered_before, same_request};
use super::error::WebError;
use super::submission::Submission;
use super::who::Who;

/// How often is decided anew where somebody else was faster.
const TRIES: usize = 5;

/// A slip, and what can be said of it.
pub struct Settling<'a> {
    pub before: Before<'a>,
    present: &'a Present,
    division: &'a Division,
    alphabet: Arc<Alphabet>,
}

/// What is recorded, and whether it is weighed beside the slips near it first.
pub struct Decided {
    event: Event,
    watch: Option<Watch>,
}

impl From<Event> for Decided {
    fn from(event: Event) -> Self {
        Self { event, watch: None }
    }
}

impl Decided {
    pub fn watched(self, watch: Watch) -> Self {
        Self { watch: Some(watch), ..self }
    }
}

/// Has `decide` settle a slip, and answers with the committed entry. A key that was answered before gets that entry
/// again.
///
/// # Errors
/// 404 where the asker has no such slip; what `decide` refuses; 409 `wrong-state` where others are always faster.
pub async fn settle<D: Into<Decided>>(
    app: &App,
    who: &Who,
    mut record: SlipRecord,
    route: &str,
    sent: &Submission,
    decide: impl Fn(Settling<'_>) -> Result<D, WebError>,
) -> Result<Answered, WebError> {
    let present = app.present();
    let id = record.slip.id.clone();
    let alphabet = present.alphabet(&record.lexicon).ok_or(WebError::Internal)?;
    let digest = digest(&format!("slips/{id}/{route}"), &sent.said, &alphabet);
    if let Some(answered) = answered_before(app, who, sent, digest.as_deref()).await? {
        return Ok(answered);
    }
    let tournament = present.floor.tournament(&record.tournament).ok_or(WebError::NotFound)?;
    let division = tournament.division(&record.slip.division)?;
    let ruleset = rules_of(&present, &record, division)?;
    let request = sent.mark(digest.clone());
    let asker = who.actor();
    for _ in 0..TRIES {
        let before = Before {
            record: &record,
            ruleset: &ruleset,
            asker: &asker,
            role: who.0.role,
            may_judge_again: may_judge_again(&present, tournament),
            is_covered: is_covered(&present, &record, &alphabet),
            request: request.clone(),
        };
        let slip = Settling { before, present: &present, division, alphabet: Arc::clone(&alphabet) };
        let Decided { event, watch } = decide(slip)?.into();
        let draft = Draft { watch, ..Draft::of(&record.tournament, asker.clone(), event) };
        match app.scribe.record(draft).await? {
            Recorded::New(entry) => return Ok(Answered { entry, replayed: false }),
            Recorded::Before(entry) => return same_request(entry, digest.as_deref()),
            Recorded::Stale => record = who.slip(app, &id).await?,
        }
    }
    Err(WebError::Overtaken)
}

/// The rules of a slip: those of the ruleset that it was filed under, with the division's own choice.
fn rules_of(present: &Present, record: &SlipRecord, division: &Division) -> Result<Ruleset, WebError> {
    let mut ruleset = present.floor.ruleset(&record.slip.ruleset).ok_or(WebError::Internal)?;
    if let Some(then) = division.settings.not_found {
        ruleset.not_found.then = then;
    }
    Ok(ruleset)
}

/// Whether a slip may be judged again by whoever judged it: the event says so, or has no other judge. Source: D 6.
fn may_judge_again(present: &Present, tournament: &Tournament) -> bool {
    tournament.settings.same_judge() || present.judges(&tournament.id) == 1
}

/// Whether the slip's lexicon says anything about all of its words. A lexicon that is not known covers nothing.
fn is_covered(present: &Present, record: &SlipRecord, alphabet: &Alphabet) -> bool {
    let Some(covered) = present.lengths(&record.lexicon) else { return false };
    readable(&record.words, alphabet).is_some_and(|words| words.iter().all(|word| covered.cover(word.tiles())))
}

fn readable(words: &[String], alphabet: &Alphabet) -> Option<Vec<Word>> {
    words.iter().map(|written| alphabet.read(written).ok().flatten()).collect()
}

/// Whether an earlier view of a slip's review says what a judge would be asked for; for those who only read.
pub fn next_for_players(present: &Present, record: &SlipRecord) -> Result<NextOpinion, String> {
    use crate::domain::event::ReviewReason::{Disagree, MachineDoubted};
    let none = || "call the director".to_owned();
    let tournament = present.floor.tournament(&record.tournament).ok_or_else(none)?;
    let division = tournament.division(&record.slip.division).map_err(|_| none())?;
    let ruleset = rules_of(present, record, division).map_err(|_| none())?;
    let look_up = record.next_for(Disagree, &ruleset, true);
    let either = look_up.or_else(|refusal| record.next_for(MachineDoubted, &ruleset, true).map_err(|_| refusal));
    either.map_err(|refusal| refusal.to_string())
}

impl Settling<'_> {
    /// The slip's own lexicon, opened and verified. There is no other to fall back on.
    ///
    /// # Errors
    /// 409 `no-active-lexicon` where it is gone or failed its check.
    fn lexicon(&self, name: &LexiconName) -> Result<Arc<Opened>, WebError> {
        self.present.opened(name).ok_or_else(|| {
            let detail = format!(
                "the lexicon {} that this slip was filed under is not loaded or failed its check: call the director",
                name.id
            );
            WebError::Faults(Faults::one("slip", Slug::NoActiveLexicon, detail))
        })
    }

    /// Whether the slip's own lexicon is there.
    ///
    /// # Errors
    /// 409 `no-active-lexicon`.
    pub fn lexicon_is_there(&self) -> Result<(), WebError> {
        self.lexicon(&self.before.record.lexicon).map(drop)
    }

    /// Reads words as tiles of the slip's alphabet.
    ///
    /// # Errors
    /// 422 `unreadable-word`.
    pub fn read(&self, typed: &[String]) -> Result<Vec<Word>, WebError> {
        let max_tiles = self.division.settings.max_tiles();
        Ok(crate::domain::slip::read_words(&self.alphabet, typed, max_tiles)?)
    }

    /// The slip's own words, as tiles.
    ///
    /// # Errors
    /// 500 where they cannot be read any more, which nothing recorded here leads to.
    pub fn words(&self) -> Result<Vec<Word>, WebError> {
        readable(&self.before.record.words, &self.alphabet).ok_or(WebError::Internal)
    }

    /// Looks words up in the slip's lexicon.
    ///
    /// # Errors
    /// 409 `no-active-lexicon`; 422 `needs-manual-lookup` where it does not cover a word.
    pub fn look_up(&self, words: &[Word]) -> Result<(LexiconName, Ruling), WebError> {
        let lexicon = self.lexicon(&self.before.record.lexicon)?;
        outside(words, lexicon.lengths())?;
        Ok((lexicon.name().clone(), adjudicate(words, &*lexicon)))
    }

    /// The penalty where this ruling stands on these words; none for a free look-up.
    ///
    /// # Errors
    /// 409 `no-active-lexicon` where a second lexicon decides about a waiver and is not there.
    pub fn penalty(&self, ruling: Ruling, words: &[Word]) -> Result<Option<Penalty>, WebError> {
        let record = self.before.record;
        if record.slip.free_lookup {
            return Ok(None);
        }
        let second =
            record.second.as_ref().filter(|_| ruling == Ruling::Acceptable && self.before.ruleset.needs_second());
        let second = second.map(|name| self.lexicon(name)).transpose()?;
        let any_in_second = second.is_some_and(|second| is_any_listed(words, &*second));
        let play = Challenged { any_in_second, ..self.play(words.len()) };
        let now = penalty(self.before.ruleset, self.division.settings.choices(), ruling, play);
        Ok(Some(match &record.penalty {
            Some(standing) => reversing(standing, now),
            None => now,
        }))
    }

    fn play(&self, words: usize) -> Challenged {
        Challenged { words, out_play: self.before.record.slip.out_play, any_in_second: true }
    }

    /// What follows where the challenge ends in this way.
    #[must_use]
    pub fn penalty_of(&self, kind: DispositionKind) -> Option<Penalty> {
        let record = self.before.record;
        let play = self.play(record.words.len());
        (!record.slip.free_lookup).then(|| ended(self.before.ruleset, self.division, kind, play)).flatten()
    }
}

fn outside(words: &[Word], covered: Lengths) -> Result<(), WebError> {
    let then = "nothing is recorded, the director rules on it";
    crate::domain::slip::outside(words, covered, then).map_or(Ok(()), |faults| Err(faults.into()))
}

/// What follows where a challenge ends without a look-up; nothing is known of one that was refused.
#[must_use]
pub fn ended(ruleset: &Ruleset, division: &Division, kind: DispositionKind, play: Challenged) -> Option<Penalty> {
    let choices = division.settings.choices();
    match kind {
        DispositionKind::ConcededByChallenger => Some(conceded(ruleset, choices, Player::Challenger, play)),
        DispositionKind::ConcededByOpponent => Some(conceded(ruleset, choices, Player::Opponent, play)),
        DispositionKind::Withdrawn | DispositionKind::Void => Some(nothing(&ruleset.dispositions.rule)),
        DispositionKind::Abandoned => Some(nothing("D 4")),
        DispositionKind::Refused => None,
    }
}

impl Submission {
    /// What an entry remembers of this request, where it has a key.
    #[must_use]
    pub fn mark(&self, digest: Option<String>) -> Option<RequestMark> {
        let key = self.key.as_ref().map(|key| key.as_str().to_owned());
        key.zip(digest).map(|(key, digest)| RequestMark { key, digest })
    }
}
