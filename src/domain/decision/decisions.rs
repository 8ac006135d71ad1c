//! Decisions about a slip that is on record: collects the rules and lexica of that slip and decides an action by them.
//! The station, the tablet and the API all use this module.

use std::sync::Arc;

use super::claim::{claim, give_back};
use super::context::DecisionContext;
use super::correction::{Correction, LookedUp};
use super::disposition::Disposal;
use super::lapse::Lapse;
use super::opinion::OpinionOnRuling;
use super::question::{IN_QUESTION, Settlement};
use super::release::{Decision, Release};
use super::review::{Answer, ManualLookup, Opinion, ReviewRequest, adjudicated};
use super::ruling::DirectorsRuling;
use crate::domain::alphabet::Alphabet;
use crate::domain::compensation::{Claim, added};
use crate::domain::event::{CompensationDecided, Event, Method, NextOpinion, Released, ReviewReason};
use crate::domain::fault::{FaultCode, Faults};
use crate::domain::fields::{Fields, RequestBody};
use crate::domain::ledger::Actor;
use crate::domain::lexicon::{Lengths, Lexicon, LexiconName};
use crate::domain::penalty::{Challenged, Penalty, ended, penalty, reversing};
use crate::domain::player_name::NamePolicy;
use crate::domain::probing::ProbingWindows;
use crate::domain::record::SlipRecord;
use crate::domain::refusal::Refusal;
use crate::domain::request::RequestMark;
use crate::domain::role::{Action, Role};
use crate::domain::ruleset::Ruleset;
use crate::domain::ruling::{Ruling, adjudicate, is_any_listed};
use crate::domain::settings::Settings;
use crate::domain::setup::{Division, Setup, Tournament};
use crate::domain::slip::{outside, read_words};
use crate::domain::word::Word;

/// Gives access to the lexica.
pub trait Lexica {
    type List: Lexicon;

    /// The lexicon of this name, if it was opened and verified.
    fn opened(&self, name: &LexiconName) -> Option<Arc<Self::List>>;

    /// The word lengths that a lexicon covers, whether it is open or not.
    fn lengths(&self, name: &LexiconName) -> Option<Lengths>;

    /// The alphabet of a lexicon, whether it is open or not.
    fn alphabet(&self, name: &LexiconName) -> Option<Arc<Alphabet>>;
}

/// The state that a decision is based on: the set-up, the lexica and the number of judges.
#[derive(Clone, Copy, Debug)]
pub struct Decisions<'a, S> {
    pub setup: &'a Setup,
    pub lexica: &'a S,
    /// How many judges the slip's tournament has. Directors do not count.
    pub judges: usize,
}

/// The person or device that asks for a decision.
#[derive(Clone, Debug)]
pub struct Asker {
    pub actor: Actor,
    pub role: Role,
    /// The player that the asker is, if they also play.
    pub plays: Option<String>,
}

/// What the asker wants to do to a slip.
#[derive(Clone, Copy, Debug)]
pub enum SlipAction<'a> {
    /// Request another opinion; the review gets this id.
    RequestReview {
        id: &'a str,
    },
    /// Give the opinion that the review of this id needs.
    AnswerReview {
        id: &'a str,
    },
    /// Look a waiting slip up in other sources.
    LookUpManually,
    /// Correct a mis-entered slip, given its neighbouring slips.
    Correct {
        near: &'a [SlipRecord],
    },
    Release,
    Lapse,
    Dispose,
    Rule,
    /// Confirm what the ledger records of a slip in question.
    Settle,
    GiveOpinion,
    Compensate,
    /// Claim the item of this id in the queue.
    Claim {
        item: &'a str,
    },
    GiveBack {
        item: &'a str,
    },
}

impl SlipAction<'_> {
    /// The permission that this action needs.
    #[must_use]
    pub const fn action(self) -> Action {
        match self {
            Self::RequestReview { .. } | Self::Correct { .. } | Self::Dispose => Action::SpeakOfSlip,
            Self::AnswerReview { .. }
            | Self::LookUpManually
            | Self::Release
            | Self::Lapse
            | Self::Claim { .. }
            | Self::GiveBack { .. } => Action::AdjudicateSlip,
            Self::Rule | Self::Settle | Self::GiveOpinion | Self::Compensate => Action::RuleOnSlip,
        }
    }
}

impl<S: Lexica> Decisions<'_, S> {
    /// Decides an action on a slip: gives the event that records it, or the refusal.
    ///
    /// # Errors
    /// `forbidden` where the asker's role may not do this; then the refusals that the action's own type documents, in
    /// its order.
    pub fn decide(
        &self,
        record: &SlipRecord,
        asker: &Asker,
        act: SlipAction<'_>,
        body: &RequestBody,
        request: Option<RequestMark>,
    ) -> Result<Event, Refusal> {
        if !asker.role.may(act.action()) {
            return Err(Refusal::Forbidden("this role does not say that of a slip"));
        }
        if record.in_question && !matches!(act, SlipAction::Rule | SlipAction::Settle) {
            return Err(Refusal::wrong_state(IN_QUESTION));
        }
        let tournament = self.setup.tournament(&record.tournament).ok_or(Refusal::Unreadable)?;
        let division = tournament.division(&record.slip.division)?;
        let (ruleset, settings) = self.rules_of(record, division)?;
        let alphabet = self.lexica.alphabet(&record.lexicon).ok_or(Refusal::Unreadable)?;
        // The asker is compared with the players' names as the tournament records them.
        let plays = division.names.apply(asker.plays.clone());
        let before = DecisionContext {
            record,
            ruleset: &ruleset,
            asker: &asker.actor,
            role: asker.role,
            plays: plays.as_deref(),
            may_judge_again: self.may_judge_again(tournament),
            is_covered: self.is_covered(record, &alphabet),
            request,
        };
        let (names, probing_windows) = (division.names, ProbingWindows::of(division));
        let case = DecisionCase { before, lexica: self.lexica, names, probing_windows, settings, alphabet: &alphabet };
        case.decide(act, body)
    }

    /// How the next opinion would be formed if players asked for one now.
    ///
    /// # Errors
    /// Why they cannot.
    pub fn next_for_players(&self, record: &SlipRecord) -> Result<NextOpinion, Refusal> {
        let look_up = self.next_opinion_for(record, ReviewReason::Disagree);
        look_up.or_else(|why| self.next_opinion_for(record, ReviewReason::MachineDoubted).map_err(|_| why))
    }

    /// Whether players may ask for a review for this reason now.
    #[must_use]
    pub fn may_ask(&self, record: &SlipRecord, reason: ReviewReason) -> bool {
        self.next_opinion_for(record, reason).is_ok()
    }

    fn next_opinion_for(&self, record: &SlipRecord, reason: ReviewReason) -> Result<NextOpinion, Refusal> {
        let tournament = self.setup.tournament(&record.tournament).ok_or(Refusal::Unreadable)?;
        let (ruleset, _) = self.rules_of(record, tournament.division(&record.slip.division)?)?;
        let alphabet = self.lexica.alphabet(&record.lexicon).ok_or(Refusal::Unreadable)?;
        record.next_opinion_for(reason, &ruleset, self.is_covered(record, &alphabet))
    }

    /// The rules of a slip: the ruleset and the division's settings as they were when it was filed. Entries of earlier
    /// versions name the ruleset only; these slips go by what it and the settings are now.
    fn rules_of<'r>(&self, record: &'r SlipRecord, division: &'r Division) -> Result<(Ruleset, &'r Settings), Refusal> {
        let slip = &record.slip;
        let settings = if slip.ruleset_sha256.is_some() { &slip.settings } else { &division.settings };
        let ruleset = self.setup.ruleset_then(&slip.ruleset, slip.ruleset_sha256.as_deref());
        let mut ruleset = ruleset.ok_or(Refusal::Unreadable)?;
        if let Some(then) = settings.not_found {
            ruleset.not_found.then = then;
        }
        Ok((ruleset, settings))
    }

    /// Whether a person who judged a slip may judge it again: the tournament allows it, or has no other judge. Source:
    /// D 6.
    fn may_judge_again(&self, tournament: &Tournament) -> bool {
        tournament.settings.same_judge() || self.judges == 1
    }

    /// Whether the slip's lexicon covers all of its words. An unknown lexicon covers none.
    fn is_covered(&self, record: &SlipRecord, alphabet: &Alphabet) -> bool {
        let Some(covered) = self.lexica.lengths(&record.lexicon) else { return false };
        readable(&record.words, alphabet).is_some_and(|words| words.iter().all(|word| covered.cover(word.tiles())))
    }
}

fn readable(words: &[String], alphabet: &Alphabet) -> Option<Vec<Word>> {
    words.iter().map(|written| alphabet.read(written).ok().flatten()).collect()
}

fn written(words: &[Word]) -> Vec<String> {
    words.iter().map(ToString::to_string).collect()
}

/// One slip with everything that a decision on it needs.
struct DecisionCase<'a, S> {
    before: DecisionContext<'a>,
    lexica: &'a S,
    /// How much the tournament records of players' names.
    names: NamePolicy,
    /// How far apart slips of the division can be filed and still reveal something about each other.
    probing_windows: ProbingWindows,
    /// The division's settings that apply to the slip.
    settings: &'a Settings,
    alphabet: &'a Alphabet,
}

impl<S: Lexica> DecisionCase<'_, S> {
    fn decide(self, act: SlipAction<'_>, body: &RequestBody) -> Result<Event, Refusal> {
        Ok(match act {
            SlipAction::RequestReview { id } => {
                let asked = ReviewRequest::read(body)?.with_names(self.names);
                Event::ReviewRequested(asked.into_event(self.before, id.to_owned())?)
            }
            SlipAction::AnswerReview { id } => self.answer(id, body)?,
            SlipAction::LookUpManually => {
                let found = ManualLookup::read(body)?;
                self.before.check_other_game()?;
                ManualLookup::check_waiting(&self.before)?;
                let penalty = self.penalty(found.ruling, &self.words()?)?;
                Event::SlipAdjudicated(found.of_waiting(self.before, penalty))
            }
            SlipAction::Correct { near } => self.correct(near, body)?,
            SlipAction::Release => self.release(body)?,
            SlipAction::Lapse => {
                let lapse = Lapse::read(body)?;
                self.before.check_other_game()?;
                Event::SlipLapsed(lapse.into_event(self.before)?)
            }
            SlipAction::Dispose => {
                let Disposal(disposition) = Disposal::read(body)?;
                self.before.check_other_game()?;
                let penalty = self.penalty_of(&disposition);
                Event::SlipDisposed(Disposal(disposition).into_event(self.before, penalty)?)
            }
            SlipAction::Rule => {
                let ruling = DirectorsRuling::read(body)?;
                self.before.check_other_game()?;
                DirectorsRuling::check(&self.before)?;
                let penalty = self.penalty(ruling.ruling, &self.words()?)?;
                Event::DirectorRuled(ruling.into_event(self.before, penalty))
            }
            SlipAction::Settle => {
                let settlement = Settlement::read(body)?;
                self.before.check_other_game()?;
                Event::SlipSettled(settlement.into_event(self.before)?)
            }
            SlipAction::GiveOpinion => {
                let opinion = OpinionOnRuling::read(body, self.before.record)?;
                OpinionOnRuling::check(&self.before)?;
                self.before.check_other_game()?;
                let penalty = self.penalty(opinion.ruling, &self.words()?)?;
                Event::DirectorsRulingReviewed(opinion.into_event(self.before, penalty)?)
            }
            SlipAction::Compensate => self.compensate(body)?,
            SlipAction::Claim { item } => {
                nothing_is(body)?;
                Event::ItemClaimed(claim(self.before, item)?)
            }
            SlipAction::GiveBack { item } => {
                nothing_is(body)?;
                Event::ItemGivenBack(give_back(self.before, item)?)
            }
        })
    }

    fn answer(self, id: &str, body: &RequestBody) -> Result<Event, Refusal> {
        let answer = Answer::read(body)?;
        let board = match &answer {
            Answer::Lookup { board: Some(typed) } => Some(written(&self.read(typed)?)),
            Answer::Lookup { board: None } | Answer::Manual(_) => None,
        };
        answer.check(&self.before, id, board.as_deref())?;
        let words = self.words()?;
        let opinion = match answer {
            Answer::Lookup { .. } => {
                let (lexicon, ruling) = self.look_up(&words)?;
                let penalty = self.penalty(ruling, &words)?;
                Opinion { method: Method::Lookup, ruling, lexicon: Some(lexicon), sources: Vec::new(), penalty }
            }
            Answer::Manual(ManualLookup { ruling, sources }) => {
                let penalty = self.penalty(ruling, &words)?;
                Opinion { method: Method::Manual, ruling, lexicon: None, sources, penalty }
            }
        };
        Ok(Event::SlipAdjudicated(adjudicated(self.before, opinion)))
    }

    fn correct(self, near: &[SlipRecord], body: &RequestBody) -> Result<Event, Refusal> {
        let correction = Correction::read(body)?;
        correction.check(&self.before)?;
        let read = self.read(&correction.typed);
        // A word that would reveal another slip's result is refused before any fault of its letters is reported.
        if let Ok(words) = &read {
            Correction::check_words(&self.before, &written(words), near, self.probing_windows)?;
        }
        self.lexicon(&self.before.record.lexicon)?;
        let words = read?;
        self.check_covered(&words)?;
        let tiles = |written: &[String]| -> Vec<String> {
            written.iter().flat_map(|word| self.alphabet.split_written(word)).collect()
        };
        Correction::check_difference(&self.before, &tiles(&self.before.record.words), &tiles(&written(&words)))?;
        let (lexicon, ruling) = self.look_up(&words)?;
        let penalty = self.penalty(ruling, &words)?;
        let looked_up = LookedUp { words: written(&words), lexicon, ruling, penalty };
        Ok(Event::SlipCorrected(correction.into_event(self.before, looked_up)))
    }

    fn release(self, body: &RequestBody) -> Result<Event, Refusal> {
        let release = Release::read(body)?;
        Release::check(&self.before)?;
        self.before.check_other_game()?;
        let ruled = match release.decision {
            Decision::SamePlay => None,
            Decision::NewPlay => {
                let words = self.words()?;
                let (lexicon, ruling) = self.look_up(&words)?;
                Some(Released { lexicon, ruling, penalty: self.penalty(ruling, &words)? })
            }
        };
        Ok(Event::SlipReleased(Release::of(self.before, ruled)))
    }

    fn compensate(self, body: &RequestBody) -> Result<Event, Refusal> {
        let added = added(self.before.ruleset)?;
        let claim = Claim::read(body)?;
        self.before.check_other_game()?;
        let decision = claim.decide(self.before.record, added)?;
        Ok(Event::CompensationDecided(CompensationDecided {
            follows: self.before.record.follows(),
            claim,
            decision,
            request: self.before.request,
            program: crate::PROGRAM.to_owned(),
        }))
    }

    /// A lexicon of the slip, opened and verified. There is no fallback.
    fn lexicon(&self, name: &LexiconName) -> Result<Arc<S::List>, Refusal> {
        self.lexica.opened(name).ok_or_else(|| {
            let detail = format!(
                "the lexicon {} that this slip was filed under is not loaded or failed its check: call the director",
                name.id
            );
            Faults::one("slip", FaultCode::NoActiveLexicon, detail).into()
        })
    }

    fn read(&self, typed: &[String]) -> Result<Vec<Word>, Faults> {
        read_words(self.alphabet, typed, self.settings.max_tiles())
    }

    /// The slip's own words, as tiles.
    fn words(&self) -> Result<Vec<Word>, Refusal> {
        readable(&self.before.record.words, self.alphabet).ok_or(Refusal::Unreadable)
    }

    /// Looks words up in the slip's lexicon, which must cover all of them.
    fn look_up(&self, words: &[Word]) -> Result<(LexiconName, Ruling), Refusal> {
        let name = &self.before.record.lexicon;
        let lexicon = self.lexicon(name)?;
        self.check_covered(words)?;
        Ok((name.clone(), adjudicate(words, &*lexicon)))
    }

    /// Checks that the slip's lexicon covers words.
    fn check_covered(&self, words: &[Word]) -> Result<(), Refusal> {
        let covered = self.lexica.lengths(&self.before.record.lexicon).ok_or(Refusal::Unreadable)?;
        let outside = outside(words, covered, "nothing is recorded, the director rules on it");
        outside.map_or(Ok(()), |faults| Err(faults.into()))
    }

    /// The penalty where this ruling stands on these words; none for a free look-up.
    fn penalty(&self, ruling: Ruling, words: &[Word]) -> Result<Option<Penalty>, Refusal> {
        let (record, ruleset) = (self.before.record, self.before.ruleset);
        if record.slip.free_lookup {
            return Ok(None);
        }
        let decides = |_: &&LexiconName| ruling == Ruling::Acceptable && ruleset.needs_second();
        let second = record.second.as_ref().filter(decides).map(|name| self.lexicon(name)).transpose()?;
        let any_in_second = second.is_some_and(|second| is_any_listed(words, &*second));
        let play = Challenged {
            words: words.len(),
            out_play: record.slip.out_play,
            earlier: record.slip.earlier.unwrap_or_default(),
            any_in_second,
        };
        let now = penalty(ruleset, self.settings.choices(), ruling, play);
        Ok(Some(match &record.penalty {
            Some(standing) => reversing(standing, now),
            None => now,
        }))
    }

    /// What follows where the challenge ends in this way.
    fn penalty_of(&self, disposition: &crate::domain::event::Disposition) -> Option<Penalty> {
        let record = self.before.record;
        let play = Challenged {
            words: record.words.len(),
            out_play: record.slip.out_play,
            earlier: record.slip.earlier.unwrap_or_default(),
            any_in_second: true,
        };
        let follows = || ended(self.before.ruleset, self.settings.choices(), disposition.kind, play);
        (!record.slip.free_lookup).then(follows).flatten()
    }
}

fn nothing_is(body: &RequestBody) -> Result<(), Faults> {
    Fields::of(body, FaultCode::InvalidRequest).finish(Some(()))
}
