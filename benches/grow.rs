//! The ledger as it grows: what one more entry, one page and the whole check cost at a size.
//!
//! An entry's cost must not depend on how many there are: the tree's frontier stands in the newest checkpoint, so
//! nothing is read but the head. *One* is a transaction with one slip, *64* a full batch of the scribe, both
//! durable; *page* reads 200 entries at random places; *verify* checks every entry, hash and signature, as every
//! start does. 10,000 rows; `--long` goes on to 100,000 and a million.

#![expect(clippy::cast_precision_loss, reason = "figures are rounded")]

mod support;

use std::time::{Duration, Instant};

use adjudge::store::Ledger;
use adjudge::store::integrity::verify::verify_log_and_copies;
use adjudge::system::System;
use anyhow::ensure;

use support::args::Args;
use support::cpu::Watch;
use support::drafts::{self, LOG};
use support::fixture::{Engine, Fixture};
use support::words::Dice;
use support::{SEED, disk, median, show};

const SIZES: [u64; 3] = [10_000, 100_000, 1_000_000];
const BATCH: u64 = 64;
const PAGE: u64 = 200;
const TRIES: usize = 40;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let Some(args) = Args::of_bench() else { return Ok(()) };
    let sizes = if args.has("--long") { SIZES.len() } else { 1 };
    for engine in Engine::available() {
        on(engine, SIZES.get(..sizes).unwrap_or_default()).await?;
    }
    Ok(())
}

async fn on(engine: Engine, sizes: &[u64]) -> anyhow::Result<()> {
    let fixture = Fixture::empty(engine).await?;
    let ledger = drafts::begun(&fixture).await?;
    let roots: Vec<u32> = fixture.database_server().await?.into_iter().collect();
    let title = format!("grow on {} (fdatasync {})", engine.name(), show::time(disk::fdatasync(&fixture.path())?));
    show::heading(&title, &["rows", "one", "64", "page of 200", "verify", "a row", "foreign CPU"]);
    let mut size = 1;
    for &wanted in sizes {
        size = grown(&ledger, size, wanted).await?;
        let watch = Watch::start(&roots);
        let one = recording(&ledger, 1).await?;
        let batch = recording(&ledger, BATCH).await?;
        size += TRIES as u64 * (1 + BATCH);
        let page = paging(&ledger, size).await?;
        let checked = checking(&ledger, size).await?;
        let cells = [one, batch, page, checked, checked.div_f64(size as f64)].map(show::time);
        let line = [size.to_string()].into_iter().chain(cells).chain([show::foreign(&[watch.stop()])]);
        show::row(&line.collect::<Vec<_>>());
    }
    ledger.db.close().await;
    Ok(())
}

/// Grows the log to a size.
async fn grown(ledger: &Ledger, mut size: u64, wanted: u64) -> anyhow::Result<u64> {
    while size < wanted {
        let batch = BATCH.min(wanted - size);
        record(ledger, batch).await?;
        size += batch;
    }
    Ok(size)
}

async fn record(ledger: &Ledger, count: u64) -> anyhow::Result<()> {
    let system = System::Real;
    let drafts: anyhow::Result<Vec<_>> =
        (0..count).map(|_| drafts::slip(&system, system.new_id(system.now())?)).collect();
    ledger.record(system.now(), drafts?).await?;
    Ok(())
}

async fn recording(ledger: &Ledger, count: u64) -> anyhow::Result<Duration> {
    let mut took = Vec::with_capacity(TRIES);
    for _ in 0..TRIES {
        let begun = Instant::now();
        record(ledger, count).await?;
        took.push(begun.elapsed().as_secs_f64());
    }
    Ok(Duration::from_secs_f64(median(took)))
}

async fn paging(ledger: &Ledger, size: u64) -> anyhow::Result<Duration> {
    let mut dice = Dice(SEED);
    let mut took = Vec::with_capacity(TRIES);
    for _ in 0..TRIES {
        let from = dice.draw() % (size - PAGE);
        let begun = Instant::now();
        let page = ledger.leaves(LOG, i64::try_from(from)?, PAGE).await?;
        took.push(begun.elapsed().as_secs_f64());
        ensure!(page.len() as u64 == PAGE, "a page has {} entries", page.len());
    }
    Ok(Duration::from_secs_f64(median(took)))
}

async fn checking(ledger: &Ledger, size: u64) -> anyhow::Result<Duration> {
    let begun = Instant::now();
    let tree = verify_log_and_copies(ledger, LOG, &[], &[]).await?.tree;
    ensure!(tree.size() == size, "{size} entries were recorded and {} are there", tree.size());
    Ok(begun.elapsed())
}
