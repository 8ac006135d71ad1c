//! A ledger that lost or changed entries, and how the event goes on. FAULTS A10, A11, A12, E11.

use std::fs;

use serde_json::Value;

use crate::harness::{Answer, Desk, Floor, Server, is_on_postgres, soon};
use crate::tamper::take_fences_down;

/// A floor on which slips at tables 1 to `tables` were ruled, its server stopped: `lagos` has two entries more.
async fn closed_after(tables: u32) -> Floor {
    let mut floor = Floor::open();
    for table in 1..=tables {
        assert_eq!(floor.challenge(table, "CAT").await.status, 201);
    }
    floor.close();
    floor
}

async fn tampered(desk: &Desk, statements: &[&'static str]) {
    let database = desk.database().await;
    take_fences_down(&database).await;
    database.close().await;
    for sql in statements {
        tampered_again(desk, sql).await;
    }
}

/// Changes a ledger whose triggers are removed already or do not exist.
async fn tampered_again(desk: &Desk, sql: &'static str) {
    let database = desk.database().await;
    assert!(database.execute(sql).await.unwrap() > 0, "{sql}");
    database.close().await;
}

fn refused_start(desk: &Desk) -> String {
    let said = desk.refused(2, &["serve", "--listen", "127.0.0.1:0"]);
    assert!(said.contains("adjudge restore"), "names the one command: {said}");
    assert_eq!(said.lines().count(), 1, "says it once: {said}");
    said
}

/// What an older backup would hold: `lagos` with 5 entries, three slips.
const OLDER: [&str; 2] =
    ["DELETE FROM entry WHERE log = 'lagos' AND seq >= 5", "DELETE FROM checkpoint WHERE log = 'lagos' AND size > 5"];

/// FAULTS A10, A11, D6
#[tokio::test]
async fn an_older_backup_is_gone_on_with_and_gives_no_number_twice() {
    let mut floor = closed_after(5).await;
    tampered(&floor.desk, &OLDER).await;
    let copy = floor.desk.copy_of("lagos");
    let kept = fs::read_to_string(&copy).unwrap();
    let said = refused_start(&floor.desk);
    assert!(said.contains("5 entries") && said.contains('7'), "names the gap: {said}");
    let said = floor.desk.done(&["restore"]);
    assert!(
        said.contains("lagos: closed with 5 entries; the newest known checkpoint covers 7, so 2 are lost"),
        "{said}"
    );
    assert!(floor.desk.done(&["restore"]).contains("nothing to restore"));

    floor.reopen();
    let old = floor.challenge(3, "CAT").await;
    assert!(old.replayed, "what is left answers its keys");
    assert_eq!(floor.read(&floor.client, &old).await["number"], 3);
    let new = floor.challenge(5, "CAT").await;
    assert!(!new.replayed, "what was lost was lost");
    let read = floor.read(&floor.client, &new).await;
    assert_eq!((&read["number"], &read["tournament"], &read["entry"]), (&8.into(), &"lagos".into(), &1.into()));
    // A slip of the closed log is ruled on in the open one.
    let rulings = floor.url(&format!("{}/rulings", old.location.as_ref().unwrap()));
    let ruling = serde_json::json!({"ruling": "unacceptable", "ground": "misprint"});
    let ruled = floor.http.post(rulings).bearer_auth(&floor.director).json(&ruling).send().await.unwrap();
    assert_eq!(ruled.status(), 201);
    let read = floor.read(&floor.director, &old).await;
    assert_eq!((&read["state"], &read["ruling"], &read["entry"]), (&"final".into(), &"unacceptable".into(), &2.into()));
    floor.close();
    assert_eq!(fs::read_to_string(&copy).unwrap(), kept, "the copy that told is kept");
    assert!(copy.with_file_name("lagos~2.checkpoint").exists());

    let said = floor.desk.done(&["ledger", "verify"]);
    assert!(said.contains("lagos: whole, 5 entries") && said.contains("2 more are lost"), "{said}");
    assert!(said.contains("lagos~2: whole, 3 entries"), "{said}");
    let said = floor.desk.refused(1, &["ledger", "verify", "--checkpoint", copy.to_str().unwrap()]);
    assert!(said.contains("missing"), "whoever holds the copy is not fooled: {said}");
}

/// The signed entry 0 says in numbers what was found.
#[tokio::test]
async fn a_continuation_records_stored_and_signed_size() {
    let floor = closed_after(5).await;
    tampered(&floor.desk, &OLDER).await;
    floor.desk.done(&["restore"]);
    let folder = floor.desk.folder.path().join("export");
    floor.desk.done(&["ledger", "export", folder.to_str().unwrap()]);
    let leaf = fs::read_to_string(folder.join("lagos~2.jsonl")).unwrap();
    let leaf: Value = serde_json::from_str(leaf.trim()).unwrap();
    assert_eq!((&leaf["kind"], &leaf["seq"], &leaf["log"]), (&"restored".into(), &0.into(), &"lagos~2".into()));
    let closed = &leaf["payload"]["closed"][0];
    assert_eq!((&closed["log"], &closed["size"], &closed["fault"]), (&"lagos".into(), &5.into(), &Value::Null));
    let note = fs::read_to_string(folder.join("lagos.checkpoint")).unwrap();
    assert_eq!(closed["root"], note.lines().nth(2).unwrap());
    let copy = fs::read_to_string(floor.desk.copy_of("lagos")).unwrap();
    assert_eq!(closed["checkpoint"]["size"], 7);
    assert_eq!(closed["checkpoint"]["root"], copy.lines().nth(2).unwrap());
    // Each of the seven entries may have been a slip.
    assert_eq!(leaf["payload"]["last_number"], 7);
    assert_eq!((&closed["sound"], closed["weighed"].as_array().unwrap().len()), (&5.into(), 1));
    let said = floor.desk.done(&["ledger", "verify", "--export", folder.to_str().unwrap()]);
    assert!(said.lines().any(|line| line.starts_with("lagos: ") && line.ends_with("2 more are lost")), "{said}");
    let (code, said) = crate::tamper::verified_by_a_stranger(&folder, "--all");
    assert!(code == Some(0) && said.contains("lagos: whole, 5 entries") && said.contains("2 more are lost"), "{said}");
    // A closed log cannot be left out or cut further, with its own older checkpoint.
    for ending in ["jsonl", "checkpoint", "vkey"] {
        fs::remove_file(folder.join(format!("lagos.{ending}"))).unwrap();
    }
    let said = floor.desk.refused(1, &["ledger", "verify", "--export", folder.to_str().unwrap()]);
    assert!(said.contains("log lagos is not in the export with the size and root that lagos~2 recorded"), "{said}");
}

/// FAULTS A12: what was changed stays named for ever, and a closed log is watched on.
#[tokio::test]
async fn a_changed_entry_closes_its_log_and_stays_named() {
    let mut floor = closed_after(4).await;
    let change =
        "UPDATE entry SET leaf = replace(leaf, '\"acceptable\"', '\"unacceptable\"') WHERE log = 'lagos' AND seq = 4";
    tampered(&floor.desk, &[change]).await;
    assert!(refused_start(&floor.desk).contains("entry 4"));
    assert!(floor.desk.done(&["restore"]).contains("entry 4"));
    floor.reopen();
    assert_eq!(floor.challenge(9, "CAT").await.status, 201);
    floor.close();
    assert!(floor.desk.refused(1, &["ledger", "verify"]).contains("entry 4"));

    tampered_again(&floor.desk, "UPDATE entry SET leaf = replace(leaf, 'CAT', 'QI') WHERE log = 'lagos' AND seq = 3")
        .await;
    assert!(refused_start(&floor.desk).contains("has changed since it was closed"));
    assert!(floor.desk.done(&["restore"]).contains("lagos~3: goes on"));
    floor.reopen();
    let next = floor.challenge(10, "CAT").await;
    assert_eq!(floor.read(&floor.client, &next).await["number"], 9);
}

/// An entry that cannot even be read does not keep the event from going on.
#[tokio::test]
async fn an_unreadable_entry_of_a_closed_log_is_passed_over() {
    let mut floor = closed_after(2).await;
    tampered(
        &floor.desk,
        &["UPDATE entry SET leaf = 'x' WHERE log = 'server' AND kind = 'token-created' AND leaf LIKE '%observer%'"],
    )
    .await;
    refused_start(&floor.desk);
    let said = floor.desk.done(&["restore"]);
    assert!(said.contains("server~2: goes on") && said.contains("\"observer\""), "{said}");
    floor.reopen();
    assert_eq!(floor.challenge(3, "CAT").await.status, 201);
    assert_eq!(floor.get(&floor.observer, "/api/v1/lexicons").await.status, 401, "nothing vouches for this token");
    let again = floor.desk.token("observer", "observer");
    assert!(soon(|| async { floor.get(&again, "/api/v1/lexicons").await.status == 200 }).await);
}

/// What says that a log was opened, another's in its place: it is known and recorded, and read every second all the same.
#[tokio::test]
async fn an_entry_that_lies_in_the_place_of_another_stops_no_server_after_a_restore() {
    let mut floor = closed_after(1).await;
    floor.desk.done(&["tournament", "create", "abuja", "--title", "Abuja", "--division", "A:T:wespa"]);
    let opened = |log: &str| format!("FROM entry WHERE log = 'server' AND kind = 'log-opened' AND leaf LIKE '%{log}%'");
    let seq = format!("(SELECT MAX(seq) {})", opened("abuja"));
    let (leaf, hash) = (format!("(SELECT leaf {})", opened("lagos")), format!("(SELECT hash {})", opened("lagos")));
    let swap = format!("UPDATE entry SET leaf = {leaf}, hash = {hash} WHERE log = 'server' AND seq = {seq}");
    tampered(&floor.desk, &[swap.leak()]).await;
    refused_start(&floor.desk);
    let said = floor.desk.done(&["restore"]);
    assert!(said.contains("server~2: goes on"), "{said}");
    for table in 2..=3 {
        let copy = floor.desk.copy_of("lagos");
        let before = fs::read_to_string(&copy).unwrap_or_default();
        floor.reopen();
        assert_eq!(floor.challenge(table, "CAT").await.status, 201);
        // The copies of checkpoints are made by a task that asks for all logs.
        assert!(soon(|| async { fs::read_to_string(&copy).unwrap_or_default() != before }).await);
        assert_eq!(floor.challenge(table + 10, "CAT").await.status, 201, "the server goes on");
        floor.close();
    }
}

/// FAULTS E11
#[tokio::test]
async fn a_lost_key_is_replaced_only_by_restore() {
    let mut floor = closed_after(2).await;
    fs::remove_file(floor.desk.data().join("keys/signing.key")).unwrap();
    assert!(refused_start(&floor.desk).contains("is missing"));
    let said = floor.desk.done(&["restore"]);
    assert!(said.contains("server~2: goes on") && said.contains("lagos~2: goes on"), "{said}");
    floor.reopen();
    assert_eq!(floor.challenge(3, "CAT").await.status, 201);
    floor.close();
    let said = floor.desk.done(&["ledger", "verify"]);
    assert_eq!(said.lines().count(), 4, "{said}");
    // Each log goes out with the key that signed it.
    let folder = floor.desk.folder.path().join("export");
    floor.desk.done(&["ledger", "export", folder.to_str().unwrap()]);
    floor.desk.done(&["ledger", "verify", "--export", folder.to_str().unwrap()]);
    let key = |log: &str| fs::read_to_string(folder.join(format!("{log}.vkey"))).unwrap();
    assert_ne!(key("lagos").rsplit('+').next(), key("lagos~2").rsplit('+').next());
}

/// What the server's log lost is gone without a name, so the message names the kinds, and who is left.
#[tokio::test]
async fn a_restore_of_an_older_backup_names_the_staff_and_devices_that_are_left() {
    let floor = closed_after(1).await;
    let desk = &floor.desk;
    desk.done(&["staff", "add", "Ada", "--role", "judge", "--tournament", "lagos"]);
    desk.done(&["station", "create", "Station 1", "--tournament", "lagos"]);
    let older = server_entries(desk);
    desk.done(&["staff", "add", "Bola", "--role", "judge", "--tournament", "lagos"]);
    desk.done(&["station", "create", "Station 2", "--tournament", "lagos"]);
    // A server copies the checkpoints at its stop.
    assert_eq!(Server::start(desk).stop(), Some(0));
    let lost: [&'static str; 2] = [
        Box::leak(format!("DELETE FROM entry WHERE log = 'server' AND seq >= {older}").into_boxed_str()),
        Box::leak(format!("DELETE FROM checkpoint WHERE log = 'server' AND size > {older}").into_boxed_str()),
    ];
    tampered(desk, &lost).await;
    refused_start(desk);
    let said = desk.done(&["restore"]);
    assert!(said.contains("Staff, devices, tokens, lexicons, tournaments and settings of the lost entries"), "{said}");
    assert!(said.contains("Staff in force: Ada. ") && said.contains("Devices in force: Station 1. "), "{said}");
}

/// How many entries the log `server` has.
fn server_entries(desk: &Desk) -> usize {
    let folder = desk.folder.path().join("counted");
    desk.done(&["ledger", "export", "--log", "server", folder.to_str().unwrap()]);
    fs::read_to_string(folder.join("server.jsonl")).unwrap().lines().count()
}

fn lose_the_database(desk: &Desk) {
    fs::remove_file(desk.data().join("adjudge.db")).unwrap();
    for name in ["adjudge.db-wal", "adjudge.db-shm"] {
        // A server that stopped in good order leaves neither.
        let _ = fs::remove_file(desk.data().join(name));
    }
}

/// Makes list, tournament and token again, and files a slip.
async fn first_slip_after_setting_up_again(floor: &mut Floor) -> Answer {
    let list = floor.desk.folder.path().join("list.txt");
    floor.desk.done(&["lexicon", "import", list.to_str().unwrap(), "--id", "T"]);
    floor.desk.done(&["tournament", "create", "lagos", "--title", "Lagos Open", "--division", "A:T:wespa"]);
    floor.client = floor.desk.token("client", "client");
    floor.reopen();
    floor.challenge(1, "CAT").await
}

/// FAULTS B10, A10: nothing is left but keys, lists and copies of checkpoints.
#[tokio::test]
async fn a_lost_database_is_gone_on_without() {
    if is_on_postgres() {
        return;
    }
    let mut floor = closed_after(2).await;
    lose_the_database(&floor.desk);
    refused_start(&floor.desk);
    let said = floor.desk.done(&["restore"]);
    assert!(
        said.contains("lagos: closed with 0 entries; the newest known checkpoint covers 4, so 4 are lost"),
        "{said}"
    );
    let slip = first_slip_after_setting_up_again(&mut floor).await;
    assert_eq!(floor.read(&floor.client, &slip).await["number"], 5, "none of the four that may have been given");
    floor.close();
    floor.desk.done(&["ledger", "verify"]);
}

/// What says which log is open is checked like everything else.
#[tokio::test]
async fn a_log_is_not_closed_or_opened_by_a_row_alone() {
    let floor = closed_after(1).await;
    let rows = [
        "INSERT INTO continued (name, by_log) VALUES ('lagos', 'lagos~2')",
        "INSERT INTO continued (name, by_log) VALUES ('lagos', 'zzzzzzzzzzzzzzzzzz')",
        "INSERT INTO continued (name, by_log) VALUES ('lagos', 'lagos+18446744073709551615')",
    ];
    tampered(&floor.desk, &rows).await;
    assert!(floor.desk.refused(1, &["ledger", "verify"]).contains("no entry of it is left"));
    let floor = closed_after(5).await;
    tampered(&floor.desk, &OLDER).await;
    floor.desk.done(&["restore"]);
    tampered_again(&floor.desk, "DELETE FROM continued").await;
    refused_start(&floor.desk);
    assert!(floor.desk.refused(1, &["ledger", "verify"]).contains("its closing record and its continuation disagree"));
}

/// A further server on the same database takes the continuation without being told.
#[tokio::test]
async fn other_servers_go_over_to_the_continuation() {
    if !is_on_postgres() {
        return;
    }
    let Floor { desk, server: _, http, client, station, judge, director, observer } = closed_after(5).await;
    tampered(&desk, &OLDER).await;
    // Its folder is new, so it knows of no newer checkpoint and starts.
    let second = Desk::on_database(desk.postgres.as_ref().unwrap());
    second.done(&["init", "--join", desk.data().join("keys/signing.key").to_str().unwrap()]);
    let server = Server::start(&second);
    assert!(desk.done(&["restore"]).contains("lagos~2: goes on"));
    let floor = Floor { desk: second, server, http, client, station, judge, director, observer };
    let slip = floor.challenge(6, "CAT").await;
    let read = floor.read(&floor.client, &slip).await;
    assert_eq!((&read["number"], &read["entry"]), (&8.into(), &1.into()));
}

/// Key and database are lost: nothing can be checked, and still no number is given twice.
#[tokio::test]
async fn a_lost_database_and_a_lost_key_are_gone_on_without() {
    if is_on_postgres() {
        return;
    }
    let mut floor = closed_after(3).await;
    lose_the_database(&floor.desk);
    fs::remove_file(floor.desk.data().join("keys/signing.key")).unwrap();
    refused_start(&floor.desk);
    floor.desk.done(&["restore"]);
    let slip = first_slip_after_setting_up_again(&mut floor).await;
    assert_eq!(floor.read(&floor.client, &slip).await["number"], 6, "five entries are claimed by the copy");
}

/// Files that a copying program left are no logs.
#[tokio::test]
async fn a_copy_of_another_name_is_passed_over() {
    let floor = closed_after(1).await;
    let copy = floor.desk.copy_of("lagos");
    for name in ["lagos (1).checkpoint", "lagos~1.checkpoint", "lagos~2 copy.checkpoint", ".checkpoint"] {
        fs::copy(&copy, copy.with_file_name(name)).unwrap();
    }
    assert!(floor.desk.done(&["restore"]).contains("nothing to restore"));
    drop(Server::start(&floor.desk));
}

/// A tournament that was opened after the key had changed is closed by the key that it was signed with.
#[tokio::test]
async fn each_log_is_closed_by_its_own_key() {
    let floor = closed_after(1).await;
    let key = floor.desk.data().join("keys/signing.key");
    fs::remove_file(&key).unwrap();
    floor.desk.done(&["restore"]);
    floor.desk.done(&["tournament", "create", "abuja", "--title", "Abuja", "--division", "A:T:wespa"]);
    fs::remove_file(&key).unwrap();
    floor.desk.done(&["restore"]);
    assert!(floor.desk.done(&["ledger", "verify"]).contains("abuja: whole, 2 entries"));
    let folder = floor.desk.folder.path().join("export");
    floor.desk.done(&["ledger", "export", folder.to_str().unwrap()]);
    floor.desk.done(&["ledger", "verify", "--export", folder.to_str().unwrap()]);
}

/// Only the check reads an entry that is stored before the first one.
#[tokio::test]
async fn an_entry_before_the_first_is_found() {
    let forged = "INSERT INTO entry (log, seq, kind, slip, number, hash, leaf) \
        SELECT log, -1, kind, 'forged', 999, hash, leaf FROM entry WHERE log = 'lagos' AND seq = 2";
    let floor = closed_after(2).await;
    tampered_again(&floor.desk, forged).await;
    assert!(floor.desk.refused(1, &["ledger", "verify"]).contains("log lagos is broken"));
    refused_start(&floor.desk);
}

/// A restore puts no changed entry in force.
#[tokio::test]
async fn a_role_that_was_changed_is_not_in_force_after_a_restore() {
    let mut floor = closed_after(1).await;
    let promoted = [
        "UPDATE entry SET leaf = replace(leaf, '\"role\":\"client\",\"token\"', '\"role\":\"director\",\"token\"') WHERE kind = 'token-created' AND leaf LIKE '%\"name\":\"client\"%'",
        "UPDATE token SET role = 'director' WHERE name = 'client'",
    ];
    tampered(&floor.desk, &promoted).await;
    refused_start(&floor.desk);
    let said = floor.desk.done(&["restore"]);
    assert!(said.contains("no longer in force") && said.contains("\"client\""), "{said}");
    // What came after it cannot be told apart: tokens and tournaments are made again.
    let observer = floor.desk.token("observer", "another observer");
    floor.reopen();
    assert_eq!(floor.get(&observer, "/api/v1/lexicons").await.status, 200);
    assert_eq!(floor.get(&floor.client, "/api/v1/lexicons").await.status, 401);
}

/// A fault that is known must not hide another.
#[tokio::test]
async fn every_broken_log_is_named() {
    let floor = closed_after(2).await;
    let changes = [
        "UPDATE entry SET leaf = replace(leaf, 'CAT', 'QI') WHERE log = 'lagos' AND seq = 3",
        "UPDATE entry SET leaf = replace(leaf, 'Test list', 'Best list') WHERE log = 'server' AND seq = 1",
    ];
    tampered(&floor.desk, &changes).await;
    let said = floor.desk.refused(1, &["ledger", "verify"]);
    assert!(said.contains("log lagos is broken") && said.contains("log server is broken"), "{said}");
}

/// A fault of one log is none of the log `server`, which says who may speak.
#[tokio::test]
async fn a_changed_set_up_entry_closes_no_log_but_its_own() {
    for change in [
        "UPDATE entry SET leaf = replace(leaf, '\"wespa\"', '\"naspa\"') WHERE log = 'lagos' AND seq = 1",
        "UPDATE entry SET leaf = replace(leaf, 'Lagos Open', 'Lagos Shut') WHERE log = 'lagos' AND seq = 0",
    ] {
        let floor = closed_after(2).await;
        tampered(&floor.desk, &[change]).await;
        let said = floor.desk.refused(1, &["ledger", "verify"]);
        assert_eq!(said.matches("log lagos is broken").count(), 1, "{said}");
        let said = floor.desk.done(&["restore"]);
        assert!(said.contains("lagos~2: goes on") && !said.contains("server~2"), "{said}");
        assert!(said.contains("adjudge tournament create lagos --title"), "says what makes it anew: {said}");
        let said = floor.desk.done(&["restore"]);
        assert!(said.contains("lagos: was closed with its fault, and is continued as lagos~2"), "{said}");
        assert!(said.contains("there is nothing to restore") && !said.contains("Every log"), "{said}");
    }
}

/// A mistyped folder must not take over another server's ledger.
#[tokio::test]
async fn a_restore_in_an_empty_folder_touches_nothing() {
    let floor = closed_after(1).await;
    let typo = floor.desk.folder.path().join("typo");
    let said = floor.desk.refused(2, &["restore", "--data", typo.to_str().unwrap()]);
    assert!(said.contains("run adjudge init"), "{said}");
    drop(Server::start(&floor.desk));
}

/// Entries that are only in the write-ahead log are not thrown away with it.
#[tokio::test]
async fn a_write_ahead_log_without_its_database_is_kept() {
    if is_on_postgres() {
        return;
    }
    let floor = Floor::open();
    assert_eq!(floor.challenge(1, "CAT").await.status, 201);
    let Floor { desk, server, .. } = floor;
    server.kill();
    let (file, aside) = (desk.data().join("adjudge.db"), desk.folder.path().join("aside"));
    fs::rename(&file, &aside).unwrap();
    for command in ["restore", "serve"] {
        let said = desk.refused(2, &[command]);
        assert!(said.contains("put the database file back") && said.contains("move it away too"), "{said}");
    }
    fs::rename(&aside, &file).unwrap();
    assert!(desk.done(&["ledger", "verify"]).contains("lagos: whole, 3 entries"));
}
