//! The rule cases of `tests/scenarios`, over real HTTP: each with the rule that it pins.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use reqwest::Client;
use serde_json::{Map, Value, json};

use crate::floor::{Answer, Desk, Server};

/// What this version can do; a case with another step waits for it, and is counted below.
const VERBS: [&str; 4] = ["slip", "read", "adjudicate-slip", "director-ruling"];

/// One case: a tournament of its own and what happens in it.
struct Case {
    file: String,
    said: Value,
}

impl Case {
    fn all() -> Vec<Self> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
        let mut files = crate::floor::files_below(&folder);
        files.sort();
        let cases = files.iter().flat_map(|path| {
            let text = fs::read_to_string(path).unwrap();
            let cases: Vec<Value> =
                serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let file = path.file_name().unwrap().to_str().unwrap().to_owned();
            cases.into_iter().map(move |said| Self { file: file.clone(), said }).collect::<Vec<_>>()
        });
        cases.collect()
    }

    fn name(&self) -> String {
        format!("{}: {}", self.file, self.said["id"].as_str().unwrap())
    }

    fn text(&self, field: &str) -> Option<&str> {
        self.said[field].as_str()
    }

    fn steps(&self) -> &[Value] {
        self.said["steps"].as_array().unwrap()
    }

    fn can_run(&self) -> bool {
        self.steps().iter().all(|step| VERBS.contains(&step["do"].as_str().unwrap()))
    }

    /// Whoever acts in it.
    fn roles(&self) -> Vec<&str> {
        let mut roles: Vec<&str> = self.steps().iter().map(acts).collect();
        roles.sort_unstable();
        roles.dedup();
        roles
    }

    /// Makes its tournament and gives the tokens of its people.
    fn set_up(&self, desk: &Desk, tournament: &str) -> BTreeMap<String, String> {
        let list = |field: &str, id: &str| {
            let words: Vec<&str> = self.said[field].as_array()?.iter().map(|word| word.as_str().unwrap()).collect();
            let file = desk.file(&format!("{id}.txt"), words.join("\n").as_bytes());
            let [from, to] = match self.said["lengths"].as_array() {
                Some(lengths) => [lengths[0].as_u64().unwrap(), lengths[1].as_u64().unwrap()],
                None => [2, 15],
            };
            let alphabet = self.text("alphabet").unwrap_or("english");
            let (file, lengths) = (file.to_str().unwrap().to_owned(), format!("{from}-{to}"));
            desk.done(&["lexicon", "import", &file, "--id", id, "--lengths", &lengths, "--alphabet", alphabet]);
            Some(id.to_owned())
        };
        let main = list("lexicon", &format!("L-{tournament}")).unwrap();
        let second = list("second", &format!("S-{tournament}")).map(|id| format!(":{id}")).unwrap_or_default();
        let division = format!("A:{main}:{}{second}", self.text("ruleset").unwrap());
        let chosen = self.said["set"].as_object().cloned().unwrap_or_default();
        let chosen = chosen.iter().map(|(key, value)| format!("A.{key}={}", value.to_string().trim_matches('"')));
        // Cases are filed by clients; the station's own switch is not what they are about.
        let set: Vec<String> = chosen.flat_map(|pair| ["--set".to_owned(), pair]).collect();
        let mut create = vec!["tournament", "create", tournament, "--title", tournament, "--division", &division];
        create.extend(set.iter().map(String::as_str));
        desk.done(&create);
        let token = |role: &str| {
            let name = format!("{role} of {tournament}");
            let kind = role.trim_end_matches(char::is_numeric);
            let create = ["token", "create", "--role", kind, "--tournament", tournament, "--name", &name];
            (role.to_owned(), desk.done(&create).trim().to_owned())
        };
        self.roles().into_iter().map(token).collect()
    }
}

/// Who acts in a step.
fn acts(step: &Value) -> &str {
    step["as"].as_str().unwrap_or(match step["do"].as_str().unwrap() {
        "slip" | "review" => "client",
        "opinion" => "director2",
        "read" | "director-ruling" | "round" | "compensate" => "director",
        _ => "judge",
    })
}

/// A case under way.
struct Play<'a> {
    http: &'a Client,
    base: &'a str,
    tournament: &'a str,
    tokens: &'a BTreeMap<String, String>,
    /// The address of the slip that was filed last.
    slip: String,
}

impl Play<'_> {
    async fn step(&mut self, number: usize, step: &Value) -> Answer {
        let (token, request) = (&self.tokens[acts(step)], step["request"].as_object().cloned().unwrap_or_default());
        match step["do"].as_str().unwrap() {
            "slip" => {
                let mut slip = Map::new();
                slip.insert("division".to_owned(), json!("A"));
                slip.insert("round".to_owned(), json!(1));
                slip.insert("table".to_owned(), step.get("table").cloned().unwrap_or(json!(number)));
                slip.extend(request);
                let path = format!("/api/v1/tournaments/{}/slips", self.tournament);
                let answer = self.post(token, number, &path, slip).await;
                if let Some(location) = &answer.location {
                    self.slip.clone_from(location);
                }
                answer
            }
            "adjudicate-slip" => self.post(token, number, &format!("{}/adjudications", self.slip), request).await,
            "director-ruling" => self.post(token, number, &format!("{}/rulings", self.slip), request).await,
            "read" => Answer::of(self.http.get(self.url(&self.slip)).bearer_auth(token).send().await.unwrap()).await,
            other => panic!("no step {other}"),
        }
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    async fn post(&self, token: &str, number: usize, path: &str, body: Map<String, Value>) -> Answer {
        let request = self.http.post(self.url(path)).bearer_auth(token).header("Idempotency-Key", number.to_string());
        Answer::of(request.json(&Value::Object(body)).send().await.unwrap()).await
    }
}

/// Whether what was found is what was expected: objects by the expected fields, lists in any order.
fn fits(expected: &Value, found: &Value) -> bool {
    match (expected, found) {
        (Value::Object(expected), Value::Object(found)) => {
            expected.iter().all(|(field, value)| found.get(field).is_some_and(|found| fits(value, found)))
        }
        (Value::Array(expected), Value::Array(found)) => {
            expected.len() == found.len() && expected.iter().all(|one| found.iter().any(|other| fits(one, other)))
        }
        _ => expected == found,
    }
}

fn check(name: &str, number: usize, expect: &Map<String, Value>, answer: &Answer) {
    let found = answer.json();
    for (field, expected) in expect {
        let is_met = match field.as_str() {
            "status" => *expected == json!(answer.status),
            "body" => *expected == found,
            "problem" => *expected == json!(answer.problem()),
            "adjudication_count" => *expected == json!(found["adjudications"].as_array().unwrap().len()),
            _ => fits(expected, &found[field]),
        };
        assert!(is_met, "{name}, step {number}: {field} should be {expected}: {} {}", answer.status, answer.body);
    }
}

#[tokio::test]
async fn every_case_comes_out_as_its_rule_says() {
    let cases = Case::all();
    let (run, waiting): (Vec<&Case>, Vec<&Case>) = cases.iter().partition(|case| case.can_run());
    assert_eq!((run.len(), waiting.len()), (RUN, WAITING), "a case that can be run is run");
    let desk = Desk::empty();
    desk.done(&["init"]);
    let set_up: Vec<_> = run.iter().enumerate().map(|(place, case)| case.set_up(&desk, &format!("t{place}"))).collect();
    let (server, http) = (Server::start(&desk), Client::new());
    for (place, (case, tokens)) in run.iter().zip(&set_up).enumerate() {
        let tournament = format!("t{place}");
        let mut play = Play { http: &http, base: &server.base, tournament: &tournament, tokens, slip: String::new() };
        for (number, step) in case.steps().iter().enumerate() {
            let answer = play.step(number + 1, step).await;
            check(&case.name(), number + 1, step["expect"].as_object().unwrap(), &answer);
        }
    }
    assert_eq!(server.stop(), Some(0));
    desk.done(&["ledger", "verify"]);
}

const RUN: usize = 46;
const WAITING: usize = 24;
