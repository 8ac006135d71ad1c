//! The hearing: from a slip as typed to a ruling, or to the reason why there is none yet.

use super::alphabet::Alphabet;
use super::fault::Faults;
use super::floor::Division;
use super::lexicon::{Lengths, Lexicon};
use super::penalty::{Challenged, Penalty, penalty};
use super::ruling::{Ruling, adjudicate};
use super::slip::{RawSlip, Slip};

/// A slip that will be recorded.
#[derive(Debug, PartialEq, Eq)]
pub enum Heard {
    Ruled {
        slip: Slip,
        ruling: Ruling,
        penalty: Penalty,
    },
    /// A word lies outside what the lexicon covers: a judge will look it up elsewhere.
    AwaitsManualLookup {
        slip: Slip,
        faults: Faults,
    },
}

/// Hears a slip in a division, by an opened lexicon of this alphabet and coverage.
///
/// # Errors
/// All `unreadable-word` faults at once. Nothing is looked up then.
pub fn hear(
    raw: RawSlip,
    division: &Division,
    alphabet: &Alphabet,
    covered: Lengths,
    lexicon: &impl Lexicon,
) -> Result<Heard, Faults> {
    let slip = raw.parse(alphabet, division.settings.max_tiles())?;
    if let Some(faults) = slip.outside(covered) {
        return Ok(Heard::AwaitsManualLookup { slip, faults });
    }
    let ruling = adjudicate(&slip.words, lexicon);
    let play = Challenged { words: slip.words.len(), out_play: slip.place.out_play };
    let penalty = penalty(&division.ruleset, division.settings.choices(), ruling, play);
    Ok(Heard::Ruled { slip, ruling, penalty })
}
