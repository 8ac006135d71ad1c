//! Each fault by itself: which entry is named, and with which message.

use super::*;

#[test]
fn entries_without_a_checkpoint_are_broken() {
    let mut log = Log::of(5, 2);
    log.checkpoints.pop();
    let broken = log.check(true, &[]).unwrap_err();
    assert_eq!(broken, Broken { entry: Some(4), reason: Reason::Unsigned { entries: 5, covered: 4 } });
    log.checkpoints.clear();
    assert_eq!(entry_of(log.check(true, &[])), 0);
}

#[test]
fn a_changed_stored_checkpoint_is_found() {
    let mut log = Log::of(6, 2);
    log.checkpoints[1].1 = log.checkpoints[0].1.clone();
    assert_eq!(log.check(true, &[]).unwrap_err().reason, Reason::Order { entries: 4, size: 2 });
    log.checkpoints[1].1 = log.checkpoints[2].1.clone();
    assert_eq!(log.check(true, &[]).unwrap_err().reason, Reason::Missing { entries: 4, size: 6 });
    log.checkpoints[1].1.push('x');
    let broken = log.check(true, &[]).unwrap_err();
    assert!(matches!(
        broken,
        Broken { entry: None, reason: Reason::Checkpoint { kept: CheckpointOrigin::Stored, entries: 4, .. } }
    ));
}

#[test]
fn a_checkpoint_that_comes_too_late_to_be_compared_is_refused() {
    let log = Log::of(3, 1);
    let mut audit = LogVerifier::new(LOG, signer().verifier(LOG), is_kind);
    log.texts.iter().try_for_each(|text| audit.entry(text, None).map(drop)).unwrap();
    let late = audit.with_checkpoint(CheckpointOrigin::Outside, &log.checkpoints[1].1).unwrap_err();
    assert_eq!(late, Broken { entry: None, reason: Reason::Order { entries: 3, size: 2 } });
}

#[test]
fn outside_checkpoints_narrow_the_range_and_only_they_do() {
    let whole = Log::of(9, 1);
    let mut log = whole.clone();
    other_words(&mut log, 6);
    log.sign_anew(1);
    let note = |size: usize| whole.checkpoints[size - 1].1.as_str();
    let range = |outside: &[&str]| log.check(true, outside).unwrap_err().reason;
    assert_eq!(range(&[note(9)]), Reason::Root { kept: CheckpointOrigin::Outside, first: 0, last: 8 });
    assert_eq!(range(&[note(9), note(4)]), Reason::Root { kept: CheckpointOrigin::Outside, first: 4, last: 8 });
    assert_eq!(
        range(&[note(6), note(7), note(2)]),
        Reason::Root { kept: CheckpointOrigin::Outside, first: 6, last: 6 }
    );
}

#[test]
fn two_signed_histories_of_one_size_are_a_fork() {
    let mut log = Log::of(4, 4);
    let mut other = log.clone();
    other_words(&mut other, 2);
    other.sign_anew(4);
    log.checkpoints.extend(other.checkpoints);
    assert_eq!(
        log.check(true, &[]).unwrap_err(),
        Broken { entry: None, reason: Reason::Fork { kept: CheckpointOrigin::Stored, size: 4 } }
    );
    let strange = Checkpoint { origin: origin(LOG), size: 0, root: Hash([1; 32]) }.sign(&signer());
    assert_eq!(
        log.check(true, &[&strange]).unwrap_err().reason,
        Reason::Fork { kept: CheckpointOrigin::Outside, size: 0 }
    );
}

#[test]
fn entries_that_are_well_formed_and_wrong_are_named() {
    let whole = Log::of(4, 4);
    let with = |change: fn(&mut Leaf)| {
        let mut wrong = leaf(2);
        change(&mut wrong);
        let mut log = whole.clone();
        log.texts[2] = wrong.to_text().unwrap();
        log.sign_anew(4);
        let broken = log.check(true, &[]).unwrap_err();
        assert_eq!(broken.entry, Some(2));
        broken.reason
    };
    assert_eq!(with(|leaf| leaf.log = "server".into()), Reason::OtherLog("server".into()));
    assert_eq!(with(|leaf| leaf.seq = 3), Reason::Place(3));
    assert_eq!(with(|leaf| leaf.kind = "slip-eaten".into()), Reason::Kind("slip-eaten".into()));
}

#[test]
fn where_the_time_runs_back_either_neighbour_may_be_the_changed_one() {
    let late = |seq| Leaf { at: "2026-05-02T00:00:00.000000Z".into(), ..leaf(seq) }.to_text().unwrap();
    let mut log = Log::of(6, 3);
    log.texts[4] = late(4);
    let broken = log.check(false, &[]).unwrap_err();
    assert_eq!(broken.entry, Some(4));
    assert!(
        broken.to_string().starts_with("entries 4 to 5: at least one was changed: the time runs back from 2026-05-02")
    );
    // Here a signed checkpoint covers the late entry, so the next one is to blame.
    log.texts[4] = leaf(4).to_text().unwrap();
    log.texts[2] = late(2);
    log.sign_anew(3);
    let broken = log.check(false, &[]).unwrap_err();
    assert_eq!(broken.entry, Some(3));
    assert!(broken.to_string().starts_with("entry 3: it was changed: the time runs back"));
}

#[test]
fn another_key_and_another_log_are_refused_at_the_first_checkpoint() {
    let note = Log::of(1, 1).last_note().to_owned();
    let other_key = LogVerifier::new(LOG, Signer::from_seed([8; 32]).verifier(LOG), is_kind);
    let other_log = LogVerifier::new("server", signer().verifier("server"), is_kind);
    let key_of_another_log = LogVerifier::new("server", signer().verifier(LOG), is_kind);
    for audit in [other_key, other_log, key_of_another_log] {
        assert!(matches!(
            audit.with_checkpoint(CheckpointOrigin::Outside, &note).unwrap_err().reason,
            Reason::Checkpoint { kept: CheckpointOrigin::Outside, entries: 0, .. }
        ));
    }
}

#[test]
fn an_export_is_read_strictly() {
    let log = Log::of(3, 3);
    let lines = log.lines();
    assert!(log.check_lines(&lines).is_ok());
    let changed = |place: usize, change: &dyn Fn(&[u8]) -> Vec<u8>| {
        let mut lines = lines.clone();
        lines[place] = change(&lines[place]);
        log.check_lines(&lines).unwrap_err()
    };
    let unended = changed(2, &|line| line[..line.len() - 1].to_vec());
    assert_eq!(unended, Broken { entry: Some(2), reason: Reason::Unended });
    assert_eq!(changed(1, &|_| b"\xff\n".to_vec()), Broken { entry: Some(1), reason: Reason::NotUtf8 });
    assert_eq!(entry_of::<()>(Err(changed(1, &|line| [&line[..line.len() - 1], b"\r\n"].concat()))), 1);
    assert_eq!(entry_of::<()>(Err(changed(0, &|line| [b"\xef\xbb\xbf", line].concat()))), 0);
    assert_eq!(entry_of::<()>(Err(changed(1, &|line| [b"\n", line].concat()))), 1);
    assert_eq!(entry_of::<()>(Err(changed(1, &|_| b"\n".to_vec()))), 1);
}

#[test]
fn a_fault_is_reported_in_a_sentence() {
    let body = |entry, reason| Broken { entry, reason }.to_string();
    let root = |first, last| Reason::Root { kept: CheckpointOrigin::Stored, first, last };
    assert_eq!(
        body(Some(4), root(4, 9)),
        "entries 4 to 9: at least one was changed: the stored checkpoint of 10 entries is signed and has another root than they give"
    );
    assert!(body(Some(4), root(4, 4)).starts_with("entry 4: it was changed: the stored checkpoint of 5 entries"));
    assert_eq!(
        body(Some(5), Reason::Missing { entries: 5, size: 9 }),
        "entry 5: the log has 5 entries, the checkpoint 9: entries are missing"
    );
    assert_eq!(body(Some(3), LeafError::Spelling(12).into()), "entry 3: it is not in canonical form from byte 12 on");
}
