//! The rule cases of `tests/scenarios`, over real HTTP: each with the rule that it pins.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use reqwest::Client;
use serde_json::{Map, Value, json};

use crate::harness::{Answer, Desk, Server};

/// One case: a tournament of its own and what happens in it.
pub struct Case {
    file: String,
    pub said: Value,
}

impl Case {
    /// The cases of a file.
    pub fn of(file: &str) -> Vec<Self> {
        let path = folder().join(format!("{file}.json"));
        let text = fs::read_to_string(&path).unwrap();
        let cases: Vec<Value> = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
        cases.into_iter().map(|said| Self { file: file.to_owned(), said }).collect()
    }

    pub fn name(&self) -> String {
        format!("{}: {}", self.file, self.said["id"].as_str().unwrap())
    }

    pub fn text(&self, field: &str) -> Option<&str> {
        self.said[field].as_str()
    }

    pub fn steps(&self) -> &[Value] {
        self.said["steps"].as_array().unwrap()
    }

    /// The roles that act in it.
    pub fn roles(&self) -> Vec<&str> {
        let mut roles: Vec<&str> = self.steps().iter().map(acts).collect();
        roles.sort_unstable();
        roles.dedup();
        roles
    }

    /// Whether time passes in it: it is played in the domain alone, since a server reads its machine's clock.
    fn needs_time(&self) -> bool {
        self.steps().iter().any(|step| !step["after_minutes"].is_null() || !step["same_play"].is_null())
    }

    /// Whether it needs a tournament of its own: stations are counted by their tables.
    fn is_apart(&self) -> bool {
        self.roles().contains(&"station")
    }

    /// The division `id` of its tournament, with its lists imported, and what was chosen for it.
    fn division(&self, desk: &Desk, lists: &mut Vec<Value>, id: &str) -> Vec<String> {
        let mut list = |field: &str| {
            let words = self.said[field].as_array()?;
            let (from, to) = match self.said["lengths"].as_array() {
                Some(lengths) => (lengths[0].as_u64().unwrap(), lengths[1].as_u64().unwrap()),
                None => (2, 15),
            };
            let alphabet = self.text("alphabet").unwrap_or("english");
            let wanted = json!([words, from, to, alphabet]);
            let known = lists.iter().position(|list| *list == wanted);
            let id = format!("L{}", known.unwrap_or(lists.len()));
            if known.is_none() {
                let words: Vec<&str> = words.iter().map(|word| word.as_str().unwrap()).collect();
                let file = desk.file(&format!("{id}.txt"), words.join("\n").as_bytes());
                let (file, lengths) = (file.to_str().unwrap().to_owned(), format!("{from}-{to}"));
                desk.done(&["lexicon", "import", &file, "--id", &id, "--lengths", &lengths, "--alphabet", alphabet]);
                lists.push(wanted);
            }
            Some(id)
        };
        let main = list("lexicon").unwrap();
        let second = list("second").map(|id| format!(":{id}")).unwrap_or_default();
        let division = format!("{id}:{main}:{}{second}", self.text("ruleset").unwrap());
        let chosen = self.said["set"].as_object().cloned().unwrap_or_default();
        let chosen = chosen.iter().map(|(key, value)| format!("{id}.{key}={}", value.to_string().trim_matches('"')));
        let set = chosen.flat_map(|pair| ["--set".to_owned(), pair]);
        ["--division".to_owned(), division].into_iter().chain(set).collect()
    }
}

/// A tournament with a division for each of these cases, and the tokens of its people.
fn set_up(
    desk: &Desk,
    lists: &mut Vec<Value>,
    tournament: &str,
    cases: &[(String, &Case)],
) -> BTreeMap<String, String> {
    let divisions: Vec<String> = cases.iter().flat_map(|(id, case)| case.division(desk, lists, id)).collect();
    let mut create = vec!["tournament", "create", tournament, "--title", tournament];
    create.extend(divisions.iter().map(String::as_str));
    desk.done(&create);
    let roles: BTreeSet<&str> = cases.iter().flat_map(|(_, case)| case.roles()).collect();
    let token = |role: &str| {
        let name = format!("{role} of {tournament}");
        let kind = role.trim_end_matches(char::is_numeric);
        let mut create = vec!["token", "create", "--role", kind, "--tournament", tournament, "--name", &name];
        if kind == "client" {
            create.extend(["--per-minute", "6000"]);
        }
        (role.to_owned(), desk.done(&create).trim().to_owned())
    };
    roles.into_iter().map(token).collect()
}

/// Who acts in a step.
pub fn acts(step: &Value) -> &str {
    step["as"].as_str().unwrap_or(match step["do"].as_str().unwrap() {
        "slip" | "review" => "client",
        "opinion" => "director2",
        "read" | "rules" | "director-ruling" | "round" | "compensate" | "incident" => "director",
        _ => "judge",
    })
}

/// A case under way.
struct Play<'a> {
    desk: &'a Desk,
    ruleset: &'a str,
    http: &'a Client,
    base: &'a str,
    tournament: &'a str,
    /// The division that the case calls A.
    division: &'a str,
    /// The place of the case among those of its file.
    place: usize,
    tokens: &'a BTreeMap<String, String>,
    /// The address of the slip that was filed last.
    slip: String,
    /// The id of the review that was opened last.
    review: String,
    /// The ids of the slips that were filed, in their order.
    filed: Vec<String>,
}

impl Play<'_> {
    async fn step(&mut self, number: usize, step: &Value) -> Answer {
        let (token, mut request) = (&self.tokens[acts(step)], step["request"].as_object().cloned().unwrap_or_default());
        if request.get("division") == Some(&json!("A")) {
            request.insert("division".to_owned(), json!(self.division));
        }
        match step["do"].as_str().unwrap() {
            "slip" => {
                let mut slip = self.at_table(number, step);
                slip.extend(request);
                self.follow(&mut slip);
                let path = format!("/api/v1/tournaments/{}/slips", self.tournament);
                let answer = self.post(token, number, &path, slip).await;
                self.turn_to(&answer);
                answer
            }
            "dispose" | "paper" => {
                let mut body = self.at_table(number, step);
                body.extend(request);
                if body.get("kind") == Some(&json!("abandoned")) {
                    body.retain(|_, value| !value.is_null());
                }
                let route = if step["do"] == "paper" { "paper-rulings" } else { "dispositions" };
                let path = format!("/api/v1/tournaments/{}/{route}", self.tournament);
                let answer = self.post(token, number, &path, body).await;
                self.turn_to(&answer);
                answer
            }
            "round" => {
                request.entry("division").or_insert_with(|| json!(self.division));
                self.post(token, number, &format!("/api/v1/tournaments/{}/rounds", self.tournament), request).await
            }
            "review" => {
                let answer = self.post(token, number, &format!("{}/reviews", self.slip), request).await;
                if answer.status == 201 {
                    answer.json()["review"].as_str().unwrap().clone_into(&mut self.review);
                }
                answer
            }
            "adjudicate-review" => {
                self.post(token, number, &format!("/api/v1/reviews/{}/adjudications", self.review), request).await
            }
            "read" => {
                let request = self.http.get(self.url(&self.slip)).bearer_auth(token);
                let mut answer = Answer::of(request.send().await.unwrap()).await;
                for (place, id) in self.filed.iter().enumerate() {
                    answer.body = answer.body.replace(id, &format!("slip {}", place + 1));
                }
                answer
            }
            "rules" => self.rules(),
            verb => {
                let route = match verb {
                    "correct" => "corrections",
                    "adjudicate-slip" => "adjudications",
                    "release" => "release",
                    "lapse" => "lapse",
                    "dispose-slip" => "dispositions",
                    "director-ruling" => "rulings",
                    "opinion" => "opinions",
                    "compensate" => "compensations",
                    other => panic!("no step {other}"),
                };
                self.post(token, number, &format!("{}/{route}", self.slip), request).await
            }
        }
    }

    /// The ruleset, as the command line shows it.
    fn rules(&self) -> Answer {
        let body = self.desk.done(&["ruleset", "show", self.ruleset, "--json"]);
        Answer { status: 200, body, location: None, replayed: false, headers: Vec::new() }
    }

    /// What every challenge says of its place, unless the step says otherwise.
    fn at_table(&self, number: usize, step: &Value) -> Map<String, Value> {
        let mut body = Map::new();
        body.insert("division".to_owned(), json!(self.division));
        body.insert("round".to_owned(), json!(1));
        body.insert("table".to_owned(), step.get("table").cloned().unwrap_or(json!(number)));
        body
    }

    /// A slip that follows upon the last names it by its id.
    fn follow(&self, slip: &mut Map<String, Value>) {
        if slip.get("follows") == Some(&json!("last")) {
            slip.insert("follows".to_owned(), json!(self.filed.last().unwrap()));
        }
    }

    /// Every later step is about the slip that was filed last.
    fn turn_to(&mut self, answer: &Answer) {
        if let Some(location) = &answer.location {
            self.slip.clone_from(location);
            self.filed.push(location.rsplit_once('/').unwrap().1.to_owned());
        }
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    async fn post(&self, token: &str, number: usize, path: &str, body: Map<String, Value>) -> Answer {
        let request = self
            .http
            .post(self.url(path))
            .bearer_auth(token)
            .header("Idempotency-Key", format!("{}-{number}", self.place));
        Answer::of(request.json(&Value::Object(body)).send().await.unwrap()).await
    }
}

/// Whether what was found is what was expected: objects by the expected fields, lists in any order.
pub fn fits(expected: &Value, found: &Value) -> bool {
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

/// What of an expectation an answer does not meet.
fn unmet(expect: &Map<String, Value>, answer: &Answer) -> Vec<String> {
    let found = answer.json();
    let is_met = |field: &str, expected: &Value| match field {
        "status" => *expected == json!(answer.status),
        "body" => same(expected, &found),
        "problem" => answer.status >= 400 && *expected == json!(answer.problem()),
        "adjudication_count" => *expected == json!(found["adjudications"].as_array().map(Vec::len)),
        _ => fits(expected, &found[field]),
    };
    let unmet = expect.iter().filter(|(field, expected)| !is_met(field, expected));
    unmet.map(|(field, expected)| format!("{field} should be {expected}: {} {}", answer.status, answer.body)).collect()
}

/// Whether two bodies are the same, but for the order of lists.
pub fn same(expected: &Value, found: &Value) -> bool {
    match (expected, found) {
        (Value::Object(one), Value::Object(other)) => one.len() == other.len() && fits(expected, found),
        _ => fits(expected, found),
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios")
}

/// A division for each case of a file, and everything that happens in it.
async fn every_case_comes_out_as_its_rule_says(file: &str) {
    let mut cases = Case::of(file);
    cases.retain(|case| !case.needs_time());
    let desk = Desk::empty();
    desk.done(&["init"]);
    let named = |(place, case)| (format!("D{place}"), case);
    let (apart, together): (Vec<_>, Vec<_>) =
        cases.iter().enumerate().map(named).partition(|(_, case)| case.is_apart());
    let mut groups: Vec<Vec<(String, &Case)>> = apart.into_iter().map(|case| vec![case]).collect();
    groups.push(together);
    groups.retain(|group| !group.is_empty());
    let mut lists = Vec::new();
    let tournament = |place: usize| format!("t{place}");
    let groups = groups.into_iter().enumerate().map(|(place, group)| {
        let tokens = set_up(&desk, &mut lists, &tournament(place), &group);
        (tournament(place), tokens, group)
    });
    let groups: Vec<_> = groups.collect();
    let (server, http) = (Server::start(&desk), Client::new());
    let mut failed = Vec::new();
    let played =
        groups.iter().flat_map(|(tournament, tokens, group)| group.iter().map(move |case| (tournament, tokens, case)));
    for (place, (tournament, tokens, (division, case))) in played.enumerate() {
        let (slip, review, filed) = (String::new(), String::new(), Vec::new());
        let (base, ruleset, http) = (&server.base, case.text("ruleset").unwrap(), &http);
        let mut play =
            Play { desk: &desk, ruleset, http, base, tournament, division, place, tokens, slip, review, filed };
        for (number, step) in case.steps().iter().enumerate() {
            let answer = play.step(number + 1, step).await;
            let unmet = unmet(step["expect"].as_object().unwrap(), &answer);
            if !unmet.is_empty() {
                failed.push(format!("{}, step {}: {}", case.name(), number + 1, unmet.join("; ")));
                break;
            }
        }
    }
    assert_eq!(server.stop(), Some(0));
    desk.done(&["ledger", "verify"]);
    assert!(!cases.is_empty(), "{file} has no cases");
    assert!(failed.is_empty(), "{} of {} cases failed:\n{}", failed.len(), cases.len(), failed.join("\n"));
}

/// A test for each file of cases.
macro_rules! cases {
    ($($file:ident),*) => {
        $(#[tokio::test]
        async fn $file() {
            every_case_comes_out_as_its_rule_says(stringify!($file)).await;
        })*

        pub const FILES: &[&str] = &[$(stringify!($file)),*];
    };
}

cases!(
    compensations,
    contract,
    corrections,
    dispositions,
    filing,
    lapses,
    opinions,
    paper,
    penalties,
    probing,
    reviews,
    rounds,
    settling,
    texts,
    waiting
);

#[test]
fn no_file_of_cases_is_forgotten() {
    let stem = |path: PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
    let mut found: Vec<String> = crate::harness::files_below(&folder()).into_iter().map(stem).collect();
    found.sort();
    assert_eq!(found, FILES);
}
