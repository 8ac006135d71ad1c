//! What a refusal of the API says: what is wrong, and what to do. Slugs and statuses are the contract's.

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{Answer, Floor};

async fn ask(floor: &Floor, method: Method, token: Option<&str>, path: &str, body: Option<&str>) -> Answer {
    let mut request = floor.http.request(method, floor.url(path)).header("Idempotency-Key", "p");
    if let Some(token) = token {
        request = request.bearer_auth(token);
    }
    if let Some(body) = body {
        request = request.header("Content-Type", "application/json").body(body.to_owned());
    }
    Answer::of(request.send().await.unwrap()).await
}

fn detail(answer: &Answer) -> String {
    answer.json()["detail"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_401_tells_an_unknown_token_from_none() {
    let floor = Floor::open();
    let revoked = floor.desk.token("client", "revoked");
    assert_eq!(floor.get(&revoked, "/api/v1/lexicons").await.status, 200);
    floor.desk.done(&["token", "revoke", "revoked"]);
    for token in [revoked.as_str(), "made-up"] {
        let gone = crate::harness::soon(|| async { floor.get(token, "/api/v1/lexicons").await.status == 401 });
        assert!(gone.await);
        let answer = ask(&floor, Method::GET, Some(token), "/api/v1/lexicons", None).await;
        assert_eq!((answer.status, answer.problem()), (401, "not-signed-in".to_owned()));
        assert_eq!(detail(&answer), "this token is unknown or was revoked");
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
    }
    let answer = ask(&floor, Method::GET, None, "/api/v1/lexicons", None).await;
    assert_eq!((answer.status, answer.problem()), (401, "not-signed-in".to_owned()));
    assert_eq!(detail(&answer), "sign in, or send a token: Authorization: Bearer TOKEN");
}

#[tokio::test]
async fn a_404_says_that_a_token_belongs_to_one_tournament() {
    let floor = Floor::open();
    for path in ["/api/v1/tournaments/abuja/audit", "/api/v1/nothing", "/api/v1/slips/none"] {
        let answer = ask(&floor, Method::GET, Some(&floor.director), path, None).await;
        assert_eq!((answer.status, answer.problem()), (404, "not-found".to_owned()), "{path}");
        assert_eq!(detail(&answer), "not found, or not visible with this token (a token belongs to one tournament)");
    }
}

#[tokio::test]
async fn a_403_names_the_roles_that_may() {
    let floor = Floor::open();
    for (token, path, wanted) in [
        (&floor.client, "audit", "this is for the role director or observer, and you are client"),
        (&floor.client, "queue", "this is for the role judge or director, and you are client"),
    ] {
        let answer = ask(&floor, Method::GET, Some(token), &format!("/api/v1/tournaments/lagos/{path}"), None).await;
        assert_eq!(
            (answer.status, answer.problem(), detail(&answer)),
            (403, "forbidden".to_owned(), wanted.to_owned())
        );
    }
    let path = "/api/v1/tournaments/lagos/slips";
    let answer = ask(&floor, Method::POST, Some(&floor.observer), path, Some("{}")).await;
    assert_eq!(answer.status, 403);
    assert_eq!(detail(&answer), "this is for the role station or judge or director or client, and you are observer");
}

#[tokio::test]
async fn a_405_names_the_methods() {
    let floor = Floor::open();
    for (method, path, methods) in [
        (Method::GET, "/api/v1/tournaments/lagos/slips", "POST"),
        (Method::DELETE, "/api/v1/tournaments/lagos/incidents", "GET and POST"),
        (Method::POST, "/api/v1/tournaments/lagos/divisions/A", "PUT"),
    ] {
        let answer = ask(&floor, method, Some(&floor.director), path, None).await;
        assert_eq!((answer.status, answer.problem()), (405, "method-not-allowed".to_owned()), "{path}");
        assert_eq!(detail(&answer), format!("this address takes {methods} only"));
        let allowed = answer.header("allow").unwrap().to_owned();
        assert!(methods.split(" and ").all(|method| allowed.contains(method)), "{allowed}");
    }
    let page = floor.http.get(floor.url("/sign-out")).send().await.unwrap();
    assert_eq!(page.status(), 405);
    assert!(page.text().await.unwrap().contains("takes forms only"));
}

#[tokio::test]
async fn an_empty_body_is_called_empty() {
    let floor = Floor::open();
    let path = "/api/v1/tournaments/lagos/slips";
    let answer = ask(&floor, Method::POST, Some(&floor.client), path, None).await;
    assert_eq!((answer.status, answer.problem()), (415, "unsupported-media-type".to_owned()));
    assert!(detail(&answer).starts_with("the body is empty: send a JSON object"), "{}", detail(&answer));
    let answer = ask(&floor, Method::POST, Some(&floor.client), path, Some("")).await;
    assert_eq!((answer.status, answer.problem()), (400, "malformed-json".to_owned()));
    assert!(detail(&answer).contains("it is empty"), "{}", detail(&answer));
    let sent = json!({"division": "A", "table": 1, "words": ["CAT"]});
    let answer: Value = floor.file("p", sent).await.json();
    assert_eq!(answer, json!({"ruling": "acceptable"}), "the key stays free");
}
