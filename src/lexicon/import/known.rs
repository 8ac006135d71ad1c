//! How many words the tournament lists have, as their owners made public. The lists themselves are theirs; a count
//! tells a director that a file calls itself what it is not. Source: RULES section 10 names where each is in force.

use super::options::ImportOptions;
use crate::domain::Lengths;

/// A list, as one calls it, and the number of its words of 2 to 15 letters.
const COUNTS: [(&str, usize); 12] = [
    ("OWL2", 178_691),
    ("TWL06", 178_691),
    ("OTCWL14", 187_632),
    ("NWL18", 192_111),
    ("NWL20", 191_852),
    ("NWL23", 196_601),
    ("OSWI", 246_691),
    ("CSW07", 267_750),
    ("CSW12", 270_163),
    ("CSW15", 276_663),
    ("CSW19", 279_496),
    ("CSW21", 279_077),
];

/// What to say of a list that has another number of words than the one that it calls itself by id, title or edition.
pub(super) fn unlike(options: &ImportOptions, words: usize) -> Option<String> {
    let is_whole = options.lengths == (Lengths { shortest: 2, longest: 15 });
    let said = [&options.id, &options.title, &format!("{}{}", options.id, options.edition)].map(|said| plain(said));
    let (name, count) = COUNTS.iter().find(|(name, _)| said.iter().any(|said| said == name))?;
    (is_whole && words != *count).then(|| {
        format!("{name} is known to have {count} words, and this list has {words}: is it that edition, and whole?")
    })
}

/// Letters and digits alone, and a year by its last two: `CSW 2021` is `CSW21`.
fn plain(said: &str) -> String {
    let plain: String = said.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_uppercase();
    match plain.split_at_checked(plain.len().saturating_sub(4)) {
        Some((name, year)) if year.starts_with("20") && year.bytes().all(|digit| digit.is_ascii_digit()) => {
            format!("{name}{}", year.get(2..).unwrap_or_default())
        }
        _ => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Alphabet;

    fn warning(id: &str, title: &str, edition: &str, words: usize) -> Option<String> {
        let mut options = ImportOptions::new(id, Alphabet::shipped("english").unwrap());
        (options.title, options.edition) = (title.to_owned(), edition.to_owned());
        unlike(&options, words)
    }

    #[test]
    fn a_list_that_has_another_number_of_words_than_its_name_says_is_looked_at() {
        let said = warning("CSW21", "Collins", "", 279_076).unwrap();
        assert_eq!(
            said,
            "CSW21 is known to have 279077 words, and this list has 279076: is it that edition, and whole?"
        );
        assert!(warning("main", "CSW 2021", "", 3).is_some());
        assert!(warning("nwl", "North America", "2023", 3).is_some());
        assert_eq!(warning("CSW21", "Collins", "", 279_077), None);
        assert_eq!(warning("CLUB26", "Club list", "2026", 3), None);
    }
}
