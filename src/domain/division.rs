//! A division as a director wants it, and why it cannot be so. The command line and the API come here.

use serde_json::Value;

use super::event::DivisionSet;
use super::fault::{Faults, Slug};
use super::fields::{Fields, Said};
use super::floor::Floor;
use super::is_id;
use super::lexicon::LexiconName;
use super::names::NamesKept;
use super::request::RequestMark;
use super::ruleset::Ruleset;
use super::settings::{BadSetting, Settings};

/// A division as it is asked for. Its lexica are named by their ids.
#[derive(Clone, Debug)]
pub struct WantedDivision {
    pub id: String,
    pub lexicon: String,
    pub second: Option<String>,
    pub ruleset: Ruleset,
    pub settings: Settings,
    /// The first day on which it is so, in the tournament's time zone; at once where there is none.
    pub from: Option<String>,
}

/// Why a division cannot be set so.
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
}

impl BadDivision {
    /// The field of a request that is at fault; none where it is the division's own id.
    #[must_use]
    pub fn field(&self) -> &'static str {
        match self {
            Self::Id(_) | Self::Taken(_) => "",
            Self::NeedsNames(_) => "ruleset",
            Self::NeedsSecond(_) | Self::NoUseForSecond { .. } => "second",
            Self::Setting(BadSetting::NotUnder { key: "points", .. }) => "settings.points",
            Self::Setting(BadSetting::NotUnder { key: "per", .. }) => "settings.per",
            Self::Setting(BadSetting::NotUnder { key: "side", .. }) => "settings.side",
            Self::Setting(_) => "settings",
            Self::Table { .. } => "settings.tables",
            Self::Day(_) => "from",
        }
    }
}

impl WantedDivision {
    /// Whether the division can be so, in a tournament that keeps `names`, beside its others, each an id with its settings.
    ///
    /// # Errors
    /// [`BadDivision`] says what stands against it.
    pub fn check<'a>(
        &self,
        names: NamesKept,
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
        // Two players may have the same initials: whose challenges would be counted?
        if self.ruleset.escalates() && names != NamesKept::Full {
            return Err(BadDivision::NeedsNames(ruleset));
        }
        self.settings.check(&self.ruleset)?;
        if let Some(day) = &self.from
            && day.parse::<jiff::civil::Date>().is_err()
        {
            return Err(BadDivision::Day(day.clone()));
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

    /// Reads a request about the division `id`.
    ///
    /// # Errors
    /// All faults at once, each `invalid-request`.
    pub fn read(said: &Said, id: &str, floor: &Floor) -> Result<Self, Faults> {
        let mut fields = Fields::of(said, Slug::InvalidRequest);
        let lexicon = fields.needed_line("lexicon", 32);
        let from = fields.line("from", 10);
        let second = fields.line("second", 32);
        let name = fields.needed_line("ruleset", 32);
        let ruleset = name.and_then(|name| {
            let found = floor.ruleset(&name);
            if found.is_none() {
                fields.fault("ruleset", format!("there is no ruleset {name:?}"));
            }
            found
        });
        let settings = settings(&mut fields);
        let read = || Some(Self { id: id.to_owned(), lexicon: lexicon?, second, ruleset: ruleset?, settings, from });
        let read = read();
        fields.whole(read)
    }

    /// The event that sets it, once its lexica are known.
    #[must_use]
    pub fn of(self, lexicon: LexiconName, second: Option<LexiconName>, request: Option<RequestMark>) -> DivisionSet {
        DivisionSet {
            division: self.id,
            lexicon,
            second,
            ruleset: self.ruleset.name,
            settings: self.settings,
            from: self.from,
            request,
        }
    }
}

/// The settings of a request, each with its own fault.
fn settings(fields: &mut Fields<'_>) -> Settings {
    let mut settings = Settings::default();
    for (key, value) in fields.object("settings") {
        let text = match &value {
            Value::Null => continue,
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        if let Err(bad) = settings.set(&format!("{key}={text}")) {
            fields.fault(&format!("settings.{key}"), bad.to_string());
        }
    }
    settings
}
