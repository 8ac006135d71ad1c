//! Tokens and devices are known at their first use, and requests with unknown secrets cost little.

use crate::harness::{Desk, Floor, Server, soon};
use crate::people::{Browser, station};

/// What README does: make a token and use it, at once.
#[tokio::test]
async fn a_token_is_known_at_its_first_use() {
    let floor = Floor::open();
    for number in 0..12 {
        let token = floor.desk.token("client", &format!("results desk {number}"));
        let answer = floor.get(&token, "/api/v1/lexicons").await;
        assert_eq!(answer.status, 200, "token {number}: {}", answer.body);
    }
}

#[tokio::test]
async fn the_first_token_of_a_new_server_is_known_at_its_first_use() {
    let desk = Desk::ready();
    let server = Server::start(&desk);
    let ask = async |token: &str| {
        let request = reqwest::Client::new().get(format!("{}/api/v1/lexicons", server.base)).bearer_auth(token);
        request.send().await.unwrap().status().as_u16()
    };
    assert_eq!(ask("nobody").await, 503, "not set up");
    let token = desk.token("director", "my laptop");
    assert_eq!(ask(&token).await, 200);
    assert_eq!(ask("nobody").await, 401);
}

/// A device that was paired at one server is known at its first use to another one on the same database.
#[tokio::test]
async fn a_device_is_known_at_its_first_use() {
    let floor = Floor::open();
    // Two servers share Postgres only.
    let Some(database) = &floor.desk.postgres else { return };
    let other = Desk::on_database(database);
    other.done(&["init", "--join", floor.desk.data().join("keys/signing.key").to_str().unwrap()]);
    let other = Server::start(&other);
    for number in 0..6 {
        let code = station(&floor.desk, &format!("Station {number}"), &["--division", "A"]);
        let mut browser = Browser::of(&floor.server.base);
        assert_eq!(browser.post("/pair", &[("code", &code)]).await.to.as_deref(), Some("/station"));
        browser.base.clone_from(&other.base);
        assert_eq!(browser.get("/station").await.status, 200, "device {number}");
    }
}

/// However often strangers ask, the ledger is read for them so many times a minute; a new token is then known within a
/// second, as ever.
#[tokio::test]
async fn strangers_are_refused_and_new_tokens_are_known_all_the_same() {
    let floor = Floor::open();
    for number in 0..150 {
        assert_eq!(floor.get(&format!("stranger-{number}"), "/api/v1/lexicons").await.status, 401);
    }
    let token = floor.desk.token("client", "late");
    assert!(soon(|| async { floor.get(&token, "/api/v1/lexicons").await.status == 200 }).await);
    let mut browser = Browser::of(&floor.server.base);
    let code = station(&floor.desk, "Station 9", &["--division", "A"]);
    assert_eq!(browser.post("/pair", &[("code", &code)]).await.to.as_deref(), Some("/station"));
    assert_eq!(browser.get("/station").await.status, 200);
}
