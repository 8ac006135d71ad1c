//! What a director or observer sees of everything, and what the others see as it happens.

use std::time::Duration;

use reqwest::Response;
use serde_json::{Value, json};

use crate::harness::{Answer, Desk, Floor};
use crate::people::{Browser, station};

const LAGOS: &str = "/api/v1/tournaments/lagos";

/// A tournament in which a few things happened: slip 1 acceptable, 2 unacceptable and reviewed, 3 waits, 4 withdrawn.
async fn played() -> (Floor, Answer) {
    let floor = Floor::open();
    let at = |table: u32, words: &[&str]| json!({"division": "A", "round": 1, "table": table, "words": words, "challenger": "=cmd()", "opponent": "Bea"});
    floor.file_as(&floor.station, "1", at(1, &["CAT", "QI"])).await;
    let second = floor.file("2", at(2, &["QIX"])).await;
    let review = json!({"requested_by": "opponent", "reason": "machine-doubted"});
    let opened = floor.about(&floor.client, "r", &second, "reviews", review).await.json();
    let path = format!("reviews/{}/adjudications", opened["review"].as_str().unwrap());
    let manual =
        json!({"method": "manual", "ruling": "acceptable", "sources": [{"title": "Chambers", "entry": "p. 1"}]});
    assert_eq!(floor.write(&floor.judge, "o", &path, manual).await.status, 201);
    let disposed =
        json!({"division": "A", "kind": "withdrawn", "words": ["ZA"], "reason": "blank", "declared_by": "judge"});
    assert_eq!(floor.write(&floor.judge, "d", "tournaments/lagos/dispositions", disposed).await.status, 201);
    (floor, second)
}

fn numbers(page: &Value) -> Vec<u64> {
    page["slips"].as_array().unwrap().iter().map(|slip| slip["number"].as_u64().unwrap()).collect()
}

#[tokio::test]
async fn every_slip_is_found_by_what_it_is() {
    let (floor, _) = played().await;
    let found = async |query: &str| {
        let answer = floor.get(&floor.observer, &format!("{LAGOS}/audit?{query}")).await;
        assert_eq!(answer.status, 200, "{query}: {}", answer.body);
        numbers(&answer.json())
    };
    assert_eq!(found("").await, [3, 2, 1]);
    for (query, expected) in [
        ("table=2", vec![2]),
        ("ruling=acceptable", vec![2, 1]),
        ("state=disposed", vec![3]),
        ("method=manual", vec![2]),
        ("player=bea", vec![2, 1]),
        ("word=qi", vec![1]),
        ("station=station", vec![1]),
        ("judge=judge", vec![2]),
        ("reviewed=true", vec![2]),
        ("reviewed=false", vec![3, 1]),
        ("round=1&division=A", vec![2, 1]),
        ("from=2999-01-01T00:00:00Z", vec![]),
        ("to=2999-01-01T00:00:00Z", vec![3, 2, 1]),
    ] {
        assert_eq!(found(query).await, expected, "{query}");
    }
    for (query, field) in [
        ("limit=0", "limit"),
        ("colour=red", "colour"),
        ("table=x", "table"),
        ("table=1&table=2", "table"),
        ("division=Z", "division"),
        ("word=%Q1", ""),
        ("word=%FF", ""),
    ] {
        let answer = floor.get(&floor.director, &format!("{LAGOS}/audit?{query}")).await;
        assert_eq!((answer.status, &answer.json()["field"]), (422, &json!(field)), "{}", answer.body);
    }
    // Page by page nothing is missed and nothing comes twice.
    let (mut all, mut after) = (Vec::new(), String::new());
    for _ in 0..5 {
        let page = floor.get(&floor.director, &format!("{LAGOS}/audit?limit=1{after}")).await.json();
        all.extend(numbers(&page));
        match page["next"].as_str() {
            Some(next) => after = format!("&after={next}"),
            None => break,
        }
    }
    assert_eq!(all, [3, 2, 1]);
    for token in [&floor.client, &floor.station, &floor.judge] {
        for route in
            ["audit", "audit.csv", "audit.jsonl", "audit.xlsx", "penalties.csv", "statistics", "ledger", "incidents"]
        {
            assert_eq!(floor.get(token, &format!("{LAGOS}/{route}")).await.status, 403, "{route}");
        }
    }
}

#[tokio::test]
async fn exports_are_whole_and_hold_no_formula() {
    let (floor, _) = played().await;
    let csv = floor.get(&floor.director, &format!("{LAGOS}/audit.csv")).await;
    assert_eq!(csv.header("content-type"), Some("text/csv; charset=utf-8"));
    let rows: Vec<&str> = csv.body.lines().collect();
    assert_eq!(rows.len(), 4);
    assert!(rows[0].starts_with("number,division,round,table,state"));
    assert!(
        rows[3].starts_with("1,A,1,1,ruled,,acceptable,CAT QI,'=cmd(),Bea,stays,none,opponent,10,false,self-lookup"),
        "{}",
        rows[3]
    );
    let lines = floor.get(&floor.observer, &format!("{LAGOS}/audit.jsonl?ruling=acceptable")).await;
    let read: Vec<Value> = lines.body.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(read.len(), 2);
    assert_eq!(read[1]["adjudications"][0]["words"][0], json!({"word": "CAT", "acceptable": true}));
    let penalties = floor.get(&floor.director, &format!("{LAGOS}/penalties.csv")).await;
    let rows: Vec<&str> = penalties.body.lines().collect();
    assert_eq!(rows, ["round,table,player,points,turn", "1,2,Bea,5,", "1,1,Bea,10,"]);
    let book =
        floor.http.get(floor.url(&format!("{LAGOS}/audit.xlsx"))).bearer_auth(&floor.director).send().await.unwrap();
    assert!(book.headers()["content-type"].to_str().unwrap().contains("spreadsheetml"));
    assert_eq!(&book.bytes().await.unwrap()[..2], b"PK");
}

#[tokio::test]
async fn statistics_count_the_recorded_rulings() {
    let (floor, _) = played().await;
    let figures = floor.get(&floor.director, &format!("{LAGOS}/statistics")).await.json();
    assert_eq!((&figures["challenges"], &figures["unsuccessful"]), (&json!(2), &json!(2)));
    assert_eq!((&figures["reviews"], &figures["reversals"]), (&json!(1), &json!(1)));
    assert_eq!(figures["by"]["division"], json!([{"division": "A", "challenges": 2, "unsuccessful": 2}]));
    assert_eq!(figures["by"]["word_length"][0], json!({"word_length": 2, "challenges": 1, "unsuccessful": 1}));
    assert_eq!(figures["by"]["word"].as_array().unwrap().len(), 3);
    // What a judge files is counted, but a judge is no station.
    let judged = json!({"division": "A", "round": 2, "table": 1, "words": ["AA"]});
    assert_eq!(floor.file_as(&floor.judge, "j", judged).await.status, 201);
    let figures = floor.get(&floor.director, &format!("{LAGOS}/statistics")).await.json();
    assert_eq!(figures["challenges"], json!(3));
    let stations = figures["by"]["station"].as_array().unwrap().iter();
    assert_eq!(stations.map(|one| &one["station"]).collect::<Vec<_>>(), ["client", "station"]);
}

#[tokio::test]
async fn a_recheck_says_what_another_list_would_rule_and_changes_nothing() {
    let (floor, second) = played().await;
    let list = floor.desk.file("other.txt", b"CAT\nQIX\nAA\n");
    floor.desk.done(&["lexicon", "import", list.to_str().unwrap(), "--id", "OTHER", "--effective-from", "2999-01-01"]);
    let path = format!("{LAGOS}/recheck?lexicon=OTHER");
    assert!(crate::harness::soon(|| async { floor.get(&floor.director, &path).await.status == 200 }).await);
    let found = floor.get(&floor.director, &path).await.json();
    assert_eq!((&found["checked"], &found["not_covered"]), (&json!(2), &json!(0)));
    let differ = found["differ"].as_array().unwrap();
    let brief: Vec<Value> =
        differ.iter().map(|one| json!([one["number"], one["recorded"], one["would_be"], one["standing"]])).collect();
    assert_eq!(
        brief,
        [json!([2, "unacceptable", "acceptable", false]), json!([1, "acceptable", "unacceptable", true])]
    );
    assert_eq!(floor.get(&floor.director, &format!("{path}&division=Z")).await.json()["field"], json!("division"));
    let said = floor.desk.run(&["recheck", "--tournament", "lagos", "--lexicon", "OTHER"]);
    assert_eq!(said.status.code(), Some(1), "something differs");
    assert!(String::from_utf8(said.stdout).unwrap().contains("slip 1"));
    floor.desk.done(&["recheck", "--tournament", "lagos", "--lexicon", "T"]);
    assert_eq!(floor.read(&floor.client, &second).await["ruling"], json!("acceptable"));
    assert_eq!(floor.get(&floor.director, &format!("{LAGOS}/recheck?lexicon=NONE")).await.problem(), "invalid-request");
}

#[tokio::test]
async fn a_ledger_fetched_over_http_verifies_offline() {
    let (floor, _) = played().await;
    let all = floor.get(&floor.observer, &format!("{LAGOS}/ledger")).await;
    let seqs: Vec<u64> =
        all.body.lines().map(|leaf| serde_json::from_str::<Value>(leaf).unwrap()["seq"].as_u64().unwrap()).collect();
    assert_eq!(seqs, (0..seqs.len() as u64).collect::<Vec<_>>());
    let rest = floor.get(&floor.observer, &format!("{LAGOS}/ledger?after=2&limit=2")).await;
    assert_eq!(rest.body.lines().collect::<Vec<_>>(), all.body.lines().skip(3).take(2).collect::<Vec<_>>());
    let export = floor.desk.folder.path().join("taken");
    std::fs::create_dir(&export).unwrap();
    for (route, file) in
        [("ledger", "lagos.jsonl"), ("ledger/checkpoint", "lagos.checkpoint"), ("ledger/key", "lagos.vkey")]
    {
        let answer = floor.get(&floor.director, &format!("{LAGOS}/{route}")).await;
        std::fs::write(export.join(file), answer.body).unwrap();
    }
    floor.desk.done(&["ledger", "verify", "--export", export.to_str().unwrap(), "--log", "lagos"]);
    assert_eq!(floor.get(&floor.director, "/api/v1/server/ledger").await.status, 200);
    for token in [&floor.observer, &floor.judge] {
        assert_eq!(floor.get(token, "/api/v1/server/ledger").await.status, 403);
    }
}

#[tokio::test]
async fn an_incident_and_the_opinions_on_it_are_recorded() {
    let desk = Desk::ready();
    desk.done(&["division", "set", "lagos", "A", "--ruleset", "naspa"]);
    let second = desk.token("director", "director2");
    let floor = Floor::of(desk);
    let incident = json!({"division": "A", "round": 2, "table": 4, "kind": "conduct", "ruling": "a warning", "remedy": "none",
        "rule": "NASPA I.D", "note": ""});
    let reported = floor.write(&floor.director, "i", "tournaments/lagos/incidents", incident.clone()).await;
    assert_eq!(reported.status, 201, "{}", reported.body);
    let path = format!("incidents/{}/opinions", reported.json()["incident"].as_str().unwrap());
    let opinion =
        |agrees: bool, ruling: &str| json!({"agrees": agrees, "ruling": ruling, "capacity": "director", "note": ""});
    let differs = opinion(false, "no warning");
    assert_eq!(floor.write(&floor.director, "1", &path, differs.clone()).await.problem(), "same-judge");
    assert_eq!(floor.write(&second, "2", &path, opinion(true, "no warning")).await.problem(), "invalid-request");
    assert_eq!(floor.write(&second, "3", &path, differs).await.json(), json!({"ordinal": 2}));
    let listed = floor.get(&floor.observer, &format!("{LAGOS}/incidents")).await.json();
    assert_eq!(listed["incidents"][0]["opinions"][0]["ruling"], json!("no warning"));
    assert_eq!(listed["incidents"][0]["kind"], json!("conduct"));
    let lines = floor.get(&floor.observer, &format!("{LAGOS}/incidents.jsonl")).await;
    assert_eq!(lines.body.lines().count(), 1);
    let mut other = incident;
    other["kind"] = json!("weather");
    assert_eq!(
        floor.write(&floor.director, "j", "tournaments/lagos/incidents", other).await.problem(),
        "invalid-request"
    );
}

/// Reads events until `enough` says so of all that came.
async fn events(mut stream: Response, enough: impl Fn(&str) -> bool) -> String {
    let mut came = String::new();
    for _ in 0..200 {
        match tokio::time::timeout(Duration::from_secs(10), stream.chunk()).await {
            Ok(Ok(Some(piece))) => came.push_str(&String::from_utf8_lossy(&piece)),
            _ => break,
        }
        if enough(&came) {
            break;
        }
    }
    came
}

async fn follow(floor: &Floor, token: &str, last: Option<&str>) -> Response {
    let request = floor.http.get(floor.url(&format!("{LAGOS}/events"))).bearer_auth(token);
    let request = match last {
        Some(last) => request.header("Last-Event-ID", last),
        None => request,
    };
    let answer = request.send().await.unwrap();
    assert_eq!(answer.headers()["content-type"], "text/event-stream");
    answer
}

#[tokio::test]
async fn event_streams_are_filtered_by_role() {
    let (floor, _) = played().await;
    // Everything, replayed from the beginning.
    let all = floor.get(&floor.director, &format!("{LAGOS}/ledger")).await.body;
    let leaves = all.lines().count();
    let last = format!("id: {}\n", leaves - 1);
    let came = events(follow(&floor, &floor.director, Some("-1")).await, |came| came.contains(&last)).await;
    for (seq, leaf) in all.lines().enumerate() {
        assert!(came.contains(&format!("id: {seq}\nevent: ")) && came.contains(&format!("data: {leaf}\n")), "{seq}");
    }
    // From an entry on, and no more than that.
    let came = events(follow(&floor, &floor.observer, Some("3")).await, |came| came.contains(&last)).await;
    assert!(came.contains("id: 4\n") && !came.contains("id: 3\n"));
    // A judge: no word of a ruling.
    let came = events(follow(&floor, &floor.judge, Some("-1")).await, |came| came.contains(&last)).await;
    assert!(came.contains("\"kind\":\"slip-ruled\"") && came.contains("\"state\":\"under-review\""), "{came}");
    assert!(!came.contains("acceptable") && !came.contains("QIX"), "{came}");
    // A station: its own slip.
    let own = "event: slip-ruled\n";
    let came = events(follow(&floor, &floor.station, Some("-1")).await, |came| came.contains(own)).await;
    assert_eq!(came.matches(own).count(), 1, "{came}");
    assert!(!came.contains("acceptable"), "{came}");
    assert_eq!(floor.get(&floor.client, &format!("{LAGOS}/events")).await.status, 403);
}

/// CONTRACT 3.4: a station follows its own divisions, and no others.
#[tokio::test]
async fn a_station_is_told_of_the_rounds_of_its_own_divisions_only() {
    let floor = Floor::open();
    let other = json!({"lexicon": "T", "ruleset": "wespa"});
    let put = floor.http.put(floor.url(&format!("{LAGOS}/divisions/B"))).bearer_auth(&floor.director).json(&other);
    assert_eq!(put.send().await.unwrap().status(), 200);
    let code = station(&floor.desk, "Station A", &["--division", "A"]);
    let mut browser = Browser::of(&floor.server.base);
    assert_eq!(browser.post("/pair", &[("code", &code)]).await.to.as_deref(), Some("/station"));
    let cookie = format!("adjudge-device={}", browser.cookies["adjudge-device"]);
    let request = floor.http.get(floor.url(&format!("{LAGOS}/events"))).header("Cookie", cookie);
    let stream = request.header("Last-Event-ID", "-1").send().await.unwrap();
    for (division, number) in [("B", 5), ("A", 6)] {
        let round = json!({"division": division, "number": number, "state": "open"});
        assert_eq!(floor.write(&floor.director, division, "tournaments/lagos/rounds", round).await.status, 201);
    }
    let came = events(stream, |came| came.contains("\"round\":6")).await;
    assert!(came.contains(r#"{"division":"A","round":6,"state":"open"}"#), "{came}");
    assert!(!came.contains(r#""division":"B""#), "{came}");
}

#[tokio::test]
async fn a_stream_goes_on_as_things_happen_and_ends_with_the_token_or_the_server() {
    let floor = Floor::open();
    let stream = follow(&floor, &floor.judge, None).await;
    let filing = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        floor.challenge(1, "CAT").await
    };
    let (came, _) = tokio::join!(events(stream, |came| came.contains("slip-ruled")), filing);
    assert!(came.contains("\"table\":1"), "{came}");
    let stream = follow(&floor, &floor.judge, None).await;
    floor.desk.done(&["token", "revoke", "judge"]);
    let came = events(stream, |_| false).await;
    assert!(came.ends_with("event: token-revoked\ndata: {}\n\n"), "{came}");
    let stream = follow(&floor, &floor.director, None).await;
    assert_eq!(floor.server.stop(), Some(0), "an open stream keeps no server from stopping");
    drop(events(stream, |_| false).await);
}
