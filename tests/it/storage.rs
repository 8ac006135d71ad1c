//! What the store promises of its database.

use adjudge::domain::event::RapidFiling;
use adjudge::domain::ledger::Actor;
use adjudge::domain::setup::Basis;
use adjudge::domain::{Event, Timestamp};
use adjudge::store::statements::{self, Statement};
use adjudge::store::{Address, Appended, DataDir, DataDirError, Db, Draft};
use adjudge::system::System;

use serde_json::json;

use crate::harness::{Answer, Desk, Floor, Server, is_on_postgres, output_of, soon};

/// The database of a desk, as the store opens it.
async fn opened(desk: &Desk) -> Db {
    let address = match &desk.postgres {
        Some(url) => Address::Postgres(url.clone()),
        None => Address::Sqlite(desk.data().join("adjudge.db")),
    };
    Db::open(&address, true).await.unwrap()
}

/// The plan of a statement, one step a line.
async fn plan(db: &Db, statement: Statement) -> String {
    db.plan(statement).await.unwrap_or_else(|error| panic!("{}: {error}", statement.0)).join("\n")
}

/// On SQLite and, where the tests run on Postgres, there too.
#[tokio::test]
async fn the_database_accepts_every_statement() {
    let desk = Desk::empty();
    std::fs::create_dir(desk.data()).unwrap();
    let db = opened(&desk).await;
    assert!(statements::all().count() > 30);
    for statement in statements::all() {
        plan(&db, statement).await;
    }
    // Of a long log nothing but what opened something is read.
    assert!(plan(&db, statements::OPENED_BY).await.contains("entry_that_opens"));
    db.close().await;
}

/// Postgres plans by what it counted, and it counts whenever it likes.
#[tokio::test]
async fn no_plan_reads_a_ledger_whole_however_it_grew() {
    if !is_on_postgres() {
        return;
    }
    let desk = Desk::ready();
    let (db, database) = (opened(&desk).await, desk.database().await);
    let grow = [
        // A tournament's first slips, all from one token.
        "INSERT INTO entry (log, seq, kind, slip, number, asked_by, asked_key, place, seat, hash, leaf) \
            SELECT 'lagos', 1000 + n, 'slip-ruled', 's' || n, n, 't', 'k' || n, 'lagos A 1 ' || n % 9, 'lagos A 1 @t', '', '{}' \
            FROM generate_series(1, 100) n",
        // Then more from two tokens, some of which wait.
        "INSERT INTO entry (log, seq, kind, slip, number, asked_by, asked_key, place, seat, hash, leaf) \
            SELECT 'lagos', 1000 + n, CASE n % 9 WHEN 0 THEN 'slip-held' ELSE 'slip-ruled' END, 's' || n, n, \
            't' || n % 2, 'k' || n, 'lagos A 2 ' || n % 9, 'lagos A 2 @t' || n % 2, '', '{}' FROM generate_series(101, 20000) n",
        // Then as many from a station for each table of many rounds.
        "INSERT INTO entry (log, seq, kind, slip, number, asked_by, asked_key, place, seat, hash, leaf) \
            SELECT 'abuja', n, 'slip-ruled', 'a' || n, n, 't' || n % 5000, 'a' || n, 'abuja A 1 ' || n % 5000, \
            'abuja A 1 @t' || n % 5000, '', '{}' FROM generate_series(1, 20000) n",
    ];
    for rows in grow {
        database.execute(rows).await.unwrap();
        database
            .execute("INSERT INTO checkpoint SELECT log, seq + 1, 0, '', '' FROM entry ON CONFLICT DO NOTHING")
            .await
            .unwrap();
        database.execute("ANALYZE").await.unwrap();
        // The names of all logs are asked for at the start and the end of a server, and of every entry.
        for statement in statements::all().filter(|statement| statement.0 != statements::LOGS.0) {
            let plan = plan(&db, statement).await;
            let steps: Vec<&str> = plan.lines().collect();
            for (step, next) in steps.iter().zip(steps.iter().skip(1).chain([&""])) {
                let is_of_ledger = step.contains(" on entry") || step.contains(" on checkpoint");
                let is_found = step.contains("Index") && next.contains("Index Cond");
                assert!(!is_of_ledger || step.contains("Insert") || is_found, "{}\n{plan}", statement.0);
            }
        }
    }
    database.close().await;
    db.close().await;
}

/// A ledger as each earlier version left it is brought up to date with all its rows, and is whole.
#[tokio::test]
async fn every_older_database_is_migrated_with_its_rows() {
    // No earlier version gave a token a number of requests.
    let desk = Desk::ready();
    let create = ["token", "create", "--role", "client", "--tournament", "lagos", "--name", "plain"];
    let client = desk.done(&create).trim().to_owned();
    let [station, judge, director, observer] =
        ["station", "judge", "director", "observer"].map(|role| desk.token(role, role));
    let (server, http) = (Server::start(&desk), reqwest::Client::new());
    let mut floor = Floor { desk, server, http, client, station, judge, director, observer };
    for table in 1..=3 {
        floor.challenge(table, "CAT QI").await;
    }
    floor.close();
    let database = floor.desk.database().await;
    let versions = database.versions().await;
    assert!(versions.len() > 4);
    let before = database.all_rows().await;
    // The first migration alone never held a ledger: the list of words is in the database since the second.
    for version in versions.into_iter().skip(1) {
        database.go_back_to(version).await;
        let rows = database.all_rows().await;
        assert!(rows.iter().map(Vec::len).sum::<usize>() > 10, "the older tables hold the ledger: {version}");
        floor.desk.done(&["ledger", "verify"]);
        assert_eq!(database.all_rows().await, before, "from version {version}");
    }
    database.close().await;
    floor.reopen();
    assert!(floor.challenge(1, "CAT QI").await.replayed);
}

#[tokio::test]
async fn a_database_is_made_only_where_it_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("adjudge.db");
    assert!(Db::open(&Address::Sqlite(file.clone()), false).await.is_err());
    assert!(!file.exists());
}

#[tokio::test]
async fn an_init_that_was_cut_short_is_taken_up() {
    let root = tempfile::tempdir().unwrap();
    let folder = DataDir::at(root.path().join("data"));
    let by = Actor { id: "t".into(), name: "t".into(), role: "operator".into() };
    std::fs::create_dir(folder.root()).unwrap();
    // The database was made, and then the power went.
    Db::open(folder.address(), true).await.unwrap().close().await;
    assert!(matches!(folder.open().await, Err(DataDirError::NotInitialised(_))));
    folder.init(&System::Real, &by).await.unwrap().db.close().await;
    folder.open().await.unwrap().db.close().await;
    assert!(matches!(folder.init(&System::Real, &by).await, Err(DataDirError::AlreadyInitialised(_))));
}

/// A draft waits for the write lock, and its asker may be revoked before it is written.
#[tokio::test]
async fn what_a_caller_decided_who_was_revoked_meanwhile_is_not_recorded() {
    let desk = Desk::ready();
    desk.token("station", "Station 1");
    let folder = match &desk.postgres {
        Some(url) => DataDir::with_database(desk.data(), url).unwrap(),
        None => DataDir::at(desk.data()),
    };
    let ledger = folder.open().await.unwrap();
    let setup = ledger.setup_after(0).await.unwrap();
    let (position, last) = setup.last().unwrap();
    let Event::TokenCreated(station) = &last.event else { panic!("{last:?}") };
    let basis =
        Basis { tournament: "lagos".to_owned(), position: *position, switched: Timestamp::from_micros(0), until: None };
    let asker = Actor { id: station.token.clone(), name: "Station 1".to_owned(), role: "station".to_owned() };
    let record = async || {
        let event = Event::RapidFiling(RapidFiling { table: None, slips: 9 });
        let draft = Draft::of("lagos", asker.clone(), event).decided_by(basis.clone());
        ledger.record(System::Real.now(), vec![draft]).await.unwrap().remove(0)
    };
    assert!(matches!(record().await, Appended::New(_)));
    desk.done(&["token", "revoke", "Station 1"]);
    assert!(matches!(record().await, Appended::Conflict));
    ledger.db.close().await;
}

/// What a test may do to the files of a stopped server, and how it then starts.
fn serve_refuses(desk: &Desk) -> String {
    desk.refused(2, &["serve", "--listen", "127.0.0.1:0"])
}

/// FAULTS A11: a ledger that lost its end, with all its checkpoints, does not fit the copies outside.
#[tokio::test]
async fn a_ledger_behind_a_checkpoint_kept_outside_is_not_served() {
    let floor = Floor::open();
    for table in 1..=3 {
        floor.challenge(table, "CAT").await;
    }
    let Floor { desk, server, .. } = floor;
    assert_eq!(server.stop(), Some(0));
    let kept = desk.copy_of("lagos");
    assert!(std::fs::read_to_string(&kept).unwrap().starts_with("adjudge/lagos\n5\n"), "copied at the stop");

    let database = desk.database().await;
    crate::tamper::take_fences_down(&database).await;
    for sql in [
        "DELETE FROM entry WHERE log = 'lagos' AND seq >= 4",
        "DELETE FROM checkpoint WHERE log = 'lagos' AND size >= 5",
    ] {
        assert!(database.execute(sql).await.unwrap() > 0);
    }
    database.close().await;
    assert!(desk.refused(1, &["ledger", "verify"]).contains("missing"));
    assert!(serve_refuses(&desk).contains("missing"));
    std::fs::remove_file(&kept).unwrap();
    drop(Server::start(&desk));
}

/// FAULTS A9, E11
#[tokio::test]
async fn a_log_that_only_a_copy_knows_is_lost() {
    let desk = Desk::ready();
    assert_eq!(Server::start(&desk).stop(), Some(0));
    desk.done(&["tournament", "create", "abuja", "--title", "Abuja", "--division", "A:T:wespa"]);
    let note = desk.done(&["ledger", "checkpoint", "--log", "abuja"]);
    let database = desk.database().await;
    crate::tamper::take_fences_down(&database).await;
    for sql in [
        "DELETE FROM setup WHERE log = 'abuja' OR log = 'server' AND seq >= 3",
        "DELETE FROM entry WHERE log = 'abuja' OR log = 'server' AND seq >= 3",
        "DELETE FROM checkpoint WHERE log = 'abuja' OR log = 'server' AND size > 3",
    ] {
        database.execute(sql).await.unwrap();
    }
    database.close().await;
    let folder = desk.copy_of("server").parent().unwrap().to_owned();
    std::fs::remove_dir_all(&folder).unwrap();
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("abuja.checkpoint"), &note).unwrap();
    assert!(desk.refused(1, &["ledger", "verify"]).contains("log abuja is lost"));
    assert!(serve_refuses(&desk).contains("log abuja is lost"));
    std::fs::remove_file(folder.join("abuja.checkpoint")).unwrap();
    drop(Server::start(&desk));
}

#[tokio::test]
async fn checkpoints_are_copied_to_another_disk_while_serving() {
    let desk = Desk::ready();
    let elsewhere = desk.folder.path().join("elsewhere");
    desk.settings(&format!("checkpoint_dir = {:?}\n", elsewhere.to_str().unwrap()));
    let floor = Floor::of(desk);
    floor.challenge(1, "CAT").await;
    for folder in [elsewhere, floor.desk.data().join("checkpoints")] {
        let copied = soon(|| async {
            let note = std::fs::read_to_string(crate::harness::copy_below(&folder, "lagos")).unwrap_or_default();
            note.starts_with("adjudge/lagos\n3\n") && crate::harness::copy_below(&folder, "server").exists()
        });
        assert!(copied.await, "{}", folder.display());
    }
}

/// FAULTS A9: two servers on one folder would not see each other's queue, lexica and full disk.
#[tokio::test]
async fn a_second_server_on_a_folder_is_refused_at_once() {
    let floor = Floor::open();
    let serve = floor.desk.command(&["serve", "--listen", "127.0.0.1:0"]);
    for command in [serve, floor.desk.demo_command("127.0.0.1:0")] {
        let refused = output_of(command);
        let why = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(2), "{why}");
        assert!(why.contains("another adjudge serves this ledger"), "{why}");
    }
    floor.desk.done(&["ledger", "verify"]);
    assert_eq!(floor.challenge(1, "CAT").await.status, 201);
    // A killed server holds the lock no longer.
    assert_eq!(floor.power_cut().challenge(2, "CAT").await.status, 201);
}

/// FAULTS B9: what is written to a file that was taken away is lost with the process.
#[tokio::test]
async fn a_database_taken_away_while_it_serves_gives_no_ruling() {
    if is_on_postgres() {
        return;
    }
    for name in ["adjudge.db", "adjudge.db-wal"] {
        let mut floor = Floor::open();
        assert_eq!(floor.challenge(1, "CAT").await.status, 201);
        let (file, aside) = (floor.desk.data().join(name), floor.desk.folder.path().join("aside"));
        std::fs::rename(&file, &aside).unwrap();
        let slip = json!({"division": "A", "words": ["CAT"], "table": 2});
        // It is found out within half a second, and the server may be gone by then.
        if let Ok(answer) = floor.post(&floor.client, "table-2-CAT").json(&slip).send().await {
            assert_eq!(Answer::of(answer).await.problem(), "cannot-record");
        }
        assert_eq!(floor.server.exit_code(), Some(70));
        assert!(!file.exists(), "no new {name}");
        std::fs::rename(&aside, &file).unwrap();
        let floor = floor.power_cut();
        assert_eq!(floor.challenge(1, "CAT").await.header("idempotency-replayed"), Some("true"));
        assert_eq!(floor.challenge(2, "CAT").await.status, 201);
        assert_eq!(floor.ruled().await, 2);
    }
}

/// A failure of the storage itself stops the server: after a failed sync it is unknown what is on the disk.
#[tokio::test]
async fn a_broken_storage_stops_the_server_with_its_own_exit_code() {
    let mut floor = Floor::open();
    assert_eq!(floor.challenge(1, "CAT").await.status, 201);
    let database = floor.desk.database().await;
    crate::tamper::take_fences_down(&database).await;
    database.execute("UPDATE checkpoint SET frontier = 'garbage' WHERE log = 'lagos'").await.unwrap();
    database.close().await;
    let answer = floor.challenge(2, "CAT").await;
    assert_eq!((answer.status, answer.problem().as_str()), (503, "cannot-record"));
    assert_eq!(answer.header("retry-after"), Some("2"));
    assert_eq!(floor.server.exit_code(), Some(70));
}

/// FAULTS B2: on a full disk SQLite ends the transaction itself. The next one must not find its ruins.
#[tokio::test]
async fn a_transaction_that_the_engine_ended_does_not_stand_in_the_way() {
    if is_on_postgres() {
        return;
    }
    let floor = Floor::open();
    let database = floor.desk.database().await;
    database
        .execute("CREATE TRIGGER full BEFORE INSERT ON entry BEGIN SELECT RAISE(ROLLBACK, 'as on a full disk'); END")
        .await
        .unwrap();
    assert_eq!(floor.challenge(1, "CAT").await.problem(), "cannot-record");
    database.execute("DROP TRIGGER full").await.unwrap();
    database.close().await;
    assert_eq!(floor.challenge(1, "CAT").await.status, 201);
    assert_eq!(floor.get(&floor.client, "/readyz").await.status, 200);
}

/// FAULTS B1: the log is often on the disk that is full. `/dev/full` takes no byte.
#[tokio::test]
async fn a_log_that_cannot_be_written_does_not_end_the_server() {
    let desk = Desk::ready();
    let client = desk.token("client", "client");
    let serve = desk.command(&["serve", "--listen", "127.0.0.1:0", "--log-level", "debug"]);
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "exec \"$0\" \"$@\" 2> /dev/full"]).arg(serve.get_program()).args(serve.get_args());
    shell.envs(serve.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut server = Server::spawn(shell);
    let http = reqwest::Client::new();
    let file = async |key: &str| {
        let url = format!("{}/api/v1/tournaments/lagos/slips", server.base);
        let request = http.post(&url).bearer_auth(&client).header("Idempotency-Key", key);
        Answer::of(request.json(&json!({"division": "A", "words": ["CAT"]})).send().await.unwrap()).await
    };
    assert_eq!(file("first").await.status, 201);
    let database = desk.database().await;
    let held = database.hold_the_write_lock().await;
    assert_eq!(file("second").await.status, 503);
    held.release().await;
    assert!(soon(|| async { file("second").await.status == 201 }).await);
    crate::tamper::take_fences_down(&database).await;
    database.execute("UPDATE checkpoint SET frontier = 'garbage' WHERE log = 'lagos'").await.unwrap();
    database.close().await;
    assert_eq!(file("third").await.status, 503);
    assert_eq!(server.exit_code(), Some(70));
}

/// FIELD-REPORTS V28, I25: no record, no ruling.
#[tokio::test]
async fn a_write_lock_held_elsewhere_means_no_ruling_and_a_retry_finds_one() {
    let floor = Floor::open();
    let database = floor.desk.database().await;
    let held = database.hold_the_write_lock().await;
    let refused = floor.challenge(1, "CAT QI").await;
    assert_eq!((refused.status, refused.problem().as_str()), (503, "cannot-record"));
    held.release().await;
    database.close().await;
    let ruled = soon(|| async { floor.challenge(1, "CAT QI").await.status == 201 }).await;
    assert!(ruled);
    assert_eq!(floor.ruled().await, 1, "whenever it was written, it was written once");
}

/// A ledger that can be neither written nor read gives no ruling, and answers `cannot-record`: to a client within its rate
/// limit, and to one beyond it.
#[tokio::test]
async fn a_ledger_that_does_not_answer_is_told_as_one_that_cannot_be_written() {
    let floor = Floor::open();
    let create = ["token", "create", "--role", "client", "--tournament", "lagos", "--name", "two", "--per-minute", "2"];
    let two = floor.desk.done(&create).trim().to_owned();
    let slip = |table: usize| json!({"division": "A", "table": table, "words": ["CAT"]});
    assert_eq!(floor.file_as(&two, "k1", slip(1)).await.status, 201);
    let database = floor.desk.database().await;
    let Some(held) = database.hold_the_entries().await else { return };
    for table in 2..=3 {
        let refused = floor.file_as(&two, &format!("k{table}"), slip(table)).await;
        assert_eq!((refused.status, refused.problem().as_str()), (503, "cannot-record"), "{table}");
    }
    held.release().await;
    database.close().await;
    assert_eq!(floor.file_as(&two, "k3", slip(3)).await.problem(), "too-many");
    assert!(floor.file_as(&two, "k1", slip(1)).await.replayed);
}

/// FAULTS D7, and a further server on one database.
#[tokio::test]
async fn further_servers_share_one_postgres_and_its_key() {
    if !is_on_postgres() {
        return;
    }
    let first = Floor::open();
    let url = first.desk.postgres.clone().unwrap();
    let key = first.desk.data().join("keys/signing.key");
    let second = Desk::on_database(&url);
    assert!(second.refused(2, &["init"]).contains("--join"));
    let stranger = Desk::ready();
    let strange_key = stranger.data().join("keys/signing.key");
    assert!(second.refused(2, &["init", "--join", strange_key.to_str().unwrap()]).contains("another signing key"));
    second.done(&["init", "--join", key.to_str().unwrap()]);
    let server = Server::start(&second);
    // It never saw the list's file: it has it from the database.
    let url = format!("{}/api/v1/tournaments/lagos/slips", server.base);
    let file = async |key: &str, table: u32| {
        let request = first.http.post(&url).bearer_auth(&first.client).header("Idempotency-Key", key);
        Answer::of(request.json(&json!({"division": "A", "words": ["CAT"], "table": table})).send().await.unwrap())
            .await
    };
    for table in 1..=10 {
        assert_eq!(file(&format!("second-{table}"), table).await.status, 201);
        assert_eq!(first.challenge(table, "QI").await.status, 201);
    }
    // The same key at both servers is one slip.
    let slip = json!({"division": "A", "words": ["CAT"], "table": 50});
    let (here, there) = (first.file("both", slip).await, file("both", 50).await);
    assert_eq!((here.location, here.body), (there.location, there.body));
    assert_eq!(first.ruled().await, 21);
    assert!(second.done(&["ledger", "verify"]).contains("lagos: whole, 23 entries"));
}

/// FAULTS B10, A10: what is left of a ledger is never begun anew.
#[tokio::test]
async fn a_ledger_that_was_lost_is_not_begun_anew() {
    if is_on_postgres() {
        return;
    }
    let desk = Desk::ready();
    let database = desk.data().join("adjudge.db");
    std::fs::write(&database, b"").unwrap();
    assert!(serve_refuses(&desk).contains("no database with it"), "an emptied file");
    std::fs::remove_file(&database).unwrap();
    std::fs::remove_dir_all(desk.data().join("keys")).unwrap();
    assert!(serve_refuses(&desk).contains("no database with it"), "only lexica are left");
    assert!(!database.exists());

    let desk = Desk::ready();
    std::fs::copy(Desk::ready().data().join("adjudge.db"), desk.data().join("adjudge.db")).unwrap();
    assert!(serve_refuses(&desk).contains("another signing key"), "another server's");
    let desk = Desk::ready();
    let database = desk.database().await;
    crate::tamper::take_fences_down(&database).await;
    database.execute("DELETE FROM entry").await.unwrap();
    database.close().await;
    assert!(serve_refuses(&desk).contains("no database with it"), "all entries are gone");
    assert!(desk.refused(2, &["init"]).contains("no database with it"));
}
