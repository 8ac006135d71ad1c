//! The probing rule: no slip reveals which word of another failed. Source: D 8, D 9, NSF II.L.5.

use serde_json::{Value, json};

use crate::harness::{Answer, Floor, soon};

fn slip(table: usize, words: &[&str]) -> Value {
    json!({"division": "A", "round": 1, "table": table, "words": words})
}

/// Two slips that share a word, sent at the same moment: the ledger takes one first, and the other is held.
#[tokio::test]
async fn of_two_slips_that_share_a_word_at_the_same_moment_one_is_held() {
    let floor = Floor::open();
    for table in 1..=20 {
        let [whole, part] = [["CAT", "QIX"].as_slice(), &["CAT"]].map(|words| slip(table, words));
        let keys = ["whole", "part"].map(|name| format!("{name}-{table}"));
        let (whole, part) = tokio::join!(floor.file(&keys[0], whole), floor.file(&keys[1], part));
        let mut statuses = [whole.status, part.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [201, 409], "table {table}: {} {}", whole.body, part.body);
        let held = if part.status == 409 { part } else { whole };
        assert_eq!(held.problem(), "ask-a-judge");
        assert_eq!(floor.read(&floor.client, &held).await["state"], json!("held"));
    }
}

/// A correction and a slip of its new word, at the same moment: at most one of them is ruled.
#[tokio::test]
async fn a_correction_and_a_slip_of_its_new_word_are_not_both_ruled() {
    let floor = Floor::open();
    for table in 1..=20 {
        let filed = floor.file(&format!("first-{table}"), slip(table, &["CATZ"])).await;
        let keys = ["correct", "other"].map(|name| format!("{name}-{table}"));
        let correct = floor.about(&floor.client, &keys[0], &filed, "corrections", json!({"words": ["CATS"]}));
        let (corrected, other) = tokio::join!(correct, floor.file(&keys[1], slip(table, &["CATS", "ZZ"])));
        let ruled = [&corrected, &other].into_iter().filter(|answer| answer.status == 201).count();
        assert_eq!(ruled, 1, "table {table}: {} {}", corrected.body, other.body);
    }
}

/// The answers to all held slips are the same bytes, but for the address.
#[tokio::test]
async fn what_is_held_says_nothing_of_the_words() {
    let floor = Floor::open();
    let mut answers = Vec::new();
    for (table, (first, then)) in
        [(["CAT", "QIX"], "CAT"), (["CAT", "QIX"], "QIX"), (["CAT", "QI"], "QI"), (["ZZ", "QIX"], "ZZ")]
            .into_iter()
            .enumerate()
    {
        floor.file(&format!("first-{table}"), slip(table + 1, &first)).await;
        let Answer { status, body, .. } = floor.file(&format!("then-{table}"), slip(table + 1, &[then])).await;
        answers.push((status, body));
    }
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    assert_eq!(answers[0].0, 409);
}

/// The same words in any order are the same slip, and its ruling is known.
#[tokio::test]
async fn the_same_words_again_are_ruled_again() {
    let floor = Floor::open();
    for (key, words) in [("a", ["CAT", "QIX"]), ("b", ["QIX", "CAT"])] {
        let answer = floor.file(key, slip(7, &words)).await;
        assert_eq!((answer.status, answer.json()), (201, json!({"ruling": "unacceptable"})));
    }
    // Once more, but another word as often.
    assert_eq!(floor.file("c", slip(7, &["CAT", "CAT", "QIX"])).await.problem(), "ask-a-judge");
}

/// A judge is not held, and the director is told. Another table's words hold nothing, and the director is told of them too.
#[tokio::test]
async fn a_judge_is_not_held_and_the_director_is_told() {
    let floor = Floor::open();
    let first = floor.file("a", slip(7, &["CAT", "QIX"])).await;
    let id = id_of(&first);
    let judged = floor.file_as(&floor.judge, "b", slip(7, &["CAT"])).await;
    assert_eq!(judged.json(), json!({"ruling": "acceptable"}));
    assert_eq!(floor.read(&floor.director, &judged).await["shares"], json!([id]));
    assert!(floor.read(&floor.judge, &judged).await.get("shares").is_none());
    let elsewhere = floor.file("c", slip(8, &["CAT"])).await;
    assert_eq!(elsewhere.status, 201);
    assert_eq!(floor.read(&floor.director, &elsewhere).await["shares"], json!([id]));
}

/// A station that another table's player goes to is ruled on, and the director told.
#[tokio::test]
async fn a_word_of_another_tables_bad_play_at_the_same_station_is_told_to_the_director() {
    let floor = Floor::open();
    let first = floor.file_as(&floor.station, "a", slip(7, &["CAT", "QIX"])).await;
    let id = id_of(&first);
    let other = floor.file_as(&floor.station, "b", slip(8, &["CAT"])).await;
    assert_eq!(other.status, 201);
    assert_eq!(floor.read(&floor.director, &other).await["shares"], json!([id]));
}

/// In another division the same table is another one: the slip is ruled, and the director told.
#[tokio::test]
async fn a_part_of_a_play_that_is_filed_in_another_division_is_told_to_the_director() {
    let floor = Floor::open();
    floor.desk.done(&["division", "set", "lagos", "B", "--lexicon", "T", "--ruleset", "wespa"]);
    let in_b = |table: usize, words: &[&str]| json!({"division": "B", "round": 1, "table": table, "words": words});
    let first = floor.file_as(&floor.station, "a", slip(7, &["CAT", "QIX"])).await;
    let has_b = || async { floor.file_as(&floor.station, "b", in_b(7, &["CAT"])).await.status == 201 };
    assert!(soon(has_b).await);
    let there = floor.file_as(&floor.station, "b", in_b(7, &["CAT"])).await;
    assert!(there.replayed);
    assert_eq!(floor.read(&floor.director, &there).await["shares"], json!([id_of(&first)]));
}

/// A slip that waits for a judge holds nothing, since it has no ruling. But its parts would tell of the ruling that it
/// gets, so the director is told.
#[tokio::test]
async fn a_part_of_a_slip_that_waits_is_told_to_the_director() {
    let floor = Floor::open();
    floor.file("a", slip(7, &["CAT", "QIX"])).await;
    let held = floor.file("b", slip(7, &["CAT", "ZA"])).await;
    assert_eq!(held.problem(), "ask-a-judge");
    let part = floor.file("c", slip(7, &["ZA"])).await;
    assert_eq!(part.json(), json!({"ruling": "acceptable"}));
    assert_eq!(floor.read(&floor.director, &part).await["shares"], json!([id_of(&held)]));
    // The first slip once more tells nothing that was not known.
    let again = floor.file("d", slip(7, &["QIX", "CAT"])).await;
    assert_eq!(floor.read(&floor.director, &again).await["shares"], json!([]));
}

/// Players filed their words twice, and ask for a review of one of the slips: its judge sees neither ruling.
#[tokio::test]
async fn a_blind_judge_is_not_told_by_the_same_words_on_another_slip() {
    let floor = Floor::open();
    let first = floor.file("a", slip(7, &["CAT", "QIX"])).await;
    let twin = floor.file("b", slip(7, &["QIX", "CAT"])).await;
    let other = floor.file("c", slip(7, &["ZO"])).await;
    let seen = async |slip| {
        let slip = floor.read(&floor.judge, slip).await;
        json!([slip["ruling"], slip["penalty"]["play"], slip["adjudications"][0]["ruling"]])
    };
    let plain = json!(["unacceptable", "comes-off", "unacceptable"]);
    assert_eq!([seen(&first).await, seen(&twin).await], [plain.clone(), plain.clone()]);
    let review = json!({"requested_by": "opponent", "reason": "disagree"});
    let opened = floor.about(&floor.client, "r", &first, "reviews", review).await.json();
    let nothing = json!([null, null, null]);
    assert_eq!([seen(&first).await, seen(&twin).await], [nothing.clone(), nothing]);
    assert_eq!(seen(&other).await[0], json!("acceptable"), "other words tell nothing");
    assert_eq!(floor.read(&floor.client, &twin).await["ruling"], json!("unacceptable"), "the table knows it");
    let path = format!("reviews/{}/adjudications", opened["review"].as_str().unwrap());
    assert_eq!(floor.write(&floor.judge, "o", &path, json!({"method": "lookup"})).await.status, 201);
    assert_eq!([seen(&first).await, seen(&twin).await], [plain.clone(), plain]);
}

/// A [AA] is under review, and B [AA] at its table was corrected to another word: B's first ruling would tell of A's.
#[tokio::test]
async fn a_blind_judge_is_not_told_by_what_another_slip_was_before_it_was_corrected() {
    let floor = Floor::open();
    let first = floor.file("a", slip(7, &["AA"])).await;
    let twin = floor.file("b", slip(7, &["AA"])).await;
    let corrected = floor.about(&floor.director, "c", &twin, "corrections", json!({"words": ["QIX"]})).await;
    assert_eq!(corrected.json(), json!({"ruling": "unacceptable"}));
    let review = json!({"requested_by": "opponent", "reason": "disagree"});
    assert_eq!(floor.about(&floor.client, "r", &first, "reviews", review).await.status, 201);
    let rulings = |slip: &Value| {
        let chain = slip["adjudications"].as_array().unwrap().iter().map(|one| one["ruling"].clone());
        (chain.collect::<Vec<_>>(), slip["ruling"].clone(), slip["penalty"].clone(), slip["review"]["allowed"].clone())
    };
    let seen = floor.read(&floor.judge, &twin).await;
    assert_eq!(seen["adjudications"][0]["typed"], json!(["AA"]));
    assert_eq!(rulings(&seen), (vec![Value::Null, Value::Null], Value::Null, Value::Null, json!(false)));
    let (told, ruling, ..) = rulings(&floor.read(&floor.director, &twin).await);
    assert_eq!((told, ruling), (vec![json!("acceptable"), json!("unacceptable")], json!("unacceptable")));
}

/// A judge who ruled on paper is the same person, however the paper spells the name. Source: D 6.
#[tokio::test]
async fn a_judge_does_not_review_their_own_paper_ruling() {
    let floor = Floor::open();
    let second = floor.desk.token("judge", "second");
    let paper = json!({"division": "A", "table": 7, "words": ["CAT"], "ruling": "unacceptable",
        "at": "2024-03-02T10:00:00.000000Z", "by": "JUDGE", "source": "sheet 3"});
    let ruled = floor.write(&floor.judge, "p", "tournaments/lagos/paper-rulings", paper).await;
    let review = json!({"requested_by": "opponent", "reason": "disagree"});
    let opened = floor.about(&floor.client, "r", &ruled, "reviews", review).await.json();
    let path = format!("reviews/{}/adjudications", opened["review"].as_str().unwrap());
    let is_known = || async { floor.get(&second, ruled.location.as_ref().unwrap()).await.status == 200 };
    assert!(soon(is_known).await);
    assert_eq!(floor.write(&floor.judge, "1", &path, json!({"method": "lookup"})).await.problem(), "same-judge");
    assert_eq!(floor.write(&second, "1", &path, json!({"method": "lookup"})).await.status, 201);
}

fn id_of(answer: &Answer) -> &str {
    answer.location.as_ref().unwrap().rsplit_once('/').unwrap().1
}

/// A play in parts: the second one is ruled and names the first, for staff and for no player.
#[tokio::test]
async fn a_play_filed_in_parts_is_ruled_and_names_its_first_part() {
    let floor = Floor::open();
    let first = floor.file("a", slip(7, &["CAT"])).await;
    let second = floor.file("b", slip(7, &["QIXX"])).await;
    assert_eq!([first.status, second.status], [201, 201]);
    for token in [&floor.director, &floor.judge, &floor.observer] {
        assert_eq!(floor.read(token, &second).await["parts_of"], json!(id_of(&first)));
        assert!(floor.read(token, &first).await.get("parts_of").is_none());
    }
    assert!(floor.read(&floor.client, &second).await.get("parts_of").is_none());
    let mut linked = slip(7, &["ZO"]);
    linked["follows"] = json!(id_of(&second));
    let linked = floor.file("c", linked).await;
    assert_eq!(
        floor.read(&floor.director, &linked).await["parts_of"],
        json!(id_of(&first)),
        "it follows the other one"
    );
    let judged = floor.file_as(&floor.judge, "d", slip(7, &["QI"])).await;
    assert!(floor.read(&floor.director, &judged).await.get("parts_of").is_none());
}

/// Of two parts of a play that are filed at the same moment the second names the first.
#[tokio::test]
async fn of_two_parts_at_the_same_moment_one_names_the_other() {
    let floor = Floor::open();
    for table in 1..=10 {
        let keys = ["one", "other"].map(|name| format!("{name}-{table}"));
        let (one, other) =
            tokio::join!(floor.file(&keys[0], slip(table, &["CAT"])), floor.file(&keys[1], slip(table, &["QIXX"])));
        let [one_says, other_says] =
            [floor.read(&floor.director, &one).await, floor.read(&floor.director, &other).await]
                .map(|slip| slip["parts_of"].clone());
        let named = [(one_says, id_of(&other)), (other_says, id_of(&one))];
        let said: Vec<_> = named.iter().filter(|(says, _)| !says.is_null()).collect();
        assert_eq!(said.len(), 1, "table {table}: {named:?}");
        assert_eq!(said[0].0, json!(said[0].1));
    }
}

/// Two programs, two tables: both are ruled, and the director is told, also where the first one's server is another.
#[tokio::test]
async fn two_accomplices_at_two_tables_are_told_to_the_director() {
    let floor = Floor::open();
    let other = floor.desk.token("client", "other");
    let first = floor.file_as(&floor.station, "a", slip(5, &["CAT", "QIX"])).await;
    let has_other = || async { floor.file_as(&other, "b", slip(6, &["CAT"])).await.status == 201 };
    assert!(soon(has_other).await);
    let second = floor.file_as(&other, "b", slip(6, &["CAT"])).await;
    assert_eq!(second.json(), json!({"ruling": "acceptable"}));
    assert_eq!(floor.read(&floor.director, &second).await["shares"], json!([id_of(&first)]));
    let same = floor.file_as(&other, "c", slip(7, &["QIX", "CAT"])).await;
    assert_eq!(floor.read(&floor.director, &same).await["shares"], json!([]), "the same words tell nothing");
}

/// After a restart the recent slips are known again.
#[tokio::test]
async fn a_restart_forgets_no_recent_slip() {
    let mut floor = Floor::open();
    let first = floor.file("a", slip(5, &["CAT", "QIX"])).await;
    floor.close();
    floor.reopen();
    let second = floor.file("b", slip(6, &["CAT"])).await;
    assert_eq!(floor.read(&floor.director, &second).await["shares"], json!([id_of(&first)]));
}

/// Sixty requests of a client within a minute, or as many as its token says; what was answered is neither counted nor
/// refused, also if its key comes with another request.
#[tokio::test]
async fn a_client_writes_sixty_times_a_minute_or_as_often_as_its_token_says() {
    let floor = Floor::open();
    let create = ["token", "create", "--role", "client", "--tournament", "lagos", "--name"];
    let plain = floor.desk.done(&[&create[..], &["plain"]].concat()).trim().to_owned();
    let small = floor.desk.done(&[&create[..], &["small", "--per-minute", "2"]].concat()).trim().to_owned();
    assert!(soon(|| async { floor.file_as(&plain, "k1", slip(1, &["CAT"])).await.status == 201 }).await);
    for table in 2..=60 {
        let answer = floor.file_as(&plain, &format!("k{table}"), slip(table, &["CAT"])).await;
        assert_eq!(answer.status, 201, "{table}: {}", answer.body);
        assert!(floor.file_as(&plain, "k1", slip(1, &["CAT"])).await.replayed);
    }
    let refused = floor.file_as(&plain, "k61", slip(61, &["CAT"])).await;
    assert_eq!((refused.status, refused.problem().as_str()), (429, "too-many"));
    assert!(refused.header("retry-after").unwrap().parse::<u64>().unwrap() <= 61);
    assert!(floor.file_as(&plain, "k60", slip(60, &["CAT"])).await.replayed);
    let reused = floor.file_as(&plain, "k60", slip(60, &["QI"])).await;
    assert_eq!(reused.problem(), "idempotency-key-reused", "it has an answer, if not to this");
    assert!(soon(|| async { floor.file_as(&small, "k1", slip(1, &["CAT"])).await.status == 201 }).await);
    assert_eq!(floor.file_as(&small, "k2", slip(2, &["CAT"])).await.status, 201);
    assert_eq!(floor.file_as(&small, "k3", slip(3, &["CAT"])).await.problem(), "too-many");
    for table in 101..=170 {
        let judged = floor.file_as(&floor.judge, &format!("n{table}"), slip(table, &["CAT"])).await;
        assert_eq!(judged.status, 201, "others are not counted: {}", judged.body);
    }
}

/// Sixty repeated requests at the same moment take no room from a new one.
#[tokio::test]
async fn repeated_requests_take_no_room_from_a_new_one() {
    let floor = Floor::open();
    for table in 1..=20 {
        assert_eq!(floor.file_as(&floor.station, &format!("k{table}"), slip(table, &["CAT"])).await.status, 201);
    }
    let (new, repeated) = tokio::join!(
        floor.file_as(&floor.station, "new", slip(21, &["CAT"])),
        futures_util::future::join_all((0..60).map(|_| floor.file_as(&floor.station, "k1", slip(1, &["CAT"])))),
    );
    assert_eq!(new.status, 201, "{}", new.body);
    assert!(repeated.iter().all(|answer| answer.replayed));
}

#[test]
fn only_a_client_is_given_a_number_of_requests() {
    let floor = Floor::open();
    let create = ["token", "create", "--tournament", "lagos", "--per-minute", "5"];
    let refused = floor.desk.refused(2, &[&create[..], &["--role", "station", "--name", "s"]].concat());
    assert!(refused.contains("--per-minute"), "{refused}");
    let listed = floor.desk.done(&[&create[..], &["--role", "client", "--name", "five"]].concat());
    assert!(!listed.is_empty());
    let listed: Value = serde_json::from_str(&floor.desk.done(&["token", "list", "--json"])).unwrap();
    let five = listed["tokens"].as_array().unwrap().iter().find(|token| token["name"] == "five").unwrap();
    assert_eq!(five["per_minute"], json!(5));
    floor.desk.refused(
        2,
        &["token", "create", "--tournament", "lagos", "--role", "client", "--name", "x", "--per-minute", "0"],
    );
}

/// Without a table it is the token that is watched.
#[tokio::test]
async fn without_a_table_the_token_is_watched() {
    let floor = Floor::open();
    let anywhere = |words: &[&str]| json!({"division": "A", "words": words});
    assert_eq!(floor.file("a", anywhere(&["CAT", "QIX"])).await.status, 201);
    assert_eq!(floor.file("b", anywhere(&["CAT"])).await.problem(), "ask-a-judge");
    let other = floor.desk.token("client", "other");
    let answered = soon(|| async { floor.file_as(&other, "c", anywhere(&["CAT"])).await.status == 201 });
    assert!(answered.await, "another program's slip is its own");
}

/// Seven slips for one table within a minute are too many, from all stations together; a repeated one is none more.
#[tokio::test]
async fn a_table_gets_six_slips_a_minute_from_stations() {
    let floor = Floor::open();
    let words = ["CAT", "QI", "ZA", "AA", "AS", "DA", "JA"];
    for (place, word) in words.iter().enumerate().take(6) {
        let answer = floor.file_as(&floor.station, &format!("k{place}"), slip(7, &[word])).await;
        assert_eq!(answer.status, 201, "{}", answer.body);
        let again = floor.file_as(&floor.station, &format!("k{place}"), slip(7, &[word])).await;
        assert!(again.replayed);
    }
    let refused = floor.file_as(&floor.station, "k6", slip(7, &[words[6]])).await;
    assert_eq!((refused.status, refused.problem().as_str()), (429, "too-many"));
    let told = "SELECT count(*) FROM entry WHERE log = 'lagos' AND kind = 'station-hurries'";
    assert!(soon(async || floor.number(told).await == 1).await);
    assert!(refused.header("retry-after").unwrap().parse::<u64>().unwrap() <= 60);
    assert!(floor.file_as(&floor.station, "k0", slip(7, &["CAT"])).await.replayed);
    assert_eq!(floor.file_as(&floor.station, "k7", slip(8, &[words[6]])).await.status, 201);
    assert_eq!(floor.file("client", slip(7, &["ZO"])).await.status, 201);
}

/// Thirty requests of one station within a minute are enough.
#[tokio::test]
async fn a_station_writes_thirty_times_a_minute() {
    let floor = Floor::open();
    for table in 1..=30 {
        let answer = floor.file_as(&floor.station, &format!("k{table}"), slip(table, &["CAT"])).await;
        assert_eq!(answer.status, 201, "{}", answer.body);
    }
    let refused = floor.file_as(&floor.station, "k31", slip(31, &["CAT"])).await;
    assert_eq!((refused.status, refused.problem().as_str()), (429, "too-many"));
    assert!(floor.file_as(&floor.station, "k3", slip(3, &["CAT"])).await.replayed);
    // FAULTS G10: long before that the director was told, once.
    let told = "SELECT count(*) FROM entry WHERE log = 'lagos' AND kind = 'station-hurries'";
    let is_told = async || floor.number(told).await == 1;
    assert!(soon(is_told).await);
}
