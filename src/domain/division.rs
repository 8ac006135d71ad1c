//! Orders that set a division, and the reasons to refuse one. The command line and the API both use this module.

use serde_json::Value;

use super::event::DivisionSet;
use super::fault::{FaultCode, Faults};
use super::fields::{Fields, RequestBody};
use super::is_id;
use super::lexicon::LexiconName;
use super::ruleset::Ruleset;
use super::settings::{BadSetting, Settings};
use crate::domain::player_name::NamePolicy;
use crate::domain::setup::{Division, DivisionPlan, Setup, Tournament, UnknownRuleset};

/// An order about a division, from the command line or a request. Fields that it does not name stay as they are.
#[derive(Clone, Debug, Default)]
pub struct DivisionOrder {
    pub id: String,
    pub lexicon: Option<String>,
    pub second: Option<String>,
    pub ruleset: Option<Ruleset>,
    /// The settings that the order names.
    pub settings: Settings,
    pub keys: Vec<String>,
    /// The first day on which it is in force, in the tournament's time zone; at once where there is none.
    pub from: Option<String>,
    /// Whether the order cancels all changes of the division that wait for their day.
    pub cancel: bool,
    pub reason: Option<String>,
    /// Whether the order describes the whole division: every field that it does not name gets its default.
    pub is_whole: bool,
}

/// A division as an order describes it. Its lexica are named by their ids.
#[derive(Clone, Debug)]
pub struct WantedDivision {
    pub id: String,
    pub lexicon: String,
    pub second: Option<String>,
    pub ruleset: Ruleset,
    pub settings: Settings,
    /// The first day on which it is in force, in the tournament's time zone; at once where there is none.
    pub from: Option<String>,
    /// The fields that the order names; `None` where it describes the whole division.
    pub fields: Option<Vec<String>>,
    /// Whether the order cancels all changes of the division that wait for their day.
    pub cancel: bool,
    pub reason: Option<String>,
}

/// Why an order about a division is refused.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadDivision {
    #[error("{0:?} cannot name a division: use 1 to 32 letters, digits, . _ or -, beginning with a letter or digit")]
    Id(String),
    #[error("there is a division {0} already: ids that differ in upper and lower case only are mixed up")]
    Taken(String),
    #[error("the ruleset {0} needs a second lexicon, by which its waiver is decided")]
    NeedsSecond(String),
    #[error("the ruleset {ruleset} has no use for the second lexicon {second}: leave it out")]
    NoUseForSecond { ruleset: String, second: String },
    #[error(
        "under the ruleset {0} a penalty goes by the challenger's earlier challenges, and this tournament does not keep names (names): choose another ruleset"
    )]
    NeedsNames(String),
    #[error(transparent)]
    Setting(#[from] BadSetting),
    #[error("table {table} belongs to division {division} already")]
    Table { table: i64, division: String },
    #[error("{0:?} is no day: write it like 2026-11-29")]
    Day(String),
    #[error("there is no division {division} yet: a new one needs {needs}")]
    New { division: String, needs: &'static str },
    #[error("nothing is named that changes on that day: name a lexicon, a ruleset or a setting")]
    NamesNothing,
    #[error("there is no division {0}: there is nothing to take back")]
    NoDivision(String),
    #[error("in division {0} nothing waits for its day: there is nothing to take back")]
    NothingWaits(String),
    #[error(
        "round {round} of division {division} is open: a change now needs a reason, which is recorded (--reason; over HTTP \"reason\")"
    )]
    NeedsReason { division: String, round: i64 },
    #[error(
        "from {from} on, with what waits for its day, division {division} could not be so: {why}; take back what waits (--cancel), or name that field too"
    )]
    Later { division: String, from: String, why: Box<BadDivision> },
    #[error(transparent)]
    Ruleset(#[from] UnknownRuleset),
}

impl BadDivision {
    /// The field of a request that is at fault; none where it is the division's own id.
    #[must_use]
    pub fn field(&self) -> &'static str {
        match self {
            Self::Id(_) | Self::Taken(_) => "",
            Self::NeedsSecond(_) | Self::NoUseForSecond { .. } => "second",
            Self::Setting(BadSetting::NotUnder { key: "points", .. }) => "settings.points",
            Self::Setting(BadSetting::NotUnder { key: "per", .. }) => "settings.per",
            Self::Setting(BadSetting::NotUnder { key: "side", .. }) => "settings.side",
            Self::Setting(_) => "settings",
            Self::Table { .. } => "settings.tables",
            Self::Day(_) | Self::NamesNothing | Self::Later { .. } => "from",
            Self::New { needs: "--lexicon", .. } => "lexicon",
            Self::NeedsNames(_) | Self::New { .. } | Self::Ruleset(_) => "ruleset",
            Self::NoDivision(_) | Self::NothingWaits(_) => "cancel",
            Self::NeedsReason { .. } => "reason",
        }
    }
}

impl WantedDivision {
    /// Checks that the division is allowed in a tournament with the name policy `names`, beside the tournament's other
    /// divisions, each an id with its settings.
    ///
    /// # Errors
    /// [`BadDivision`] names the reason.
    pub fn check<'a>(
        &self,
        names: NamePolicy,
        others: impl Iterator<Item = (&'a str, &'a Settings)>,
    ) -> Result<(), BadDivision> {
        if !is_id(&self.id) {
            return Err(BadDivision::Id(self.id.clone()));
        }
        let ruleset = self.ruleset.name.clone();
        match &self.second {
            None if self.ruleset.needs_second() => return Err(BadDivision::NeedsSecond(ruleset)),
            Some(second) if !self.ruleset.needs_second() => {
                return Err(BadDivision::NoUseForSecond { ruleset, second: second.clone() });
            }
            _ => {}
        }
        // Two players may have the same initials, so initials cannot count one player's challenges.
        if self.ruleset.escalates() && names != NamePolicy::Full {
            return Err(BadDivision::NeedsNames(ruleset));
        }
        self.settings.check(&self.ruleset)?;
        if let Some(day) = &self.from
            && day.parse::<jiff::civil::Date>().ok().is_none_or(|read| read.to_string() != *day)
        {
            return Err(BadDivision::Day(day.clone()));
        }
        if self.from.is_some() && self.fields.as_ref().is_some_and(Vec::is_empty) {
            return Err(BadDivision::NamesNothing);
        }
        for (other, settings) in others.filter(|(other, _)| *other != self.id) {
            if other.eq_ignore_ascii_case(&self.id) {
                return Err(BadDivision::Taken(other.to_owned()));
            }
            if let (Some(own), Some(others)) = (&self.settings.tables, &settings.tables)
                && let Some(table) = own.shared_with(others)
            {
                return Err(BadDivision::Table { table, division: other.to_owned() });
            }
        }
        Ok(())
    }

    /// The division that a plan describes.
    fn of_plan(tournament: &str, id: &str, plan: &DivisionPlan, setup: &Setup) -> Result<Self, BadDivision> {
        Ok(Self {
            id: id.to_owned(),
            lexicon: plan.lexicon.id.clone(),
            second: plan.second.as_ref().map(|second| second.id.clone()),
            ruleset: setup.ruleset_of(tournament, id, &plan.ruleset)?,
            settings: plan.settings.clone(),
            from: None,
            fields: None,
            cancel: false,
            reason: None,
        })
    }

    /// The event that sets it, once its lexica are known.
    #[must_use]
    pub fn into_event(self, lexicon: LexiconName, second: Option<LexiconName>) -> DivisionSet {
        DivisionSet {
            division: self.id,
            lexicon,
            second,
            ruleset: self.ruleset.name,
            settings: self.settings,
            from: self.from,
            fields: self.fields,
            cancel: self.cancel,
            replaced: Vec::new(),
            reason: self.reason,
            request: None,
        }
    }

    /// The event that sets the division, with the waiting changes that it cancels. It is refused where the changes that
    /// still wait would make the division invalid on a later day.
    ///
    /// # Errors
    /// [`BadDivision::Later`].
    pub fn ordered(
        self,
        tournament: &Tournament,
        setup: &Setup,
        (lexicon, second): (LexiconName, Option<LexiconName>),
    ) -> Result<DivisionSet, BadDivision> {
        let (own, id) = (&tournament.id, self.id.clone());
        let mut set = self.into_event(lexicon, second);
        let then = setup.ordered(own, &set)?;
        let kept = then.waiting(own, &id);
        set.replaced = setup.waiting(own, &id).into_iter().filter(|before| !kept.contains(before)).collect();
        let others = then.settings_of_divisions(own);
        for (from, plan) in then.later_plans(own, &id) {
            let others = others.iter().map(|(other, settings)| (other.as_str(), settings));
            let wanted = Self::of_plan(own, &id, &plan, &then)?;
            let later = |why| BadDivision::Later { division: id.clone(), from: from.clone(), why: Box::new(why) };
            wanted.check(tournament.settings.names(), others).map_err(later)?;
        }
        Ok(set)
    }
}

impl DivisionOrder {
    /// Reads a request about the division `id`. An order that takes effect at once describes the whole division; one
    /// for a later day changes the fields that it names.
    ///
    /// # Errors
    /// All faults at once, each `invalid-request`.
    pub fn read(body: &RequestBody, id: &str, setup: &Setup) -> Result<Self, Faults> {
        let mut fields = Fields::of(body, FaultCode::InvalidRequest);
        let cancel = fields.bool_field("cancel").unwrap_or(false);
        let only_cancels = cancel && !fields.is_given("lexicon") && !fields.is_given("ruleset");
        let mut named = |field| if only_cancels { fields.line(field, 32) } else { fields.required_line(field, 32) };
        let (lexicon, name) = (named("lexicon"), named("ruleset"));
        let from = fields.line("from", 10);
        let second = fields.line("second", 32);
        let reason = fields.note("reason");
        let ruleset = name.and_then(|name| {
            let found = setup.ruleset(&name);
            if found.is_none() {
                fields.fault("ruleset", format!("there is no ruleset {name:?}"));
            }
            found
        });
        let (settings, keys) = settings(&mut fields);
        let is_whole = from.is_none() && !only_cancels;
        let read = Self { id: id.to_owned(), lexicon, second, ruleset, settings, keys, from, cancel, reason, is_whole };
        fields.finish(Some(read))
    }

    /// The division that the order leads to: the named fields, and the others as they are on its day.
    ///
    /// # Errors
    /// [`BadDivision`] for a new division that is not whole, where there is nothing to cancel, and where a reason is
    /// needed.
    pub fn wanted(self, setup: &Setup, tournament: &Tournament) -> Result<WantedDivision, BadDivision> {
        let (own, id) = (&tournament.id, self.id);
        let now = tournament.divisions().find(|division| division.id == id);
        let round = now.and_then(Division::open_round);
        let reason = self.reason.map(|reason| reason.trim().to_owned()).filter(|reason| !reason.is_empty());
        if let Some(round) = round.filter(|_| reason.is_none()) {
            return Err(BadDivision::NeedsReason { division: id, round });
        }
        let waits = setup.waiting_divisions(own).any(|one| one == id);
        let names_nothing =
            self.lexicon.is_none() && self.second.is_none() && self.ruleset.is_none() && self.keys.is_empty();
        if self.cancel && names_nothing && !waits {
            return Err(if now.is_some() { BadDivision::NothingWaits(id) } else { BadDivision::NoDivision(id) });
        }
        let day = self.from.as_deref();
        let before = if self.is_whole { None } else { setup.plan_on(own, &id, day) };
        // The cancelled order may be one that would have created the division.
        let last = || setup.later_plans(own, &id).pop().filter(|_| self.cancel).map(|(_, plan)| plan);
        let before = before.or_else(last);
        let new = |needs| BadDivision::New { division: id.clone(), needs };
        let lexicon = self.lexicon.clone().or_else(|| before.as_ref().map(|before| before.lexicon.id.clone()));
        let ruleset = match (self.ruleset.clone(), &before) {
            (Some(ruleset), _) => ruleset,
            (None, Some(before)) => setup.ruleset_of(own, &id, &before.ruleset)?,
            (None, None) => return Err(new("--ruleset")),
        };
        let kept = before.as_ref().and_then(|before| before.second.as_ref()).filter(|_| ruleset.needs_second());
        let second = self.second.clone().or_else(|| kept.map(|second| second.id.clone()));
        let mut settings = before.as_ref().map(|before| before.settings.clone()).unwrap_or_default();
        self.keys.iter().for_each(|key| settings.copy(key, &self.settings));
        // A ruleset that has no use for the second lexicon takes it away.
        let had_second = before.is_some_and(|before| before.second.is_some());
        let is_named = [
            ("lexicon", self.lexicon.is_some()),
            ("second", self.second.is_some() || (had_second && second.is_none())),
            ("ruleset", self.ruleset.is_some()),
        ];
        let named = is_named.into_iter().filter(|(_, is_named)| *is_named).map(|(field, _)| field.to_owned());
        let fields: Vec<String> = named.chain(self.keys).collect();
        let is_whole = self.is_whole || now.is_none() && !(self.cancel && names_nothing);
        Ok(WantedDivision {
            lexicon: lexicon.ok_or_else(|| new("--lexicon"))?,
            id,
            second,
            ruleset,
            settings,
            from: self.from,
            fields: (!is_whole).then_some(fields),
            // An order that describes the whole division replaces all changes that wait for it.
            cancel: waits && (self.cancel || is_whole),
            reason,
        })
    }
}

/// The settings of a request, each with its own fault, and their keys.
fn settings(fields: &mut Fields<'_>) -> (Settings, Vec<String>) {
    let (mut settings, mut keys) = (Settings::default(), Vec::new());
    for (key, value) in fields.object("settings") {
        let text = match &value {
            Value::Null => continue,
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        match settings.set(&format!("{key}={text}")) {
            Ok(()) => keys.push(key),
            Err(bad) => fields.fault(&format!("settings.{key}"), bad.to_string()),
        }
    }
    (settings, keys)
}
