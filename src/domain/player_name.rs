//! Names of people: how typed names are normalised, recorded and compared.

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization as _;

use super::alphabet::is_default_ignorable;

/// The longest name of a player, in characters.
pub const MAX_NAME_CHARS: usize = 100;

/// The most initials that are recorded of a name.
const MOST_INITIALS: usize = 10;

/// How much of its players' names a tournament records. The ledger is permanent, so names that must not be retained are
/// never written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NamePolicy {
    /// The full names, as they were given.
    #[default]
    Full,
    /// The first letters: `J. v. D.`
    Initials,
    /// No names.
    None,
}

impl NamePolicy {
    /// Shortens a name by this policy. A name that was shortened before stays as it is.
    #[must_use]
    pub fn apply(self, name: Option<String>) -> Option<String> {
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

/// The text without invisible characters, which would change how it is read or compared: Unicode's default ignorable
/// characters and its format characters.
#[must_use]
pub fn without_invisible(text: &str) -> String {
    text.chars().filter(|letter| !is_default_ignorable(*letter) && !is_format(*letter)).collect()
}

/// The characters of Unicode's class Cf that are not ignored by default.
const fn is_format(letter: char) -> bool {
    matches!(
        letter,
        '\u{600}'..='\u{605}'
            | '\u{6DD}'
            | '\u{70F}'
            | '\u{890}'..='\u{891}'
            | '\u{8E2}'
            | '\u{FFF9}'..='\u{FFFB}'
            | '\u{110BD}'
            | '\u{110CD}'
            | '\u{13430}'..='\u{1343F}'
    )
}

/// A name or label as it is recorded: composed (NFC), without invisible characters, with one blank between its parts
/// and none around them. `None` where the result does not have 1 to 100 characters, or the text has a control
/// character.
#[must_use]
pub fn normal_name(text: &str) -> Option<String> {
    let name = normal(text);
    let is_name = (1..=MAX_NAME_CHARS).contains(&name.chars().count()) && !text.chars().any(char::is_control);
    is_name.then_some(name)
}

fn normal(text: &str) -> String {
    let seen: String = without_invisible(text).nfc().collect();
    seen.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether two names stand for one person: case, blanks and the way to type an accent make no difference.
#[must_use]
pub fn are_same(one: &str, other: &str) -> bool {
    // Upper case first, in which ß is SS and ς is Σ.
    let folded = |name: &str| normal(&normal(name).to_uppercase().to_lowercase());
    folded(one) == folded(other)
}

/// Whether a player is one of the named players.
#[must_use]
pub fn is_one_of(player: &str, players: [&Option<String>; 2]) -> bool {
    players.into_iter().flatten().any(|one| are_same(one, player))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_recorded_as_the_name_policy_allows() {
        let written = |kept: NamePolicy, name: &str| kept.apply(Some(name.to_owned()));
        let initials = |name: &str| written(NamePolicy::Initials, name);
        assert_eq!(written(NamePolicy::Full, "Jane van Doe").as_deref(), Some("Jane van Doe"));
        assert_eq!(initials("Jane  van Doe").as_deref(), Some("J. v. D."));
        assert_eq!(initials("J. v. D.").as_deref(), Some("J. v. D."), "what was shortened stays as it is");
        assert_eq!(initials("(Åse) Ó Briain 7").as_deref(), Some("Å. Ó. B. 7."));
        assert_eq!((initials("–"), written(NamePolicy::None, "Ada"), NamePolicy::Full.apply(None)), (None, None, None));
        assert_eq!(initials(&"a ".repeat(50)).map(|kept| kept.len()), Some(29));
    }

    #[test]
    fn one_name_is_recorded_in_one_way() {
        let jose = normal_name("Jos\u{e9}").unwrap();
        assert_eq!(jose, "Jos\u{e9}");
        for typed in
            ["Jose\u{301}", " Jos\u{e9}\u{a0}", "\u{202E}Jos\u{e9}", "Jo\u{200B}se\u{301}\u{FEFF}", "Jos\u{AD}\u{e9}"]
        {
            assert_eq!(normal_name(typed).as_deref(), Some(jose.as_str()), "{typed:?}");
        }
        assert_eq!(normal_name("Ada \u{2003} \u{FFF9}Lovelace").as_deref(), Some("Ada Lovelace"));
        for none in ["", " ", "\u{202E}", "\u{3164}\u{a0}", "a\tb", "Ada\n", "\u{85}Ada"] {
            assert_eq!(normal_name(none), None, "{none:?}");
        }
        assert!(normal_name(&"e\u{301}".repeat(100)).is_some(), "a hundred letters, however they were typed");
        assert_eq!(normal_name(&"e".repeat(101)), None);
        assert_eq!(without_invisible("left \u{202E}right\u{202C} \n\u{600}."), "left right \n.");
    }

    #[test]
    fn names_that_differ_in_case_blanks_or_typing_of_accents_are_one_person() {
        assert!(are_same("JOSE\u{301}", "jos\u{e9}"));
        assert!(are_same("Jos\u{e9}\u{202C}", "jos\u{e9}"));
        assert!(are_same("Strauß", "STRAUSS"));
        assert!(are_same("ΣΙΣΥΦΟΣ", "Σίσυφος".replace('ί', "ι").as_str()));
        assert!(!are_same("Jose", "José"));
        assert!(are_same(" Ada  Lovelace ", "ADA LOVELACE"));
        assert!(are_same("ÅSE", "åse"));
        assert!(!are_same("Ada", "Ida"));
    }
}
