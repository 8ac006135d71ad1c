//! One name is one person, however it is typed; and one name in two tournaments is two of them.

use reqwest::{Client, Method};
use serde_json::{Value, json};

use crate::harness::{Answer, Desk, Floor};
use crate::people::{Browser, staff};

/// José, composed and taken apart, in capitals, with blanks and with invisible marks.
const JOSE: [&str; 4] =
    ["Jos\u{e9} Abreu", "Jose\u{301} Abreu", " JOS\u{c9}  \u{202E}ABREU", "jo\u{200B}s\u{e9}\u{a0}abreu"];

#[tokio::test]
async fn jose_is_one_player_however_his_name_is_typed() {
    let desk = Desk::ready();
    desk.done(&["ruleset", "copy", "wespa", "club"]);
    desk.done(&["ruleset", "set", "club", "unsuccessful.escalation=[0,5,20]", "unsuccessful.per=play"]);
    desk.done(&["division", "set", "lagos", "A", "--ruleset", "club"]);
    let floor = Floor::of(desk);
    let mut amounts = Vec::new();
    for (place, (name, word)) in JOSE.iter().zip(["CAT", "QI", "ZA", "AA"]).enumerate() {
        let slip = json!({"division": "A", "table": place + 1, "words": [word], "challenger": name});
        let filed = floor.read(&floor.director, &floor.file(&format!("k{place}"), slip).await).await;
        amounts.push(filed["penalty"]["points"]["amount"].as_i64().unwrap());
        let folded = filed["challenger"].as_str().unwrap().to_lowercase();
        assert_eq!(folded, "jos\u{e9} abreu", "it is recorded in one way");
    }
    assert_eq!(amounts, [0, 5, 20, 20]);
    let audit = "/api/v1/tournaments/lagos/audit?player=jose%CC%81%20abreu";
    assert_eq!(floor.get(&floor.director, audit).await.json()["slips"].as_array().map(Vec::len), Some(4));
    let nobody = json!({"division": "A", "table": 9, "words": ["CAT"], "challenger": "\u{202E}\u{3164}"});
    assert_eq!(floor.file("n", nobody).await.json()["field"], json!("challenger"));
}

#[tokio::test]
async fn a_director_who_plays_is_known_however_the_name_is_typed() {
    let floor = Floor::open();
    let passphrase = staff(&floor.desk, "Andre\u{301}", "director", &["--plays", "Jose\u{301}  Abreu"]);
    let mut andre = Browser::of(&floor.server.base);
    assert_eq!(andre.sign_in("ANDR\u{c9}", &passphrase).await.status, 303);
    for (place, name) in JOSE.iter().enumerate() {
        let slip = json!({"division": "A", "table": place + 1, "words": ["CAT"], "opponent": name});
        let filed = floor.file(&format!("k{place}"), slip).await;
        let path = format!("{}/rulings", filed.location.as_ref().unwrap());
        let ruling = json!({"ruling": "acceptable", "ground": "misprint"});
        let request = Client::new().post(floor.url(&path)).header("Cookie", andre.cookie()).json(&ruling);
        let own = Answer::of(request.header("Sec-Fetch-Site", "same-origin").send().await.unwrap()).await;
        assert_eq!((own.status, own.problem().as_str()), (403, "own-game"), "{name:?}");
    }
}

/// Invisible characters are kept in no label, title or note.
#[tokio::test]
async fn invisible_characters_stay_in_no_title_label_or_note() {
    let floor = Floor::open();
    let desk = &floor.desk;
    let create = ["tournament", "create", "abuja", "--title", "Abuja\u{202E}  Open", "--division", "A:T:wespa"];
    desk.done(&create);
    desk.done(&["station", "create", "Station\u{200B} 1\u{202C}", "--tournament", "abuja", "--hall", "Hall\u{FEFF} 2"]);
    desk.done(&["token", "create", "--role", "client", "--tournament", "abuja", "--name", "Results\u{AD}"]);
    let list = desk.file("own.txt", b"CAT\nDOG\n");
    let import = ["lexicon", "import", list.to_str().unwrap(), "--id", "OWN", "--title", "Own\u{2066} list"];
    desk.done(&[&import[..], &["--edition", "\u{202D}1"]].concat());
    let ruled = floor.file("a", json!({"division": "A", "table": 1, "words": ["CAT"]})).await;
    let ruling = json!({"ruling": "acceptable", "ground": "seen\u{202E}", "note": "by \u{600}both"});
    assert_eq!(floor.about(&floor.director, "r", &ruled, "rulings", ruling).await.status, 201);
    for hidden in ["\u{202E}", "\u{202C}", "\u{202D}", "\u{200B}", "\u{FEFF}", "\u{AD}", "\u{2066}", "\u{600}"] {
        let exported = floor.desk.data().join("export");
        let _ = std::fs::remove_dir_all(&exported);
        desk.done(&["ledger", "export", exported.to_str().unwrap()]);
        for file in std::fs::read_dir(&exported).unwrap().map(|file| file.unwrap().path()) {
            assert!(!std::fs::read_to_string(&file).unwrap().contains(hidden), "{hidden:?} in {}", file.display());
        }
    }
    let labels: Value = serde_json::from_str(&desk.done(&["station", "list", "--json"])).unwrap();
    assert_eq!(labels["devices"][0]["label"], json!("Station 1"));
}

/// A tournament's names are its own; a name of the whole server is unique, and no tournament can take it.
#[tokio::test]
async fn two_tournaments_may_have_people_devices_and_tokens_of_one_name() {
    let floor = Floor::open();
    let desk = &floor.desk;
    desk.done(&["tournament", "create", "abuja", "--title", "Abuja Open", "--division", "A:T:wespa"]);
    let made = |of: &[&str], more: &[&str]| desk.done(&[of, more].concat()).trim().to_owned();
    let unclear = |of: &[&str]| {
        let said = desk.refused(2, of);
        assert!(said.contains("abuja") && said.contains("lagos") && said.contains("--tournament"), "{said}");
    };
    let ann = ["staff", "add", "Ann", "--role", "director", "--tournament"];
    let secrets = ["lagos", "abuja"].map(|tournament| made(&ann, &[tournament]));
    for taken in ["lagos", "abuja", "server"] {
        let said = desk.refused(2, &["staff", "add", "ANN ", "--role", "judge", "--tournament", taken]);
        assert!(said.contains("is taken"), "{said}");
    }
    desk.done(&["staff", "add", "Olu", "--role", "director", "--tournament", "server"]);
    desk.refused(2, &["staff", "add", "olu", "--role", "judge", "--tournament", "lagos"]);

    // Each signs in by their own secret, and by no other.
    let reads = async |secret: &str, tournament: &str| {
        let mut browser = Browser::of(&floor.server.base);
        assert_eq!(browser.sign_in("ann", secret).await.status, 303);
        browser.api(Method::GET, &format!("/api/v1/tournaments/{tournament}/audit"), None, None).await.status
    };
    for (secret, (own, other)) in secrets.iter().zip([("lagos", "abuja"), ("abuja", "lagos")]) {
        assert_eq!((reads(secret, own).await, reads(secret, other).await), (200, 404));
    }
    assert_eq!(Browser::of(&floor.server.base).sign_in("Ann", "four words of nobody").await.status, 403);

    unclear(&["staff", "reset", "ann"]);
    let new = made(&["staff", "reset", "ann", "--tournament", "abuja"], &[]);
    assert_eq!(reads(&new, "abuja").await, 200);
    assert_eq!(reads(&secrets[0], "lagos").await, 200, "the other one keeps hers");
    unclear(&["staff", "remove", "Ann"]);
    desk.done(&["staff", "remove", "Ann", "--tournament", "lagos"]);
    desk.done(&["staff", "reset", "Ann"]);

    let station = ["station", "create", "Station 1", "--tournament"];
    for tournament in ["lagos", "abuja"] {
        made(&station, &[tournament]);
        desk.refused(2, &["station", "create", "STATION  1", "--tournament", tournament]);
    }
    unclear(&["station", "code", "Station 1"]);
    desk.done(&["station", "code", "Station 1", "--tournament", "lagos"]);
    unclear(&["station", "revoke", "Station 1"]);
    desk.done(&["station", "revoke", "Station 1", "--tournament", "lagos"]);
    desk.done(&["station", "revoke", "station 1"]);

    let token = ["token", "create", "--role", "client", "--name", "Results", "--tournament"];
    for tournament in ["lagos", "abuja"] {
        made(&token, &[tournament]);
        let other = ["token", "create", "--role", "judge", "--name", "RESULTS", "--tournament", tournament];
        desk.refused(2, &other);
    }
    unclear(&["token", "revoke", "results"]);
    desk.done(&["token", "revoke", "results", "--tournament", "abuja"]);
    desk.done(&["token", "revoke", "Results"]);
    assert!(desk.refused(2, &["token", "revoke", "Results"]).contains("adjudge token list"));
}

/// The desk asks for round 1, and opens it.
#[tokio::test]
async fn the_desk_asks_for_round_one_and_opens_it() {
    let floor = Floor::open();
    let passphrase = staff(&floor.desk, "Dora", "director", &[]);
    let mut dora = Browser::of(&floor.server.base);
    assert_eq!(dora.sign_in("Dora", &passphrase).await.status, 303);
    let before = dora.get("/director").await.body;
    assert!(before.contains("no round is open yet in A") && before.contains("/director/rounds"), "{before}");
    let round = [("tournament", "lagos"), ("division", "A")];
    assert_eq!(dora.post("/director/rounds", &round).await.status, 303);
    let after = dora.get("/director").await.body;
    assert!(!after.contains("/director/rounds") && after.contains("rounds are opened"), "{after}");
    assert_eq!(dora.post("/director/rounds", &round).await.status, 303, "pressed twice it is opened once");
    let opened = "SELECT count(*) FROM entry WHERE log = 'lagos' AND kind = 'round-set'";
    assert_eq!(floor.number(opened).await, 1);
    let slip = json!({"division": "A", "table": 1, "words": ["CAT"], "round": 2});
    assert_eq!(floor.file("a", slip).await.problem(), "round-closed");
}
