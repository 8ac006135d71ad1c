//! A database that fails or is damaged under a running server: nothing is acknowledged after that is found out, by a
//! reader or a writer, and the server ends with 70.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use adjudge::store::{Address, Db};
use serde_json::{Value, json};

use crate::harness::{Desk, Floor, files_below, is_on_postgres, output_of, soon};
use crate::people::{Browser, Page, staff, station};

/// How long an act may take to come to the write lock that is held.
const UNTIL_IT_WAITS: Duration = Duration::from_millis(1500);

/// Replaces the database's bytes by older ones, as `cp older.db data/adjudge.db` does: the file stays the same one.
#[tokio::test(flavor = "multi_thread")]
async fn no_ruling_is_acknowledged_after_a_database_was_found_malformed() {
    if is_on_postgres() {
        return;
    }
    let mut floor = Floor::open();
    let (file, older) = (floor.desk.data().join("adjudge.db"), floor.desk.folder.path().join("older.db"));
    floor.close();
    fs::copy(&file, &older).unwrap();
    floor.reopen();
    for table in 1..=150 {
        assert_eq!(floor.challenge(table, "CAT QI").await.status, 201);
    }
    // Taken into the database at the stop: from now on most of what is read is read from the file.
    floor.close();
    floor.reopen();
    assert_eq!(floor.challenge(200, "CAT").await.status, 201);
    fs::copy(&older, &file).unwrap();
    let (is_found, acknowledged, tables) = (AtomicBool::new(false), AtomicU32::new(0), AtomicU32::new(1000));
    let load = async || {
        loop {
            let was_found = is_found.load(Ordering::SeqCst);
            let table = tables.fetch_add(1, Ordering::SeqCst);
            let words = json!({"division": "A", "words": ["CAT"], "table": table});
            let sent = floor.post(&floor.client, &format!("load-{table}")).json(&words).send().await;
            // The server is gone.
            let Ok(answer) = sent else { return };
            assert!(!(was_found && answer.status() == 201), "acknowledged after it was found");
            match answer.status().as_u16() {
                201 => drop(acknowledged.fetch_add(1, Ordering::SeqCst)),
                503 => is_found.store(true, Ordering::SeqCst),
                other => panic!("{other}"),
            }
        }
    };
    tokio::join!(load(), load(), load(), load());
    assert_eq!(floor.server.exit_code(), Some(70), "after {acknowledged:?} rulings");
}

/// A load of slips alone reads no older page: the pages are read again now and then.
#[tokio::test]
async fn pages_that_were_written_over_end_the_serving_though_nobody_reads_them() {
    if is_on_postgres() {
        return;
    }
    let mut floor = Floor::open();
    for table in 1..=200 {
        assert_eq!(floor.challenge(table, "CAT QI").await.status, 201);
    }
    floor.close();
    floor.reopen();
    assert_eq!(floor.challenge(300, "CAT").await.status, 201);
    let file = floor.desk.data().join("adjudge.db");
    let mut pages = fs::read(&file).unwrap();
    let from = pages.len() / 4096 / 3 * 4096;
    pages[from..].fill(0);
    let mut written = fs::OpenOptions::new().write(true).open(&file).unwrap();
    std::io::Write::write_all(&mut written, &pages).unwrap();
    assert_eq!(floor.server.exit_code(), Some(70));
}

/// Changes the leaf of the slip in row 2 of the log, and not the hash beside it.
async fn alter_the_slip(floor: &Floor) {
    let database = floor.desk.database().await;
    crate::tamper::take_fences_down(&database).await;
    let forge = "UPDATE entry SET leaf = REPLACE(leaf, '\"acceptable\"', '\"unacceptable\"') WHERE kind = 'slip-ruled'";
    assert_eq!(database.execute(forge).await.unwrap(), 1);
    database.close().await;
}

/// Every reader compares each entry with the hash that is stored beside it.
#[tokio::test]
async fn a_leaf_that_does_not_fit_its_hash_ends_the_serving_whoever_reads_it() {
    for path in [
        "slip",
        "/api/v1/tournaments/lagos/audit",
        "/api/v1/tournaments/lagos/audit.csv",
        "/api/v1/tournaments/lagos/audit.jsonl",
        "/api/v1/tournaments/lagos/penalties.csv",
        "/api/v1/tournaments/lagos/statistics",
        "/api/v1/tournaments/lagos/ledger",
        "/api/v1/tournaments/lagos/events",
        "replay",
        "same table",
    ] {
        let mut floor = Floor::open();
        let ruled = floor.challenge(1, "CAT").await;
        assert_eq!(ruled.status, 201);
        alter_the_slip(&floor).await;
        let status = match path {
            "slip" => floor.get(&floor.director, ruled.location.as_ref().unwrap()).await.status,
            "replay" => floor.challenge(1, "CAT").await.status,
            "same table" => {
                let slip = json!({"division": "A", "words": ["AA"], "table": 1});
                floor.file_as(&floor.station, "near", slip).await.status
            }
            path => {
                let request = floor.http.get(floor.url(path)).bearer_auth(&floor.director);
                // A body that had begun is broken off.
                request.header("Last-Event-ID", "-1").send().await.map_or(503, |answer| answer.status().as_u16())
            }
        };
        let is_stream = ["events", "audit.csv", "audit.jsonl", "penalties.csv", "incidents.jsonl"]
            .iter()
            .any(|end| path.ends_with(end));
        assert!(status == 503 || is_stream, "{path}: {status}");
        assert_eq!(floor.server.exit_code(), Some(70), "{path}");
    }
}

/// The task that follows set-up entries reads it first, without a request.
#[tokio::test]
async fn a_set_up_entry_that_does_not_fit_its_hash_ends_the_serving() {
    let mut floor = Floor::open();
    let database = floor.desk.database().await;
    crate::tamper::take_fences_down(&database).await;
    for add in [
        "INSERT INTO entry (log, seq, kind, hash, leaf) SELECT log, seq + 1000, kind, hash, leaf || ' ' FROM entry \
            WHERE log = 'server' AND seq = (SELECT MAX(seq) FROM entry WHERE log = 'server')",
        "INSERT INTO setup (position, log, seq) SELECT MAX(s.position) + 1, 'server', (SELECT MAX(seq) FROM entry WHERE log = 'server') FROM setup s",
    ] {
        assert_eq!(database.execute(add).await.unwrap(), 1);
    }
    database.close().await;
    assert_eq!(floor.server.exit_code(), Some(70));
}

/// What was acknowledged since the last copy is lost with the write-ahead log. The next start must not serve without it.
#[tokio::test]
async fn a_start_after_the_write_ahead_log_was_removed_notices_what_was_acknowledged() {
    lose_the_write_ahead_log(|log| fs::remove_file(log).unwrap()).await;
}

/// It stays the same file.
#[tokio::test]
async fn a_start_after_the_write_ahead_log_was_cut_notices_what_was_acknowledged() {
    lose_the_write_ahead_log(|log| fs::File::options().write(true).open(log).unwrap().set_len(0).unwrap()).await;
}

async fn lose_the_write_ahead_log(lose: impl FnOnce(&Path)) {
    if is_on_postgres() {
        return;
    }
    let mut floor = Floor::open();
    // Copies are made once a second: these rulings are younger than the last.
    for table in 1..=5 {
        assert_eq!(floor.challenge(table, "CAT").await.status, 201);
    }
    lose(&floor.desk.data().join("adjudge.db-wal"));
    // Nobody writes: a reader finds it.
    assert_eq!(floor.server.exit_code(), Some(70));
    // A connection that closes may still bring a removed log into the database: then nothing is lost.
    if floor.number("SELECT count(*) FROM entry WHERE kind = 'slip-ruled'").await == 5 {
        return;
    }
    let lost = floor.desk.refused(2, &["serve", "--listen", "127.0.0.1:0"]);
    assert!(lost.contains("log lagos") && lost.contains("missing"), "{lost}");
}

/// Acts of a director and a device that do not go through the scribe.
const ACTS: [&str; 16] = [
    "approve",
    "decline",
    "sign in",
    "sign in wrongly",
    "sign out",
    "choose a passphrase",
    "add staff",
    "reset staff",
    "remove staff",
    "make a device",
    "make a sheet",
    "make a code",
    "set a device",
    "confirm a device",
    "revoke a device",
    "pair",
];

/// A hall in which every one of the acts can be carried out.
struct Hall {
    floor: Floor,
    /// A second director, where two persons are needed.
    second: String,
    approval: String,
    dora: Browser,
    passphrase: String,
    /// Of the code that a device waits to be paired by.
    code: String,
    /// Of a judge, a device, and a device that a director is to confirm.
    ids: [String; 3],
}

impl Hall {
    async fn open() -> Self {
        let desk = Desk::ready();
        let set = ["--division", "A:T:wespa", "--set", "two_person=true"];
        desk.done(&[["tournament", "create", "abuja", "--title", "Abuja"].as_slice(), &set].concat());
        let [first, second] = ["first", "second"].map(|name| {
            let create = ["token", "create", "--role", "director", "--tournament", "abuja", "--name", name];
            desk.done(&create).trim().to_owned()
        });
        let passphrase = staff(&desk, "Dora", "director", &[]);
        staff(&desk, "Ida", "judge", &[]);
        let printed = station(&desk, "Station 9", &["--sheet"]);
        let code = station(&desk, "Station 1", &[]);
        let floor = Floor::of(desk);
        assert_eq!(Browser::of(&floor.server.base).post("/pair", &[("code", &printed)]).await.status, 303);
        let slip = json!({"division": "A", "table": 7, "words": ["QIX"]});
        let filed = floor.write(&first, "a", "tournaments/abuja/slips", slip).await;
        let ruling = json!({"ruling": "acceptable", "ground": "misprint"});
        let asked = floor.about(&first, "r", &filed, "rulings", ruling).await.json();
        let approval = format!("approvals/{}", asked["approval"].as_str().unwrap());
        let mut dora = Browser::of(&floor.server.base);
        assert_eq!(dora.sign_in("Dora", &passphrase).await.status, 303);
        let page = dora.get("/director").await.body;
        let id = |kind: &str, action: &str| {
            // The last one: a director cannot remove themselves.
            let (before, _) = page.rsplit_once(&format!("/{action}\"")).unwrap();
            let (_, id) = before.rsplit_once(&format!("/director/{kind}/")).unwrap();
            id.to_owned()
        };
        let ids = [id("staff", "remove"), id("devices", "revoke"), id("devices", "confirm")];
        Self { floor, second, approval, dora, passphrase, code, ids }
    }

    async fn carry_out(&self, act: &str) -> (u16, String) {
        let [staff, device, unconfirmed] = &self.ids;
        let (mut dora, mut other) = (self.dora.clone(), Browser::of(&self.floor.server.base));
        let page: Page = match act {
            "approve" | "decline" => {
                let verdict = json!({"approve": act == "approve"});
                let answer = self.floor.write(&self.second, act, &self.approval, verdict).await;
                return (answer.status, answer.body);
            }
            "sign in" => other.sign_in("Dora", &self.passphrase).await,
            "sign in wrongly" => other.sign_in("Dora", "not the one she has").await,
            "sign out" => dora.post("/sign-out", &[]).await,
            "choose a passphrase" => {
                let new = "seven wooden rooks dance";
                dora.post("/passphrase", &[("old", &self.passphrase), ("new", new), ("again", new)]).await
            }
            "add staff" => {
                dora.post("/director/staff", &[("name", "Olu"), ("role", "judge"), ("tournament", "lagos")]).await
            }
            "reset staff" => dora.post(&format!("/director/staff/{staff}/reset"), &[]).await,
            "remove staff" => dora.post(&format!("/director/staff/{staff}/remove"), &[]).await,
            "make a device" => {
                let fields = [("label", "Station 2"), ("kind", "station"), ("tournament", "lagos")];
                dora.post("/director/devices", &fields).await
            }
            "make a sheet" => {
                let fields = [("tournament", "lagos"), ("prefix", "Station"), ("first", "20"), ("count", "2")];
                dora.post("/director/sheets", &fields).await
            }
            "make a code" => dora.post(&format!("/director/devices/{device}/code"), &[]).await,
            "set a device" => dora.post(&format!("/director/devices/{device}/set"), &[("label", "Station 4")]).await,
            "confirm a device" => dora.post(&format!("/director/devices/{unconfirmed}/confirm"), &[]).await,
            "revoke a device" => dora.post(&format!("/director/devices/{device}/revoke"), &[]).await,
            _ => other.post("/pair", &[("code", &self.code)]).await,
        };
        (page.status, page.body)
    }

    /// As it was when a copy of its stopped server was made.
    fn put_back(&mut self, copy: &Path) {
        fs::remove_dir_all(self.floor.desk.data()).unwrap();
        copy_folder(copy, &self.floor.desk.data());
        self.floor.reopen();
        self.dora.base.clone_from(&self.floor.server.base);
    }
}

fn copy_folder(from: &Path, to: &Path) {
    for file in files_below(from) {
        let copy = to.join(file.strip_prefix(from).unwrap());
        fs::create_dir_all(copy.parent().unwrap()).unwrap();
        fs::copy(file, copy).unwrap();
    }
}

/// The write-ahead log is moved away while the act waits for the write lock, so it is committed into a file that is gone.
#[tokio::test(flavor = "multi_thread")]
async fn every_act_looks_at_the_files_after_its_commit() {
    if is_on_postgres() {
        return;
    }
    let mut hall = Hall::open().await;
    let (log, aside) = (hall.floor.desk.data().join("adjudge.db-wal"), hall.floor.desk.folder.path().join("aside"));
    let copy = hall.floor.desk.folder.path().join("copy");
    hall.floor.close();
    copy_folder(&hall.floor.desk.data(), &copy);
    for act in ACTS {
        hall.put_back(&copy);
        let database = hall.floor.desk.database().await;
        let held = database.hold_the_write_lock().await;
        let away = async {
            tokio::time::sleep(UNTIL_IT_WAITS).await;
            fs::rename(&log, &aside).unwrap();
            held.release().await;
        };
        let ((status, body), ()) = tokio::join!(hall.carry_out(act), away);
        assert_eq!(status, 503, "{act}: {body}");
        assert!(body.contains("could not be recorded"), "{act}: {body}");
        assert_eq!(hall.floor.server.exit_code(), Some(70), "{act}");
        database.close().await;
    }
}

/// Runs a command while another program has the write lock, and moves the write-ahead log away before the command has it:
/// what it writes is in a file that is gone, and it must not report success.
async fn notices_a_lost_file(desk: &Desk, args: &[&str]) {
    let (log, aside) = (desk.data().join("adjudge.db-wal"), desk.folder.path().join("aside"));
    let database = desk.database().await;
    let held = database.hold_the_write_lock().await;
    let command = desk.command(args);
    let run = tokio::task::spawn_blocking(move || output_of(command));
    tokio::time::sleep(UNTIL_IT_WAITS).await;
    assert!(!run.is_finished(), "{args:?} writes nothing");
    fs::rename(&log, &aside).unwrap();
    held.release().await;
    let output = run.await.unwrap();
    database.close().await;
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
    assert!(said.contains("removed or replaced while it was in use"), "{args:?}: {said}");
    assert!(output.stdout.is_empty(), "{args:?}: {}", String::from_utf8_lossy(&output.stdout));
}

/// The command line goes the same way as the server.
#[tokio::test(flavor = "multi_thread")]
async fn every_command_notices_that_its_database_was_taken_away() {
    if is_on_postgres() {
        return;
    }
    let desk = Desk::ready();
    desk.token("judge", "spare");
    staff(&desk, "Ida", "judge", &[]);
    station(&desk, "Station 1", &[]);
    let list = desk.file("other.txt", b"AA\nCAT\n");
    let copy = desk.folder.path().join("copy");
    copy_folder(&desk.data(), &copy);
    for args in [
        &["lexicon", "import", list.to_str().unwrap(), "--id", "U", "--lengths", "2-3"][..],
        &["lexicon", "effective", "T", "--from", "2026-01-01", "--reason", "the new edition"],
        &["ruleset", "copy", "wespa", "ours"],
        &["tournament", "create", "abuja", "--title", "Abuja", "--division", "A:T:wespa"],
        &["division", "set", "lagos", "A", "--ruleset", "naspa"],
        &["token", "create", "--role", "judge", "--tournament", "lagos", "--name", "another"],
        &["token", "revoke", "spare"],
        &["staff", "add", "Olu", "--role", "judge", "--tournament", "lagos"],
        &["staff", "reset", "Ida"],
        &["staff", "remove", "Ida"],
        &["station", "create", "Station 2", "--tournament", "lagos"],
        &["station", "revoke", "Station 1"],
    ] {
        fs::remove_dir_all(desk.data()).unwrap();
        copy_folder(&copy, &desk.data());
        notices_a_lost_file(&desk, args).await;
    }
}

/// The ledger that it begins is in a file that is gone, so the folder is not initialised.
#[tokio::test(flavor = "multi_thread")]
async fn an_init_notices_that_its_database_was_taken_away() {
    if is_on_postgres() {
        return;
    }
    let desk = Desk::empty();
    fs::create_dir(desk.data()).unwrap();
    let address = Address::Sqlite(desk.data().join("adjudge.db"));
    // As an `init` leaves it that was cut short.
    Db::open(&address, true).await.unwrap().close().await;
    notices_a_lost_file(&desk, &["init"]).await;
    assert!(!desk.data().join("keys/signing.key").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restore_notices_that_its_database_was_taken_away() {
    if is_on_postgres() {
        return;
    }
    let mut floor = Floor::open();
    assert_eq!(floor.challenge(1, "CAT").await.status, 201);
    floor.close();
    alter_the_slip(&floor).await;
    notices_a_lost_file(&floor.desk, &["restore"]).await;
}

/// A failed write is not reported as a failed read: the client must learn that nothing was done.
#[tokio::test(flavor = "multi_thread")]
async fn every_act_that_cannot_be_written_answers_cannot_record() {
    let hall = Hall::open().await;
    let database = hall.floor.desk.database().await;
    let held = database.hold_the_write_lock().await;
    let hall_of = &hall;
    let acts = ACTS.iter().map(|act| async move { (*act, hall_of.carry_out(act).await) });
    for (act, (status, body)) in futures_util::future::join_all(acts).await {
        assert_eq!(status, 503, "{act}: {body}");
        assert!(body.contains("could not be recorded"), "{act}: {body}");
        assert!(!["approve", "decline"].contains(&act) || body.contains("/problems/cannot-record"), "{act}: {body}");
    }
    held.release().await;
    database.close().await;
    assert!(soon(|| async { hall.floor.get(&hall.floor.client, "/readyz").await.status == 200 }).await);
}

/// A reader of another program keeps the engine from taking the write-ahead log in. That is told, and once it is gone
/// the log is cut.
#[tokio::test]
async fn a_reader_left_open_is_told_and_the_write_ahead_log_cut_after_it() {
    if is_on_postgres() {
        return;
    }
    let floor = Floor::open();
    let log = floor.desk.data().join("adjudge.db-wal");
    let size = || fs::metadata(&log).unwrap().len();
    let warnings = async || floor.get(&floor.client, "/readyz").await.json()["warnings"].clone();
    let database = floor.desk.database().await;
    let reader = database.hold_a_read().await;
    let mut table = 0;
    while size() <= 16 * 1024 * 1024 {
        table += 1;
        assert_eq!(floor.challenge(table, "CAT QI").await.status, 201);
        assert!(table < 5000, "{} bytes after {table} slips", size());
    }
    let told = warnings().await;
    assert!(told[0].as_str().unwrap().contains("another program"), "{told}");
    assert_eq!(floor.get(&floor.client, "/readyz").await.status, 200);
    assert!(floor.get(&floor.client, "/metrics").await.body.contains("adjudge_write_ahead_log_overgrown 1"));
    reader.release().await;
    database.close().await;
    // What is written next takes the log in; what is written after that cuts it.
    let is_cut = soon(|| async {
        floor.file(&format!("after-{}", size()), json!({"division": "A", "words": ["CAT"]})).await;
        size() <= 16 * 1024 * 1024
    });
    assert!(is_cut.await, "{} bytes", size());
    assert_eq!(warnings().await, Value::Null);
}
