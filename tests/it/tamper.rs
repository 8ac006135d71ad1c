//! The ledger in the hands of an attacker who changes it.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::harness::{Database, Desk, Floor, Server, is_on_postgres};

/// A ledger with six slips, its server stopped.
async fn played() -> Desk {
    let floor = Floor::open();
    for table in 1..=6 {
        floor.challenge(table, "CAT QI").await;
    }
    let Floor { desk, server, .. } = floor;
    assert_eq!(server.stop(), Some(0));
    desk
}

async fn unfenced(desk: &Desk) -> Database {
    let database = desk.database().await;
    take_fences_down(&database).await;
    database
}

/// Removes the triggers, as an attacker would.
pub async fn take_fences_down(database: &Database) {
    let fences: &[&str] = match database {
        Database::Sqlite(_) => &[
            "DROP TRIGGER entry_fixed",
            "DROP TRIGGER entry_kept",
            "DROP TRIGGER entry_once",
            "DROP TRIGGER checkpoint_fixed",
            "DROP TRIGGER checkpoint_kept",
            "DROP TRIGGER checkpoint_once",
        ],
        Database::Postgres(_) => {
            &["ALTER TABLE entry DISABLE TRIGGER ALL", "ALTER TABLE checkpoint DISABLE TRIGGER ALL"]
        }
    };
    for fence in fences {
        database.execute(fence).await.unwrap();
    }
}

async fn after(sql: &'static str) -> (Desk, String) {
    let desk = played().await;
    let database = unfenced(&desk).await;
    assert!(database.execute(sql).await.unwrap() > 0, "{sql}");
    database.close().await;
    let said = desk.refused(1, &["ledger", "verify"]);
    (desk, said)
}

#[tokio::test]
async fn a_clean_ledger_raises_no_alarm() {
    let desk = played().await;
    let said = desk.done(&["ledger", "verify"]);
    assert!(said.contains("lagos: whole, 8 entries, code ") && said.contains("server: whole, 15 entries"), "{said}");
}

/// FIELD-REPORTS A9: alter one row by SQL, and verify names the row.
#[tokio::test]
async fn a_changed_entry_is_named() {
    let (desk, said) = after(
        "UPDATE entry SET leaf = replace(leaf, '\"acceptable\"', '\"unacceptable\"') WHERE log = 'lagos' AND seq = 4",
    )
    .await;
    assert!(said.contains("log lagos is broken") && said.contains("entry 4"), "{said}");
    let serve = desk.refused(2, &["serve", "--listen", "127.0.0.1:0"]);
    assert!(serve.contains("entry 4"), "a broken ledger is not served: {serve}");
}

#[tokio::test]
async fn a_missing_a_swapped_and_a_cut_off_entry_are_found() {
    for (sql, named) in [
        ("DELETE FROM entry WHERE log = 'lagos' AND seq = 3", "3"),
        ("DELETE FROM entry WHERE log = 'lagos' AND seq >= 6", "6"),
        ("UPDATE entry SET seq = CASE seq WHEN 3 THEN 1004 ELSE 1003 END WHERE log = 'lagos' AND seq IN (3, 4)", "3"),
        ("DELETE FROM checkpoint WHERE log = 'lagos' AND size >= 8", ""),
        (
            "UPDATE checkpoint SET note = replace(note, 'adjudge/lagos', 'adjudge/abuja') WHERE log = 'lagos' AND size = 8",
            "",
        ),
        ("UPDATE entry SET kind = 'division-set' WHERE log = 'lagos' AND seq = 5", "5"),
        ("UPDATE entry SET slip = 'x' WHERE log = 'lagos' AND seq = 5", "5"),
        ("UPDATE entry SET hash = 'x' WHERE log = 'lagos' AND seq = 5", "5"),
        ("UPDATE checkpoint SET frontier = 'x' WHERE log = 'lagos' AND size = 8", "8"),
        ("UPDATE checkpoint SET at_us = at_us + 1 WHERE log = 'lagos' AND size = 8", "8"),
        ("UPDATE entry SET asked_by = NULL, asked_key = NULL WHERE log = 'lagos' AND seq = 5", "5"),
        ("UPDATE entry SET asked_key = 'x' WHERE log = 'lagos' AND seq = 5", "5"),
        ("UPDATE entry SET number = 99 WHERE log = 'lagos' AND number = 4", "5"),
        ("DELETE FROM setup WHERE log = 'lagos'", "0"),
        ("INSERT INTO setup VALUES (1000, 'lagos', 5)", "5"),
        ("INSERT INTO setup VALUES (1000, 'lagos', 99)", "place in the set-up"),
        ("UPDATE setup SET position = -position WHERE log = 'lagos'", "place in the set-up"),
        ("UPDATE setup SET position = 1000 - position WHERE log = 'lagos'", "place in the set-up"),
        (
            "INSERT INTO checkpoint (log, size, at_us, frontier, note, era) SELECT log, 0, at_us, frontier, note, era FROM checkpoint WHERE log = 'lagos' AND size = 8",
            "",
        ),
        // The next entry would be put behind a size that no entry has.
        (
            "INSERT INTO checkpoint (log, size, at_us, frontier, note, era) SELECT log, 1000, at_us, frontier, note, era FROM checkpoint WHERE log = 'lagos' AND size = 8",
            "",
        ),
    ] {
        let (desk, said) = after(sql).await;
        assert!(said.contains("log lagos is broken") && said.contains(named), "{sql}: {said}");
        all_say_the_same(&desk, &said, sql);
    }
}

/// FAULTS A12: of one state `ledger verify`, the start and `restore` say the same, and a restore mends it.
fn all_say_the_same(desk: &Desk, verified: &str, what: &str) {
    let fault = verified.lines().find(|line| line.contains("log lagos is broken")).unwrap();
    let fault = fault.trim_start_matches("adjudge: ");
    let started = desk.refused(2, &["serve", "--listen", "127.0.0.1:0"]);
    assert!(started.contains(fault) && started.contains("adjudge restore"), "{what}: {fault} is not {started}");
    let restored = desk.done(&["restore"]);
    assert!(restored.contains(&format!("; {fault}")), "{what}: {fault} is not in {restored}");
    assert!(restored.contains("lagos~2: goes on") && !restored.contains("server~2"), "{what}: {restored}");
    drop(Server::start(desk));
    assert!(desk.done(&["restore"]).contains("nothing to restore"), "{what}");
    let again = desk.refused(1, &["ledger", "verify"]);
    assert!(again.contains(fault) && again.contains("was closed with this fault"), "it stays named: {again}");
}

/// A slip is read together with every entry that names it, from every log.
#[tokio::test]
async fn an_entry_in_a_log_that_nobody_opened_is_found() {
    let (_, said) = after(
        "INSERT INTO entry (log, seq, kind, slip, hash, leaf) SELECT 'abuja', 0, kind, slip, hash, leaf FROM entry WHERE log = 'lagos' AND seq = 5",
    )
    .await;
    assert!(said.contains("log abuja is broken"), "{said}");
}

/// FAULTS A12: damage on the disk may strike the index that keys are looked up in and leave its table whole. The key
/// would be judged anew.
#[tokio::test]
async fn a_key_that_no_longer_leads_to_its_answer_is_found_and_mended() {
    if is_on_postgres() {
        return;
    }
    let mut floor = Floor::open();
    let slip = json!({"division": "A", "words": ["CAT"], "table": 1});
    floor.file("rotten", slip.clone()).await;
    floor.close();
    let database = floor.desk.database().await;
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)").await.unwrap();
    database.close().await;
    let file = floor.desk.data().join("adjudge.db");
    let mut bytes = fs::read(&file).unwrap();
    // In a row the hash follows upon the key, in a leaf a quotation mark.
    let places: Vec<usize> = (0..bytes.len() - 6).filter(|at| bytes[*at..].starts_with(b"rotten")).collect();
    let is_in_row = |at: usize| bytes[at + 6] == b'"' || bytes[at + 6..at + 70].iter().all(u8::is_ascii_hexdigit);
    let in_index = places.into_iter().find(|at| !is_in_row(*at)).unwrap();
    bytes[in_index] ^= 1;
    fs::write(&file, bytes).unwrap();
    let said = floor.desk.refused(1, &["ledger", "verify"]);
    assert!(said.contains("entry_of_key"), "{said}");
    assert!(floor.desk.refused(2, &["serve", "--listen", "127.0.0.1:0"]).contains("adjudge restore"));
    floor.desk.done(&["restore"]);
    floor.desk.done(&["ledger", "verify"]);
    floor.reopen();
    assert!(floor.file("rotten", slip).await.replayed);
}

/// FIELD-REPORTS A4, A6
#[tokio::test]
async fn triggers_reject_update_and_delete() {
    let desk = played().await;
    let database = desk.database().await;
    let by_replacing: &[&str] = match &database {
        Database::Sqlite(_) => &[
            "INSERT OR REPLACE INTO entry (log, seq, kind, hash, leaf) SELECT log, seq, kind, hash, '' FROM entry WHERE seq = 1",
            "INSERT OR REPLACE INTO checkpoint (log, size, at_us, frontier, note, era) SELECT log, size, at_us, frontier, '', era FROM checkpoint",
        ],
        Database::Postgres(_) => &["TRUNCATE entry", "TRUNCATE checkpoint"],
    };
    let accidents = [
        "UPDATE entry SET leaf = ''",
        "DELETE FROM entry",
        "UPDATE checkpoint SET note = ''",
        "DELETE FROM checkpoint",
    ];
    for sql in accidents.iter().chain(by_replacing) {
        let error = database.execute(sql).await.unwrap_err().to_string();
        assert!(error.contains("append-only"), "{sql}: {error}");
    }
    database.close().await;
    desk.done(&["ledger", "verify"]);
}

#[tokio::test]
async fn a_token_that_no_entry_made_is_found() {
    for sql in [
        "UPDATE token SET role = 'director' WHERE name = 'client'",
        "UPDATE token SET revoked_us = 1 WHERE name = 'client'",
    ] {
        let (_, said) = after(sql).await;
        assert!(said.contains("the token client does not match its entries"), "{said}");
    }
}

/// FAULTS E2: a check beside a busy server raises no false alarm.
#[tokio::test]
async fn a_check_while_slips_are_written_finds_nothing() {
    let floor = Floor::open();
    let is_done = std::sync::atomic::AtomicBool::new(false);
    let play = async {
        let mut table = 1;
        while !is_done.load(std::sync::atomic::Ordering::Relaxed) && table < 5_000 {
            assert_eq!(floor.challenge(table, "CAT QI").await.status, 201);
            table += 1;
        }
    };
    let check = async {
        for _ in 0..15 {
            let mut command = tokio::process::Command::from(floor.desk.command(&["ledger", "verify"]));
            let checked = command.output().await.unwrap();
            assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
        }
        is_done.store(true, std::sync::atomic::Ordering::Relaxed);
    };
    tokio::join!(play, check);
}

/// The log `server` names every other log, so a whole one cannot vanish.
#[tokio::test]
async fn a_log_that_vanished_is_missed() {
    let desk = played().await;
    let kept = desk.file("kept", desk.done(&["ledger", "checkpoint", "--log", "lagos"]).as_bytes());
    let export = desk.folder.path().join("export");
    desk.done(&["ledger", "export", export.to_str().unwrap()]);
    let database = unfenced(&desk).await;
    for sql in [
        "DELETE FROM entry WHERE log = 'lagos'",
        "DELETE FROM checkpoint WHERE log = 'lagos'",
        "DELETE FROM setup WHERE log = 'lagos'",
    ] {
        assert!(database.execute(sql).await.unwrap() > 0);
    }
    database.close().await;
    assert!(desk.refused(1, &["ledger", "verify"]).contains("entries are missing"), "the copy tells more");
    fs::remove_dir_all(desk.data().join("checkpoints")).unwrap();
    assert!(desk.refused(1, &["ledger", "verify"]).contains("no entry of it is left"));

    for ending in ["jsonl", "checkpoint", "vkey"] {
        fs::remove_file(export.join(format!("lagos.{ending}"))).unwrap();
    }
    let args = ["ledger", "verify", "--export", export.to_str().unwrap(), "--checkpoint", kept.to_str().unwrap()];
    assert!(desk.refused(1, &args).contains("log lagos is lost"));
}

/// FAULTS E3: what the file alone cannot show, a checkpoint that was kept elsewhere does.
#[tokio::test]
async fn a_cut_with_its_checkpoints_is_seen_by_a_kept_checkpoint_only() {
    let desk = played().await;
    let kept = desk.file("kept", desk.done(&["ledger", "checkpoint", "--log", "lagos"]).as_bytes());
    desk.done(&["ledger", "verify", "--checkpoint", kept.to_str().unwrap()]);
    let database = unfenced(&desk).await;
    for sql in [
        "DELETE FROM entry WHERE log = 'lagos' AND seq >= 6",
        "DELETE FROM checkpoint WHERE log = 'lagos' AND size > 6",
    ] {
        database.execute(sql).await.unwrap();
    }
    database.close().await;
    // The copy in the data folder reveals it as well as one that a person keeps.
    assert!(desk.refused(1, &["ledger", "verify"]).contains("missing"));
    fs::remove_dir_all(desk.data().join("checkpoints")).unwrap();
    desk.done(&["ledger", "verify"]);
    let said = desk.refused(1, &["ledger", "verify", "--checkpoint", kept.to_str().unwrap()]);
    assert!(said.contains("log lagos is broken") && said.contains("missing"), "{said}");
}

/// A cut while the server runs: the copy that covers more entries stays, also when slips are filed afterwards, and reveals
/// the cut at the next start.
#[tokio::test]
async fn a_cut_while_serving_is_revealed_by_the_checkpoint_copy() {
    let mut floor = Floor::open();
    for table in 1..=6 {
        floor.challenge(table, "CAT QI").await;
    }
    assert!(crate::harness::soon(|| async { floor.desk.copy_of("lagos").exists() }).await);
    let copy = floor.desk.copy_of("lagos");
    let size = |text: &str| text.lines().nth(1).and_then(|size| size.parse::<u64>().ok());
    let kept = || async { fs::read_to_string(&copy).is_ok_and(|text| size(&text) == Some(8)) };
    assert!(crate::harness::soon(kept).await, "{:?}", fs::read_to_string(&copy));
    let database = unfenced(&floor.desk).await;
    for cut in [
        "DELETE FROM entry WHERE log = 'lagos' AND seq >= 5",
        "DELETE FROM checkpoint WHERE log = 'lagos' AND size > 5",
    ] {
        assert!(database.execute(cut).await.unwrap() > 0);
    }
    database.close().await;
    floor.challenge(7, "CAT QI").await;
    floor.close();
    assert_eq!(size(&fs::read_to_string(&copy).unwrap()), Some(8));
    let said = floor.desk.refused(2, &["serve", "--listen", "127.0.0.1:0"]);
    assert!(said.contains("adjudge restore"), "{said}");
}

#[tokio::test]
async fn entries_go_on_after_a_kept_checkpoint_and_still_fit_it() {
    let floor = Floor::open();
    floor.challenge(1, "CAT").await;
    let kept = floor.desk.file("kept", floor.desk.done(&["ledger", "checkpoint", "--log", "lagos"]).as_bytes());
    floor.challenge(2, "CAT").await;
    floor.desk.done(&["ledger", "verify", "--checkpoint", kept.to_str().unwrap()]);
    let stranger = Desk::ready();
    let said = stranger.refused(1, &["ledger", "verify", "--checkpoint", kept.to_str().unwrap()]);
    assert!(said.contains("signed with another key"), "{said}");
}

fn verified_elsewhere(folder: &Path) -> (Option<i32>, String) {
    verified_by_a_stranger(folder, "lagos")
}

/// What the verifier in another language says of a log, or of `--all`.
pub fn verified_by_a_stranger(folder: &Path, log: &str) -> (Option<i32>, String) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/verifier/verify.py");
    let output = Command::new("python3").arg(script).arg(folder).arg(log).output().unwrap();
    (
        output.status.code(),
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr)),
    )
}

/// FAULTS E10: our verifier and one in another language agree on every export.
#[tokio::test]
async fn an_export_is_verified_by_adjudge_and_by_an_independent_verifier() {
    let desk = played().await;
    let folder = desk.folder.path().join("export");
    let out = folder.to_str().unwrap();
    desk.done(&["ledger", "export", out]);
    desk.done(&["ledger", "verify", "--export", out]);
    assert_eq!(verified_elsewhere(&folder).0, Some(0), "{}", verified_elsewhere(&folder).1);

    let file = folder.join("lagos.jsonl");
    let whole = fs::read_to_string(&file).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    let joined = |lines: &[&str]| format!("{}\n", lines.join("\n"));
    for (what, text) in [
        ("one field", whole.replacen("\"table\":4", "\"table\":5", 1)),
        ("swapped", joined(&[&lines[..3], &[lines[4], lines[3]], &lines[5..]].concat())),
        ("CRLF", whole.replace('\n', "\r\n")),
        ("BOM", format!("\u{feff}{whole}")),
        ("last line gone", joined(&lines[..lines.len() - 1])),
        ("no last newline", whole.trim_end().to_owned()),
        ("empty", String::new()),
    ] {
        assert_ne!(text, whole, "{what}");
        fs::write(&file, text).unwrap();
        let said = desk.refused(1, &["ledger", "verify", "--export", out]);
        assert!(said.contains("log lagos is broken"), "{what}: {said}");
        assert_eq!(verified_elsewhere(&folder).0, Some(1), "{what}: {}", verified_elsewhere(&folder).1);
    }
    fs::write(&file, whole).unwrap();
    let key = folder.join("lagos.vkey");
    let whole = fs::read_to_string(&key).unwrap();
    for (what, text) in [
        ("CRLF", whole.replace('\n', "\r\n")),
        ("no line feed", whole.trim_end().to_owned()),
        ("another line", format!("{whole}\n")),
        // The neutral element: every signature by it fits.
        ("a key of small order", "adjudge/lagos+c582bf11+AQEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n".to_owned()),
    ] {
        fs::write(&key, text).unwrap();
        let said = desk.refused(1, &["ledger", "verify", "--export", out]);
        assert!(said.contains("lagos.vkey was changed since it was exported"), "{what}: {said}");
        assert_eq!(verified_elsewhere(&folder).0, Some(1), "{what}: {}", verified_elsewhere(&folder).1);
    }
}

/// An export is whole only with every log that the log `server` says was opened.
#[tokio::test]
async fn an_export_that_lacks_a_tournament_is_not_whole() {
    let desk = played().await;
    let folder = desk.folder.path().join("export");
    let out = folder.to_str().unwrap();
    desk.done(&["ledger", "export", out]);
    desk.done(&["ledger", "verify", "--export", out]);
    let stranger = || verified_by_a_stranger(&folder, "--all");
    assert_eq!(stranger().0, Some(0), "{}", stranger().1);
    for ending in ["jsonl", "checkpoint", "vkey"] {
        fs::remove_file(folder.join(format!("lagos.{ending}"))).unwrap();
    }
    let said = desk.refused(1, &["ledger", "verify", "--export", out]);
    assert!(said.contains("log lagos is missing"), "{said}");
    assert!(stranger().0 == Some(1) && stranger().1.contains("missing: ['lagos']"), "{}", stranger().1);
    desk.done(&["ledger", "verify", "--export", out, "--log", "server"]);
    desk.done(&["ledger", "export", out]);
    for ending in ["jsonl", "checkpoint", "vkey"] {
        fs::remove_file(folder.join(format!("server.{ending}"))).unwrap();
    }
    let verified = desk.run(&["ledger", "verify", "--export", out]);
    let said = String::from_utf8(verified.stderr).unwrap();
    assert!(verified.status.success() && said.contains("a missing log is not noticed"), "{said}");
}

#[tokio::test]
async fn exporting_while_serving_is_whole() {
    let floor = Floor::open();
    let folder = floor.desk.folder.path().join("export");
    for table in 1..=5 {
        floor.challenge(table, "CAT").await;
        floor.desk.done(&["ledger", "export", folder.to_str().unwrap()]);
        floor.desk.done(&["ledger", "verify", "--export", folder.to_str().unwrap()]);
    }
}

#[tokio::test]
async fn two_writers_share_one_gapless_log() {
    let floor = Floor::open();
    // The command line writes into the log `server` while the server writes slips.
    for round in 0..5 {
        floor.desk.token("observer", &format!("extra {round}"));
        assert_eq!(floor.challenge(round + 1, "CAT").await.status, 201);
    }
    assert!(floor.desk.done(&["ledger", "verify"]).contains("server: whole, 20 entries"));
    drop(floor.power_cut());
}
