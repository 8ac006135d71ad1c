//! Names as people write them.

use serde::{Deserialize, Serialize};

use super::fields::LONGEST_NAME;

/// As many initials as are written of a name.
const MOST_INITIALS: usize = 10;

/// What a tournament writes down of the names of its players. The ledger is for good, so what must not be kept is never
/// written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NamesKept {
    /// All of them, as they were given.
    #[default]
    Full,
    /// First letters: `J. v. D.`
    Initials,
    /// Nothing.
    None,
}

impl NamesKept {
    /// What is written of a name. What was shortened before stays as it is.
    #[must_use]
    pub fn of(self, name: Option<String>) -> Option<String> {
        match self {
            Self::Full => name,
            Self::Initials => name.and_then(|name| initials(&name)),
            Self::None => None,
        }
    }
}

/// The first letter of each part of a name; `None` where there is no letter in it.
fn initials(name: &str) -> Option<String> {
    let first = |part: &str| part.chars().find(|letter| letter.is_alphanumeric()).map(|letter| format!("{letter}."));
    let initials: Vec<String> = name.split_whitespace().filter_map(first).take(MOST_INITIALS).collect();
    (!initials.is_empty()).then(|| initials.join(" "))
}

/// Whether a text can be a name or a label: 1 to 100 characters, and no control characters.
#[must_use]
pub fn is_name(text: &str) -> bool {
    (1..=LONGEST_NAME).contains(&text.chars().count()) && !text.chars().any(char::is_control)
}

/// Whether two names are the same to people: upper and lower case and blanks make no other person.
#[must_use]
pub fn are_same(one: &str, other: &str) -> bool {
    let folded = |name: &str| name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    folded(one) == folded(other)
}

/// Whether somebody is one of the players that are named.
#[must_use]
pub fn is_one_of(player: &str, players: [&Option<String>; 2]) -> bool {
    players.into_iter().flatten().any(|one| are_same(one, player))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_written_as_far_as_the_tournament_keeps_it() {
        let written = |kept: NamesKept, name: &str| kept.of(Some(name.to_owned()));
        let initials = |name: &str| written(NamesKept::Initials, name);
        assert_eq!(written(NamesKept::Full, "Jane van Doe").as_deref(), Some("Jane van Doe"));
        assert_eq!(initials("Jane  van Doe").as_deref(), Some("J. v. D."));
        assert_eq!(initials("J. v. D.").as_deref(), Some("J. v. D."), "what was shortened stays as it is");
        assert_eq!(initials("(Åse) Ó Briain 7").as_deref(), Some("Å. Ó. B. 7."));
        assert_eq!((initials("–"), written(NamesKept::None, "Ada"), NamesKept::Full.of(None)), (None, None, None));
        assert_eq!(initials(&"a ".repeat(50)).map(|kept| kept.len()), Some(29));
    }

    #[test]
    fn case_and_blanks_make_no_other_person() {
        assert!(are_same(" Ada  Lovelace ", "ADA LOVELACE"));
        assert!(are_same("ÅSE", "åse"));
        assert!(!are_same("Ada", "Ida"));
    }
}
