//! Nothing tells which word failed. The same eight words are challenged under eight lists, each of which lacks another
//! one of them, and everything that stations, clients and judges can then reach, in every state of a slip, must be the
//! same bytes but for ids, times and the name of the list. Source: NSF II.L.5, INSA Challenges.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::process::Stdio;

use reqwest::{Client, Method};
use serde_json::{Value, json};

use crate::harness::{Answer, Desk, Server, soon};

const PLAY: [&str; 8] = ["CAT", "QI", "ZA", "JA", "DA", "AS", "AA", "ZO"];

/// Everything that was seen, with what differs for other reasons replaced.
struct Walk {
    http: Client,
    server: Server,
    tokens: BTreeMap<&'static str, String>,
    seen: Vec<String>,
    /// Ids in the order in which they were met.
    met: Vec<String>,
    sent: usize,
}

impl Walk {
    /// A tournament whose list lacks one word of the play, with its stations, clients and judges.
    fn under_a_list_without(word: &str, log: &File) -> (Desk, Self) {
        let desk = Desk::empty();
        desk.done(&["init"]);
        let words: Vec<&str> = PLAY.into_iter().chain(["CATS", "QIS"]).filter(|one| *one != word).collect();
        let list = desk.file("list.txt", words.join("\n").as_bytes());
        let id = format!("WITHOUT-{}", PLAY.iter().position(|one| *one == word).unwrap());
        desk.done(&["lexicon", "import", list.to_str().unwrap(), "--id", &id, "--lengths", "2-5"]);
        desk.done(&["tournament", "create", "lagos", "--title", "Lagos", "--division", &format!("A:{id}:naspa")]);
        let roles = ["station", "client", "judge", "director"];
        let tokens = roles.map(|role| (role, desk.token(role, role)));
        let mut serve = desk.command(&["serve", "--listen", "127.0.0.1:0"]);
        serve.env("ADJUDGE_LOG", "debug");
        let server = Server::spawn_telling(serve, Stdio::from(log.try_clone().unwrap()));
        let walk = Self {
            http: Client::new(),
            server,
            tokens: BTreeMap::from(tokens),
            seen: Vec::new(),
            met: Vec::new(),
            sent: 0,
        };
        (desk, walk)
    }

    async fn ask(&mut self, who: &str, method: Method, path: &str, body: Option<Value>) -> Answer {
        self.sent += 1;
        let request = self.http.request(method.clone(), format!("{}{path}", self.server.base));
        let request = request.bearer_auth(&self.tokens[who]).header("Idempotency-Key", format!("k{}", self.sent));
        let request = match body {
            Some(body) => request.json(&body),
            None => request,
        };
        Answer::of(request.send().await.unwrap()).await
    }

    /// Asks as a role that must not learn anything, and remembers everything that came.
    async fn see(&mut self, who: &str, method: Method, path: &str, body: Option<Value>) -> Answer {
        let answer = self.ask(who, method.clone(), path, body).await;
        let mut headers: Vec<_> = answer.headers.iter().filter(|(name, _)| name != "date").collect();
        headers.sort();
        let raw = format!("{who} {method} {path}\n{}\n{headers:?}\n{}", answer.status, answer.body);
        let plain = self.plain(&raw);
        self.seen.push(plain);
        answer
    }

    /// With ids, times and the list's name replaced.
    fn plain(&mut self, raw: &str) -> String {
        let mut plain = String::new();
        let mut rest = raw;
        while let Some(letter) = rest.chars().next() {
            let is_hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
            let id = rest.get(..36).filter(|id| is_hex(id) && id.matches('-').count() == 4);
            let time =
                rest.get(..27).filter(|time| time.ends_with('Z') && time.starts_with("20") && time.contains('T'));
            let hash = rest.get(..64).filter(|hash| hash.bytes().all(|byte| byte.is_ascii_hexdigit()));
            let (told, length) = if let Some(id) = id {
                let place = self.met.iter().position(|met| met == id).unwrap_or_else(|| {
                    self.met.push(id.to_owned());
                    self.met.len() - 1
                });
                (format!("<id {place}>"), 36)
            } else if time.is_some() {
                ("<time>".to_owned(), 27)
            } else if hash.is_some() {
                ("<hash>".to_owned(), 64)
            } else if rest.starts_with("WITHOUT-") {
                ("<list>".to_owned(), 9)
            } else {
                (letter.to_string(), letter.len_utf8())
            };
            plain.push_str(&told);
            rest = &rest[length..];
        }
        plain
    }

    async fn everybody_reads(&mut self, slip: &str) {
        for who in ["station", "client", "judge"] {
            self.see(who, Method::GET, slip, None).await;
        }
        self.see("judge", Method::GET, "/api/v1/tournaments/lagos/queue", None).await;
        for route in ["audit", "audit.csv", "statistics", "ledger", "recheck?lexicon=wordnik", "incidents"] {
            for who in ["station", "client", "judge"] {
                self.see(who, Method::GET, &format!("/api/v1/tournaments/lagos/{route}"), None).await;
            }
        }
    }

    async fn file(&mut self, who: &str, table: u32, words: &[&str]) -> String {
        let slip = json!({"division": "A", "round": 1, "table": table, "words": words});
        let filed = self.see(who, Method::POST, "/api/v1/tournaments/lagos/slips", Some(slip)).await;
        filed.location.unwrap_or_default()
    }

    async fn say(&mut self, who: &str, path: &str, body: Value) -> Answer {
        self.see(who, Method::POST, path, Some(body)).await
    }

    /// Through every state of a slip, and everything that can be said of it.
    async fn go(&mut self) {
        let review = |reason: &str| json!({"requested_by": "opponent", "reason": reason});
        // Ruled, and every way to ask about a part of it.
        let slip = self.file("station", 1, &PLAY).await;
        self.everybody_reads(&slip).await;
        for word in PLAY {
            self.file("station", 1, &[word]).await;
        }
        // The alert of rapid filing is recorded beside the answers: the numbers of later entries wait for it.
        let is_told = soon(async || {
            let ledger = self.http.get(format!("{}/api/v1/tournaments/lagos/ledger", self.server.base));
            let leaves = ledger.bearer_auth(&self.tokens["director"]).send().await.unwrap().text().await.unwrap();
            leaves.contains("\"kind\":\"station-hurries\"")
        });
        assert!(is_told.await);
        let held = self.file("client", 1, &PLAY[..4]).await;
        self.everybody_reads(&held).await;
        for words in [vec!["CATS"; 8], PLAY.to_vec(), vec!["CATS"]] {
            self.say("station", &format!("{slip}/corrections"), json!({"words": words})).await;
        }
        // Under review: a judge is blind, and looks again.
        let opened = self.say("station", &format!("{slip}/reviews"), review("disagree")).await.json();
        let opened = opened["review"].as_str().unwrap().to_owned();
        self.everybody_reads(&slip).await;
        self.say("judge", &format!("/api/v1/queue/{opened}/claim"), json!({})).await;
        let answer = format!("/api/v1/reviews/{opened}/adjudications");
        self.say("judge", &answer, json!({"method": "lookup", "words": PLAY[..7]})).await;
        self.say("judge", &answer, json!({"method": "lookup"})).await;
        self.everybody_reads(&slip).await;
        // A judge's correction of all words, and a manual look-up.
        self.say("judge", &format!("{slip}/corrections"), json!({"words": PLAY})).await;
        let opened = self.say("client", &format!("{slip}/reviews"), review("machine-doubted")).await.json();
        let manual = json!({"method": "manual", "ruling": "unacceptable", "sources": [{"title": "a book"}]});
        let path = format!("/api/v1/reviews/{}/adjudications", opened["review"].as_str().unwrap());
        self.say("judge", &path, manual.clone()).await;
        self.everybody_reads(&slip).await;
        // Lapsed, held and refused, held and released, waiting and withdrawn.
        self.say("judge", &format!("{slip}/lapse"), json!({"cause": "tiles-commingled"})).await;
        self.everybody_reads(&slip).await;
        self.say("judge", &format!("{held}/release"), json!({"decision": "same-play"})).await;
        self.everybody_reads(&held).await;
        let long = ["CAT", "QI", "ZA", "JA", "DA", "AS", "AA", "RETINAS"];
        let waits = self.file("station", 2, &long).await;
        self.everybody_reads(&waits).await;
        self.say("judge", &format!("{waits}/adjudications"), manual).await;
        self.everybody_reads(&waits).await;
        // Final, by the director.
        let other = self.file("client", 3, &PLAY).await;
        let ruling = json!({"ruling": "acceptable", "ground": "seen"});
        self.ask("director", Method::POST, &format!("{other}/rulings"), Some(ruling)).await;
        self.everybody_reads(&other).await;
        let mut turned = PLAY.to_vec();
        turned.reverse();
        self.file("judge", 4, &turned).await;
        self.say("station", "/api/v1/tournaments/lagos/test-decks", json!({"division": "A"})).await;
        self.see("client", Method::GET, "/api/v1/lexicons", None).await;
        let metrics = self.ask("client", Method::GET, "/metrics", None).await;
        // What a machine needs differs from run to run; what happened does not.
        let happened = metrics.body.lines().filter(|line| line.contains("_total") || line.contains("lexica"));
        // How often this test looked for the alert.
        let happened = happened.filter(|line| !line.contains("{tournament}/ledger\",status=\"200\""));
        let mut happened: Vec<&str> = happened.collect();
        happened.sort_unstable();
        let happened = self.plain(&happened.join("\n"));
        self.seen.push(happened);
        for who in ["judge", "station"] {
            let events = self.events(who).await;
            let events = self.plain(&events);
            self.seen.push(events);
        }
    }

    /// All events up to the last slip.
    async fn events(&self, who: &str) -> String {
        let path = "/api/v1/tournaments/lagos/events";
        let request = self.http.get(format!("{}{path}", self.server.base)).header("Last-Event-ID", "-1");
        let mut stream = request.bearer_auth(&self.tokens[who]).send().await.unwrap();
        let mut came = String::new();
        for _ in 0..500 {
            let piece = tokio::time::timeout(std::time::Duration::from_millis(1500), stream.chunk()).await;
            let Ok(Ok(Some(piece))) = piece else { break };
            came.push_str(&String::from_utf8_lossy(&piece));
        }
        came
    }
}

#[tokio::test]
async fn whichever_word_is_bad_everything_that_can_be_seen_is_the_same() {
    let mut first: Option<Vec<String>> = None;
    for word in PLAY {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let (desk, mut walk) = Walk::under_a_list_without(word, &File::create(&path).unwrap());
        walk.go().await;
        assert!(walk.seen.iter().any(|seen| seen.contains("unacceptable")), "the play was judged");
        assert_eq!(walk.server.stop(), Some(0));
        let log = fs::read_to_string(&path).unwrap();
        for played in PLAY {
            assert!(!log.contains(&format!("\"{played}\"")), "the log names a word: {log}");
        }
        drop(desk);
        let Some(seen) = &first else {
            first = Some(walk.seen);
            continue;
        };
        assert_eq!(walk.seen.len(), seen.len());
        for (this, that) in walk.seen.iter().zip(seen) {
            assert_eq!(this, that, "the bad word {word} can be told");
        }
    }
}
