//! HTTP from clients that send malformed, oversized, slow or unauthorized requests.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Answer, Desk, Floor, Server};

async fn send(floor: &Floor, kind: &str, body: Vec<u8>) -> Answer {
    let request = floor.post(&floor.client, "k").header("Content-Type", kind).body(body);
    Answer::of(request.send().await.unwrap()).await
}

#[tokio::test]
async fn requests_without_a_valid_token_are_refused() {
    let floor = Floor::open();
    let slips = floor.url("/api/v1/tournaments/lagos/slips");
    for request in [
        floor.http.post(&slips),
        floor.http.post(&slips).bearer_auth("wrong"),
        floor.http.post(&slips).header("Authorization", "Basic Y2xpZW50Og=="),
        floor.http.get(floor.url("/api/v1/slips/x")),
        floor.http.get(floor.url("/api/v1/lexicons")),
    ] {
        let answer = Answer::of(request.send().await.unwrap()).await;
        assert_eq!((answer.status, answer.problem().as_str()), (401, "not-signed-in"));
    }
}

#[tokio::test]
async fn an_observer_may_not_file_and_nobody_another_tournaments_slip() {
    let floor = Floor::open();
    let slip = json!({"division": "A", "words": ["CAT"]});
    let answer = floor.file_as(&floor.observer, "k", slip.clone()).await;
    assert_eq!((answer.status, answer.problem().as_str()), (403, "forbidden"));
    let elsewhere = floor.url("/api/v1/tournaments/abuja/slips");
    let request = floor.http.post(elsewhere).bearer_auth(&floor.client).header("Idempotency-Key", "k").json(&slip);
    let answer = Answer::of(request.send().await.unwrap()).await;
    assert_eq!((answer.status, answer.problem().as_str()), (404, "not-found"));
}

/// FAULTS I10
#[tokio::test]
async fn what_is_no_json_object_is_malformed() {
    let floor = Floor::open();
    let deep = format!("{{\"words\":{}{}}}", "[".repeat(6_000), "]".repeat(6_000));
    for body in [
        "",
        "{",
        "[]",
        "null",
        r#"{"division":"A","division":"A","words":["CAT"]}"#,
        r#"{"words":["CAT"]} x"#,
        "{\"words\":[NaN]}",
        r#"{"table":1e999}"#,
        r#"{"table":123456789012345678901234567890}"#,
        r#"{"words":["\ud800"]}"#,
        &deep,
    ] {
        let answer = send(&floor, "application/json", body.as_bytes().to_vec()).await;
        assert_eq!(
            (answer.status, answer.problem().as_str()),
            (400, "malformed-json"),
            "{}",
            &body[..body.len().min(50)]
        );
    }
    assert_eq!(send(&floor, "application/json", b"{\"words\":[\"\xff\"]}".to_vec()).await.status, 400);
    assert_eq!(floor.ruled().await, 0);
}

#[tokio::test]
async fn only_json_of_a_fair_size_is_read() {
    let floor = Floor::open();
    let slip = br#"{"division":"A","words":["CAT"]}"#.to_vec();
    for kind in ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", ""] {
        let answer = send(&floor, kind, slip.clone()).await;
        assert_eq!((answer.status, answer.problem().as_str()), (415, "unsupported-media-type"), "{kind}");
    }
    let mut large = slip.clone();
    large.resize(16 * 1024 + 1, b' ');
    let answer = send(&floor, "application/json", large.clone()).await;
    assert_eq!((answer.status, answer.problem().as_str()), (413, "too-large"));
    large.truncate(16 * 1024);
    assert_eq!(send(&floor, "application/json; charset=utf-8", large).await.status, 201);
}

/// FAULTS I3
#[tokio::test]
async fn a_body_that_announces_too_much_or_never_ends_is_cut_at_once() {
    let floor = Floor::open();
    let address = floor.server.base.trim_start_matches("http://").to_owned();
    let head = format!(
        "POST /api/v1/tournaments/lagos/slips HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\n\
        Idempotency-Key: k\r\nContent-Type: application/json\r\n",
        floor.client
    );
    let chunk = format!("400\r\n{}\r\n", " ".repeat(1024)).repeat(17);
    for body in ["Content-Length: 100000000\r\n\r\n".to_owned(), format!("Transfer-Encoding: chunked\r\n\r\n{chunk}")] {
        let mut stream = TcpStream::connect(&address).unwrap();
        stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).unwrap();
        assert_eq!(&answer, b"HTTP/1.1 413");
    }
    assert_eq!(floor.ruled().await, 0);
}

#[tokio::test]
async fn a_route_takes_its_methods_only() {
    let floor = Floor::open();
    let slips = floor.url("/api/v1/tournaments/lagos/slips");
    for request in [
        floor.http.get(&slips),
        floor.http.put(&slips),
        floor.http.delete(&slips),
        floor.http.post(floor.url("/api/v1/lexicons")),
    ] {
        let answer = Answer::of(request.bearer_auth(&floor.director).send().await.unwrap()).await;
        assert_eq!((answer.status, answer.problem().as_str()), (405, "method-not-allowed"));
    }
    let deleted = floor.challenge(1, "CAT").await.location.unwrap();
    let answer =
        Answer::of(floor.http.delete(floor.url(&deleted)).bearer_auth(&floor.director).send().await.unwrap()).await;
    assert_eq!(answer.status, 405, "nothing can be deleted");
}

#[tokio::test]
async fn every_answer_carries_the_security_headers() {
    let floor = Floor::open();
    for path in ["/", "/station", "/healthz", "/api/v1/nothing", "/nothing", "/static/station.css"] {
        let answer = floor.get(&floor.client, path).await;
        let policy = answer.header("content-security-policy").unwrap_or_else(|| panic!("{path}: no policy"));
        assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{path}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"), "{path}");
        assert_eq!(answer.header("server"), None, "{path}");
        assert!(answer.header("cache-control").is_some(), "{path}");
    }
}

#[tokio::test]
async fn a_server_that_nobody_set_up_says_so() {
    let desk = Desk::empty();
    let server = Server::start(&desk);
    let get = async |path: &str| Answer::of(reqwest::get(format!("{}{path}", server.base)).await.unwrap()).await;
    assert_eq!(get("/healthz").await.status, 200);
    assert_eq!(get("/readyz").await.status, 200);
    for path in ["/api/v1/lexicons", "/api/v1/nothing"] {
        let answer = get(path).await;
        assert_eq!((answer.status, answer.problem().as_str()), (503, "not-set-up"), "{path}");
    }
    let front = get("/").await;
    assert_eq!((front.status, front.body.contains("not set up")), (200, true));
}

#[tokio::test]
async fn the_lexica_are_listed_with_what_they_are() {
    let floor = Floor::open();
    let listed = floor.get(&floor.client, "/api/v1/lexicons").await.json();
    let lexica = listed["lexicons"].as_array().unwrap();
    let by_id = |id: &str| lexica.iter().find(|lexicon| lexicon["id"] == id).unwrap();
    let mut ours = by_id("T").clone();
    ours["fingerprint"] = Value::Null;
    assert_eq!(
        ours,
        json!({"id": "T", "title": "Test list", "edition": "1", "language": "en", "alphabet": "english",
        "lengths": [2, 15], "words": 14, "fingerprint": null, "state": "active"})
    );
    let open = by_id("wordnik");
    assert_eq!((&open["state"], &open["words"]), (&json!("imported"), &json!(194_152)));
    assert!(open["title"].as_str().unwrap().contains("open word list, not a tournament list"));
}

#[tokio::test]
async fn a_slow_or_broken_request_is_cut_and_others_are_served() {
    let floor = Floor::open();
    let address = floor.server.base.trim_start_matches("http://").to_owned();
    let mut slow: Vec<TcpStream> = (0..50).map(|_| TcpStream::connect(&address).unwrap()).collect();
    for (number, stream) in slow.iter_mut().enumerate() {
        // A third sends nothing, a third half a head, a third a head without its body.
        let sent: &[u8] = match number % 3 {
            0 => b"",
            1 => b"POST /api/v1/tournaments/lagos/slips HTTP/1.1\r\nHost: x\r\nX-Half",
            _ => b"POST /station/words HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 50\r\n\r\ntable=",
        };
        stream.write_all(sent).unwrap();
    }
    assert_eq!(floor.challenge(1, "CAT").await.status, 201);
    for mut stream in slow {
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).expect("the server ends the connection");
    }
}

#[tokio::test]
async fn a_stop_writes_what_was_accepted_and_exits_well() {
    let floor = Floor::open();
    let mut keys = Vec::new();
    for table in 1..=20 {
        let answer = floor.challenge(table, "CAT QI").await;
        keys.push((table, answer.location.unwrap()));
    }
    let Floor { desk, server, client, .. } = floor;
    assert_eq!(server.stop(), Some(0));
    assert!(desk.done(&["ledger", "verify"]).contains("lagos: whole, 22 entries"));
    let server = Server::start(&desk);
    for (_, location) in keys {
        let read =
            reqwest::Client::new().get(format!("{}{location}", server.base)).bearer_auth(&client).send().await.unwrap();
        assert_eq!(read.status(), 200);
    }
}
