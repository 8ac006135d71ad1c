//! Copies of checkpoints outside: whose they are, what is told of those that fail. Source: CONTRACT section 6.

use std::fs;
use std::path::{Path, PathBuf};

use crate::harness::{Answer, Desk, Floor, Server, copy_below, soon};
use crate::people::{Browser, staff};

const MARKER: &str = "adjudge-checkpoints";

/// A folder with another disk beside it.
fn with_disk() -> (Desk, PathBuf) {
    let desk = Desk::ready();
    let disk = desk.folder.path().join("disk");
    fs::create_dir(&disk).unwrap();
    desk.settings(&format!("checkpoint_dir = {:?}\n", disk.to_str().unwrap()));
    (desk, disk)
}

async fn ready(floor: &Floor) -> Answer {
    Answer::of(floor.http.get(floor.url("/readyz")).send().await.unwrap()).await
}

/// Whether the server is ready and tells of copies what is asked for.
async fn tells(floor: &Floor, what: &str) -> bool {
    let ready = ready(floor).await;
    assert_eq!((ready.status, &ready.json()["status"]), (200, &"ready".into()), "{}", ready.body);
    ready.json()["warnings"].as_array().is_some_and(|told| told.iter().any(|one| one.as_str().unwrap().contains(what)))
}

async fn tells_nothing(floor: &Floor) -> bool {
    ready(floor).await.json().get("warnings").is_none()
}

fn verified(desk: &Desk) -> String {
    let output = desk.run(&["ledger", "verify"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{said}");
    said
}

/// Last month's stick: another server's copies, by this version and by the one before, of a log that every server has.
#[tokio::test]
async fn another_servers_checkpoint_copies_are_left_alone() {
    let (desk, disk) = with_disk();
    let other = Desk::ready();
    assert_eq!(Server::start(&other).stop(), Some(0));
    let theirs = other.copy_of("server");
    let folder = disk.join(theirs.parent().unwrap().file_name().unwrap());
    fs::create_dir(&folder).unwrap();
    for place in [folder.join("server.checkpoint"), disk.join("server.checkpoint"), disk.join("abuja.checkpoint")] {
        fs::copy(&theirs, place).unwrap();
    }
    let before = fs::read(&theirs).unwrap();
    let said = verified(&desk);
    assert_eq!(said.matches("another server's copy of a checkpoint, left alone").count(), 3, "{said}");
    assert!(desk.done(&["restore"]).contains("Every log is whole"));
    let mut floor = Floor::of(desk);
    assert!(tells_nothing(&floor).await);
    assert_eq!(floor.challenge(1, "CAT").await.status, 201);
    floor.close();
    assert!(copy_below(&disk, "lagos").exists());
    for place in [folder.join("server.checkpoint"), disk.join("server.checkpoint")] {
        assert_eq!(fs::read(&place).unwrap(), before, "{}", place.display());
    }
    let own = floor.desk.copy_of("lagos");
    assert_eq!(own.parent().unwrap().file_name(), copy_below(&disk, "lagos").parent().unwrap().file_name());
}

#[tokio::test]
async fn an_emptied_copy_is_told_by_its_path_and_closes_nothing() {
    let mut floor = Floor::open();
    assert_eq!(floor.challenge(1, "CAT").await.status, 201);
    floor.close();
    let copy = floor.desk.copy_of("lagos");
    let other = Desk::ready().done(&["ledger", "checkpoint", "--log", "lagos"]);
    for (note, why) in
        [("", "it is empty"), ("garbage", "not written as one"), (other.as_str(), "signed with another key")]
    {
        fs::write(&copy, note).unwrap();
        let said = verified(&floor.desk);
        assert!(
            said.contains(copy.to_str().unwrap()) && said.contains(why) && said.contains("remove the file"),
            "{said}"
        );
        floor.desk.done(&["restore"]);
        floor.reopen();
        assert!(tells(&floor, copy.to_str().unwrap()).await, "{why}");
        let metrics = floor.get(&floor.client, "/metrics").await.body;
        assert!(metrics.contains("adjudge_checkpoint_copies_failing 1"), "{metrics}");
        assert_eq!(floor.challenge(2, "CAT").await.status, 201);
        floor.close();
        assert_eq!(fs::read_to_string(&copy).unwrap(), note, "it may be evidence");
    }
    let said = floor.desk.done(&["restore"]);
    assert!(said.contains("Every log is whole"), "{said}");
    let passphrase = staff(&floor.desk, "Dora", "director", &[]);
    floor.reopen();
    let mut director = Browser::of(&floor.server.base);
    assert_eq!(director.sign_in("Dora", &passphrase).await.status, 303);
    assert!(director.get("/director").await.body.contains("this copy of a checkpoint cannot be used"));
    fs::remove_file(&copy).unwrap();
    assert!(soon(async || tells_nothing(&floor).await && copy.exists()).await, "removed, it is written anew");
}

#[tokio::test]
async fn an_emptied_copy_is_written_anew_where_another_agrees() {
    let (desk, disk) = with_disk();
    let mut floor = Floor::of(desk);
    assert_eq!(floor.challenge(1, "CAT").await.status, 201);
    floor.close();
    let (copy, other) = (copy_below(&disk, "lagos"), floor.desk.copy_of("lagos"));
    fs::write(&copy, "").unwrap();
    assert!(verified(&floor.desk).contains(copy.to_str().unwrap()));
    floor.reopen();
    assert!(soon(async || fs::read(&copy).unwrap() == fs::read(&other).unwrap()).await);
    let recorded = "SELECT count(*) FROM entry WHERE log = 'server' AND kind = 'checkpoint-copy-written'";
    assert!(soon(async || floor.number(recorded).await == 1).await);
    assert!(soon(async || tells_nothing(&floor).await).await);
    floor.close();
    assert_eq!(verified(&floor.desk), "");
}

/// As the version before left them.
#[tokio::test]
async fn copies_at_the_old_place_are_read_and_moved() {
    let mut floor = Floor::open();
    assert_eq!(floor.challenge(1, "CAT").await.status, 201);
    floor.close();
    let folder = floor.desk.data().join("checkpoints");
    let put_back = |log: &str| {
        let copy = floor.desk.copy_of(log);
        fs::rename(&copy, folder.join(copy.file_name().unwrap())).unwrap();
    };
    put_back("lagos");
    put_back("server");
    assert_eq!(verified(&floor.desk), "");
    floor.reopen();
    assert!(soon(async || floor.desk.copy_of("lagos").exists() && !folder.join("lagos.checkpoint").exists()).await);
    floor.close();
    // And they are believed: a log that is behind one is not served.
    fs::rename(floor.desk.copy_of("lagos"), folder.join("lagos.checkpoint")).unwrap();
    let database = floor.desk.database().await;
    crate::tamper::take_fences_down(&database).await;
    for sql in [
        "DELETE FROM entry WHERE log = 'lagos' AND seq >= 2",
        "DELETE FROM checkpoint WHERE log = 'lagos' AND size > 2",
    ] {
        assert!(database.execute(sql).await.unwrap() > 0);
    }
    database.close().await;
    assert!(floor.desk.refused(1, &["ledger", "verify"]).contains("missing"));
    assert!(floor.desk.refused(2, &["serve", "--listen", "127.0.0.1:0"]).contains("missing"));
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).unwrap().next().is_none()
}

#[tokio::test]
async fn an_empty_mount_point_is_told_and_never_written_to() {
    let (desk, disk) = with_disk();
    let away = desk.folder.path().join("away");
    let mut floor = Floor::of(desk);
    assert_eq!(floor.challenge(1, "CAT").await.status, 201);
    assert!(soon(async || copy_below(&disk, "lagos").exists()).await);
    let id = copy_below(&disk, "lagos").parent().unwrap().file_name().unwrap().to_str().unwrap().to_owned();
    assert!(fs::read_to_string(disk.join(MARKER)).unwrap().lines().any(|line| line == id), "marked with the key's id");
    // The disk is unplugged.
    fs::rename(&disk, &away).unwrap();
    fs::create_dir(&disk).unwrap();
    assert_eq!(floor.challenge(2, "CAT").await.status, 201);
    assert!(soon(async || tells(&floor, "the disk is not there").await).await);
    floor.close();
    assert!(is_empty(&disk));
    assert!(verified(&floor.desk).contains("the disk is not there"));
    floor.reopen();
    assert!(tells(&floor, "the disk is not there").await, "from the start on");
    assert_eq!(floor.challenge(3, "CAT").await.status, 201);
    assert!(soon(async || fs::read_to_string(floor.desk.copy_of("lagos")).unwrap().contains("\n5\n")).await);
    assert!(is_empty(&disk));
    // It comes back.
    fs::remove_dir(&disk).unwrap();
    fs::rename(&away, &disk).unwrap();
    assert!(soon(async || tells_nothing(&floor).await).await);
    assert!(soon(async || fs::read_to_string(copy_below(&disk, "lagos")).unwrap().contains("\n5\n")).await);
}

#[tokio::test]
async fn a_disk_that_cannot_be_written_is_told_and_rulings_go_on() {
    let (desk, disk) = with_disk();
    let mut floor = Floor::of(desk);
    assert!(soon(async || copy_below(&disk, "lagos").exists()).await);
    // Nothing can be written any more where the copies stand, not even by root.
    let folder = copy_below(&disk, "lagos").parent().unwrap().to_owned();
    fs::remove_dir_all(&folder).unwrap();
    fs::write(&folder, "in the way").unwrap();
    assert_eq!(floor.challenge(1, "CAT").await.status, 201);
    assert!(soon(async || tells(&floor, "no checkpoint can be written there").await).await);
    let metrics = floor.get(&floor.client, "/metrics").await.body;
    assert!(metrics.contains("adjudge_checkpoint_copies_failing"), "{metrics}");
    fs::remove_file(&folder).unwrap();
    assert!(soon(async || tells_nothing(&floor).await).await);
    floor.close();
    assert!(copy_below(&disk, "lagos").exists());
}
