//! What the station's screens say and how large they say it.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::sleep;

use crate::harness::soon;
use crate::station::{ESCAPE, Hall, TAB};

/// A tablet of 10 inches across its corners, seen from four metres: how many arc minutes capital letters take.
const ARC_MINUTES: &str = "const millimetres = 254 / Math.hypot(innerWidth, innerHeight); \
    const capitals = css => { const pen = document.createElement('canvas').getContext('2d'); \
        const style = getComputedStyle(document.querySelector(css)); \
        pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`; \
        return pen.measureText('E').actualBoundingBoxAscent; }; \
    return ['.verdict', '.instruction', '.points b'].filter(css => document.querySelector(css)) \
        .map(css => Math.atan(capitals(css) * millimetres / 4000) * 180 * 60 / Math.PI)";

/// From four metres on a 10-inch tablet the ruling is read at 10 arc minutes, points and turn at 5; it takes three fifths of
/// the height at least, and the whole screen for its first second.
#[tokio::test]
async fn both_rulings_are_read_from_four_metres() {
    let hall = Hall::open(&["A:T:wespa"]);
    for (place, size) in [(1280, 800), (800, 1280), (1024, 600)].into_iter().enumerate() {
        let screen = hall.screen(size).await;
        let mut styles = Vec::new();
        for (word, table) in [("cat", place * 2 + 1), ("catz", place * 2 + 2)] {
            // The class that fills the screen is gone too soon to be looked at from here.
            screen
                .hurry(
                    "new MutationObserver(() => window.filled ||= document.body.classList.contains('full-screen')) \
                .observe(document.documentElement, { attributes: true, childList: true, subtree: true });",
                )
                .await;
            screen.run("delete window.filled").await;
            screen.challenge(&table.to_string(), &[word]).await;
            assert_eq!(screen.run("return window.filled").await, json!(true), "{size:?} {word}");
            let minutes: Vec<f64> = serde_json::from_value(screen.run(ARC_MINUTES).await).unwrap();
            assert!(minutes[0] >= 10.0, "{size:?} {word}: {minutes:?}");
            assert!(minutes[1..].iter().all(|minutes| *minutes >= 5.0), "{size:?} {word}: {minutes:?}");
            let share = "return document.querySelector('.band').getBoundingClientRect().height / innerHeight";
            assert!(screen.run(share).await.as_f64().unwrap() >= 0.6, "{size:?} {word}");
            let beside = "return [...document.querySelectorAll('.keys > .key, .keys > details > summary')] \
                .filter(key => key.getBoundingClientRect().width && !key.matches('.main')).length";
            assert!(screen.run(beside).await.as_u64().unwrap() <= 3, "{size:?} {word}: keys beside Done");
            let style = "const { fontSize, fontWeight } = getComputedStyle(document.querySelector('.verdict')); \
                const mark = document.querySelector('.mark').getBoundingClientRect().height; return [fontSize, fontWeight, mark]";
            styles.push(screen.run(style).await);
            screen.clear().await;
        }
        assert_eq!(styles[0], styles[1], "{size:?}: one ruling is as heavy as the other");
        screen.browser.close().await.unwrap();
    }
}

/// The first page says what to press, at once where something else was pressed.
#[tokio::test]
async fn the_first_page_refuses_letters_and_nine_words_at_once() {
    let hall = Hall::open(&["A:T:wespa"]);
    let screen = hall.screen((1280, 800)).await;
    assert_eq!(
        screen.text(".typed").await.split_whitespace().collect::<Vec<_>>().join(" "),
        "1 Table number 2 How many words 3 Type them"
    );
    screen.press("c").await;
    assert_eq!(screen.text("#table-fault").await, "First your table number");
    screen.press("1a2").await;
    assert_eq!(screen.run("return document.querySelector('#table').value").await, json!("12"));
    for count in ["9", "0", "c"] {
        screen.press(&format!("{TAB}{count}")).await;
        assert_eq!(screen.text("#count-fault").await, "1 to 8", "{count}");
        screen.is_at("idle").await;
    }
    screen.press("2").await;
    screen.is_at("words").await;
    screen.browser.close().await.unwrap();
}

/// The setting of the division chooses the order of the letter keys; the language does where it says nothing.
#[tokio::test]
async fn letter_keys_stand_in_the_order_that_the_division_chose() {
    let hall = Hall::open(&["A:T:wespa"]);
    let screen = hall.screen((800, 1280)).await;
    for (setting, first) in [("", "QWERTYUIOP"), ("azerty", "AZERTYUIOP"), ("alphabet", "ABCDEFGHIJKLMNOPQRSTUVWXYZ")] {
        if !setting.is_empty() {
            hall.desk.done(&["division", "set", "demo", "A", "--set", &format!("keyboard={setting}")]);
            sleep(Duration::from_millis(1500)).await;
        }
        screen.press(&format!("12{TAB}1")).await;
        screen.is_at("words").await;
        let row = "return [...document.querySelectorAll('.letter-pad .row:first-child [data-letter]')].map(key => key.textContent).join('')";
        assert_eq!(screen.run(row).await, json!(first), "{setting}");
        screen.tap("main a[href='/station']").await;
        screen.is_at("idle").await;
    }
    screen.browser.close().await.unwrap();
}

/// FIELD-REPORTS L7: silent unless the division wants a tone, and then the tone does not tell the ruling.
#[tokio::test]
async fn a_tone_sounds_only_where_it_is_set_and_is_the_same_for_both_rulings() {
    let hall = Hall::open(&["A:T:wespa"]);
    let screen = hall.screen((1280, 800)).await;
    let listen = "window.tones = []; const start = OscillatorNode.prototype.start; \
        OscillatorNode.prototype.start = function (...when) { window.tones.push(this.frequency.value); return start.apply(this, when); }";
    screen.run(listen).await;
    let tones = async || -> Vec<Value> { serde_json::from_value(screen.run("return window.tones").await).unwrap() };
    screen.challenge("11", &["cat"]).await;
    screen.clear().await;
    assert_eq!(tones().await, Vec::<Value>::new(), "it is silent by default");
    hall.desk.done(&["division", "set", "demo", "A", "--set", "sound=true"]);
    sleep(Duration::from_millis(1500)).await;
    for (table, word) in [("12", "cat"), ("13", "catz")] {
        screen.challenge(table, &[word]).await;
        screen.clear().await;
    }
    screen.tap("[formaction='/station/call']").await;
    screen.is_at("notice").await;
    let sounded = || async { tones().await.len() == 3 };
    assert!(soon(sounded).await);
    let tones = tones().await;
    assert_eq!(tones[0], tones[1], "both rulings sound alike");
    assert_ne!(tones[0], tones[2], "a call has a tone of its own");
    screen.browser.close().await.unwrap();
}

/// Where there is only touch the keys name no keys of a keyboard.
#[tokio::test]
async fn a_screen_with_touch_alone_names_no_keys_of_a_keyboard() {
    let hall = Hall::open(&["A:T:wespa"]);
    let screen = hall.screen((800, 1280)).await;
    screen.write("12", &["cat"]).await;
    let hints =
        "return [...document.querySelectorAll('kbd')].filter(hint => hint.getBoundingClientRect().width).length";
    assert_ne!(screen.run(hints).await, json!(0));
    let driver = hall.driver.address();
    let touch = json!({"enabled": true, "maxTouchPoints": 5});
    screen.devtools(driver, "Emulation.setTouchEmulationEnabled", touch).await;
    let size = json!({"width": 800, "height": 1280, "deviceScaleFactor": 1, "mobile": true});
    screen.devtools(driver, "Emulation.setDeviceMetricsOverride", size).await;
    let is_hidden = || async { screen.run(hints).await == json!(0) };
    assert!(soon(is_hidden).await);
    screen.press(&ESCAPE.to_string()).await;
    screen.browser.close().await.unwrap();
}

/// A word of 15 letters stands in one row, on a telephone too, and takes the room there is.
#[tokio::test]
async fn a_long_word_never_looks_like_two() {
    let hall = Hall::open(&["A:T:wespa"]);
    for (table, size) in [("11", (390, 844)), ("12", (1024, 600)), ("13", (1280, 800))] {
        let screen = hall.screen(size).await;
        screen.write(table, &["oxyphenbutazone"; 8]).await;
        let rows = "return [...document.querySelectorAll('.tiled li')] \
            .map(word => new Set([...word.querySelectorAll('.tile')].map(tile => tile.getBoundingClientRect().top)).size)";
        assert_eq!(screen.run(rows).await, json!([1, 1, 1, 1, 1, 1, 1, 1]), "{size:?}");
        screen.press(&ESCAPE.to_string()).await;
        screen.is_at("words").await;
        screen.tap("main a[href='/station']").await;
        screen.is_at("idle").await;
        screen.browser.close().await.unwrap();
    }
}
