//! What operators and authors of clients are given: metrics and the description of the API.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use fantoccini::Locator;
use serde_json::{Value, json};

use crate::browser::Driver;
use crate::harness::{Answer, Desk, Floor, Server};

/// The counters of /metrics by name and labels. The order of the lines says nothing.
async fn counted(floor: &Floor) -> BTreeSet<String> {
    let answer = Answer::of(floor.http.get(floor.url("/metrics")).send().await.unwrap()).await;
    assert_eq!(answer.status, 200);
    assert!(answer.header("content-type").unwrap().starts_with("text/plain; version=0.0.4"));
    answer.body.lines().filter(|line| !line.contains("route=\"/metrics\"")).map(str::to_owned).collect()
}

/// FAULTS G5
#[tokio::test]
async fn metrics_do_not_tell_rulings_apart() {
    let (one, other) = (Floor::open(), Floor::open());
    assert!(one.challenge(1, "CAT QI").await.body.contains("\"acceptable\""));
    assert!(other.challenge(1, "CAT XX").await.body.contains("unacceptable"));
    let counted_one = counted(&one).await;
    assert_eq!(counted_one, counted(&other).await);
    let slips =
        "adjudge_answers_total{method=\"POST\",route=\"/api/v1/tournaments/{tournament}/slips\",status=\"201\"} 1";
    assert!(counted_one.contains(slips), "{counted_one:?}");
    for line in
        ["adjudge_ledger_writable 1", "adjudge_lexica{state=\"active\"} 1", "adjudge_lexica{state=\"failed\"} 0"]
    {
        assert!(counted_one.contains(line), "{line}: {counted_one:?}");
    }
}

#[tokio::test]
async fn made_up_methods_and_addresses_make_no_counters() {
    let floor = Floor::open();
    for number in 0..20 {
        let method = reqwest::Method::from_bytes(format!("M{number}").as_bytes()).unwrap();
        floor.http.request(method, floor.url(&format!("/secret-{number}"))).send().await.unwrap();
    }
    let lines = counted(&floor).await;
    assert!(lines.iter().filter(|line| line.contains("adjudge_answers_total{")).count() <= 2, "{lines:?}");
    assert!(!lines.iter().any(|line| line.contains("secret")), "{lines:?}");
}

async fn described(server: &str) -> Value {
    let answer = reqwest::get(format!("{server}/api/v1/openapi.json")).await.unwrap();
    Answer::of(answer).await.json()
}

/// The description names the routes that there are and no others.
#[tokio::test]
async fn every_route_of_the_api_is_described() {
    let floor = Floor::open();
    let described = described(&floor.server.base).await;
    let described: BTreeSet<&str> = described["paths"].as_object().unwrap().keys().map(String::as_str).collect();
    let source = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/web.rs")).unwrap();
    let routes = source.split(".route(").skip(1).map(|rest| rest.split('"').nth(1).unwrap());
    let is_of_the_api =
        |route: &&str| route.starts_with("/api/") || ["/healthz", "/readyz", "/metrics"].contains(route);
    assert_eq!(described, routes.filter(is_of_the_api).collect::<BTreeSet<_>>());
}

/// A slip with every field that is described is taken, and one of another name is not.
#[tokio::test]
async fn the_described_slip_is_the_one_that_is_read() {
    let floor = Floor::open();
    let described = described(&floor.server.base).await;
    let schema = &described["components"]["schemas"]["FileSlip"];
    let fields: BTreeSet<&str> = schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
    let first = floor.file("first", json!({"division": "A", "words": ["QI"], "table": 1})).await;
    let first = first.location.unwrap().rsplit_once('/').unwrap().1.to_owned();
    let slip = json!({"division": "A", "words": ["CAT"], "declared_count": 1, "round": 1, "table": 2, "challenger": "Ann",
        "opponent": "Ben", "play_score": 30, "out_play": false, "follows": first});
    assert_eq!(fields, slip.as_object().unwrap().keys().map(String::as_str).collect::<BTreeSet<_>>());
    assert_eq!(schema["required"], json!(["words"]));
    let answer = floor.file("k", slip).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    let mut read: BTreeSet<String> =
        floor.read(&floor.director, &answer).await.as_object().unwrap().keys().cloned().collect();
    // These are there only where there is something to say.
    read.extend(["free_lookup", "declared", "parts_of", "in_question"].map(str::to_owned));
    let view = described["components"]["schemas"]["SlipView"]["properties"].as_object().unwrap();
    assert_eq!(read, view.keys().cloned().collect::<BTreeSet<_>>());
}

/// The page needs nothing from elsewhere and runs under its own policy.
#[tokio::test]
async fn the_description_can_be_read_in_a_browser_without_the_internet() {
    let desk = Desk::empty();
    let server = Server::spawn(desk.demo_command("127.0.0.1:0"));
    let driver = Driver::start();
    let profile = tempfile::tempdir().unwrap();
    let browser = driver.browser(profile.path(), (1280, 800)).await;
    browser.goto(&format!("{}/api/docs", server.base)).await.unwrap();
    let path = Locator::Css("[data-path='/api/v1/slips/{id}']");
    browser.wait().for_element(path).await.expect("its scripts drew the routes");
    let elsewhere =
        "return performance.getEntriesByType('resource').filter(one => !one.name.startsWith(location.origin)).length";
    assert_eq!(browser.execute(elsewhere, vec![]).await.unwrap(), json!(0));
    browser.close().await.unwrap();
}
