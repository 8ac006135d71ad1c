//! The station's pages, as a browser without JavaScript posts them.

use std::fs;
use std::path::Path;

use reqwest::Client;

use crate::harness::{Answer, Desk, Server};
use crate::people::{Browser, staff};

/// The demonstration, whose station is open to this machine.
struct Station {
    desk: Desk,
    server: Server,
    http: Client,
}

impl Station {
    fn open() -> Self {
        let desk = Desk::empty();
        let server = Server::spawn(desk.demo_command("127.0.0.1:0"));
        Self { desk, server, http: Client::new() }
    }

    async fn page(&self, path: &str) -> Answer {
        Answer::of(self.http.get(format!("{}{path}", self.server.base)).send().await.unwrap()).await
    }

    async fn post(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let body =
            fields.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect::<Vec<_>>().join("&");
        let request = self
            .http
            .post(format!("{}{path}", self.server.base))
            .header("Origin", &self.server.base)
            .header("Content-Type", "application/x-www-form-urlencoded");
        Answer::of(request.body(body).send().await.unwrap()).await
    }

    async fn judge(&self, key: &str, table: &str, words: &[&str]) -> Answer {
        let count = words.len().to_string();
        let mut fields = vec![("table", table), ("count", count.as_str()), ("division", "A"), ("key", key)];
        fields.extend(words.iter().map(|word| ("word", *word)));
        self.post("/station/ruling", &fields).await
    }
}

fn encoded(value: &str) -> String {
    value.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// Writes a page where a person can open it.
pub fn into_gallery(name: &str, page: &Answer) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/gallery");
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("static");
    fs::create_dir_all(folder.join("static/station")).unwrap();
    for file in crate::harness::files_below(&assets) {
        fs::copy(&file, folder.join("static").join(file.strip_prefix(&assets).unwrap())).unwrap();
    }
    let body = page.body.replace("\"/static/", "\"static/").replace("\"/trust/", "\"trust/");
    fs::write(folder.join(name), body).unwrap();
}

#[tokio::test]
async fn a_slip_walks_from_the_first_page_to_its_ruling() {
    let station = Station::open();
    let idle = station.page("/station").await;
    assert_eq!(idle.status, 200);
    assert!(idle.body.contains("open word list, not a tournament list"));
    into_gallery("idle.html", &idle);

    let words = station.post("/station/words", &[("table", "12"), ("tap", "2"), ("division", "A")]).await;
    assert_eq!((words.status, words.body.matches("name=\"word\"").count()), (200, 2));
    into_gallery("words.html", &words);

    let hand_over = station
        .post("/station/check", &[("table", "12"), ("count", "2"), ("division", "A"), ("word", "cat"), ("word", "dog")])
        .await;
    assert_eq!(hand_over.status, 200);
    assert!(hand_over.body.contains("Are these the words you played"));
    let (_, rest) = hand_over.body.split_once("name=\"key\" value=\"").unwrap();
    let key = rest.split('"').next().unwrap().to_owned();
    into_gallery("hand_over.html", &hand_over);

    let ruling = station.judge(&key, "12", &["cat", "dog"]).await;
    assert_eq!(ruling.status, 200);
    assert!(
        ruling.body.contains(">ACCEPTABLE<")
            && ruling.body.contains("<b>+10</b> for the player of the challenged play"),
        "{}",
        ruling.body
    );
    assert_eq!(ruling.header("cache-control"), Some("no-store"));
    into_gallery("stays.html", &ruling);

    let again = station.judge(&key, "12", &["cat", "dog"]).await;
    assert_eq!(again.body, ruling.body, "a second press shows the same ruling");
    let off = station.judge("another", "13", &["CAT", "XQJZ"]).await;
    assert!(off.body.contains(">UNACCEPTABLE<"));
    into_gallery("comes_off.html", &off);
    assert!(station.desk.done(&["ledger", "verify"]).contains("demo: whole, 4 entries"));
}

/// A browser that goes back to a cleared ruling, or reloads it, does not show the last table's words.
#[tokio::test]
async fn a_ruling_that_was_cleared_does_not_come_back() {
    let station = Station::open();
    station.desk.done(&["division", "set", "demo", "A", "--set", "clear_s=2"]);
    let first = station.judge("k1", "1", &["XQJZ"]).await;
    assert!(first.body.contains(">UNACCEPTABLE<"));
    let is_gone = || async {
        let again = station.judge("k1", "1", &["XQJZ"]).await;
        assert!(again.body.contains(">UNACCEPTABLE<") || again.body.contains("Slip in hand"), "{}", again.body);
        !again.body.contains("XQJZ") && !again.body.contains("UNACCEPTABLE")
    };
    assert!(crate::harness::soon(is_gone).await);
}

/// FIELD-REPORTS V29: everything on the page says the same.
#[tokio::test]
async fn a_ruling_page_names_no_other_ruling() {
    let station = Station::open();
    let off = station.judge("k1", "1", &["XQJZ"]).await.body;
    assert!(off.contains("ruling unacceptable") && off.contains(">UNACCEPTABLE<"));
    assert!(!off.contains("is-acceptable") && !off.contains("ruling acceptable") && !off.contains(">ACCEPTABLE<"));
    let stays = station.judge("k2", "1", &["CAT"]).await.body;
    assert!(stays.contains("ruling acceptable") && stays.contains(">ACCEPTABLE<"));
    assert!(!stays.contains("UNACCEPTABLE") && !stays.contains("unacceptable"));
}

/// Invariant 1: the page is the same whichever word is the bad one.
#[tokio::test]
async fn the_page_does_not_tell_which_word_failed() {
    let station = Station::open();
    let strip = |page: Answer, words: [&str; 3]| {
        let mut body = page.body;
        for word in words {
            let letters: Vec<String> = word.chars().map(String::from).collect();
            let drawn = letters.iter().map(|tile| format!("<span class=\"tile\" aria-hidden=\"true\">{tile}</span>"));
            let tiles =
                format!("<span class=\"visually-hidden\">{}</span>{}", letters.join(", "), drawn.collect::<String>());
            assert!(body.contains(&tiles), "{word} is drawn");
            body = body.replace(&tiles, "WORD");
        }
        let number = body.split_once("Slip no. <b>").unwrap().1.split('<').next().unwrap().to_owned();
        let slip = body.split_once("name=\"slip\" value=\"").unwrap().1.split('"').next().unwrap().to_owned();
        let body = body.replace(&format!("Slip no. <b>{number}</b>"), "Slip no. NUMBER").replace(&slip, "SLIP");
        // The key of what may follow ends with the entry's number.
        let entry = body.split_once("value=\"SLIP-").unwrap().1.split('"').next().unwrap().to_owned();
        body.replace(&format!("SLIP-{entry}"), "SLIP-ENTRY")
    };
    let mut pages = Vec::new();
    for (key, words) in
        [("a", ["XQJZ", "DOGS", "CATS"]), ("b", ["DOGS", "XQJZ", "CATS"]), ("c", ["DOGS", "CATS", "XQJZ"])]
    {
        pages.push(strip(station.judge(key, "7", &words).await, words));
    }
    assert!(pages.iter().all(|page| *page == pages[0]));
}

#[tokio::test]
async fn faults_come_back_on_the_page_with_what_was_typed() {
    let station = Station::open();
    let bad = station.post("/station/words", &[("table", "zero"), ("count", "9"), ("division", "A")]).await;
    assert_eq!((bad.status, bad.body.matches("class=\"fault\"").count()), (422, 2));
    assert!(bad.body.contains("value=\"zero\"") && bad.body.contains("value=\"9\""));
    into_gallery("idle_faults.html", &bad);

    let typed = [("table", "12"), ("count", "3"), ("division", "A"), ("word", "X-RAY"), ("word", ""), ("word", "fine")];
    let unfinished = station.post("/station/check", &typed).await;
    assert_eq!((unfinished.status, unfinished.body.matches("class=\"fault\"").count()), (200, 0), "Enter went on");
    assert!(unfinished.body.contains("value=\"X-RAY\"") && unfinished.body.contains("value=\"fine\""));
    let bad = station
        .post(
            "/station/check",
            &[("table", "12"), ("count", "2"), ("division", "A"), ("word", "X-RAY"), ("word", "QI1")],
        )
        .await;
    assert_eq!(bad.status, 422);
    assert!(bad.body.contains("“-” at position 2") && bad.body.contains("“1” at position 3"), "{}", bad.body);
    assert!(bad.body.contains("value=\"X-RAY\"") && bad.body.contains("value=\"QI1\""));
    into_gallery("words_faults.html", &bad);
    assert!(station.desk.done(&["ledger", "verify"]).contains("demo: whole, 2 entries"), "nothing was judged");
}

#[tokio::test]
async fn hostile_text_is_shown_as_text() {
    let station = Station::open();
    for hostile in ["<script>alert(1)</script>", "\"><img src=x>", "A\u{202e}B\n\u{1b}[31m", "{{ 7*7 }}"] {
        for (path, field) in [("/station/words", "table"), ("/station/check", "word"), ("/station/ruling", "word")] {
            let page = station
                .post(path, &[("table", "1"), ("count", "1"), ("division", "A"), ("key", "k"), (field, hostile)])
                .await;
            let scripts = page.body.matches("<script").count();
            assert!(scripts == 1 && !page.body.contains("<img"), "{path}: {}", page.body);
        }
    }
}

#[tokio::test]
async fn a_form_from_another_site_is_refused() {
    let station = Station::open();
    let url = format!("{}/station/ruling", station.server.base);
    for (name, value) in [("Sec-Fetch-Site", "cross-site"), ("Origin", "http://elsewhere.example")] {
        let request =
            station.http.post(&url).header(name, value).header("Content-Type", "application/x-www-form-urlencoded");
        let answer = Answer::of(request.body("table=1&count=1&division=A&key=k&word=CAT").send().await.unwrap()).await;
        assert_eq!((answer.status, answer.problem().as_str()), (403, "forbidden"), "{name}");
    }
    assert!(station.desk.done(&["ledger", "verify"]).contains("demo: whole, 2 entries"));
}

/// A slip that the players called a part of the same play is one again when it is sent once more.
#[tokio::test]
async fn a_part_that_is_sent_once_more_is_still_a_part() {
    let station = Station::open();
    for (place, word) in ["CAT", "QI", "ZA", "AA", "AS", "DA"].iter().enumerate() {
        assert_eq!(station.judge(&format!("k{place}"), "12", &[word]).await.status, 200);
    }
    let slip = [("table", "12"), ("count", "1"), ("division", "A"), ("word", "QIXX")];
    let same_play = r#"<input type="hidden" name="another_play" value="no">"#;
    for (key, answer, is_same_play) in [("part", "no", true), ("other", "yes", false)] {
        let fields = [&slip[..], &[("key", key), ("another_play", answer)]].concat();
        let refused = station.post("/station/ruling", &fields).await;
        assert_eq!(refused.status, 429, "{}", refused.body);
        assert!(refused.body.contains(&format!(r#"name="key" value="{key}""#)), "it can be sent again");
        assert_eq!(refused.body.contains(same_play), is_same_play, "{}", refused.body);
    }
}

/// A free look-up has no consequences, so the station does not ask whether it is another play.
#[tokio::test]
async fn nobody_is_asked_about_another_play_in_a_free_look_up() {
    let station = Station::open();
    assert_eq!(station.judge("k", "12", &["CAT"]).await.status, 200);
    let check = [("table", "12"), ("count", "1"), ("division", "A"), ("word", "QIXX")];
    let asked = station.post("/station/check", &check).await;
    assert!(asked.body.contains("Is this another play?"), "{}", asked.body);
    let create = ["token", "create", "--role", "director", "--tournament", "demo", "--name", "d"];
    let director = station.desk.done(&create).trim().to_owned();
    let url = format!("{}/api/v1/tournaments/demo/rounds", station.server.base);
    let round = serde_json::json!({"division": "A", "number": 1, "state": "free-lookup"});
    let set = station.http.post(url).bearer_auth(&director).json(&round).send().await.unwrap();
    assert_eq!(set.status(), 201);
    let asked = station.post("/station/check", &check).await;
    assert_eq!(asked.status, 200);
    assert!(!asked.body.contains("Is this another play?"), "{}", asked.body);
}

#[tokio::test]
async fn a_browser_that_is_no_station_is_told_so() {
    let desk = Desk::ready();
    desk.token("client", "client");
    let server = Server::start(&desk);
    let page = Answer::of(reqwest::get(format!("{}/station", server.base)).await.unwrap()).await;
    assert_eq!(page.status, 403);
    assert!(page.body.contains("not a station"));
    into_gallery("not_a_station.html", &page);
    let home = Answer::of(reqwest::get(format!("{}/", server.base)).await.unwrap()).await;
    into_gallery("home.html", &home);
    let lost = Answer::of(reqwest::get(format!("{}/nowhere", server.base)).await.unwrap()).await;
    assert_eq!((lost.status, lost.body.contains("<html")), (404, true));
    into_gallery("problem.html", &lost);
}

#[tokio::test]
async fn a_word_beyond_the_list_calls_a_judge() {
    let desk = Desk::empty();
    desk.done(&["init"]);
    let list = desk.file("short.txt", b"CAT\nQI\n");
    desk.done(&["lexicon", "import", list.to_str().unwrap(), "--id", "S", "--lengths", "2-3"]);
    desk.done(&["tournament", "create", "demo", "--title", "Demo", "--division", "A:S:wespa"]);
    let server = Server::spawn(desk.demo_command("127.0.0.1:0"));
    let station = Station { desk, server, http: Client::new() };
    let page = station.judge("k", "1", &["CATS"]).await;
    assert_eq!(page.status, 422);
    assert!(page.body.contains("Call a judge") && !page.body.contains("acceptable"), "{}", page.body);
    into_gallery("waits_for_judge.html", &page);
}

/// Which list a division plays with is told by its number of words and its fingerprint, not by its name alone.
#[tokio::test]
async fn the_desk_shows_the_words_and_the_fingerprint_of_each_list() {
    let desk = Desk::ready();
    let passphrase = staff(&desk, "Dora", "director", &[]);
    let server = Server::spawn(desk.command(&["serve", "--listen", "127.0.0.1:0"]));
    let mut director = Browser::of(&server.base);
    assert_eq!(director.sign_in("Dora", &passphrase).await.status, 303);
    let page = director.get("/director").await;
    crate::people::into_gallery("desk_lists.html", &page);
    let info: serde_json::Value = serde_json::from_str(&desk.done(&["lexicon", "info", "T", "--json"])).unwrap();
    let fingerprint = &info["fingerprint"].as_str().unwrap()[..8];
    let list = format!("14 words, fingerprint <code>{fingerprint}</code>");
    assert!(page.body.contains("Test list 1") && page.body.contains(&list), "{}", page.body);
}
