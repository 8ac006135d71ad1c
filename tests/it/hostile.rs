//! Text that means harm: markup, scripts, control characters, marks that turn the writing, formulas, long lines.
//! It is refused where it cannot be a name, and otherwise kept without invisible characters and shown as text.

use serde_json::{Value, json};

use crate::harness::Floor;

const LAGOS: &str = "tournaments/lagos";

/// What can be a name or a line, and is only that.
const ODD: [&str; 9] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "</title><h1>",
    "{{ 7 * 7 }} ${7*7} %s %n",
    "\u{202E}gnitirw eht snrut",
    "=HYPERLINK(\"http://x\")",
    "'; DROP TABLE entry; --",
    "../../etc/passwd",
    "@SUM(A1:A9)",
];

/// What can be no line of text.
const REFUSED: [&str; 5] = ["two\nlines", "nul\u{0}", "bell\u{7}", "\u{1B}[2Jansi", "tab\there"];

#[tokio::test]
async fn odd_names_are_kept_and_shown_as_text() {
    let floor = Floor::open();
    for (place, odd) in ODD.iter().enumerate() {
        let slip = json!({"division": "A", "round": 1, "table": place + 1, "words": ["CAT"], "challenger": odd, "opponent": odd});
        let filed = floor.file(&format!("k{place}"), slip).await;
        assert_eq!(filed.status, 201, "{odd:?}: {}", filed.body);
        assert_eq!(floor.read(&floor.client, &filed).await["challenger"], json!(odd.replace('\u{202E}', "")));
        let incident =
            json!({"division": "A", "kind": "other", "ruling": odd, "remedy": odd, "rule": odd, "note": odd});
        assert_eq!(
            floor.write(&floor.director, &format!("i{place}"), &format!("{LAGOS}/incidents"), incident).await.status,
            201,
            "{odd:?}"
        );
        let ruling = json!({"ruling": "acceptable", "ground": odd, "note": odd});
        let ruled = floor.about(&floor.director, &format!("r{place}"), &filed, "rulings", ruling).await;
        assert_eq!(ruled.status, 201, "{odd:?}");
    }
    let turning = "SELECT count(*) FROM entry WHERE leaf LIKE '%\u{202E}%'";
    assert_eq!(floor.number(turning).await, 0, "no name, title or note turns the writing");
    // No spreadsheet takes a cell of the export for a formula, and each slip is one line.
    let csv = floor.get(&floor.director, "/api/v1/tournaments/lagos/audit.csv").await.body;
    assert_eq!(csv.lines().count(), ODD.len() + 1);
    for formula in [",=HYPERLINK", ",@SUM", ",\"=HYPERLINK"] {
        assert!(!csv.contains(formula), "{formula}");
    }
    let penalties = floor.get(&floor.director, "/api/v1/tournaments/lagos/penalties.csv").await.body;
    assert!(penalties.contains("'@SUM") && !penalties.contains(",@SUM"), "{penalties}");
    assert!(floor.desk.done(&["ledger", "verify"]).contains("lagos: whole"));
}

/// Every text field of the API, with what can be no line.
#[tokio::test]
async fn what_is_no_line_of_text_is_refused_in_every_field() {
    let floor = Floor::open();
    let filed = floor.file("first", json!({"division": "A", "table": 1, "words": ["CAT"]})).await;
    let slip = filed.location.as_ref().unwrap().trim_start_matches("/api/v1/").to_owned();
    let long = "x".repeat(10_000);
    let bad: Vec<&str> = REFUSED.into_iter().chain([long.as_str()]).collect();
    let paper = json!({"division": "A", "words": ["CAT"], "ruling": "acceptable", "at": "2026-01-01T00:00:00Z", "by": "Ada", "source": "s"});
    let disposed =
        json!({"division": "A", "kind": "withdrawn", "words": null, "reason": "blank", "declared_by": "judge"});
    let incident = json!({"division": "A", "kind": "other", "ruling": "x"});
    let bodies: Vec<(String, Value, &[&str])> = vec![
        (
            format!("{LAGOS}/slips"),
            json!({"division": "A", "words": ["CAT"]}),
            &["challenger", "opponent", "division", "follows"],
        ),
        (format!("{LAGOS}/paper-rulings"), paper, &["by", "source", "challenger", "opponent"]),
        (format!("{LAGOS}/dispositions"), disposed, &["reason", "challenger", "opponent"]),
        (format!("{LAGOS}/incidents"), incident, &["ruling", "remedy", "rule", "note", "slip"]),
        (format!("{slip}/rulings"), json!({"ruling": "acceptable", "ground": "x"}), &["ground", "note"]),
        (format!("{slip}/reviews"), json!({"requested_by": "opponent", "reason": "disagree"}), &["suggested_by"]),
    ];
    let before = floor.number("SELECT count(*) FROM entry").await;
    for (path, body, fields) in &bodies {
        for field in *fields {
            for text in &bad {
                let mut body = body.clone();
                body[*field] = json!(text);
                let answer = floor.write(&floor.director, "k", path, body).await;
                assert_eq!(answer.status, 422, "{path} {field} {text:?}: {}", answer.body);
                assert!(answer.body.len() < 2_000, "{path} {field} says back what was sent");
            }
        }
    }
    for text in &bad {
        let answer = floor
            .write(&floor.director, "k", &format!("{LAGOS}/slips"), json!({"division": "A", "words": [text]}))
            .await;
        assert_eq!(answer.status, 422, "{text:?}: {}", answer.body);
        assert!(answer.body.len() < 2_000, "{}", answer.body.len());
    }
    assert_eq!(floor.number("SELECT count(*) FROM entry").await, before, "nothing of it was written");
}

/// Odd addresses lead nowhere, and never out of what is served.
#[tokio::test]
async fn paths_out_of_the_served_tree_are_not_found() {
    let floor = Floor::open();
    for path in [
        "/static/../Cargo.toml",
        "/static/%2e%2e/%2e%2e/etc/passwd",
        "/static//etc/passwd",
        "/static/code.js%00.css",
        "/api/v1/tournaments/..%2F..%2Fserver/audit",
        "/api/v1/slips/%00",
        "/api/v1/slips/..",
        "/director/devices/..%2Fx/code",
    ] {
        let answer = floor.get(&floor.director, path).await;
        assert!([404, 405].contains(&answer.status), "{path}: {} {}", answer.status, answer.body);
    }
}
