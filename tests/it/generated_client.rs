//! The API's description, as strict programs take it: a validator, and a client that is generated from it.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::harness::Floor;

/// Files, reads, reviews and exports, and compares every answer with its description.
#[tokio::test]
async fn a_validator_and_a_generated_client_take_the_description_and_the_server_keeps_to_it() {
    let floor = Floor::open();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let python = root.join("target/tools/python/bin/python");
    assert!(python.exists(), "the tools of tests/client are there; scripts/test installs them");
    let folder = tempfile::tempdir().unwrap();
    let mut client = Command::new(python)
        .arg(root.join("tests/client/exercise.py"))
        .args([floor.server.base.as_str(), folder.path().to_str().unwrap()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let tokens = json!({"tournament": "lagos", "client": floor.client, "judge": floor.judge, "director": floor.director,
        "observer": floor.observer});
    client.stdin.take().unwrap().write_all(tokens.to_string().as_bytes()).unwrap();
    let output = client.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("operations are described"), "{said}");
}
