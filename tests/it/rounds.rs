//! Rounds, tables and divisions: what a director sets is so at once.

use serde_json::{Value, json};

use crate::harness::{Desk, Floor};

fn slip(words: &[&str], more: Value) -> Value {
    let mut slip = json!({"division": "A", "table": 1, "words": words});
    let Value::Object(more) = more else { panic!("fields") };
    slip.as_object_mut().unwrap().extend(more);
    slip
}

async fn set(floor: &Floor, number: u32, state: &str) {
    let body = json!({"division": "A", "number": number, "state": state});
    let answer = floor.write(&floor.director, &format!("{number}-{state}"), "tournaments/lagos/rounds", body).await;
    assert_eq!((answer.status, answer.body.as_str()), (201, "{}"));
}

#[tokio::test]
async fn an_open_round_is_a_slips_round_and_others_are_closed() {
    let floor = Floor::open();
    assert_eq!(floor.file("before", slip(&["CAT"], json!({"round": 9}))).await.status, 201);
    set(&floor, 3, "open").await;
    let filed = floor.file("a", slip(&["CAT"], json!({}))).await;
    assert_eq!(floor.read(&floor.client, &filed).await["round"], json!(3));
    let refused = floor.file("b", slip(&["QI"], json!({"round": 2}))).await;
    assert_eq!((refused.status, refused.problem().as_str()), (409, "round-closed"));
    assert!(refused.json()["detail"].as_str().unwrap().contains("round 3 is open"));
    set(&floor, 4, "open").await;
    assert_eq!(floor.file("c", slip(&["QI"], json!({"round": 3}))).await.problem(), "round-closed");
    set(&floor, 4, "closed").await;
    assert_eq!(floor.file_as(&floor.judge, "d", slip(&["QI"], json!({}))).await.problem(), "round-closed");
    // What was answered before is answered again.
    assert!(floor.file("a", slip(&["CAT"], json!({}))).await.replayed);
}

#[tokio::test]
async fn nothing_follows_from_a_free_look_up() {
    let floor = Floor::open();
    set(&floor, 1, "free-lookup").await;
    let filed = floor.file("a", slip(&["CAT", "QIX"], json!({}))).await;
    assert_eq!(filed.json(), json!({"ruling": "unacceptable"}));
    assert_eq!(floor.file("b", slip(&["CAT"], json!({}))).await.status, 201, "it is never held");
    let read = floor.read(&floor.director, &filed).await;
    assert_eq!((&read["penalty"], &read["free_lookup"]), (&Value::Null, &json!(true)));
    assert_eq!(read["review"]["allowed"], json!(false));
    let review = json!({"requested_by": "challenger", "reason": "director"});
    assert_eq!(floor.about(&floor.director, "r", &filed, "reviews", review).await.problem(), "review-not-allowed");
    let figures = floor.get(&floor.director, "/api/v1/tournaments/lagos/statistics").await.json();
    assert_eq!(figures["challenges"], json!(0));
}

#[tokio::test]
async fn the_table_says_which_division() {
    let desk = Desk::ready();
    desk.done(&[
        "tournament",
        "create",
        "abuja",
        "--title",
        "Abuja",
        "--division",
        "A:T:wespa",
        "--division",
        "B:T:nigeria",
        "--set",
        "A.tables=1-20",
        "--set",
        "B.tables=21-40,99",
    ]);
    let client = desk.done(&["token", "create", "--role", "client", "--tournament", "abuja", "--name", "abuja"]);
    let floor = Floor::of(desk);
    let file = async |key: &str, body: Value| floor.write(client.trim(), key, "tournaments/abuja/slips", body).await;
    let filed = file("a", json!({"table": 99, "words": ["CAT"]})).await;
    assert_eq!(floor.get(client.trim(), filed.location.as_ref().unwrap()).await.json()["division"], json!("B"));
    let wrong = file("b", json!({"table": 21, "division": "A", "words": ["CAT"]})).await;
    assert_eq!((wrong.status, wrong.problem().as_str()), (422, "wrong-division"));
    assert!(wrong.json()["detail"].as_str().unwrap().contains("division B"));
    assert_eq!(file("c", json!({"table": 50, "words": ["CAT"]})).await.problem(), "invalid-slip");
    assert_eq!(file("d", json!({"table": 50, "division": "A", "words": ["CAT"]})).await.status, 201);
    let said = floor.desk.refused(2, &["division", "set", "abuja", "A", "--set", "tables=1-21"]);
    assert!(said.contains("table 21 belongs to division B already"), "{said}");
    // A division that is set for a later day has its tables too.
    floor.desk.done(&["division", "set", "abuja", "B", "--set", "tables=21-60", "--from", "2999-01-01"]);
    let said = floor.desk.refused(2, &["division", "set", "abuja", "A", "--set", "tables=1-20,50"]);
    assert!(said.contains("table 50 belongs to division B already"), "{said}");
    let unnamed = file("e", json!({"words": ["CAT"]})).await;
    assert!(!unnamed.json()["detail"].as_str().unwrap().contains("the table belongs to none"), "{}", unnamed.body);
}

#[tokio::test]
async fn a_division_that_is_set_over_http_is_so_at_once() {
    let floor = Floor::open();
    let list = floor.desk.file("other.txt", b"QIX\nAA\n");
    floor.desk.done(&["lexicon", "import", list.to_str().unwrap(), "--id", "OTHER"]);
    let known = || async {
        let lexica = floor.get(&floor.director, "/api/v1/lexicons").await.json();
        lexica["lexicons"].as_array().unwrap().iter().any(|one| one["id"] == "OTHER")
    };
    assert!(crate::harness::soon(known).await);
    let before = floor.file("before", slip(&["QIX"], json!({}))).await;
    assert_eq!(before.json(), json!({"ruling": "unacceptable"}));

    let put = async |token: &str, division: &str, body: Value| {
        let url = floor.url(&format!("/api/v1/tournaments/lagos/divisions/{division}"));
        crate::harness::Answer::of(floor.http.put(url).bearer_auth(token).json(&body).send().await.unwrap()).await
    };
    let wanted = json!({"lexicon": "OTHER", "ruleset": "norway", "settings": {"self_lookup": true, "max_tiles": 17}});
    assert_eq!(put(&floor.judge, "A", wanted.clone()).await.status, 403);
    let answer = put(&floor.director, "A", wanted).await;
    assert_eq!((answer.status, answer.body.as_str()), (200, "{}"));
    let after = floor.file("after", json!({"division": "A", "table": 2, "words": ["QIX"]})).await;
    assert_eq!(after.json(), json!({"ruling": "acceptable"}));
    assert_eq!(
        floor.read(&floor.client, &after).await["penalty"]["points"],
        json!({"to": "challenger", "amount": -10})
    );
    // The recorded answer is not judged anew, and a review looks into the slip's own list.
    assert!(floor.file("before", slip(&["QIX"], json!({}))).await.replayed);
    let review = json!({"requested_by": "opponent", "reason": "disagree"});
    let opened = floor.about(&floor.client, "r", &before, "reviews", review).await.json();
    let path = format!("reviews/{}/adjudications", opened["review"].as_str().unwrap());
    let answer = floor.write(&floor.judge, "o", &path, json!({"method": "lookup"})).await;
    assert_eq!(answer.json(), json!({"ruling": "unacceptable"}));

    for (body, field) in [
        (json!({"lexicon": "NONE", "ruleset": "wespa"}), "lexicon"),
        (json!({"lexicon": "T", "ruleset": "none"}), "ruleset"),
        (json!({"lexicon": "T", "ruleset": "wespa", "settings": {"points": 1000}}), "settings.points"),
        (json!({"lexicon": "T", "ruleset": "insa"}), "second"),
        (json!({"lexicon": "T", "ruleset": "wespa", "second": "T"}), "second"),
        (json!({"lexicon": "T", "ruleset": "naspa", "settings": {"points": 5}}), "settings.points"),
        (json!({"lexicon": "T", "ruleset": "wespa", "from": "tomorrow"}), "from"),
        (json!({"lexicon": "T"}), "ruleset"),
    ] {
        let answer = put(&floor.director, "A", body.clone()).await;
        assert_eq!(answer.json()["field"], json!(field), "{body}: {}", answer.body);
    }
    // A new division, and one whose name is too much like another's.
    assert_eq!(put(&floor.director, "B", json!({"lexicon": "T", "ruleset": "naspa"})).await.status, 200);
    assert_eq!(
        put(&floor.director, "b", json!({"lexicon": "T", "ruleset": "naspa"})).await.problem(),
        "invalid-request"
    );
}

#[tokio::test]
async fn a_later_day_changes_nothing_today_and_a_past_one_at_once() {
    let floor = Floor::open();
    let set = |from: &str, ruleset: &str| {
        floor.desk.done(&["division", "set", "lagos", "A", "--ruleset", ruleset, "--from", from])
    };
    set("2999-01-01", "norway");
    set("2020-01-01", "naspa");
    let is_naspa = || async {
        let answer = floor.file(&uuid(), slip(&["CAT"], json!({}))).await;
        floor.read(&floor.client, &answer).await["ruleset"] == "naspa"
    };
    assert!(crate::harness::soon(is_naspa).await);
    let said = floor.desk.refused(2, &["division", "set", "lagos", "A", "--from", "tomorrow"]);
    assert!(said.contains("write it like 2026-11-29"), "{said}");
}

pub fn uuid() -> String {
    static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    format!("key-{}", NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
}

/// A director's own ruleset: copied, changed, played by; a federation's is never changed.
#[tokio::test]
async fn a_directors_own_ruleset_is_a_copy_that_is_changed() {
    let desk = Desk::ready();
    desk.done(&["ruleset", "copy", "wespa", "club"]);
    desk.done(&["ruleset", "set", "club", "unsuccessful.points=3", "unsuccessful.per=play"]);
    let shown = desk.done(&["ruleset", "show", "club"]);
    assert!(shown.contains("points = 3") && shown.contains("the event's own choice"), "{shown}");
    assert!(desk.done(&["ruleset", "list"]).contains("club"));
    desk.done(&["division", "set", "lagos", "A", "--ruleset", "club"]);
    for (args, why) in [
        (["ruleset", "set", "wespa", "unsuccessful.points=3"], "copy it first"),
        (["ruleset", "copy", "wespa", "naspa"], "a ruleset naspa exists already"),
        (["ruleset", "set", "club", "unsuccessful.costs=turn"], "only for a cost in points"),
        (["ruleset", "set", "club", "unsuccessful.pionts=3"], "unknown field"),
        (["ruleset", "set", "club", "nonsense=3"], "there is no nonsense"),
    ] {
        let said = desk.refused(2, &args);
        assert!(said.contains(why), "{args:?}: {said}");
    }
    let floor = Floor::of(desk);
    let filed = floor.file("a", slip(&["CAT", "QI"], json!({}))).await;
    let read = floor.read(&floor.client, &filed).await;
    assert_eq!((&read["ruleset"], &read["penalty"]["points"]["amount"]), (&json!("club"), &json!(3)));
    assert_eq!(read["penalty"]["rule"], json!("the event's own choice"));
}

/// Under a ruleset that counts them, each unsuccessful challenge of a player may cost more than the one before.
#[tokio::test]
async fn a_players_unsuccessful_challenges_escalate() {
    let desk = Desk::ready();
    desk.done(&["ruleset", "copy", "wespa", "club"]);
    desk.done(&["ruleset", "set", "club", "unsuccessful.escalation=[0,5,20]", "unsuccessful.per=play"]);
    desk.done(&["division", "set", "lagos", "A", "--ruleset", "club"]);
    let floor = Floor::of(desk);
    let by = |who: &str| json!({"challenger": who});
    let unnamed = floor.file("0", slip(&["CAT"], json!({}))).await;
    assert_eq!((unnamed.problem().as_str(), &unnamed.json()["field"]), ("invalid-slip", &json!("challenger")));
    let mut amounts = Vec::new();
    // An unacceptable play, another player's challenge and a free look-up count for nothing.
    for (key, words, who) in [
        ("1", "CAT", "Ada"),
        ("2", "QIX", "Ada"),
        ("3", "QI", "Bea"),
        ("4", "ZA", " ADA"),
        ("5", "AA", "Ada"),
        ("6", "AS", "Ada"),
    ] {
        let filed = floor.file(key, slip(&[words], by(who))).await;
        assert_eq!(filed.status, 201, "{}", filed.body);
        amounts.push(floor.read(&floor.client, &filed).await["penalty"]["points"]["amount"].as_i64().unwrap());
    }
    assert_eq!(amounts, [0, 0, 0, 5, 20, 20]);
    let paper = json!({"division": "A", "words": ["CAT"], "ruling": "acceptable", "at": "2026-01-01T10:00:00Z", "by": "Ida", "source": "sheet"});
    let unnamed = floor.write(&floor.judge, "p", "tournaments/lagos/paper-rulings", paper.clone()).await;
    assert_eq!(unnamed.json()["field"], json!("challenger"));
    let mut named = paper;
    named["challenger"] = json!("ada");
    let filed = floor.write(&floor.judge, "q", "tournaments/lagos/paper-rulings", named).await;
    assert_eq!(floor.read(&floor.client, &filed).await["penalty"]["points"]["amount"], json!(20));
}

/// A director's own plays are run too; one with another ruling than the server gives closes the station.
#[tokio::test]
async fn a_station_that_rules_otherwise_than_the_director_knows_is_closed() {
    let floor = Floor::open();
    let put = async |token: &str, body: Value| {
        let url = floor.url("/api/v1/tournaments/lagos/divisions/A/test-deck");
        crate::harness::Answer::of(floor.http.put(url).bearer_auth(token).json(&body).send().await.unwrap()).await
    };
    let run = async |key: &str| {
        floor.write(&floor.station, key, "tournaments/lagos/test-decks", json!({"division": "A"})).await.body
    };
    let plays = |ruling: &str| json!({"plays": [{"words": ["CAT", "QI"], "ruling": "acceptable"}, {"words": ["qix"], "ruling": ruling}]});
    assert_eq!(put(&floor.judge, plays("unacceptable")).await.status, 403);
    assert_eq!(put(&floor.director, plays("unacceptable")).await.status, 200);
    assert_eq!(run("1").await, r#"{"passed":true}"#);
    assert_eq!(put(&floor.director, plays("acceptable")).await.status, 200);
    assert_eq!(run("2").await, r#"{"passed":false}"#);
    let closed = floor.file_as(&floor.station, "s", slip(&["CAT"], json!({}))).await;
    assert_eq!((closed.status, closed.problem().as_str()), (409, "station-closed"));
    assert_eq!(put(&floor.director, json!({"plays": []})).await.status, 200);
    assert_eq!(run("3").await, r#"{"passed":true}"#);
    assert_eq!(floor.file_as(&floor.station, "s", slip(&["CAT"], json!({}))).await.status, 201);
    for (body, field) in [
        (json!({}), "plays"),
        (json!({"plays": [{"words": ["CAT"], "ruling": "perhaps"}]}), "plays[0].ruling"),
        (json!({"plays": [{"words": [], "ruling": "acceptable"}]}), "plays[0].words"),
        (json!({"plays": [{"words": ["CA7"], "ruling": "acceptable"}]}), "words[0]"),
    ] {
        let answer = put(&floor.director, body.clone()).await;
        assert_eq!((answer.status, &answer.json()["field"]), (422, &json!(field)), "{body}: {}", answer.body);
    }
}

/// A station that is tried with plays of known rulings passes, and what it was is on record.
#[tokio::test]
async fn a_test_deck_is_run_and_recorded() {
    let floor = Floor::open();
    let answer = floor.write(&floor.station, "d", "tournaments/lagos/test-decks", json!({"division": "A"})).await;
    assert_eq!((answer.status, answer.json()), (201, json!({"passed": true})));
    let unknown = floor.write(&floor.station, "e", "tournaments/lagos/test-decks", json!({"division": "Z"})).await;
    assert_eq!(unknown.problem(), "wrong-division");
    assert_eq!(floor.number("SELECT count(*) FROM entry WHERE kind = 'test-deck-run'").await, 1);
    assert_eq!(floor.number("SELECT count(*) FROM entry WHERE number IS NOT NULL").await, 0);
    assert_eq!(floor.file_as(&floor.station, "s", slip(&["CAT"], json!({}))).await.status, 201);
}

/// Two orders one after the other, then one for now: what waits is replaced, shown, and taken back.
#[tokio::test]
async fn what_waits_for_its_day_is_replaced_shown_and_taken_back() {
    let desk = Desk::ready();
    let list = desk.file("new.txt", b"QIX\nAA\n");
    desk.done(&["lexicon", "import", list.to_str().unwrap(), "--id", "NEW"]);
    let set = |more: &[&str]| desk.done(&[&["division", "set", "lagos", "A"], more].concat());
    let waiting = || desk.done(&["tournament", "list"]);
    set(&["--lexicon", "NEW", "--from", "2999-01-01"]);
    let said = set(&["--lexicon", "NEW", "--from", "2999-01-04", "--set", "points=10"]);
    assert!(said.contains("Taken back: lexicon NEW from 2999-01-01."), "{said}");
    assert!(waiting().contains("waits for its day: lexicon NEW from 2999-01-04"), "{}", waiting());
    assert!(!waiting().contains("2999-01-01"));
    let listed: Value = serde_json::from_str(&desk.done(&["tournament", "list", "--json"])).unwrap();
    assert_eq!(
        listed["tournaments"][0]["divisions"][0]["waiting"],
        json!([
            {"field": "lexicon", "from": "2999-01-04", "value": "NEW"},
            {"field": "points", "from": "2999-01-04", "value": "10"},
        ])
    );
    let said = set(&["--lexicon", "T"]);
    assert!(said.contains("plays with T under wespa from now on"), "{said}");
    assert!(said.contains("Taken back: lexicon NEW from 2999-01-04."), "{said}");
    assert!(said.contains("Waits for its day: points 10 from 2999-01-04."), "{said}");
    let said = set(&["--cancel"]);
    assert!(said.contains("Taken back: points 10 from 2999-01-04."), "{said}");
    assert!(!waiting().contains("waits"), "{}", waiting());
    let refused = |more: &[&str]| desk.refused(2, &[&["division", "set", "lagos", "A"], more].concat());
    assert!(refused(&["--cancel"]).contains("nothing waits for its day"));
    let said = desk.refused(2, &["division", "set", "lagos", "Z", "--cancel"]);
    assert!(said.contains("there is no division Z"), "{said}");
    let said = set(&["--set", "clear_s=20", "--from", "2020-01-01"]);
    assert!(said.contains("from 2020-01-01 on") && !said.contains("Waits for its day"), "{said}");
    assert!(refused(&["--from", "2999-01-01"]).contains("nothing is named"));
    assert!(refused(&["--from", "29990101", "--lexicon", "NEW"]).contains("write it like 2026-11-29"));
    // What could not be so together is refused when it is ordered, and not found out on the day.
    set(&["--ruleset", "naspa", "--from", "2999-01-01"]);
    let said = refused(&["--set", "points=5"]);
    assert!(said.contains("from 2999-01-01 on") && said.contains("--cancel"), "{said}");
}

#[tokio::test]
async fn over_http_an_order_for_now_takes_back_what_waits_and_says_so() {
    let desk = Desk::ready();
    let list = desk.file("new.txt", b"QIX\nAA\n");
    desk.done(&["lexicon", "import", list.to_str().unwrap(), "--id", "NEW"]);
    let floor = Floor::of(desk);
    let put = async |body: Value| {
        let url = floor.url("/api/v1/tournaments/lagos/divisions/A");
        let request = floor.http.put(url).bearer_auth(&floor.director).json(&body);
        crate::harness::Answer::of(request.send().await.unwrap()).await
    };
    let replaced = |from: &str| {
        json!({"replaced": [{"field": "lexicon", "from": from, "value": "NEW"},
        {"field": "ruleset", "from": from, "value": "wespa"}]})
    };
    let later = |from: &str| json!({"lexicon": "NEW", "ruleset": "wespa", "from": from});
    let answer = put(later("2999-01-01")).await;
    assert_eq!((answer.status, answer.body.as_str()), (200, "{}"));
    assert_eq!(put(later("2999-01-04")).await.json(), replaced("2999-01-01"));
    assert_eq!(put(json!({"lexicon": "T", "ruleset": "wespa"})).await.json(), replaced("2999-01-04"));
    assert_eq!(put(later("2999-01-01")).await.status, 200);
    assert_eq!(put(json!({"cancel": true})).await.json(), replaced("2999-01-01"));
    assert_eq!(put(json!({"cancel": true})).await.json()["field"], "cancel");
    assert!(!floor.desk.done(&["tournament", "list"]).contains("waits"));
}

#[tokio::test]
async fn a_change_in_an_open_round_needs_a_reason_which_is_recorded() {
    let floor = Floor::open();
    let change = ["division", "set", "lagos", "A", "--set", "clear_s=20"];
    floor.desk.done(&change);
    set(&floor, 3, "open").await;
    let said = floor.desk.refused(2, &change);
    assert!(said.contains("round 3 of division A is open") && said.contains("--reason"), "{said}");
    floor.desk.refused(2, &[&change[..], &["--reason", " "]].concat());
    floor.desk.done(&[&change[..], &["--reason", "the screens clear too early"]].concat());
    let put = async |body: Value| {
        let url = floor.url("/api/v1/tournaments/lagos/divisions/A");
        let request = floor.http.put(url).bearer_auth(&floor.director).json(&body);
        crate::harness::Answer::of(request.send().await.unwrap()).await
    };
    let refused = put(json!({"lexicon": "T", "ruleset": "norway"})).await;
    assert_eq!((refused.status, refused.json()["field"].as_str()), (422, Some("reason")));
    let reason = "the wrong rules were set";
    assert_eq!(put(json!({"lexicon": "T", "ruleset": "norway", "reason": reason})).await.status, 200);
    let entries = floor.get(&floor.director, "/api/v1/tournaments/lagos/ledger").await.body;
    assert!(entries.contains(r#""reason":"the screens clear too early""#) && entries.contains(reason), "{entries}");
    set(&floor, 3, "free-lookup").await;
    floor.desk.done(&change);
}
