//! The station as two players use it, in a real browser: keys, taps, timers, and what is left behind.

use std::time::Duration;

use fantoccini::actions::{InputSource as _, KeyAction, KeyActions};
use fantoccini::{Client, Locator};
use reqwest::Client as Http;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::sleep;

use crate::browser::{Driver, picture};
use crate::harness::{Answer, Desk, Server, WORDS, soon};

/// A hall whose stations are open to this machine.
pub struct Hall {
    pub desk: Desk,
    server: Option<Server>,
    base: String,
    pub driver: Driver,
}

impl Hall {
    pub fn open(divisions: &[&str]) -> Self {
        let desk = Desk::empty();
        desk.done(&["init"]);
        let list = desk.file("list.txt", WORDS.as_bytes());
        desk.done(&[
            "lexicon",
            "import",
            list.to_str().unwrap(),
            "--id",
            "T",
            "--title",
            "Test list",
            "--edition",
            "1",
        ]);
        let create = ["tournament", "create", "demo", "--title", "Lagos Open"];
        let divisions = divisions.iter().flat_map(|division| ["--division", division]);
        desk.done(&create.into_iter().chain(divisions).collect::<Vec<_>>());
        let server = Server::spawn(desk.demo_command("127.0.0.1:0"));
        Self { base: server.base.clone(), server: Some(server), desk, driver: Driver::start() }
    }

    /// The plug is pulled.
    pub fn pull_the_plug(&mut self) {
        self.server.take().unwrap().kill();
    }

    /// Starts the server again at the same address.
    pub fn plug_in(&mut self) {
        let address = self.base.trim_start_matches("http://").to_owned();
        self.server = Some(Server::spawn(self.desk.demo_command(&address)));
    }

    pub fn token(&self, role: &str) -> String {
        let create = ["token", "create", "--role", role, "--tournament", "demo", "--name", role];
        self.desk.done(&create).trim().to_owned()
    }

    pub async fn screen(&self, size: (u32, u32)) -> Screen {
        let screen = self.screen_at("idle", size).await;
        // The tests that are due are run first.
        let is_tested = || async { self.entries().contains("test-deck-run") };
        assert!(soon(is_tested).await);
        sleep(Duration::from_millis(300)).await;
        screen
    }

    /// The event stream of a token's holder, which is open until it is dropped.
    pub async fn follow(&self, token: &str) -> reqwest::Response {
        let url = format!("{}/api/v1/tournaments/demo/events", self.base);
        Http::new().get(url).bearer_auth(token).send().await.unwrap()
    }

    async fn screen_at(&self, name: &str, size: (u32, u32)) -> Screen {
        self.screen_of(tempfile::tempdir().unwrap(), name, size).await
    }

    /// A browser with a profile that may be another's.
    pub async fn screen_of(&self, profile: TempDir, name: &str, size: (u32, u32)) -> Screen {
        let browser = self.driver.browser(profile.path(), size).await;
        let screen = Screen { browser, profile };
        screen.browser.goto(&format!("{}/station", self.base)).await.unwrap();
        screen.is_at(name).await;
        screen
    }

    /// The log as it stands, one entry a line.
    pub fn entries(&self) -> String {
        let folder = self.desk.folder.path().join("export");
        let _ = std::fs::remove_dir_all(&folder);
        self.desk.done(&["ledger", "export", "--log", "demo", folder.to_str().unwrap()]);
        std::fs::read_to_string(folder.join("demo.jsonl")).unwrap()
    }

    pub fn count(&self, kind: &str) -> usize {
        self.entries().matches(&format!("\"kind\":\"{kind}\"")).count()
    }

    async fn api(&self, token: &str, method: &str, path: &str, body: Value) -> Answer {
        let request =
            Http::new().request(method.parse().unwrap(), format!("{}/api/v1/tournaments/demo/{path}", self.base));
        Answer::of(request.bearer_auth(token).json(&body).send().await.unwrap()).await
    }
}

/// One station's browser.
pub struct Screen {
    pub browser: Client,
    profile: TempDir,
}

/// Keys without a letter, as `WebDriver` names them.
pub const TAB: char = '\u{e004}';
pub const ENTER: char = '\u{e007}';
pub const ESCAPE: char = '\u{e00c}';
const BACKSPACE: char = '\u{e003}';

impl Screen {
    /// Real key presses, wherever the focus is.
    pub async fn press(&self, keys: &str) {
        let mut actions = KeyActions::new("keys".to_owned());
        for value in keys.chars() {
            actions = actions.then(KeyAction::Down { value }).then(KeyAction::Up { value });
        }
        self.browser.perform_actions(actions).await.unwrap();
    }

    /// Closes the browser; what it kept is left.
    pub async fn close(self) -> TempDir {
        self.browser.close().await.unwrap();
        // It writes on for a moment.
        sleep(Duration::from_millis(1500)).await;
        self.profile
    }

    /// Taps what is there, as soon as it is: a page may take another's place at any moment.
    pub async fn tap(&self, css: &str) {
        let mut last = None;
        for _ in 0..20 {
            let found = self.browser.wait().for_element(Locator::Css(css)).await.unwrap();
            match found.click().await {
                Ok(()) => return,
                Err(error) => last = Some(error),
            }
            sleep(Duration::from_millis(100)).await;
        }
        panic!("{css} cannot be tapped: {last:?}");
    }

    /// Taps a key that stands behind *More*.
    pub async fn tap_more(&self, css: &str) {
        self.tap(".more-keys summary").await;
        self.tap(css).await;
    }

    pub async fn run(&self, script: &str) -> Value {
        self.browser.execute(script, vec![]).await.unwrap()
    }

    /// Has the times that a `page` names made short before it is shown.
    pub async fn hurry(&self, shorten: &str) {
        let hurry = "const parsed = DOMParser.prototype.parseFromString; DOMParser.prototype.parseFromString = function (...given) { \
            const page = parsed.apply(this, given);";
        self.run(&format!("{hurry} {shorten} return page; }};")).await;
    }

    /// Chooses a language on the first page.
    pub async fn speak(&self, language: &str) {
        self.tap(&format!("[value='{language}']")).await;
        assert!(self.speaks(language).await, "it does not speak {language}");
    }

    /// Whether it comes to speak a language.
    pub async fn speaks(&self, language: &str) -> bool {
        soon(|| async { self.run("return document.documentElement.lang").await == json!(language) }).await
    }

    /// What can be read there, as soon as it is.
    pub async fn text(&self, css: &str) -> String {
        for _ in 0..100 {
            let found =
                self.browser.execute("return document.querySelector(arguments[0])?.innerText", vec![json!(css)]);
            if let Value::String(text) = found.await.unwrap() {
                return text;
            }
            sleep(Duration::from_millis(100)).await;
        }
        panic!("there is no {css}");
    }

    pub async fn is_at(&self, name: &str) {
        let at = format!("body[data-screen='{name}']");
        let found = self.browser.wait().at_most(Duration::from_secs(20)).for_element(Locator::Css(&at)).await;
        assert!(found.is_ok(), "not at {name}: {}", self.text("body").await);
    }

    /// Types a slip by keyboard, up to the opponent's screen. The table's number, the count, and each word with its
    /// separator: nothing else.
    pub async fn write(&self, table: &str, words: &[&str]) -> usize {
        let typed = format!("{table}{TAB}{}", words.len());
        self.press(&typed).await;
        self.is_at("words").await;
        let letters = words.iter().map(|word| format!("{word} ")).collect::<String>();
        self.press(&letters).await;
        self.is_at("hand-over").await;
        typed.chars().count() + letters.chars().count()
    }

    /// The whole way to the ruling; what its headline says.
    pub async fn challenge(&self, table: &str, words: &[&str]) -> String {
        self.write(table, words).await;
        self.judge().await;
        self.is_at("ruling").await;
        // What may be asked for next is asked once the ruling was shown for its least time.
        sleep(Duration::from_millis(2100)).await;
        self.text(".verdict").await
    }

    /// Waits out the least time of a ruling or notice, and clears it.
    pub async fn clear(&self) {
        sleep(Duration::from_millis(2100)).await;
        self.press(" ").await;
        self.is_at("idle").await;
    }

    /// The opponent looks, and presses once the screen takes it.
    pub async fn judge(&self) {
        sleep(Duration::from_millis(750)).await;
        self.press(&TAB.to_string()).await;
    }
}

/// The whole way by keyboard, at every size: twelve presses for CAT QI at table 12, the ruling, and nothing left behind.
#[tokio::test]
async fn two_players_need_twelve_presses_and_see_one_ruling() {
    let hall = Hall::open(&["A:T:wespa"]);
    let sizes = [("desktop", (1280, 800)), ("tablet", (800, 1280)), ("small", (1024, 600)), ("large", (1920, 1080))];
    for (name, size) in sizes {
        let screen = hall.screen(size).await;
        picture(&screen.browser, &format!("{name}-1-idle.png")).await;
        let presses = screen.write("12", &["cat", "qi"]).await + 1;
        assert_eq!(presses, 12, "{name}");
        picture(&screen.browser, &format!("{name}-3-hand-over.png")).await;
        screen.judge().await;
        screen.is_at("ruling").await;
        assert_eq!(screen.text(".verdict").await, "ACCEPTABLE");
        picture(&screen.browser, &format!("{name}-4-stays.png")).await;
        // Nothing clears it before its least time is over, then any key does.
        screen.press("x").await;
        screen.is_at("ruling").await;
        sleep(Duration::from_millis(2100)).await;
        screen.press("x").await;
        screen.is_at("idle").await;
        let eight = ["oxyphenbutazone"; 8];
        let seven: String = eight[..7].iter().map(|word| format!("{word} ")).collect();
        screen.press(&format!("13{TAB}8")).await;
        screen.is_at("words").await;
        screen.press(&format!("{seven}retinaz")).await;
        picture(&screen.browser, &format!("{name}-2-words.png")).await;
        assert_eq!(screen.run("return document.querySelectorAll('.tiles .tile').length").await, json!(7 * 15 + 7));
        screen.press(" ").await;
        screen.is_at("hand-over").await;
        picture(&screen.browser, &format!("{name}-3-hand-over-eight.png")).await;
        screen.judge().await;
        screen.is_at("ruling").await;
        assert_eq!(screen.text(".verdict").await, "UNACCEPTABLE");
        picture(&screen.browser, &format!("{name}-5-comes-off.png")).await;
        let wide = "return document.documentElement.scrollWidth - innerWidth";
        assert!(screen.run(wide).await.as_i64().unwrap() <= 0, "{name}: wider than the screen");
        let foreign = "return performance.getEntriesByType('resource').filter(one => !one.name.startsWith(location.origin)).length";
        assert_eq!(screen.run(foreign).await, json!(0), "{name}: something was fetched from elsewhere");
        // Eight words and their tiles are in the ruling, and no way leads back to them.
        for script in ["history.back()", "history.forward()", "location.reload()"] {
            screen.run(script).await;
            sleep(Duration::from_millis(300)).await;
            if screen.browser.current_url().await.unwrap().as_str() == "data:," {
                screen.browser.goto(&format!("{}/station", hall.base)).await.unwrap();
            }
        }
        screen.is_at("idle").await;
        let page = screen.browser.source().await.unwrap().to_uppercase();
        assert!(!page.contains("RETINAZ") && !page.contains("UNACCEPTABLE") && !page.contains("QI"), "{name}");
        assert_eq!(screen.run("return history.length + localStorage.length + sessionStorage.length").await, json!(2));
        screen.browser.close().await.unwrap();
    }
    assert_eq!(hall.count("slip-ruled"), 8);
    assert_eq!(hall.count("test-deck-run"), 1, "a test that was run is not due again");
}

/// Where no table is asked for, nine presses are enough.
#[tokio::test]
async fn without_a_table_nine_presses_are_enough() {
    let hall = Hall::open(&["A:T:wespa"]);
    hall.desk.done(&["division", "set", "demo", "A", "--set", "table_required=false"]);
    let screen = hall.screen((1280, 800)).await;
    screen.press("2").await;
    screen.is_at("words").await;
    screen.press("cat qi ").await;
    screen.is_at("hand-over").await;
    screen.judge().await;
    screen.is_at("ruling").await;
    assert_eq!("2cat qi ".len() + 1, 9);
    assert_eq!(screen.text(".verdict").await, "ACCEPTABLE");
    assert!(!screen.text(".sheet").await.contains("Table"));
    screen.browser.close().await.unwrap();
}

/// Typing faster than pages load loses no letter and judges nothing.
#[tokio::test]
async fn fast_typing_loses_no_letter_and_judges_nothing() {
    let hall = Hall::open(&["A:T:wespa"]);
    let screen = hall.screen((1280, 800)).await;
    screen.press(&format!("12{TAB}3cats qi zo {TAB}{ENTER}")).await;
    screen.is_at("hand-over").await;
    let words = "return [...document.querySelectorAll('.tiled li')].map(one => one.querySelector('.visually-hidden').textContent)";
    assert_eq!(screen.run(words).await, json!(["C, A, T, S", "Q, I", "Z, O"]));
    // Each press too soon begins the time anew: several in a row within two seconds judge nothing.
    for _ in 0..6 {
        sleep(Duration::from_millis(250)).await;
        screen.press(&TAB.to_string()).await;
    }
    screen.is_at("hand-over").await;
    assert_eq!(hall.count("slip-ruled"), 0);
    // It is one page still, and no form was sent by the browser itself.
    assert_eq!(screen.run("return [location.pathname, history.length]").await, json!(["/station", 2]));
    screen.judge().await;
    screen.is_at("ruling").await;
    sleep(Duration::from_millis(2100)).await;
    screen.press(&format!("x4{TAB}1ja ")).await;
    screen.is_at("hand-over").await;
    assert!(screen.text(".whom").await.contains("Table 4 "));
    screen.browser.close().await.unwrap();
}

/// By touch alone: the keys on the screen, and a double tap is one slip.
#[tokio::test]
async fn a_challenge_can_be_filed_by_touch_alone() {
    let hall = Hall::open(&["A:T:wespa"]);
    let screen = hall.screen((800, 1280)).await;
    let tap = async |keys: &str| {
        for key in keys.chars() {
            screen.tap(&format!(".pad [data-letter='{key}']")).await;
        }
    };
    tap("7").await;
    screen.tap(".keys [data-next]").await;
    tap("2").await;
    screen.is_at("words").await;
    tap("CAX").await;
    screen.tap(".pad [data-erase]").await;
    tap("T").await;
    assert_eq!(screen.text(".keys [data-next]").await, "Next word");
    screen.tap(".keys [data-next]").await;
    assert_eq!(screen.text(".keys [data-next]").await, "Show your opponent");
    // A line without a word is not left.
    screen.tap(".keys [data-next]").await;
    screen.is_at("words").await;
    tap("QI").await;
    screen.tap(".keys [data-next]").await;
    screen.is_at("hand-over").await;
    let small = "return [...document.querySelectorAll('button, a, summary')].filter(one => { const box = one.getBoundingClientRect(); \
        return box.width && (box.width < 48 || box.height < 48) }).map(one => one.textContent)";
    assert_eq!(screen.run(small).await, json!([]), "every target is 48 pixels large");
    let twice = "const key = document.querySelector('.judge'); key.click(); key.click();";
    // Too soon: it was meant for the page before.
    screen.run(twice).await;
    sleep(Duration::from_millis(750)).await;
    screen.is_at("hand-over").await;
    screen.run(twice).await;
    screen.is_at("ruling").await;
    assert_eq!(hall.count("slip-ruled"), 1);
    assert!(screen.text(".sheet").await.contains("Table 7"));
    screen.browser.close().await.unwrap();
}

/// A fault is shown at the word that has it, and what was typed is still there.
#[tokio::test]
async fn a_word_that_cannot_be_read_is_mended_where_it_stands() {
    let hall = Hall::open(&["A:T:naspa"]);
    let screen = hall.screen((1280, 800)).await;
    screen.press(&format!("5{TAB}2")).await;
    screen.is_at("words").await;
    // Two separators make no empty word, one too many begins none, and letters beyond the board stay to be seen.
    screen.press("cat  oxyphenbutazonesx ").await;
    assert!(screen.text(".lines .fault").await.contains("17 letters"));
    assert_eq!(screen.run("return document.querySelectorAll('.tiles')[1].children.length").await, json!(17));
    screen.press(&BACKSPACE.to_string().repeat(17)).await;
    screen.press("qi ").await;
    screen.is_at("hand-over").await;
    // The opponent sees another spelling on the slip: back, and on again.
    screen.press(&ESCAPE.to_string()).await;
    screen.is_at("words").await;
    screen.press(&format!("{BACKSPACE}{BACKSPACE}za{ENTER}")).await;
    screen.is_at("hand-over").await;
    assert_eq!(
        screen.run("return [...document.querySelectorAll('.tile')].map(one => one.textContent).join('')").await,
        json!("CATZA")
    );
    // Or the challenge is taken back, as the ruleset lets the players say, also by keys alone; Enter there judges nothing.
    sleep(Duration::from_millis(750)).await;
    screen.press("w").await;
    screen.press(&format!("{ENTER}{ENTER}")).await;
    screen.is_at("hand-over").await;
    screen.press(&format!("{TAB}{TAB}{TAB}{TAB}")).await;
    screen.is_at("hand-over").await;
    assert_eq!(hall.count("slip-ruled"), 0);
    picture(&screen.browser, "endings.png").await;
    screen.tap("[value='withdrawn']").await;
    screen.is_at("notice").await;
    assert_eq!(screen.text("h1").await, "The challenge was withdrawn");
    picture(&screen.browser, "withdrawn.png").await;
    assert_eq!((hall.count("challenge-disposed"), hall.count("slip-ruled")), (1, 0));
    screen.browser.close().await.unwrap();
}

/// The server goes away at each step: a calm screen, no ruling from memory, and the station goes on by itself.
#[tokio::test]
async fn the_station_outlives_its_server() {
    let mut hall = Hall::open(&["A:T:wespa"]);
    let screen = hall.screen((1280, 800)).await;
    // No entry is under way.
    hall.pull_the_plug();
    screen.is_at("disconnected").await;
    assert!(screen.text("h1").await.starts_with("No connection to the server"));
    picture(&screen.browser, "lost.png").await;
    hall.plug_in();
    screen.is_at("idle").await;
    // While words are typed: they are still there.
    screen.press(&format!("12{TAB}2")).await;
    screen.is_at("words").await;
    screen.press("cat qi").await;
    hall.pull_the_plug();
    screen.press(" ").await;
    screen.is_at("disconnected").await;
    hall.plug_in();
    screen.is_at("words").await;
    screen.press(" ").await;
    screen.is_at("hand-over").await;
    // As the opponent presses: nothing reached the server, and that is said.
    hall.pull_the_plug();
    screen.judge().await;
    screen.is_at("disconnected").await;
    assert!(!screen.text("body").await.to_lowercase().contains("acceptable"));
    hall.plug_in();
    screen.is_at("notice").await;
    assert_eq!(screen.text("h1").await, "That slip was not judged");
    assert_eq!((hall.count("slip-ruled"), hall.count("key-closed")), (0, 1));
    screen.clear().await;
    // The ruling was written down and its answer lost: that very ruling is shown.
    screen.write("14", &["cat", "xx"]).await;
    let lose = "const sent = window.fetch; window.fetch = (address, options) => sent(address, options).then(answer => { \
        if (address !== '/station/ruling') return answer; window.fetch = sent; throw new TypeError('lost'); });";
    screen.run(lose).await;
    screen.judge().await;
    screen.is_at("disconnected").await;
    screen.is_at("ruling").await;
    assert_eq!(screen.text(".verdict").await, "UNACCEPTABLE");
    assert_eq!(hall.count("slip-ruled"), 1);
    screen.browser.close().await.unwrap();
}

/// FIELD-REPORTS I5: what was left there is not there for the next players, and no word of it is kept.
#[tokio::test]
async fn an_entry_left_alone_is_wiped_after_a_warning() {
    let hall = Hall::open(&["A:T:wespa"]);
    let screen = hall.screen((1280, 800)).await;
    screen.hurry("if (page.body.dataset.idleS) { page.body.dataset.idleS = 2; page.body.dataset.warningS = 3; }").await;
    screen.press(&format!("12{TAB}2")).await;
    screen.is_at("words").await;
    screen.press("catzz q").await;
    assert_eq!(screen.text(".inactivity .question").await, "Still there?");
    picture(&screen.browser, "alone.png").await;
    // A key goes on, and types nothing.
    screen.press("x").await;
    assert_eq!(
        screen
            .run("return document.querySelectorAll('.inactivity').length + document.querySelectorAll('.letters')[1].value")
            .await,
        json!("0q")
    );
    screen.text(".inactivity .question").await;
    screen.is_at("idle").await;
    let entries = hall.entries();
    assert_eq!(hall.count("challenge-disposed"), 1);
    assert!(entries.contains("\"abandoned\"") && !entries.to_lowercase().contains("catzz"), "{entries}");
    let page = screen.browser.source().await.unwrap().to_lowercase();
    assert!(!page.contains("catzz") && !page.contains("value=\"12\""));
    screen.browser.close().await.unwrap();
}

/// After the ruling: a word typed wrong, a review, a judge.
#[tokio::test]
async fn players_ask_for_more_after_a_ruling() {
    let hall = Hall::open(&["A:T:wespa"]);
    let judge = hall.token("judge");
    let screen = hall.screen((1280, 800)).await;
    screen.challenge("22", &["unstatez"]).await;
    screen.tap_more("[formaction='/station/mistyped']").await;
    screen.is_at("words").await;
    picture(&screen.browser, "mistyped.png").await;
    screen.press("unstates ").await;
    screen.is_at("hand-over").await;
    screen.judge().await;
    screen.is_at("ruling").await;
    assert_eq!(screen.text(".verdict").await, "ACCEPTABLE");
    assert!(screen.text(".undo").await.contains("back on the board"));
    picture(&screen.browser, "corrected.png").await;
    screen.clear().await;
    // Two words: only a judge corrects.
    screen.challenge("25", &["cat", "zo"]).await;
    // A judge comes where a judge's screen follows what happens.
    let follows = hall.follow(&judge).await;
    screen.tap_more("[formaction='/station/mistyped']").await;
    screen.is_at("notice").await;
    assert!(screen.text("h1").await.contains("A judge corrects"));
    screen.tap("[value='challenger']").await;
    let is_coming = || async { screen.text("h1").await == "A judge is coming to table 25" };
    assert!(soon(is_coming).await, "{}", screen.text("h1").await);
    picture(&screen.browser, "review.png").await;
    let queue = Answer::of(
        Http::new()
            .get(format!("{}/api/v1/tournaments/demo/queue", hall.base))
            .bearer_auth(&judge)
            .send()
            .await
            .unwrap(),
    );
    let queue = queue.await.json();
    assert_eq!((&queue["items"][0]["table"], &queue["items"][0]["kind"]), (&json!(25), &json!("review")));
    screen.clear().await;
    screen.press("31").await;
    screen.tap("[formaction='/station/call']").await;
    screen.is_at("notice").await;
    assert_eq!(screen.text("h1").await, "A judge is coming to table 31");
    drop(follows);
    assert_eq!((hall.count("slip-corrected"), hall.count("review-requested"), hall.count("called")), (1, 1, 1));
    screen.browser.close().await.unwrap();
}

/// A station whose test fails stays closed and says so, also when keys are typed; in the next round it is tested again.
#[tokio::test]
async fn a_station_whose_test_fails_stays_closed() {
    let hall = Hall::open(&["A:T:wespa"]);
    let director = hall.token("director");
    let screen = hall.screen((1280, 800)).await;
    let plays = json!({"plays": [{"words": ["CAT"], "ruling": "unacceptable"}]});
    let set = hall.api(&director, "PUT", "divisions/A/test-deck", plays).await;
    assert_eq!(set.status, 200, "{}", set.body);
    screen.is_at("notice").await;
    assert_eq!(screen.text("h1").await, "This station is closed");
    picture(&screen.browser, "closed.png").await;
    assert!(!screen.text("body").await.contains("CAT"), "it is not told which play");
    let right = json!({"plays": [{"words": ["CAT"], "ruling": "acceptable"}]});
    assert_eq!(hall.api(&director, "PUT", "divisions/A/test-deck", right).await.status, 200);
    screen.is_at("idle").await;
    let round = json!({"division": "A", "number": 7, "state": "open"});
    assert_eq!(hall.api(&director, "POST", "rounds", round).await.status, 201);
    let says_round = || async { screen.text(".footer").await.contains("Round 7") };
    assert!(soon(says_round).await);
    let round = json!({"division": "A", "number": 7, "state": "closed"});
    assert_eq!(hall.api(&director, "POST", "rounds", round).await.status, 201);
    screen.is_at("notice").await;
    assert_eq!(screen.text("h1").await, "No round is open");
    screen.browser.close().await.unwrap();
}

/// Extra time disables the timeouts: nothing clears, Tab moves, and the ruling can be repeated.
#[tokio::test]
async fn extra_time_disables_the_timeouts() {
    let hall = Hall::open(&["A:T:wespa"]);
    let screen = hall.screen((1280, 800)).await;
    screen.tap("[data-extra-time]").await;
    screen.tap("#table").await;
    screen.press(&format!("12{TAB}1{ENTER}")).await;
    screen.is_at("words").await;
    screen.press(&format!("qi{ENTER}")).await;
    screen.is_at("hand-over").await;
    sleep(Duration::from_millis(750)).await;
    screen.press(&TAB.to_string()).await;
    screen.is_at("hand-over").await;
    assert_eq!(screen.run("return document.activeElement.className").await, json!("key main judge"));
    screen.press(&ENTER.to_string()).await;
    screen.is_at("ruling").await;
    // What a screen reader is told: one status, named by the ruling, and the words letter by letter.
    let told = "const at = document.activeElement; return [at.getAttribute('role'), ...at.getAttribute('aria-labelledby').split(' ') \
        .map(id => document.getElementById(id).textContent), document.querySelector('.tiled .visually-hidden').textContent]";
    assert_eq!(screen.run(told).await, json!(["status", "The play is ACCEPTABLE", "Q, I"]));
    sleep(Duration::from_millis(2100)).await;
    screen.press("r").await;
    let is_said = || async {
        screen.run("return document.querySelector('.again').textContent").await == json!("The play is ACCEPTABLE. Q, I")
    };
    assert!(soon(is_said).await);
    screen.press("x").await;
    screen.is_at("ruling").await;
    screen.press(&ESCAPE.to_string()).await;
    screen.is_at("idle").await;
    screen.browser.close().await.unwrap();
}

/// Two divisions at one station: the table decides, and another station's table is sent there without a slip.
#[tokio::test]
async fn the_table_decides_the_division() {
    let hall = Hall::open(&["A:T:wespa", "B:T:naspa"]);
    hall.desk.done(&["division", "set", "demo", "A", "--set", "tables=1-20"]);
    hall.desk.done(&["division", "set", "demo", "B", "--set", "tables=21-40"]);
    hall.desk.done(&["station", "create", "North", "--tournament", "demo", "--division", "B"]);
    let screen = hall.screen((1280, 800)).await;
    screen.press(&format!("99{TAB}1")).await;
    assert!(screen.text("#table-fault").await.contains("No division has this table"));
    picture(&screen.browser, "unknown_table.png").await;
    screen.press(&format!("25{TAB}1")).await;
    screen.is_at("words").await;
    assert_eq!(screen.run("return document.querySelector('.bar .division').dataset.division").await, json!("B"));
    screen.press("qi ").await;
    screen.is_at("hand-over").await;
    screen.judge().await;
    screen.is_at("ruling").await;
    assert_eq!(hall.count("slip-ruled"), 1);
    screen.browser.close().await.unwrap();
}

/// I6 and story 6: the same word at two stations in the same second is two rulings, each for its own table.
#[tokio::test]
async fn two_stations_judge_in_the_same_second() {
    let hall = Hall::open(&["A:T:wespa"]);
    let (one, two) = tokio::join!(hall.screen((1280, 800)), hall.screen((800, 1280)));
    tokio::join!(one.write("8", &["zo"]), two.write("9", &["zo"]));
    tokio::join!(one.judge(), two.judge());
    for (screen, table) in [(&one, "Table 8"), (&two, "Table 9")] {
        screen.is_at("ruling").await;
        assert_eq!(screen.text(".verdict").await, "ACCEPTABLE");
        assert!(screen.text(".sheet").await.contains(table));
    }
    assert_eq!(hall.count("slip-ruled"), 2);
    one.browser.close().await.unwrap();
    two.browser.close().await.unwrap();
}

/// A slow answer that arrives after a faster one is not shown in its place.
#[tokio::test]
async fn an_answer_that_comes_late_changes_nothing() {
    let hall = Hall::open(&["A:T:wespa"]);
    let screen = hall.screen((1280, 800)).await;
    let slow = "const sent = window.fetch; window.late = 0; window.fetch = (address, options) => address !== '/station/words' \
        ? sent(address, options) : sent(address, options).then(answer => new Promise(done => setTimeout(() => { window.late += 1; \
        done(answer); }, 1500)));";
    screen.run(slow).await;
    screen.press(&format!("12{TAB}2")).await;
    // The players start over before the words' page is there.
    screen
        .run("delete document.body.dataset.sent; document.querySelector('[formaction=\"/station/call\"]').click()")
        .await;
    screen.is_at("notice").await;
    let is_late = || async { screen.run("return window.late").await == json!(1) };
    assert!(soon(is_late).await);
    sleep(Duration::from_millis(200)).await;
    screen.is_at("notice").await;
    screen.browser.close().await.unwrap();
}

/// A station that cannot judge shows a notice page that says what to do and calls a judge or director; never a ruling.
#[tokio::test]
async fn a_station_that_cannot_judge_says_so_and_calls_somebody() {
    let hall = Hall::open(&["A:T:wespa"]);
    hall.desk.done(&["division", "set", "demo", "A", "--set", "self_lookup=false"]);
    let screen = hall.screen_at("notice", (1280, 800)).await;
    assert_eq!(screen.text("h1").await, "Players do not look words up here");
    picture(&screen.browser, "self_lookup_off.png").await;
    screen.tap("[value='judge']").await;
    let is_called = || async { screen.text("h1").await == "Raise your hand for a judge" };
    assert!(soon(is_called).await);
    hall.desk.done(&["division", "set", "demo", "A", "--set", "self_lookup=true"]);
    screen.is_at("idle").await;
    // A word that was judged at this table before waits for a judge.
    screen.challenge("40", &["qi", "xx"]).await;
    screen.clear().await;
    screen.write("40", &["qi"]).await;
    screen.judge().await;
    screen.is_at("notice").await;
    assert_eq!(screen.text("h1").await, "A judge has to see this slip");
    assert!(!screen.text("body").await.to_lowercase().contains("acceptable"));
    picture(&screen.browser, "held.png").await;
    assert_eq!((hall.count("slip-ruled"), hall.count("slip-held"), hall.count("called")), (1, 1, 1));
    screen.browser.close().await.unwrap();
}
