//! Adjudication: from a slip as typed to a ruling, or to the reason why there is none yet, and to the event that
//! records it.

use super::alphabet::Alphabet;
use super::event::{Event, FiledSlip, Method, SlipAwaitsManualLookup, SlipRuled};
use super::fault::Faults;
use super::lexicon::{Lengths, Lexicon, LexiconName};
use super::penalty::{Challenged, Penalty, penalty};
use super::request::RequestMark;
use super::ruling::{Ruling, adjudicate, is_any_listed};
use super::slip::{ChallengeDetails, RawSlip, Slip};
use crate::domain::setup::Division;

/// A division's opened lexica and their alphabet.
#[derive(Debug)]
pub struct DivisionLexica<'a, L> {
    pub lexicon: &'a L,
    pub second: Option<&'a L>,
    pub alphabet: &'a Alphabet,
    /// The word lengths that the lexicon covers.
    pub covered: Lengths,
}

/// An adjudicated slip, ready to be recorded.
#[derive(Debug, PartialEq, Eq)]
pub enum Adjudicated {
    Ruled {
        slip: Slip,
        ruling: Ruling,
        /// None for a free look-up, which has no penalty.
        penalty: Option<Penalty>,
    },
    /// The lexicon does not cover the length of a word: a judge looks it up in other sources.
    AwaitsManualLookup { slip: Slip, faults: Faults },
}

/// Adjudicates a slip in a division.
///
/// # Errors
/// All `unreadable-word` faults at once. No word is looked up then.
pub fn adjudicate_slip<L: Lexicon>(
    raw: RawSlip,
    division: &Division,
    lexica: &DivisionLexica<'_, L>,
) -> Result<Adjudicated, Faults> {
    let slip = raw.parse(lexica.alphabet, division.settings.max_tiles())?;
    if let Some(faults) = slip.outside(lexica.covered) {
        return Ok(Adjudicated::AwaitsManualLookup { slip, faults });
    }
    let ruling = adjudicate(&slip.words, lexica.lexicon);
    // The second lexicon never changes an unacceptable ruling, so it is consulted for acceptable plays only.
    let asked = lexica.second.filter(|_| ruling == Ruling::Acceptable);
    let play = Challenged {
        words: slip.words.len(),
        out_play: slip.place.out_play,
        earlier: slip.place.earlier.unwrap_or_default(),
        any_in_second: asked.is_some_and(|second| is_any_listed(&slip.words, second)),
    };
    let penalty = (!division.rounds.is_free(slip.place.round))
        .then(|| penalty(&division.ruleset, division.settings.choices(), ruling, play));
    Ok(Adjudicated::Ruled { slip, ruling, penalty })
}

/// What is recorded of a slip beside its adjudication.
#[derive(Clone, Debug)]
pub struct FilingDetails {
    /// The slip's id, a `UUIDv7`.
    pub id: String,
    pub method: Method,
    pub lexicon: LexiconName,
    /// The name of the alphabet that reads the words.
    pub alphabet: String,
    pub request: Option<RequestMark>,
    pub program: String,
}

impl Adjudicated {
    /// The event that records the adjudicated slip. The ledger assigns the slip's number.
    #[must_use]
    pub fn into_event(self, division: &Division, filing: FilingDetails) -> Event {
        let (Self::Ruled { slip, .. } | Self::AwaitsManualLookup { slip, .. }) = &self;
        let filed = filed(slip, division, &filing);
        let words = slip.words.iter().map(ToString::to_string).collect();
        let FilingDetails { method, lexicon, request, program, .. } = filing;
        match self {
            Self::Ruled { slip: Slip { typed, .. }, ruling, penalty } => {
                let second = division.second.clone();
                let (slip, shares) = (filed, Vec::new());
                Event::SlipRuled(SlipRuled {
                    slip,
                    method,
                    typed,
                    words,
                    lexicon,
                    second,
                    ruling,
                    penalty,
                    shares,
                    parts_of: None,
                    request,
                    program,
                })
            }
            Self::AwaitsManualLookup { slip: Slip { typed, .. }, faults } => {
                let faults = faults.iter().cloned().collect();
                let (slip, second) = (filed, division.second.clone());
                Event::SlipAwaitsManualLookup(SlipAwaitsManualLookup {
                    slip,
                    typed,
                    words,
                    lexicon,
                    second,
                    faults,
                    request,
                    program,
                })
            }
        }
    }
}

fn filed(slip: &Slip, division: &Division, filing: &FilingDetails) -> FiledSlip {
    let filed = slip.place.clone().filed(division, filing.id.clone(), &filing.alphabet, slip.follows.clone());
    FiledSlip { free_lookup: division.rounds.is_free(slip.place.round), ..filed }
}

impl ChallengeDetails {
    /// A slip with these challenge details as it is filed in a division. It is no free look-up unless the caller marks
    /// it as one. The ledger assigns its number.
    #[must_use]
    pub fn filed(self, division: &Division, id: String, alphabet: &str, follows: Option<String>) -> FiledSlip {
        let place = self;
        FiledSlip {
            id,
            number: 0,
            division: division.id.clone(),
            round: place.round,
            table: place.table,
            // This is the only place where a player's name enters a slip's entry.
            challenger: division.names.apply(place.challenger),
            opponent: division.names.apply(place.opponent),
            play_score: place.play_score,
            out_play: place.out_play,
            ruleset: division.ruleset.name.clone(),
            ruleset_sha256: Some(division.ruleset_sha256.clone()),
            settings: division.settings.deciding(),
            alphabet: alphabet.to_owned(),
            follows,
            earlier: place.earlier.filter(|_| division.ruleset.escalates()),
            free_lookup: false,
        }
    }
}
