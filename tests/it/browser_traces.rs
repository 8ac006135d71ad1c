//! Traces that a station leaves on its page, in its browser and in what was sent to it: none reveals a challenge or the list.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::station::{Hall, TAB};

/// Every file of a browser's profile, with what is in it.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            found.extend(files(&entry));
        } else if entry.is_file() {
            found.push((entry.display().to_string(), fs::read(&entry).unwrap()));
        }
    }
    found
}

/// A text as files keep it, in bytes or in pairs of them, in capitals or not.
fn spellings(text: &str) -> Vec<Vec<u8>> {
    let cases = [text.to_uppercase(), text.to_lowercase()];
    let wide = |text: &String| text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    cases.iter().map(|text| text.clone().into_bytes()).chain(cases.iter().map(wide)).collect()
}

fn holding(files: &[(String, Vec<u8>)], text: &str) -> Vec<String> {
    let spellings = spellings(text);
    let holds = |bytes: &[u8]| spellings.iter().any(|text| bytes.windows(text.len()).any(|some| some == text));
    files.iter().filter(|(_, bytes)| holds(bytes)).map(|(name, _)| name.clone()).collect()
}

/// FIELD-REPORTS L6, K1: a browser that was closed over a ruling and opened again shows the first page, and nothing that
/// was typed is in any of its files.
#[tokio::test]
async fn a_browser_that_is_closed_and_opened_again_knows_nothing() {
    let hall = Hall::open(&["A:T:wespa"]);
    let screen = hall.screen((1280, 800)).await;
    screen.challenge("12", &["quizzify", "zo"]).await;
    let profile = screen.close().await;
    let again = hall.screen_of(profile, "idle", (1280, 800)).await;
    let page = again.browser.source().await.unwrap().to_uppercase();
    assert!(!page.contains("QUIZZIFY") && !page.contains("UNACCEPTABLE"));
    let profile = again.close().await;
    let files = files(profile.path());
    assert_eq!(holding(&files, "quizzify"), Vec::<String>::new(), "of {} files", files.len());
    // It would have been found: the station's address is there.
    assert_ne!(holding(&files, "/station"), Vec::<String>::new());
}

/// ECOSYSTEM 3.3, FIELD-REPORTS I7, I26, L7, F20: no autofill or spelling help, no copying or dragging, no sound.
#[tokio::test]
async fn stations_disable_autofill_clipboard_and_speech() {
    let hall = Hall::open(&["A:T:wespa"]);
    let screen = hall.screen((1280, 800)).await;
    screen.press(&format!("12{TAB}1")).await;
    screen.is_at("words").await;
    screen.press("cat").await;
    let wanted = json!({"autocomplete": "off", "autocorrect": "off", "autocapitalize": "characters", "spellcheck": "false",
        "writingsuggestions": "false", "translate": "no", "lang": "zxx", "inputmode": "none", "data-1p-ignore": "",
        "data-lpignore": "true", "data-gramm": "false"});
    let names: Vec<&String> = wanted.as_object().unwrap().keys().collect();
    let found = "const field = document.querySelector('.letters'); \
        return Object.fromEntries(arguments[0].map(name => [name, field.getAttribute(name)]))";
    assert_eq!(screen.browser.execute(found, vec![json!(names)]).await.unwrap(), wanted);
    let refused = "return ['contextmenu', 'dragstart', 'drop', 'copy', 'cut', 'paste'].filter(kind => \
        document.querySelector('.letters').dispatchEvent(new Event(kind, { bubbles: true, cancelable: true })))";
    assert_eq!(screen.run(refused).await, json!([]));
    let selectable = "return [...document.querySelectorAll('main :not(input)')].filter(one => \
        getComputedStyle(one).userSelect !== 'none' && !one.closest('.rack')).map(one => one.outerHTML)";
    assert_eq!(screen.run(selectable).await, json!([]));
    let parts = "return document.querySelectorAll('audio, video, datalist, iframe, object, embed, textarea, [title], [accesskey]').length";
    assert_eq!(screen.run(parts).await, json!(0));
    let workers = "const done = arguments[0]; navigator.serviceWorker.getRegistrations().then(all => done(all.length))";
    assert_eq!(screen.browser.execute_async(workers, vec![]).await.unwrap(), json!(0));
    screen.browser.close().await.unwrap();
}

/// FIELD-REPORTS K12: what a browser is sent holds no word of any list.
#[test]
fn nothing_that_is_sent_to_a_browser_is_a_word_list() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("static");
    for (name, bytes) in files(&folder).into_iter().filter(|(name, _)| !name.contains("swagger")) {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let mut run = 0;
        for line in text.lines() {
            run = if !line.is_empty() && line.chars().all(char::is_alphabetic) { run + 1 } else { 0 };
            assert!(run < 5, "{name} has words one a line");
        }
    }
}

/// FIELD-REPORTS I3: as many lines as words were announced.
#[tokio::test]
async fn the_entry_page_has_a_line_for_each_announced_word() {
    let hall = Hall::open(&["A:T:wespa"]);
    let screen = hall.screen((1024, 600)).await;
    for count in 1..=8 {
        screen.press(&format!("12{TAB}{count}")).await;
        screen.is_at("words").await;
        assert_eq!(screen.run("return document.querySelectorAll('.letters').length").await, json!(count));
        screen.tap("main a[href='/station']").await;
        screen.is_at("idle").await;
    }
    screen.browser.close().await.unwrap();
}
