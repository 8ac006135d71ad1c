//! The settings of a division: the choices that a ruleset leaves to the event.

use crate::domain::player::Player;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::penalty::Choices;
use super::ruleset::{Cost, Per, Ruleset, Then};
use crate::domain::player_name::NamePolicy;
use crate::domain::table_ranges::Tables;

/// The settings of a division; `None` is the default that the documentation names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Points of an unsuccessful challenge, 0 to 100; default: the ruleset's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<i64>,
    /// The unit by which the points are counted; default: the ruleset's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per: Option<Per>,
    /// Whose score the points change; default: the ruleset's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub side: Option<Player>,
    /// Whether players may look up at a station; default: the ruleset's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub self_lookup: Option<bool>,
    /// Whether clocks are used; default true. Source: INSA Challenges.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clocks: Option<bool>,
    /// What happens to a word that the lexicon does not have; default: the ruleset's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_found: Option<Then>,
    /// The division's tables, like `1-20,31`; default none. A slip then needs no division.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tables: Option<Tables>,
    /// The width of the board in squares, 2 to 31; default 15.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tiles: Option<usize>,
    /// Whether a station must name the table; default true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table_required: Option<bool>,
    /// How long a ruling stays before a key clears it, in milliseconds, 0 to 10,000; default 2,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hold_ms: Option<u32>,
    /// After how many seconds a ruling clears itself, 2 to 120; default 10.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clear_s: Option<u32>,
    /// How many minutes apart neighbouring slips can be filed where either has no round, 1 to 1,440; default 90.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub near_minutes: Option<u32>,
    /// How many seconds after a ruling of its table another slip may be a part of the same play, 0 to 3,600; default 180.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parts_s: Option<u32>,
    /// How a station orders its letter keys; default: by the language of the lexicon.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keyboard: Option<Keyboard>,
    /// Whether a station sounds a tone with each ruling and each call; default false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sound: Option<bool>,
}

/// The order of a station's letter keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Keyboard {
    Qwerty,
    Azerty,
    /// The alphabet's own order.
    Alphabet,
}

/// A setting that is refused; the message says what is allowed.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadSetting {
    #[error("{0:?} is no setting: write KEY=VALUE, for example points=10")]
    NoPair(String),
    #[error(
        "there is no setting {0:?}; those of a division are points, per, side, self_lookup, tables, max_tiles, clocks, table_required, hold_ms, clear_s, near_minutes, parts_s, keyboard, sound and not_found"
    )]
    Unknown(String),
    #[error(
        "there is no setting {0:?} of a whole tournament: there are same_judge, two_person and names; a division's is written DIVISION.KEY=VALUE, like A.points=10"
    )]
    OfNoTournament(String),
    #[error("{key} takes {wanted}, not {value:?}")]
    Value { key: String, value: String, wanted: &'static str },
    #[error("{key} cannot be chosen under the ruleset {ruleset}: an unsuccessful challenge costs no points there")]
    NotUnder { key: &'static str, ruleset: String },
}

/// The keys of a division's settings.
pub const SETTING_KEYS: [&str; 15] = [
    "points",
    "per",
    "side",
    "self_lookup",
    "clocks",
    "not_found",
    "tables",
    "max_tiles",
    "table_required",
    "hold_ms",
    "clear_s",
    "near_minutes",
    "parts_s",
    "keyboard",
    "sound",
];

impl Settings {
    /// Copies the value of one setting from other settings. An unknown key changes nothing.
    pub fn copy(&mut self, key: &str, from: &Self) {
        match key {
            "points" => self.points = from.points,
            "per" => self.per = from.per,
            "side" => self.side = from.side,
            "self_lookup" => self.self_lookup = from.self_lookup,
            "clocks" => self.clocks = from.clocks,
            "not_found" => self.not_found = from.not_found,
            "tables" => self.tables.clone_from(&from.tables),
            "max_tiles" => self.max_tiles = from.max_tiles,
            "table_required" => self.table_required = from.table_required,
            "hold_ms" => self.hold_ms = from.hold_ms,
            "clear_s" => self.clear_s = from.clear_s,
            "near_minutes" => self.near_minutes = from.near_minutes,
            "parts_s" => self.parts_s = from.parts_s,
            "keyboard" => self.keyboard = from.keyboard,
            "sound" => self.sound = from.sound,
            _ => {}
        }
    }

    /// The value of a setting as it is written after `key=`; `None` for the default.
    #[must_use]
    pub fn value(&self, key: &str) -> Option<String> {
        let all = serde_json::to_value(self).ok()?;
        all.get(key).map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    }

    /// Sets one `key=value`.
    ///
    /// # Errors
    /// [`BadSetting`] where the key is unknown or the value out of range; the settings stay unchanged then.
    pub fn set(&mut self, pair: &str) -> Result<(), BadSetting> {
        let (key, value) = pair.split_once('=').ok_or_else(|| BadSetting::NoPair(pair.to_owned()))?;
        let body = Pair { key, value };
        match key {
            "points" => self.points = Some(body.within(0, 100, "a whole number from 0 to 100")?),
            "per" => self.per = Some(body.word("play or word")?),
            "side" => self.side = Some(body.word("opponent or challenger")?),
            "self_lookup" => self.self_lookup = Some(body.bool_field("true or false")?),
            "tables" => self.tables = Some(body.parsed("table numbers and ranges from 1 to 9999, like 1-20,31")?),
            "clocks" => self.clocks = Some(body.bool_field("true or false")?),
            "not_found" => self.not_found = Some(body.word("final or on-request")?),
            "max_tiles" => self.max_tiles = Some(body.within(2, 31, "a whole number from 2 to 31")?),
            "table_required" => self.table_required = Some(body.bool_field("true or false")?),
            "hold_ms" => self.hold_ms = Some(body.within(0, 10_000, "a whole number from 0 to 10000")?),
            "clear_s" => self.clear_s = Some(body.within(2, 120, "a whole number from 2 to 120")?),
            "near_minutes" => self.near_minutes = Some(body.within(1, 1_440, "a whole number from 1 to 1440")?),
            "parts_s" => self.parts_s = Some(body.within(0, 3_600, "a whole number from 0 to 3600")?),
            "keyboard" => self.keyboard = Some(body.word("qwerty, azerty or alphabet")?),
            "sound" => self.sound = Some(body.bool_field("true or false")?),
            _ => return Err(BadSetting::Unknown(key.to_owned())),
        }
        Ok(())
    }

    /// The event's choices for the penalty.
    #[must_use]
    pub fn choices(&self) -> Choices {
        Choices { points: self.points, per: self.per, side: self.side }
    }

    /// The settings that affect decisions on a slip on record.
    #[must_use]
    pub fn deciding(&self) -> Self {
        let Self { points, per, side, not_found, max_tiles, .. } = *self;
        Self { points, per, side, not_found, max_tiles, ..Self::default() }
    }

    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Checks that a ruleset allows these settings; the message of a refusal names the reason.
    ///
    /// # Errors
    /// [`BadSetting::NotUnder`].
    pub fn check(&self, ruleset: &Ruleset) -> Result<(), BadSetting> {
        let chosen = [("points", self.points.is_some()), ("per", self.per.is_some()), ("side", self.side.is_some())];
        match chosen.into_iter().find(|(_, is_chosen)| *is_chosen) {
            Some((key, _)) if ruleset.unsuccessful.costs != Cost::Points => {
                Err(BadSetting::NotUnder { key, ruleset: ruleset.name.clone() })
            }
            _ => Ok(()),
        }
    }

    #[must_use]
    pub fn max_tiles(&self) -> usize {
        self.max_tiles.unwrap_or(15)
    }

    #[must_use]
    pub fn table_required(&self) -> bool {
        self.table_required.unwrap_or(true)
    }

    #[must_use]
    pub fn hold_ms(&self) -> u32 {
        self.hold_ms.unwrap_or(2000)
    }

    #[must_use]
    pub fn clear_s(&self) -> u32 {
        self.clear_s.unwrap_or(10)
    }

    #[must_use]
    pub fn sound(&self) -> bool {
        self.sound.unwrap_or(false)
    }

    #[must_use]
    pub fn near_minutes(&self) -> u32 {
        self.near_minutes.unwrap_or(90)
    }

    #[must_use]
    pub fn parts_s(&self) -> u32 {
        self.parts_s.unwrap_or(180)
    }
}

/// A setting as given on the command line.
struct Pair<'a> {
    key: &'a str,
    value: &'a str,
}

impl Pair<'_> {
    fn refused(&self, wanted: &'static str) -> BadSetting {
        BadSetting::Value { key: self.key.to_owned(), value: self.value.to_owned(), wanted }
    }

    fn within<N: std::str::FromStr + PartialOrd>(
        &self,
        least: N,
        most: N,
        wanted: &'static str,
    ) -> Result<N, BadSetting> {
        let number = self.value.parse().ok().filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| self.refused(wanted))
    }

    fn parsed<T: std::str::FromStr>(&self, wanted: &'static str) -> Result<T, BadSetting> {
        self.value.parse().map_err(|_| self.refused(wanted))
    }

    fn word<T: serde::de::DeserializeOwned>(&self, wanted: &'static str) -> Result<T, BadSetting> {
        serde_json::from_value(self.value.into()).map_err(|_| self.refused(wanted))
    }

    fn bool_field(&self, wanted: &'static str) -> Result<bool, BadSetting> {
        self.parsed(wanted)
    }
}

/// The settings of a whole tournament.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TournamentSettings {
    /// Whether a person who judged a slip may judge it again; default false. Source: D 6.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_judge: Option<bool>,
    /// Whether a director's rulings and corrections, another lexicon and another ruleset need a second person; default
    /// false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub two_person: Option<bool>,
    /// How much the tournament records of players' names; default: the full names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub names: Option<NamePolicy>,
}

impl TournamentSettings {
    /// Sets one `key=value`.
    ///
    /// # Errors
    /// [`BadSetting`] where the key is unknown or the value out of range; the settings stay unchanged then.
    pub fn set(&mut self, pair: &str) -> Result<(), BadSetting> {
        let (key, value) = pair.split_once('=').ok_or_else(|| BadSetting::NoPair(pair.to_owned()))?;
        match key {
            "same_judge" => self.same_judge = Some(Pair { key, value }.bool_field("true or false")?),
            "two_person" => self.two_person = Some(Pair { key, value }.bool_field("true or false")?),
            "names" => self.names = Some(Pair { key, value }.word("full, initials or none")?),
            _ => return Err(BadSetting::OfNoTournament(key.to_owned())),
        }
        Ok(())
    }

    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    #[must_use]
    pub fn two_person(&self) -> bool {
        self.two_person.unwrap_or(false)
    }

    #[must_use]
    pub fn names(&self) -> NamePolicy {
        self.names.unwrap_or_default()
    }

    #[must_use]
    pub fn same_judge(&self) -> bool {
        self.same_judge.unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_and_their_ranges_enforced() {
        let mut settings = Settings::default();
        for pair in ["points=10", "per=play", "side=challenger", "max_tiles=21", "table_required=false", "clear_s=20"] {
            settings.set(pair).unwrap();
        }
        assert_eq!(
            settings.choices(),
            Choices { points: Some(10), per: Some(Per::Play), side: Some(Player::Challenger) }
        );
        assert_eq!((settings.max_tiles(), settings.table_required(), settings.clear_s()), (21, false, 20));
    }

    #[test]
    fn every_setting_can_be_copied_by_its_key_and_is_read_again_from_its_value() {
        let mut all = Settings::default();
        for pair in [
            "points=10",
            "per=play",
            "side=challenger",
            "self_lookup=false",
            "clocks=false",
            "not_found=final",
            "tables=1-20,31",
            "max_tiles=21",
            "table_required=false",
            "hold_ms=1",
            "clear_s=20",
            "near_minutes=30",
            "parts_s=60",
            "keyboard=azerty",
            "sound=true",
        ] {
            all.set(pair).unwrap();
        }
        assert_eq!(serde_json::to_value(&all).unwrap().as_object().unwrap().len(), SETTING_KEYS.len());
        let (mut copied, mut read) = (Settings::default(), Settings::default());
        for key in SETTING_KEYS {
            assert_eq!(Settings::default().value(key), None);
            copied.copy(key, &all);
            read.set(&format!("{key}={}", all.value(key).unwrap())).unwrap();
        }
        assert_eq!((&copied, &read), (&all, &all));
    }

    #[test]
    fn a_refused_setting_names_the_allowed_values() {
        let refused = |pair: &str| Settings::default().set(pair).unwrap_err().to_string();
        assert_eq!(refused("points"), "\"points\" is no setting: write KEY=VALUE, for example points=10");
        assert_eq!(refused("points=-1"), "points takes a whole number from 0 to 100, not \"-1\"");
        assert_eq!(refused("keyboard=dvorak"), "keyboard takes qwerty, azerty or alphabet, not \"dvorak\"");
        assert_eq!(refused("per=tile"), "per takes play or word, not \"tile\"");
        assert!(refused("pionts=1").starts_with("there is no setting \"pionts\""));
    }
}
