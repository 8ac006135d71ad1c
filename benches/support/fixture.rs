//! A fixture to serve from: a data folder on the disk of the build, a database of its own, and the real
//! program, started as a process.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context as _, bail, ensure};
use sqlx::postgres::PgPool;
use tempfile::TempDir;

use super::cpu;

/// A cluster on which the benches may make databases; `scripts/postgres start FOLDER` prints one.
const CLUSTER: &str = "ADJUDGE_TEST_POSTGRES";

/// The engine that a bench runs on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    Sqlite,
    Postgres,
}

impl Engine {
    /// SQLite, and Postgres where a cluster is named.
    pub fn available() -> Vec<Self> {
        let postgres = std::env::var_os(CLUSTER).map(|_| Self::Postgres);
        if postgres.is_none() {
            println!("(without Postgres: {CLUSTER} names no cluster)");
        }
        std::iter::once(Self::Sqlite).chain(postgres).collect()
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "Postgres",
        }
    }
}

/// A data folder and its database.
pub struct Fixture {
    folder: TempDir,
    url: Option<String>,
}

impl Fixture {
    /// An empty folder, and on Postgres a fresh database.
    pub async fn empty(engine: Engine) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
        let url = match engine {
            Engine::Sqlite => None,
            Engine::Postgres => Some(fresh_database().await?),
        };
        Ok(Self { folder, url })
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().to_owned()
    }

    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// The database as the store names it.
    pub fn url(&self) -> Option<&str> {
        self.url.as_deref()
    }

    /// The processes of the database server, if there is one on this machine.
    pub async fn database_server(&self) -> anyhow::Result<Option<u32>> {
        let Some(url) = &self.url else { return Ok(None) };
        let pool = PgPool::connect(url).await?;
        let id: i32 = sqlx::query_scalar("SELECT pg_backend_pid()").fetch_one(&pool).await?;
        let server = u32::try_from(id).ok().and_then(cpu::parent_of);
        pool.close().await;
        Ok(server)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_adjudge"));
        command.args(args).env("ADJUDGE_DATA", self.data()).env_remove("ADJUDGE_LOG").env_remove("ADJUDGE_LISTEN");
        match &self.url {
            Some(url) => command.env("ADJUDGE_DATABASE_URL", url),
            None => command.env_remove("ADJUDGE_DATABASE_URL"),
        };
        command
    }

    /// Runs a command that must succeed, and returns what it printed.
    pub fn done(&self, args: &[&str]) -> anyhow::Result<String> {
        let output = self.command(args).output()?;
        ensure!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    }

    /// Imports a list under an id.
    pub fn import(&self, id: &str, list: &str) -> anyhow::Result<()> {
        let path = self.path().join(format!("{id}.txt"));
        std::fs::write(&path, list)?;
        let path = path.to_str().context("the folder's path is text")?;
        self.done(&["lexicon", "import", path, "--id", id, "--title", "Made up", "--edition", "1"])?;
        Ok(())
    }

    /// Makes the tournament with a division for each lexicon, `A` first, as many of the first one as slips with a table of
    /// their own need, and a token for a client.
    pub fn set_up(&self, lexica: &[String]) -> anyhow::Result<String> {
        let divisions: Vec<String> =
            lexica.iter().enumerate().map(|(n, id)| format!("{}:{id}:wespa", division(n))).collect();
        let first = lexica.first().context("a tournament needs a lexicon")?;
        let spare = (1..DIVISIONS_OF_SLIPS).map(|place| format!("{}:{first}:wespa", division_of_slips(place)));
        let divisions: Vec<String> = divisions.into_iter().chain(spare).collect();
        let divisions = divisions.iter().flat_map(|division| ["--division", division]);
        let create = ["tournament", "create", "bench", "--title", "Bench"];
        self.done(&create.into_iter().chain(divisions).collect::<Vec<_>>())?;
        let create = ["token", "create", "--role", "client", "--per-minute", "1000000"];
        self.done(&[&create[..], &["--tournament", "bench", "--name", "load"]].concat())
    }

    /// Starts the server.
    pub fn serve(&self) -> anyhow::Result<Server> {
        Server::spawn(self.command(&["serve", "--listen", "127.0.0.1:0", "--log-level", "warn"]))
    }
}

fn division(place: usize) -> String {
    if place == 0 { "A".to_owned() } else { format!("D{place}") }
}

async fn fresh_database() -> anyhow::Result<String> {
    static MADE: AtomicU32 = AtomicU32::new(0);
    let cluster = std::env::var(CLUSTER)?;
    let name = format!("bench{}_{}", std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
    let pool = PgPool::connect(&cluster).await.with_context(|| format!("{CLUSTER} names no cluster that answers"))?;
    sqlx::query(sqlx::AssertSqlSafe(format!("CREATE DATABASE {name}"))).execute(&pool).await?;
    pool.close().await;
    let (server, _) = cluster.rsplit_once('/').context("a URL ends with /DATABASE")?;
    Ok(format!("{server}/{name}"))
}

/// A server in a process of its own; ended when dropped.
pub struct Server {
    child: Child,
    pub address: SocketAddr,
}

impl Server {
    /// Starts a program that prints `http://ADDRESS/` once it answers.
    pub fn spawn(mut command: Command) -> anyhow::Result<Self> {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn()?;
        let lines = child.stdout.take().map(|out| BufReader::new(out).lines()).context("the output is a pipe")?;
        for line in lines {
            if let Some((_, address)) = line?.split_once("http://") {
                let address = address.split('/').next().unwrap_or_default().parse()?;
                return Ok(Self { child, address });
            }
        }
        let ended = child.wait()?;
        bail!("the server did not start: {ended}")
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Among so many divisions slips are spread, each of which has 9,999 tables: before a round is opened rounds keep none
/// apart.
pub const DIVISIONS_OF_SLIPS: u64 = 21;

/// The division of that place among them.
pub fn division_of_slips(place: u64) -> String {
    if place == 0 { "A".to_owned() } else { format!("Slips-{place}") }
}
