//! One walk through the station in a real browser: keyboard only, no JavaScript of ours.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use fantoccini::key::Key;
use fantoccini::{Client, ClientBuilder, Locator};
use serde_json::json;

use crate::floor::{Desk, Server};

/// Debian's driver and the Chromium it drives.
pub struct Driver {
    child: Child,
    address: String,
}

impl Driver {
    pub fn start() -> Self {
        let mut child = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver is installed; scripts/test does that");
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let port = lines.find_map(|line| {
            let line = line.unwrap();
            let (_, port) = line.split_once("started successfully on port ")?;
            Some(port.trim_end_matches('.').to_owned())
        });
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, address: format!("http://127.0.0.1:{}", port.expect("chromedriver says its port")) }
    }

    pub async fn browser(&self, profile: &Path, (width, height): (u32, u32)) -> Client {
        let arguments = [
            "--headless=new".to_owned(),
            "--no-sandbox".to_owned(),
            "--disable-gpu".to_owned(),
            "--disable-quic".to_owned(),
            "--no-first-run".to_owned(),
            "--disable-background-networking".to_owned(),
            "--disable-component-update".to_owned(),
            "--disable-sync".to_owned(),
            format!("--window-size={width},{height}"),
            format!("--user-data-dir={}", profile.display()),
        ];
        let wanted = json!({"acceptInsecureCerts": true, "goog:chromeOptions": {"args": arguments}});
        let wanted = wanted.as_object().unwrap().clone();
        let mut builder = ClientBuilder::new(hyper_util::client::legacy::connect::HttpConnector::new());
        let browser = builder.capabilities(wanted).connect(&self.address).await.unwrap();
        // The window's frame takes its share: what matters is the page's own size.
        let frame =
            browser.execute("return [outerWidth - innerWidth, outerHeight - innerHeight]", vec![]).await.unwrap();
        let (frame_width, frame_height): (u32, u32) = serde_json::from_value(frame).unwrap();
        browser.set_window_size(width + frame_width, height + frame_height).await.unwrap();
        browser
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

async fn press(browser: &Client, keys: &str) {
    browser.active_element().await.unwrap().send_keys(keys).await.unwrap();
}

async fn text(browser: &Client, css: &str) -> String {
    browser.wait().for_element(Locator::Css(css)).await.unwrap().text().await.unwrap()
}

/// Keeps a picture for the eye in target/gallery.
pub async fn picture(browser: &Client, name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/gallery");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(name), browser.screenshot().await.unwrap()).unwrap();
}

/// Types a slip with the keyboard alone, up to the ruling; returns the headline.
async fn challenge(browser: &Client, station: &str, table: &str, words: &[&str], name: &str) -> String {
    let (tab, enter) = (Key::Tab.to_string(), Key::Enter.to_string());
    browser.goto(station).await.unwrap();
    assert!(text(browser, "h1").await.contains("Clock stopped?"));
    assert!(text(browser, "body").await.contains("open word list, not a tournament list"));
    picture(browser, &format!("{name}-1-idle.png")).await;
    press(browser, table).await;
    press(browser, &tab).await;
    press(browser, &format!("{}{enter}", words.len())).await;
    browser.wait().for_element(Locator::Css("#word-1")).await.unwrap();
    for (place, word) in words.iter().enumerate() {
        press(browser, word).await;
        let last = place + 1 == words.len();
        if last {
            picture(browser, &format!("{name}-2-words.png")).await;
        }
        press(browser, if last { &enter } else { &tab }).await;
    }
    browser.wait().for_element(Locator::Css(".hand-over")).await.unwrap();
    picture(browser, &format!("{name}-3-hand-over.png")).await;
    // The opponent: the first Tab reaches the judging key.
    press(browser, &tab).await;
    press(browser, &enter).await;
    let headline = text(browser, ".ruling h1").await;
    picture(browser, &format!("{name}-4-ruling.png")).await;
    headline
}

#[tokio::test]
async fn two_players_walk_to_the_station_and_read_one_ruling() {
    let desk = Desk::empty();
    let server = Server::spawn(desk.command(&["demo", "--listen", "127.0.0.1:0"]));
    let station = format!("{}/station", server.base);
    let driver = Driver::start();
    for (name, size) in [("desktop", (1280, 800)), ("tablet", (800, 1280)), ("small", (1024, 600))] {
        let profile = tempfile::tempdir().unwrap();
        let browser = driver.browser(profile.path(), size).await;
        assert_eq!(challenge(&browser, &station, "12", &["cat", "dog"], &format!("{name}-stays")).await, "PLAY STAYS");
        assert!(text(&browser, ".points").await.contains("+10"));
        let off = ["abdominoplasty", "xqjz", "misunderstandin", "cats", "dogs", "ears", "eyes", "qat"];
        assert_eq!(challenge(&browser, &station, "13", &off, &format!("{name}-comes-off")).await, "PLAY COMES OFF");
        let page = text(&browser, "body").await;
        assert!(!page.contains("PLAY STAYS") && page.contains("unacceptable"));
        let overflow =
            browser.execute("return document.documentElement.scrollWidth - window.innerWidth", vec![]).await.unwrap();
        assert!(overflow.as_i64().unwrap() <= 0, "{name}: the ruling is wider than the screen by {overflow}");
        let elsewhere = browser.execute(
            "return performance.getEntriesByType('resource').filter(one => !one.name.startsWith(location.origin)).length", vec![]);
        assert_eq!(elsewhere.await.unwrap(), json!(0), "nothing is fetched from elsewhere");
        browser.close().await.unwrap();
    }
    drop(driver);
    assert!(desk.done(&["ledger", "verify"]).contains("demo: whole, 8 entries"));
}
