//! A ledger that is cut or changed while it is served: the server goes on and raises an alarm. Source: STORY 29.

use std::fs;

use serde_json::json;

use crate::harness::{Answer, Floor, soon};
use crate::people::{Browser, into_gallery, staff};

/// How many entries the copy of the tournament's checkpoint covers.
fn copied(floor: &Floor) -> u64 {
    let copy = fs::read_to_string(floor.desk.copy_of("lagos")).unwrap_or_default();
    copy.lines().nth(1).and_then(|size| size.parse().ok()).unwrap_or(0)
}

async fn run(floor: &Floor, statements: &[&'static str]) {
    let database = floor.desk.database().await;
    crate::tamper::take_fences_down(&database).await;
    for statement in statements {
        database.execute(statement).await.unwrap();
    }
    database.close().await;
}

async fn is_alarmed(floor: &Floor) -> bool {
    let ready = Answer::of(floor.http.get(floor.url("/readyz")).send().await.unwrap()).await;
    let is_alarmed = ready.json()["ledger"] == json!("entries lost or changed: run adjudge ledger verify");
    assert_eq!(is_alarmed, ready.status == 503, "{}", ready.body);
    is_alarmed
}

/// Three slips, all of them copied outside.
async fn of_three_slips() -> Floor {
    let floor = Floor::open();
    for table in 1..=3 {
        assert_eq!(floor.challenge(table, "CAT").await.status, 201);
    }
    assert!(soon(async || copied(&floor) == 5).await, "{} entries were copied", copied(&floor));
    assert!(!is_alarmed(&floor).await);
    floor
}

#[tokio::test]
async fn a_log_that_was_cut_while_it_is_served_is_an_alarm_until_the_server_starts_anew() {
    let mut floor = of_three_slips().await;
    let passphrase = staff(&floor.desk, "Dora", "director", &[]);
    let mut director = Browser::of(&floor.server.base);
    assert_eq!(director.sign_in("Dora", &passphrase).await.status, 303);
    assert!(!director.get("/director").await.body.contains("class=\"alarm\""));
    run(
        &floor,
        &[
            "DELETE FROM entry WHERE log = 'lagos' AND seq >= 4",
            "DELETE FROM checkpoint WHERE log = 'lagos' AND size > 4",
        ],
    )
    .await;
    // Nobody writes to it, and it is found all the same.
    assert!(soon(async || is_alarmed(&floor).await).await);
    let desk = director.get("/director").await;
    into_gallery("desk_alarm.html", &desk);
    let (_, rest) = desk.body.split_once("<code>adjudge ledger verify --checkpoint &#34;").expect("the command to run");
    let copy = rest.split("&#34;").next().unwrap().to_owned();
    assert!(copy.ends_with("lagos.checkpoint"), "{copy}");
    let metrics = Answer::of(floor.http.get(floor.url("/metrics")).send().await.unwrap()).await;
    assert!(metrics.body.contains("adjudge_ledger_alarms 1"), "{}", metrics.body);
    // The players' rulings go on, also past the size that was copied; the copy that tells stays as it is.
    for table in 11..=14 {
        assert_eq!(floor.challenge(table, "QI").await.status, 201);
    }
    tokio::time::sleep(std::time::Duration::from_millis(2500)).await;
    assert!(is_alarmed(&floor).await && copied(&floor) == 5);
    let said = floor.desk.refused(1, &["ledger", "verify", "--checkpoint", &copy]);
    assert!(said.contains("lagos"), "{said}");
    floor.close();
    assert_eq!(copied(&floor), 5, "not even at its end");
    let said = floor.desk.refused(2, &["serve", "--listen", "127.0.0.1:0"]);
    assert!(said.contains("adjudge restore"), "{said}");
    floor.desk.done(&["restore"]);
    floor.reopen();
    assert!(!is_alarmed(&floor).await);
    assert_eq!(floor.challenge(21, "ZO").await.status, 201);
    // The key signed two histories, and no copy tells which of these rulings stood in the other.
    assert_eq!(floor.challenge(1, "CAT").await.problem(), "in-question");
}

/// Between two looks at the copies the log was cut and has grown past them again.
#[tokio::test]
async fn a_log_that_outgrew_its_copy_after_a_cut_is_an_alarm_too() {
    let floor = of_three_slips().await;
    run(
        &floor,
        &[
            "DELETE FROM entry WHERE log = 'lagos' AND seq >= 3",
            "DELETE FROM checkpoint WHERE log = 'lagos' AND size > 3",
        ],
    )
    .await;
    let (one, two, three, four) = tokio::join!(
        floor.challenge(11, "QI"),
        floor.challenge(12, "QI"),
        floor.challenge(13, "QI"),
        floor.challenge(14, "QI")
    );
    assert!([one, two, three, four].iter().all(|answer| answer.status == 201));
    assert!(soon(async || is_alarmed(&floor).await).await);
    assert_eq!(copied(&floor), 5);
}
