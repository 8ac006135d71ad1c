//! The scenarios through the domain alone: no server, no database, no clock. In place of the HTTP answer it checks the
//! event or the refusal that it is drawn from.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use adjudge::domain::decision::{Asker, Decisions, EndedChallenge, Lexica, Refusal, SlipAction};
use adjudge::domain::event::{DivisionSet, RoundSet, TournamentCreated};
use adjudge::domain::ledger::Actor;
use adjudge::domain::paper::PaperRuling;
use adjudge::domain::probing::{self, Filer, ProbingWindows};
use adjudge::domain::settings::{Settings, TournamentSettings};
use adjudge::domain::{
    Action, Adjudicated, Alphabet, DivisionLexica, Entry, Event, FaultCode, Faults, FilingDetails, Lengths, Lexicon,
    LexiconName, RawSlip, RequestBody, Role, Setup, SlipRecord, Timestamp, Word, adjudicate_slip,
};
use serde_json::{Value, json};

use crate::scenarios::{Case, FILES, acts, fits, same};

const LOG: &str = "t";

/// A list that is asked without an index.
struct List(HashSet<String>);

impl Lexicon for List {
    fn contains(&self, word: &Word) -> bool {
        self.0.contains(word.as_str())
    }
}

struct Lists {
    opened: BTreeMap<String, Arc<List>>,
    lengths: Lengths,
    alphabet: Arc<Alphabet>,
}

impl Lexica for Lists {
    type List = List;

    fn opened(&self, name: &LexiconName) -> Option<Arc<List>> {
        self.opened.get(&name.id).cloned()
    }

    fn lengths(&self, _: &LexiconName) -> Option<Lengths> {
        Some(self.lengths)
    }

    fn alphabet(&self, _: &LexiconName) -> Option<Arc<Alphabet>> {
        Some(Arc::clone(&self.alphabet))
    }
}

fn name(id: &str) -> LexiconName {
    LexiconName { id: id.to_owned(), title: id.to_owned(), edition: String::new(), fingerprint: id.repeat(64) }
}

/// A case as the domain plays it.
struct Play {
    floor: Setup,
    shelf: Lists,
    judges: usize,
    records: Vec<SlipRecord>,
    next: u64,
    /// How long after the first step it is, in microseconds.
    passed_us: i64,
    review: String,
}

/// What a step came to: the answer's body, or the slug of the problem.
type Outcome = Result<Value, String>;

fn slug(refusal: &Refusal) -> String {
    match refusal {
        Refusal::Faults(faults) => faults.first().slug.to_string(),
        Refusal::Forbidden(_) => "forbidden".to_owned(),
        Refusal::SamePerson => "same-person".to_owned(),
        Refusal::OwnGame => "own-game".to_owned(),
        Refusal::SameJudge => "same-judge".to_owned(),
        Refusal::ReviewNotAllowed(_) => "review-not-allowed".to_owned(),
        Refusal::NotInRuleset(_) => "not-in-ruleset".to_owned(),
        Refusal::WrongState(_) => "wrong-state".to_owned(),
        Refusal::WordsDiffer => "words-differ".to_owned(),
        Refusal::Unreadable => "internal".to_owned(),
    }
}

fn speaker(named: &str) -> Asker {
    let role = Role::named(named.trim_end_matches(char::is_numeric)).unwrap();
    Asker { actor: Actor { id: named.to_owned(), name: named.to_owned(), role: role.to_string() }, role, plays: None }
}

fn said(step: &Value) -> RequestBody {
    step["request"].as_object().cloned().unwrap_or_default()
}

impl Play {
    fn of(case: &Case) -> Self {
        let alphabet = Alphabet::shipped(case.text("alphabet").unwrap_or("english")).unwrap();
        let list = |field: &str| {
            let words = case.said[field].as_array()?;
            let read = |word: &Value| alphabet.read(word.as_str().unwrap()).unwrap().unwrap().to_string();
            Some(Arc::new(List(words.iter().map(read).collect())))
        };
        let second = list("second");
        let mut lists = BTreeMap::from([("L".to_owned(), list("lexicon").unwrap())]);
        lists.extend(second.clone().map(|second| ("S".to_owned(), second)));
        let lengths = case.said["lengths"].as_array().map_or((2, 15), |lengths| {
            let length = |place: usize| usize::try_from(lengths[place].as_u64().unwrap()).unwrap();
            (length(0), length(1))
        });
        let mut settings = Settings::default();
        for (key, value) in case.said["set"].as_object().into_iter().flatten() {
            settings.set(&format!("{key}={}", value.to_string().trim_matches('"'))).unwrap();
        }
        let judges: HashSet<&str> = case.roles().into_iter().filter(|role| role.starts_with("judge")).collect();
        let mut play = Self {
            floor: Setup::default(),
            shelf: Lists { opened: lists, lengths: lengths.into(), alphabet },
            judges: judges.len(),
            records: Vec::new(),
            next: 0,
            passed_us: 0,
            review: String::new(),
        };
        play.record(
            &speaker("director"),
            Event::TournamentCreated(TournamentCreated {
                title: LOG.to_owned(),
                time_zone: "UTC".to_owned(),
                settings: TournamentSettings::default(),
                program: adjudge::PROGRAM.to_owned(),
            }),
        );
        play.record(
            &speaker("director"),
            Event::DivisionSet(DivisionSet {
                division: "A".to_owned(),
                lexicon: name("L"),
                second: second.map(|_| name("S")),
                ruleset: case.text("ruleset").unwrap().to_owned(),
                settings,
                from: None,
                fields: None,
                cancel: false,
                replaced: Vec::new(),
                reason: None,
                request: None,
            }),
        );
        play
    }

    /// Gives an event its place in the log, as the store does, and folds it in.
    fn record(&mut self, by: &Asker, event: Event) -> Entry {
        let event = event.numbered(self.records.len() as u64 + 1);
        let at = self.now();
        let entry =
            Entry { log: LOG.to_owned(), seq: self.next, at, actor: by.actor.clone(), event, in_question: false };
        self.next += 1;
        let entry = Entry::from_leaf(entry.to_leaf().unwrap()).unwrap();
        self.floor.apply(&entry).unwrap();
        match entry.event.subject() {
            Some(_) if entry.event.slip().is_some() => self.records.push(SlipRecord::next(None, &entry).unwrap()),
            Some(_) => {
                let record = self.records.pop().unwrap();
                self.records.push(SlipRecord::next(Some(record), &entry).unwrap());
            }
            None => {}
        }
        entry
    }

    /// No clock: a step may say how many minutes it comes after the one before.
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.passed_us + i64::try_from(self.next).unwrap())
    }

    fn id(&self) -> String {
        format!("id-{}", self.next)
    }

    fn step(&mut self, number: usize, step: &Value) -> Outcome {
        let (verb, by) = (step["do"].as_str().unwrap(), speaker(acts(step)));
        self.passed_us += step["after_minutes"].as_i64().unwrap_or(0) * 60_000_000;
        let action = match verb {
            "slip" => Some(Action::FileSlip),
            "read" | "rules" => Some(Action::ReadSlip),
            "dispose" => Some(Action::SpeakOfSlip),
            "paper" => Some(Action::AdjudicateSlip),
            "round" => Some(Action::SetUp),
            // The desk knows who may say what.
            _ => None,
        };
        if action.is_some_and(|action| !by.role.may(action)) {
            return Err("forbidden".to_owned());
        }
        let event = match verb {
            "slip" => self.file(number, step, &by)?,
            "dispose" | "paper" => self.enter(number, step, &by)?,
            "round" => {
                let mut body = said(step);
                body.entry("division").or_insert_with(|| json!("A"));
                let set = RoundSet::read(&body, None).map_err(|faults| faults.first().slug.to_string())?;
                Event::RoundSet(set)
            }
            "read" => return Ok(self.view(by.role)),
            "rules" => return Ok(json!(self.floor.tournament(LOG).unwrap().division("A").unwrap().ruleset)),
            _ => self.settle(verb, step, &by)?,
        };
        let entry = self.record(&by, event);
        answer(&entry, &mut self.review)
    }

    fn at_table(number: usize, step: &Value) -> RequestBody {
        let mut body = RequestBody::new();
        body.insert("division".to_owned(), json!("A"));
        body.insert("round".to_owned(), json!(1));
        body.insert("table".to_owned(), step.get("table").cloned().unwrap_or(json!(number)));
        body.extend(said(step));
        body
    }

    fn file(&self, number: usize, step: &Value, by: &Asker) -> Result<Event, String> {
        let tournament = self.floor.tournament(LOG).unwrap();
        let fault = |faults: Faults| faults.first().slug.to_string();
        let mut body = Self::at_table(number, step);
        if body.get("follows") == Some(&json!("last")) {
            body.insert("follows".to_owned(), json!(self.records.last().unwrap().slip.id));
        }
        let mut raw = RawSlip::read(&body, |_| None).map_err(fault)?;
        let division = tournament.division_at(&raw.division, raw.place.table).map_err(fault)?;
        if by.role == Role::Station {
            division.check_table(raw.place.table).map_err(fault)?;
            division.check_self_lookup().map_err(fault)?;
        }
        raw.place = division.in_round(raw.place);
        division.check_round(raw.place.round).map_err(fault)?;
        let lexicon = self.shelf.opened(&division.lexicon).unwrap();
        let second = division.second.as_ref().and_then(|second| self.shelf.opened(second));
        let lexica = DivisionLexica {
            lexicon: &*lexicon,
            second: second.as_deref(),
            alphabet: &self.shelf.alphabet,
            covered: self.shelf.lengths,
        };
        let heard: Adjudicated = adjudicate_slip(raw, division, &lexica).map_err(fault)?;
        let filing = FilingDetails {
            id: self.id(),
            method: adjudge::domain::event::Method::of(by.role),
            lexicon: division.lexicon.clone(),
            alphabet: self.shelf.alphabet.name().to_owned(),
            request: None,
            program: adjudge::PROGRAM.to_owned(),
        };
        let event = heard.into_event(division, filing);
        let Event::SlipRuled(ruled) = event else { return Ok(event) };
        let filer = Filer {
            tournament: LOG,
            by: &by.actor,
            role: by.role,
            at: self.now(),
            windows: ProbingWindows::of(division),
            is_same_play: step["same_play"].as_bool().unwrap_or(false),
        };
        Ok(probing::apply(ruled, filer, &self.records.iter().collect::<Vec<_>>()))
    }

    fn enter(&self, number: usize, step: &Value, by: &Asker) -> Result<Event, String> {
        let tournament = self.floor.tournament(LOG).unwrap();
        let fault = |faults: Faults| faults.first().slug.to_string();
        let body = Self::at_table(number, step);
        if step["do"] == "paper" {
            let said =
                PaperRuling::read(&body, Timestamp::parse("2999-01-01T00:00:00.000000Z").unwrap()).map_err(fault)?;
            let division = tournament
                .division_for(said.division.as_deref(), said.place.table, FaultCode::InvalidSlip)
                .map_err(fault)?;
            let ruled = said.of(division, &self.shelf.alphabet, self.id(), None).map_err(fault)?;
            return Ok(Event::PaperRuled(ruled));
        }
        let said = EndedChallenge::read(&body).map_err(fault)?;
        let division = tournament
            .division_for(said.division.as_deref(), said.place.table, FaultCode::InvalidRequest)
            .map_err(fault)?;
        let ended = said.into_event(division, &self.shelf.alphabet, (by.role, None), self.id(), None);
        ended.map(Event::ChallengeDisposed).map_err(|refusal| slug(&refusal))
    }

    fn settle(&self, verb: &str, step: &Value, by: &Asker) -> Result<Event, String> {
        let record = self.records.last().unwrap();
        let desk = Decisions { setup: &self.floor, lexica: &self.shelf, judges: self.judges };
        let id = self.id();
        let act = match verb {
            "review" => SlipAction::RequestReview { id: &id },
            "adjudicate-review" => SlipAction::AnswerReview { id: &self.review },
            "adjudicate-slip" => SlipAction::LookUpManually,
            "correct" => SlipAction::Correct { near: &self.records },
            "release" => SlipAction::Release,
            "lapse" => SlipAction::Lapse,
            "dispose-slip" => SlipAction::Dispose,
            "director-ruling" => SlipAction::Rule,
            "opinion" => SlipAction::GiveOpinion,
            "compensate" => SlipAction::Compensate,
            other => panic!("no step {other}"),
        };
        desk.decide(record, by, act, &said(step), None).map_err(|refusal| slug(&refusal))
    }

    fn looked_up(&self, name: &LexiconName, words: &[String]) -> Vec<Value> {
        let list = self.shelf.opened(name).unwrap();
        let read = |word: &String| self.shelf.alphabet.read(word).unwrap().unwrap();
        words.iter().map(|word| json!({ "word": word, "acceptable": list.contains(&read(word)) })).collect()
    }

    /// What is true of the slip that was filed last, as far as the cases ask.
    fn view(&self, role: Role) -> Value {
        let record = self.records.last().unwrap();
        let slip = |id: &String| {
            self.records.iter().position(|other| other.slip.id == *id).map(|at| format!("slip {}", at + 1))
        };
        let is_hidden = record.is_hidden_from(role);
        let desk = Decisions { setup: &self.floor, lexica: &self.shelf, judges: self.judges };
        let ruling = |ruling: adjudge::domain::Ruling| if is_hidden { Value::Null } else { json!(ruling) };
        let open = record.review.as_ref().map(|open| {
            json!({
                "id": open.id, "next": open.next,
                "reason": if is_hidden { Value::Null } else { json!(open.reason) },
                "requested_by": if is_hidden { Value::Null } else { json!(open.requested_by) },
            })
        });
        let adjudications = record.adjudications.iter().map(|one| {
            json!({
                "ordinal": one.ordinal, "method": one.method, "ruling": ruling(one.ruling), "by": one.by.name,
                "late": one.method == adjudge::domain::event::Method::Paper, "typed": one.typed,
                "lexicon": one.lexicon.as_ref().map(|_| json!({})), "at": one.at.to_string(),
                "words": one.lexicon.as_ref().map(|name| self.looked_up(name, &one.words)),
            })
        });
        json!({
            "state": record.state, "ruling": record.ruling().map_or(Value::Null, ruling),
            "disposition": record.disposition, "words": record.words, "number": record.slip.number,
            "division": record.slip.division, "round": record.slip.round, "table": record.slip.table,
            "challenger": record.slip.challenger, "opponent": record.slip.opponent, "follows": record.slip.follows.as_ref().map(slip),
            "shares": record.shares.iter().map(slip).collect::<Vec<_>>(),
            "parts_of": record.parts_of.as_ref().map(slip),
            "out_play": record.slip.out_play, "ruleset": record.slip.ruleset,
            "penalty": if is_hidden { Value::Null } else { json!(record.penalty) },
            "adjudications": adjudications.collect::<Vec<_>>(),
            "review": { "allowed": desk.next_for_players(record).is_ok(), "open": open },
        })
    }
}

/// The body of the answer that an entry gives, or the problem that it records.
fn answer(entry: &Entry, review: &mut String) -> Outcome {
    let payload = entry.to_leaf().unwrap().payload;
    Ok(match &entry.event {
        Event::SlipHeld(_) => return Err("ask-a-judge".to_owned()),
        Event::SlipAwaitsManualLookup(_) => return Err("needs-manual-lookup".to_owned()),
        Event::ReviewRequested(event) => {
            review.clone_from(&event.review);
            json!({ "review": event.review, "next": event.next })
        }
        Event::SlipReleased(event) => match &event.ruled {
            Some(released) => json!({ "ruling": released.ruling }),
            None => json!({ "disposition": "refused" }),
        },
        Event::SlipLapsed(_) => json!({ "state": "lapsed" }),
        Event::SlipDisposed(event) => json!({ "disposition": event.disposition.kind }),
        Event::ChallengeDisposed(event) => json!({ "disposition": event.disposition.kind }),
        Event::DirectorsRulingReviewed(event) => json!({ "ordinal": event.ordinal }),
        Event::CompensationDecided(_) => match &payload["decision"] {
            decision if decision["granted"].is_object() => {
                json!({"granted": true, "spread": decision["granted"]["spread"]})
            }
            decision => json!({"granted": false, "failed": decision["refused"]["failed"]}),
        },
        Event::RoundSet(_) => json!({}),
        _ => json!({ "ruling": payload["ruling"] }),
    })
}

fn unmet(expect: &Value, outcome: &Outcome) -> Vec<String> {
    let is_met = |(field, expected): &(&String, &Value)| match (field.as_str(), outcome) {
        ("status", outcome) => (expected.as_u64().unwrap() < 400) == outcome.is_ok(),
        ("problem", Err(slug)) => *expected == slug.as_str(),
        ("body", Ok(found)) => same(expected, found),
        ("adjudication_count", Ok(found)) => *expected == &json!(found["adjudications"].as_array().map(Vec::len)),
        (field, Ok(found)) => fits(expected, &found[field]),
        (_, Err(_)) => false,
    };
    let unmet = expect.as_object().unwrap().iter().filter(|pair| !is_met(pair));
    unmet.map(|(field, expected)| format!("{field} should be {expected}: {outcome:?}")).collect()
}

#[test]
fn every_case_comes_out_the_same_in_the_domain_alone() {
    let (mut failed, mut count) = (Vec::new(), 0);
    for case in FILES.iter().flat_map(|file| Case::of(file)) {
        count += 1;
        let mut play = Play::of(&case);
        for (number, step) in case.steps().iter().enumerate() {
            let unmet = unmet(&step["expect"], &play.step(number + 1, step));
            if !unmet.is_empty() {
                failed.push(format!("{}, step {}: {}", case.name(), number + 1, unmet.join("; ")));
                break;
            }
        }
    }
    assert!(count >= 290, "{count} cases");
    assert!(failed.is_empty(), "{} of {count} cases failed:\n{}", failed.len(), failed.join("\n"));
}

/// The rules that a text names: `NASPA IV.J.1.i` is a part of `NASPA IV.J.1`.
fn named(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for federation in ["NSF ", "NASPA ", "WESPA ", "D "] {
        for (at, _) in text.match_indices(federation) {
            let stands_alone = text[..at].chars().next_back().is_none_or(|before| !before.is_alphanumeric());
            let number: String = text[at + federation.len()..]
                .chars()
                .take_while(|letter| letter.is_alphanumeric() || *letter == '.')
                .collect();
            let number = number.trim_end_matches('.');
            let is_number = number.starts_with(|first: char| first.is_ascii_digit() || "IVX".contains(first));
            let whole =
                number.rsplit_once('.').filter(|(_, last)| last.chars().all(|letter| letter.is_ascii_lowercase()));
            if stands_alone && is_number {
                found.insert(format!("{federation}{}", whole.map_or(number, |(whole, _)| whole)));
            }
        }
    }
    for other in ["INSA Challenges", "TILES"] {
        if text.contains(other) {
            found.insert(other.to_owned());
        }
    }
    if text.split(|letter: char| !letter.is_alphanumeric()).any(|word| word == "NO") {
        found.insert("NO".to_owned());
    }
    found
}

/// A rule lives in three places: in a ruleset's data or only as our own decision, in the words above a function or a
/// type that carries it out, and in a case that pins it. None is there without the others.
#[test]
fn every_rule_has_its_function_and_its_case() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let lines = |path: &str, ending: &str, begins: &str| {
        let files = crate::harness::files_below(&folder.join(path)).into_iter();
        let files = files.filter(|file| file.extension().is_some_and(|found| found == ending));
        let texts = files.map(|file| std::fs::read_to_string(file).unwrap()).collect::<Vec<_>>().join("\n");
        let lines = texts.lines().map(str::trim).filter(|line| line.starts_with(begins));
        named(&lines.collect::<Vec<_>>().join("\n"))
    };
    let data = lines("src/domain/rulesets", "toml", "rule = ");
    let functions = lines("src/domain", "rs", "//");
    let cases: BTreeSet<String> = FILES
        .iter()
        .flat_map(|file| Case::of(file))
        .flat_map(|case| {
            case.said["rules"]
                .as_array()
                .unwrap()
                .iter()
                .map(|rule| rule.as_str().unwrap().to_owned())
                .collect::<Vec<_>>()
        })
        .flat_map(|rule| named(&rule))
        .collect();
    assert!(data.len() > 20 && functions.len() > 25, "{data:?} {functions:?}");
    let without = |these: &BTreeSet<String>, those: &BTreeSet<String>| -> Vec<String> {
        these.difference(those).cloned().collect()
    };
    assert_eq!(without(&data, &functions), [""; 0], "in a ruleset, and no function names it");
    assert_eq!(without(&functions, &cases), [""; 0], "named by a function, and no case pins it");
    assert_eq!(without(&cases, &functions), [""; 0], "pinned by a case, and no function names it");
}
