//! Verification finds any change to a log, and reports no fault in an unchanged log.

use proptest::prelude::*;

use super::*;

#[test]
fn clean_logs_of_every_size_to_600_give_no_complaint() {
    let whole = Log::of(600, 1);
    for size in 0..=600 {
        let mut log = whole.clone();
        log.shorten(600 - size);
        log.checkpoints.retain(|(covered, _)| covered.is_multiple_of(97) || *covered == size as u64);
        let tree = log.check(true, &[]).unwrap();
        assert_eq!(tree.size(), size as u64);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn clean_logs_give_no_complaint(size in 0_u64..=600, step in 1_u64..=600, recorded: bool, older in 0_u64..=600) {
        let log = Log::of(size, step);
        let earlier = Log::of(older.min(size), 600);
        let outside: Vec<&str> = earlier.checkpoints.iter().map(|(_, note)| note.as_str()).collect();
        prop_assert_eq!(log.check(recorded, &outside).unwrap().size(), size);
        if size > 0 {
            prop_assert_eq!(log.check_lines(&log.lines()).unwrap().size(), size);
        }
    }

    #[test]
    fn any_changed_byte_is_found_at_its_entry(size in 1_u64..40, place: prop::sample::Index, byte: prop::sample::Index, flip in 1_u8..=127) {
        let mut log = Log::of(size, 8);
        let place = place.index(log.texts.len());
        let mut bytes = log.texts[place].clone().into_bytes();
        bytes[byte.index(log.texts[place].len())] ^= flip;
        // A text that is not UTF-8 cannot come out of a text column.
        prop_assume!(String::from_utf8(bytes.clone()).is_ok());
        log.texts[place] = String::from_utf8(bytes).unwrap();
        let broken = log.check(true, &[]).unwrap_err();
        prop_assert_eq!(broken, Broken { entry: Some(place as u64), reason: Reason::RecordedHash });
    }

    #[test]
    fn any_changed_byte_is_found_without_recorded_hashes(size in 1_u64..40, step in 1_u64..=10, place: prop::sample::Index, byte: prop::sample::Index, flip in 1_u8..=127) {
        let mut log = Log::of(size, step);
        let place = place.index(log.texts.len());
        let mut bytes = log.texts[place].clone().into_bytes();
        bytes[byte.index(log.texts[place].len())] ^= flip;
        prop_assume!(String::from_utf8(bytes.clone()).is_ok());
        log.texts[place] = String::from_utf8(bytes).unwrap();
        let entry = entry_of(log.check(false, &[]));
        // At the entry, or at the first that the same checkpoint covers.
        prop_assert!(entry <= place as u64 && entry / step == place as u64 / step, "{} for {}", entry, place);
    }

    #[test]
    fn any_changed_byte_of_an_export_is_found(size in 1_u64..40, place: prop::sample::Index, byte: prop::sample::Index, flip in 1_u8..=255) {
        let log = Log::of(size, 40);
        let place = place.index(log.texts.len());
        let mut lines = log.lines();
        let byte = byte.index(lines[place].len());
        lines[place][byte] ^= flip;
        prop_assert!(entry_of(log.check_lines(&lines)) <= place as u64);
    }

    #[test]
    fn dropped_swapped_and_repeated_entries_are_found(size in 2_u64..60, step in 1_u64..=10, recorded: bool, a: prop::sample::Index, b: prop::sample::Index) {
        let whole = Log::of(size, step);
        let (a, b) = (a.index(whole.texts.len()), b.index(whole.texts.len()));

        let mut dropped = whole.clone();
        dropped.remove(a);
        prop_assert_eq!(entry_of(dropped.check(recorded, &[])), a as u64);

        let mut repeated = whole.clone();
        repeated.texts.insert(a, whole.texts[a].clone());
        repeated.hashes.insert(a, whole.hashes[a]);
        prop_assert_eq!(entry_of(repeated.check(recorded, &[])), a as u64 + 1);

        let mut swapped = whole.clone();
        swapped.texts.swap(a, b);
        swapped.hashes.swap(a, b);
        match (a == b, swapped.check(recorded, &[])) {
            (true, checked) => prop_assert!(checked.is_ok()),
            (false, checked) => prop_assert_eq!(entry_of(checked), a.min(b) as u64),
        }
    }

    #[test]
    fn a_log_cut_with_its_checkpoints_is_found_by_a_later_outside_checkpoint_only(size in 2_u64..60, cut: prop::sample::Index) {
        let whole = Log::of(size, 1);
        let mut log = whole.clone();
        log.shorten(1 + cut.index(whole.texts.len()));
        let left = log.texts.len() as u64;
        prop_assert!(log.check(true, &[]).is_ok());
        let broken = log.check(true, &[whole.last_note()]).unwrap_err();
        prop_assert_eq!(broken, Broken { entry: Some(left), reason: Reason::Missing { entries: left, size } });
    }

    #[test]
    fn a_rewritten_and_newly_signed_log_is_found_by_an_outside_checkpoint_only(size in 2_u64..60, place: prop::sample::Index, kept: prop::sample::Index) {
        let whole = Log::of(size, 1);
        let mut log = whole.clone();
        let place = place.index(log.texts.len());
        other_words(&mut log, place);
        log.sign_anew(1);
        prop_assert!(log.check(true, &[]).is_ok());
        let (covered, note) = &whole.checkpoints[kept.index(whole.checkpoints.len())];
        let checked = log.check(true, &[note.as_str()]);
        if *covered > place as u64 {
            prop_assert_eq!(entry_of(checked), 0);
        } else {
            prop_assert!(checked.is_ok(), "the change is later than the checkpoint");
        }
    }
}
