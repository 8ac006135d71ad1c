//! Proofs about the ledger, checked by a verifier that is not ours. Source: CONTRACT 3.4.

use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use crate::harness::{Answer, Floor};

const LAGOS: &str = "/api/v1/tournaments/lagos/ledger";
const SERVER: &str = "/api/v1/server/ledger";

/// What the foreign verifier says: whether it is proved.
fn is_proved(floor: &Floor, kind: &str, texts: [&str; 4]) -> bool {
    let files = ["proof", "key", "newer", "other"];
    let files: Vec<PathBuf> =
        files.iter().zip(texts).map(|(name, text)| floor.desk.file(name, text.as_bytes())).collect();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/verifier/proof.py");
    let output = Command::new("python3").arg(script).arg(kind).args(files).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(matches!(output.status.code(), Some(0 | 1)), "{said}{}", String::from_utf8_lossy(&output.stderr));
    output.status.success()
}

async fn read(floor: &Floor, path: &str) -> Answer {
    let answer = floor.get(&floor.director, path).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    answer
}

#[tokio::test]
async fn every_entry_is_proved_to_be_in_the_signed_log_and_every_checkpoint_to_be_its_beginning() {
    let floor = Floor::open();
    for (log, entries) in [(LAGOS, 9), (SERVER, 0)] {
        let mut older = vec![read(&floor, &format!("{log}/checkpoint")).await.body];
        for table in 0..entries {
            assert_eq!(floor.challenge(table + 1, "CAT QI").await.status, 201);
            older.push(read(&floor, &format!("{log}/checkpoint")).await.body);
        }
        let key = read(&floor, &format!("{log}/key")).await.body;
        let newest = older.last().unwrap();
        let lines = read(&floor, log).await.body;
        for (seq, line) in lines.lines().enumerate() {
            let proof = read(&floor, &format!("{log}/proofs/inclusion?seq={seq}")).await;
            assert!(is_proved(&floor, "inclusion", [&proof.body, &key, newest, line]), "{log} {seq}: {}", proof.body);
        }
        for old in &older {
            let size: u64 = old.lines().nth(1).unwrap().parse().unwrap();
            let proof = read(&floor, &format!("{log}/proofs/consistency?from={size}")).await;
            assert!(is_proved(&floor, "consistency", [&proof.body, &key, newest, old]), "{log} {size}: {}", proof.body);
            // A proof at a smaller size fits the checkpoint of then.
            let first = lines.lines().next().unwrap();
            let proof = read(&floor, &format!("{log}/proofs/inclusion?seq=0&size={size}")).await;
            assert!(is_proved(&floor, "inclusion", [&proof.body, &key, old, first]), "{log} {size}: {}", proof.body);
        }
    }
}

/// What would show a verifier that takes everything.
#[tokio::test]
async fn a_proof_of_something_else_proves_nothing() {
    let floor = Floor::open();
    let older = read(&floor, &format!("{LAGOS}/checkpoint")).await.body;
    for table in 1..=4 {
        assert_eq!(floor.challenge(table, "CAT QI").await.status, 201);
    }
    let [newest, key] =
        [read(&floor, &format!("{LAGOS}/checkpoint")).await.body, read(&floor, &format!("{LAGOS}/key")).await.body];
    let lines = read(&floor, LAGOS).await.body;
    let lines: Vec<&str> = lines.lines().collect();
    let of = async |what: &str| read(&floor, &format!("{LAGOS}/proofs/{what}")).await.body;
    let (proof, other) = (of("inclusion?seq=2").await, of("inclusion?seq=3").await);
    assert!(is_proved(&floor, "inclusion", [&proof, &key, &newest, lines[2]]));
    assert!(!is_proved(&floor, "inclusion", [&other, &key, &newest, lines[2]]));
    assert!(!is_proved(&floor, "inclusion", [&proof, &key, &newest, &lines[2].replace("lagos", "abuja")]));
    assert!(!is_proved(&floor, "inclusion", [&proof, &key, &older, lines[2]]));
    let size: u64 = older.lines().nth(1).unwrap().parse().unwrap();
    let proof = of(&format!("consistency?from={size}")).await;
    assert!(is_proved(&floor, "consistency", [&proof, &key, &newest, &older]));
    let mut forged: Value = serde_json::from_str(&proof).unwrap();
    forged["proof"].as_array_mut().unwrap().pop();
    assert!(!is_proved(&floor, "consistency", [&forged.to_string(), &key, &newest, &older]));
    assert!(!is_proved(&floor, "consistency", [&proof, &key, &older, &newest]));
}

#[tokio::test]
async fn a_proof_that_cannot_be_is_refused_and_the_servers_own_log_is_for_directors() {
    let floor = Floor::open();
    let size: u64 = read(&floor, &format!("{LAGOS}/checkpoint")).await.body.lines().nth(1).unwrap().parse().unwrap();
    for (query, field) in [
        ("inclusion".to_owned(), "seq"),
        ("inclusion?seq=-1".to_owned(), "seq"),
        ("inclusion?seq=x".to_owned(), "seq"),
        ("inclusion?seq=0&size=0".to_owned(), "size"),
        (format!("inclusion?seq={size}"), "seq"),
        (format!("inclusion?seq=0&size={}", size + 1), "size"),
        ("inclusion?seq=1&size=1".to_owned(), "seq"),
        ("inclusion?seq=0&more=1".to_owned(), "more"),
        ("consistency".to_owned(), "from"),
        (format!("consistency?from={}", size + 1), "from"),
        ("consistency?from=2&to=1".to_owned(), "from"),
        (format!("consistency?from=0&to={}", size + 1), "to"),
        ("consistency?from=9223372036854775807&to=9223372036854775807".to_owned(), "to"),
    ] {
        let answer = floor.get(&floor.observer, &format!("{LAGOS}/proofs/{query}")).await;
        assert_eq!((answer.status, answer.problem().as_str()), (422, "invalid-request"), "{query}: {}", answer.body);
        assert_eq!(answer.json()["field"], json!(field), "{query}: {}", answer.body);
    }
    let proof = floor.get(&floor.observer, &format!("{LAGOS}/proofs/consistency?from=0")).await.json();
    assert_eq!((&proof["to"], &proof["proof"]), (&json!(size), &json!([])));
    for kind in ["inclusion?seq=0", "consistency?from=1"] {
        assert_eq!(floor.get(&floor.observer, &format!("{SERVER}/proofs/{kind}")).await.status, 403);
    }
}
