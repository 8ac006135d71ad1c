//! The filter of a list of slips, and the statistics of a tournament.

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;

use super::event::Method;
use super::fault::{FaultCode, Faults};
use super::fields::{Fields, RequestBody};
use super::player_name::MAX_NAME_CHARS;
use super::record::{SlipRecord, State};
use super::role::Role;
use super::ruling::Ruling;
use super::time::Timestamp;
use crate::domain::player_name;

/// A filter for slips: a slip fits if it matches every field that is set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    pub division: Option<String>,
    pub round: Option<i64>,
    pub table: Option<i64>,
    pub ruling: Option<Ruling>,
    pub state: Option<State>,
    /// The method of any opinion of the chain.
    pub method: Option<Method>,
    /// The name of either player, ignoring case.
    pub player: Option<String>,
    /// A word of any adjudication, ignoring case.
    pub word: Option<String>,
    /// The station that filed the slip.
    pub station: Option<String>,
    /// A person who gave an opinion on it.
    pub judge: Option<String>,
    /// Whether the slip ever had a review or a correction by players.
    pub reviewed: Option<bool>,
    /// Whether the slip is in question and no director has settled it.
    pub in_question: Option<bool>,
    /// Filed at this moment or later.
    pub from: Option<Timestamp>,
    /// Filed before this moment.
    pub to: Option<Timestamp>,
}

impl Selection {
    /// Takes the filter out of a request's fields.
    pub fn take(fields: &mut Fields<'_>) -> Self {
        const STATES: &str = "awaiting-manual-lookup, held, ruled, under-review, final, lapsed or disposed";
        Self {
            division: fields.line("division", 32),
            round: fields.number("round", 1..=999),
            table: fields.number("table", 1..=9999),
            ruling: fields.choice("ruling", "acceptable or unacceptable"),
            state: fields.choice("state", STATES),
            method: fields.choice("method", "self-lookup, lookup, manual, paper or director"),
            player: fields.name("player"),
            word: fields.line("word", MAX_NAME_CHARS),
            station: fields.name("station"),
            judge: fields.name("judge"),
            reviewed: fields.bool_field("reviewed"),
            in_question: fields.bool_field("in_question"),
            from: fields.time("from"),
            to: fields.time("to"),
        }
    }

    /// Whether a slip fits the filter.
    #[must_use]
    pub fn fits(&self, record: &SlipRecord) -> bool {
        let slip = &record.slip;
        let is = |wanted: &Option<String>, found: &str| wanted.as_ref().is_none_or(|wanted| is_alike(wanted, found));
        let players = [&slip.challenger, &slip.opponent];
        let adjudications = || record.adjudications.iter();
        let words = || record.words.iter().chain(adjudications().flat_map(|one| &one.words));
        is(&self.division, &slip.division)
            && self.round.is_none_or(|round| slip.round == Some(round))
            && self.table.is_none_or(|table| slip.table == Some(table))
            && self.ruling.is_none_or(|ruling| record.ruling() == Some(ruling))
            && self.state.is_none_or(|state| record.state == state)
            && self.method.is_none_or(|method| adjudications().any(|one| one.method == method))
            && self.player.as_ref().is_none_or(|player| player_name::is_one_of(player, players))
            && self.word.as_ref().is_none_or(|word| words().any(|one| is_alike(word, one)))
            && self.station.as_ref().is_none_or(|station| player_name::are_same(station, &record.filed_by.name))
            && self
                .judge
                .as_ref()
                .is_none_or(|judge| adjudications().any(|one| player_name::are_same(judge, &one.by.name)))
            && self.reviewed.is_none_or(|reviewed| record.was_reviewed() == reviewed)
            && self.in_question.is_none_or(|wanted| record.in_question == wanted)
            && self.from.is_none_or(|from| record.filed_at >= from)
            && self.to.is_none_or(|to| record.filed_at < to)
    }
}

fn is_alike(one: &str, other: &str) -> bool {
    one.trim().to_lowercase() == other.to_lowercase()
}

/// A request for a page of slips.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    pub selection: Selection,
    /// Slips with numbers below this one.
    pub before: u64,
    /// 1 to 200.
    pub limit: usize,
}

impl Page {
    /// Reads a query.
    ///
    /// # Errors
    /// All faults at once, each `invalid-request`.
    pub fn read(body: &RequestBody) -> Result<Self, Faults> {
        let mut fields = Fields::of(body, FaultCode::InvalidRequest);
        let after = fields.number("after", 1..=i64::MAX);
        let limit = fields.number("limit", 1..=200).unwrap_or(50);
        let selection = Selection::take(&mut fields);
        let before = after.and_then(|after| u64::try_from(after).ok()).unwrap_or(u64::MAX);
        fields.finish(Some(Self { selection, before, limit: usize::try_from(limit).unwrap_or(50) }))
    }
}

/// How many challenges there were, and how many of them were unsuccessful.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct Tally {
    pub challenges: u64,
    /// The play was acceptable.
    pub unsuccessful: u64,
}

impl Tally {
    fn count(&mut self, ruling: Ruling) {
        self.challenges += 1;
        self.unsuccessful += u64::from(ruling == Ruling::Acceptable);
    }
}

/// The statistics of a tournament. Free look-ups and challenges that ended without a ruling are not counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    pub all: Tally,
    pub by_division: BTreeMap<String, Tally>,
    pub by_round: BTreeMap<Option<i64>, Tally>,
    pub by_station: BTreeMap<String, Tally>,
    /// By the length of every challenged word, in tiles.
    pub by_word_length: BTreeMap<usize, Tally>,
    pub by_word: BTreeMap<String, Tally>,
    pub reviews: u64,
    /// Slips whose standing ruling differs from the first one.
    pub reversals: u64,
    /// Slips in question, which are counted nowhere else.
    pub in_question: u64,
}

impl Statistics {
    /// Counts a slip. `tiles` measures a word.
    pub fn count(&mut self, record: &SlipRecord, tiles: impl Fn(&str) -> usize) {
        self.in_question += u64::from(record.in_question);
        let Some(ruling) = record.ruling().filter(|_| !record.slip.free_lookup) else { return };
        self.all.count(ruling);
        self.by_division.entry(record.slip.division.clone()).or_default().count(ruling);
        self.by_round.entry(record.slip.round).or_default().count(ruling);
        if Role::named(&record.filed_by.role).is_some_and(Role::speaks_for_players) {
            self.by_station.entry(record.filed_by.name.clone()).or_default().count(ruling);
        }
        for word in &record.words {
            self.by_word_length.entry(tiles(word)).or_default().count(ruling);
            self.by_word.entry(word.clone()).or_default().count(ruling);
        }
        let asked = record.asked;
        let reviews = asked.look_ups.saturating_sub(asked.corrections) + asked.manual + asked.by_director;
        self.reviews += reviews as u64;
        self.reversals +=
            u64::from(record.adjudications.first().is_some_and(|first| first.ruling != ruling && !first.in_question));
    }
}
