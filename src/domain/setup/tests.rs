//! Orders about divisions, as a ledger records them.

use serde_json::{Value, json};

use super::*;
use crate::domain::ledger::Actor;

/// The moment of a day at that hour, UTC.
fn at(day: &str, hour: i64) -> Timestamp {
    Timestamp::from_micros(Timestamp::start_of(day, "UTC").unwrap().micros() + hour * 3_600_000_000)
}

fn list(id: &str) -> Value {
    json!({"id": id, "title": id, "edition": "1", "fingerprint": "f".repeat(64)})
}

fn entry(at: Timestamp, kind: &str, payload: &Value) -> Entry {
    let event = serde_json::from_value(json!({"kind": kind, "payload": payload})).unwrap();
    let actor = Actor { id: "cli".into(), name: "cli".into(), role: "operator".into() };
    Entry { log: "lagos".into(), seq: 0, at, actor, event, in_question: false }
}

fn begun() -> Setup {
    let mut setup = Setup::default();
    let created = json!({"title": "t", "time_zone": "UTC", "program": "p"});
    setup.apply(&entry(at("2026-12-01", 8), "tournament-created", &created)).unwrap();
    setup.apply(&order("2026-12-01", "OLD", &json!({}))).unwrap();
    setup
}

/// An order at noon of a day, with that lexicon.
fn order(day: &str, lexicon: &str, more: &Value) -> Entry {
    let mut set = json!({"division": "A", "lexicon": list(lexicon), "ruleset": "wespa", "settings": {}});
    set.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    entry(at(day, 12), "division-set", &set)
}

fn plays(setup: &Setup) -> &str {
    &setup.tournament("lagos").unwrap().division("A").unwrap().lexicon.id
}

fn waiting(setup: &Setup) -> Vec<String> {
    setup.waiting("lagos", "A").iter().map(ToString::to_string).collect()
}

fn on(setup: &Setup, day: &str) -> Setup {
    let mut then = setup.clone();
    then.apply_due(at(day, 0)).unwrap();
    then
}

#[test]
fn a_later_order_for_a_field_replaces_what_waits_for_it() {
    let mut setup = begun();
    setup.apply(&order("2026-12-01", "NEW", &json!({"from": "2026-12-05", "fields": ["lexicon"]}))).unwrap();
    setup.apply(&order("2026-12-01", "NEW", &json!({"from": "2026-12-08", "fields": ["lexicon"]}))).unwrap();
    assert_eq!(waiting(&setup), ["lexicon NEW from 2026-12-08"]);
    assert_eq!(plays(&on(&setup, "2026-12-05")), "OLD");
    assert_eq!(plays(&on(&setup, "2026-12-08")), "NEW");
}

#[test]
fn an_order_from_now_on_takes_back_what_waits_for_its_fields() {
    let mut setup = begun();
    let later = json!({"from": "2026-12-05", "fields": ["lexicon", "points"], "settings": {"points": 10}});
    setup.apply(&order("2026-12-01", "NEW", &later)).unwrap();
    setup.apply(&order("2026-12-02", "OLD", &json!({"fields": ["lexicon"]}))).unwrap();
    assert_eq!(waiting(&setup), ["points 10 from 2026-12-05"]);
    let then = on(&setup, "2026-12-05");
    assert_eq!(plays(&then), "OLD");
    assert_eq!(then.tournament("lagos").unwrap().division("A").unwrap().settings.points, Some(10));
}

#[test]
fn an_order_changes_only_the_fields_that_it_names() {
    let mut setup = begun();
    setup.apply(&order("2026-12-01", "NEW", &json!({"from": "2026-12-05", "fields": ["lexicon"]}))).unwrap();
    let meanwhile = json!({"fields": ["clear_s", "ruleset"], "ruleset": "norway", "settings": {"clear_s": 20}});
    setup.apply(&order("2026-12-02", "OLD", &meanwhile)).unwrap();
    let then = on(&setup, "2026-12-05");
    let division = then.tournament("lagos").unwrap().division("A").unwrap();
    assert_eq!((plays(&then), division.ruleset.name.as_str(), division.settings.clear_s), ("NEW", "norway", Some(20)));
}

#[test]
fn cancelling_withdraws_every_pending_order() {
    let mut setup = begun();
    setup.apply(&order("2026-12-01", "NEW", &json!({"from": "2026-12-05", "fields": ["lexicon"]}))).unwrap();
    let points = json!({"from": "2026-12-06", "fields": ["points"], "settings": {"points": 7}});
    setup.apply(&order("2026-12-01", "OLD", &points)).unwrap();
    setup.apply(&order("2026-12-02", "OLD", &json!({"fields": [], "cancel": true}))).unwrap();
    assert_eq!(waiting(&setup), Vec::<String>::new());
    assert_eq!(plays(&on(&setup, "2026-12-31")), "OLD");
}

/// A ledger gives one set-up, whether its entries are read one by one as they come or all at a later day.
#[test]
fn a_switch_comes_into_force_before_the_entries_after_it() {
    let mut read_late = begun();
    let mut read_live = begun();
    let entries = [
        order("2026-12-01", "NEW", &json!({"from": "2026-12-05", "fields": ["lexicon"]})),
        order("2026-12-06", "OLD", &json!({"fields": ["lexicon"]})),
        order("2026-12-07", "OLD", &json!({"fields": ["clear_s"], "settings": {"clear_s": 20}})),
    ];
    for entry in &entries {
        read_live.apply_due(entry.at).unwrap();
        read_live.apply(entry).unwrap();
        read_late.apply(entry).unwrap();
    }
    read_late.apply_due(at("2026-12-31", 0)).unwrap();
    assert_eq!((plays(&read_live), plays(&read_late)), ("OLD", "OLD"));
}

/// An old ledger has orders that name no fields: each describes the whole division, from its day on.
#[test]
fn each_order_of_an_old_ledger_takes_effect_on_its_day() {
    let mut setup = begun();
    setup.apply(&order("2026-12-01", "NEW", &json!({"from": "2026-12-05", "settings": {"points": 9}}))).unwrap();
    setup.apply(&order("2026-12-01", "NEWER", &json!({"from": "2026-12-08"}))).unwrap();
    setup.apply(&order("2026-12-02", "OLD", &json!({"settings": {"clear_s": 20}}))).unwrap();
    assert_eq!(plays(&setup), "OLD");
    assert_eq!(plays(&on(&setup, "2026-12-05")), "NEW");
    let then = on(&setup, "2026-12-08");
    let settings = &then.tournament("lagos").unwrap().division("A").unwrap().settings;
    assert_eq!((plays(&then), settings), ("NEWER", &Settings::default()));
}

#[test]
fn a_division_begins_on_a_later_day() {
    let mut setup = begun();
    let mut new = order("2026-12-01", "NEW", &json!({"from": "2026-12-05"}));
    if let Event::DivisionSet(set) = &mut new.event {
        set.division = "B".to_owned();
    }
    setup.apply(&new).unwrap();
    assert_eq!(setup.waiting_divisions("lagos").collect::<Vec<_>>(), ["B"]);
    assert!(setup.tournament("lagos").unwrap().division("B").is_err());
    assert!(on(&setup, "2026-12-05").tournament("lagos").unwrap().division("B").is_ok());
}

#[test]
fn the_next_switch_is_the_first_moment_of_its_day_in_the_tournaments_zone() {
    let mut setup = Setup::default();
    let created = json!({"title": "t", "time_zone": "Africa/Lagos", "program": "p"});
    setup.apply(&entry(at("2026-12-01", 8), "tournament-created", &created)).unwrap();
    setup.apply(&order("2026-12-01", "OLD", &json!({}))).unwrap();
    setup.apply(&order("2026-12-01", "NEW", &json!({"from": "2026-12-05", "fields": ["lexicon"]}))).unwrap();
    assert_eq!(setup.next_switch("lagos"), Some(at("2026-12-04", 23)));
    let then = on(&setup, "2026-12-05");
    assert_eq!((then.next_switch("lagos"), then.tournament("lagos").unwrap().switched), (None, at("2026-12-04", 23)));
}
