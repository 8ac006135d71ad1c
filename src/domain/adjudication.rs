//! The hearing: from a slip as typed to a ruling, or to the reason why there is none yet, and to the event that says so.

use super::alphabet::Alphabet;
use super::event::{Event, FiledSlip, Method, SlipAwaitsManualLookup, SlipRuled};
use super::fault::Faults;
use super::lexicon::{Lengths, Lexicon, LexiconName};
use super::penalty::{Challenged, Penalty, penalty};
use super::request::RequestMark;
use super::ruling::{Ruling, adjudicate, is_any_listed};
use super::slip::{ChallengeDetails, RawSlip, Slip};
use crate::domain::setup::Division;

/// A division's lexica, opened, and the letters that they are written in.
#[derive(Debug)]
pub struct DivisionLexica<'a, L> {
    pub lexicon: &'a L,
    pub second: Option<&'a L>,
    pub alphabet: &'a Alphabet,
    /// The word lengths that the lexicon covers.
    pub covered: Lengths,
}

/// A slip that will be recorded.
#[derive(Debug, PartialEq, Eq)]
pub enum Adjudicated {
    Ruled {
        slip: Slip,
        ruling: Ruling,
        /// None for a free look-up, from which nothing follows.
        penalty: Option<Penalty>,
    },
    /// A word lies outside what the lexicon covers: a judge will look it up elsewhere.
    AwaitsManualLookup { slip: Slip, faults: Faults },
}

/// Hears a slip in a division.
///
/// # Errors
/// All `unreadable-word` faults at once. Nothing is looked up then.
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
    // An unacceptable play is the same with and without the second lexicon, which is then not even asked.
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

/// What is recorded of a slip beside what was heard of it.
#[derive(Clone, Debug)]
pub struct FilingDetails {
    /// The slip's id, a `UUIDv7`.
    pub id: String,
    pub method: Method,
    pub lexicon: LexiconName,
    /// The name of the alphabet that the words were read by.
    pub alphabet: String,
    pub request: Option<RequestMark>,
    pub program: String,
}

impl Adjudicated {
    /// The event that records it. The ledger gives the slip its number.
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
    /// A slip of this place as it is filed in a division: no free look-up, unless whoever files it says so. The ledger
    /// gives it its number.
    #[must_use]
    pub fn filed(self, division: &Division, id: String, alphabet: &str, follows: Option<String>) -> FiledSlip {
        let place = self;
        FiledSlip {
            id,
            number: 0,
            division: division.id.clone(),
            round: place.round,
            table: place.table,
            // No name gets into an entry but here.
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
