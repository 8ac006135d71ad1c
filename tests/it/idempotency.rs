//! Idempotency: requests that are sent more than once are recorded once.

use serde_json::{Value, json};

use crate::harness::{Answer, Floor, soon};

fn slip() -> Value {
    json!({"division": "A", "words": ["CAT", "QI"], "table": 12, "round": 1, "challenger": "Ann"})
}

/// FAULTS C1
#[tokio::test]
async fn a_slip_sent_twice_is_ruled_once() {
    let floor = Floor::open();
    let first = floor.file("k", slip()).await;
    let second = floor.file("k", slip()).await;
    assert!(!first.replayed && second.replayed);
    assert_eq!((first.status, &first.body, &first.location), (second.status, &second.body, &second.location));
    assert_eq!(floor.ruled().await, 1);
}

/// FIELD-REPORTS I6
#[tokio::test]
async fn equal_slips_in_the_same_moment_are_ruled_once() {
    let floor = Floor::open();
    let body = slip();
    let sent = (0..16).map(|_| floor.file("k", body.clone()));
    let answers: Vec<Answer> = futures_join(sent).await;
    assert!(
        answers.iter().all(|answer| (answer.status, &answer.location) == (201, &answers[0].location)),
        "{answers:?}"
    );
    assert_eq!(answers.iter().filter(|answer| !answer.replayed).count(), 1);
    assert_eq!(floor.ruled().await, 1);
}

/// Awaits all at once, without another crate.
async fn futures_join<F: Future>(futures: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut waiting: Vec<_> = futures.map(Box::pin).collect();
    let mut done: Vec<Option<F::Output>> = waiting.iter().map(|_| None).collect();
    std::future::poll_fn(|context| {
        for (future, slot) in waiting.iter_mut().zip(&mut done) {
            if slot.is_none()
                && let std::task::Poll::Ready(output) = future.as_mut().poll(context)
            {
                *slot = Some(output);
            }
        }
        if done.iter().all(Option::is_some) { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    done.into_iter().flatten().collect()
}

/// FAULTS C3
#[tokio::test]
async fn a_key_used_for_another_request_is_refused() {
    let floor = Floor::open();
    floor.file("k", slip()).await;
    for (changed, value) in [
        ("words", json!(["CAT", "ZA"])),
        ("words", json!(["QI", "CAT"])),
        ("words", json!(["CAT", "Q1"])),
        ("words", json!([])),
        ("table", json!(13)),
        ("round", json!(2)),
        ("challenger", json!("ann")),
        ("division", json!("B")),
        ("unknown", json!(1)),
        ("declared_count", json!(2)),
        ("play_score", json!(1.5)),
    ] {
        let mut other = slip();
        other[changed] = value;
        let answer = floor.file("k", other).await;
        assert_eq!((answer.status, answer.problem().as_str()), (422, "idempotency-key-reused"), "{changed}");
        assert!(answer.location.is_none());
    }
    let case_only = floor.file("k", json!({"division": "A", "words": ["cat", " Qi"], "table": 12, "round": 1, "challenger": "Ann", "opponent": null})).await;
    assert!(case_only.replayed, "{case_only:?}");
    assert_eq!(floor.ruled().await, 1);
}

/// FAULTS C4
#[tokio::test]
async fn a_client_must_send_a_proper_key_and_a_judge_need_not() {
    let floor = Floor::open();
    let url = floor.url("/api/v1/tournaments/lagos/slips");
    for token in [&floor.client, &floor.station] {
        let answer = Answer::of(floor.http.post(&url).bearer_auth(token).json(&slip()).send().await.unwrap()).await;
        assert_eq!((answer.status, answer.problem().as_str()), (400, "idempotency-key-required"));
    }
    let long = "k".repeat(129);
    for key in ["", "a b", "\u{e9}", &long] {
        let request =
            floor.http.post(&url).bearer_auth(&floor.client).header("Idempotency-Key", key.as_bytes()).json(&slip());
        let answer = Answer::of(request.send().await.unwrap()).await;
        assert_eq!((answer.status, answer.problem().as_str()), (400, "idempotency-key-required"), "{key:?}");
    }
    assert_eq!(floor.ruled().await, 0);
    for token in [&floor.judge, &floor.director] {
        let answer = Answer::of(floor.http.post(&url).bearer_auth(token).json(&slip()).send().await.unwrap()).await;
        assert_eq!(answer.status, 201);
        assert_eq!(floor.read(token, &answer).await["adjudications"][0]["method"], json!("lookup"));
    }
    let longest = "k".repeat(128);
    assert_eq!(floor.file(&longest, slip()).await.status, 201);
}

#[tokio::test]
async fn a_refusal_leaves_the_key_free() {
    let floor = Floor::open();
    assert_eq!(floor.file("k", json!({"division": "A", "words": ["X-RAY"]})).await.status, 422);
    let mended = floor.file("k", slip()).await;
    assert_eq!((mended.status, mended.replayed), (201, false));
}

/// FAULTS C7: a key belongs to the token that used it.
#[tokio::test]
async fn another_tokens_key_is_another_key() {
    let floor = Floor::open();
    let first = floor.file("k", slip()).await;
    let other = floor.file_as(&floor.station, "k", slip()).await;
    assert_eq!((other.status, other.replayed), (201, false));
    assert_ne!(first.location, other.location);
}

#[tokio::test]
async fn an_answer_is_replayed_after_a_power_cut_and_the_record_is_whole() {
    let floor = Floor::open();
    let first = floor.file("k", slip()).await;
    let floor = floor.power_cut();
    let again = floor.file("k", slip()).await;
    assert!(again.replayed);
    assert_eq!((first.body, first.location), (again.body, again.location));
    assert!(floor.desk.done(&["ledger", "verify"]).contains("lagos: whole, 3 entries"));
}

#[tokio::test]
async fn a_revoked_token_is_refused_and_a_new_one_honoured_while_serving() {
    let floor = Floor::open();
    assert_eq!(floor.file("k", slip()).await.status, 201);
    floor.desk.done(&["token", "revoke", "client"]);
    assert!(soon(|| async { floor.file("k", slip()).await.status == 401 }).await);
    let next = floor.desk.token("client", "client");
    assert!(soon(|| async { floor.file_as(&next, "k", slip()).await.status == 201 }).await);
}

async fn resolve(floor: &Floor, token: &str, key: &str, body: Value) -> Answer {
    let url = floor.url("/api/v1/tournaments/lagos/slips/resolve");
    let request = floor.http.post(url).bearer_auth(token).header("Idempotency-Key", key);
    Answer::of(request.json(&body).send().await.unwrap()).await
}

#[tokio::test]
async fn a_lost_answer_is_found_by_its_key() {
    let floor = Floor::open();
    let given = floor.file("k", slip()).await;
    let found = resolve(&floor, &floor.client, "k", json!({})).await;
    assert!(found.replayed);
    assert_eq!((given.status, given.body, given.location), (found.status, found.body, found.location));
    let elsewhere = resolve(&floor, &floor.station, "k", json!({})).await;
    assert_eq!((elsewhere.status, elsewhere.json()), (200, json!({"ruling": null})), "a key belongs to its token");
}

#[tokio::test]
async fn a_key_without_an_answer_is_closed_for_ever() {
    let floor = Floor::open();
    let none = resolve(&floor, &floor.client, "k", json!({})).await;
    assert_eq!((none.status, none.json(), none.replayed, none.location), (200, json!({"ruling": null}), false, None));
    let again = resolve(&floor, &floor.client, "k", json!({})).await;
    assert_eq!((again.status, again.json(), again.replayed), (200, json!({"ruling": null}), true));
    let floor = floor.power_cut();
    let late = floor.file("k", slip()).await;
    assert_eq!((late.status, late.problem().as_str()), (409, "key-closed"));
    assert_eq!(floor.ruled().await, 0);
    assert_eq!(floor.file("another", slip()).await.status, 201);
}

#[tokio::test]
async fn a_slip_and_its_resolution_in_the_same_moment_agree() {
    let floor = Floor::open();
    for round in 0..20 {
        let key = format!("k{round}");
        let body = slip();
        let filed = async { floor.file(&key, body).await };
        let (filed, resolved) = tokio::join!(filed, resolve(&floor, &floor.client, &key, json!({})));
        match resolved.status {
            200 => assert_eq!(filed.problem(), "key-closed"),
            201 => assert_eq!(filed.location, resolved.location),
            other => panic!("{other}: {resolved:?}"),
        }
    }
}

#[tokio::test]
async fn resolving_is_for_devices_and_takes_no_fields() {
    let floor = Floor::open();
    assert_eq!(resolve(&floor, &floor.judge, "k", json!({})).await.problem(), "forbidden");
    let answer = resolve(&floor, &floor.client, "k", slip()).await;
    assert_eq!((answer.status, answer.problem().as_str()), (422, "invalid-request"));
    assert_eq!(resolve(&floor, &floor.client, "k", json!({})).await.status, 200);
    let second = resolve(&floor, &floor.client, "k", json!({"force": true})).await;
    assert_eq!((second.status, second.json()["field"].clone()), (422, json!("force")), "nor the second time");
    let url = floor.url("/api/v1/tournaments/lagos/slips/resolve");
    let bare = Answer::of(floor.http.post(url).bearer_auth(&floor.client).json(&json!({})).send().await.unwrap()).await;
    assert_eq!(bare.problem(), "idempotency-key-required");
}

fn rule(floor: &Floor, slip: &str, key: &str, ruling: &str) -> reqwest::RequestBuilder {
    let request = floor.http.post(floor.url(&format!("{slip}/rulings"))).bearer_auth(&floor.director);
    request.header("Idempotency-Key", key).json(&json!({"ruling": ruling, "ground": "misprint"}))
}

/// A decision is made on the state on record at that moment: concurrent ones follow each upon another.
#[tokio::test]
async fn rulings_at_the_same_moment_follow_one_upon_the_other() {
    let floor = Floor::open();
    let filed = floor.file("k", slip()).await.location.unwrap();
    let sent = (0..12).map(|number| {
        let request =
            rule(&floor, &filed, &number.to_string(), if number % 2 == 0 { "acceptable" } else { "unacceptable" });
        async move { Answer::of(request.send().await.unwrap()).await }
    });
    let answers: Vec<Answer> = futures_join(sent).await;
    let given = answers.iter().filter(|answer| answer.status == 201).count();
    // A request that was overtaken too often is refused with that reason, and nothing was recorded for it.
    assert!(answers.iter().all(|answer| answer.status == 201 || answer.problem() == "wrong-state"), "{answers:?}");
    let read = floor.get(&floor.director, &filed).await.json();
    let chain = read["adjudications"].as_array().unwrap();
    assert_eq!(chain.len(), 1 + given);
    assert_eq!(read["ruling"], chain.last().unwrap()["ruling"], "the last of the chain stands");
    let ordinals: Vec<u64> = chain.iter().map(|one| one["ordinal"].as_u64().unwrap()).collect();
    assert_eq!(ordinals, (1..=chain.len() as u64).collect::<Vec<_>>());
    floor.desk.done(&["ledger", "verify"]);
}

#[tokio::test]
async fn a_directors_ruling_sent_twice_is_given_once() {
    let floor = Floor::open();
    let filed = floor.file("k", slip()).await.location.unwrap();
    let send =
        async |key: &str, ruling: &str| Answer::of(rule(&floor, &filed, key, ruling).send().await.unwrap()).await;
    let first = send("r", "unacceptable").await;
    let second = send("r", "unacceptable").await;
    assert_eq!((first.status, &first.body, first.replayed), (201, &second.body, false));
    assert!(second.replayed);
    assert_eq!(send("r", "acceptable").await.problem(), "idempotency-key-reused");
    assert_eq!(floor.get(&floor.director, &filed).await.json()["adjudications"].as_array().unwrap().len(), 2);
}

/// Closes the station by plays whose rulings are otherwise than the director says.
async fn wrong_deck(floor: &Floor) {
    let url = floor.url("/api/v1/tournaments/lagos/divisions/A/test-deck");
    let plays = json!({"plays": [{"words": ["QIX"], "ruling": "acceptable"}]});
    let set = floor.http.put(url).bearer_auth(&floor.director).json(&plays).send().await.unwrap();
    assert_eq!(set.status(), 200);
}

/// A request of the station's, under way.
fn under_way(floor: &Floor, key: &str, path: &str, body: &Value) -> tokio::task::JoinHandle<Answer> {
    let request = floor.http.post(floor.url(&format!("/api/v1/{path}"))).bearer_auth(&floor.station);
    let request = request.header("Idempotency-Key", key.to_owned()).json(body);
    tokio::spawn(async move { Answer::of(request.send().await.unwrap()).await })
}

/// Two requests of the station's, the second decided while the first waits to be recorded before it.
async fn one_before_the_other(floor: &Floor, first: (&str, Value), second: (&str, Value)) -> [Answer; 2] {
    let database = floor.desk.database().await;
    let held = database.hold_the_write_lock().await;
    let mut tasks = Vec::new();
    for (path, body) in [first, second] {
        tasks.push(under_way(floor, &format!("key of {path}").replace(' ', "-"), path, &body));
        tokio::time::sleep(std::time::Duration::from_millis(700)).await;
    }
    held.release().await;
    database.close().await;
    let mut answers = Vec::new();
    for task in tasks {
        answers.push(task.await.unwrap());
    }
    answers.try_into().unwrap()
}

#[tokio::test]
async fn a_recorded_correction_is_found_after_the_station_was_closed() {
    let floor = Floor::open();
    let filed = floor.file_as(&floor.station, "a", json!({"division": "A", "words": ["QIX"], "table": 1})).await;
    let other = floor.file_as(&floor.station, "b", json!({"division": "A", "words": ["ZZ"], "table": 2})).await;
    let correction = json!({"words": ["QI"]});
    let given = floor.about(&floor.station, "c", &filed, "corrections", correction.clone()).await;
    assert_eq!((given.status, given.json()), (201, json!({"ruling": "acceptable"})), "{}", given.body);
    wrong_deck(&floor).await;
    let run = floor.write(&floor.station, "d", "tournaments/lagos/test-decks", json!({"division": "A"})).await;
    assert_eq!(run.json(), json!({"passed": false}));
    let again = floor.about(&floor.station, "c", &filed, "corrections", correction).await;
    assert!(again.replayed && again.status == 201 && again.body == given.body, "{}", again.body);
    let closed = floor.about(&floor.station, "e", &other, "corrections", json!({"words": ["ZA"]})).await;
    assert_eq!((closed.status, closed.problem().as_str()), (409, "station-closed"));
}

/// No correction is recorded after the entry that closes its station.
#[tokio::test]
async fn a_correction_under_way_when_its_station_is_closed_is_refused() {
    let floor = Floor::open();
    let filed = floor.file_as(&floor.station, "a", json!({"division": "A", "words": ["QIX"], "table": 1})).await;
    wrong_deck(&floor).await;
    let path = format!("{}/corrections", filed.location.as_ref().unwrap().trim_start_matches("/api/v1/"));
    let deck = ("tournaments/lagos/test-decks", json!({"division": "A"}));
    let [run, corrected] = one_before_the_other(&floor, deck, (&path, json!({"words": ["QI"]}))).await;
    assert_eq!(run.json(), json!({"passed": false}), "{}", run.body);
    assert_eq!((corrected.status, corrected.problem().as_str()), (409, "station-closed"), "{}", corrected.body);
    assert_eq!(floor.read(&floor.director, &filed).await["words"], json!(["QIX"]));
}

/// The word of the correction is ruled on another slip of the table at the same moment.
#[tokio::test]
async fn a_correction_that_another_slip_came_to_tell_of_is_not_allowed() {
    let floor = Floor::open();
    let filed = floor.file_as(&floor.station, "a", json!({"division": "A", "words": ["QIX"], "table": 1})).await;
    let path = format!("{}/corrections", filed.location.as_ref().unwrap().trim_start_matches("/api/v1/"));
    let slip = ("tournaments/lagos/slips", json!({"division": "A", "words": ["QI"], "table": 1}));
    let [ruled, corrected] = one_before_the_other(&floor, slip, (&path, json!({"words": ["QI"]}))).await;
    assert_eq!(ruled.status, 201, "{}", ruled.body);
    assert_eq!((corrected.status, corrected.problem().as_str()), (409, "review-not-allowed"), "{}", corrected.body);
}
