//! Rulesets: what a federation attaches to a ruling, as data.
//!
//! One file a ruleset under `rulesets/`, each value with the rule it comes from. Unknown keys are
//! refused, so that a misspelt one cannot silently leave a default in force.

use serde::{Deserialize, Serialize};

/// The data of one ruleset.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ruleset {
    /// The name in the API, for example `wespa`.
    pub name: String,
    /// The federation, for people.
    pub title: String,
    /// Which edition of the rules the values were taken from.
    pub edition: String,
    /// Whether that edition is in force.
    pub status: String,
    /// What a challenge of an acceptable play costs.
    pub unsuccessful: Unsuccessful,
    /// What playing an unacceptable word costs.
    pub unacceptable: Unacceptable,
}

/// The price of an unsuccessful challenge.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unsuccessful {
    /// 0 to 100; 0 where there is no penalty in points.
    pub points: i64,
    pub per: Per,
    pub side: Side,
    /// Whether the challenger loses the turn.
    pub loses_turn: bool,
    /// The rule that says so.
    pub rule: String,
}

/// The price of an unacceptable play is fixed: the tiles go back and the turn is lost.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unacceptable {
    /// The rule that says so.
    pub rule: String,
}

/// What the points of an unsuccessful challenge are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Per {
    Play,
    /// Every challenged word, a repeated one as often as it stands on the slip.
    Word,
}

/// Whose score the points change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// Added to the score of the player of the challenged play.
    Opponent,
    /// Taken from the score of the challenger.
    Challenger,
}

/// The text is no ruleset.
#[derive(Debug, thiserror::Error)]
#[error("this is no ruleset: {0}")]
pub struct NoRuleset(String);

impl Ruleset {
    /// Reads a ruleset file.
    ///
    /// # Errors
    /// [`NoRuleset`] names the first thing that is wrong.
    pub fn from_toml(text: &str) -> Result<Self, NoRuleset> {
        let read: Self = toml::from_str(text).map_err(|error| NoRuleset(error.message().to_owned()))?;
        if !(0..=100).contains(&read.unsuccessful.points) {
            return Err(NoRuleset(format!("points must be 0 to 100, not {}", read.unsuccessful.points)));
        }
        Ok(read)
    }

    /// A shipped ruleset; `None` where there is none of that name.
    #[must_use]
    pub fn shipped(name: &str) -> Option<Self> {
        let text = SHIPPED.iter().find(|(shipped, _)| *shipped == name)?.1;
        Self::from_toml(text).ok()
    }

    /// The names of the shipped rulesets.
    pub fn shipped_names() -> impl Iterator<Item = &'static str> {
        SHIPPED.iter().map(|(name, _)| *name)
    }
}

const SHIPPED: [(&str, &str); 1] = [("wespa", include_str!("rulesets/wespa.toml"))];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_ruleset_can_be_read_and_bears_its_name() {
        assert_eq!(Ruleset::shipped_names().collect::<Vec<_>>(), ["wespa"]);
        for (name, text) in SHIPPED {
            assert_eq!(Ruleset::from_toml(text).unwrap().name, name);
        }
    }

    #[test]
    fn a_misspelt_key_and_absurd_points_are_refused() {
        let text = SHIPPED[0].1;
        let refused = |text: &str| Ruleset::from_toml(text).unwrap_err().to_string();
        assert!(refused(&text.replace("points", "pionts")).contains("unknown field `pionts`"));
        assert!(refused(&text.replace("points = 5", "points = 500")).contains("points must be 0 to 100"));
    }
}
