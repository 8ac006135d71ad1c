//! From spawn to the first durable ruling, beside the bare handler's first answer.
//!
//! A server that was killed at a tournament must be back at once. The clock runs from before the process is
//! spawned until the answer to one slip was read. Meanwhile the product opens its database, checks the whole
//! ledger and every lexicon that a division plays with, and makes the slip durable; the bare handler does
//! nothing of that. The two take turns, and the figure is the middle one. The aim is 2.2 times the bare
//! handler with one lexicon.
//!
//! Each lexicon has 2,000 made-up words of its own and a division that plays with it; `--long` adds 50 lexica
//! of 268,000 words. *Memory* is what the process holds (RSS) after its first ruling.

#![expect(clippy::cast_precision_loss, reason = "figures are rounded")]

mod bare;
mod load;
mod support;

use std::time::{Duration, Instant};

use load::{Connection, Expected, Slips};
use support::args::Args;
use support::cpu::{self, Watch};
use support::fixture::{Engine, Fixture, Server};
use support::words::{self, Dice};
use support::{LIST_WORDS, SEED, disk, median, show};

const SMALL_LIST: usize = 2000;
const ROUNDS: u64 = 9;

fn main() -> anyhow::Result<()> {
    if bare::is_asked_for() {
        return bare::serve();
    }
    let Some(args) = Args::of_bench() else { return Ok(()) };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        for engine in Engine::available() {
            let columns = ["lexica", "product", "bare", "ratio", "memory", "memory, bare", "foreign CPU"];
            show::heading(&format!("start on {}", engine.name()), &columns);
            let long = args.has("--long").then_some((50, LIST_WORDS));
            for (lexica, words) in [(1, SMALL_LIST), (50, SMALL_LIST)].into_iter().chain(long) {
                compare(engine, lexica, words).await?;
            }
        }
        Ok(())
    })
}

async fn compare(engine: Engine, lexica: usize, words: usize) -> anyhow::Result<()> {
    let (fixture, list, token) = prepared(engine, lexica, words).await?;
    let sync = disk::fdatasync(&fixture.path())?;
    let (mut product, mut bare) = (Vec::new(), Vec::new());
    let watch = Watch::start(&fixture.database_server().await?.into_iter().collect::<Vec<_>>());
    for round in 0..ROUNDS {
        let slips = Slips::of(list.clone(), token.clone(), round);
        product.push(first_answer(|| fixture.serve(), &slips, Expected::ByTheList).await?);
        bare.push(first_answer(bare::start, &slips, Expected::Acceptable).await?);
    }
    let usage = watch.stop();
    let time = |starts: &[First]| median(starts.iter().map(|start| start.after.as_secs_f64()).collect());
    let memory = |starts: &[First]| median(starts.iter().map(|start| start.resident_mib).collect());
    show::row(&[
        format!("{lexica} of {words} ({} sync)", show::time(sync)),
        show::time(Duration::from_secs_f64(time(&product))),
        show::time(Duration::from_secs_f64(time(&bare))),
        format!("{:.2}", time(&product) / time(&bare)),
        format!("{:.1} MiB", memory(&product)),
        format!("{:.1} MiB", memory(&bare)),
        show::foreign(&[usage]),
    ]);
    Ok(())
}

/// A fixture in which that many lexica are played with; the list of division A, and a client's token.
async fn prepared(engine: Engine, lexica: usize, words: usize) -> anyhow::Result<(Fixture, Vec<String>, String)> {
    let mut dice = Dice(SEED);
    let fixture = Fixture::empty(engine).await?;
    fixture.done(&["init"])?;
    let ids: Vec<String> = (0..lexica).map(|number| format!("L{number}")).collect();
    let mut first = Vec::new();
    for id in &ids {
        let list = words::made_up(words, &mut dice);
        fixture.import(id, &words::list_file(&list, &mut dice))?;
        if first.is_empty() {
            first = list;
        }
    }
    let token = fixture.set_up(&ids)?;
    Ok((fixture, first, token))
}

/// A server's first answer: how long after the spawn, and the memory it then holds.
struct First {
    after: Duration,
    resident_mib: f64,
}

async fn first_answer(
    spawn: impl Fn() -> anyhow::Result<Server>,
    slips: &Slips,
    expected: Expected,
) -> anyhow::Result<First> {
    let slip = slips.next(expected);
    let begun = Instant::now();
    let server = spawn()?;
    Connection::open(server.address).await?.file(&slip).await?;
    Ok(First { after: begun.elapsed(), resident_mib: cpu::resident_mib(server.id()) })
}
