//! Double taps: the second tap is not for the next screen; and a language that the last players chose.

use std::time::Duration;

use fantoccini::actions::{InputSource as _, MouseActions, PointerAction};
use serde_json::json;
use tokio::time::sleep;

use crate::browser::picture;
use crate::harness::soon;
use crate::station::{Hall, Screen, TAB};

impl Screen {
    /// Taps twice at one place, as fast as nervous fingers do.
    async fn tap_twice(&self, css: &str) {
        let place = "const box = document.querySelector(arguments[0]).getBoundingClientRect(); \
            return [Math.round(box.left + box.width / 2), Math.round(box.top + box.height / 2)]";
        let place = self.browser.execute(place, vec![json!(css)]).await.unwrap();
        let (x, y): (f64, f64) = serde_json::from_value(place).unwrap();
        let tap = |actions: MouseActions| {
            actions
                .then(PointerAction::Down { button: fantoccini::actions::MOUSE_BUTTON_LEFT })
                .then(PointerAction::Up { button: fantoccini::actions::MOUSE_BUTTON_LEFT })
        };
        let first = MouseActions::new("finger".to_owned()).then(PointerAction::MoveTo { duration: None, x, y });
        let second = tap(first).then(PointerAction::Pause { duration: Duration::from_millis(250) });
        self.browser.perform_actions(tap(second)).await.unwrap();
        sleep(Duration::from_millis(400)).await;
    }
}

/// The second tap does not press what lies where a key lay on the screen before.
#[tokio::test]
async fn the_second_of_two_taps_is_not_for_the_next_screen() {
    let hall = Hall::open(&["A:T:naspa"]);
    for size in [(1024, 600), (800, 1280)] {
        let screen = hall.screen(size).await;
        screen.speak("fr").await;
        assert!(screen.text("h1").await.contains("Pendule"));
        screen.press(&format!("12{TAB}")).await;
        screen.tap_twice(".pad [data-letter='1']").await;
        screen.is_at("words").await;
        assert_eq!(screen.run("return document.querySelector('.letters').value").await, json!(""));
        screen.press("xq ").await;
        screen.is_at("hand-over").await;
        sleep(Duration::from_millis(750)).await;
        screen.tap_twice(".judge").await;
        screen.is_at("ruling").await;
        // The ruling fills the screen for its first second.
        sleep(Duration::from_millis(1200)).await;
        picture(&screen.browser, &format!("french-{}-comes-off.png", size.0)).await;
        // All that the table does now can be read.
        let hidden = "const keys = document.querySelector('.keys').getBoundingClientRect().top; \
            return [...document.querySelectorAll('.instruction-box p, .sheet')].filter(one => one.getBoundingClientRect().bottom > keys + 1) \
                .map(one => one.textContent)";
        assert_eq!(screen.run(hidden).await, json!([]), "{size:?}");
        sleep(Duration::from_millis(2100)).await;
        screen.tap_twice("[data-dismiss]").await;
        screen.is_at("idle").await;
        assert!(screen.text("h1").await.contains("Pendule"));
        screen.browser.close().await.unwrap();
    }
    assert_eq!((hall.count("slip-ruled"), hall.count("called"), hall.count("review-requested")), (2, 0, 0));
}

/// A key that moved up under the finger, and what lay under a warning, are not pressed either; and a finger that drags
/// across the warning answers it.
#[tokio::test]
async fn a_button_that_moves_under_a_tap_is_not_activated() {
    let hall = Hall::open(&["A:T:naspa"]);
    let screen = hall.screen((1024, 600)).await;
    screen.hurry("if (page.body.dataset.screen === 'hand-over') page.body.dataset.idleS = 3;").await;
    screen.write("12", &["cat"]).await;
    sleep(Duration::from_millis(750)).await;
    screen.tap_twice(".endings summary").await;
    screen.is_at("hand-over").await;
    assert_eq!(screen.run("return document.querySelector('.endings').open").await, json!(true));
    assert_eq!(hall.count("challenge-disposed"), 0);
    screen.text(".inactivity").await;
    let drag = "for (const kind of ['pointerdown', 'pointermove', 'pointerup']) \
        document.querySelector('.inactivity').dispatchEvent(new PointerEvent(kind, { bubbles: true, cancelable: true }))";
    screen.run(drag).await;
    let is_answered =
        || async { screen.run("return document.querySelectorAll('.inactivity').length").await == json!(0) };
    assert!(soon(is_answered).await);
    screen.text(".inactivity").await;
    screen.tap_twice(".judge").await;
    screen.is_at("hand-over").await;
    assert_eq!(hall.count("slip-ruled"), 0);
    screen.browser.close().await.unwrap();
}

/// A superseded reload of the first page does not keep the next reload from being made.
#[tokio::test]
async fn a_notice_clears_even_if_its_reload_was_superseded() {
    let hall = Hall::open(&["A:T:wespa"]);
    let screen = hall.screen((1280, 800)).await;
    screen.challenge("12", &["cat"]).await;
    let slow = "const sent = window.fetch; window.fetch = async (address, options) => { \
        if (address === '/station/tests') await new Promise(then => setTimeout(then, 4000)); return sent(address, options); }";
    screen.run(slow).await;
    sleep(Duration::from_millis(2100)).await;
    screen.press("x").await;
    screen.tap_more("[formaction='/station/call']").await;
    screen.is_at("notice").await;
    sleep(Duration::from_millis(1100)).await;
    screen.press("x").await;
    screen.is_at("idle").await;
    screen.browser.close().await.unwrap();
}

/// The next players did not choose the language, whether the page was loaded anew meanwhile or not.
#[tokio::test]
async fn a_language_is_given_up_when_nobody_is_there() {
    let hall = Hall::open(&["A:T:wespa"]);
    let screen = hall.screen((1280, 800)).await;
    // Three minutes are made five seconds.
    let hurry = "const wait = window.setTimeout; window.setTimeout = (then, ms, ...more) => wait(then, ms === 180000 ? 5000 : ms, ...more)";
    screen.devtools(hall.driver.address(), "Page.addScriptToEvaluateOnNewDocument", json!({"source": hurry})).await;
    screen.browser.refresh().await.unwrap();
    screen.is_at("idle").await;
    let is_given_up = async || screen.speaks("en").await || screen.speaks("en").await;
    screen.speak("fr").await;
    assert!(is_given_up().await);
    // At the same place as before, and not for the screen before.
    sleep(Duration::from_millis(600)).await;
    screen.speak("fr").await;
    screen.browser.refresh().await.unwrap();
    assert!(screen.speaks("fr").await);
    assert!(is_given_up().await);
    assert!(screen.text("h1").await.contains("Clock stopped?"));
    screen.browser.close().await.unwrap();
}
