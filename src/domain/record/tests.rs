//! Any sequence of events: each event is refused with a named reason, or leaves a legal state.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::domain::decision::{Asker, Decisions, Lexica, Refusal, SlipAction};
use crate::domain::event::{DirectorRuled, Event, SlipAdjudicated};
use crate::domain::setup::Setup;
use crate::domain::{Alphabet, Lengths, Lexicon, RequestBody, Word};
use std::sync::Arc;

/// Every word of an even number of letters.
struct Even;

impl Lexicon for Even {
    fn contains(&self, word: &Word) -> bool {
        word.tiles().is_multiple_of(2)
    }
}

struct Lists;

impl Lexica for Lists {
    type List = Even;

    fn opened(&self, _: &LexiconName) -> Option<Arc<Even>> {
        Some(Arc::new(Even))
    }

    fn lengths(&self, _: &LexiconName) -> Option<Lengths> {
        Some((2, 8).into())
    }

    fn alphabet(&self, _: &LexiconName) -> Option<Arc<Alphabet>> {
        Alphabet::shipped("english")
    }
}

fn lexicon() -> LexiconName {
    LexiconName { id: "L".into(), title: "L".into(), edition: String::new(), fingerprint: "0".repeat(64) }
}

fn asker(number: usize) -> Asker {
    let roles = [Role::Station, Role::Judge, Role::Judge, Role::Director, Role::Director, Role::Client];
    let role = roles[number % roles.len()];
    Asker {
        actor: Actor { id: format!("{number}"), name: format!("{role} {number}"), role: role.to_string() },
        role,
        plays: None,
    }
}

fn entry(seq: u64, by: &Asker, event: Event) -> Entry {
    let at = Timestamp::from_micros(i64::try_from(seq).unwrap());
    Entry { log: "t".into(), seq, at, actor: by.actor.clone(), event, in_question: false }
}

/// A tournament whose one division plays by a ruleset.
fn setup(ruleset: &str) -> Setup {
    let mut setup = Setup::default();
    let set = |kind: &str, payload: serde_json::Value| {
        serde_json::from_value::<Event>(json!({ "kind": kind, "payload": payload })).unwrap()
    };
    let created = json!({"title": "t", "time_zone": "UTC", "program": "p"});
    let second = (ruleset == "insa").then(lexicon);
    let division = json!({"division": "A", "lexicon": lexicon(), "second": second, "ruleset": ruleset, "settings": {}});
    setup.apply(&entry(0, &asker(3), set("tournament-created", created))).unwrap();
    setup.apply(&entry(1, &asker(3), set("division-set", division))).unwrap();
    setup
}

/// The entry that begins a slip, in each possible way.
fn begun(way: usize, ruleset: &str) -> Entry {
    let slip = json!({"id": "s", "number": 1, "division": "A", "round": 1, "table": 1, "challenger": null, "opponent": null,
        "play_score": null, "out_play": false, "ruleset": ruleset, "alphabet": "english"});
    let penalty = json!({"play": "stays", "loses_turn": "none", "points": {"to": "none", "amount": 0}, "waived": false,
        "instruction": "", "undo": null, "rule": "U"});
    let second = (ruleset == "insa").then(lexicon);
    let filed = json!({"slip": slip, "typed": ["CATS"], "words": ["CATS"], "lexicon": lexicon(), "second": second,
        "request": null, "program": "p"});
    let more = |more: serde_json::Value| {
        let mut all = filed.clone();
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        all
    };
    let (kind, payload) = match way % 4 {
        0 => ("slip-ruled", more(json!({"method": "self-lookup", "ruling": "acceptable", "penalty": penalty}))),
        1 => ("slip-awaits-manual-lookup", more(json!({"faults": []}))),
        2 => ("slip-held", more(json!({"shares": ["x"]}))),
        _ => (
            "paper-ruled",
            more(json!({"ruling": "unacceptable", "penalty": penalty, "given_at": "2026-01-01T00:00:00.000000Z",
                "given_by": "Ann", "source": "a book"})),
        ),
    };
    let event = serde_json::from_value(json!({ "kind": kind, "payload": payload })).unwrap();
    entry(2, &asker(0), event)
}

/// The body of a request, chosen by two numbers.
fn body(act: usize, how: usize) -> (&'static str, RequestBody) {
    let ruling = ["acceptable", "unacceptable"][how % 2];
    let reasons = ["disagree", "mis-entered", "machine-doubted", "other-source", "director"];
    let causes = ["tiles-commingled", "next-play-and-clock", "players-left"];
    let kinds = ["withdrawn", "conceded-by-challenger", "conceded-by-opponent", "void"];
    let (corrected, decision) = (["CATTY", "KITS"][how % 2], ["new-play", "same-play"][how % 2]);
    let manual = json!({"method": "manual", "ruling": ruling, "sources": [{"title": "a book"}]});
    let (verb, body) = match act % 12 {
        0 => ("review", json!({"requested_by": "challenger", "reason": reasons[how % 5]})),
        1 if how.is_multiple_of(2) => ("answer", json!({"method": "lookup"})),
        1 => ("answer", manual),
        2 => ("manual", manual),
        3 => ("correct", json!({"words": [corrected]})),
        4 => ("release", json!({"decision": decision})),
        5 => ("lapse", json!({"cause": causes[how % 3]})),
        6 => ("dispose", json!({"kind": kinds[how % 4], "reason": "said", "declared_by": "judge"})),
        7 => ("rule", json!({"ruling": ruling, "ground": "seen"})),
        8 => ("opinion", json!({"agrees": how.is_multiple_of(3), "ruling": ruling, "capacity": "director"})),
        9 => (
            "compensate",
            json!({"claimant": "opponent", "play_value": 20, "value_confirmed": true,
            "told_before_leaving": true, "turn_restored": false}),
        ),
        10 => ("claim", json!({})),
        _ => ("give back", json!({})),
    };
    (verb, body.as_object().unwrap().clone())
}

/// Decides a request, and folds the resulting entry into the record.
fn play(record: &SlipRecord, setup: &Setup, by: &Asker, act: usize, how: usize, seq: u64) -> Result<Entry, Refusal> {
    let desk = Decisions { setup, lexica: &Lists, judges: 2 };
    let (verb, body) = body(act, how);
    let (item, review) = (record.item().cloned(), record.review.as_ref().map(|open| open.id.clone()));
    let (item, review) = (item.unwrap_or_default(), review.unwrap_or_default());
    let id = format!("r{seq}");
    let act = match verb {
        "review" => SlipAction::RequestReview { id: &id },
        "answer" => SlipAction::AnswerReview { id: &review },
        "manual" => SlipAction::LookUpManually,
        "correct" => SlipAction::Correct { near: &[] },
        "release" => SlipAction::Release,
        "lapse" => SlipAction::Lapse,
        "dispose" => SlipAction::Dispose,
        "rule" => SlipAction::Rule,
        "opinion" => SlipAction::GiveOpinion,
        "compensate" => SlipAction::Compensate,
        "claim" => SlipAction::Claim { item: &item },
        _ => SlipAction::GiveBack { item: &item },
    };
    Ok(entry(seq, by, desk.decide(record, by, act, &body, None)?))
}

/// Asserts the invariants of every record.
fn is_legal(record: &SlipRecord) {
    let has_ruling = record.ruling().is_some();
    match record.state {
        State::AwaitingManualLookup | State::Held => {
            assert!(!has_ruling && record.penalty.is_none() && record.review.is_none());
        }
        State::Disposed => assert!(!has_ruling && record.disposition.is_some()),
        State::UnderReview => assert!(has_ruling && record.review.is_some()),
        State::Ruled | State::Final | State::Lapsed => {
            assert!(has_ruling && record.review.is_none() && record.claimed_by.is_none());
        }
    }
    let ordinals: Vec<usize> = record.adjudications.iter().map(|one| one.ordinal).collect();
    assert_eq!(ordinals, (1..=record.adjudications.len()).collect::<Vec<_>>());
    if let Some(last) = record.adjudications.last() {
        assert_eq!((record.ruling(), &record.words), (Some(last.ruling), &last.words), "the last of the chain stands");
        assert_eq!(record.penalty, last.penalty);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Any action by any asker, in any order, is refused with a named reason or leaves a legal state. Folding in pieces
    /// equals folding at once. After the end only a director changes the ruling.
    #[test]
    fn any_sequence_is_refused_by_name_or_leaves_a_legal_state(
        ruleset in prop::sample::select(crate::domain::Ruleset::shipped_names().collect::<Vec<_>>()),
        way in 0_usize..4,
        acts in prop::collection::vec((0_usize..12, 0_usize..30, 0_usize..6), 1..24),
        cut in 0_usize..24,
    ) {
        let setup = setup(ruleset);
        let mut entries = vec![begun(way, ruleset)];
        let mut record = SlipRecord::next(None, &entries[0]).unwrap();
        is_legal(&record);
        for (act, how, who) in acts {
            let by = asker(who);
            let seq = entries.len() as u64 + 2;
            match play(&record, &setup, &by, act, how, seq) {
                Ok(next) => {
                    let before = record.clone();
                    record = SlipRecord::next(Some(record), &next).unwrap_or_else(|error| panic!("{error}: {next:?}"));
                    is_legal(&record);
                    if matches!(before.state, State::Final | State::Lapsed) && before.ruling() != record.ruling() {
                        prop_assert_eq!(by.role, Role::Director);
                    }
                    prop_assert!(before.state != State::Disposed, "nothing follows upon a challenge that is over");
                    entries.push(next);
                }
                Err(refusal) => prop_assert!(!matches!(refusal, Refusal::Unreadable), "{}", refusal),
            }
        }
        let whole = SlipRecord::fold(&entries).unwrap().unwrap();
        prop_assert_eq!(&whole, &record);
        let (first, rest) = entries.split_at(1 + cut % entries.len());
        let pieces = SlipRecord::fold(first).unwrap();
        let pieces = rest.iter().try_fold(pieces.unwrap(), |record, entry| SlipRecord::next(Some(record), entry));
        prop_assert_eq!(pieces.unwrap(), whole);
    }

    /// An entry of any kind that was decided on another state than the present one cannot follow.
    #[test]
    fn an_entry_that_was_decided_on_another_state_is_out_of_place(
        way in 0_usize..4, act in 0_usize..12, how in 0_usize..30, who in 0_usize..6,
    ) {
        let setup = setup("naspa");
        let first = begun(way, "naspa");
        let record = SlipRecord::next(None, &first).unwrap();
        if let Ok(next) = play(&record, &setup, &asker(who), act, how, 3) {
            let after = SlipRecord::next(Some(record), &next).unwrap();
            let again = SlipRecord::next(Some(after), &Entry { seq: 4, ..next });
            prop_assert!(again.is_err());
        }
    }
}

/// An opinion that answers no open review, and one on a slip that has ended, are out of place.
#[test]
fn an_opinion_without_its_review_or_after_the_end_is_out_of_place() {
    let record = SlipRecord::next(None, &begun(0, "nsf")).unwrap();
    let opinion = Event::SlipAdjudicated(SlipAdjudicated {
        follows: record.follows(),
        review: None,
        method: Method::Manual,
        words: vec!["CATS".into()],
        lexicon: None,
        sources: Vec::new(),
        ruling: Ruling::Unacceptable,
        penalty: None,
        same_judge: false,
        ends_chain: false,
        request: None,
        program: "p".into(),
    });
    assert!(SlipRecord::next(Some(record.clone()), &entry(3, &asker(1), opinion)).is_err());
    let ruled = |record: &SlipRecord| {
        Event::DirectorRuled(DirectorRuled {
            follows: record.follows(),
            words: vec!["CATS".into()],
            ruling: Ruling::Unacceptable,
            penalty: None,
            ground: "seen".into(),
            note: String::new(),
            seconds_restored: 0,
            request: None,
            program: "p".into(),
        })
    };
    let ruling = entry(3, &asker(3), ruled(&record));
    let after = SlipRecord::next(Some(record), &ruling).unwrap();
    assert_eq!(after.state, State::Final);
    assert!(SlipRecord::next(None, &ruling).is_err(), "nothing follows upon nothing");
}
