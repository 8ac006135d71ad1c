//! Drafts as the server makes them: a ruled slip of two words, under a key of its own.

use std::sync::atomic::{AtomicI64, Ordering};

use adjudge::domain::event::{FiledSlip, Method, SlipRuled, TournamentCreated};
use adjudge::domain::ledger::Actor;
use adjudge::domain::penalty::{Challenged, penalty};
use adjudge::domain::probing::ProbingWindows;
use adjudge::domain::request::RequestMark;
use adjudge::domain::settings::{Settings, TournamentSettings};
use adjudge::domain::{Event, LexiconName, Role, Ruleset, Ruling};
use adjudge::store::{DataDir, Draft, Ledger, ProbingCheck};
use adjudge::system::System;
use anyhow::Context as _;

use super::fixture::Fixture;

/// The log that the benches write.
pub const LOG: &str = "bench";

fn draft(event: Event) -> Draft {
    let actor = Actor { id: "t-1".to_owned(), name: "results desk".to_owned(), role: "client".to_owned() };
    Draft::of(LOG, actor, event)
}

/// A new ledger in a fixture, with its log begun.
pub async fn begun(fixture: &Fixture) -> anyhow::Result<Ledger> {
    let folder = match fixture.url() {
        None => DataDir::at(fixture.data()),
        Some(url) => DataDir::with_database(fixture.data(), url)?,
    };
    let beginning = beginning();
    let ledger = folder.init(&System::Real, &beginning.actor).await?;
    ledger.record(System::Real.now(), vec![beginning]).await?;
    Ok(ledger)
}

/// The entry that begins the log.
fn beginning() -> Draft {
    let created = TournamentCreated {
        title: "Bench".to_owned(),
        time_zone: "UTC".to_owned(),
        settings: TournamentSettings::default(),
        program: adjudge::PROGRAM.to_owned(),
    };
    draft(Event::TournamentCreated(created))
}

/// How many slips were drawn: each gets a table of its own, as the slips of a hall have.
static DRAWN: AtomicI64 = AtomicI64::new(0);

/// A ruled slip. `key` must be new.
pub fn slip(system: &System, key: String) -> anyhow::Result<Draft> {
    let ruleset = Ruleset::shipped("wespa").context("the wespa ruleset ships")?;
    let number = DRAWN.fetch_add(1, Ordering::Relaxed);
    let slip = FiledSlip {
        id: system.new_id(system.now())?,
        number: 0,
        division: "A".to_owned(),
        round: Some(1 + number / 9999 % 999),
        table: Some(1 + number % 9999),
        challenger: None,
        opponent: None,
        play_score: None,
        out_play: false,
        ruleset: "wespa".to_owned(),
        ruleset_sha256: Some(ruleset.sha256()),
        settings: Settings::default(),
        alphabet: "english".to_owned(),
        follows: None,
        earlier: None,
        free_lookup: false,
    };
    let lexicon = LexiconName {
        id: "BENCH".to_owned(),
        title: "Made up".to_owned(),
        edition: "1".to_owned(),
        fingerprint: "0".repeat(64),
    };
    let ruling = Ruling::Acceptable;
    let ruled = draft(Event::SlipRuled(SlipRuled {
        slip,
        method: Method::SelfLookup,
        typed: vec!["cat".to_owned(), "qi".to_owned()],
        words: vec!["CAT".to_owned(), "QI".to_owned()],
        lexicon,
        second: None,
        ruling,
        penalty: Some(penalty(
            &ruleset,
            adjudge::domain::penalty::Choices::default(),
            ruling,
            Challenged { words: 2, out_play: false, earlier: 0, any_in_second: false },
        )),
        shares: Vec::new(),
        parts_of: None,
        request: Some(RequestMark { key, digest: "0".repeat(64) }),
        program: adjudge::PROGRAM.to_owned(),
    }));
    // As the server has them written: weighed beside the slips near them.
    Ok(ruled.with_probing_check(ProbingCheck::Slip {
        role: Role::Client,
        windows: ProbingWindows { near_us: 5_400_000_000, parts_us: 180_000_000, first_opened: None },
        elsewhere: Vec::new(),
        is_same_play: false,
    }))
}
