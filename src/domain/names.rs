//! Names as people write them.

use super::fields::LONGEST_NAME;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_and_blanks_make_no_other_person() {
        assert!(are_same(" Ada  Lovelace ", "ADA LOVELACE"));
        assert!(are_same("ÅSE", "åse"));
        assert!(!are_same("Ada", "Ida"));
    }
}
