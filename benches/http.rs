//! Filing slips over HTTP: the real server beside a bare axum handler.
//!
//! The program runs as it does at a tournament, a release build in a process of its own with 268,000 words;
//! the bare handler (`bare/`) only reads the same JSON and answers. Between the two lie the token, the
//! key, the words, the signed ledger and the disk. The same clients (`load/`) talk to both over loopback, on the
//! same two or more cores, in turn, and the order is reversed each round. Every ruling is compared with the
//! list; a wrong one ends the bench with an error.
//!
//! *Ratio* is slips a second, the product's by the bare handler's. *CPU a slip* is what the server's process
//! took (on Postgres with what the database took), user and system. *Waits* are of paced load, from the
//! moment a slip fell due to its ruling; no ruling can come sooner than the disk's `fdatasync`, whose median of
//! the same minute stands in the heading.
//!
//! As a tool: `cargo bench --bench http -- --rate 50 --seconds 10 [--clients 64]` prints the waits at one rate,
//! and `--waves 16 --seconds 10` the slips a second with so many clients.

#![expect(clippy::cast_precision_loss, reason = "figures are rounded")]

mod bare;
mod load;
mod support;

use std::sync::Arc;
use std::time::Duration;

use load::{Expected, Slips, Waits, paced, waves};
use support::args::Args;
use support::cpu::{self, Usage, Watch};
use support::fixture::{Engine, Fixture, Server};
use support::words::{self, Dice};
use support::{LIST_WORDS, SEED, disk, show};

const CLIENTS: [usize; 4] = [1, 16, 64, 256];
const RATES: [u32; 2] = [50, 1500];
const ROUNDS: u32 = 2;
const CELL: Duration = Duration::from_millis(1500);
const WARM_UP: Duration = Duration::from_millis(300);
const PACED: Duration = Duration::from_secs(5);
const PACED_CLIENTS: usize = 128;

fn main() -> anyhow::Result<()> {
    if bare::is_asked_for() {
        return bare::serve();
    }
    let Some(args) = Args::of_bench() else { return Ok(()) };
    // One thread for all clients leaves the other cores to the server.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        for engine in Engine::available() {
            Scene::set(engine).await?.play(&args).await?;
        }
        Ok(())
    })
}

/// A served fixture with its list, and the bare handler beside it.
struct Scene {
    engine: Engine,
    fixture: Fixture,
    product: Server,
    bare: Server,
    slips: Arc<Slips>,
    /// The database's processes, where it has any.
    database: Option<u32>,
}

/// What one server made of one wave.
struct Made {
    a_second: f64,
    cpu_a_slip: Duration,
    usage: Usage,
}

impl Scene {
    async fn set(engine: Engine) -> anyhow::Result<Self> {
        let mut dice = Dice(SEED);
        let list = words::made_up(LIST_WORDS, &mut dice);
        let fixture = Fixture::empty(engine).await?;
        fixture.done(&["init"])?;
        fixture.import("BENCH", &words::list_file(&list, &mut dice))?;
        let token = fixture.set_up(&["BENCH".to_owned()])?;
        let database = fixture.database_server().await?;
        let (product, bare) = (fixture.serve()?, bare::start()?);
        Ok(Self { engine, fixture, product, bare, slips: Arc::new(Slips::of(list, token, 1)), database })
    }

    async fn play(&self, args: &Args) -> anyhow::Result<()> {
        let seconds = args.number("--seconds")?.map(Duration::from_secs);
        let clients = args.number("--clients")?.unwrap_or(PACED_CLIENTS);
        match (args.number("--rate")?, args.number("--waves")?) {
            (None, None) => {
                self.compare(&CLIENTS, CELL).await?;
                self.pace(&RATES, PACED, PACED_CLIENTS).await?;
            }
            (rate, width) => {
                if let Some(width) = width {
                    self.compare(&[width], seconds.unwrap_or(CELL)).await?;
                }
                if let Some(rate) = rate {
                    self.pace(&[rate], seconds.unwrap_or(PACED), clients).await?;
                }
            }
        }
        println!(
            "  memory: {:.1} MiB, bare {:.1} MiB",
            cpu::resident_mib(self.product.id()),
            cpu::resident_mib(self.bare.id())
        );
        self.fixture.done(&["ledger", "verify"])?;
        Ok(())
    }

    /// Slips a second, for each number of clients.
    async fn compare(&self, widths: &[usize], time: Duration) -> anyhow::Result<()> {
        let columns = ["clients", "product", "bare", "ratio", "CPU a slip", "CPU, bare", "foreign CPU"];
        show::heading(&self.title("slips a second")?, &columns);
        for &width in widths {
            let (mut product, mut bare) = (Vec::new(), Vec::new());
            for round in 0..ROUNDS {
                for is_product in [round % 2 == 0, round % 2 == 1] {
                    let made = self.wave(is_product, width, time).await?;
                    if is_product { product.push(made) } else { bare.push(made) }
                }
            }
            show::row(&line(width, &product, &bare));
        }
        Ok(())
    }

    async fn wave(&self, is_product: bool, width: usize, time: Duration) -> anyhow::Result<Made> {
        let (server, expected) = self.server(is_product);
        waves(server.address, &self.slips, expected, width, WARM_UP).await?;
        let roots: Vec<u32> = self.database.into_iter().collect();
        let taken = || {
            cpu::taken_by(server.id())
                + self.database.filter(|_| is_product).map(cpu::taken_by_tree).unwrap_or_default()
        };
        let (before, watch) = (taken(), Watch::start(&roots));
        let slips = waves(server.address, &self.slips, expected, width, time).await?;
        let usage = watch.stop();
        let cpu_a_slip = taken().saturating_sub(before).div_f64(slips.max(1) as f64);
        Ok(Made { a_second: slips as f64 / usage.elapsed.as_secs_f64(), cpu_a_slip, usage })
    }

    fn server(&self, is_product: bool) -> (&Server, Expected) {
        if is_product { (&self.product, Expected::ByTheList) } else { (&self.bare, Expected::Acceptable) }
    }

    /// Waits at a pace, of both servers.
    async fn pace(&self, rates: &[u32], time: Duration, clients: usize) -> anyhow::Result<()> {
        show::heading(
            &self.title("waits")?,
            &["slips a second", "p50", "p90", "p99", "p99.9", "longest", "foreign CPU"],
        );
        for &rate in rates {
            for is_product in [true, false] {
                let (server, expected) = self.server(is_product);
                let watch = Watch::start(&self.database.into_iter().collect::<Vec<_>>());
                let waits = paced(server.address, &self.slips, expected, rate, time, clients).await?;
                let name = if is_product { rate.to_string() } else { format!("{rate}, bare") };
                show::row(&waits_line(name, &waits, watch.stop()));
            }
        }
        Ok(())
    }

    fn title(&self, what: &str) -> anyhow::Result<String> {
        let sync = disk::fdatasync(&self.fixture.path())?;
        Ok(format!("http on {}: {what} (fdatasync {})", self.engine.name(), show::time(sync)))
    }
}

fn line(width: usize, product: &[Made], bare: &[Made]) -> [String; 7] {
    let a_second = |made: &[Made]| made.iter().map(|one| one.a_second).sum::<f64>() / made.len() as f64;
    let cpu = |made: &[Made]| made.iter().map(|one| one.cpu_a_slip).sum::<Duration>().div_f64(made.len() as f64);
    let usages: Vec<Usage> = product.iter().chain(bare).map(|one| one.usage).collect();
    [
        width.to_string(),
        format!("{:.0} /s", a_second(product)),
        format!("{:.0} /s", a_second(bare)),
        format!("{:.3}", a_second(product) / a_second(bare)),
        show::time(cpu(product)),
        show::time(cpu(bare)),
        show::foreign(&usages),
    ]
}

fn waits_line(name: String, waits: &Waits, usage: Usage) -> [String; 7] {
    let at = |share| show::time(waits.percentile(share));
    [name, at(0.5), at(0.9), at(0.99), at(0.999), at(1.0), show::foreign(&[usage])]
}
