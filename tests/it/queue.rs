//! The queue: what waits, who has taken it, and that a judge is blind.

use serde_json::{Value, json};

use crate::harness::Floor;

const QUEUE: &str = "/api/v1/tournaments/lagos/queue";

fn kinds(queue: &Value) -> Vec<(&str, Option<&str>)> {
    let items = queue["items"].as_array().unwrap();
    items.iter().map(|item| (item["kind"].as_str().unwrap(), item["claimed_by"].as_str())).collect()
}

#[tokio::test]
async fn an_item_stays_in_the_queue_until_it_is_settled() {
    let floor = Floor::open();
    let at = |table, words: &[&str]| json!({"division": "A", "round": 1, "table": table, "words": words});
    let first = floor.file("a", at(1, &["CAT", "QIX"])).await;
    floor
        .about(&floor.client, "r", &first, "reviews", json!({"requested_by": "challenger", "reason": "disagree"}))
        .await;
    let held = floor.file("b", at(1, &["CAT"])).await;
    let called = floor.write(&floor.station, "c", "tournaments/lagos/calls", json!({"for": "judge", "table": 4})).await;
    assert_eq!((called.status, called.body.as_str()), (201, "{}"));

    let queue = floor.get(&floor.judge, QUEUE).await.json();
    assert_eq!(kinds(&queue), [("review", None), ("held", None), ("call", None)]);
    let review = &queue["items"][0];
    assert_eq!((&review["requested_by"], &review["reason"]), (&Value::Null, &Value::Null), "a judge is blind");
    assert_eq!((&review["next"], &review["words"]), (&json!("lookup"), &json!(["CAT", "QIX"])));
    let seen = floor.get(&floor.director, QUEUE).await.json();
    assert_eq!(seen["items"][0]["requested_by"], json!("challenger"));

    // Claimed: the others come first, and no other judge may answer it.
    let item = |place: usize| format!("queue/{}", queue["items"][place]["id"].as_str().unwrap());
    let claim = |token: &str, key: &'static str, place: usize| {
        let (token, path) = (token.to_owned(), format!("{}/claim", item(place)));
        let floor = &floor;
        async move { floor.write(&token, key, &path, json!({})).await }
    };
    assert_eq!(claim(&floor.judge, "1", 0).await.status, 201);
    let answer = claim(&floor.director, "1", 0).await;
    assert_eq!((answer.status, answer.problem().as_str()), (409, "wrong-state"));
    let queue = floor.get(&floor.judge, QUEUE).await.json();
    assert_eq!(kinds(&queue), [("held", None), ("call", None), ("review", Some("judge"))]);
    let open = queue["items"][2]["id"].as_str().unwrap();
    let lookup = json!({"method": "lookup"});
    let path = format!("reviews/{open}/adjudications");
    let answer = floor.write(&floor.director, "2", &path, lookup.clone()).await;
    assert_eq!((answer.status, answer.problem().as_str()), (409, "wrong-state"));
    assert_eq!(floor.write(&floor.judge, "2", &path, lookup).await.json(), json!({"ruling": "unacceptable"}));

    // A call is claimed, and closed when the judge who claimed it was there.
    let call = floor.get(&floor.judge, QUEUE).await.json()["items"][1]["id"].as_str().unwrap().to_owned();
    let ended = floor.write(&floor.judge, "3", &format!("queue/{call}/release"), json!({})).await;
    assert_eq!(ended.problem(), "wrong-state", "nobody has taken it");
    for way in ["claim", "release"] {
        let answer = floor.write(&floor.judge, &format!("call-{way}"), &format!("queue/{call}/{way}"), json!({})).await;
        assert_eq!((answer.status, answer.body.as_str()), (201, "{}"));
    }
    let released = floor.about(&floor.judge, "5", &held, "release", json!({"decision": "same-play"})).await;
    assert_eq!(released.json(), json!({"disposition": "refused"}));
    assert_eq!(floor.get(&floor.judge, QUEUE).await.json(), json!({"items": []}));
    for token in [&floor.client, &floor.station, &floor.observer] {
        assert_eq!(floor.get(token, QUEUE).await.status, 403);
    }
}

/// Claims by many at once: one has it.
#[tokio::test]
async fn of_concurrent_claims_of_an_item_one_succeeds() {
    let floor = Floor::open();
    let filed = floor.file("a", json!({"division": "A", "table": 1, "words": ["CAT"]})).await;
    let opened = floor
        .about(&floor.client, "r", &filed, "reviews", json!({"requested_by": "opponent", "reason": "machine-doubted"}))
        .await;
    assert_eq!(opened.json()["next"], json!("manual"));
    let path = format!("queue/{}/claim", opened.json()["review"].as_str().unwrap());
    let (one, other) = tokio::join!(
        floor.write(&floor.judge, "1", &path, json!({})),
        floor.write(&floor.director, "1", &path, json!({}))
    );
    let mut statuses = [one.status, other.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409]);
    // Nothing need be said, and a type of nothing is no fault.
    let holder = if one.status == 201 { &floor.judge } else { &floor.director };
    let url = floor.url(&format!("/api/v1/{}", path.replace("claim", "release")));
    let request = floor.http.post(url).bearer_auth(holder).header("content-type", "application/json");
    assert_eq!(request.send().await.unwrap().status(), 201);
}
