//! Staff and devices: the first director, sign-in, pairing, and who may do what.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Client, Method};
use serde_json::{Value, json};

use crate::harness::{Answer, Desk, Floor, Server};

/// How long requests may take to come to the write lock that is held.
const UNTIL_THEY_WAIT: Duration = Duration::from_millis(1500);

/// A browser: it keeps cookies and says where its forms come from.
#[derive(Clone)]
pub struct Browser {
    http: Client,
    pub base: String,
    pub cookies: BTreeMap<String, String>,
}

pub struct Page {
    pub status: u16,
    pub body: String,
    pub to: Option<String>,
    pub set: Vec<String>,
}

impl Browser {
    pub fn of(base: &str) -> Self {
        let http = Client::builder().redirect(Policy::none()).build().unwrap();
        Self { http, base: base.to_owned(), cookies: BTreeMap::new() }
    }

    pub fn cookie(&self) -> String {
        self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("; ")
    }

    pub async fn ask(&mut self, method: Method, path: &str, fields: &[(&str, &str)]) -> Page {
        let mut request =
            self.http.request(method.clone(), format!("{}{path}", self.base)).header("Cookie", self.cookie());
        if method == Method::POST {
            let body: Vec<String> = fields.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
            request = request
                .header("Origin", &self.base)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .body(body.join("&"));
        }
        let response = request.send().await.unwrap();
        let headers = response.headers().clone();
        let set: Vec<String> =
            headers.get_all("set-cookie").iter().map(|value| value.to_str().unwrap().to_owned()).collect();
        for cookie in &set {
            let (name, value) = cookie.split(';').next().unwrap().split_once('=').unwrap();
            self.cookies.insert(name.to_owned(), value.to_owned());
        }
        let to = headers.get("location").map(|to| to.to_str().unwrap().to_owned());
        Page { status: response.status().as_u16(), to, set, body: response.text().await.unwrap() }
    }

    pub async fn get(&mut self, path: &str) -> Page {
        self.ask(Method::GET, path, &[]).await
    }

    pub async fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> Page {
        self.ask(Method::POST, path, fields).await
    }

    pub async fn sign_in(&mut self, name: &str, secret: &str) -> Page {
        self.post("/sign-in", &[("name", name), ("secret", secret)]).await
    }

    /// Asks the API with the browser's cookies and nothing else.
    pub async fn api(&self, method: Method, path: &str, body: Option<Value>, site: Option<&str>) -> Answer {
        let mut request = self.http.request(method, format!("{}{path}", self.base)).header("Cookie", self.cookie());
        if let Some(site) = site {
            request = request.header("Sec-Fetch-Site", site);
        }
        if let Some(body) = body {
            request = request.header("Idempotency-Key", format!("k{body}")).json(&body);
        }
        Answer::of(request.send().await.unwrap()).await
    }
}

fn encoded(value: &str) -> String {
    value.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

pub fn into_gallery(name: &str, page: &Page) {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("target/gallery");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(name), page.body.replace("\"/static/", "\"static/")).unwrap();
}

/// Staff of the tournament, and their PINs and passphrases.
pub fn staff(desk: &Desk, name: &str, role: &str, more: &[&str]) -> String {
    let add = ["staff", "add", name, "--role", role, "--tournament", "lagos"];
    desk.done(&[add.as_slice(), more].concat()).trim().to_owned()
}

pub fn station(desk: &Desk, name: &str, more: &[&str]) -> String {
    let create = ["station", "create", name, "--tournament", "lagos"];
    desk.done(&[create.as_slice(), more].concat()).trim().to_owned()
}

/// A judge's device, paired.
pub async fn tablet(floor: &Floor) -> Browser {
    let mut tablet = Browser::of(&floor.server.base);
    let code = station(&floor.desk, "Tablet", &["--tablet"]);
    assert_eq!(tablet.post("/pair", &[("code", &code)]).await.to.as_deref(), Some("/sign-in"));
    tablet
}

/// An empty folder becomes a server with a director, by the code that it printed and nothing else.
#[tokio::test]
async fn the_first_director_comes_in_by_the_printed_code_once() {
    let desk = Desk::empty();
    let command = desk.command(&["serve", "--listen", "127.0.0.1:0"]);
    let (server, said) = Server::spawn_and_hear(command, Stdio::null(), 2);
    let code = said[1].rsplit(' ').next().unwrap().trim_end_matches('.').to_owned();
    let mut browser = Browser::of(&server.base);
    for path in ["/station", "/director", "/sign-in", "/api/v1/lexicons", "/metrics"] {
        let page = browser.get(path).await;
        assert_eq!(page.status, 503, "{path}: {}", page.body);
    }
    assert_eq!((browser.get("/").await.status, browser.get("/healthz").await.status), (200, 200));
    into_gallery("first_run.html", &browser.get("/first-run").await);
    let come = |code: String, secret: &'static str| {
        [("code", code), ("name", "Dora".to_owned()), ("secret", secret.to_owned())]
    };
    let mut tries = Vec::new();
    // As often as strangers may try it, the code stays good.
    let wrong = ("0000-0000", "four plain words here");
    for (code, secret) in [wrong; 20].into_iter().chain([(code.as_str(), "too short")]) {
        let fields = come(code.to_owned(), secret);
        let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
        tries.push(browser.post("/first-run", &fields).await.status);
    }
    assert_eq!(tries, [403; 21]);
    let fields = come(code.clone(), "four plain words here");
    let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let page = browser.post("/first-run", &fields).await;
    assert_eq!((page.status, page.to.as_deref()), (303, Some("/")), "{}", page.body);
    assert!(page.set[0].contains("HttpOnly; SameSite=Strict") && page.set[0].contains("Path=/"), "{:?}", page.set);
    assert_eq!(browser.get("/").await.to.as_deref(), Some("/director"));
    let director = browser.get("/director").await;
    assert!(director.body.contains("Dora"), "{}", director.body);
    // Once: the page is gone, and so is the code.
    let mut other = Browser::of(&server.base);
    assert_eq!(other.get("/first-run").await.to.as_deref(), Some("/sign-in"));
    assert_eq!(other.post("/first-run", &fields).await.status, 404);
    assert_eq!(other.sign_in("dora", "four plain words here").await.status, 303);
    assert!(desk.done(&["ledger", "verify"]).contains("server: whole"));
}

/// A code makes one device, once; what it is survives a restart, and ending it ends it at once.
#[tokio::test]
async fn a_code_pairs_one_device_once() {
    let mut floor = Floor::open();
    let code = station(&floor.desk, "Station 3", &["--hall", "Main hall"]);
    let mut browser = Browser::of(&floor.server.base);
    assert_eq!(browser.get("/station").await.status, 403);
    into_gallery("pair.html", &browser.get("/pair").await);
    for wrong in ["", "0000-0000", "not a code"] {
        assert_eq!(browser.post("/pair", &[("code", wrong)]).await.status, 403);
    }
    // However it is typed; of two devices that show it at once one is paired.
    let typed = code.replace('-', " ").to_lowercase();
    let mut rival = Browser::of(&floor.server.base);
    let fields = [("code", typed.as_str())];
    let (one, two) = tokio::join!(browser.post("/pair", &fields), rival.post("/pair", &fields));
    let mut statuses = [one.status, two.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [303, 403]);
    let mut station = if one.status == 303 { browser } else { rival };
    assert_eq!(station.get("/").await.to.as_deref(), Some("/station"));
    assert!(station.get("/station").await.body.contains("Station 3"));
    let slip = json!({"division": "A", "table": 7, "words": ["CAT"]});
    let path = "/api/v1/tournaments/lagos/slips";
    for foreign in [None, Some("cross-site"), Some("same-site")] {
        let refused = station.api(Method::POST, path, Some(slip.clone()), foreign).await;
        assert_eq!((refused.status, refused.problem().as_str()), (403, "forbidden"), "{foreign:?}");
    }
    let filed = station.api(Method::POST, path, Some(slip), Some("same-origin")).await;
    assert_eq!(filed.status, 201, "{}", filed.body);
    assert_eq!(floor.read(&floor.director, &filed).await["adjudications"][0]["by"], json!("Station 3"));
    floor.close();
    floor.reopen();
    station.base.clone_from(&floor.server.base);
    assert_eq!(station.get("/station").await.status, 200);
    // A new code makes another browser the same device, and the first one is none any more.
    let again = floor.desk.done(&["station", "code", "station 3"]);
    let mut moved = Browser::of(&floor.server.base);
    assert_eq!(moved.post("/pair", &[("code", again.trim())]).await.status, 303);
    assert_eq!((moved.get("/station").await.status, station.get("/station").await.status), (200, 403));
    let own = moved.api(Method::GET, filed.location.as_ref().unwrap(), None, None).await;
    assert_eq!(own.status, 200, "its slips stay its own");
    floor.desk.done(&["station", "revoke", "Station 3"]);
    let path = floor.url("/station");
    let is_ended = || async {
        let cookie = moved.cookie();
        floor.http.get(&path).header("Cookie", cookie).send().await.unwrap().status() == 403
    };
    assert!(crate::harness::soon(is_ended).await);
    assert!(floor.desk.done(&["ledger", "verify"]).contains("server: whole"));
}

/// Five wrong tries of a code, and it is good for nothing.
#[tokio::test]
async fn a_code_that_was_guessed_at_is_dead() {
    let floor = Floor::open();
    let code = station(&floor.desk, "Station 3", &[]);
    let mut browser = Browser::of(&floor.server.base);
    let digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    for digit in digits.chars().filter(|digit| !code.ends_with(*digit)).take(5) {
        let guess = format!("{}{digit}", &code[..8]);
        assert_eq!(browser.post("/pair", &[("code", &guess)]).await.status, 403);
    }
    assert_eq!(browser.post("/pair", &[("code", &code)]).await.status, 403);
}

/// A code from a printed sheet makes nothing before the director says so.
#[tokio::test]
async fn a_printed_code_waits_for_the_director() {
    let floor = Floor::open();
    let passphrase = staff(&floor.desk, "Dora", "director", &[]);
    let code = station(&floor.desk, "Station 3", &["--sheet"]);
    let mut browser = Browser::of(&floor.server.base);
    assert_eq!(browser.post("/pair", &[("code", &code)]).await.to.as_deref(), Some("/pair?waiting"));
    let waits = browser.get("/pair").await;
    assert!(waits.body.contains("A director must confirm it"), "{}", waits.body);
    into_gallery("waits.html", &waits);
    assert_eq!(browser.get("/station").await.status, 403);
    let mut director = Browser::of(&floor.server.base);
    director.sign_in("Dora", &passphrase).await;
    let desk = director.get("/director").await;
    let (_, rest) = desk.body.split_once("/director/devices/").unwrap();
    let id = rest.split('/').next().unwrap().to_owned();
    assert_eq!(browser.get("/pair?waiting").await.status, 200);
    assert_eq!(director.post(&format!("/director/devices/{id}/confirm"), &[]).await.status, 303);
    assert_eq!(browser.get("/pair?waiting").await.to.as_deref(), Some("/station"));
    assert_eq!(browser.get("/station").await.status, 200);
}

/// A judge signs in at a paired device only; wrong PINs elsewhere do not lock the judge out, at the judge's device they do.
#[tokio::test]
async fn a_pin_is_good_at_a_paired_device_and_dies_by_guessing() {
    let floor = Floor::open();
    let pin = staff(&floor.desk, "Ida", "judge", &[]);
    assert!(pin.len() == 6 && pin.bytes().all(|digit| digit.is_ascii_digit()), "{pin}");
    let wrong = if pin == "000000" { "000001" } else { "000000" };
    let mut anywhere = Browser::of(&floor.server.base);
    let mut answers = Vec::new();
    for (name, secret) in [("Ida", pin.as_str()), ("Ida", wrong), ("Nobody", wrong)] {
        let page = anywhere.sign_in(name, secret).await;
        answers.push((page.status, page.body.replace(name, "")));
    }
    for _ in 0..12 {
        anywhere.sign_in("Ida", wrong).await;
    }
    let mut tablet = tablet(&floor).await;
    let page = tablet.sign_in(" ida ", &pin).await;
    assert_eq!(page.status, 303, "{}", page.body);
    let old = tablet.cookies["adjudge-session"].clone();
    let slip = floor.file("a", json!({"division": "A", "table": 7, "words": ["CAT"]})).await;
    let read = tablet.api(Method::GET, slip.location.as_ref().unwrap(), None, None).await;
    assert_eq!(read.status, 200);
    assert_eq!(tablet.sign_in("Ida", &pin).await.status, 303);
    assert_ne!(tablet.cookies["adjudge-session"], old, "each sign-in makes a new session");
    let now = tablet.cookies.insert("adjudge-session".to_owned(), old).unwrap();
    assert_eq!(tablet.api(Method::GET, slip.location.as_ref().unwrap(), None, None).await.status, 401);
    tablet.cookies.insert("adjudge-session".to_owned(), now);
    // Five free tries; then the right PIN has to wait too, and says no more than the wrong one.
    for _ in 0..5 {
        let page = tablet.sign_in("Ida", wrong).await;
        answers.push((page.status, page.body.replace("Ida", "")));
    }
    let locked = tablet.sign_in("Ida", &pin).await;
    assert_eq!(locked.status, 403);
    assert_eq!(answers[0], answers[1]);
    assert_eq!(answers[0], answers[2], "nothing tells whether there is such a name");
    let counted = floor.number("SELECT fails FROM credential WHERE fails > 0").await;
    assert_eq!(counted, 5, "what was tried elsewhere, and while it waits, is not counted");
    let refused = floor.number("SELECT count(*) FROM entry WHERE kind = 'sign-in-refused'").await;
    assert_eq!(refused, 5);
    // A new PIN ends the wait and every session.
    let new = floor.desk.done(&["staff", "reset", "Ida"]);
    assert_eq!(tablet.api(Method::GET, slip.location.as_ref().unwrap(), None, None).await.status, 401);
    assert_eq!(tablet.sign_in("Ida", new.trim()).await.status, 303);
}

/// Many wrong PINs at the same moment are counted one by one, and no PIN is good at another tournament's device.
#[tokio::test]
async fn guessing_in_parallel_gains_nothing() {
    let floor = Floor::open();
    let pin = staff(&floor.desk, "Ida", "judge", &[]);
    let wrong = if pin == "000000" { "000001" } else { "000000" };
    let tablet_of_lagos = tablet(&floor).await;
    let tries = (0..20).map(|_| {
        let mut tablet = Browser::of(&floor.server.base);
        tablet.cookies.clone_from(&tablet_of_lagos.cookies);
        async move { tablet.sign_in("Ida", wrong).await.status }
    });
    let statuses = futures(tries.collect()).await;
    assert!(statuses.iter().all(|status| *status == 403), "{statuses:?}");
    assert_eq!(floor.number("SELECT fails FROM credential WHERE fails > 0").await, 5);
    floor.desk.done(&["tournament", "create", "abuja", "--title", "Abuja", "--division", "A:T:wespa"]);
    let code = floor.desk.done(&["station", "create", "Elsewhere", "--tournament", "abuja", "--tablet"]);
    let new = floor.desk.done(&["staff", "reset", "Ida"]);
    let mut elsewhere = Browser::of(&floor.server.base);
    assert_eq!(elsewhere.post("/pair", &[("code", code.trim())]).await.status, 303);
    assert_eq!(elsewhere.sign_in("Ida", new.trim()).await.status, 403);
    // A director who is guessed at elsewhere still comes in.
    let passphrase = staff(&floor.desk, "Dora", "director", &[]);
    assert_eq!(elsewhere.sign_in("Dora", &passphrase).await.status, 303);
}

/// A hall that is set up: more devices pair at once than the server has connections to Postgres, while another program
/// has the write lock.
#[tokio::test]
async fn pairings_that_wait_for_the_write_lock_leave_connections_to_readers() {
    let floor = Floor::open();
    let ruled = floor.challenge(1, "CAT").await;
    let codes: Vec<String> = (1..=12).map(|number| station(&floor.desk, &format!("Station {number}"), &[])).collect();
    let pairs = codes.into_iter().map(|code| {
        let mut browser = Browser::of(&floor.server.base);
        async move { browser.post("/pair", &[("code", &code)]).await.status }
    });
    let database = floor.desk.database().await;
    let held = database.hold_the_write_lock().await;
    let pairs = tokio::spawn(futures(pairs.collect()));
    tokio::time::sleep(UNTIL_THEY_WAIT).await;
    let read = floor.get(&floor.director, ruled.location.as_ref().unwrap()).await;
    held.release().await;
    assert_eq!(read.status, 200, "{}", read.body);
    for table in 2..=12 {
        assert_eq!(floor.challenge(table, "CAT").await.status, 201, "table {table}");
    }
    assert_eq!(pairs.await.unwrap(), [303; 12]);
    database.close().await;
}

/// What all of them come to.
async fn futures<F: Future<Output = u16> + Send + 'static>(all: Vec<F>) -> Vec<u16> {
    let tasks: Vec<_> = all.into_iter().map(tokio::spawn).collect();
    let mut done = Vec::with_capacity(tasks.len());
    for task in tasks {
        done.push(task.await.unwrap());
    }
    done
}

/// A stream ends when its person signs out and when its device is ended.
#[tokio::test]
async fn a_stream_ends_with_the_session_and_with_the_device() {
    let floor = Floor::open();
    let passphrase = staff(&floor.desk, "Dora", "director", &[]);
    let mut director = Browser::of(&floor.server.base);
    assert_eq!(director.sign_in("Dora", &passphrase).await.status, 303);
    let code = station(&floor.desk, "Station 3", &[]);
    let mut browser = Browser::of(&floor.server.base);
    assert_eq!(browser.post("/pair", &[("code", &code)]).await.status, 303);
    let follow = async |cookie: String| {
        let request = floor.http.get(floor.url("/api/v1/tournaments/lagos/events")).header("Cookie", cookie);
        let stream = request.send().await.unwrap();
        assert_eq!(stream.status(), 200);
        stream
    };
    let streams = [follow(director.cookie()).await, follow(browser.cookie()).await];
    let streams = streams.map(|stream| tokio::spawn(stream.text()));
    assert_eq!(director.post("/sign-out", &[]).await.status, 303);
    floor.desk.done(&["station", "revoke", "Station 3"]);
    for stream in streams {
        let ended = tokio::time::timeout(Duration::from_secs(10), stream).await;
        let said = ended.expect("the stream ends").unwrap().unwrap();
        assert!(said.contains("event: token-revoked"), "{said}");
    }
}

/// A director of the whole server works in every tournament; a code that no device showed confirms nothing.
#[tokio::test]
async fn a_director_of_the_server_works_in_every_tournament() {
    let floor = Floor::open();
    let add = ["staff", "add", "Sola", "--role", "director", "--tournament", "server"];
    let passphrase = floor.desk.done(&add);
    let mut director = Browser::of(&floor.server.base);
    assert_eq!(director.sign_in("Sola", passphrase.trim()).await.status, 303);
    let call = json!({"for": "director", "table": 7});
    assert_eq!(floor.write(&floor.station, "c", "tournaments/lagos/calls", call).await.status, 201);
    let queue = director.api(Method::GET, "/api/v1/tournaments/lagos/queue", None, None).await.json();
    let path = format!("/api/v1/queue/{}/claim", queue["items"][0]["id"].as_str().unwrap());
    assert_eq!(director.api(Method::POST, &path, Some(json!({})), Some("same-origin")).await.status, 201);
    station(&floor.desk, "Station 3", &["--sheet"]);
    let said = floor.desk.refused(2, &["station", "confirm", "Station 3"]);
    assert!(said.contains("was not paired yet"), "{said}");
}

/// After two idle hours, or sixteen hours in all, a judge types the PIN anew. Counters outlive the server.
#[tokio::test]
async fn a_session_ends_by_itself_and_wrong_tries_outlive_a_restart() {
    let mut floor = Floor::open();
    let pin = staff(&floor.desk, "Ida", "judge", &[]);
    let mut tablet = tablet(&floor).await;
    let change = async |floor: &Floor, sql: &'static str| {
        let database = floor.desk.database().await;
        assert_eq!(database.execute(sql).await.unwrap(), 1);
        database.close().await;
    };
    let slip = floor.file("a", json!({"division": "A", "table": 7, "words": ["CAT"]})).await;
    let path = slip.location.unwrap();
    for (fine, over) in [
        (
            "UPDATE session SET seen_us = seen_us - 7100000000 WHERE ended = 0",
            "UPDATE session SET seen_us = seen_us - 7300000000 WHERE ended = 0",
        ),
        (
            "UPDATE session SET began_us = began_us - 57500000000 WHERE ended = 0",
            "UPDATE session SET began_us = began_us - 200000000 WHERE ended = 0",
        ),
    ] {
        assert_eq!(tablet.sign_in("Ida", &pin).await.status, 303);
        change(&floor, fine).await;
        assert_eq!(tablet.api(Method::GET, &path, None, None).await.status, 200);
        change(&floor, over).await;
        assert_eq!(tablet.api(Method::GET, &path, None, None).await.status, 401);
    }
    // Ended on the server, not only forgotten: nothing brings it back.
    change(&floor, "UPDATE credential SET fails = 5 WHERE hash LIKE '$argon2id%'").await;
    floor.close();
    floor.reopen();
    tablet.base.clone_from(&floor.server.base);
    assert_eq!(tablet.sign_in("Ida", &pin).await.status, 403, "a running delay begins anew");
    change(&floor, "UPDATE credential SET fails = 0 WHERE hash LIKE '$argon2id%'").await;
    assert_eq!(tablet.sign_in("Ida", &pin).await.status, 303);
    change(&floor, "UPDATE credential SET fails = 10 WHERE hash LIKE '$argon2id%'").await;
    assert_eq!(tablet.sign_in("Ida", &pin).await.status, 403, "after ten only a new PIN helps");
    let new = floor.desk.done(&["staff", "reset", "Ida"]);
    assert_eq!(tablet.sign_in("Ida", new.trim()).await.status, 303);
    // The device is lost: every session at it is ended.
    floor.desk.done(&["station", "revoke", "Tablet"]);
    let (url, cookie) = (floor.url(&path), tablet.cookie());
    let is_out = || async { floor.http.get(&url).header("Cookie", &cookie).send().await.unwrap().status() == 401 };
    assert!(crate::harness::soon(is_out).await);
}

/// The desk: staff and devices, made, moved and ended; hostile names are text.
#[tokio::test]
async fn a_director_sets_up_people_and_devices() {
    let floor = Floor::open();
    let passphrase = staff(&floor.desk, "Dora", "director", &[]);
    assert!(passphrase.len() >= 15);
    let mut director = Browser::of(&floor.server.base);
    into_gallery("sign_in.html", &director.get("/sign-in").await);
    assert_eq!(director.get("/director").await.to.as_deref(), Some("/sign-in"));
    assert_eq!(director.sign_in("Dora", &passphrase).await.status, 303);
    let hostile = "<script>alert(1)</script> \u{202E}\"'";
    let made = director
        .post(
            "/director/devices",
            &[("label", hostile), ("kind", "station"), ("tournament", "lagos"), ("divisions", "A")],
        )
        .await;
    assert_eq!(made.status, 200, "{}", made.body);
    assert!(!made.body.contains("<script>alert") && made.body.contains("<svg"), "{}", made.body);
    into_gallery("code.html", &made);
    let taken = director.post("/director/devices", &[("label", hostile), ("tournament", "lagos")]).await;
    assert_eq!(taken.status, 422);
    for (label, divisions) in [("", ""), ("a\nb", ""), (&"x".repeat(101), ""), ("Station 9", "Z")] {
        let fields = [("label", label), ("tournament", "lagos"), ("divisions", divisions)];
        assert_eq!(director.post("/director/devices", &fields).await.status, 422, "{label:?} {divisions:?}");
    }
    let pin = director
        .post("/director/staff", &[("name", "Ida"), ("role", "judge"), ("tournament", "lagos"), ("plays", "Ida B")])
        .await;
    assert!(pin.body.contains("The PIN for a paired device"), "{}", pin.body);
    into_gallery("secret.html", &pin);
    assert_eq!(
        director.post("/director/staff", &[("name", "IDA"), ("role", "judge"), ("tournament", "lagos")]).await.status,
        422
    );
    let desk = director.get("/director").await;
    assert!(
        desk.body.contains("Ida") && desk.body.contains("plays as <bdi>Ida B") && !desk.body.contains("<script>alert")
    );
    into_gallery("desk.html", &desk);
    let (_, rest) = desk.body.split_once("/director/devices/").unwrap();
    let id = rest.split('/').next().unwrap().to_owned();
    let set =
        director.post(&format!("/director/devices/{id}/set"), &[("label", "Station 4"), ("hall", "Annexe")]).await;
    assert_eq!(set.status, 303);
    assert!(floor.desk.done(&["station", "list", "--json"]).contains("Annexe"));
    let one = director.post(&format!("/director/devices/{id}/code"), &[]).await;
    assert!(one.body.contains("Station 4"));
    assert_eq!(director.post(&format!("/director/devices/{id}/revoke"), &[]).await.status, 303);
    assert_eq!(director.post(&format!("/director/devices/{id}/revoke"), &[]).await.status, 404);
    // A judge and a station have no desk; signing out ends the session on the server.
    let mut tablet = tablet(&floor).await;
    assert_eq!(tablet.get("/director").await.to.as_deref(), Some("/sign-in"));
    let session = director.cookies["adjudge-session"].clone();
    assert_eq!(director.post("/sign-out", &[]).await.status, 303);
    director.cookies.insert("adjudge-session".to_owned(), session);
    assert_eq!(director.get("/director").await.to.as_deref(), Some("/sign-in"));
}

/// A station that serves one division sends the other's players on, and files nothing.
#[tokio::test]
async fn a_station_sends_the_players_of_another_division_on() {
    let floor = Floor::open();
    floor.desk.done(&["division", "set", "lagos", "B", "--lexicon", "T", "--ruleset", "wespa"]);
    let code = station(&floor.desk, "North", &["--division", "A"]);
    station(&floor.desk, "South", &["--division", "B"]);
    let mut north = Browser::of(&floor.server.base);
    let paired =
        || async { floor.get(&floor.director, "/api/v1/tournaments/lagos/audit?division=B").await.status == 200 };
    assert!(crate::harness::soon(paired).await);
    assert_eq!(north.post("/pair", &[("code", &code)]).await.status, 303);
    let path = "/api/v1/tournaments/lagos/slips";
    let slip = |division: &str| json!({"division": division, "table": 7, "words": ["CAT"]});
    let wrong = north.api(Method::POST, path, Some(slip("B")), Some("same-origin")).await;
    assert_eq!((wrong.status, wrong.problem().as_str()), (422, "wrong-division"));
    assert!(wrong.json()["detail"].as_str().unwrap().contains("go to South"), "{}", wrong.body);
    assert_eq!(north.api(Method::POST, path, Some(slip("A")), Some("same-origin")).await.status, 201);
    assert!(!north.get("/station").await.body.contains("value=\"B\""));
    // Where tables belong to divisions the page says so before a word is typed.
    floor.desk.done(&["division", "set", "lagos", "B", "--set", "tables=21-40"]);
    let mut page = String::new();
    for _ in 0..50 {
        page = north.post("/station/words", &[("table", "25"), ("count", "1"), ("division", "A")]).await.body;
        if page.contains("go to South") {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(page.contains("go to South") && page.contains("value=\"25\""), "{page}");
    assert_eq!(floor.ruled().await, 1);
}

/// A judge does not rule on their own game. Source: CONTRACT 3.3.
#[tokio::test]
async fn a_judge_cannot_rule_on_their_own_game() {
    let floor = Floor::open();
    let pin = staff(&floor.desk, "Ida", "judge", &["--plays", "Ida B"]);
    let mut tablet = tablet(&floor).await;
    assert_eq!(tablet.sign_in("Ida", &pin).await.status, 303);
    let slip = json!({"division": "A", "table": 7, "words": ["CAT"], "challenger": "IDA  B", "opponent": "Ann"});
    let filed = floor.file("a", slip).await;
    let review = json!({"requested_by": "opponent", "reason": "disagree"});
    let opened = floor.about(&floor.client, "r", &filed, "reviews", review).await.json();
    let path = format!("/api/v1/reviews/{}/adjudications", opened["review"].as_str().unwrap());
    let own = tablet.api(Method::POST, &path, Some(json!({"method": "lookup"})), Some("same-origin")).await;
    assert_eq!((own.status, own.problem().as_str()), (403, "own-game"));
    let other = floor.write(&floor.judge, "o", &path["/api/v1/".len()..], json!({"method": "lookup"})).await;
    assert_eq!(other.status, 201);
}

/// FAULTS H7: the server draws each session's secret, and takes none from a browser.
#[tokio::test]
async fn a_session_that_a_browser_made_up_is_not_taken_over() {
    let floor = Floor::open();
    let passphrase = staff(&floor.desk, "Dora", "director", &[]);
    let made_up = "A".repeat(43);
    let mut browser = Browser::of(&floor.server.base);
    browser.cookies.insert("adjudge-session".to_owned(), made_up.clone());
    assert_eq!(browser.get("/director").await.to.as_deref(), Some("/sign-in"));
    assert_eq!(browser.sign_in("Dora", &passphrase).await.status, 303);
    let own = browser.cookies.insert("adjudge-session".to_owned(), made_up.clone()).unwrap();
    assert_ne!(own, made_up);
    assert_eq!(browser.get("/director").await.to.as_deref(), Some("/sign-in"), "it opens nothing, also afterwards");
    browser.cookies.insert("adjudge-session".to_owned(), own);
    assert_eq!(browser.get("/director").await.status, 200);
}

/// Secrets are in no entry and in no log line.
#[tokio::test]
async fn no_secret_is_in_the_ledger() {
    let floor = Floor::open();
    let (passphrase, pin) = (staff(&floor.desk, "Dora", "director", &[]), staff(&floor.desk, "Ida", "judge", &[]));
    let mut tablet = tablet(&floor).await;
    tablet.sign_in("Ida", &pin).await;
    tablet.sign_in("Dora", &passphrase).await;
    let folder = floor.desk.data().join("export");
    floor.desk.done(&["ledger", "export", folder.to_str().unwrap()]);
    let exported = std::fs::read_to_string(folder.join("server.jsonl")).unwrap();
    assert!(exported.contains("signed-in") && exported.contains("device-paired"));
    let secrets = [&passphrase, &pin, &tablet.cookies["adjudge-device"], &tablet.cookies["adjudge-session"]];
    for secret in secrets {
        assert!(!exported.contains(secret.as_str()), "{secret}");
    }
}

/// What a request gets whose body ends only after something was set up: the status and the slug of the answer.
async fn late(floor: &Floor, path: &str, holder: &str, body: &Value, meanwhile: impl Future<Output = ()>) -> String {
    let answer =
        late_body(floor, &format!("/api/v1/{path}"), holder, "application/json", &body.to_string(), meanwhile).await;
    let (status, rest) = answer.split_once(' ').unwrap();
    let slug = rest.split("\"type\":\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default();
    format!("{status} {}", slug.rsplit(['/', ':']).next().unwrap())
}

/// The answer, from its status on, to a request whose body ends only after something was set up.
async fn late_body(
    floor: &Floor,
    path: &str,
    holder: &str,
    kind: &str,
    body: &str,
    meanwhile: impl Future<Output = ()>,
) -> String {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let host = floor.server.base.trim_start_matches("http://");
    let (begin, end) = body.split_at(1);
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {host}\r\n{holder}\r\nIdempotency-Key: late\r\nSec-Fetch-Site: same-origin\r\n\
        Connection: close\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n{begin}",
        body.len()
    );
    let mut stream = tokio::net::TcpStream::connect(host).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    // Its head is read long before that.
    tokio::time::sleep(Duration::from_millis(500)).await;
    meanwhile.await;
    stream.write_all(end.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer.trim_start_matches("HTTP/1.1 ").to_owned()
}

/// The desk takes its caller anew once the form has arrived, as the API does.
#[tokio::test]
async fn a_director_who_is_removed_while_a_form_arrives_adds_no_one() {
    let floor = Floor::open();
    let passphrase = staff(&floor.desk, "Dora", "director", &[]);
    let mut director = Browser::of(&floor.server.base);
    assert_eq!(director.sign_in("Dora", &passphrase).await.status, 303);
    let removed = async {
        floor.desk.done(&["staff", "remove", "Dora"]);
        let is_out = || async { director.api(Method::GET, "/api/v1/lexicons", None, None).await.status == 401 };
        assert!(crate::harness::soon(is_out).await);
    };
    let (cookie, form) = (format!("Cookie: {}", director.cookie()), "application/x-www-form-urlencoded");
    let fields = "name=Ida&role=judge&tournament=lagos";
    let answer = late_body(&floor, "/director/staff", &cookie, form, fields, removed).await;
    assert!(answer.starts_with("303 ") && answer.contains("/sign-in"), "{answer}");
    assert!(!floor.desk.done(&["staff", "list"]).contains("Ida"));
}

/// The boxes of each tournament are its own; a title, not an id, tells them apart.
#[tokio::test]
async fn the_desk_names_tournaments_by_title_and_offers_divisions_as_boxes() {
    let floor = Floor::open();
    floor.desk.done(&[
        "tournament",
        "create",
        "abuja",
        "--title",
        "Abuja Cup",
        "--division",
        "A:T:wespa",
        "--division",
        "C:T:wespa",
    ]);
    let add = ["staff", "add", "Dora", "--role", "director", "--tournament", "server"];
    let passphrase = floor.desk.done(&add).trim().to_owned();
    let mut director = Browser::of(&floor.server.base);
    assert_eq!(director.sign_in("Dora", &passphrase).await.status, 303);
    let desk = director.get("/director").await;
    for part in [
        "<option value=\"abuja\">Abuja Cup</option>",
        "<input type=\"checkbox\" name=\"divisions\" value=\"abuja/C\">",
        "<b>to do</b>",
        "Open round 1 of <bdi>Abuja Cup, C</bdi>",
    ] {
        assert!(desk.body.contains(part), "{part}: {}", desk.body);
    }
    into_gallery("desk_of_two_tournaments.html", &desk);
    let make = |label: &'static str, division: &'static str| {
        [
            ("label", label),
            ("kind", "station"),
            ("tournament", "abuja"),
            ("divisions", "abuja/A"),
            ("divisions", division),
        ]
    };
    let refused = director.post("/director/devices", &make("Station 1", "lagos/A")).await;
    assert!(refused.status == 422 && refused.body.contains("Choose divisions of Abuja Cup only"), "{}", refused.body);
    assert_eq!(director.post("/director/devices", &make("Station 1", "abuja/C")).await.status, 200);
    let listed: Value = serde_json::from_str(&floor.desk.done(&["station", "list", "--json"])).unwrap();
    assert_eq!(listed["devices"][0]["divisions"], json!(["A", "C"]));
    let desk = director.get("/director").await;
    let ticked = "<input type=\"checkbox\" name=\"divisions\" value=\"C\" checked>";
    assert!(
        desk.body.contains(ticked) && desk.body.contains("Unpair and remove <bdi>Station 1</bdi>?"),
        "{}",
        desk.body
    );
}

/// A caller who is revoked gets no answer, though the head of the request came before.
#[tokio::test]
async fn who_is_revoked_while_a_body_arrives_gets_no_answer() {
    let floor = Floor::open();
    let filed = floor.file("a", json!({"division": "A", "table": 7, "words": ["CAT"]})).await;
    let asked = json!({"requested_by": "challenger", "reason": "disagree"});
    let review = floor.about(&floor.client, "r", &filed, "reviews", asked.clone()).await.json();
    let review = review["review"].as_str().unwrap();
    let reported = json!({"division": "A", "kind": "timing", "ruling": "x"});
    let incident = floor.write(&floor.director, "i", "tournaments/lagos/incidents", reported).await.json();
    let opinions = format!("incidents/{}/opinions", incident["incident"].as_str().unwrap());
    let slip = filed.location.as_ref().unwrap().trim_start_matches("/api/v1/");
    let opinion = json!({"agrees": true, "ruling": "x", "capacity": "director", "note": ""});
    let cases = [
        ("client", "tournaments/lagos/slips".to_owned(), json!({"division": "A", "table": 8, "words": ["QI"]})),
        ("client", format!("{slip}/reviews"), asked),
        ("judge", format!("queue/{review}/claim"), json!({})),
        ("judge", format!("reviews/{review}/adjudications"), json!({"method": "lookup"})),
        ("director", opinions, opinion),
        ("director", "server/clock".to_owned(), json!({"confirm": true})),
    ];
    let entries = floor.number("SELECT count(*) FROM entry WHERE log = 'lagos'").await;
    for (place, (role, path, body)) in cases.iter().enumerate() {
        let name = format!("{role} {place}");
        let secret = floor.desk.token(role, &name);
        let is_known = async |known: bool| {
            let holds = || async { (floor.get(&secret, "/api/v1/lexicons").await.status == 200) == known };
            assert!(crate::harness::soon(holds).await);
        };
        is_known(true).await;
        let revoked = async {
            floor.desk.done(&["token", "revoke", &name]);
            is_known(false).await;
        };
        let answer = late(&floor, path, &format!("Authorization: Bearer {secret}"), body, revoked).await;
        assert_eq!(answer, "401 not-signed-in", "{path}");
    }
    assert_eq!(floor.number("SELECT count(*) FROM entry WHERE log = 'lagos'").await, entries);
}

/// A caller who is revoked while the request waits for the write lock gets no answer, though the caller was authorized
/// when the request came.
#[tokio::test]
async fn who_is_revoked_while_a_request_waits_for_the_write_lock_gets_no_answer() {
    let floor = Floor::open();
    let ruled = floor.file("a", json!({"division": "A", "table": 7, "words": ["CAT"]})).await;
    let slip = ruled.location.as_ref().unwrap();
    let reported = json!({"division": "A", "kind": "timing", "ruling": "x"});
    let review = json!({"requested_by": "challenger", "reason": "disagree"});
    let review = floor.about(&floor.client, "r", &ruled, "reviews", review).await.json();
    let lagos = |path: &str| format!("/api/v1/tournaments/lagos/{path}");
    let by_directors = [
        (lagos("rounds"), json!({"division": "A", "number": 1, "state": "open"})),
        (lagos("incidents"), reported),
        (format!("/api/v1/queue/{}/claim", review["review"].as_str().unwrap()), json!({})),
        (format!("{slip}/rulings"), json!({"ruling": "unacceptable", "ground": "misprint"})),
    ];
    let by_stations = [
        (lagos("slips"), json!({"division": "A", "table": 8, "words": ["QI"]})),
        (lagos("calls"), json!({"for": "judge", "table": 9})),
    ];
    let mut dora = Browser::of(&floor.server.base);
    let passphrase = staff(&floor.desk, "Dora", "director", &[]);
    assert_eq!(dora.sign_in("Dora", &passphrase).await.status, 303);
    let mut requests = Vec::new();
    for (number, request) in by_directors.into_iter().enumerate() {
        let (name, mut browser) = (format!("Olu {number}"), Browser::of(&floor.server.base));
        let passphrase = staff(&floor.desk, &name, "director", &[]);
        assert_eq!(browser.sign_in(&name, &passphrase).await.status, 303);
        requests.push((browser, request));
    }
    for (number, request) in by_stations.into_iter().enumerate() {
        let mut browser = Browser::of(&floor.server.base);
        let code = station(&floor.desk, &format!("Station {number}"), &[]);
        assert_eq!(browser.post("/pair", &[("code", &code)]).await.status, 303);
        requests.push((browser, request));
    }
    let page = dora.get("/director").await.body;
    let mut ends: Vec<String> = page
        .split("action=\"")
        .filter_map(|part| Some(part.split_once('"')?.0.to_owned()))
        .filter(|path| path.ends_with("/remove") || path.ends_with("/revoke"))
        .collect();
    // Dora was added before the others.
    ends.remove(ends.iter().position(|path| path.ends_with("/remove")).unwrap());
    assert_eq!(ends.len(), requests.len(), "{ends:?}");
    let entries = floor.number("SELECT count(*) FROM entry WHERE log = 'lagos'").await;
    let database = floor.desk.database().await;
    let held = database.hold_the_write_lock().await;
    let ended = ends.into_iter().map(|path| {
        let mut dora = dora.clone();
        async move { dora.post(&path, &[]).await.status }
    });
    let ended = tokio::spawn(futures(ended.collect()));
    tokio::time::sleep(UNTIL_THEY_WAIT).await;
    // They come to the write lock after those.
    let written = requests.into_iter().map(|(browser, (path, body))| async move {
        let answer = browser.api(Method::POST, &path, Some(body), Some("same-origin")).await;
        assert_eq!(answer.status, 401, "{path}: {}", answer.body);
        answer.status
    });
    let written = tokio::spawn(futures(written.collect()));
    tokio::time::sleep(UNTIL_THEY_WAIT).await;
    held.release().await;
    assert_eq!(ended.await.unwrap(), [303; 6]);
    assert_eq!(written.await.unwrap(), [401; 6]);
    assert_eq!(floor.number("SELECT count(*) FROM entry WHERE log = 'lagos'").await, entries);
    database.close().await;
}

/// A judge at a tablet is removed, and a station gets another division, after the head of the request came.
#[tokio::test]
async fn a_request_is_authorized_when_its_body_has_arrived() {
    let floor = Floor::open();
    floor.desk.done(&["division", "set", "lagos", "B", "--lexicon", "T", "--ruleset", "wespa"]);
    let code = station(&floor.desk, "North", &["--division", "A"]);
    let mut north = Browser::of(&floor.server.base);
    assert_eq!(north.post("/pair", &[("code", &code)]).await.status, 303);
    let passphrase = staff(&floor.desk, "Dora", "director", &[]);
    let mut director = Browser::of(&floor.server.base);
    assert_eq!(director.sign_in("Dora", &passphrase).await.status, 303);
    let desk = director.get("/director").await;
    let id = desk.body.split("/director/devices/").nth(1).unwrap().split('/').next().unwrap().to_owned();
    let slip = json!({"division": "A", "table": 7, "words": ["CAT"]});
    let moved = async {
        let fields = [("label", "North"), ("hall", ""), ("divisions", "B")];
        assert_eq!(director.post(&format!("/director/devices/{id}/set"), &fields).await.status, 303);
    };
    let cookie = format!("Cookie: {}", north.cookie());
    let answer = late(&floor, "tournaments/lagos/slips", &cookie, &slip, moved).await;
    assert_eq!(answer, "422 wrong-division");

    let pin = staff(&floor.desk, "Ida", "judge", &[]);
    let mut tablet = tablet(&floor).await;
    assert_eq!(tablet.sign_in("Ida", &pin).await.status, 303);
    let waiting = floor.file("a", json!({"division": "A", "table": 9, "words": ["QI"]})).await;
    let asked = json!({"requested_by": "challenger", "reason": "disagree"});
    let review = floor.about(&floor.client, "r", &waiting, "reviews", asked).await.json();
    let path = format!("reviews/{}/adjudications", review["review"].as_str().unwrap());
    let signed_out = async {
        floor.desk.done(&["staff", "remove", "Ida"]);
        let path = waiting.location.as_ref().unwrap();
        let is_out = || async { tablet.api(Method::GET, path, None, None).await.status == 401 };
        assert!(crate::harness::soon(is_out).await);
    };
    let cookie = format!("Cookie: {}", tablet.cookie());
    let answer = late(&floor, &path, &cookie, &json!({"method": "lookup"}), signed_out).await;
    assert_eq!(answer, "401 not-signed-in");
    assert_eq!(floor.ruled().await, 1);
}
