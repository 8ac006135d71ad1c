//! What the store promises of its database.

use adjudge::domain::ledger::Actor;
use adjudge::store::{Address, Db, Folder, FolderError, statements};
use adjudge::world::World;

use serde_json::json;

use crate::floor::{Answer, Desk, Floor, Server, is_on_postgres, soon};

/// On SQLite and, where the tests run on Postgres, there too.
#[tokio::test]
async fn every_statement_can_be_prepared() {
    let desk = Desk::empty();
    let address = match &desk.postgres {
        Some(url) => Address::Postgres(url.clone()),
        None => Address::Sqlite(desk.folder.path().join("adjudge.db")),
    };
    let db = Db::open(&address, true).await.unwrap();
    assert!(statements::all().count() > 30);
    for statement in statements::all() {
        db.prepare(statement).await.unwrap_or_else(|error| panic!("{}: {error}", statement.0));
    }
    db.close().await;
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
    let folder = Folder::at(root.path().join("data"));
    let by = Actor { id: "t".into(), name: "t".into(), role: "operator".into() };
    std::fs::create_dir(folder.root()).unwrap();
    // The database was made, and then the power went.
    Db::open(folder.address(), true).await.unwrap().close().await;
    assert!(matches!(folder.open().await, Err(FolderError::NotInitialised(_))));
    folder.init(&World::Real, &by).await.unwrap().db.close().await;
    folder.open().await.unwrap().db.close().await;
    assert!(matches!(folder.init(&World::Real, &by).await, Err(FolderError::AlreadyInitialised(_))));
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
    let kept = desk.data().join("checkpoints/lagos.checkpoint");
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
    desk.done(&["ledger", "verify"]);
    assert!(serve_refuses(&desk).contains("missing"));
    std::fs::remove_file(&kept).unwrap();
    drop(Server::start(&desk));
}

/// FAULTS A9, E11
#[tokio::test]
async fn another_servers_checkpoint_and_a_lost_log_are_not_passed_over() {
    let desk = Desk::ready();
    let folder = desk.data().join("checkpoints");
    std::fs::create_dir(&folder).unwrap();
    let other = Desk::ready();
    let note = other.done(&["ledger", "checkpoint", "--log", "lagos"]);
    std::fs::write(folder.join("lagos.checkpoint"), &note).unwrap();
    assert!(serve_refuses(&desk).contains("another key"));
    std::fs::write(folder.join("lagos.checkpoint"), desk.done(&["ledger", "checkpoint", "--log", "lagos"])).unwrap();
    std::fs::write(folder.join("abuja.checkpoint"), &note).unwrap();
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
            let note = std::fs::read_to_string(folder.join("lagos.checkpoint")).unwrap_or_default();
            note.starts_with("adjudge/lagos\n3\n") && folder.join("server.checkpoint").exists()
        });
        assert!(copied.await, "{}", folder.display());
    }
}

/// A failure of the storage itself stops the server: after a failed sync nobody knows what is on the disk.
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
