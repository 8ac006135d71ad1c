//! A printed sheet of pairing codes, as a director makes it before an event.

use std::collections::BTreeSet;

use crate::harness::Floor;
use crate::people::{Browser, Page, into_gallery, staff};

async fn director(floor: &Floor) -> Browser {
    let passphrase = staff(&floor.desk, "Dora", "director", &[]);
    let mut director = Browser::of(&floor.server.base);
    assert_eq!(director.sign_in("Dora", &passphrase).await.status, 303);
    director
}

const SHEET: [(&str, &str); 5] =
    [("tournament", "lagos"), ("kind", "station"), ("prefix", "Station"), ("divisions", "A"), ("hall", "Main hall")];

async fn sheet(director: &mut Browser, first: &str, count: &str) -> Page {
    let fields = [SHEET.as_slice(), &[("first", first), ("count", count)]].concat();
    director.post("/director/sheets", &fields).await
}

/// The labels and codes of a sheet, in the order of its cards.
fn cards(page: &Page) -> Vec<(String, String)> {
    let cards = page.body.split("<p class=\"label\"><bdi>").skip(1);
    let text = |rest: &str, end: &str| rest.split(end).next().unwrap().to_owned();
    cards.map(|card| (text(card, "</bdi>"), text(card.split("<p class=\"code\">").nth(1).unwrap(), "</p>"))).collect()
}

/// Sixty codes, each its own card, each found apart from the others, and each waiting for the director.
#[tokio::test]
async fn each_card_of_a_sheet_pairs_its_device_and_waits_for_the_director() {
    let floor = Floor::open();
    let mut director = director(&floor).await;
    let page = sheet(&mut director, "3", "60").await;
    assert_eq!(page.status, 200, "{}", page.body);
    into_gallery("sheet.html", &page);
    let cards = cards(&page);
    let labels: Vec<&str> = cards.iter().map(|(label, _)| label.as_str()).collect();
    assert_eq!((labels.len(), labels[0], labels[59]), (60, "Station 3", "Station 62"));
    assert_eq!(page.body.matches("<svg").count(), 60);
    let beginnings: BTreeSet<&str> = cards.iter().map(|(_, code)| &code[..3]).collect();
    assert_eq!(beginnings.len(), 60, "no card stands in the way of another");
    for (label, code) in [&cards[0], &cards[59]] {
        let mut browser = Browser::of(&floor.server.base);
        assert_eq!(browser.post("/pair", &[("code", code)]).await.to.as_deref(), Some("/pair?waiting"), "{label}");
        assert!(browser.get("/pair").await.body.contains(label.as_str()));
        assert_eq!(browser.get("/station").await.status, 403, "nobody confirmed it");
        let desk = director.get("/director").await;
        let (before, _) = desk.body.split_once("/confirm\"").unwrap();
        let id = before.rsplit('/').next().unwrap().to_owned();
        assert_eq!(director.post(&format!("/director/devices/{id}/confirm"), &[]).await.status, 303);
        assert!(browser.get("/station").await.body.contains(label.as_str()));
    }
    let listed = floor.desk.done(&["station", "list", "--json"]);
    assert_eq!(listed.matches("Main hall").count(), 60);
    // Set-up is over: what is left of the sheet opens nothing, and what was paired stays.
    assert_eq!(director.post("/director/sheets/end", &[]).await.status, 303);
    let mut late = Browser::of(&floor.server.base);
    assert_eq!(late.post("/pair", &[("code", &cards[1].1)]).await.status, 403);
    assert_eq!(floor.desk.done(&["station", "list", "--json"]).matches("Main hall").count(), 2);
    assert!(floor.desk.done(&["ledger", "verify"]).contains("server: whole"));
}

/// All devices of a sheet are made or none.
#[tokio::test]
async fn a_sheet_with_a_label_that_is_taken_makes_nothing() {
    let floor = Floor::open();
    let mut director = director(&floor).await;
    assert_eq!(sheet(&mut director, "3", "1").await.status, 200);
    let entries = "SELECT count(*) FROM entry WHERE kind = 'device-made'";
    let taken = sheet(&mut director, "1", "4").await;
    assert_eq!(taken.status, 422);
    assert!(taken.body.contains("Station 3"), "{}", taken.body);
    for (first, count) in [("0", "4"), ("1", "0"), ("1", "61"), ("one", "4"), ("1", "")] {
        assert_eq!(sheet(&mut director, first, count).await.status, 422, "{first} {count}");
    }
    for (field, value) in [("prefix", ""), ("prefix", "a\nb"), ("divisions", "Z"), ("hall", "a\nb")] {
        let mut fields = [SHEET.as_slice(), &[("first", "10"), ("count", "2")]].concat();
        fields.retain(|(name, _)| *name != field);
        fields.push((field, value));
        assert_eq!(director.post("/director/sheets", &fields).await.status, 422, "{field} {value:?}");
    }
    let elsewhere = [("tournament", "abuja"), ("prefix", "Station"), ("first", "10"), ("count", "2")];
    assert_eq!(director.post("/director/sheets", &elsewhere).await.status, 404);
    assert_eq!(floor.number(entries).await, 1);
    // A text that is no label is shown as text.
    let hostile = [("tournament", "lagos"), ("prefix", "<script>x</script>"), ("first", "1"), ("count", "2")];
    let page = director.post("/director/sheets", &hostile).await;
    assert!(page.status == 200 && !page.body.contains("<script>x"), "{}", page.body);
}
