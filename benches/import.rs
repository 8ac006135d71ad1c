//! Importing 268,000 shuffled words beside `LC_ALL=C sort -u` on the same file.
//!
//! `sort` reads, sorts and writes lines; the import also reads every line as tiles, builds the index, asks it
//! for every word again and hashes it three ways. Both read the file anew each time; the two take turns, and
//! the figure is the middle one. `sort` uses as many threads as there are cores, the import one, and a second while
//! it asks the index. The aim is twice the time of `sort`.

#![expect(clippy::cast_precision_loss, reason = "figures are rounded")]

mod support;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use adjudge::domain::Alphabet;
use adjudge::lexicon::{ImportOptions, read_text};
use anyhow::{Context as _, ensure};

use support::args::Args;
use support::cpu::Watch;
use support::words::{self, Dice};
use support::{LIST_WORDS, SEED, median, show};

const ROUNDS: usize = 7;

fn main() -> anyhow::Result<()> {
    if Args::of_bench().is_none() {
        return Ok(());
    }
    let mut dice = Dice(SEED);
    let list = words::made_up(LIST_WORDS, &mut dice);
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let file = folder.path().join("list.txt");
    std::fs::write(&file, words::list_file(&list, &mut dice))?;
    let options = ImportOptions::new("BENCH", Alphabet::shipped("english").context("English ships")?);

    let (mut product, mut sort) = (Vec::new(), Vec::new());
    let watch = Watch::start(&[]);
    for _ in 0..ROUNDS {
        product.push(import(&file, &options)?.as_secs_f64());
        sort.push(sorted(&file)?.as_secs_f64());
    }
    let usage = watch.stop();
    let (product, sort) = (median(product), median(sort));
    let time = |seconds| show::time(Duration::from_secs_f64(seconds));
    show::heading(
        &format!("import of {LIST_WORDS} shuffled words"),
        &["", "product", "sort -u", "ratio", "foreign CPU"],
    );
    show::row(&[
        "whole file".into(),
        time(product),
        time(sort),
        format!("{:.2}", product / sort),
        show::foreign(&[usage]),
    ]);
    Ok(())
}

fn import(file: &Path, options: &ImportOptions) -> anyhow::Result<Duration> {
    let begun = Instant::now();
    let import = read_text(&std::fs::read(file)?, options)?;
    let took = begun.elapsed();
    ensure!(import.index().words() == LIST_WORDS, "{} words were imported", import.index().words());
    Ok(took)
}

fn sorted(file: &Path) -> anyhow::Result<Duration> {
    let begun = Instant::now();
    let status = Command::new("sort").arg("-u").arg(file).env("LC_ALL", "C").stdout(Stdio::null()).status()?;
    ensure!(status.success(), "sort: {status}");
    Ok(begun.elapsed())
}
