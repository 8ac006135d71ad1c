//! A slip is judged to its end by the ruleset and the settings that were in force when it was filed.

use serde_json::{Value, json};

use crate::harness::{Answer, Desk, Floor, soon};

fn slip(table: u32, words: &[&str]) -> Value {
    json!({"division": "A", "round": 1, "table": table, "words": words})
}

/// Sets the division A by HTTP.
async fn put(floor: &Floor, body: Value) -> Answer {
    let url = floor.url("/api/v1/tournaments/lagos/divisions/A");
    Answer::of(floor.http.put(url).bearer_auth(&floor.director).json(&body).send().await.unwrap()).await
}

async fn points(floor: &Floor, slip: &Answer) -> Value {
    floor.read(&floor.director, slip).await["penalty"]["points"]["amount"].clone()
}

#[tokio::test]
async fn a_review_after_the_division_changed_its_ruleset_goes_by_the_slips_own() {
    let floor = Floor::open();
    let seven = json!({"lexicon": "T", "ruleset": "wespa", "settings": {"points": 7}});
    assert_eq!(put(&floor, seven).await.status, 200);
    let filed = floor.file("a", slip(1, &["CAT", "QI"])).await;
    assert_eq!(points(&floor, &filed).await, json!(14));
    assert_eq!(put(&floor, json!({"lexicon": "T", "ruleset": "naspa"})).await.status, 200);
    let asked = json!({"requested_by": "challenger", "reason": "disagree"});
    let review = floor.about(&floor.client, "r", &filed, "reviews", asked.clone()).await.json();
    let path = format!("reviews/{}/adjudications", review["review"].as_str().unwrap());
    let again = floor.write(&floor.judge, "j", &path, json!({"method": "lookup"})).await;
    assert_eq!(again.json(), json!({"ruling": "acceptable"}));
    let read = floor.read(&floor.director, &filed).await;
    assert_eq!(
        (&read["ruleset"], &read["penalty"]["points"]),
        (&json!("wespa"), &json!({"to": "opponent", "amount": 14}))
    );
    // Its chain and its lapses are those of wespa too.
    let lapse = floor.about(&floor.judge, "l", &filed, "lapse", json!({"cause": "tiles-commingled"})).await;
    assert_eq!(lapse.problem(), "not-in-ruleset");
    let next = floor.about(&floor.client, "s", &filed, "reviews", asked).await;
    assert_eq!(next.json()["next"], json!("director"));
    let ruled =
        floor.about(&floor.director, "d", &filed, "rulings", json!({"ruling": "acceptable", "ground": "seen"})).await;
    assert_eq!((ruled.status, points(&floor, &filed).await), (201, json!(14)));
    let opinion = json!({"agrees": true, "ruling": "acceptable", "capacity": "director", "note": ""});
    assert_eq!(floor.about(&floor.director, "o", &filed, "opinions", opinion).await.problem(), "not-in-ruleset");
    let later = floor.file("b", slip(2, &["CAT", "QI"])).await;
    assert_eq!(floor.read(&floor.director, &later).await["penalty"]["loses_turn"], json!("challenger"));
}

#[tokio::test]
async fn a_directors_own_ruleset_that_is_changed_does_not_reach_slips_on_record() {
    let desk = Desk::ready();
    desk.done(&["ruleset", "copy", "wespa", "club"]);
    desk.done(&["ruleset", "set", "club", "unsuccessful.points=6", "director_opinions.allowed=true"]);
    desk.done(&["division", "set", "lagos", "A", "--ruleset", "club"]);
    let floor = Floor::of(desk);
    let bad = floor.file("a", slip(1, &["CAT", "QIX"])).await;
    let reported = json!({"division": "A", "kind": "timing", "ruling": "10 points"});
    let incident = floor.write(&floor.director, "i", "tournaments/lagos/incidents", reported).await.json();
    floor.desk.done(&["ruleset", "set", "club", "unsuccessful.points=8", "director_opinions.allowed=false"]);
    let pays_eight = || async {
        let filed = floor.file(&format!("b-{}", crate::rounds::uuid()), slip(2, &["CAT"])).await;
        points(&floor, &filed).await == json!(8)
    };
    assert!(soon(pays_eight).await);
    let ruled =
        floor.about(&floor.director, "d", &bad, "rulings", json!({"ruling": "acceptable", "ground": "misprint"})).await;
    assert_eq!((ruled.status, points(&floor, &bad).await), (201, json!(12)));
    let second = floor.desk.token("director", "second");
    let opinion = json!({"agrees": true, "ruling": "acceptable", "capacity": "director", "note": ""});
    let known = || async { floor.get(&second, "/api/v1/lexicons").await.status == 200 };
    assert!(soon(known).await);
    assert_eq!(floor.about(&second, "o", &bad, "opinions", opinion).await.json(), json!({"ordinal": 2}));
    let path = format!("incidents/{}/opinions", incident["incident"].as_str().unwrap());
    let agrees = json!({"agrees": true, "ruling": "10 points", "capacity": "director", "note": ""});
    assert_eq!(floor.write(&second, "p", &path, agrees).await.json(), json!({"ordinal": 2}));
}

#[tokio::test]
async fn what_becomes_of_a_word_that_is_not_found_is_as_it_was_when_the_slip_was_filed() {
    let floor = Floor::open();
    let set = |then: &str| json!({"lexicon": "T", "ruleset": "nsf", "settings": {"not_found": then}});
    assert_eq!(put(&floor, set("on-request")).await.status, 200);
    let filed = floor.file("a", slip(1, &["QIX"])).await;
    assert_eq!(put(&floor, set("final")).await.status, 200);
    let later = floor.file("b", slip(2, &["QIX"])).await;
    let asked = json!({"requested_by": "opponent", "reason": "other-source"});
    assert_eq!(floor.about(&floor.client, "r", &filed, "reviews", asked.clone()).await.json()["next"], json!("manual"));
    let refused = floor.about(&floor.client, "s", &later, "reviews", asked).await;
    assert_eq!(refused.problem(), "review-not-allowed");
}

/// Another version of the program may ship other values: those of this one are in the ledger before a slip names them.
#[tokio::test]
async fn the_values_of_the_shipped_rulesets_are_recorded_once() {
    let mut floor = Floor::open();
    let filed = floor.file("a", slip(1, &["CAT"])).await;
    floor.close();
    floor.reopen();
    let folder = floor.desk.data().join("export");
    floor.desk.done(&["ledger", "export", folder.to_str().unwrap()]);
    let leaves = |log: &str| -> Vec<Value> {
        let text = std::fs::read_to_string(folder.join(format!("{log}.jsonl"))).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let of_kind =
        |leaves: Vec<Value>, kind: &str| leaves.into_iter().filter(|leaf| leaf["kind"] == kind).collect::<Vec<_>>();
    let set = of_kind(leaves("server"), "ruleset-set");
    let mut names: Vec<&str> = set.iter().map(|leaf| leaf["payload"]["ruleset"]["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["insa", "naspa", "naspa-collins", "nigeria", "norway", "nsf", "wespa"]);
    assert!(set.iter().all(|leaf| leaf["actor"]["id"] == "server"), "{set:?}");
    let slip = &of_kind(leaves("lagos"), "slip-ruled")[0]["payload"]["slip"];
    let wespa = adjudge::domain::Ruleset::shipped("wespa").unwrap();
    assert_eq!(slip["ruleset_sha256"], json!(wespa.sha256()));
    assert_eq!(filed.status, 201);
    assert!(floor.desk.done(&["ruleset", "list"]).lines().filter(|line| line.starts_with("wespa")).count() == 1);
}
