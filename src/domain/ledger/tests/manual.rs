//! The example in docs/ledger.md is right to the last digit.

use super::*;

const MANUAL: &str = include_str!("../../../../docs/ledger.md");

/// The lines of the block that follows `<!-- example: name -->`, the last line feed included.
fn block(name: &str) -> &'static str {
    let (_, after) = MANUAL.split_once(&format!("<!-- example: {name} -->\n```")).unwrap();
    let (_, content) = after.split_once('\n').unwrap();
    content.split_once("```\n").unwrap().0
}

/// The hash at the end of the line that begins with `label`.
fn hash(label: &str) -> Hash {
    let line = block("hashes").lines().find(|line| line.starts_with(label)).unwrap();
    line.rsplit_once(' ').unwrap().1.parse().unwrap()
}

#[test]
fn the_example_is_a_whole_log() {
    let key = block("vkey").trim_end().parse().unwrap();
    let audit = LogVerifier::new("demo", key, |kind| MANUAL.contains(&format!("| `{kind}` |")));
    let mut audit = audit.with_checkpoint(CheckpointOrigin::Stored, block("checkpoint")).unwrap();
    for line in block("jsonl").split_inclusive('\n') {
        audit.line(line.as_bytes()).unwrap();
    }
    let tree = audit.finish().unwrap();
    assert_eq!(tree.size(), 3);
    assert_eq!(tree.root(), hash("root of 3"));
    assert_eq!(tree.frontier(), [hash("node over 0 and 1"), hash("leaf 2")]);
}

#[test]
fn the_hashes_of_the_example_are_those_of_its_lines() {
    for (place, line) in block("jsonl").lines().enumerate() {
        assert_eq!(leaf_hash(line.as_bytes()), hash(&format!("leaf {place}")));
    }
}

#[test]
fn the_short_code_of_the_example_is_the_one_in_the_manual() {
    let key = block("vkey").trim_end().parse().unwrap();
    let checkpoint = Checkpoint::open(block("checkpoint"), &key).unwrap();
    assert!(MANUAL.contains(&format!("The short code of this checkpoint is `{}`.", checkpoint.short_code())));
    assert_eq!(claimed_origin(block("checkpoint")).and_then(log_of), Some("demo"));
}
