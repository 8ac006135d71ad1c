//! What a tournament writes down of its players' names: its setting `names`.

use serde_json::{Value, json};

use crate::harness::{Answer, Desk, Floor};
use crate::people::{Browser, staff, tablet};

/// The tournament `lagos`, keeping of names what is said.
fn of(names: &str) -> Floor {
    let desk = Desk::empty();
    desk.done(&["init"]);
    let list = desk.file("list.txt", crate::harness::WORDS.as_bytes());
    desk.done(&["lexicon", "import", list.to_str().unwrap(), "--id", "T", "--lengths", "2-15"]);
    let setting = format!("names={names}");
    let create = ["tournament", "create", "lagos", "--title", "Lagos", "--division", "A:T:wespa", "--set", &setting];
    desk.done(&create);
    Floor::of(desk)
}

fn slip(table: u32) -> Value {
    json!({"division": "A", "table": table, "words": ["CAT"], "challenger": "Jane van Doe", "opponent": "Ben Okri"})
}

async fn players(floor: &Floor, token: &str, slip: &Answer) -> (Value, Value) {
    let read = floor.read(token, slip).await;
    (read["challenger"].clone(), read["opponent"].clone())
}

/// Whether any part of a player's full name is anywhere in what was recorded.
fn is_in_the_ledger(floor: &Floor, name: &str) -> bool {
    let folder = floor.desk.data().join(format!("export-{name}"));
    floor.desk.done(&["ledger", "export", folder.to_str().unwrap()]);
    let all = ["lagos.jsonl", "server.jsonl"].map(|file| std::fs::read_to_string(folder.join(file)).unwrap());
    all.iter().any(|log| log.contains(name))
}

#[tokio::test]
async fn of_a_name_no_more_is_written_than_the_tournament_keeps() {
    for (names, challenger, opponent) in [
        ("full", json!("Jane van Doe"), json!("Ben Okri")),
        ("initials", json!("J. v. D."), json!("B. O.")),
        ("none", Value::Null, Value::Null),
    ] {
        let floor = of(names);
        let filed = floor.file("a", slip(7)).await;
        assert_eq!(filed.status, 201, "{}", filed.body);
        let wanted = (challenger.clone(), opponent.clone());
        for token in [&floor.client, &floor.judge, &floor.director, &floor.observer] {
            assert_eq!(players(&floor, token, &filed).await, wanted, "{names}");
        }
        // A repeated request is replayed, and one with another name is another request.
        assert!(floor.file("a", slip(7)).await.replayed);
        let mut other = slip(7);
        other["challenger"] = json!("John van Doe");
        assert_eq!(floor.file("a", other).await.problem(), "idempotency-key-reused", "{names}");
        let paper = json!({"division": "A", "table": 8, "words": ["QI"], "ruling": "acceptable", "at": "2026-01-02T09:00:00Z",
            "by": "Carol", "source": "a list", "challenger": "Jane van Doe", "opponent": "Ben Okri"});
        let paper = floor.write(&floor.judge, "p", "tournaments/lagos/paper-rulings", paper).await;
        let ended = json!({"division": "A", "table": 9, "kind": "void", "reason": "x", "declared_by": "judge",
            "challenger": "Jane van Doe", "opponent": "Ben Okri"});
        let ended = floor.write(&floor.judge, "d", "tournaments/lagos/dispositions", ended).await;
        for answer in [&paper, &ended] {
            assert_eq!(answer.status, 201, "{}", answer.body);
            assert_eq!(players(&floor, &floor.director, answer).await, wanted, "{names}");
        }
        let review = json!({"requested_by": "challenger", "reason": "disagree", "suggested_by": "Jane van Doe"});
        assert_eq!(floor.about(&floor.client, "r", &filed, "reviews", review).await.status, 201);
        let read =
            async |file: &str| floor.get(&floor.observer, &format!("/api/v1/tournaments/lagos/{file}")).await.body;
        for export in ["audit", "audit.csv", "audit.jsonl", "penalties.csv", "ledger"] {
            assert_eq!(read(export).await.contains("Okri"), names == "full", "{names} {export}");
        }
        assert_eq!(is_in_the_ledger(&floor, "Okri") || is_in_the_ledger(&floor, "Jane"), names == "full", "{names}");
    }
}

#[tokio::test]
async fn a_player_is_found_by_his_name_as_it_was_kept() {
    let floor = of("initials");
    floor.file("a", slip(7)).await;
    let found = async |player: &str| {
        let path = format!("/api/v1/tournaments/lagos/audit?player={player}");
        floor.get(&floor.director, &path).await.json()["slips"].as_array().unwrap().len()
    };
    assert_eq!((found("Jane%20van%20Doe").await, found("j.%20v.%20d.").await, found("Ann%20Other").await), (1, 1, 0));
    let floor = of("none");
    floor.file("a", slip(7)).await;
    let path = "/api/v1/tournaments/lagos/audit?player=Jane%20van%20Doe";
    assert_eq!(floor.get(&floor.director, path).await.json()["slips"], json!([]));
}

/// A judge's own games are recognized by the kept form of the names: initials match too often rather than too seldom.
#[tokio::test]
async fn own_games_are_known_by_what_is_kept() {
    for (names, expected) in [("initials", 403), ("none", 201)] {
        let floor = of(names);
        let pin = staff(&floor.desk, "Ida", "judge", &["--plays", "Jane van Doe"]);
        let mut tablet: Browser = tablet(&floor).await;
        assert_eq!(tablet.sign_in("Ida", &pin).await.status, 303);
        let filed = floor.file("a", slip(7)).await;
        let review = json!({"requested_by": "opponent", "reason": "disagree"});
        let opened = floor.about(&floor.client, "r", &filed, "reviews", review).await.json();
        let path = format!("/api/v1/reviews/{}/adjudications", opened["review"].as_str().unwrap());
        let said = Some(json!({"method": "lookup"}));
        let own = tablet.api(reqwest::Method::POST, &path, said, Some("same-origin")).await;
        assert_eq!(own.status, expected, "{names}: {}", own.body);
    }
}

/// A ruleset under which earlier challenges cost a player more needs the player's name.
#[tokio::test]
async fn a_ruleset_that_counts_a_players_challenges_needs_names() {
    let floor = of("initials");
    let desk = &floor.desk;
    desk.done(&["ruleset", "copy", "wespa", "CLUB"]);
    desk.done(&["division", "set", "lagos", "B", "--lexicon", "T", "--ruleset", "CLUB"]);
    let escalate = ["ruleset", "set", "CLUB", "unsuccessful.escalation=[0, 5]"];
    assert!(desk.refused(2, &escalate).contains("records no full names"));
    desk.done(&["ruleset", "copy", "wespa", "STEEP"]);
    desk.done(&["ruleset", "set", "STEEP", "unsuccessful.escalation=[0, 5]"]);
    let steep = desk.refused(2, &["division", "set", "lagos", "C", "--lexicon", "T", "--ruleset", "STEEP"]);
    assert!(steep.contains("does not keep names"), "{steep}");
    for names in ["initials", "none"] {
        let setting = format!("names={names}");
        let create = ["tournament", "create", "x", "--title", "X", "--division", "A:T:STEEP", "--set", &setting];
        assert!(desk.refused(2, &create).contains("does not keep names"));
    }
    let wanted = json!({"lexicon": "T", "ruleset": "STEEP"});
    let put = floor.http.put(floor.url("/api/v1/tournaments/lagos/divisions/C")).bearer_auth(&floor.director);
    let refused = Answer::of(put.json(&wanted).send().await.unwrap()).await;
    assert_eq!((refused.status, refused.json()["field"].as_str()), (422, Some("ruleset")), "{}", refused.body);
    let said = desk
        .refused(2, &["tournament", "create", "y", "--title", "Y", "--division", "A:T:wespa", "--set", "names=some"]);
    assert!(said.contains("full, initials or none"), "{said}");
}
