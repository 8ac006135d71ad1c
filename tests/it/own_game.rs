//! Judges and directors decide nothing about their own games. Source: CONTRACT 3.3, FAULTS H12.

use serde_json::{Value, json};

use crate::harness::{Answer, Floor, soon};
use crate::people::{Browser, staff};

const PLAYERS: [(&str, &str); 2] = [("challenger", "DORA  b"), ("opponent", "Ann")];

/// A director who plays, at their browser.
async fn dora(floor: &Floor) -> Browser {
    let passphrase = staff(&floor.desk, "Dora", "director", &["--plays", "Dora B"]);
    let mut dora = Browser::of(&floor.server.base);
    assert_eq!(dora.sign_in("Dora", &passphrase).await.status, 303);
    dora
}

async fn says(dora: &Browser, path: &str, body: Value) -> Answer {
    let request = reqwest::Client::new().post(format!("{}{path}", dora.base)).header("Cookie", dora.cookie());
    Answer::of(request.header("Sec-Fetch-Site", "same-origin").json(&body).send().await.unwrap()).await
}

fn of_dora(mut slip: Value) -> Value {
    for (field, name) in PLAYERS {
        slip[field] = json!(name);
    }
    slip
}

fn about(slip: &Answer, route: &str) -> String {
    format!("{}/{route}", slip.location.as_ref().unwrap())
}

#[tokio::test]
async fn a_director_decides_nothing_about_her_own_slip() {
    let floor = Floor::open();
    floor.desk.done(&["division", "set", "lagos", "N", "--lexicon", "T", "--ruleset", "nsf"]);
    let has_division =
        async || floor.get(&floor.director, "/api/v1/tournaments/lagos/audit?division=N").await.status == 200;
    assert!(soon(has_division).await);
    let dora = dora(&floor).await;
    let slip = floor.file("a", of_dora(json!({"division": "N", "table": 7, "words": ["QIX"]}))).await;
    assert_eq!(slip.status, 201, "{}", slip.body);
    let claim = json!({"claimant": "challenger", "play_value": 76, "value_confirmed": true, "told_before_leaving": true,
        "turn_restored": false});
    let acts = [
        ("compensations", claim.clone()),
        ("lapse", json!({"cause": "players-left"})),
        ("rulings", json!({"ruling": "acceptable", "ground": "misprint"})),
        ("reviews", json!({"requested_by": "challenger", "reason": "director"})),
        ("dispositions", json!({"kind": "void", "reason": "x", "declared_by": "director"})),
    ];
    for (route, said) in &acts {
        let own = says(&dora, &about(&slip, route), said.clone()).await;
        assert_eq!((own.status, own.problem().as_str()), (403, "own-game"), "{route}: {}", own.body);
        // What cannot be read is said first.
        let unread = says(&dora, &about(&slip, route), json!({"no": "such field"})).await;
        assert_eq!(unread.problem(), "invalid-request", "{route}");
    }
    // Dora asks for a review as every player may.
    let asked =
        says(&dora, &about(&slip, "reviews"), json!({"requested_by": "challenger", "reason": "disagree"})).await;
    assert_eq!(asked.status, 201, "{}", asked.body);
    // Another director does each of them.
    let other = floor.about(&floor.director, "l", &slip, "lapse", json!({"cause": "players-left"})).await;
    assert_eq!(other.status, 201, "{}", other.body);
    let other = floor.about(&floor.director, "c", &slip, "compensations", claim.clone()).await;
    assert_eq!(other.status, 201, "{}", other.body);
    // Where there is no compensation that is said before all else.
    let wespa = floor.file("b", of_dora(json!({"division": "A", "table": 8, "words": ["QIX"]}))).await;
    assert_eq!(says(&dora, &about(&wespa, "compensations"), claim).await.problem(), "not-in-ruleset");
}

#[tokio::test]
async fn a_director_ends_no_challenge_of_her_own() {
    let floor = Floor::open();
    let dora = dora(&floor).await;
    let path = "/api/v1/tournaments/lagos/dispositions";
    let ended = |kind: &str| json!({"division": "A", "table": 7, "kind": kind, "reason": "a blank", "declared_by": "challenger"});
    let own = says(&dora, path, of_dora(ended("withdrawn"))).await;
    assert_eq!((own.status, own.problem().as_str()), (403, "own-game"));
    assert_eq!(says(&dora, path, of_dora(ended("refused"))).await.problem(), "own-game", "it comes before the ruleset");
    let mut unread = of_dora(ended("withdrawn"));
    unread["words"] = json!(["Q-I"]);
    assert_eq!(says(&dora, path, unread).await.problem(), "unreadable-word");
    assert_eq!(says(&dora, path, ended("withdrawn")).await.status, 201, "somebody else's");
    // Only another director can end Dora's held slip.
    floor.file("a", of_dora(json!({"division": "A", "table": 9, "words": ["CAT", "QI"]}))).await;
    let held = floor.file("b", of_dora(json!({"division": "A", "table": 9, "words": ["CAT"]}))).await;
    assert_eq!(held.problem(), "ask-a-judge");
    let said = json!({"kind": "void", "reason": "x", "declared_by": "director"});
    assert_eq!(says(&dora, &about(&held, "dispositions"), said.clone()).await.problem(), "own-game");
    assert_eq!(floor.about(&floor.director, "v", &held, "dispositions", said).await.status, 201);
    // By the contract a correction outside a review and a paper ruling do not check the names.
    let ruled = floor.file("c", of_dora(json!({"division": "A", "table": 10, "words": ["ZO"]}))).await;
    assert_eq!(says(&dora, &about(&ruled, "corrections"), json!({"words": ["ZA"]})).await.status, 201);
}
