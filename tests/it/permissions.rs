//! Every route, every method, every kind of asker: each gets in where docs/api.md says so, and nowhere else.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use reqwest::redirect::Policy;
use reqwest::{Client, Method};

use crate::harness::Floor;
use crate::people::{Browser, staff};

const METHODS: [Method; 5] = [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE];
const ROLES: [&str; 5] = ["station", "judge", "director", "observer", "client"];

/// The routes of the router, as its source has them.
fn routes() -> BTreeSet<String> {
    let source = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/web.rs")).unwrap();
    source.split(".route(").skip(1).map(|rest| rest.split('"').nth(1).unwrap().to_owned()).collect()
}

/// Who may use a route by a method, as the manual's table says.
fn manual() -> BTreeMap<(String, Method), String> {
    let manual = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/api.md")).unwrap();
    let (_, table) = manual.split_once("| route | method | who | what |").unwrap();
    let mut all = BTreeMap::new();
    for row in table.lines().skip(2).take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        for method in cells[2].split(", ") {
            let key = (cells[1].trim_matches('`').to_owned(), method.parse().unwrap());
            assert!(all.insert(key, cells[3].to_owned()).is_none(), "twice in the manual: {row}");
        }
    }
    all
}

/// Whether the manual's words let a role in; `None` is a caller without a role.
fn lets_in(who: &str, role: Option<&str>) -> bool {
    match (who, role) {
        ("public" | "this machine, or every token", _) => true,
        ("a station's browser", _) | (_, None) => false,
        (_, Some(_)) if who.starts_with("every") => true,
        (_, Some(role)) => who.split(", ").any(|one| one.split(' ').next() == Some(role)),
    }
}

/// The session cookies of directors: one that is in use, one that was idle for too long, one that is too old.
async fn sessions(floor: &Floor) -> [String; 3] {
    let sign_in = async |name: &str| {
        let passphrase = staff(&floor.desk, name, "director", &[]);
        let mut browser = Browser::of(&floor.server.base);
        assert_eq!(browser.sign_in(name, &passphrase).await.status, 303);
        format!("adjudge-session={}", browser.cookies["adjudge-session"])
    };
    let database = floor.desk.database().await;
    let old = sign_in("Olga").await;
    database.execute("UPDATE session SET began_us = began_us - 57600000000").await.unwrap();
    let idle = sign_in("Ilse").await;
    let passed = "UPDATE session SET seen_us = seen_us - 14400000000 WHERE began_us = seen_us";
    assert_eq!(database.execute(passed).await.unwrap(), 1);
    database.close().await;
    [sign_in("Lena").await, idle, old]
}

#[tokio::test]
async fn routes_admit_exactly_the_documented_roles() {
    let floor = Floor::open();
    floor.desk.done(&["tournament", "create", "abuja", "--title", "Abuja", "--division", "A:T:wespa"]);
    let other = floor.desk.done(&["token", "create", "--role", "director", "--tournament", "abuja", "--name", "other"]);
    let revoked = floor.desk.token("director", "gone");
    floor.desk.done(&["token", "revoke", "gone"]);
    let has_other = || async {
        floor.get(other.trim(), "/api/v1/lexicons").await.status == 200
            && floor.get(&revoked, "/api/v1/lexicons").await.status == 401
    };
    assert!(crate::harness::soon(has_other).await);
    let [live, idle, old] = sessions(&floor).await;
    let tokens = [&floor.station, &floor.judge, &floor.director, &floor.observer, &floor.client];
    let http = Client::builder().redirect(Policy::none()).build().unwrap();
    let ask = async |method: &Method, path: &str, secret: Option<&str>| {
        let mut request = http.request(method.clone(), floor.url(path)).header("Origin", &floor.server.base);
        request = match secret {
            Some(cookie) if cookie.starts_with("adjudge-session=") => request.header("Cookie", cookie),
            Some(token) => request.bearer_auth(token),
            None => request,
        };
        // Streams have no end: the head of the answer is enough.
        let answer = request.send().await.unwrap();
        let to = answer.headers().get("location").map(|to| to.to_str().unwrap().to_owned());
        // A caller without a session is sent to sign in.
        if to.as_deref() == Some("/sign-in") && path != "/first-run" { 401 } else { answer.status().as_u16() }
    };
    let manual = manual();
    let mut wrong = Vec::new();
    for route in routes().union(&BTreeSet::from(["/api/v1/openapi.json".to_owned()])) {
        let path = route
            .replace("{tournament}", "lagos")
            .replace("{division}", "A")
            .replace("{id}", "00000000-0000-7000-8000-000000000000")
            .replace("{*path}", "station.css");
        for method in METHODS {
            let Some(who) = manual.get(&(route.clone(), method.clone())) else {
                for token in [None, Some(floor.director.as_str())] {
                    let status = ask(&method, &path, token).await;
                    if status != 405 {
                        wrong.push(format!("{method} {route} is not in the manual and answers {status}"));
                    }
                }
                continue;
            };
            let mut askers = vec![
                ("nobody", None, lets_in(who, None)),
                ("a revoked token", Some(revoked.as_str()), lets_in(who, None)),
                ("an idle session", Some(idle.as_str()), lets_in(who, None)),
                ("an old session", Some(old.as_str()), lets_in(who, None)),
            ];
            let nobodies: Vec<&str> = askers.iter().map(|(name, ..)| *name).collect();
            // That the other two are refused for their age, one in use shows. It is not signed out on the way.
            if route != "/sign-out" {
                askers.push(("a director's session", Some(live.as_str()), lets_in(who, Some("director"))));
            }
            askers.extend(
                ROLES.iter().zip(tokens).map(|(role, token)| (*role, Some(token.as_str()), lets_in(who, Some(role)))),
            );
            for (name, token, may) in askers {
                // A station's pages are for its browser, and a judging that cannot be is a page as well.
                let status = ask(&method, &path, token).await;
                let is_in = status != 401 && status != 403;
                let is_told = !nobodies.contains(&name) || who == "a station's browser" || status == 401;
                if is_in != may || !is_in && !is_told {
                    wrong.push(format!("{method} {route} for {who}: {name} gets {status}"));
                }
            }
            if route.contains("{tournament}") {
                let status = ask(&method, &path, Some(other.trim())).await;
                if status != 404 && lets_in(who, Some("director")) {
                    wrong.push(format!("{method} {route}: another tournament's director gets {status}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
