//! What was pressed and not meant, and what was meant and pressed badly: keys, fingers, and words that were never in sight.

use std::collections::BTreeSet;
use std::time::Duration;

use fantoccini::actions::{
    Actions, InputSource as _, KeyAction, KeyActions, MOUSE_BUTTON_LEFT, PointerAction, TouchActions,
};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::browser::picture;
use crate::harness::soon;
use crate::station::{ENTER, ESCAPE, Hall, Screen, TAB};

/// How far a finger slides, and never off its key.
const SLIDE_PX: f64 = 15.0;

impl Screen {
    /// Presses keys one after the other, `apart` from each other.
    async fn press_apart(&self, keys: &str, apart: Duration) {
        let mut actions = KeyActions::new("keys".to_owned());
        for value in keys.chars() {
            actions = actions.then(KeyAction::Down { value }).then(KeyAction::Up { value });
            actions = actions.then(KeyAction::Pause { duration: apart });
        }
        self.browser.perform_actions(actions).await.unwrap();
    }

    async fn centre(&self, css: &str) -> (f64, f64) {
        let place = "const box = document.querySelector(arguments[0]).getBoundingClientRect(); \
            return [Math.round(box.left + box.width / 2), Math.round(box.top + box.height / 2)]";
        let place = self.browser.execute(place, vec![json!(css)]).await.unwrap();
        serde_json::from_value(place).unwrap()
    }

    /// Taps letter keys with fingers of both hands: each goes down before the one before it is lifted.
    async fn tap_overlapping(&self, letters: &str) {
        let mut hands = [TouchActions::new("left".to_owned()), TouchActions::new("right".to_owned())];
        let pause = || PointerAction::Pause { duration: Duration::from_millis(60) };
        let mut places = Vec::new();
        for letter in letters.chars() {
            places.push(self.centre(&format!(".letter-pad [data-letter='{letter}']")).await);
        }
        // A step of its own for each: down on the first beat of a letter, up on the first of the letter after next.
        let beats = places.len() + 1;
        for (hand, actions) in hands.iter_mut().enumerate() {
            let mut own = std::mem::replace(actions, TouchActions::new("none".to_owned()));
            for beat in 0..=beats {
                let is_down = beat < places.len() && beat % 2 == hand;
                own = match places.get(beat) {
                    Some(&(x, y)) if is_down => own
                        .then(PointerAction::MoveTo { duration: None, x, y })
                        .then(PointerAction::Down { button: MOUSE_BUTTON_LEFT }),
                    _ => own.then(pause()).then(pause()),
                };
                let was_down = beat > 0 && (beat - 1) < places.len() && (beat - 1) % 2 == hand;
                own = if was_down {
                    own.then(PointerAction::Up { button: MOUSE_BUTTON_LEFT })
                } else {
                    own.then(pause())
                };
            }
            *actions = own;
        }
        let [left, right] = hands;
        self.browser.perform_actions(Actions::from(left).and(right)).await.unwrap();
    }

    /// Taps a control with a finger that slides on it before it is lifted.
    async fn tap_sliding(&self, css: &str) {
        let (x, y) = self.centre(css).await;
        let finger = TouchActions::new("finger".to_owned())
            .then(PointerAction::MoveTo { duration: None, x, y })
            .then(PointerAction::Down { button: MOUSE_BUTTON_LEFT })
            .then(PointerAction::MoveTo { duration: Some(Duration::from_millis(60)), x: x - SLIDE_PX, y })
            .then(PointerAction::Up { button: MOUSE_BUTTON_LEFT });
        self.browser.perform_actions(finger).await.unwrap();
    }

    async fn words_typed(&self) -> Value {
        self.run("return [...document.querySelectorAll('.letters')].map(line => line.value)").await
    }

    /// Whether a control of that kind has the focus.
    async fn focuses(&self, css: &str) -> bool {
        self.browser.execute("return document.activeElement.matches(arguments[0])", vec![json!(css)]).await.unwrap()
            == json!(true)
    }

    /// Notes from now on which tiles of the page lay open to the eye, by the word's place and the tile's in it.
    async fn watch_tiles(&self) {
        let watch = "window.inSight = new Set(); const look = () => { \
            for (const tile of document.querySelectorAll('.hand-over .tile')) { \
                const box = tile.getBoundingClientRect(); \
                const ends = [[box.left + 3, box.top + 3], [box.right - 3, box.bottom - 3]]; \
                if (!ends.every(([x, y]) => document.elementFromPoint(x, y) === tile)) continue; \
                const word = tile.parentElement; \
                window.inSight.add([...word.parentElement.children].indexOf(word) + '.' + [...word.children].indexOf(tile)); \
            } requestAnimationFrame(look); }; look();";
        self.run(watch).await;
    }

    async fn tiles_in_sight(&self) -> usize {
        let seen: BTreeSet<String> = serde_json::from_value(self.run("return [...window.inSight]").await).unwrap();
        seen.len()
    }
}

/// A press too many at the hand-over must not take the ruling away: before its least time is over no key moves the focus or
/// acts, but the one that keeps the ruling longer.
#[tokio::test]
async fn no_key_but_keep_showing_acts_before_a_ruling_was_shown_long_enough() {
    let hall = Hall::open(&["A:T:wespa"]);
    let screen = hall.screen((1280, 800)).await;
    screen.write("22", &["unstatez"]).await;
    screen.judge().await;
    screen.is_at("ruling").await;
    sleep(Duration::from_millis(100)).await;
    screen.press(&TAB.to_string()).await;
    assert!(screen.focuses(".ruling").await, "Tab moved the focus at once");
    picture(&screen.browser, "held-ruling.png").await;
    sleep(Duration::from_millis(800)).await;
    screen.press(&format!("{ENTER} {ESCAPE}x")).await;
    let keys = "for (const key of document.querySelectorAll('.after .key:not([data-longer])')) key.click(); \
        return document.querySelector('[data-dismiss] .left').textContent";
    let left: u32 = screen.run(keys).await.as_str().unwrap().parse().unwrap();
    screen.tap("[data-longer]").await;
    screen.is_at("ruling").await;
    let is_longer = || async { screen.text("[data-dismiss] .left").await.parse::<u32>().unwrap() > left };
    assert!(soon(is_longer).await, "Keep showing acts at once");
    screen.run("document.querySelector('.ruling').focus()").await;
    sleep(Duration::from_secs(2)).await;
    // Nothing that was pressed before is done now.
    screen.is_at("ruling").await;
    assert_eq!((hall.count("called"), hall.count("review-requested")), (0, 0));
    screen.press(&TAB.to_string()).await;
    assert!(screen.focuses("[data-review]").await);
    screen.press(&ENTER.to_string()).await;
    screen.is_at("notice").await;
    screen.browser.close().await.unwrap();
}

/// Every screen that opens from a ruling leads back to it, by Esc and by a key that says so.
#[tokio::test]
async fn every_screen_that_opens_from_a_ruling_leads_back_to_it() {
    let hall = Hall::open(&["A:T:wespa"]);
    let screen = hall.screen((1280, 800)).await;
    let is_back = async |from: &str| {
        screen.is_at("ruling").await;
        assert_eq!(screen.text(".verdict").await, "UNACCEPTABLE", "{from}");
        sleep(Duration::from_millis(2100)).await;
    };
    screen.challenge("22", &["unstatez"]).await;
    // The word is typed anew, and its hand-over.
    screen.tap_more("[formaction='/station/mistyped']").await;
    screen.is_at("words").await;
    picture(&screen.browser, "mistyped-leads-back.png").await;
    screen.press(&ESCAPE.to_string()).await;
    is_back("words").await;
    screen.tap_more("[formaction='/station/mistyped']").await;
    screen.is_at("words").await;
    screen.tap("[data-back]").await;
    is_back("words, by its key").await;
    screen.tap_more("[formaction='/station/mistyped']").await;
    screen.is_at("words").await;
    screen.press("unstates ").await;
    screen.is_at("hand-over").await;
    picture(&screen.browser, "corrected-leads-back.png").await;
    screen.tap("[data-ruling]").await;
    is_back("hand-over of a correction").await;
    // A judge was called.
    screen.tap_more("[formaction='/station/call']").await;
    screen.is_at("notice").await;
    picture(&screen.browser, "called-leads-back.png").await;
    sleep(Duration::from_millis(1100)).await;
    screen.press(&ESCAPE.to_string()).await;
    is_back("called").await;
    // Who asks, and that it was asked for: the key of the call before is not in its way.
    screen.tap("[data-review]").await;
    screen.is_at("notice").await;
    picture(&screen.browser, "who-asks-leads-back.png").await;
    sleep(Duration::from_millis(750)).await;
    screen.press(&format!("x {ENTER}")).await;
    screen.is_at("notice").await;
    screen.press(&ESCAPE.to_string()).await;
    is_back("who asks").await;
    screen.tap("[data-review]").await;
    screen.is_at("notice").await;
    screen.tap("[value='opponent']").await;
    screen.text(".sheet").await;
    sleep(Duration::from_millis(1100)).await;
    screen.tap("[data-back]").await;
    is_back("review asked for").await;
    assert_eq!((hall.count("called"), hall.count("review-requested"), hall.count("slip-corrected")), (1, 1, 0));
    screen.clear().await;
    // Several words: the question who asks for a judge.
    screen.challenge("25", &["cat", "zz"]).await;
    screen.tap_more("[formaction='/station/mistyped']").await;
    screen.is_at("notice").await;
    sleep(Duration::from_millis(750)).await;
    screen.press(&ESCAPE.to_string()).await;
    is_back("mistyped, of several words").await;
    screen.browser.close().await.unwrap();
}

/// A key pressed twice within 50 ms is one press where the first led to another screen.
#[tokio::test]
async fn a_key_pressed_twice_types_nothing_on_the_next_screen() {
    let hall = Hall::open(&["A:T:wespa"]);
    let screen = hall.screen((1280, 800)).await;
    for apart in [0, 5, 20, 50, 200] {
        screen.press_apart(&format!("12{TAB}22"), Duration::from_millis(apart)).await;
        screen.is_at("words").await;
        assert_eq!(screen.words_typed().await, json!(["", ""]), "{apart} ms");
        // A digit where a word is to begin is the number of words, however late.
        sleep(Duration::from_millis(400)).await;
        screen.press("2").await;
        assert_eq!(screen.words_typed().await, json!(["", ""]), "{apart} ms");
        // Letters that come fast are typed all the same, doubled ones too, and a digit in a word is shown.
        screen.press("aa2").await;
        assert_eq!(screen.words_typed().await, json!(["aa2", ""]), "{apart} ms");
        screen.tap(".keys a").await;
        screen.is_at("idle").await;
    }
    screen.press(&format!("12{TAB}1aas ")).await;
    screen.is_at("hand-over").await;
    assert_eq!(screen.text(".tiled .visually-hidden").await, "A, A, S");
    screen.judge().await;
    screen.is_at("ruling").await;
    // The key that clears a ruling is not the next table's first digit.
    sleep(Duration::from_millis(2100)).await;
    screen.press_apart("77", Duration::from_millis(50)).await;
    screen.is_at("idle").await;
    sleep(Duration::from_millis(300)).await;
    assert_eq!(screen.run("return document.querySelector('#table').value").await, json!(""));
    screen.browser.close().await.unwrap();
}

/// Taps that overlap and taps that slide type every letter, in the order in which the fingers came down.
#[tokio::test]
async fn overlapping_and_sliding_taps_lose_no_letter() {
    let hall = Hall::open(&["A:T:wespa"]);
    for size in [(1024, 600), (800, 1280), (390, 844)] {
        let screen = hall.screen(size).await;
        screen.press(&format!("12{TAB}2")).await;
        screen.is_at("words").await;
        screen.tap_overlapping("UNSTATES").await;
        assert_eq!(screen.words_typed().await, json!(["UNSTATES", ""]), "{size:?}: overlapping");
        screen.tap_sliding(".keys [data-next]").await;
        for letter in "UNSTATES".chars() {
            screen.tap_sliding(&format!(".letter-pad [data-letter='{letter}']")).await;
        }
        assert_eq!(screen.words_typed().await, json!(["UNSTATES", "UNSTATES"]), "{size:?}: sliding");
        // Other controls take a finger that slides too, and none that slides off.
        screen.tap_sliding(".keys [data-next]").await;
        screen.is_at("hand-over").await;
        sleep(Duration::from_millis(750)).await;
        let (x, y) = screen.centre(".judge").await;
        let off = TouchActions::new("finger".to_owned())
            .then(PointerAction::MoveTo { duration: None, x, y })
            .then(PointerAction::Down { button: MOUSE_BUTTON_LEFT })
            .then(PointerAction::MoveTo { duration: Some(Duration::from_millis(60)), x: 2.0, y: 150.0 })
            .then(PointerAction::Up { button: MOUSE_BUTTON_LEFT });
        screen.browser.perform_actions(off).await.unwrap();
        sleep(Duration::from_millis(300)).await;
        screen.is_at("hand-over").await;
        screen.tap_sliding(".judge").await;
        screen.is_at("ruling").await;
        screen.browser.close().await.unwrap();
    }
    assert_eq!(hall.count("slip-ruled"), 3);
}

/// Where a slip is longer than the screen, as at 200 % zoom, no key judges a word that was never in sight.
#[tokio::test]
async fn what_was_never_in_sight_is_not_judged() {
    let hall = Hall::open(&["A:T:wespa"]);
    let eight = ["oxyphenbutazone"; 8];
    for (table, size, press) in [("31", (640, 300), TAB), ("32", (640, 300), ENTER), ("33", (390, 380), TAB)] {
        let screen = hall.screen(size).await;
        screen.write(table, &eight).await;
        screen.watch_tiles().await;
        sleep(Duration::from_millis(100)).await;
        picture(&screen.browser, &format!("zoomed-hand-over-{table}.png")).await;
        let order = "return document.querySelector('.judge').getBoundingClientRect().top - \
            [...document.querySelectorAll('.tile')].at(-1).getBoundingClientRect().bottom";
        assert!(screen.run(order).await.as_f64().unwrap() > 0.0, "the judging key comes after the last word");
        let mut presses = 0;
        while screen.run("return document.body.dataset.screen").await == json!("hand-over") {
            if presses == 1 {
                picture(&screen.browser, &format!("zoomed-hand-over-{table}-next.png")).await;
            }
            assert!(presses < 20, "it is judged at last");
            sleep(Duration::from_millis(750)).await;
            let says_more = !screen.text("[data-more]").await.is_empty();
            assert!(says_more || screen.tiles_in_sight().await == 8 * 15, "{table}: it says that there is more");
            screen.press(&press.to_string()).await;
            presses += 1;
            sleep(Duration::from_millis(300)).await;
        }
        assert!(presses > 1, "the first press showed the rest");
        assert_eq!(screen.tiles_in_sight().await, 8 * 15, "{table}: every tile was in sight");
        screen.is_at("ruling").await;
        screen.browser.close().await.unwrap();
    }
    // By touch: neither the key itself nor what lies over the rest judges unseen words.
    let screen = hall.screen((640, 300)).await;
    screen.write("34", &eight).await;
    sleep(Duration::from_millis(750)).await;
    screen.run("document.querySelector('.judge').click()").await;
    sleep(Duration::from_millis(300)).await;
    screen.is_at("hand-over").await;
    assert_eq!(hall.count("slip-ruled"), 3);
    while screen.run("return document.querySelector('[data-more]').hidden").await == json!(false) {
        screen.tap("[data-more]").await;
        sleep(Duration::from_millis(100)).await;
    }
    sleep(Duration::from_millis(750)).await;
    screen.tap(".judge").await;
    screen.is_at("ruling").await;
    screen.browser.close().await.unwrap();
}

/// A letter too many, typed for the words, opens no way to end the challenge.
#[tokio::test]
async fn a_letter_typed_for_the_words_opens_no_ending() {
    let hall = Hall::open(&["A:T:naspa"]);
    let screen = hall.screen((1280, 800)).await;
    screen.press(&format!("12{TAB}1qi w")).await;
    screen.is_at("hand-over").await;
    screen.press("w").await;
    let is_open = || screen.run("return document.querySelector('.endings').open");
    assert_eq!(is_open().await, json!(false));
    sleep(Duration::from_millis(750)).await;
    screen.press("w").await;
    assert_eq!(is_open().await, json!(true));
    screen.press("ox").await;
    assert_eq!(is_open().await, json!(false));
    screen.press(&format!("{TAB}{ENTER}")).await;
    assert_eq!((hall.count("challenge-disposed"), hall.count("slip-ruled")), (0, 0));
    screen.browser.close().await.unwrap();
}

/// The page header tells on demand which list is in use, and does not take the focus.
#[tokio::test]
async fn the_head_tells_the_words_and_the_fingerprint_of_the_list() {
    let hall = Hall::open(&["A:T:wespa"]);
    let list: Value = serde_json::from_str(&hall.desk.done(&["lexicon", "info", "T", "--json"])).unwrap();
    let fingerprint = list["fingerprint"].as_str().unwrap()[..8].to_owned();
    for (size, language) in [((1280, 800), "en"), ((390, 844), "fr")] {
        let screen = hall.screen(size).await;
        if language == "fr" {
            screen.speak("fr").await;
        }
        screen.press(&format!("12{TAB}1")).await;
        screen.is_at("words").await;
        screen.press("q").await;
        assert_eq!(screen.run("return document.querySelector('.bar details').open").await, json!(false));
        screen.tap(".bar summary").await;
        let told = screen.text(".bar .list p").await;
        let words = if language == "fr" { "14 mots" } else { "14 words" };
        assert!(told.contains(words) && told.contains(&fingerprint), "{told}");
        picture(&screen.browser, &format!("head-{language}.png")).await;
        screen.press("i").await;
        assert_eq!(screen.words_typed().await, json!(["qi"]));
        screen.press(" ").await;
        screen.is_at("hand-over").await;
        screen.browser.close().await.unwrap();
    }
}

/// When a play is filed in parts, CAT and then QIXX, the station asks about it before any word is looked up: players who say
/// that it is the same play get a judge and no ruling.
#[tokio::test]
async fn a_slip_soon_after_another_one_asks_whether_it_is_another_play() {
    let hall = Hall::open(&["A:T:wespa"]);
    for (size, language) in [((1280, 800), "en"), ((390, 844), "fr")] {
        let screen = hall.screen(size).await;
        if language == "fr" {
            screen.speak("fr").await;
        }
        let table = if language == "fr" { "13" } else { "12" };
        screen.challenge(table, &["cat"]).await;
        screen.clear().await;
        let ruled = hall.count("slip-ruled");
        screen.press(&format!("{table}{TAB}1")).await;
        screen.is_at("words").await;
        screen.press("qixx ").await;
        screen.is_at("question").await;
        if language == "en" {
            let asked = screen.text("h1").await;
            assert!(
                asked.contains("Slip 1 of this table was judged less than 1 minute ago. Is this another play?"),
                "{asked}"
            );
        }
        // What was pressed for the screen before answers nothing.
        screen.press(&format!("{ENTER}{TAB}{ENTER} ")).await;
        screen.is_at("question").await;
        picture(&screen.browser, &format!("another-play-{language}.png")).await;
        screen.press(&ESCAPE.to_string()).await;
        screen.is_at("words").await;
        assert_eq!(screen.words_typed().await, json!(["qixx"]));
        screen.press(&ENTER.to_string()).await;
        screen.is_at("question").await;
        sleep(Duration::from_millis(750)).await;
        screen.tap("[value='no']").await;
        screen.is_at("notice").await;
        picture(&screen.browser, &format!("parts-held-{language}.png")).await;
        if language == "en" {
            assert_eq!(screen.text("h1").await, "A judge has to see this slip");
            assert!(screen.text(".steps").await.contains("All words of a play get one ruling together"));
        }
        assert_eq!(hall.count("slip-ruled"), ruled, "nothing was ruled");
        assert!(hall.entries().lines().last().unwrap().contains("\"kind\":\"slip-held\""));
        screen.clear().await;
        // Another play is judged as ever; by keys alone.
        screen.press(&format!("{table}{TAB}1")).await;
        screen.is_at("words").await;
        screen.press("zo ").await;
        screen.is_at("question").await;
        sleep(Duration::from_millis(750)).await;
        screen.press(&TAB.to_string()).await;
        assert!(screen.focuses("[value='yes']").await);
        screen.press(&ENTER.to_string()).await;
        screen.is_at("hand-over").await;
        screen.judge().await;
        screen.is_at("ruling").await;
        assert_eq!(hall.count("slip-ruled"), ruled + 1);
        assert!(hall.entries().lines().last().unwrap().contains("\"parts_of\""));
        screen.browser.close().await.unwrap();
    }
}
