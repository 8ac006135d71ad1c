//! Slips of one table that a wrong clock gave their times.

use super::*;
use crate::domain::event::{FiledSlip, Method};
use crate::domain::settings::Settings;
use crate::domain::{Entry, LexiconName};

const MINUTE_US: i64 = 60_000_000;
const WINDOWS: ProbingWindows = ProbingWindows { near_us: 90 * MINUTE_US, parts_us: 3 * MINUTE_US, first_opened: None };

fn by() -> Actor {
    Actor { id: "c".into(), name: "c".into(), role: "client".into() }
}

/// A slip of table 5 that was ruled unacceptable. One that is being filed has the number 0.
fn ruled(number: u64, words: &[&str]) -> SlipRuled {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    SlipRuled {
        slip: FiledSlip {
            id: format!("slip {number}"),
            number,
            division: "A".into(),
            round: None,
            table: Some(5),
            challenger: None,
            opponent: None,
            play_score: None,
            out_play: false,
            ruleset: "wespa".into(),
            ruleset_sha256: None,
            settings: Settings::default(),
            alphabet: "english".into(),
            follows: None,
            earlier: None,
            free_lookup: false,
        },
        method: Method::SelfLookup,
        typed: words.clone(),
        words,
        lexicon: LexiconName { id: "L".into(), title: "L".into(), edition: String::new(), fingerprint: "0".repeat(64) },
        second: None,
        ruling: Ruling::Unacceptable,
        penalty: None,
        shares: Vec::new(),
        parts_of: None,
        request: None,
        program: String::new(),
    }
}

/// The record of a slip that was filed in a minute.
fn filed(number: u64, minute: i64, words: &[&str]) -> SlipRecord {
    let at = Timestamp::from_micros(minute * MINUTE_US);
    let event = Event::SlipRuled(ruled(number, words));
    let entry = Entry { log: "t".into(), seq: number, at, actor: by(), event, in_question: false };
    SlipRecord::fold([&entry]).unwrap().unwrap()
}

/// The event of a slip that a client files in that minute, given its neighbours.
fn apply_to(minute: i64, words: &[&str], near: &[&SlipRecord]) -> Event {
    let (by, at) = (by(), Timestamp::from_micros(minute * MINUTE_US));
    let filer = Filer { tournament: "t", by: &by, role: Role::Client, at, windows: WINDOWS, is_same_play: false };
    apply(ruled(0, words), filer, near)
}

fn parts_of(event: &Event) -> Option<&str> {
    match event {
        Event::SlipRuled(ruled) => ruled.parts_of.as_deref(),
        other => panic!("{other:?}"),
    }
}

/// The clock was two hours ahead at slip 1 and was then corrected: a slip after it is compared with the one that was
/// filed a minute before, and with slip 1 as if that were filed now.
#[test]
fn after_a_clock_was_set_back_a_part_is_held_as_before() {
    let (ahead, after) = (filed(1, 120, &["AA"]), filed(2, 0, &["CAT", "QIX"]));
    assert!(matches!(apply_to(1, &["CAT"], &[&ahead, &after]), Event::SlipHeld(_)));
    let (ahead, after) = (filed(1, 120, &["CAT", "QIX"]), filed(2, 0, &["AA"]));
    assert!(matches!(apply_to(1, &["CAT"], &[&ahead, &after]), Event::SlipHeld(_)));
    // Ninety minutes after a slip without a round the table's next game is played.
    assert!(matches!(apply_to(91, &["CAT"], &[&filed(1, 0, &["CAT", "QIX"])]), Event::SlipRuled(_)));
}

/// The number identifies the last slip, and a slip before one that is too old is no part, even if its time is later.
#[test]
fn after_a_clock_was_set_back_a_part_names_the_last_slip_and_only_for_a_short_time() {
    let (ahead, after) = (filed(1, 120, &["AA"]), filed(2, 0, &["CAT"]));
    assert_eq!(parts_of(&apply_to(1, &["QIXX"], &[&ahead])), Some("slip 1"));
    assert_eq!(parts_of(&apply_to(1, &["QIXX"], &[&ahead, &after])), Some("slip 2"));
    assert_eq!(parts_of(&apply_to(4, &["QIXX"], &[&ahead, &after])), None);
}

/// Two records are neighbours across the setback, in either direction; and are not where time passed between them.
#[test]
fn records_on_both_sides_of_a_setback_are_beside_each_other() {
    let (ahead, after) = (filed(1, 120, &["CAT", "QIX"]), filed(2, 0, &["ZO"]));
    let words = ["CAT".to_owned()];
    assert!(revealed_by_correction(&after, &words, [&ahead], WINDOWS).is_some());
    assert!(revealed_by_correction(&ahead, &["ZO".to_owned()], [&after], WINDOWS).is_some());
    let (before, later) = (filed(1, 0, &["CAT", "QIX"]), filed(2, 120, &["ZO"]));
    assert!(revealed_by_correction(&later, &words, [&before], WINDOWS).is_none());
}
