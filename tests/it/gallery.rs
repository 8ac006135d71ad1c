//! Every state of the station in both languages at five sizes, for the eye in `target/gallery/screens`.

use std::fs;
use std::path::Path;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as STANDARD;
use serde_json::json;
use tokio::time::sleep;

use crate::harness::soon;
use crate::station::{ESCAPE, Hall, Screen, TAB};

/// The screens that stations have, from a laptop to a telephone.
const SIZES: [(u32, u32); 5] = [(1280, 800), (800, 1280), (1024, 600), (1920, 1080), (390, 844)];

const EIGHT: [&str; 8] = ["oxyphenbutazone"; 8];

/// One browser that shows itself at every size.
struct Gallery<'hall> {
    driver: &'hall str,
    screen: &'hall Screen,
    language: &'hall str,
}

impl Gallery<'_> {
    /// Shows the state at every size, where nothing is wider than the screen.
    async fn show(&self, state: &str) {
        let mut beyond = Vec::new();
        for (width, height) in SIZES {
            let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
            self.screen.devtools(self.driver, "Emulation.setDeviceMetricsOverride", size).await;
            let name = format!("screens/{}-{width}x{height}-{state}.png", self.language);
            self.picture(&name).await;
            let wider = self.screen.run("return document.documentElement.scrollWidth - innerWidth").await;
            if wider.as_i64().unwrap() > 0 {
                beyond.push(name);
            }
        }
        self.screen.devtools(self.driver, "Emulation.clearDeviceMetricsOverride", json!({})).await;
        assert_eq!(beyond, Vec::<String>::new(), "wider than the screen");
    }

    /// Keeps a picture, packed fast: there are hundreds of them.
    async fn picture(&self, name: &str) {
        let wanted = json!({"format": "png", "optimizeForSpeed": true});
        let taken = self.screen.devtools(self.driver, "Page.captureScreenshot", wanted).await;
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/gallery").join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, STANDARD.decode(taken["data"].as_str().unwrap()).unwrap()).unwrap();
    }

    /// The whole way to a ruling, shown as in its first second and as afterwards.
    async fn show_ruling(&self, table: &str, words: &[&str], state: &str) {
        self.screen.write(table, words).await;
        self.screen.judge().await;
        self.screen.is_at("ruling").await;
        self.screen.press("+++").await;
        sleep(Duration::from_millis(1800)).await;
        if state.contains("naspa") {
            self.screen.run("document.body.classList.add('full-screen')").await;
            self.show(&format!("{state}-first-second")).await;
            self.screen.run("document.body.classList.remove('full-screen')").await;
        }
        self.show(state).await;
    }
}

/// The states from the first page to the hand-over.
async fn show_entry(gallery: &Gallery<'_>) {
    let screen = gallery.screen;
    gallery.show("idle").await;
    screen.press("q").await;
    gallery.show("idle-table-first").await;
    screen.press(&format!("12{TAB}9")).await;
    gallery.show("idle-nine-words").await;
    screen.press("2").await;
    screen.is_at("words").await;
    gallery.show("words-empty").await;
    screen.press("c4t q ").await;
    screen.text(".lines .fault").await;
    gallery.show("words-at-fault").await;
    screen.tap("main a[href='/station']").await;
    screen.is_at("idle").await;
    screen.press(&format!("12{TAB}8")).await;
    screen.is_at("words").await;
    screen.press(&EIGHT.join(" ")).await;
    gallery.show("words-eight").await;
    screen.press(" ").await;
    screen.is_at("hand-over").await;
    gallery.show("hand-over-eight").await;
    screen.press(&ESCAPE.to_string()).await;
    screen.is_at("words").await;
    screen.tap("main a[href='/station']").await;
    screen.is_at("idle").await;
    screen.write("12", &["cat", "qi"]).await;
    gallery.show("hand-over").await;
    screen.run("document.querySelector('.endings').open = true").await;
    gallery.show("hand-over-endings").await;
    screen.run("document.body.append(document.getElementById('inactivity').content.cloneNode(true))").await;
    screen.run("document.querySelector('.inactivity .left').textContent = 15").await;
    gallery.show("inactivity").await;
    screen.run("document.querySelector('.inactivity').remove()").await;
    sleep(Duration::from_millis(750)).await;
    screen.tap("[value='withdrawn']").await;
    screen.is_at("notice").await;
    gallery.show("withdrawn").await;
    screen.clear().await;
}

/// The states from the ruling on.
async fn show_outcome(gallery: &Gallery<'_>, ruleset: &str) {
    let screen = gallery.screen;
    let table = if gallery.language == "en" { 20 } else { 40 } + if ruleset == "naspa" { 0 } else { 10 };
    let at = |place: u32| (table + place).to_string();
    gallery.show_ruling(&at(1), &["cat", "qi"], &format!("ruling-acceptable-{ruleset}")).await;
    screen.clear().await;
    gallery.show_ruling(&at(2), &["unstatez"], &format!("ruling-unacceptable-{ruleset}")).await;
    if ruleset == "naspa" {
        screen.tap(".more-keys summary").await;
        gallery.show("ruling-more").await;
        screen.tap("[formaction='/station/mistyped']").await;
        screen.is_at("words").await;
        gallery.show("correction").await;
        screen.press("unstates ").await;
        screen.is_at("hand-over").await;
        gallery.show("correction-hand-over").await;
        screen.judge().await;
        screen.is_at("ruling").await;
        sleep(Duration::from_millis(2100)).await;
        gallery.show("ruling-reversed").await;
    }
    screen.clear().await;
    if ruleset == "wespa" {
        return;
    }
    gallery.show_ruling(&at(3), &EIGHT, "ruling-eight").await;
    screen.tap("[data-review]").await;
    screen.is_at("notice").await;
    gallery.show("who-asks").await;
    screen.tap("[value='opponent']").await;
    screen.text(".sheet").await;
    gallery.show("review-asked").await;
    screen.clear().await;
    // A word that was judged at this table, and another play.
    screen.write(&at(3), &["oxyphenbutazone"]).await;
    screen.judge().await;
    screen.is_at("notice").await;
    gallery.show("held").await;
    screen.tap("[value='judge']").await;
    screen.is_at("notice").await;
    gallery.show("called").await;
    screen.clear().await;
    screen.press(&format!("{}{TAB}1", at(1))).await;
    screen.is_at("words").await;
    screen.press("zo ").await;
    screen.is_at("question").await;
    gallery.show("another-play").await;
    screen.press(&ESCAPE.to_string()).await;
    screen.is_at("words").await;
    screen.tap("main a[href='/station']").await;
    screen.is_at("idle").await;
}

#[tokio::test]
async fn every_state_has_room_in_both_languages_at_every_size() {
    let mut hall = Hall::open(&["A:T:naspa"]);
    let set =
        |hall: &Hall, setting: &[&str]| drop(hall.desk.done(&[&["division", "set", "demo", "A"], setting].concat()));
    set(&hall, &["--set", "parts_s=3600", "--set", "clear_s=60"]);
    let screen = hall.screen((1280, 800)).await;
    let driver = hall.driver.address().to_owned();
    for language in ["en", "fr"] {
        if language == "fr" {
            screen.speak("fr").await;
        }
        let gallery = Gallery { driver: &driver, screen: &screen, language };
        show_entry(&gallery).await;
        show_outcome(&gallery, "naspa").await;
        set(&hall, &["--ruleset", "wespa"]);
        show_outcome(&gallery, "wespa").await;
        set(&hall, &["--set", "self_lookup=false"]);
        screen.is_at("notice").await;
        gallery.show("players-do-not").await;
        set(&hall, &["--set", "self_lookup=true", "--ruleset", "naspa"]);
        screen.is_at("idle").await;
    }
    let gallery = Gallery { driver: &driver, screen: &screen, language: "fr" };
    hall.pull_the_plug();
    screen.is_at("disconnected").await;
    gallery.show("disconnected").await;
    hall.plug_in();
    screen.is_at("idle").await;
    screen.speak("en").await;
    hall.pull_the_plug();
    screen.is_at("disconnected").await;
    Gallery { language: "en", ..gallery }.show("disconnected").await;
    screen.browser.close().await.unwrap();
}

/// A station of two divisions shows which tables and which list belong to each.
#[tokio::test]
async fn a_station_of_several_divisions_shows_each_with_its_tables_and_list() {
    let hall = Hall::open(&["A:T:wespa", "B:T:naspa"]);
    hall.desk.done(&["division", "set", "demo", "A", "--set", "tables=1-20"]);
    hall.desk.done(&["division", "set", "demo", "B", "--set", "tables=21-40"]);
    let screen = hall.screen((1280, 800)).await;
    let shows = || async {
        let shown = screen.text(".divisions").await;
        ["tables 1-20", "tables 21-40", "Test list"].iter().all(|part| shown.contains(part))
    };
    assert!(soon(shows).await, "{}", screen.text(".divisions").await);
    let gallery = Gallery { driver: hall.driver.address(), screen: &screen, language: "en" };
    gallery.show("idle-two-divisions").await;
    screen.browser.close().await.unwrap();
}
