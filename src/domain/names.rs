//! Names as people write them.

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
