//! The tables of a division: numbers and ranges, written `1-20,31`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A set of table numbers, 1 to 9999.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Tables(Vec<(i64, i64)>);

/// The text names no tables.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("tables are numbers and ranges from 1 to 9999, like 1-20,31")]
pub struct NoTables;

impl Tables {
    #[must_use]
    pub fn contain(&self, table: i64) -> bool {
        self.0.iter().any(|(first, last)| (*first..=*last).contains(&table))
    }

    /// A table that both have, if there is one.
    #[must_use]
    pub fn shared_with(&self, other: &Self) -> Option<i64> {
        let starts = self.0.iter().chain(&other.0).map(|(first, _)| *first);
        starts.into_iter().find(|table| self.contain(*table) && other.contain(*table))
    }
}

impl FromStr for Tables {
    type Err = NoTables;

    fn from_str(text: &str) -> Result<Self, NoTables> {
        let number = |text: &str| text.trim().parse().ok().filter(|table| (1..=9999).contains(table)).ok_or(NoTables);
        let range = |text: &str| {
            let (first, last) = text.split_once('-').unwrap_or((text, text));
            let (first, last): (i64, i64) = (number(first)?, number(last)?);
            if first <= last { Ok((first, last)) } else { Err(NoTables) }
        };
        text.split(',').map(range).collect::<Result<_, _>>().map(Self)
    }
}

impl TryFrom<String> for Tables {
    type Error = NoTables;

    fn try_from(text: String) -> Result<Self, NoTables> {
        text.parse()
    }
}

impl From<Tables> for String {
    fn from(tables: Tables) -> Self {
        tables.to_string()
    }
}

impl fmt::Display for Tables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (first, last)) in self.0.iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            if first == last { write!(f, "{comma}{first}")? } else { write!(f, "{comma}{first}-{last}")? }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_ranges_are_read_and_written() {
        let tables: Tables = "1-20, 31".parse().unwrap();
        assert_eq!(tables.to_string(), "1-20,31");
        assert_eq!([1, 20, 21, 30, 31, 32].map(|table| tables.contain(table)), [true, true, false, false, true, false]);
        for bad in ["", "0", "5-1", "1-", "a", "1,,2", "10000", "-5"] {
            assert_eq!(bad.parse::<Tables>(), Err(NoTables), "{bad:?}");
        }
    }

    #[test]
    fn a_table_in_two_divisions_is_found() {
        let shared = |one: &str, other: &str| one.parse::<Tables>().unwrap().shared_with(&other.parse().unwrap());
        assert_eq!(shared("1-20", "15-30"), Some(15));
        assert_eq!(shared("1-20", "21-30,40"), None);
    }
}
