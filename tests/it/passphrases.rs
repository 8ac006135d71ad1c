//! Directors and observers choose a passphrase of their own; a judge's PIN is drawn.

use crate::harness::Floor;
use crate::people::{Browser, Page, into_gallery, staff, tablet};

const CHOSEN: &str = "seven wooden rooks dance";

async fn choose(browser: &mut Browser, old: &str, new: &str, again: &str) -> Page {
    browser.post("/passphrase", &[("old", old), ("new", new), ("again", again)]).await
}

async fn signed_in(floor: &Floor, name: &str, secret: &str) -> Browser {
    let mut browser = Browser::of(&floor.server.base);
    assert_eq!(browser.sign_in(name, secret).await.status, 303);
    browser
}

#[tokio::test]
async fn a_passphrase_is_chosen_by_the_old_one_and_ends_every_other_session() {
    let floor = Floor::open();
    let old = staff(&floor.desk, "Dora", "director", &[]);
    let (mut here, mut elsewhere) = (signed_in(&floor, "Dora", &old).await, signed_in(&floor, "Dora", &old).await);
    into_gallery("passphrase.html", &here.get("/passphrase").await);
    assert!(here.get("/director").await.body.contains("href=\"/passphrase\""));
    for (typed, new, again, status) in [
        (old.as_str(), "too short", "too short", 422),
        (&old, CHOSEN, "seven wooden rooks danced", 422),
        (&old, "passwordpassword", "passwordpassword", 422),
        ("not the old one at all", CHOSEN, CHOSEN, 403),
    ] {
        let page = choose(&mut here, typed, new, again).await;
        assert_eq!(page.status, status, "{}", page.body);
        assert!(!page.body.contains(CHOSEN) && page.body.contains("class=\"fault\""), "{}", page.body);
    }
    assert_eq!(elsewhere.get("/director").await.status, 200, "nothing is changed yet");
    let page = choose(&mut here, &old, CHOSEN, CHOSEN).await;
    assert_eq!(page.status, 200, "{}", page.body);
    into_gallery("passphrase_changed.html", &page);
    assert_eq!(here.get("/director").await.status, 200, "whoever changed it stays");
    assert_eq!(elsewhere.get("/director").await.to.as_deref(), Some("/sign-in"));
    assert_eq!(elsewhere.sign_in("Dora", &old).await.status, 403);
    assert_eq!(elsewhere.sign_in("Dora", CHOSEN).await.status, 303);
    let folder = floor.desk.data().join("export");
    floor.desk.done(&["ledger", "export", folder.to_str().unwrap()]);
    let exported = std::fs::read_to_string(folder.join("server.jsonl")).unwrap();
    assert_eq!(exported.matches("\"kind\":\"passphrase-chosen\"").count(), 1);
    assert!(!exported.contains(CHOSEN));
    assert!(floor.desk.done(&["ledger", "verify"]).contains("server: whole"));
}

/// A person who finds an open session can neither take over the account nor guess for long.
#[tokio::test]
async fn guessing_the_old_passphrase_waits_like_a_sign_in() {
    let floor = Floor::open();
    let old = staff(&floor.desk, "Olaf", "observer", &[]);
    let mut browser = signed_in(&floor, "Olaf", &old).await;
    assert!(browser.get("/").await.body.contains("href=\"/passphrase\""));
    for _ in 0..5 {
        assert_eq!(choose(&mut browser, "wrong and wrong again", CHOSEN, CHOSEN).await.status, 403);
    }
    assert_eq!(choose(&mut browser, &old, CHOSEN, CHOSEN).await.status, 403, "the right one waits too");
    assert_eq!(browser.sign_in("Olaf", CHOSEN).await.status, 403);
    let counted = floor.number("SELECT count(*) FROM entry WHERE kind = 'sign-in-refused'").await;
    assert_eq!(counted, 5);
}

#[tokio::test]
async fn only_a_person_with_a_passphrase_changes_it() {
    let floor = Floor::open();
    let pin = staff(&floor.desk, "Ida", "judge", &[]);
    let mut tablet = tablet(&floor).await;
    assert_eq!(tablet.get("/passphrase").await.to.as_deref(), Some("/sign-in"), "a device is nobody here");
    assert_eq!(tablet.sign_in("Ida", &pin).await.status, 303);
    let page = tablet.get("/passphrase").await;
    assert!(page.status == 403 && page.body.contains("you sign in by a PIN"), "{}", page.body);
    assert_eq!(choose(&mut tablet, &pin, CHOSEN, CHOSEN).await.status, 403);
    assert!(!tablet.get("/").await.body.contains("href=\"/passphrase\""));
    let token = floor.get(&floor.director, "/passphrase").await;
    assert_eq!(token.status, 404);
    // A new passphrase that a director drew meanwhile is not overwritten by a person who knew the old one.
    let old = staff(&floor.desk, "Dora", "director", &[]);
    let mut browser = signed_in(&floor, "Dora", &old).await;
    let new = floor.desk.done(&["staff", "reset", "Dora"]);
    assert_eq!(choose(&mut browser, &old, CHOSEN, CHOSEN).await.to.as_deref(), Some("/sign-in"));
    assert_eq!(browser.sign_in("Dora", new.trim()).await.status, 303);
}
