//! `check`: looks words up by hand. A set-up aid and not a ruling; nothing is recorded.

use anyhow::bail;

use crate::domain::slip::{FEWEST_TILES, MAX_WORDS};
use crate::domain::{Ruling, Word, adjudicate};
use crate::lexicon::Opened;

use super::{Context, Outcome, args, lexicon};

pub async fn check(context: &Context, asked: &args::Check) -> anyhow::Result<Outcome> {
    if asked.words.len() > MAX_WORDS {
        bail!("one play forms at most {MAX_WORDS} words: check them in two commands");
    }
    let lexicon = lexicon::open_by_id(context, &asked.lexicon).await?;
    let words = asked.words.iter().map(|typed| read(&lexicon, typed)).collect::<anyhow::Result<Vec<Word>>>()?;
    let ruling = adjudicate(&words, &*lexicon);
    println!("{ruling}");
    Ok(match ruling {
        Ruling::Acceptable => Outcome::Done,
        Ruling::Unacceptable => Outcome::No,
    })
}

/// A word that the lexicon covers.
fn read(lexicon: &Opened, typed: &str) -> anyhow::Result<Word> {
    let Some(word) = lexicon.alphabet().read(typed)? else { bail!("a word is empty: leave it out") };
    if word.tiles() < FEWEST_TILES {
        bail!("{typed:?} has one letter: a word has at least two");
    }
    if !lexicon.lengths().cover(word.tiles()) {
        bail!(
            "{typed:?} has {} letters and {} covers words of {}: look it up in another source",
            word.tiles(),
            lexicon.name().id,
            lexicon.lengths()
        );
    }
    Ok(word)
}
