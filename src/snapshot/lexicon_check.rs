//! Whether a lexicon can be used for play: the checks before a division is set.

use std::path::Path;
use std::sync::Arc;

use crate::domain::division::WantedDivision;
use crate::domain::event::LexiconImported;
use crate::domain::{Lengths, Lexicon as _, LexiconName, Setup};
use crate::lexicon::built_in::NotServed;
use crate::lexicon::files::index_path;
use crate::lexicon::names::BadName;
use crate::lexicon::{OpenError, Opened, built_in};

use super::expected;

/// A day on which every lexicon is in force: for comparisons, which are most useful before a lexicon is in force.
pub const NO_DATE_LIMIT: &str = "9999-12-31";

/// The opened lexica of a division.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedLexica {
    pub lexicon: LexiconName,
    pub second: Option<LexiconName>,
    /// How many words of the second lexicon the main one lacks; if there are any, the second is not a part of it.
    pub beyond: usize,
}

/// Opens the lexica that a division names, for its first day, or `today` if it names none.
///
/// # Errors
/// [`LexiconUnavailable`] says why one may not be used, or cannot be opened.
pub fn open_division_lexica(
    setup: &Setup,
    lexicons: &Path,
    wanted: &WantedDivision,
    today: &str,
) -> Result<CheckedLexica, LexiconUnavailable> {
    let day = wanted.from.as_deref().unwrap_or(today);
    let main = open_for_play(setup, lexicons, &wanted.lexicon, day)?;
    let second = wanted.second.as_ref().map(|second| open_for_play(setup, lexicons, second, day)).transpose()?;
    let beyond = second.as_ref().map_or(Ok(0), |second| beyond(&main, second))?;
    Ok(CheckedLexica { lexicon: main.name().clone(), second: second.map(|second| second.name().clone()), beyond })
}

/// Opens the lexica that a division will play with on later days together with the second one: each order was checked
/// by itself, and together they may not fit.
///
/// # Errors
/// As [`open_division_lexica`].
pub fn check_later(setup: &Setup, lexicons: &Path, tournament: &str, division: &str) -> Result<(), LexiconUnavailable> {
    for (day, plan) in setup.later_plans(tournament, division) {
        if let Some(second) = &plan.second {
            let main = open_for_play(setup, lexicons, &plan.lexicon.id, &day)?;
            beyond(&main, &*open_for_play(setup, lexicons, &second.id, &day)?)?;
        }
    }
    Ok(())
}

/// A lexicon that may be used on a day, opened as the server will open it.
///
/// # Errors
/// [`LexiconUnavailable`] says why it may not be used, or cannot be opened.
pub fn open_for_play(setup: &Setup, lexicons: &Path, id: &str, today: &str) -> Result<Arc<Opened>, LexiconUnavailable> {
    if id == built_in::ID {
        return Ok(built_in::wordnik()?);
    }
    let imported = setup.lexicon(id).ok_or_else(|| LexiconUnavailable::NoSuchLexicon(id.to_owned()))?;
    if let Some(from) = imported.effective_from.as_deref().filter(|from| *from > today) {
        return Err(LexiconUnavailable::NotYet { id: id.to_owned(), from: from.to_owned() });
    }
    opened_now(imported, lexicons)
}

/// Opens an imported lexicon as the server would.
///
/// # Errors
/// If its alphabet is not known, or its index fails the check.
pub fn opened_now(imported: &LexiconImported, lexicons: &Path) -> Result<Arc<Opened>, LexiconUnavailable> {
    let name = &imported.lexicon;
    let path = index_path(lexicons, &name.id, &name.fingerprint)?;
    let expected = expected(imported).ok_or_else(|| LexiconUnavailable::Alphabet(imported.alphabet.clone()))?;
    Ok(Arc::new(Opened::from_file(&path, &expected)?))
}

/// How many words of a second lexicon the main one lacks. A proper part has none; otherwise words that cannot be played
/// would decide the waiver. Source: INSA Challenges.
///
/// # Errors
/// If the second cannot be queried for every word that the main one rules on.
fn beyond(main: &Opened, second: &Opened) -> Result<usize, LexiconUnavailable> {
    let (main_id, second_id) = (main.name().id.clone(), second.name().id.clone());
    if main.alphabet().name() != second.alphabet().name() {
        return Err(LexiconUnavailable::OtherAlphabet { main: main_id, second: second_id });
    }
    let (covers, must) = (second.lengths(), main.lengths());
    if covers.shortest > must.shortest || covers.longest < must.longest {
        return Err(LexiconUnavailable::CoversLess { main: main_id, second: second_id, covers, must });
    }
    let mut beyond = 0;
    second.each_word(|written| {
        let word = second.alphabet().read(written).ok().flatten();
        beyond += usize::from(!word.is_some_and(|word| main.contains(&word)));
    });
    Ok(beyond)
}

/// Why a lexicon cannot be used for play.
#[derive(Debug, thiserror::Error)]
pub enum LexiconUnavailable {
    #[error("there is no lexicon {0:?}; adjudge lexicon list shows the lexicons")]
    NoSuchLexicon(String),
    #[error("the lexicon {id} is in force from {from} only")]
    NotYet { id: String, from: String },
    #[error("the alphabet {0} is not known")]
    Alphabet(String),
    #[error("the second lexicon {second} is written in another alphabet than {main}")]
    OtherAlphabet { main: String, second: String },
    #[error("the second lexicon {second} covers words of {covers} tiles, and {main} those of {must}")]
    CoversLess { main: String, second: String, covers: Lengths, must: Lengths },
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Name(#[from] BadName),
    #[error(transparent)]
    BuiltIn(#[from] &'static NotServed),
}
