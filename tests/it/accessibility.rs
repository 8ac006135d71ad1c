//! The accessibility of the station: axe-core on every screen, contrast, languages, and what a screen reader is told.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::sleep;

use crate::browser::picture;
use crate::station::{Hall, Screen, TAB};

impl Screen {
    /// What only the browser's own tools can set.
    pub async fn devtools(&self, driver: &str, command: &str, parameters: Value) -> Value {
        let session = self.browser.session_id().await.unwrap().unwrap();
        let url = format!("{driver}/session/{session}/goog/cdp/execute");
        let sent = reqwest::Client::new().post(url).json(&json!({"cmd": command, "params": parameters})).send().await;
        let answer = sent.unwrap();
        assert!(answer.status().is_success(), "{command}");
        answer.json::<Value>().await.unwrap()["value"].clone()
    }

    /// What axe-core finds wrong with the page as it is, by the rules of WCAG 2.2 AA and its own good practice.
    async fn violations(&self) -> Value {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/tools/axe.min.js");
        let axe = fs::read_to_string(file).expect("axe-core is there; scripts/test fetches it");
        self.run(&format!("if (!window.axe) {{ {axe} }}")).await;
        let look = "const done = arguments[0]; axe.run(document, { resultTypes: ['violations'] }).then(found => \
            done(found.violations.flatMap(one => one.nodes.map(node => one.id + ': ' + node.html + ' ' + node.failureSummary))))";
        self.browser.execute_async(look, vec![]).await.unwrap()
    }
}

/// As whom the browser shows itself for each picture of a screen.
const LOOKS: [(&str, &str, &str); 4] = [
    ("light", "prefers-color-scheme", "light"),
    ("contrast", "prefers-contrast", "more"),
    ("forced", "forced-colors", "active"),
    ("dark", "prefers-color-scheme", "dark"),
];

/// Goes through every screen of a challenge, and hands each to `look`.
async fn walk(hall: &mut Hall, screen: &Screen, look: impl AsyncFn(&str)) {
    look("idle").await;
    screen.press(&format!("12{TAB}2")).await;
    screen.is_at("words").await;
    look("words").await;
    screen.press("c4t qi ").await;
    screen.text(".lines .fault").await;
    look("words-at-fault").await;
    screen.press("\u{e003}\u{e003}\u{e003}cat ").await;
    screen.press(" ").await;
    screen.is_at("hand-over").await;
    look("hand-over").await;
    screen.tap(".endings summary").await;
    look("endings").await;
    screen.run("document.querySelector('.endings').open = false; document.querySelector('h1').focus()").await;
    sleep(Duration::from_millis(750)).await;
    screen.judge().await;
    screen.is_at("ruling").await;
    screen.press("++").await;
    look("stays").await;
    screen.clear().await;
    screen.challenge("13", &["cat", "zzz"]).await;
    screen.press("++").await;
    look("comes-off").await;
    screen.tap("[data-review]").await;
    screen.is_at("notice").await;
    look("who-asks").await;
    screen.tap("[value='opponent']").await;
    screen.text(".sheet").await;
    look("review-asked").await;
    screen.clear().await;
    screen.write("13", &["cat"]).await;
    screen.judge().await;
    screen.is_at("notice").await;
    look("held").await;
    screen.tap("[value='judge']").await;
    screen.is_at("notice").await;
    look("called").await;
    screen.clear().await;
    hall.pull_the_plug();
    sleep(Duration::from_millis(1100)).await;
    screen.press("14").await;
    screen.tap(".keys [data-next]").await;
    screen.press("1").await;
    screen.is_at("disconnected").await;
    look("no-connection").await;
}

/// Every screen at one size: in the colours that readers ask for, for the eye in target/gallery; and read from right to
/// left it still has room.
async fn every_screen(name: &str, size: (u32, u32)) {
    let mut hall = Hall::open(&["A:T:naspa"]);
    let screen = hall.screen(size).await;
    let driver = hall.driver.address().to_owned();
    let look = async |state: &str| {
        for (look, feature, value) in LOOKS {
            let features =
                json!([{"name": "prefers-color-scheme", "value": "light"}, {"name": feature, "value": value}]);
            screen.devtools(&driver, "Emulation.setEmulatedMedia", json!({"features": features})).await;
            picture(&screen.browser, &format!("every/{name}-{state}-{look}.png")).await;
            if look == "light" || look == "dark" {
                assert_eq!(screen.violations().await, json!([]), "{state}, {look}");
            }
        }
        screen.devtools(&driver, "Emulation.setEmulatedMedia", json!({"features": []})).await;
        for way in ["rtl", "ltr"] {
            screen.run(&format!("document.documentElement.dir = '{way}'")).await;
            let beyond = "return [...document.querySelectorAll('body *')].filter(one => { \
                const box = one.getBoundingClientRect(); \
                return !one.closest('.visually-hidden') && box.width && (box.left < -1 || box.right > innerWidth + 1) \
                }).map(one => one.outerHTML.slice(0, 120))";
            assert_eq!(screen.run(beyond).await, json!([]), "{state}, {way}: out of sight");
            if way == "rtl" {
                picture(&screen.browser, &format!("every/{name}-{state}-rtl.png")).await;
            }
        }
    };
    walk(&mut hall, &screen, look).await;
    // It would have been found.
    screen.run("document.querySelector('main').append(document.createElement('button'))").await;
    assert_ne!(screen.violations().await, json!([]));
    screen.browser.close().await.unwrap();
}

#[tokio::test]
async fn every_laptop_screen_passes_axe_and_fits() {
    every_screen("desktop", (1280, 800)).await;
}

#[tokio::test]
async fn every_tablet_screen_passes_axe_and_fits() {
    every_screen("tablet", (800, 1280)).await;
}

/// Players choose their language; the ledger keeps its own, and the next players the station's.
#[tokio::test]
async fn players_choose_their_language() {
    let mut hall = Hall::open(&["A:T:wespa"]);
    let screen = hall.screen((1280, 800)).await;
    screen.press("22").await;
    screen.speak("fr").await;
    assert!(screen.text("h1").await.contains("Pendule arrêtée"));
    picture(&screen.browser, "french-1-idle.png").await;
    let document = "return [document.documentElement.lang, document.documentElement.dir, document.querySelector('#table').value, \
        document.cookie, history.length]";
    assert_eq!(screen.run(document).await, json!(["fr", "ltr", "22", "", 2]));
    screen.press(&format!("{TAB}1x-y ")).await;
    screen.is_at("words").await;
    assert_eq!(
        screen.text(".lines .fault").await,
        "«\u{a0}-\u{a0}» en position 2 n’est pas une lettre de cet alphabet"
    );
    picture(&screen.browser, "french-2-words.png").await;
    screen.press("\u{e003}\u{e003}\u{e003}qi ").await;
    screen.is_at("hand-over").await;
    picture(&screen.browser, "french-3-hand-over.png").await;
    screen.judge().await;
    screen.is_at("ruling").await;
    assert_eq!(screen.text(".verdict").await, "VALABLE");
    let now = ["Le joueur du coup contesté garde son coup.", "Le joueur qui conteste joue."].join("\n\n");
    assert_eq!(screen.text(".instructions").await, now);
    assert_eq!(screen.text(".points").await, "+5\npour le joueur du coup contesté");
    picture(&screen.browser, "french-4-stays.png").await;
    assert!(hall.entries().contains("The play stays and the opponent scores 5 more points."));
    screen.clear().await;
    hall.pull_the_plug();
    sleep(Duration::from_millis(1100)).await;
    screen.press(&format!("23{TAB}1")).await;
    screen.is_at("disconnected").await;
    assert!(screen.text("h1").await.starts_with("Pas de connexion au serveur"));
    hall.plug_in();
    screen.is_at("idle").await;
    screen.speak("en").await;
    assert!(screen.text("h1").await.contains("Clock stopped?"));
    screen.browser.close().await.unwrap();
}

/// FIELD-REPORTS K6: the rulings are told apart without any colour, at twice the size, and in the reader's own colours.
#[tokio::test]
async fn the_rulings_are_told_apart_without_colour() {
    let hall = Hall::open(&["A:T:wespa"]);
    // Twice as large is half as much room.
    for (name, size) in [("zoomed", (640, 400)), ("plain", (1280, 800))] {
        let screen = hall.screen(size).await;
        let mut shapes = Vec::new();
        for (ruling, table, word) in [("stays", "31", "cat"), ("off", "32", "catz")] {
            screen.challenge(table, &[word]).await;
            picture(&screen.browser, &format!("{name}-{ruling}.png")).await;
            let reach = "return document.documentElement.scrollWidth - innerWidth";
            assert!(screen.run(reach).await.as_i64().unwrap() <= 0, "{name}");
            let seen = "const box = document.querySelector('.band').getBoundingClientRect(); \
                const head = document.querySelector('.ruling h1').getBoundingClientRect(); \
                return head.top >= 0 && head.bottom <= innerHeight && box.width > innerWidth / 2";
            assert_eq!(screen.run(seen).await, json!(true), "{name}: the ruling is in sight");
            for grey in ["grayscale(1)", "none"] {
                screen.run(&format!("document.documentElement.style.filter = '{grey}'")).await;
                picture(&screen.browser, &format!("{name}-{ruling}-{}.png", &grey[..4])).await;
            }
            // Both rulings are filled and as light as each other; shape, sign and words tell them apart.
            let light = "const light = colour => { const [r, g, b] = colour.match(/[\\d.]+/g).map(Number); \
                return (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255; }; \
                const panel = document.querySelector('.band'); const style = getComputedStyle(panel); \
                return [light(style.backgroundColor), style.borderRadius + style.clipPath, document.querySelector('.mark-sign').getAttribute('d'), \
                document.querySelector('.ruling').textContent.trim().split(/\\s+/).join(' ')]";
            shapes.push(screen.run(light).await);
            screen.clear().await;
        }
        let [stays, off] = shapes.as_slice() else { panic!("two rulings") };
        assert!((off[0].as_f64().unwrap() - stays[0].as_f64().unwrap()).abs() < 0.1, "{name}: {stays} {off}");
        for place in 1..4 {
            assert_ne!(stays[place], off[place], "{name}");
        }
        screen.browser.close().await.unwrap();
    }
}

/// K8: the ruling is announced once, and by the name that the screen shows.
#[tokio::test]
async fn the_ruling_is_announced_once() {
    let hall = Hall::open(&["A:T:wespa"]);
    let screen = hall.screen((1280, 800)).await;
    screen.challenge("12", &["qi", "xx"]).await;
    let told = "const live = [...document.querySelectorAll('[role=status], [role=alert], [aria-live]')]; \
        return [document.activeElement.className, live.filter(one => one.textContent.trim()).length, \
        live.map(one => one.textContent.trim().split(/\\s+/).join(' ')).join('|'), document.documentElement.lang, document.title]";
    let expected = json!(["ruling unacceptable", 1, "The play is UNACCEPTABLE|", "en", "Station – adjudge"]);
    assert_eq!(screen.run(told).await, expected);
    // The accessibility tree, as the browser hands it to a screen reader.
    let session = screen.browser.session_id().await.unwrap().unwrap();
    let ask = async |path: &str| -> Value {
        let url = format!("{}/session/{session}/element/{path}", hall.driver.address());
        reqwest::get(url).await.unwrap().json::<Value>().await.unwrap()["value"].clone()
    };
    let focused = ask("active").await;
    let element = focused.as_object().unwrap().values().next().unwrap().as_str().unwrap().to_owned();
    assert_eq!(ask(&format!("{element}/computedrole")).await, json!("status"));
    assert_eq!(ask(&format!("{element}/computedlabel")).await, json!("The play is UNACCEPTABLE"));
    screen.browser.close().await.unwrap();
}
