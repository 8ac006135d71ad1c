//! Looking words up: the product's index beside a hash set and a perfect hash.
//!
//! All three hold the same 268,000 made-up words and answer through the domain's own [`Lexicon`], asked with
//! the same [`Word`]s; every answer is compared before anything is measured. `FxHashSet` is the fastest
//! common set of Rust; `ptr_hash` gives each word its own place, where the word is then compared. Both keep
//! every word in memory of its own; the product's index is one sealed block of about a tenth of that.
//!
//! A figure is the middle of some rounds, each asking for 20,000 words in no order, the three in turn. A
//! slip goes through [`adjudicate`], which asks for every word. The aim is a slip at three times `ptr_hash`.

#![expect(clippy::cast_precision_loss, reason = "figures are rounded")]

mod support;

use std::hash::BuildHasher as _;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use adjudge::domain::{Alphabet, Lexicon, Word, adjudicate};
use adjudge::lexicon::{Expected, ImportOptions, Index, Opened, read_text};
use anyhow::{Context as _, ensure};
use ptr_hash::{DefaultPtrHash, PtrHashParams};
use rustc_hash::{FxBuildHasher, FxHashSet};

use support::args::Args;
use support::cpu::{Usage, Watch};
use support::words::{self, Dice};
use support::{LIST_WORDS, SEED, median, show};

const ASKED: usize = 20_000;
const ROUNDS: usize = 25;

fn main() -> anyhow::Result<()> {
    if Args::of_bench().is_none() {
        return Ok(());
    }
    let mut dice = Dice(SEED);
    let list = words::made_up(LIST_WORDS, &mut dice);
    let lexica = DivisionLexica::of(&list)?;
    let kinds = asked(&list, &mut dice)?;
    for (_, asked) in &kinds {
        lexica.agree_on(asked)?;
    }
    let columns = ["", "product", "FxHashSet", "ptr_hash", "product/hash", "product/ptr", "foreign CPU"];
    show::heading(&format!("lookup: one word of {LIST_WORDS}"), &columns);
    for (name, asked) in &kinds {
        lexica.compare(name, asked, 1, |words, lexicon| lexicon.listed(words));
    }
    show::heading("lookup: one slip", &columns);
    for size in [1, 2, 8] {
        let (_, mixed) = kinds.first().context("there are valid words")?;
        lexica.compare(&format!("slip of {size}"), mixed, size, |words, lexicon| lexicon.rule(words, size));
    }
    alphabet(&list, &mut dice)
}

/// Valid, nearly valid and random words.
fn asked(list: &[String], dice: &mut Dice) -> anyhow::Result<Vec<(&'static str, Vec<Word>)>> {
    let mut drawn = |change: fn(&str, &mut Dice) -> String| {
        let typed: Vec<String> = (0..ASKED).filter_map(|_| dice.one_of(list).map(|word| change(word, dice))).collect();
        words::read(&typed)
    };
    Ok(vec![
        ("valid", drawn(|word, _| word.to_owned())?),
        ("one letter off", drawn(words::one_letter_off)?),
        ("random", drawn(|_, dice| words::random(dice))?),
    ])
}

struct DivisionLexica {
    product: Opened,
    hashed: Hashed,
    perfect: Perfect,
}

struct Hashed(FxHashSet<Box<[u8]>>);

impl Lexicon for Hashed {
    fn contains(&self, word: &Word) -> bool {
        self.0.contains(word.as_str().as_bytes())
    }
}

/// A place for each word, and the words at their places.
struct Perfect {
    places: DefaultPtrHash,
    words: Vec<Box<[u8]>>,
}

impl Perfect {
    fn of(list: &[String]) -> anyhow::Result<Self> {
        let keys: Vec<u64> = list.iter().map(|word| key(word.as_bytes())).collect();
        let distinct: FxHashSet<u64> = keys.iter().copied().collect();
        ensure!(distinct.len() == keys.len(), "two words have one hash");
        let places = DefaultPtrHash::new(&keys, PtrHashParams::default());
        let mut words: Vec<Box<[u8]>> = vec![Box::default(); list.len()];
        for (word, key) in list.iter().zip(&keys) {
            *words.get_mut(places.index(key)).context("a perfect hash has a place for each")? = word.as_bytes().into();
        }
        Ok(Self { places, words })
    }
}

fn key(word: &[u8]) -> u64 {
    FxBuildHasher.hash_one(word)
}

impl Lexicon for Perfect {
    fn contains(&self, word: &Word) -> bool {
        let word = word.as_str().as_bytes();
        self.words.get(self.places.index(&key(word))).is_some_and(|listed| **listed == *word)
    }
}

/// A lexicon of any kind. Each call asks for many words, so that the cost of the call itself does not show.
trait Asked {
    fn listed(&self, words: &[Word]) -> usize;
    fn rule(&self, words: &[Word], size: usize) -> usize;
}

impl<L: Lexicon> Asked for L {
    fn listed(&self, words: &[Word]) -> usize {
        words.iter().filter(|word| self.contains(word)).count()
    }

    fn rule(&self, words: &[Word], size: usize) -> usize {
        words.chunks_exact(size).filter(|slip| black_box(adjudicate(slip, self)).as_str().len() == 10).count()
    }
}

impl DivisionLexica {
    fn of(list: &[String]) -> anyhow::Result<Self> {
        let options = ImportOptions::new("BENCH", Alphabet::shipped("english").context("English ships")?);
        let import = read_text(list.join("\n").as_bytes(), &options)?;
        Ok(Self {
            product: opened(import.index(), &options)?,
            hashed: Hashed(list.iter().map(|word| word.as_bytes().into()).collect()),
            perfect: Perfect::of(list)?,
        })
    }

    fn agree_on(&self, asked: &[Word]) -> anyhow::Result<()> {
        for word in asked {
            let answers = [self.product.contains(word), self.hashed.contains(word), self.perfect.contains(word)];
            ensure!(answers == [true; 3] || answers == [false; 3], "{word}: {answers:?}");
        }
        Ok(())
    }

    /// Asks the three in turn, and prints the middle time of one of `size` words.
    fn compare(&self, name: &str, asked: &[Word], size: usize, ask: impl Fn(&[Word], &dyn Asked) -> usize) {
        let lexica: [&dyn Asked; 3] = [&self.product, &self.hashed, &self.perfect];
        let mut took: [Vec<f64>; 3] = Default::default();
        let watch = Watch::start(&[]);
        for _ in 0..ROUNDS {
            for (lexicon, took) in lexica.iter().zip(&mut took) {
                let begun = Instant::now();
                black_box(ask(black_box(asked), *lexicon));
                took.push(begun.elapsed().as_secs_f64() / (asked.len() / size) as f64);
            }
        }
        let usage = watch.stop();
        let [product, hashed, perfect] = took.map(median);
        let time = |seconds: f64| show::time(Duration::from_secs_f64(seconds));
        show::row(&[
            name.to_owned(),
            time(product),
            time(hashed),
            time(perfect),
            format!("{:.2}", product / hashed),
            format!("{:.2}", product / perfect),
            show::foreign(&[usage]),
        ]);
    }
}

/// The index as the server holds it.
fn opened(index: &Index, options: &ImportOptions) -> anyhow::Result<Opened> {
    let name = adjudge::domain::LexiconName {
        id: options.id.clone(),
        title: options.title.clone(),
        edition: options.edition.clone(),
        fingerprint: index.fingerprint().to_owned(),
    };
    let expected = Expected {
        name,
        alphabet: Arc::clone(&options.alphabet),
        lengths: options.lengths,
        words: index.words(),
        index_sha256: index.sha256().to_owned(),
    };
    Ok(Opened::from_copy(index.bytes().to_vec(), &expected)?)
}

/// Reading typed text as tiles, which every word goes through before it is looked up.
fn alphabet(list: &[String], dice: &mut Dice) -> anyhow::Result<()> {
    let english = Alphabet::shipped("english").context("English ships")?;
    let capital: Vec<String> = (0..ASKED).filter_map(|_| dice.one_of(list).cloned()).collect();
    let small = capital.iter().map(|word| word.to_lowercase()).collect();
    let spaced = capital.iter().map(|word| format!(" {word} ")).collect();
    show::heading("lookup: Alphabet::read of one word", &["", "product", "foreign CPU"]);
    for (name, typed) in [("capital letters", &capital), ("small letters", &small), ("with blanks", &spaced)] {
        let (took, usage) = read_all(&english, typed);
        show::row(&[name.to_owned(), show::time(took), show::foreign(&[usage])]);
    }
    Ok(())
}

fn read_all(english: &Alphabet, typed: &[String]) -> (Duration, Usage) {
    let watch = Watch::start(&[]);
    let mut took = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        let read = typed.iter().filter(|typed| english.read(typed).is_ok()).count();
        black_box(read);
        took.push(begun.elapsed().as_secs_f64() / typed.len() as f64);
    }
    (Duration::from_secs_f64(median(took)), watch.stop())
}
