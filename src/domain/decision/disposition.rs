//! A challenge ends without a look-up: withdrawn, conceded, void, abandoned. None of these rules on a word.
//! Source: NSF II.L.1, NSF II.L.8, NASPA IV.F.1, NASPA IV.I.3, D 3, D 4.

use super::context::DecisionContext;
use crate::domain::alphabet::Alphabet;
use crate::domain::event::{ChallengeDisposed, Declarer, Disposition, SlipDisposed};
use crate::domain::fault::{FaultCode, Faults};
use crate::domain::fields::{Fields, MAX_NOTE_CHARS, RequestBody};
use crate::domain::penalty::{Challenged, Penalty, ended};
use crate::domain::player_name::MAX_NAME_CHARS;
use crate::domain::record::State;
use crate::domain::refusal::Refusal;
use crate::domain::request::RequestMark;
use crate::domain::role::Role;
use crate::domain::ruleset::{DispositionKind, Per, Ruleset, citation};
use crate::domain::setup::Division;
use crate::domain::slip::{ChallengeDetails, check_words, read_words};

const KINDS: &str = "withdrawn, conceded-by-challenger, conceded-by-opponent, void or abandoned";
const DECLARERS: &str = "challenger, opponent, judge, director or third-party";

/// How a slip without a ruling ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disposal(pub Disposition);

/// A challenge that ended before a slip was filed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndedChallenge {
    pub division: Option<String>,
    pub disposition: Disposition,
    /// The challenged words as typed, if they were given.
    pub typed: Option<Vec<String>>,
    pub place: ChallengeDetails,
    pub follows: Option<String>,
}

fn disposition(fields: &mut Fields<'_>) -> Option<Disposition> {
    let kind = fields.required_choice("kind", KINDS);
    let reason = fields.required_text("reason", MAX_NOTE_CHARS);
    let declared_by = if kind == Some(DispositionKind::Abandoned) {
        fields.forbid("declared_by", "nobody declares that a challenge was abandoned: leave declared_by out");
        None
    } else {
        Some(fields.required_choice::<Declarer>("declared_by", DECLARERS))
    };
    // A missing declarer has recorded its own fault.
    kind.zip(reason).map(|(kind, reason)| Disposition { kind, reason, declared_by: declared_by.flatten() })
}

impl EndedChallenge {
    /// Reads a request.
    ///
    /// # Errors
    /// All faults at once, each `invalid-request`.
    pub fn read(body: &RequestBody) -> Result<Self, Faults> {
        let mut fields = Fields::of(body, FaultCode::InvalidRequest);
        let division = fields.line("division", 32);
        let read = disposition(&mut fields);
        let typed = fields.texts("words");
        let place = ChallengeDetails {
            round: fields.number("round", 1..=999),
            table: fields.number("table", 1..=9999),
            challenger: fields.name("challenger"),
            opponent: fields.name("opponent"),
            ..ChallengeDetails::default()
        };
        let follows = fields.line("follows", MAX_NAME_CHARS);
        if typed.is_some() {
            check_words(&mut fields, typed.as_deref(), None);
        }
        if read.as_ref().is_some_and(|read| read.kind == DispositionKind::Abandoned) {
            for field in ["words", "challenger", "opponent"] {
                fields.forbid(field, "nobody is there to say it: an abandoned challenge has no words and no players");
            }
        }
        fields.finish(read).map(|disposition| Self { division, disposition, typed, place, follows })
    }
}

impl EndedChallenge {
    /// The event that records the ended challenge as the slip `id` of a division, whose alphabet reads the words. The
    /// person with this role who declares it may be a player too. It is no free look-up, even if its round is for free
    /// look-ups by now.
    ///
    /// # Errors
    /// `invalid-request` where the penalty needs words and there are none, `unreadable-word`, `own-game`,
    /// `not-in-ruleset`, in this order.
    pub fn into_event(
        self,
        division: &Division,
        alphabet: &Alphabet,
        (role, plays): (Role, Option<&str>),
        id: String,
        request: Option<RequestMark>,
    ) -> Result<ChallengeDisposed, Refusal> {
        let (kind, choices) = (self.disposition.kind, division.settings.choices());
        let price = &division.ruleset.unsuccessful;
        let per = choices.per.or(price.per).filter(|_| price.points.is_some());
        if self.typed.is_none() && needs_words(kind, per) {
            let detail = "points go by the word here: say which words were challenged";
            return Err(Faults::one("words", FaultCode::InvalidRequest, detail).into());
        }
        let typed = self.typed.as_deref().unwrap_or_default();
        if kind == DispositionKind::ConcededByChallenger {
            division.check_challenger(self.place.challenger.as_deref(), FaultCode::InvalidRequest)?;
        }
        let words = read_words(alphabet, typed, division.settings.max_tiles())?;
        if plays.is_some_and(|own| self.place.is_game_of(own)) {
            return Err(Refusal::OwnGame);
        }
        may_say(role, kind, &division.ruleset)?;
        let play = Challenged {
            words: words.len(),
            out_play: false,
            earlier: self.place.earlier.unwrap_or_default(),
            any_in_second: true,
        };
        let slip = division.in_round(self.place).filed(division, id, alphabet.name(), self.follows);
        let penalty = ended(&division.ruleset, choices, kind, play);
        Ok(ChallengeDisposed {
            slip,
            words: words.iter().map(ToString::to_string).collect(),
            lexicon: division.lexicon.clone(),
            disposition: self.disposition,
            penalty,
            request,
            program: crate::PROGRAM.to_owned(),
        })
    }
}

impl Disposal {
    /// Reads a request.
    ///
    /// # Errors
    /// All faults at once, each `invalid-request`.
    pub fn read(body: &RequestBody) -> Result<Self, Faults> {
        let mut fields = Fields::of(body, FaultCode::InvalidRequest);
        let read = disposition(&mut fields);
        fields.finish(read).map(Self)
    }

    /// The event that ends a slip without a ruling.
    ///
    /// # Errors
    /// `not-in-ruleset`, `wrong-state`, in this order.
    pub fn into_event(self, before: DecisionContext<'_>, penalty: Option<Penalty>) -> Result<SlipDisposed, Refusal> {
        may_say(before.role, self.0.kind, before.ruleset)?;
        if !before.role.speaks_for_players() {
            before.check_claim()?;
        }
        match before.record.state {
            State::AwaitingManualLookup | State::Held => Ok(SlipDisposed {
                follows: before.record.follows(),
                disposition: self.0,
                penalty,
                request: before.request,
                program: crate::PROGRAM.to_owned(),
            }),
            State::Disposed => Err(Refusal::wrong_state("this challenge has ended already")),
            State::Ruled | State::UnderReview | State::Final | State::Lapsed => {
                Err(Refusal::wrong_state("this slip has a ruling: it cannot be taken back any more"))
            }
        }
    }
}

/// Checks that this role may end a challenge in this way. Players may declare what their ruleset names, a station also
/// that the challenge was abandoned, a judge or director everything but a refusal. Source: RULES section 3, D 3, D 4.
///
/// # Errors
/// `not-in-ruleset`.
fn may_say(role: Role, kind: DispositionKind, ruleset: &Ruleset) -> Result<(), Refusal> {
    let dispositions = &ruleset.dispositions;
    let is_allowed = match kind {
        DispositionKind::Refused => false,
        DispositionKind::Abandoned if role == Role::Station => true,
        _ if role.speaks_for_players() => dispositions.by_players.contains(&kind),
        _ => true,
    };
    if is_allowed {
        return Ok(());
    }
    let (title, cited) = (&ruleset.title, citation(&dispositions.rule));
    Err(Refusal::NotInRuleset(match kind {
        DispositionKind::Refused => "a challenge is refused only by releasing a held slip".to_owned(),
        _ => format!("under {title} players do not end a challenge in this way{cited}: call a judge"),
    }))
}

/// Whether the penalty depends on the challenged words: where points are counted by the word. Source: D 3.
fn needs_words(kind: DispositionKind, per: Option<Per>) -> bool {
    kind == DispositionKind::ConcededByChallenger && per == Some(Per::Word)
}
