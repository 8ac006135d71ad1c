//! Writing the ledger: group commit beside one transaction a request.
//!
//! Tasks record ruled slips, each waiting until its own is durable before it records the next. *Group* goes
//! through the product's writer, which takes all waiting drafts into one transaction; *alone* gives every slip a
//! transaction of its own, through the same ledger. Both write the same rows, hashes and signatures to one
//! log, which is verified at the end: a lost or doubled entry ends the bench.
//!
//! No engine can commit more often than the disk syncs, so the median of `fdatasync` on the same disk stands
//! in the heading. *Rows a sync* says how many slips were made durable in the time of one.

#![expect(clippy::cast_precision_loss, reason = "figures are rounded")]

mod support;

use std::time::{Duration, Instant};

use adjudge::store::integrity::verify::verify_log_and_copies;
use adjudge::store::{Appended, Ledger, LedgerWriter};
use adjudge::system::System;
use anyhow::ensure;
use tokio::task::JoinSet;

use support::args::Args;
use support::cpu::{Usage, Watch};
use support::drafts::{self, LOG};
use support::fixture::{Engine, Fixture};
use support::{disk, show};

const WIDTHS: [usize; 4] = [1, 16, 64, 256];
const CELL: Duration = Duration::from_millis(1500);

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    if Args::of_bench().is_none() {
        return Ok(());
    }
    for engine in Engine::available() {
        on(engine).await?;
    }
    Ok(())
}

async fn on(engine: Engine) -> anyhow::Result<()> {
    let fixture = Fixture::empty(engine).await?;
    let ledger = drafts::begun(&fixture).await?;
    let sync = disk::fdatasync(&fixture.path())?;
    let roots: Vec<u32> = fixture.database_server().await?.into_iter().collect();
    let title = format!("ledger on {} (fdatasync {})", engine.name(), show::time(sync));
    show::heading(&title, &["tasks", "group", "alone", "group/alone", "rows a sync", "foreign CPU"]);
    let mut recorded = 1;
    for width in WIDTHS {
        let (group, group_usage) = cell(&ledger, width, Way::Group, &roots).await?;
        let (alone, alone_usage) = cell(&ledger, width, Way::Alone, &roots).await?;
        recorded += group + alone;
        let (group, alone) = (a_second(group, group_usage), a_second(alone, alone_usage));
        show::row(&[
            width.to_string(),
            format!("{group:.0} /s"),
            format!("{alone:.0} /s"),
            format!("{:.1}", group / alone),
            format!("{:.1}", group * sync.as_secs_f64()),
            show::foreign(&[group_usage, alone_usage]),
        ]);
    }
    let checked = verify_log_and_copies(&ledger, LOG, &[], &[]).await?;
    ensure!(checked.tree.size() == recorded, "{recorded} entries were recorded and {} are there", checked.tree.size());
    ledger.db.close().await;
    Ok(())
}

fn a_second(rows: u64, usage: Usage) -> f64 {
    rows as f64 / usage.elapsed.as_secs_f64()
}

#[derive(Clone, Copy)]
enum Way {
    Group,
    Alone,
}

/// Lets so many tasks record for a while; says how many entries they made.
async fn cell(ledger: &Ledger, width: usize, way: Way, roots: &[u32]) -> anyhow::Result<(u64, Usage)> {
    let (writer, writing) = LedgerWriter::start(ledger.clone(), System::Real);
    let watch = Watch::start(roots);
    let end = Instant::now() + CELL;
    let mut tasks = JoinSet::new();
    for _ in 0..width {
        tasks.spawn(task(ledger.clone(), writer.clone(), way, end));
    }
    let mut rows = 0;
    while let Some(done) = tasks.join_next().await {
        rows += done??;
    }
    let usage = watch.stop();
    drop(writer);
    writing.await?;
    Ok((rows, usage))
}

async fn task(ledger: Ledger, writer: LedgerWriter, way: Way, end: Instant) -> anyhow::Result<u64> {
    let mut rows = 0;
    while Instant::now() < end {
        let draft = drafts::slip(&System::Real, System::Real.new_id(System::Real.now())?)?;
        let recorded = match way {
            Way::Group => writer.record(draft).await?,
            Way::Alone => only(ledger.record(System::Real.now(), vec![draft]).await?)?,
        };
        ensure!(matches!(recorded, Appended::New(_)), "a new key was taken for an old one");
        rows += 1;
    }
    Ok(rows)
}

fn only(recorded: Vec<Appended>) -> anyhow::Result<Appended> {
    let [one] = <[Appended; 1]>::try_from(recorded).map_err(|_| anyhow::anyhow!("one draft makes one entry"))?;
    Ok(one)
}
