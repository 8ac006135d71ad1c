//! Filing and reading slips over HTTP.

use serde_json::{Value, json};

use crate::harness::{Answer, Desk, Floor, WORDS};

fn acceptable() -> Value {
    json!({"ruling": "acceptable"})
}

fn unacceptable() -> Value {
    json!({"ruling": "unacceptable"})
}

/// NSF II.L.5
#[tokio::test]
async fn one_ruling_is_given_for_the_whole_play() {
    let floor = Floor::open();
    for (table, words, ruling) in [
        (1, "CAT QI", acceptable()),
        (2, "CAT QI XQ", unacceptable()),
        (3, "XQ CAT QI", unacceptable()),
        (4, "XQ JJJ ZZ", unacceptable()),
        (5, "cat Qi qI", acceptable()),
        (6, "CAT CAT", acceptable()),
        (7, "OXYPHENBUTAZONE", acceptable()),
        (8, "CAT QI AA DA JA ZA ZO AS", acceptable()),
    ] {
        let answer = floor.challenge(table, words).await;
        assert_eq!((answer.status, answer.json()), (201, ruling), "{words}");
        assert!(answer.location.as_ref().unwrap().starts_with("/api/v1/slips/"), "{words}");
        assert_eq!(answer.header("cache-control"), Some("no-store"));
    }
}

/// FIELD-REPORTS V13: exact matches only.
#[tokio::test]
async fn a_part_of_a_listed_word_is_not_listed() {
    let floor = Floor::open();
    for (table, word) in (1..).zip(["UNSTATE", "NSTATES", "STAT", "CA", "RETINA", "QISS", "ACAT", "CATSA"]) {
        assert_eq!(floor.challenge(table, word).await.json(), unacceptable(), "{word}");
    }
}

#[tokio::test]
async fn every_refusal_has_its_own_name_and_leaves_no_record() {
    let floor = Floor::open();
    let long = "A".repeat(10_000);
    for (number, (body, slug, fields)) in [
        (json!({"division": "A", "words": []}), "invalid-slip", vec!["words"]),
        (json!({"division": "A", "words": [""]}), "invalid-slip", vec!["words[0]"]),
        (json!({"division": "A", "words": ["  "]}), "invalid-slip", vec!["words[0]"]),
        (json!({"division": "A", "words": ["QI", ""]}), "invalid-slip", vec!["words[1]"]),
        (json!({"division": "A"}), "invalid-slip", vec!["words"]),
        (json!({}), "invalid-slip", vec!["words", "division"]),
        (json!({"division": "A", "words": vec!["AA"; 9]}), "invalid-slip", vec!["words"]),
        (json!({"division": "A", "words": ["CAT", "QI"], "declared_count": 3}), "invalid-slip", vec!["declared_count"]),
        (
            json!({"division": "A", "words": "CAT", "round": 1000, "table": 1.5}),
            "invalid-slip",
            vec!["words", "round", "table"],
        ),
        (json!({"division": "A", "words": ["CAT"], "lexicon": "T"}), "invalid-slip", vec!["lexicon"]),
        (json!({"division": "A", "words": ["CAT"], "challenger": "a\u{7}b"}), "invalid-slip", vec!["challenger"]),
        (json!({"division": "B", "words": ["X-RAY"]}), "wrong-division", vec!["division"]),
        (json!({"division": "A", "words": ["X-RAY", "CAT", "QI1"]}), "unreadable-word", vec!["words[0]", "words[2]"]),
        (json!({"division": "A", "words": ["DON'T"]}), "unreadable-word", vec!["words[0]"]),
        (json!({"division": "A", "words": ["DON\u{2019}T"]}), "unreadable-word", vec!["words[0]"]),
        (json!({"division": "A", "words": ["'; DROP TABLE entry"]}), "unreadable-word", vec!["words[0]"]),
        (json!({"division": "A", "words": ["Q\u{406}"]}), "unreadable-word", vec!["words[0]"]),
        (json!({"division": "A", "words": ["A"]}), "unreadable-word", vec!["words[0]"]),
        (json!({"division": "A", "words": ["OXYPHENBUTAZONES"]}), "unreadable-word", vec!["words[0]"]),
        (json!({"division": "A", "words": [long]}), "unreadable-word", vec!["words[0]"]),
    ]
    .into_iter()
    .enumerate()
    {
        let answer = floor.file(&format!("refused-{number}"), body.clone()).await;
        assert_eq!((answer.status, answer.problem().as_str()), (422, slug), "{body}");
        let said = answer.json();
        let found: Vec<&str> =
            said["faults"].as_array().unwrap().iter().map(|fault| fault["field"].as_str().unwrap()).collect();
        assert_eq!(found, fields, "{body}");
        assert_eq!((&said["field"], &said["status"]), (&json!(fields[0]), &json!(422)));
        assert_eq!(answer.header("content-type"), Some("application/problem+json"));
    }
    assert_eq!(floor.ruled().await, 0);
}

#[tokio::test]
async fn a_fault_says_where_it_is_in_what_was_typed() {
    let floor = Floor::open();
    let answer = floor.file("k", json!({"division": "A", "words": ["CAT", "  QI1"]})).await;
    let detail = answer.json()["detail"].as_str().unwrap().to_owned();
    assert_eq!(detail, "word 2: “1” at position 5 is no letter of the english alphabet");
}

#[tokio::test]
async fn a_wrong_division_is_told_which_there_are() {
    let floor = Floor::open();
    let answer = floor.file("k", json!({"division": "Z", "words": ["CAT"]})).await;
    assert!(answer.json()["detail"].as_str().unwrap().ends_with("its divisions are A"), "{}", answer.body);
}

#[tokio::test]
async fn a_station_names_its_table_and_a_client_need_not() {
    let floor = Floor::open();
    let body = json!({"division": "A", "words": ["CAT"]});
    let answer = floor.file_as(&floor.station, "k", body.clone()).await;
    assert_eq!((answer.status, answer.json()["field"].clone()), (422, json!("table")));
    assert_eq!(
        floor.file_as(&floor.station, "k", json!({"division": "A", "words": ["CAT"], "table": 3})).await.status,
        201
    );
    assert_eq!(floor.file("k", body).await.status, 201);
}

#[tokio::test]
async fn a_slip_reads_as_the_contract_says() {
    let floor = Floor::open();
    let filed = floor
        .file(
            "k",
            json!({"division": "A", "words": [" cat", "qi"], "declared_count": 2, "round": 7, "table": 12,
        "challenger": "Ann", "opponent": "Bea", "play_score": 34, "out_play": true}),
        )
        .await;
    let mut slip = floor.read(&floor.client, &filed).await;
    let id = filed.location.as_ref().unwrap().trim_start_matches("/api/v1/slips/");
    assert_eq!(slip["id"], json!(id));
    let at = slip["filed_at"].clone();
    assert_eq!(at.as_str().unwrap().len(), "2026-11-29T09:12:00.000000Z".len());
    let fingerprint = slip["adjudications"][0]["lexicon"]["fingerprint"].clone();
    assert_eq!(fingerprint.as_str().unwrap().len(), 64);
    slip["id"] = Value::Null;
    assert_eq!(
        slip,
        json!({
            "id": null, "number": 1, "tournament": "lagos", "division": "A", "round": 7, "table": 12, "words": ["CAT", "QI"],
            "challenger": "Ann", "opponent": "Bea", "play_score": 34, "out_play": true, "follows": null, "state": "ruled",
            "disposition": null, "ruling": "acceptable",
            "adjudications": [{"ordinal": 1, "method": "self-lookup", "ruling": "acceptable", "at": at, "by": "client",
                "typed": [" cat", "qi"], "late": false, "lexicon": {"id": "T", "edition": "1", "fingerprint": fingerprint}}],
            "penalty": {"play": "stays", "loses_turn": "none", "points": {"to": "opponent", "amount": 10}, "waived": false,
                "instruction": "The play stays and the opponent scores 10 more points. The game is over.",
                "undo": null, "rule": "WESPA 3.10"},
            "review": {"allowed": true, "why_not": null, "open": null},
            "ruleset": "wespa", "filed_at": at, "entry": 2,
        })
    );
}

/// Invariant 1: only directors and observers see single words.
#[tokio::test]
async fn only_directors_and_observers_see_single_words() {
    let floor = Floor::open();
    let filed = floor.file_as(&floor.station, "k", json!({"division": "A", "words": ["CAT", "XQ"], "table": 1})).await;
    for token in [&floor.director, &floor.observer] {
        let slip = floor.read(token, &filed).await;
        let words = json!([{"word": "CAT", "acceptable": true}, {"word": "XQ", "acceptable": false}]);
        assert_eq!(slip["adjudications"][0]["words"], words);
    }
    for token in [&floor.station, &floor.client, &floor.judge] {
        let slip = floor.read(token, &filed).await;
        assert!(slip["adjudications"][0].get("words").is_none(), "{slip}");
        assert_eq!(slip["words"], json!(["CAT", "XQ"]));
    }
}

/// Invariant 1: the answers do not depend on which word is the bad one: the same bytes but for ids and times.
#[tokio::test]
async fn the_place_of_the_bad_word_leaves_no_trace() {
    let mut seen: Vec<(Answer, Value)> = Vec::new();
    // The same slip under lists of which each lacks another word.
    for lacking in ["CAT", "DA", "QI"] {
        let list = WORDS.replace(&format!("{lacking}\n"), "");
        let floor = Floor::of(Desk::with_list(&list, &[]));
        let mut answer = floor.challenge(1, "CAT DA QI").await;
        let mut slip = floor.read(&floor.judge, &answer).await;
        for hidden in ["id", "filed_at"] {
            slip[hidden] = Value::Null;
        }
        slip["adjudications"][0]["at"] = Value::Null;
        slip["adjudications"][0]["lexicon"]["fingerprint"] = Value::Null;
        answer.location = None;
        answer.headers.retain(|(name, _)| !["location", "date"].contains(&name.as_str()));
        seen.push((answer, slip));
    }
    assert_eq!(seen[0].0.json(), unacceptable());
    assert!(seen.iter().all(|one| *one == seen[0]), "{seen:#?}");
}

#[tokio::test]
async fn a_slip_is_read_only_by_those_it_concerns() {
    let floor = Floor::open();
    let filed = floor.challenge(1, "CAT").await;
    let path = filed.location.clone().unwrap();
    assert_eq!(floor.get(&floor.station, &path).await.status, 404, "another's slip");
    assert_eq!(floor.get(&floor.judge, &path).await.status, 200);
    floor.desk.done(&["tournament", "create", "abuja", "--title", "Abuja", "--division", "A:T:wespa"]);
    let stranger =
        floor.desk.done(&["token", "create", "--role", "director", "--tournament", "abuja", "--name", "stranger"]);
    let seen_by_stranger =
        crate::harness::soon(|| async { floor.get(stranger.trim(), &path).await.status == 404 }).await;
    assert!(seen_by_stranger, "another tournament's slip is not found");
    for path in ["/api/v1/slips/x", "/api/v1/slips/00000000-0000-7000-8000-000000000000", "/api/v1/nothing"] {
        assert_eq!(floor.get(&floor.director, path).await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn a_word_outside_the_coverage_is_recorded_and_waits() {
    let floor = Floor::of(Desk::with_list("CAT\nQI\nZA\n", &["--lengths", "2-8"]));
    let body = json!({"division": "A", "words": ["CAT", "RETINALIS"], "table": 42});
    let answer = floor.file("k", body.clone()).await;
    assert_eq!((answer.status, answer.problem().as_str()), (422, "needs-manual-lookup"));
    assert_eq!(answer.json()["field"], json!("words[1]"));
    let slip = floor.read(&floor.client, &answer).await;
    assert_eq!(
        (&slip["state"], &slip["ruling"], &slip["penalty"]),
        (&json!("awaiting-manual-lookup"), &Value::Null, &Value::Null)
    );
    assert_eq!((&slip["adjudications"], &slip["review"]["allowed"]), (&json!([]), &json!(false)));
    assert_eq!(slip["number"], json!(1));
    let again = floor.file("k", body).await;
    assert_eq!((again.status, again.body, again.location), (answer.status, answer.body, answer.location));
    assert!(again.replayed);
    assert_eq!(floor.number("SELECT count(*) FROM entry WHERE kind = 'slip-awaits-manual-lookup'").await, 1);
}

#[tokio::test]
async fn numbers_count_from_one_and_every_slip_is_its_own() {
    let floor = Floor::open();
    let mut ids = Vec::new();
    for table in 1..=3 {
        let slip = floor.read(&floor.client, &floor.challenge(table, "CAT").await).await;
        assert_eq!(slip["number"], json!(table));
        ids.push(slip["id"].clone());
    }
    ids.dedup();
    assert_eq!(ids.len(), 3);
}

#[tokio::test]
async fn points_follow_the_events_own_choice() {
    let desk = Desk::empty();
    desk.done(&["init"]);
    desk.done(&[
        "tournament",
        "create",
        "lagos",
        "--title",
        "Lagos",
        "--division",
        "A:wordnik:wespa",
        "--set",
        "A.points=10",
        "--set",
        "A.per=play",
    ]);
    let floor = Floor::of(desk);
    let slip = floor.read(&floor.client, &floor.challenge(1, "CAT DOG").await).await;
    assert_eq!(slip["penalty"]["points"], json!({"to": "opponent", "amount": 10}));
    let slip = floor.read(&floor.client, &floor.challenge(2, "CAT XQJZ").await).await;
    assert_eq!(slip["penalty"]["points"], json!({"to": "none", "amount": 0}));
    assert_eq!((&slip["penalty"]["play"], &slip["penalty"]["loses_turn"]), (&json!("comes-off"), &json!("opponent")));
}
