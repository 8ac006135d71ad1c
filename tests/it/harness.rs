//! The harness of a tournament: a data folder, the real server, and the actions of the
//! people there.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use reqwest::{Client, RequestBuilder, Response, StatusCode};
use serde_json::{Value, json};
use sqlx::{PgPool, SqlitePool};
use tempfile::TempDir;

/// A made-up list, small enough to read.
pub const WORDS: &str = "AA\nAS\nBRUH\nCAT\nCATS\nDA\nJA\nOXYPHENBUTAZONE\nQI\nQIS\nRETINAS\nUNSTATES\nZA\nZO\n";

/// The cluster that scripts/test starts; with it every test here runs on Postgres, without it on SQLite.
const CLUSTER: &str = "ADJUDGE_TEST_POSTGRES";

/// Whether the tests run on Postgres.
pub fn is_on_postgres() -> bool {
    std::env::var_os(CLUSTER).is_some()
}

/// A data folder and the command line that works on it.
pub struct Desk {
    pub folder: TempDir,
    /// The URL of its own Postgres database, if the tests run on Postgres.
    pub postgres: Option<String>,
}

/// The tables of the ledger and what is derived from it.
const TABLES: [&str; 9] =
    ["entry", "checkpoint", "setup", "token", "lexicon", "continued", "credential", "pairing", "session"];

/// A connection to a database past the program.
pub enum Database {
    Sqlite(SqlitePool),
    Postgres(PgPool),
}

impl Database {
    /// Runs a statement and says how many rows it touched.
    pub async fn execute(&self, sql: &'static str) -> Result<u64, sqlx::Error> {
        match self {
            Self::Sqlite(pool) => sqlx::query(sql).execute(pool).await.map(|done| done.rows_affected()),
            Self::Postgres(pool) => sqlx::query(sql).execute(pool).await.map(|done| done.rows_affected()),
        }
    }

    pub async fn number(&self, sql: &'static str) -> i64 {
        match self {
            Self::Sqlite(pool) => sqlx::query_scalar(sql).fetch_one(pool).await.unwrap(),
            Self::Postgres(pool) => sqlx::query_scalar(sql).fetch_one(pool).await.unwrap(),
        }
    }

    /// The versions that it was migrated through.
    pub async fn versions(&self) -> Vec<i64> {
        let sql = "SELECT version FROM _sqlx_migrations ORDER BY version";
        match self {
            Self::Sqlite(pool) => sqlx::query_scalar(sql).fetch_all(pool).await.unwrap(),
            Self::Postgres(pool) => sqlx::query_scalar(sql).fetch_all(pool).await.unwrap(),
        }
    }

    /// Every row of every table of the ledger, as text, sorted.
    pub async fn all_rows(&self) -> Vec<Vec<String>> {
        let mut all = Vec::new();
        for table in TABLES {
            let sql = match self {
                Self::Sqlite(_) => {
                    format!("SELECT json_array({}) FROM {table}", self.columns(table).await.join(", "))
                }
                Self::Postgres(_) => format!("SELECT CAST(t AS TEXT) FROM {table} t"),
            };
            let sql = sqlx::AssertSqlSafe(sql);
            // A version that has no such table yet has no rows of it.
            let rows: Result<Vec<String>, _> = match self {
                Self::Sqlite(pool) => sqlx::query_scalar(sql).fetch_all(pool).await,
                Self::Postgres(pool) => sqlx::query_scalar(sql).fetch_all(pool).await,
            };
            let mut rows = rows.unwrap_or_default();
            rows.sort();
            all.push(rows);
        }
        all
    }

    async fn columns(&self, table: &str) -> Vec<String> {
        match self {
            Self::Sqlite(pool) => {
                let columns = sqlx::query_scalar("SELECT name FROM pragma_table_info($1)").bind(table.to_owned());
                columns.fetch_all(pool).await.unwrap()
            }
            Self::Postgres(pool) => {
                let sql = "SELECT CAST(column_name AS TEXT) FROM information_schema.columns \
                    WHERE table_name = $1 AND is_generated = 'NEVER' ORDER BY ordinal_position";
                sqlx::query_scalar(sql).bind(table.to_owned()).fetch_all(pool).await.unwrap()
            }
        }
    }

    /// Makes the database as the version of that number would have left it, with the same rows.
    pub async fn go_back_to(&self, version: i64) {
        let engine = if is_on_postgres() { "postgres" } else { "sqlite" };
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations").join(engine);
        let all = sqlx::migrate::Migrator::new(folder).await.unwrap();
        let older = all.iter().filter(|one| one.version <= version).cloned().collect::<Vec<_>>();
        let older = sqlx::migrate::Migrator::with_migrations(older);
        let run = |sql: String| async move {
            match self {
                Self::Sqlite(pool) => sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(pool).await.map(drop),
                Self::Postgres(pool) => sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(pool).await.map(drop),
            }
        };
        for table in TABLES {
            run(format!("CREATE TABLE aside_{table} AS SELECT * FROM {table}; DROP TABLE {table}")).await.unwrap();
        }
        run("DROP TABLE _sqlx_migrations".to_owned()).await.unwrap();
        if is_on_postgres() {
            // It stays when the tables that it fences go.
            run("DROP FUNCTION refuse_change CASCADE".to_owned()).await.unwrap();
        }
        match self {
            Self::Sqlite(pool) => older.run(pool).await.unwrap(),
            Self::Postgres(pool) => older.run(pool).await.unwrap(),
        }
        for table in TABLES {
            let columns = self.columns(table).await.join(", ");
            if !columns.is_empty() {
                run(format!("INSERT INTO {table} ({columns}) SELECT {columns} FROM aside_{table}")).await.unwrap();
            }
        }
        if version < 4 {
            // These stood in tables of their own.
            let slips = "INSERT INTO slip (id, log, number) SELECT slip, log, number FROM aside_entry";
            let answers =
                "INSERT INTO answer (actor, key, log, seq) SELECT asked_by, asked_key, log, seq FROM aside_entry";
            run(format!("{slips} WHERE number IS NOT NULL; {answers} WHERE asked_key IS NOT NULL")).await.unwrap();
        }
        for table in TABLES {
            run(format!("DROP TABLE aside_{table}")).await.unwrap();
        }
    }

    pub async fn close(&self) {
        match self {
            Self::Sqlite(pool) => pool.close().await,
            Self::Postgres(pool) => pool.close().await,
        }
    }
}

/// The write lock in the hands of another program.
pub enum Held {
    Sqlite(sqlx::Transaction<'static, sqlx::Sqlite>),
    Postgres(sqlx::Transaction<'static, sqlx::Postgres>),
}

impl Held {
    pub async fn release(self) {
        match self {
            Self::Sqlite(tx) => tx.rollback().await.unwrap(),
            Self::Postgres(tx) => tx.rollback().await.unwrap(),
        }
    }
}

impl Database {
    pub async fn hold_the_write_lock(&self) -> Held {
        match self {
            Self::Sqlite(pool) => Held::Sqlite(pool.begin_with("BEGIN IMMEDIATE").await.unwrap()),
            Self::Postgres(pool) => {
                let mut tx = pool.begin().await.unwrap();
                // The lock that every writer of a ledger takes.
                sqlx::query("SELECT pg_advisory_xact_lock(27413481139758949)").execute(&mut *tx).await.unwrap();
                Held::Postgres(tx)
            }
        }
    }

    /// Locks all entries on Postgres, so that no other connection can read them; SQLite always lets others read.
    pub async fn hold_the_entries(&self) -> Option<Held> {
        let Self::Postgres(pool) = self else { return None };
        let mut tx = pool.begin().await.unwrap();
        sqlx::query("LOCK TABLE entry IN ACCESS EXCLUSIVE MODE").execute(&mut *tx).await.unwrap();
        Some(Held::Postgres(tx))
    }

    /// A transaction that has begun to read.
    pub async fn hold_a_read(&self) -> Held {
        let count = "SELECT COUNT(*) FROM entry";
        match self {
            Self::Sqlite(pool) => {
                let mut tx = pool.begin().await.unwrap();
                sqlx::query(count).execute(&mut *tx).await.unwrap();
                Held::Sqlite(tx)
            }
            Self::Postgres(pool) => {
                let mut tx = pool.begin().await.unwrap();
                sqlx::query(count).execute(&mut *tx).await.unwrap();
                Held::Postgres(tx)
            }
        }
    }
}

/// A database of its own on the cluster.
fn fresh_database() -> Option<String> {
    static MADE: AtomicU32 = AtomicU32::new(0);
    let cluster = std::env::var(CLUSTER).ok()?;
    let name = format!("t{}_{}", std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
    let made = Command::new("psql").args(["-q", &cluster, "-c", &format!("CREATE DATABASE {name}")]).status().unwrap();
    assert!(made.success(), "{cluster} makes databases");
    let (server, _) = cluster.rsplit_once('/').unwrap();
    Some(format!("{server}/{name}"))
}

impl Desk {
    /// An empty folder.
    pub fn empty() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), postgres: fresh_database() }
    }

    /// An empty folder for a further server on a database that is there.
    pub fn on_database(url: &str) -> Self {
        Self { folder: tempfile::tempdir().unwrap(), postgres: Some(url.to_owned()) }
    }

    /// Writes `adjudge.toml`.
    pub fn settings(&self, text: &str) {
        fs::write(self.data().join("adjudge.toml"), text).unwrap();
    }

    /// A folder with a ledger, the list `T` of [`WORDS`] and the tournament `lagos`, division A.
    pub fn ready() -> Self {
        Self::with_list(WORDS, &["--lengths", "2-15"])
    }

    pub fn with_list(words: &str, options: &[&str]) -> Self {
        let desk = Self::empty();
        desk.done(&["init"]);
        let list = desk.file("list.txt", words.as_bytes());
        let import =
            ["lexicon", "import", list.to_str().unwrap(), "--id", "T", "--title", "Test list", "--edition", "1"];
        desk.done(&[&import, options].concat());
        desk.done(&["tournament", "create", "lagos", "--title", "Lagos Open", "--division", "A:T:wespa"]);
        desk
    }

    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Writes a file beside the data folder.
    pub fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_adjudge"));
        command
            .args(args)
            .env("ADJUDGE_DATA", self.data())
            .env_remove("ADJUDGE_LISTEN")
            .current_dir(self.folder.path());
        match &self.postgres {
            Some(url) => command.env("ADJUDGE_DATABASE_URL", url),
            None => command.env_remove("ADJUDGE_DATABASE_URL"),
        };
        command
    }

    /// `demo` in this desk's folder, which the environment cannot name.
    pub fn demo_command(&self, listen: &str) -> Command {
        let mut command = self.command(&["demo", "--listen", listen, "--data"]);
        command.arg(self.data());
        if let Some(url) = &self.postgres {
            command.args(["--database-url", url]);
        }
        command
    }

    /// Runs a command to its end.
    pub fn run(&self, args: &[&str]) -> Output {
        output_of(self.command(args))
    }

    /// Runs a command that must succeed, and returns what it printed.
    pub fn done(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs a command that must end with this exit code, and returns what it said on standard error.
    pub fn refused(&self, code: i32, args: &[&str]) -> String {
        let output = self.run(args);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{args:?}: {said}");
        said
    }

    pub fn token(&self, role: &str, name: &str) -> String {
        let mut create = vec!["token", "create", "--role", role, "--tournament", "lagos", "--name", name];
        if role == "client" {
            // Tests do not wait for the next minute.
            create.extend(["--per-minute", "1000000"]);
        }
        self.done(&create).trim().to_owned()
    }

    /// The only file in `lexicons/` with this ending.
    pub fn lexicon_file(&self, ending: &str) -> PathBuf {
        let files = fs::read_dir(self.data().join("lexicons")).unwrap().map(|entry| entry.unwrap().path());
        files.into_iter().find(|path| path.extension().is_some_and(|found| found == ending)).unwrap()
    }

    /// Where the data folder has the copy of a log's checkpoint, under the id of the server's key.
    pub fn copy_of(&self, log: &str) -> PathBuf {
        copy_below(&self.data().join("checkpoints"), log)
    }

    /// A connection to the database, past the program.
    pub async fn database(&self) -> Database {
        if let Some(url) = &self.postgres {
            return Database::Postgres(PgPool::connect(url).await.unwrap());
        }
        let url = format!("sqlite://{}", self.data().join("adjudge.db").display());
        Database::Sqlite(SqlitePool::connect(&url).await.unwrap())
    }
}

/// How long a process may take to end by itself, on a busy machine too.
const MAX_RUN: std::time::Duration = std::time::Duration::from_mins(3);

/// Kills a process that does not end, so that the test fails and does not wait for ever.
struct Watchdog(#[expect(dead_code, reason = "being dropped says that the process ended")] std::sync::mpsc::Sender<()>);

impl Watchdog {
    fn over(process: u32) -> Self {
        let (ended, waits) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            if waits.recv_timeout(MAX_RUN) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                let _ = Command::new("kill").args(["-KILL", &process.to_string()]).status();
            }
        });
        Self(ended)
    }
}

/// Runs a command to its end, and gives what it printed.
pub fn output_of(mut command: Command) -> Output {
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let _watchdog = Watchdog::over(child.id());
    child.wait_with_output().unwrap()
}

/// A server in a process of its own; killed when dropped.
pub struct Server {
    child: Child,
    pub base: String,
}

impl Server {
    /// Starts `serve` and waits until it says where it answers.
    pub fn start(desk: &Desk) -> Self {
        Self::spawn(desk.command(&["serve", "--listen", "127.0.0.1:0"]))
    }

    pub fn spawn(command: Command) -> Self {
        Self::spawn_telling(command, Stdio::null())
    }

    /// Starts the server with its log going to `log`.
    pub fn spawn_telling(command: Command, log: Stdio) -> Self {
        Self::spawn_and_hear(command, log, 0).0
    }

    /// Starts the server, and also reads the `more` lines that it prints after its address.
    pub fn spawn_and_hear(mut command: Command, log: Stdio, more: usize) -> (Self, Vec<String>) {
        let mut child = command.stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let address = lines.find_map(|line| {
            let line = line.unwrap();
            let (before, address) = line.split_once("://")?;
            let scheme = if before.ends_with("https") { "https" } else { "http" };
            Some(format!("{scheme}://{}", address.split('/').next().unwrap()))
        });
        let said = lines.by_ref().take(more).map(Result::unwrap).collect();
        // The rest of what it prints is read and dropped, so that it never waits for a reader.
        std::thread::spawn(move || lines.for_each(drop));
        (Self { child, base: address.expect("the server says where it answers") }, said)
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Ends it as a power cut would.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits until it has ended by itself.
    pub fn exit_code(&mut self) -> Option<i32> {
        let _watchdog = Watchdog::over(self.id());
        self.child.wait().unwrap().code()
    }

    /// Asks it to stop, as a service manager does, and returns its exit code.
    pub fn stop(mut self) -> Option<i32> {
        self.end()
    }

    fn end(&mut self) -> Option<i32> {
        let asked = Command::new("kill").args(["-TERM", &self.id().to_string()]).status().unwrap();
        assert!(asked.success());
        self.exit_code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have been ended by the test already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An answer read to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    pub body: String,
    pub location: Option<String>,
    pub replayed: bool,
    pub headers: Vec<(String, String)>,
}

impl Answer {
    pub async fn of(response: Response) -> Self {
        let text = |name: &str| response.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
        let (location, replayed) = (text("location"), text("idempotency-replayed").is_some());
        let headers = response
            .headers()
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
            .collect();
        Self { status: response.status().as_u16(), location, replayed, headers, body: response.text().await.unwrap() }
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no JSON: {}", self.body))
    }

    /// The slug of a problem.
    pub fn problem(&self) -> String {
        self.json()["type"].as_str().unwrap().trim_start_matches("/problems/").to_owned()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }
}

/// A running tournament with a token for each role.
pub struct Floor {
    pub desk: Desk,
    pub server: Server,
    pub http: Client,
    pub client: String,
    pub station: String,
    pub judge: String,
    pub director: String,
    pub observer: String,
}

impl Floor {
    pub fn open() -> Self {
        Self::of(Desk::ready())
    }

    pub fn of(desk: Desk) -> Self {
        let [client, station, judge, director, observer] =
            ["client", "station", "judge", "director", "observer"].map(|role| desk.token(role, role));
        let server = Server::start(&desk);
        Self { desk, server, http: Client::new(), client, station, judge, director, observer }
    }

    /// Stops the server for a while.
    pub fn close(&mut self) {
        assert_eq!(self.server.end(), Some(0));
    }

    /// Starts it again.
    pub fn reopen(&mut self) {
        self.server = Server::start(&self.desk);
    }

    /// Ends the server as a power cut would and starts it again on the same folder.
    pub fn power_cut(mut self) -> Self {
        let next = |desk: &Desk| Server::start(desk);
        let Self { desk, server, .. } = &mut self;
        let _ = server.child.kill();
        let _ = server.child.wait();
        let started = next(desk);
        self.server = started;
        self
    }

    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.server.base)
    }

    pub fn post(&self, token: &str, key: &str) -> RequestBuilder {
        self.http.post(self.url("/api/v1/tournaments/lagos/slips")).bearer_auth(token).header("Idempotency-Key", key)
    }

    /// Files a slip as the client.
    pub async fn file(&self, key: &str, body: Value) -> Answer {
        self.file_as(&self.client, key, body).await
    }

    pub async fn file_as(&self, token: &str, key: &str, body: Value) -> Answer {
        Answer::of(self.post(token, key).json(&body).send().await.unwrap()).await
    }

    /// Sends a request to a route of the API.
    pub async fn write(&self, token: &str, key: &str, path: &str, body: Value) -> Answer {
        let request = self.http.post(self.url(&format!("/api/v1/{path}"))).bearer_auth(token);
        Answer::of(request.header("Idempotency-Key", key).json(&body).send().await.unwrap()).await
    }

    /// Says something of the slip that an answer names.
    pub async fn about(&self, token: &str, key: &str, slip: &Answer, route: &str, body: Value) -> Answer {
        let slip = slip.location.as_ref().unwrap().trim_start_matches("/api/v1/");
        self.write(token, key, &format!("{slip}/{route}"), body).await
    }

    /// A challenge at a table, words separated by blanks.
    pub async fn challenge(&self, table: u32, words: &str) -> Answer {
        let words: Vec<&str> = words.split(' ').collect();
        self.file(
            &format!("table-{table}-{}", words.join("-")),
            json!({"division": "A", "words": words, "table": table}),
        )
        .await
    }

    pub async fn get(&self, token: &str, path: &str) -> Answer {
        Answer::of(self.http.get(self.url(path)).bearer_auth(token).send().await.unwrap()).await
    }

    /// Reads the slip that an answer names.
    pub async fn read(&self, token: &str, answer: &Answer) -> Value {
        let read = self.get(token, answer.location.as_ref().unwrap()).await;
        assert_eq!(read.status, StatusCode::OK, "{}", read.body);
        read.json()
    }

    /// How many slips were ruled, as the ledger has it, past the server.
    pub async fn ruled(&self) -> i64 {
        self.number("SELECT count(*) FROM entry WHERE log = 'lagos' AND kind = 'slip-ruled'").await
    }

    pub async fn number(&self, sql: &'static str) -> i64 {
        let database = self.desk.database().await;
        let number = database.number(sql).await;
        database.close().await;
        number
    }
}

/// Asks again until the answer is right; a server honours a change within a second.
pub async fn soon<F: Future<Output = bool>>(mut holds: impl FnMut() -> F) -> bool {
    for _ in 0..50 {
        if holds().await {
            return true;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    false
}

/// Where a folder has the copy of a log's checkpoint: in the only subfolder that has one.
pub fn copy_below(folder: &Path, log: &str) -> PathBuf {
    let name = format!("{log}.checkpoint");
    let subfolders = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    let found = subfolders.map(|sub| sub.join(&name)).find(|path| path.exists());
    found.unwrap_or_else(|| folder.join("no key").join(name))
}

/// Every file below a folder.
pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files_below(&path)) } else { found.push(path) }
    }
    found
}
