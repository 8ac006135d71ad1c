//! Whole logs to tamper with, and the two ways in which they are checked.

mod faults;
mod manual;
mod tampering;

use serde_json::json;

use super::*;

const LOG: &str = "demo";

fn signer() -> Signer {
    Signer::from_seed([7; 32])
}

fn is_kind(kind: &str) -> bool {
    ["slip-ruled", "division-set"].contains(&kind)
}

/// A log as a database holds it: texts, their hashes, and checkpoints by size.
#[derive(Debug, Clone)]
struct Log {
    texts: Vec<String>,
    hashes: Vec<Hash>,
    checkpoints: Vec<(u64, String)>,
}

fn leaf(seq: u64) -> Leaf {
    let n = usize::try_from(seq).unwrap();
    Leaf {
        actor: Actor {
            id: format!("id-{}", n % 7),
            name: ["Ann", "Bo Łęć", "\"C\\\"\t"][n % 3].into(),
            role: "judge".into(),
        },
        // Two entries in a row share a time, which is allowed.
        at: format!("2026-05-01T{:02}:{:02}:{:02}.000000Z", n / 7200, n / 120 % 60, n / 2 % 60),
        kind: if n.is_multiple_of(5) { "division-set" } else { "slip-ruled" }.into(),
        log: LOG.into(),
        payload: json!({ "words": ["QI", "ZÀ"], "number": n, "ruling": if n.is_multiple_of(2) { "acceptable" } else { "unacceptable" } }),
        seq,
    }
}

impl Log {
    /// A log of `size` entries with a checkpoint after every `step` and after the last.
    fn of(size: u64, step: u64) -> Self {
        let texts: Vec<String> = (0..size).map(|seq| leaf(seq).to_text().unwrap()).collect();
        let hashes = texts.iter().map(|text| leaf_hash(text.as_bytes())).collect();
        let mut log = Self { texts, hashes, checkpoints: vec![] };
        log.sign_anew(step);
        log
    }

    /// Makes hashes and checkpoints fit the texts, as an attacker who has the key could.
    fn sign_anew(&mut self, step: u64) {
        self.hashes = self.texts.iter().map(|text| leaf_hash(text.as_bytes())).collect();
        self.checkpoints.clear();
        let mut tree = Tree::default();
        for hash in &self.hashes {
            tree.push(*hash);
            if tree.size() == self.hashes.len() as u64 || tree.size().is_multiple_of(step) {
                self.checkpoints.push((tree.size(), Checkpoint::of(LOG, &tree).sign(&signer())));
            }
        }
    }

    fn last_note(&self) -> &str {
        &self.checkpoints.last().unwrap().1
    }

    fn check(&self, recorded: bool, outside: &[&str]) -> Result<Tree, Broken> {
        let mut audit = LogVerifier::new(LOG, signer().verifier(LOG), is_kind);
        for note in outside {
            audit = audit.with_checkpoint(CheckpointOrigin::Outside, note)?;
        }
        let mut checkpoints = self.checkpoints.iter().peekable();
        for (text, hash) in self.texts.iter().zip(&self.hashes) {
            audit.entry(text, recorded.then_some(*hash))?;
            while let Some((_, note)) = checkpoints.next_if(|(size, _)| *size == audit.size()) {
                audit.checkpoint(note)?;
            }
        }
        checkpoints.try_for_each(|(_, note)| audit.checkpoint(note))?;
        audit.finish()
    }

    /// As [`check`](Self::check), reading an export: lines of bytes and the last checkpoint.
    fn check_lines(&self, lines: &[Vec<u8>]) -> Result<Tree, Broken> {
        let audit = LogVerifier::new(LOG, signer().verifier(LOG), is_kind);
        let mut audit = audit.with_checkpoint(CheckpointOrigin::Stored, self.last_note())?;
        lines.iter().try_for_each(|line| audit.line(line))?;
        audit.finish()
    }

    fn lines(&self) -> Vec<Vec<u8>> {
        self.texts.iter().map(|text| format!("{text}\n").into_bytes()).collect()
    }

    fn remove(&mut self, place: usize) {
        self.texts.remove(place);
        self.hashes.remove(place);
    }

    /// Cuts off the last `cut` entries and every checkpoint that covers one of them.
    fn shorten(&mut self, cut: usize) {
        let size = self.texts.len() - cut;
        self.texts.truncate(size);
        self.hashes.truncate(size);
        self.checkpoints.retain(|(covered, _)| *covered <= size as u64);
    }
}

/// Another valid text for the entry at `place`: only a word in it differs.
fn other_words(log: &mut Log, place: usize) {
    log.texts[place] = log.texts[place].replace("QI", "QIS");
}

fn entry_of<T: std::fmt::Debug>(checked: Result<T, Broken>) -> u64 {
    let broken = checked.unwrap_err();
    broken.entry.unwrap_or_else(|| panic!("names no entry: {broken}"))
}
