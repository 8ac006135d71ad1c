//! Slips in question: what a restore closed with a fault in it gives no ruling until a director settles it.
//! Source: CONTRACT 3.2, 6.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{Answer, Floor};
use crate::people::{Browser, into_gallery, staff};
use crate::tamper::take_fences_down;

/// Three acceptable slips of the client, at tables 1 to 3: entries 2 to 4 of `lagos`. The server is stopped.
async fn of_three_slips() -> (Floor, [Answer; 3]) {
    let mut floor = Floor::open();
    let slips = [floor.challenge(1, "CAT").await, floor.challenge(2, "QI").await, floor.challenge(3, "ZA").await];
    assert!(slips.iter().all(|slip| slip.json() == json!({"ruling": "acceptable"})));
    floor.close();
    (floor, slips)
}

async fn tamper(floor: &Floor, sql: &'static str) {
    let database = floor.desk.database().await;
    take_fences_down(&database).await;
    assert!(database.execute(sql).await.unwrap() > 0, "{sql}");
    database.close().await;
}

/// The ruling of the second slip is turned round.
const FORGED: &str =
    "UPDATE entry SET leaf = replace(leaf, '\"acceptable\"', '\"unacceptable\"') WHERE log = 'lagos' AND seq = 3";

/// A ledger with a forged ruling, found at the start and restored.
async fn forged() -> (Floor, [Answer; 3]) {
    let (mut floor, slips) = of_three_slips().await;
    tamper(&floor, FORGED).await;
    assert!(floor.desk.refused(1, &["ledger", "verify"]).contains("entry 3"));
    assert!(floor.desk.refused(2, &["serve", "--listen", "127.0.0.1:0"]).contains("adjudge restore"));
    let said = floor.desk.done(&["restore"]);
    assert!(said.contains("No signature covers the entries from 3 on"), "{said}");
    floor.reopen();
    (floor, slips)
}

async fn figures(floor: &Floor) -> Value {
    floor.get(&floor.director, "/api/v1/tournaments/lagos/statistics").await.json()
}

async fn export(floor: &Floor, name: &str) -> String {
    floor.get(&floor.director, &format!("/api/v1/tournaments/lagos/{name}")).await.body
}

#[tokio::test]
async fn a_forged_ruling_is_in_question_everywhere_until_a_director_settles_it() {
    let (floor, [before, forged, after]) = forged().await;
    let read = floor.read(&floor.client, &before).await;
    assert_eq!((&read["in_question"], &read["ruling"]), (&Value::Null, &json!("acceptable")));
    assert!(floor.challenge(1, "CAT").await.replayed, "what stands before the fault answers its key");
    for (slip, recorded) in [(&forged, "unacceptable"), (&after, "acceptable")] {
        for token in [&floor.client, &floor.judge, &floor.observer] {
            let read = floor.read(token, slip).await;
            assert_eq!(read["in_question"], true, "{read}");
            assert_eq!((&read["ruling"], &read["penalty"]), (&Value::Null, &Value::Null), "{read}");
            assert_eq!(read["adjudications"][0]["ruling"], Value::Null, "{read}");
            assert_eq!(read["review"]["allowed"], false, "{read}");
            let shown = &read["adjudications"][0]["recorded_ruling"];
            assert_eq!(shown, &if token == &floor.observer { json!(recorded) } else { Value::Null }, "{read}");
        }
    }
    // Its keys give no answer to any caller by any route.
    for (table, words) in [(2, "QI"), (3, "ZA")] {
        let again = floor.challenge(table, words).await;
        assert_eq!((again.status, again.problem()), (409, "in-question".to_owned()), "{}", again.body);
        let key = format!("table-{table}-{words}");
        let resolved = floor.write(&floor.client, &key, "tournaments/lagos/slips/resolve", json!({})).await;
        assert_eq!((resolved.status, resolved.problem()), (409, "in-question".to_owned()), "{}", resolved.body);
    }
    // Nothing can be asked for, and a part of it is no way to its ruling.
    let review = json!({"requested_by": "challenger", "reason": "disagree"});
    let asked = floor.about(&floor.client, "r", &forged, "reviews", review).await;
    assert_eq!((asked.status, asked.problem()), (409, "wrong-state".to_owned()), "{}", asked.body);
    let part = floor.file("part", json!({"division": "A", "words": ["QI", "CAT"], "table": 2})).await;
    assert_eq!((part.status, part.problem()), (409, "ask-a-judge".to_owned()), "{}", part.body);
    // Everything that counts counts it apart.
    let figures = figures(&floor).await;
    assert_eq!((&figures["challenges"], &figures["in_question"]), (&json!(1), &json!(2)), "{figures}");
    let penalties = export(&floor, "penalties.csv").await;
    assert!(penalties.contains(",2,,0,in question: slip 2\r\n"), "{penalties}");
    assert_eq!(penalties.matches("in question").count(), 2, "{penalties}");
    let csv = export(&floor, "audit.csv").await;
    assert!(csv.contains("2,A,,2,ruled,,,QI,,,,,,,,"), "{csv}");
    assert_eq!(csv.lines().filter(|line| line.ends_with(",true")).count(), 2, "{csv}");
    for (query, count) in
        [("in_question=true", 2), ("ruling=unacceptable", 0), ("in_question=false&ruling=acceptable", 1)]
    {
        let audit = floor.get(&floor.director, &format!("/api/v1/tournaments/lagos/audit?{query}")).await.json();
        assert_eq!(audit["slips"].as_array().unwrap().len(), count, "{query}: {audit}");
    }
    assert!(!export(&floor, "queue").await.contains(before.location.as_ref().unwrap().rsplit('/').next().unwrap()));
}

#[tokio::test]
async fn a_director_keeps_a_slip_in_question_or_rules_on_it() {
    let (mut floor, [before, forged, after]) = forged().await;
    let keep = json!({"keep": true, "ground": "the sheet of table 3"});
    for token in [&floor.client, &floor.judge, &floor.observer] {
        assert_eq!(floor.about(token, "s", &after, "settle", keep.clone()).await.problem(), "forbidden");
    }
    let wrong = floor.about(&floor.director, "s1", &after, "settle", json!({"keep": false, "ground": "x"})).await;
    assert_eq!((wrong.status, wrong.problem()), (422, "invalid-request".to_owned()), "{}", wrong.body);
    let settled = floor.about(&floor.director, "s2", &before, "settle", keep.clone()).await;
    assert_eq!((settled.status, settled.problem()), (409, "wrong-state".to_owned()), "it is not in question");

    let settled = floor.about(&floor.director, "s3", &after, "settle", keep.clone()).await;
    assert_eq!((settled.status, settled.json()), (201, json!({})), "{}", settled.body);
    assert!(floor.about(&floor.director, "s3", &after, "settle", keep).await.replayed);
    let read = floor.read(&floor.client, &after).await;
    assert_eq!((&read["in_question"], &read["state"]), (&Value::Null, &json!("ruled")), "{read}");
    assert_eq!((&read["ruling"], &read["adjudications"][0]["ruling"]), (&json!("acceptable"), &json!("acceptable")));
    assert_eq!(read["penalty"]["play"], "stays", "{read}");
    let again = floor.challenge(3, "ZA").await;
    assert!(again.replayed && again.json() == json!({"ruling": "acceptable"}), "{}", again.body);

    let ruling = json!({"ruling": "acceptable", "ground": "the players agree that it was acceptable"});
    let ruled = floor.about(&floor.director, "r", &forged, "rulings", ruling).await;
    assert_eq!((ruled.status, ruled.json()), (201, json!({"ruling": "acceptable"})), "{}", ruled.body);
    let read = floor.read(&floor.client, &forged).await;
    assert_eq!(
        (&read["in_question"], &read["state"], &read["ruling"]),
        (&Value::Null, &json!("final"), &json!("acceptable"))
    );
    assert_eq!(read["adjudications"][0]["ruling"], Value::Null, "nobody vouches for the first: {read}");
    assert_eq!((&read["penalty"]["play"], &read["penalty"]["undo"]), (&json!("stays"), &Value::Null), "{read}");
    floor.close();
    floor.reopen();
    let again = floor.challenge(2, "QI").await;
    assert!(again.replayed && again.json() == json!({"ruling": "acceptable"}), "the director's: {}", again.body);
    assert_eq!(again.location, forged.location);
    let figures = figures(&floor).await;
    assert_eq!((&figures["challenges"], &figures["in_question"]), (&json!(3), &Value::Null), "{figures}");
    assert_eq!(figures["reversals"], 0, "{figures}");
}

/// A checkpoint that is stored with the log is changed: nothing says that the entries were not, but the copy outside.
#[tokio::test]
async fn what_a_copy_outside_vouches_for_is_not_in_question() {
    const CHECKPOINT: &str =
        "UPDATE checkpoint SET note = replace(note, 'adjudge/lagos', 'adjudge/abuja') WHERE log = 'lagos' AND size = 3";
    for has_copy in [true, false] {
        let (mut floor, slips) = of_three_slips().await;
        tamper(&floor, CHECKPOINT).await;
        if !has_copy {
            fs::remove_dir_all(floor.desk.data().join("checkpoints")).unwrap();
        }
        assert!(floor.desk.done(&["restore"]).contains("lagos~2: goes on"));
        floor.reopen();
        for (place, slip) in slips.iter().enumerate() {
            let read = floor.read(&floor.client, slip).await;
            assert_eq!(read["in_question"] == true, !has_copy, "slip {place}, copy {has_copy}: {read}");
        }
    }
}

/// An unreadable entry does not keep the other entries from being read.
#[tokio::test]
async fn an_unreadable_entry_in_question_is_passed_over() {
    let (mut floor, [before, lost, after]) = of_three_slips().await;
    tamper(&floor, "UPDATE entry SET leaf = 'x' WHERE log = 'lagos' AND seq = 3").await;
    floor.desk.done(&["restore"]);
    floor.reopen();
    assert_eq!(floor.read(&floor.client, &before).await["in_question"], Value::Null);
    assert_eq!(floor.read(&floor.client, &after).await["in_question"], true);
    assert_eq!(floor.get(&floor.director, lost.location.as_ref().unwrap()).await.status, 404);
    let again = floor.challenge(2, "QI").await;
    assert_eq!((again.status, again.problem()), (409, "in-question".to_owned()), "{}", again.body);
    let audit = floor.get(&floor.director, "/api/v1/tournaments/lagos/audit").await;
    assert_eq!((audit.status, audit.json()["slips"].as_array().unwrap().len()), (200, 2), "{}", audit.body);
    assert_eq!(floor.challenge(9, "QIS").await.status, 201);
}

/// An entry that was put into the closed log's place of another log's is no entry of that log.
#[tokio::test]
async fn an_entry_that_says_that_it_is_another_is_in_question_by_its_place() {
    let (mut floor, [before, ..]) = of_three_slips().await;
    let moved = "UPDATE entry SET leaf = replace(leaf, '\"log\":\"lagos\"', '\"log\":\"lagos~2\"') WHERE log = 'lagos' AND seq = 4";
    tamper(&floor, moved).await;
    floor.desk.done(&["restore"]);
    floor.reopen();
    assert_eq!(floor.read(&floor.client, &before).await["in_question"], Value::Null);
    let again = floor.challenge(3, "ZA").await;
    assert_eq!((again.status, again.problem()), (409, "in-question".to_owned()), "{}", again.body);
}

#[tokio::test]
async fn the_desk_lists_slips_in_question_and_settles_them() {
    let (floor, [_, forged, after]) = forged().await;
    let passphrase = staff(&floor.desk, "Dora", "director", &[]);
    let mut director = Browser::of(&floor.server.base);
    assert_eq!(director.sign_in("Dora", &passphrase).await.status, 303);
    let desk = director.get("/director").await;
    assert!(desk.body.contains("Slips in question: 2"), "{}", desk.body);
    let page = director.get("/director/questions").await;
    into_gallery("desk_questions.html", &page);
    assert!(page.body.contains("unacceptable stands in its record, by client"), "{}", page.body);
    let id = |slip: &Answer| slip.location.as_ref().unwrap().rsplit('/').next().unwrap().to_owned();
    let none = director.post(&format!("/director/questions/{}/keep", id(&after)), &[("ground", "")]).await;
    assert!(none.status == 422 && none.body.contains("role=\"alert\""), "{}", none.body);
    let kept = director.post(&format!("/director/questions/{}/keep", id(&after)), &[("ground", "sheet")]).await;
    assert_eq!(kept.to.as_deref(), Some("/director/questions"));
    let fields = [("ruling", "acceptable"), ("ground", "the players")];
    let ruled = director.post(&format!("/director/questions/{}/rule", id(&forged)), &fields).await;
    assert_eq!(ruled.to.as_deref(), Some("/director/questions"));
    assert!(director.get("/director/questions").await.body.contains("No slip is in question"));
    assert!(!director.get("/director").await.body.contains("Slips in question"));
    for slip in [&forged, &after] {
        assert_eq!(floor.read(&floor.client, slip).await["ruling"], "acceptable");
    }
}

/// A slip whose last entry was forged is ruled on anew by the director: the answer to a key of that entry.
async fn after_a_ruling(floor: &Floor, slip: &Answer, last: (&str, &str, Value)) -> Answer {
    let ruling = json!({"ruling": "acceptable", "ground": "the sheet"});
    let ruled = floor.about(&floor.director, "anew", slip, "rulings", ruling).await;
    assert_eq!((ruled.status, ruled.json()), (201, json!({"ruling": "acceptable"})), "{}", ruled.body);
    let (key, route, said) = last;
    floor.about(&floor.director, key, slip, route, said).await
}

/// Restores after an entry of `lagos` was forged.
async fn restored(floor: &mut Floor, sql: &'static str) {
    floor.close();
    tamper(floor, sql).await;
    floor.desk.done(&["restore"]);
    floor.reopen();
}

#[tokio::test]
async fn the_key_of_a_forged_directors_ruling_gives_the_ruling_that_settles_it() {
    let mut floor = Floor::open();
    let slip = floor.challenge(1, "QIX").await;
    let said = json!({"ruling": "acceptable", "ground": "misprint"});
    assert_eq!(floor.about(&floor.director, "k", &slip, "rulings", said.clone()).await.status, 201);
    let forge = "UPDATE entry SET leaf = replace(leaf, '\"acceptable\"', '\"unacceptable\"') \
        WHERE kind = 'director-ruled'";
    restored(&mut floor, forge).await;
    let asked = floor.about(&floor.director, "k", &slip, "rulings", said.clone()).await;
    assert_eq!((asked.status, asked.problem()), (409, "in-question".to_owned()), "{}", asked.body);
    let again = after_a_ruling(&floor, &slip, ("k", "rulings", said)).await;
    assert!(again.replayed && again.json() == json!({"ruling": "acceptable"}), "{}", again.body);
}

/// What came of a challenge and is no ruling gives way to the director's, and its key answers nothing.
#[tokio::test]
async fn the_key_of_a_forged_end_or_compensation_gives_nothing_where_a_ruling_settles_it() {
    const ENDED: &str = "UPDATE entry SET leaf = replace(leaf, '\"withdrawn\"', '\"void\"') \
        WHERE kind = 'challenge-disposed'";
    const CLAIM: &str = "UPDATE entry SET leaf = replace(leaf, '\"play_value\":76', '\"play_value\":99') \
        WHERE kind = 'compensation-decided'";
    let mut floor = Floor::open();
    let ended = json!({"division": "A", "kind": "withdrawn", "words": ["QI"], "reason": "his own", "table": 2,
        "challenger": "Ann", "opponent": "Bob", "declared_by": "judge"});
    let dispose =
        async |floor: &Floor| floor.write(&floor.judge, "e", "tournaments/lagos/dispositions", ended.clone()).await;
    let slip = dispose(&floor).await;
    assert_eq!((slip.status, slip.json()), (201, json!({"disposition": "withdrawn"})), "{}", slip.body);
    restored(&mut floor, ENDED).await;
    let ruling = json!({"ruling": "acceptable", "ground": "the sheet"});
    assert_eq!(floor.about(&floor.director, "anew", &slip, "rulings", ruling).await.status, 201);
    let again = dispose(&floor).await;
    assert_eq!((again.status, again.problem()), (409, "in-question".to_owned()), "{}", again.body);

    let mut floor = Floor::open();
    floor.desk.done(&["division", "set", "lagos", "A", "--ruleset", "nsf"]);
    let is_nsf = || async {
        let key = crate::rounds::uuid();
        let filed = floor.file(&key, json!({"division": "A", "words": ["CAT"], "table": 9})).await;
        floor.read(&floor.client, &filed).await["ruleset"] == "nsf"
    };
    assert!(crate::harness::soon(is_nsf).await);
    let slip = floor.challenge(1, "QIX").await;
    let claim = json!({"claimant": "opponent", "play_value": 76, "value_confirmed": true, "told_before_leaving": true,
        "turn_restored": false});
    let claimed = floor.about(&floor.director, "c", &slip, "compensations", claim.clone()).await;
    assert_eq!((claimed.status, &claimed.json()["granted"]), (201, &json!(false)), "{}", claimed.body);
    restored(&mut floor, CLAIM).await;
    let again = after_a_ruling(&floor, &slip, ("c", "compensations", claim)).await;
    assert_eq!((again.status, again.problem()), (409, "in-question".to_owned()), "{}", again.body);
}
