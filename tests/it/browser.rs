//! A real browser, driven as Debian ships it.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use fantoccini::{Client, ClientBuilder};
use serde_json::json;

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

    /// Where it listens: `http://127.0.0.1:40000`.
    pub fn address(&self) -> &str {
        &self.address
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

/// Keeps a picture for the eye in target/gallery.
pub async fn picture(browser: &Client, name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/gallery");
    let file = folder.join(name);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, browser.screenshot().await.unwrap()).unwrap();
}
