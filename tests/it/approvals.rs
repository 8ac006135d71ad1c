//! What needs two persons, where the tournament wants it. Source: CONTRACT 3.3.

use serde_json::{Value, json};

use crate::harness::{Answer, Desk, Floor};

/// A tournament with `two_person` on, whose tokens are those of the floor.
fn of_two() -> (Floor, [String; 5]) {
    let desk = Desk::ready();
    let create =
        ["tournament", "create", "abuja", "--title", "Abuja", "--division", "A:T:wespa", "--set", "two_person=true"];
    desk.done(&create);
    let token = |role: &str, name: &str| {
        let create = ["token", "create", "--role", role, "--tournament", "abuja", "--name", name];
        desk.done(&create).trim().to_owned()
    };
    let tokens = [
        token("client", "c"),
        token("director", "d1"),
        token("director", "d2"),
        token("judge", "j1"),
        token("observer", "o"),
    ];
    (Floor::of(desk), tokens)
}

async fn file(floor: &Floor, client: &str, key: &str, words: &[&str]) -> Answer {
    let slip = json!({"division": "A", "table": 7, "words": words});
    floor.write(client, key, "tournaments/abuja/slips", slip).await
}

fn approval(answer: &Answer) -> String {
    assert_eq!(answer.status, 202, "{}", answer.body);
    let body = answer.json();
    assert_eq!(body.as_object().unwrap().len(), 1);
    format!("approvals/{}", body["approval"].as_str().unwrap())
}

#[tokio::test]
async fn a_directors_ruling_waits_for_another_person() {
    let (floor, [client, first, second, judge, observer]) = of_two();
    let filed = file(&floor, &client, "a", &["QIX"]).await;
    let said = json!({"ruling": "acceptable", "ground": "misprint"});
    let asked = floor.about(&first, "r", &filed, "rulings", said.clone()).await;
    let path = approval(&asked);
    assert!(floor.about(&first, "r", &filed, "rulings", said.clone()).await.replayed);
    let seen = async || floor.get(&client, filed.location.as_ref().unwrap()).await.json();
    assert_eq!(seen().await["ruling"], json!("unacceptable"), "nothing has changed yet");
    let open = floor.get(&judge, "/api/v1/tournaments/abuja/approvals").await.json();
    assert_eq!(open["approvals"][0]["what"], json!("rule-on-slip"));
    assert_eq!(open["approvals"][0]["said"], said);
    let yes = json!({"approve": true});
    assert_eq!(floor.write(&first, "1", &path, yes.clone()).await.problem(), "same-person");
    assert_eq!(floor.write(&client, "1", &path, yes.clone()).await.problem(), "forbidden");
    assert_eq!(floor.write(&observer, "1", &path, yes.clone()).await.problem(), "forbidden");
    assert_eq!(floor.write(&floor.director, "1", &path, yes.clone()).await.problem(), "not-found");
    assert_eq!(floor.write(&judge, "1", &path, json!({})).await.problem(), "invalid-request");
    let given = floor.write(&judge, "2", &path, yes.clone()).await;
    assert_eq!((given.status, given.json()), (201, json!({"ruling": "acceptable"})));
    let again = floor.write(&judge, "2", &path, yes.clone()).await;
    assert!(again.replayed && again.json() == json!({"ruling": "acceptable"}));
    assert_eq!(floor.write(&second, "3", &path, yes).await.problem(), "wrong-state");
    let slip = seen().await;
    assert_eq!((&slip["state"], &slip["ruling"]), (&json!("final"), &json!("acceptable")));
    assert_eq!(slip["adjudications"][1]["by"], json!("d1"), "it is the ruling of whoever asked");
    assert_eq!(floor.get(&judge, "/api/v1/tournaments/abuja/approvals").await.json(), json!({"approvals": []}));
    assert!(floor.desk.done(&["ledger", "verify"]).contains("abuja: whole"));
}

#[tokio::test]
async fn what_is_declined_is_not_done_and_what_cannot_be_is_not_asked() {
    let (floor, [client, first, second, judge, _]) = of_two();
    let filed = file(&floor, &client, "a", &["QIX"]).await;
    let wrong = floor.about(&first, "w", &filed, "rulings", json!({"ruling": "perhaps", "ground": "x"})).await;
    assert_eq!(wrong.problem(), "invalid-request");
    let asked = floor.about(&first, "c", &filed, "corrections", json!({"words": ["CAT"]})).await;
    let declined = floor.write(&second, "n", &approval(&asked), json!({"approve": false})).await;
    assert_eq!((declined.status, declined.body.as_str()), (201, "{}"));
    assert_eq!(floor.get(&client, filed.location.as_ref().unwrap()).await.json()["words"], json!(["QIX"]));
    // A judge's correction needs no approval, and a ruling that was asked for before it is no longer given.
    let ruling = floor.about(&first, "d", &filed, "corrections", json!({"words": ["AA"]})).await;
    let path = approval(&ruling);
    let corrected = floor.about(&judge, "j", &filed, "corrections", json!({"words": ["CAT"]})).await;
    assert_eq!(corrected.json(), json!({"ruling": "acceptable"}));
    let done = floor.write(&second, "y", &path, json!({"approve": true})).await;
    assert_eq!((done.status, done.problem().as_str()), (409, "wrong-state"));
    let slip = floor.get(&client, filed.location.as_ref().unwrap()).await.json();
    assert_eq!((&slip["words"], slip["adjudications"].as_array().unwrap().len()), (&json!(["CAT"]), 2));
    let declined = floor.write(&second, "z", &path, json!({"approve": false})).await;
    assert_eq!((declined.status, declined.body.as_str()), (201, "{}"), "it can still be declined");
}

/// QI was asked for and approved, and meanwhile a judge had made it QQ: no one approved the ruling on QQ.
#[tokio::test]
async fn an_approval_is_of_what_was_asked_for_and_of_nothing_else() {
    let (floor, [client, first, second, judge, _]) = of_two();
    let yes = json!({"approve": true});
    let filed = file(&floor, &client, "a", &["QIX"]).await;
    let correction = approval(&floor.about(&first, "1", &filed, "corrections", json!({"words": ["QI"]})).await);
    let ruling = json!({"ruling": "acceptable", "ground": "misprint"});
    let ruling = approval(&floor.about(&first, "2", &filed, "rulings", ruling).await);
    assert_eq!(floor.about(&judge, "3", &filed, "corrections", json!({"words": ["QQ"]})).await.status, 201);
    for path in [correction, ruling] {
        let refused = floor.write(&second, &path, &path, yes.clone()).await;
        assert_eq!((refused.status, refused.problem().as_str()), (409, "wrong-state"), "{path}");
        assert!(refused.json()["detail"].as_str().unwrap().contains("ask anew"), "{}", refused.body);
    }
    assert_eq!(floor.read(&client, &filed).await["words"], json!(["QQ"]));
    // Who has taken a review from the queue changes nothing of what was asked for.
    let other = file(&floor, &client, "b", &["ZZ"]).await;
    let asked = json!({"requested_by": "challenger", "reason": "disagree"});
    let review = floor.about(&client, "4", &other, "reviews", asked).await.json();
    let ruling = json!({"ruling": "acceptable", "ground": "misprint"});
    let path = approval(&floor.about(&first, "5", &other, "rulings", ruling.clone()).await);
    let claim = format!("queue/{}/claim", review["review"].as_str().unwrap());
    assert_eq!(floor.write(&judge, "6", &claim, json!({})).await.status, 201);
    // Of two that were asked for on one state only one is done.
    let twice = approval(&floor.about(&first, "7", &other, "rulings", ruling).await);
    assert_eq!(floor.write(&second, "8", &path, yes.clone()).await.json(), json!({"ruling": "acceptable"}));
    assert_eq!(floor.write(&second, "9", &twice, yes).await.problem(), "wrong-state");
}

#[tokio::test]
async fn a_switch_is_approved_only_while_the_division_and_the_new_ruleset_are_as_they_were() {
    let (floor, [_, first, second, ..]) = of_two();
    let yes = json!({"approve": true});
    let put = async |body: Value| {
        let url = floor.url("/api/v1/tournaments/abuja/divisions/A");
        Answer::of(floor.http.put(url).bearer_auth(&first).json(&body).send().await.unwrap()).await
    };
    let norway = json!({"lexicon": "T", "ruleset": "norway"});
    let path = approval(&put(norway.clone()).await);
    let points = json!({"lexicon": "T", "ruleset": "wespa", "settings": {"points": 9}});
    assert_eq!(put(points).await.status, 200, "settings are one person's");
    assert_eq!(floor.write(&second, "1", &path, yes.clone()).await.problem(), "wrong-state");
    floor.desk.done(&["ruleset", "copy", "wespa", "club"]);
    let club = json!({"lexicon": "T", "ruleset": "club"});
    let is_known = || async { put(club.clone()).await.status == 202 };
    assert!(crate::harness::soon(is_known).await);
    let path = approval(&put(club.clone()).await);
    floor.desk.done(&["ruleset", "set", "club", "unsuccessful.points=50"]);
    // The change is known within a second.
    tokio::time::sleep(std::time::Duration::from_millis(1100)).await;
    assert_eq!(floor.write(&second, "2", &path, yes.clone()).await.problem(), "wrong-state");
    let path = approval(&put(norway).await);
    assert_eq!(floor.write(&second, "3", &path, yes).await.status, 200);
}

#[tokio::test]
async fn another_lexicon_or_ruleset_waits_for_another_person() {
    let (floor, [client, first, second, ..]) = of_two();
    let put = async |token: &str, body: Value| {
        let url = floor.url("/api/v1/tournaments/abuja/divisions/A");
        Answer::of(floor.http.put(url).bearer_auth(token).json(&body).send().await.unwrap()).await
    };
    let url = floor.url("/api/v1/tournaments/abuja/divisions/B");
    let new = json!({"lexicon": "T", "ruleset": "norway"});
    let new = floor.http.put(url).bearer_auth(&first).json(&new).send().await.unwrap();
    assert_eq!(new.status(), 202, "a new division is no smaller matter");
    let same = put(&first, json!({"lexicon": "T", "ruleset": "wespa", "settings": {"points": 10}})).await;
    assert_eq!(same.status, 200, "settings are one person's: {}", same.body);
    let path =
        approval(&put(&first, json!({"lexicon": "T", "ruleset": "norway", "settings": {"self_lookup": true}})).await);
    let before = file(&floor, &client, "a", &["CAT"]).await;
    assert_eq!(floor.get(&client, before.location.as_ref().unwrap()).await.json()["ruleset"], json!("wespa"));
    let done = floor.write(&second, "y", &path, json!({"approve": true})).await;
    assert_eq!((done.status, done.body.as_str()), (200, "{}"));
    let after = file(&floor, &client, "b", &["CAT"]).await;
    assert_eq!(floor.get(&client, after.location.as_ref().unwrap()).await.json()["ruleset"], json!("norway"));
    let said = floor.desk.refused(2, &["division", "set", "abuja", "A", "--ruleset", "naspa"]);
    assert!(said.contains("use the desk"), "{said}");
    floor.desk.done(&["ruleset", "copy", "wespa", "club"]);
    let club = json!({"lexicon": "T", "ruleset": "club"});
    let is_known = || async { put(&first, club.clone()).await.status == 202 };
    assert!(crate::harness::soon(is_known).await);
    let path = approval(&put(&first, club.clone()).await);
    assert_eq!(floor.write(&second, "z", &path, json!({"approve": true})).await.status, 200);
    let said = floor.desk.refused(2, &["ruleset", "set", "club", "unsuccessful.points=3"]);
    assert!(said.contains("use the desk"), "{said}");
}

/// Answers to requests that were decided before any of them was recorded: the write lock is held until all of them wait.
async fn at_once(floor: &Floor, token: &str, sent: &[(&str, &str, bool)]) -> Vec<Answer> {
    let database = floor.desk.database().await;
    let held = database.hold_the_write_lock().await;
    let tasks: Vec<_> = sent
        .iter()
        .map(|(key, path, approve)| {
            let request = floor.http.post(floor.url(&format!("/api/v1/{path}"))).bearer_auth(token);
            let request = request.header("Idempotency-Key", *key).json(&json!({"approve": approve}));
            tokio::spawn(async move { Answer::of(request.send().await.unwrap()).await })
        })
        .collect();
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    held.release().await;
    database.close().await;
    let mut answers = Vec::new();
    for task in tasks {
        answers.push(task.await.unwrap());
    }
    answers
}

/// Two slips, each with a director's ruling that waits for another person.
async fn two_rulings(floor: &Floor, client: &str, director: &str) -> ([Answer; 2], [String; 2]) {
    let mut slips = Vec::new();
    let mut paths = Vec::new();
    for (key, word) in [("a", "QIX"), ("b", "ZZ")] {
        let filed = file(floor, client, key, &[word]).await;
        let said = json!({"ruling": "acceptable", "ground": "misprint"});
        paths.push(approval(&floor.about(director, key, &filed, "rulings", said).await));
        slips.push(filed);
    }
    (slips.try_into().unwrap(), paths.try_into().unwrap())
}

#[tokio::test]
async fn an_approval_sent_twice_at_once_is_given_once() {
    let (floor, [client, first, second, ..]) = of_two();
    let (slips, [yes, no]) = two_rulings(&floor, &client, &first).await;
    let given = json!({"ruling": "acceptable"});
    for (path, approve, body) in [(&yes, true, given), (&no, false, json!({}))] {
        let answers = at_once(&floor, &second, &[(path.as_str(), path.as_str(), approve); 2]).await;
        for answer in &answers {
            assert_eq!((answer.status, answer.json()), (201, body.clone()), "{}", answer.body);
        }
        assert_eq!(answers.iter().filter(|answer| answer.replayed).count(), 1, "{answers:?}");
    }
    assert_eq!(floor.read(&client, &slips[0]).await["adjudications"].as_array().unwrap().len(), 2);
    assert_eq!(floor.number("SELECT count(*) FROM entry WHERE kind = 'approval-given'").await, 2);
}

/// The act of the other one must not be done without its approval.
#[tokio::test]
async fn one_key_sent_at_once_for_two_approvals_gives_one_of_them() {
    for approve in [true, false] {
        let (floor, [client, first, second, ..]) = of_two();
        let (slips, [one, other]) = two_rulings(&floor, &client, &first).await;
        let answers = at_once(&floor, &second, &[("k", &one, approve), ("k", &other, approve)]).await;
        let given: Vec<bool> = answers.iter().map(|answer| answer.status == 201).collect();
        assert_eq!(given.iter().filter(|is_given| **is_given).count(), 1, "{answers:?}");
        let open = floor.get(&first, "/api/v1/tournaments/abuja/approvals").await.json();
        assert_eq!(open["approvals"].as_array().unwrap().len(), 1, "{open}");
        for (slip, (answer, path)) in slips.iter().zip(answers.iter().zip([&one, &other])) {
            let ruling = floor.read(&client, slip).await["ruling"].clone();
            if answer.status == 201 {
                assert_eq!(ruling, json!(if approve { "acceptable" } else { "unacceptable" }));
                continue;
            }
            assert_eq!((answer.status, answer.problem().as_str()), (422, "idempotency-key-reused"));
            assert_eq!(ruling, json!("unacceptable"), "what nobody approved is not done");
            assert_eq!(path, &format!("approvals/{}", open["approvals"][0]["id"].as_str().unwrap()));
        }
        assert!(floor.desk.done(&["ledger", "verify"]).contains("abuja: whole"));
    }
}
