//! A sheet of pairing cards for devices that are created at once: one label with a number that counts from card to
//! card.

use crate::domain::player_name::normal_name;

/// The most cards on a sheet.
pub const MAX_CARDS: u32 = 60;

/// The highest number that a sheet may begin with.
const HIGHEST: u32 = 9_999;

/// Labels that count: `Station 7`, `Station 8`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sheet {
    prefix: String,
    first: u32,
    count: u32,
}

/// Why a sheet is refused. Each message says what is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadSheet {
    #[error(
        "Say what each label begins with, like Station: with its number it has at most 100 characters, and no control characters."
    )]
    Prefix,
    #[error("The first number is a whole number from 1 to {highest}.", highest = HIGHEST)]
    First,
    #[error("A sheet has 1 to {most} cards: make another one for more.", most = MAX_CARDS)]
    Count,
}

impl Sheet {
    /// Reads the typed fields of the form.
    ///
    /// # Errors
    /// [`BadSheet`] names the first field that is wrong.
    pub fn read(prefix: &str, first: &str, count: &str) -> Result<Self, BadSheet> {
        let within = |typed: &str, most: u32| typed.parse().ok().filter(|number| (1..=most).contains(number));
        let first = within(first, HIGHEST).ok_or(BadSheet::First)?;
        let count = within(count, MAX_CARDS).ok_or(BadSheet::Count)?;
        let sheet = Self { prefix: normal_name(prefix).ok_or(BadSheet::Prefix)?, first, count };
        let are_names = sheet.labels().all(|label| normal_name(&label).is_some());
        if are_names { Ok(sheet) } else { Err(BadSheet::Prefix) }
    }

    /// The labels, in the order of the cards. No two are the same.
    pub fn labels(&self) -> impl Iterator<Item = String> {
        (self.first..self.first + self.count).map(|number| format!("{} {number}", self.prefix))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_count_from_the_first_number() {
        let sheet = Sheet::read("Station", "9", "3").unwrap();
        assert_eq!(sheet.labels().collect::<Vec<_>>(), ["Station 9", "Station 10", "Station 11"]);
        assert_eq!(Sheet::read("Halle Süd", "9999", "60").unwrap().labels().count(), 60);
    }

    #[test]
    fn an_invalid_sheet_is_refused_with_the_field_at_fault() {
        for (prefix, first, count, why) in [
            ("", "1", "4", BadSheet::Prefix),
            ("a\nb", "1", "4", BadSheet::Prefix),
            (&"x".repeat(99), "1", "4", BadSheet::Prefix),
            ("Station", "0", "4", BadSheet::First),
            ("Station", "10000", "4", BadSheet::First),
            ("Station", "one", "4", BadSheet::First),
            ("Station", "1", "0", BadSheet::Count),
            ("Station", "1", "61", BadSheet::Count),
            ("Station", "1", "", BadSheet::Count),
        ] {
            assert_eq!(Sheet::read(prefix, first, count), Err(why), "{prefix} {first} {count}");
        }
        // With its number the longest label still is one.
        assert!(Sheet::read(&"x".repeat(98), "9", "1").is_ok());
        assert_eq!(Sheet::read(&"x".repeat(98), "9", "2"), Err(BadSheet::Prefix));
    }
}
