//! The clock of the machine goes wrong; and switches of the set-up at their moment. Source: CONTRACT 3.6, 5.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};

use adjudge::domain::Timestamp;
use reqwest::Client;
use serde_json::{Value, json};

use crate::harness::{Answer, Desk, Floor, Server, is_on_postgres, soon};
use crate::people::Browser;

const HOUR: i64 = 60 * 60;
const DAY: i64 = 24 * HOUR;

/// A library that gives a program another time.
fn shim() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults/clock.c");
        let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("clock-{}.so", std::process::id()));
        let built = Command::new("cc").args(["-shared", "-fPIC", "-O2", "-o"]).arg(&library).arg(source).status();
        assert!(built.unwrap().success());
        library
    })
}

/// Programs that are told another time, which can be changed while they run.
struct Machine {
    desk: Desk,
}

impl Machine {
    fn ready() -> Self {
        let desk = Desk::ready();
        let list = desk.file("new.txt", b"QIX\nAA\nCAT\n");
        desk.done(&["lexicon", "import", list.to_str().unwrap(), "--id", "NEW", "--title", "New list"]);
        let machine = Self { desk };
        machine.set(0);
        machine
    }

    fn offset(&self) -> PathBuf {
        self.desk.data().with_file_name("offset")
    }

    /// Sets the clock so many seconds before or after the real time.
    fn set(&self, seconds: i64) {
        let (path, next) = (self.offset(), self.desk.data().with_file_name("offset.next"));
        fs::write(&next, seconds.to_string()).unwrap();
        fs::rename(next, path).unwrap();
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.desk.command(args);
        command.env("LD_PRELOAD", shim()).env("CLOCK_OFFSET", self.offset());
        command
    }

    fn done(&self, args: &[&str]) -> String {
        let output = self.command(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn serve(&self) -> Server {
        Server::spawn(self.command(&["serve", "--listen", "127.0.0.1:0"]))
    }

    /// The day so many days from now, in UTC.
    fn day(days: i64) -> String {
        #[expect(clippy::disallowed_methods, reason = "the day on which the test runs")]
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_micros();
        Timestamp::from_micros(i64::try_from(now).unwrap() + days * DAY * 1_000_000).day()
    }
}

/// A caller with a token.
struct Asker<'a> {
    server: &'a Server,
    token: &'a str,
}

impl Asker<'_> {
    async fn write(&self, key: &str, path: &str, body: Value) -> Answer {
        let request = Client::new().post(format!("{}/api/v1/{path}", self.server.base)).bearer_auth(self.token);
        Answer::of(request.header("Idempotency-Key", key).json(&body).send().await.unwrap()).await
    }

    async fn get(&self, path: &str) -> Value {
        let request = Client::new().get(format!("{}{path}", self.server.base)).bearer_auth(self.token);
        Answer::of(request.send().await.unwrap()).await.json()
    }

    /// Files a slip with that word for a table of its own, and reads it.
    async fn challenge(&self, word: &str) -> Value {
        static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(1);
        let table = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let slip = json!({"division": "A", "table": table, "words": [word]});
        let filed = self.write(&format!("slip-{table}"), "tournaments/lagos/slips", slip).await;
        assert_eq!(filed.status, 201, "{}", filed.body);
        self.get(filed.location.as_ref().unwrap()).await
    }
}

fn ruled_by(slip: &Value) -> (&str, &str) {
    (slip["adjudications"][0]["lexicon"]["id"].as_str().unwrap(), slip["ruling"].as_str().unwrap())
}

fn at(slip: &Value) -> Timestamp {
    Timestamp::parse(slip["adjudications"][0]["at"].as_str().unwrap()).unwrap()
}

/// Power is lost on a machine whose clock has no battery: what came into force by its day stays so.
#[tokio::test]
async fn a_switch_by_date_stays_in_force_when_the_clock_starts_before_it() {
    let machine = Machine::ready();
    let [client, judge, director] = ["client", "judge", "director"].map(|role| machine.desk.token(role, role));
    machine.done(&["division", "set", "lagos", "A", "--lexicon", "NEW", "--from", &Machine::day(2)]);

    machine.set(3 * DAY);
    let server = machine.serve();
    let asker = Asker { server: &server, token: &client };
    let by_new = asker.challenge("QIX").await;
    assert_eq!(ruled_by(&by_new), ("NEW", "acceptable"));
    assert_eq!(asker.get("/readyz").await.get("clock"), None);
    server.kill();

    machine.set(0);
    let server = machine.serve();
    let asker = Asker { server: &server, token: &client };
    let after = asker.challenge("QIX").await;
    assert_eq!(ruled_by(&after), ("NEW", "acceptable"));
    assert!(at(&after) >= at(&by_new), "time goes back: {after}");
    let ready = Client::new().get(format!("{}/readyz", server.base)).send().await.unwrap();
    assert_eq!(ready.status(), 200);
    let ready: Value = ready.json().await.unwrap();
    assert!(ready["clock"].as_str().unwrap().contains("before the newest entry"), "{ready}");

    // Once a director confirms it, time follows the clock, back; what came into force stays in force.
    let body = json!({"confirm": true});
    for token in [&client, &judge] {
        let refused = Asker { server: &server, token }.write("no", "server/clock", body.clone()).await;
        assert_eq!(refused.status, 403);
    }
    let asker = Asker { server: &server, token: &director };
    assert_eq!(asker.write("not", "server/clock", json!({"confirm": false})).await.json()["field"], "confirm");
    let confirmed = asker.write("clock", "server/clock", body.clone()).await;
    assert_eq!((confirmed.status, confirmed.body.as_str()), (201, "{}"));
    assert!(asker.write("clock", "server/clock", body).await.replayed);
    let back = Asker { server: &server, token: &client }.challenge("QIX").await;
    assert!(at(&back) < at(&after), "time does not follow the clock: {back}");
    assert_eq!(ruled_by(&back), ("NEW", "acceptable"));
    assert_eq!(asker.get("/readyz").await.get("clock"), None);
    assert_eq!(server.stop(), Some(0));
    machine.done(&["ledger", "verify"]);
    let server = machine.serve();
    let again = Asker { server: &server, token: &client }.challenge("QIX").await;
    assert!(at(&again) >= at(&back) && at(&again) < at(&after), "{again}");
}

#[tokio::test]
async fn a_start_far_after_the_newest_entry_is_doubted_until_the_time_is_confirmed() {
    let machine = Machine::ready();
    let client = machine.desk.token("client", "client");
    machine.set(31 * DAY);
    let log = machine.desk.file("log", b"");
    let command = machine.command(&["serve", "--listen", "127.0.0.1:0"]);
    let server = Server::spawn_telling(command, fs::File::create(&log).unwrap().into());
    let asker = Asker { server: &server, token: &client };
    assert!(asker.get("/readyz").await["clock"].as_str().unwrap().contains("more than 30 days"));
    let far = asker.challenge("CAT").await;
    assert!(soon(|| async { fs::read_to_string(&log).unwrap().contains("more than 30 days") }).await);
    server.kill();
    // It is not forgotten by another start.
    let server = machine.serve();
    let asker = Asker { server: &server, token: &client };
    assert!(asker.get("/readyz").await["clock"].is_string());
    machine.set(0);
    let told = machine.done(&["clock", "confirm"]);
    assert!(told.contains("The clock is confirmed: ") && told.contains("The newest entry before"), "{told}");
    assert!(soon(|| async { asker.get("/readyz").await.get("clock").is_none() }).await);
    let back = asker.challenge("CAT").await;
    assert!(at(&far).micros() - at(&back).micros() > 30 * DAY * 1_000_000, "{back}");
    machine.done(&["ledger", "verify"]);
}

#[tokio::test]
async fn a_start_thirty_days_after_the_newest_entry_is_not_doubted() {
    let machine = Machine::ready();
    machine.set(30 * DAY - HOUR);
    let server = machine.serve();
    assert_eq!(Asker { server: &server, token: "" }.get("/readyz").await.get("clock"), None);
}

/// A leap while the server runs: back, and time stands; far ahead, and it is doubted.
#[tokio::test]
async fn a_clock_that_leaps_while_the_server_runs_never_takes_time_back() {
    let machine = Machine::ready();
    let client = machine.desk.token("client", "client");
    machine.set(2 * HOUR);
    let server = machine.serve();
    let asker = Asker { server: &server, token: &client };
    let first = asker.challenge("CAT").await;
    machine.set(0);
    let second = asker.challenge("CAT").await;
    assert_eq!(at(&second), at(&first), "time stands until the clock passes it");
    assert!(soon(|| async { asker.get("/readyz").await["clock"].is_string() }).await);
    machine.set(3 * HOUR);
    let third = asker.challenge("CAT").await;
    assert!(at(&third) > at(&second));
    assert!(soon(|| async { asker.get("/readyz").await.get("clock").is_none() }).await);
    machine.set(40 * DAY);
    assert!(soon(|| async { asker.get("/readyz").await["clock"].is_string() }).await);
    machine.done(&["ledger", "verify"]);
}

/// After the clock was set right, back, a table's slips are weighed beside each other by the time that now is.
#[tokio::test]
async fn probing_is_noticed_after_a_director_set_the_clock_back() {
    let machine = Machine::ready();
    let [client, director] = ["client", "director"].map(|role| machine.desk.token(role, role));
    machine.set(2 * HOUR);
    let server = machine.serve();
    let (asker, desk) = (Asker { server: &server, token: &client }, Asker { server: &server, token: &director });
    let file = async |words: &[&str]| {
        let slip = json!({"division": "A", "table": 9005, "words": words});
        asker.write(&words.join("-"), "tournaments/lagos/slips", slip).await
    };
    let part_of = async |slip: &Answer| desk.get(slip.location.as_ref().unwrap()).await["parts_of"].clone();
    let id_of = |slip: &Answer| json!(slip.location.as_ref().unwrap().rsplit_once('/').unwrap().1);
    let ahead = file(&["AA"]).await;
    machine.set(0);
    assert_eq!(desk.write("clock", "server/clock", json!({"confirm": true})).await.status, 201);
    let play = file(&["CAT", "QIX"]).await;
    assert_eq!((play.status, part_of(&play).await), (201, id_of(&ahead)), "no time has passed");
    let part = file(&["CAT"]).await;
    assert_eq!((part.status, part.problem().as_str()), (409, "ask-a-judge"));
    let next = file(&["ZO"]).await;
    assert_eq!((next.status, part_of(&next).await), (201, id_of(&play)), "the last one that was ruled");
}

/// The list that came into force is not left because the clock leaps back before anything was ruled by it.
#[tokio::test]
async fn a_leap_back_after_midnight_takes_back_no_list() {
    let machine = Machine::ready();
    let client = machine.desk.token("client", "client");
    machine.done(&["division", "set", "lagos", "A", "--lexicon", "NEW", "--from", &Machine::day(1)]);
    machine.set(2 * DAY);
    let server = machine.serve();
    let asker = Asker { server: &server, token: &client };
    machine.set(0);
    let slip = asker.challenge("QIX").await;
    let by_new = ruled_by(&slip) == ("NEW", "acceptable");
    assert_eq!(by_new, at(&slip).day() >= Machine::day(1), "ruled by a list that was not in force then: {slip}");
}

/// Two servers on one database, the clock of one of them ahead: both go by the later time.
#[tokio::test]
async fn servers_with_different_clocks_rule_by_one_time() {
    if !is_on_postgres() {
        return;
    }
    let machine = Machine::ready();
    let client = machine.desk.token("client", "client");
    machine.done(&["division", "set", "lagos", "A", "--lexicon", "NEW", "--from", &Machine::day(1)]);
    let other = Machine { desk: Desk::on_database(machine.desk.postgres.as_ref().unwrap()) };
    other.set(2 * DAY);
    let key = machine.desk.data().join("keys/signing.key");
    other.desk.done(&["init", "--join", key.to_str().unwrap()]);
    let behind = machine.serve();
    let behind = Asker { server: &behind, token: &client };
    assert_eq!(ruled_by(&behind.challenge("QIX").await), ("T", "unacceptable"));
    // Its first entry, that it wrote the files of the lists, is of its own time.
    let ahead = other.serve();
    let ahead = Asker { server: &ahead, token: &client };
    let first = ahead.challenge("QIX").await;
    let second = behind.challenge("QIX").await;
    assert_eq!((ruled_by(&first), ruled_by(&second)), (("NEW", "acceptable"), ("NEW", "acceptable")));
    assert!(at(&second) >= at(&first), "{second}");
    assert!(soon(|| async { behind.get("/readyz").await["clock"].is_string() }).await);
}

/// And the director who confirms it is not signed out by that.
#[tokio::test]
async fn the_desk_says_that_the_clock_is_doubted_and_confirms_it() {
    let machine = Machine::ready();
    let passphrase = machine.done(&["staff", "add", "Lena", "--role", "director", "--tournament", "lagos"]);
    machine.set(40 * DAY);
    let server = machine.serve();
    let mut desk = Browser::of(&server.base);
    assert_eq!(desk.sign_in("Lena", passphrase.trim()).await.status, 303);
    let page = desk.get("/director").await;
    assert!(page.body.contains("The clock seems wrong"), "{}", page.body);
    machine.set(0);
    assert_eq!(desk.post("/director/clock", &[]).await.status, 303);
    let page = desk.get("/director").await;
    assert_eq!(page.status, 200, "the session goes on");
    assert!(!page.body.contains("The clock seems wrong"));
}

/// Lists are switched, and rounds opened, while slips are filed: no ruling stands after an entry that contradicts it.
#[tokio::test(flavor = "multi_thread")]
async fn no_ruling_follows_an_entry_that_contradicts_it() {
    let machine = Machine::ready();
    let floor = Arc::new(Floor::of(machine.desk));
    let files = (0..6_u32).map(|asker| {
        let floor = Arc::clone(&floor);
        tokio::spawn(async move {
            for slip in 0..40_u32 {
                let round = slip % 2 + 1;
                let body = json!({"division": "A", "table": asker * 100 + slip + 1, "round": round, "words": ["QIX"]});
                let answer = floor.file_as(&floor.judge, &format!("{asker}-{slip}"), body).await;
                assert!(answer.status == 201 || answer.problem() == "round-closed", "{}", answer.body);
            }
        })
    });
    let files: Vec<_> = files.collect();
    let put = async |lexicon: &str| {
        let url = floor.url("/api/v1/tournaments/lagos/divisions/A");
        let body = json!({"lexicon": lexicon, "ruleset": "wespa", "reason": "a test"});
        let sent = floor.http.put(url).bearer_auth(&floor.director).json(&body).send().await.unwrap();
        assert_eq!(sent.status(), 200, "{}", sent.text().await.unwrap());
    };
    let mut turns = 0;
    while turns < 6 || files.iter().any(|file| !file.is_finished()) {
        let lexicon = ["NEW", "T"][turns % 2];
        if turns % 3 == 0 {
            floor.desk.done(&["division", "set", "lagos", "A", "--lexicon", lexicon, "--reason", "a test"]);
        } else {
            put(lexicon).await;
        }
        let round = json!({"division": "A", "number": turns % 2 + 1, "state": "open"});
        let set = floor.write(&floor.director, &format!("round-{turns}"), "tournaments/lagos/rounds", round).await;
        assert_eq!(set.status, 201);
        turns += 1;
    }
    for file in files {
        file.await.unwrap();
    }
    let url = "/api/v1/tournaments/lagos/ledger";
    let entries = floor.get(&floor.director, url).await.body;
    let (mut list, mut open, mut ruled) = (String::from("T"), None, 0);
    for line in entries.lines() {
        let entry: Value = serde_json::from_str(line).unwrap();
        let payload = &entry["payload"];
        match entry["kind"].as_str().unwrap() {
            "division-set" => list = payload["lexicon"]["id"].as_str().unwrap().to_owned(),
            "round-set" => open = payload["number"].as_i64(),
            "slip-ruled" => {
                ruled += 1;
                assert_eq!(payload["lexicon"]["id"].as_str(), Some(list.as_str()), "entry {}", entry["seq"]);
                let round = payload["slip"]["round"].as_i64();
                assert!(open.is_none() || round == open, "entry {}: a closed round is taken", entry["seq"]);
            }
            _ => {}
        }
    }
    assert!(ruled > 10, "{ruled}");
}
