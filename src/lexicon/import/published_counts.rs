//! The published word counts of the tournament lists. The lists themselves belong to their owners; a count reveals that
//! a file is not the list that its name claims. Source: RULES section 10, which names where each list is in force.

use std::collections::BTreeMap;

use super::options::ImportOptions;
use crate::domain::Lengths;

/// The lengths that all these lists cover.
const LENGTHS: Lengths = Lengths { shortest: 2, longest: 15 };

/// An edition of a list: its name, its family and year, and the number of its words.
struct Edition {
    name: &'static str,
    family: Family,
    year: u16,
    words: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Collins,
    Osw,
    NorthAmerican,
    Naspa,
}

/// The names of each family.
const FAMILIES: [(&[&str], Family); 11] = [
    (&["CSW"], Family::Collins),
    (&["COLLINS"], Family::Collins),
    (&["OSWI"], Family::Osw),
    (&["TWL"], Family::NorthAmerican),
    (&["OWL"], Family::NorthAmerican),
    (&["OTCWL"], Family::NorthAmerican),
    (&["OFFICIAL", "WORD", "LIST"], Family::NorthAmerican),
    (&["TOURNAMENT", "WORD", "LIST"], Family::NorthAmerican),
    (&["OFFICIAL", "TOURNAMENT", "AND", "CLUB", "WORD", "LIST"], Family::NorthAmerican),
    (&["NWL"], Family::Naspa),
    (&["NASPA", "WORD", "LIST"], Family::Naspa),
];

const EDITIONS: [Edition; 11] = [
    Edition { name: "TWL06 (OWL2)", family: Family::NorthAmerican, year: 2006, words: 178_691 },
    Edition { name: "TWL14 (OTCWL14)", family: Family::NorthAmerican, year: 2014, words: 187_632 },
    Edition { name: "NWL18", family: Family::Naspa, year: 2018, words: 192_111 },
    Edition { name: "NWL20", family: Family::Naspa, year: 2020, words: 191_852 },
    Edition { name: "NWL23", family: Family::Naspa, year: 2023, words: 196_601 },
    Edition { name: "OSWI", family: Family::Osw, year: 0, words: 246_691 },
    Edition { name: "CSW07", family: Family::Collins, year: 2007, words: 267_751 },
    Edition { name: "CSW12", family: Family::Collins, year: 2012, words: 270_163 },
    Edition { name: "CSW15", family: Family::Collins, year: 2015, words: 276_663 },
    Edition { name: "CSW19", family: Family::Collins, year: 2019, words: 279_496 },
    Edition { name: "CSW21", family: Family::Collins, year: 2021, words: 279_077 },
];

/// Warnings about a list whose word count differs from that of the edition that its id, title or edition names, or
/// equals that of an edition that it does not name.
pub(super) fn unlike(options: &ImportOptions, by_length: &BTreeMap<usize, usize>) -> Vec<String> {
    if !options.lengths.cover(LENGTHS.shortest) || !options.lengths.cover(LENGTHS.longest) {
        return Vec::new();
    }
    let words = by_length.range(LENGTHS.shortest..=LENGTHS.longest).map(|(_, count)| count).sum::<usize>();
    let same = EDITIONS.iter().find(|edition| edition.words == words);
    let named = named(options);
    let others = named.iter().filter(|edition| edition.words != words);
    let mut warnings: Vec<String> = others
        .map(|Edition { name, words: known, .. }| {
            let same = same.map_or_else(String::new, |same| format!(", which is {}'s number", same.name));
            format!(
                "{name} is known to have {known} words, and this list has {words}{same}: is it that edition, and whole?"
            )
        })
        .collect();
    if let Some(same) = same.filter(|_| named.is_empty()) {
        warnings.push(format!("{words} is the number of words of {}: is it that list?", same.name));
    }
    warnings
}

/// The editions that the id, title and edition of a list name.
fn named(options: &ImportOptions) -> Vec<&'static Edition> {
    let ImportOptions { id, title, edition, .. } = options;
    let texts = [id.clone(), title.clone(), format!("{id} {edition}"), format!("{title} {edition}")];
    let found: Vec<(Family, Option<u16>)> = texts.iter().filter_map(|text| family_and_year(text)).collect();
    EDITIONS
        .iter()
        .filter(|edition| {
            let is_it = |(family, year): &(Family, Option<u16>)| {
                *family == edition.family && (edition.year == 0 || *year == Some(edition.year))
            };
            found.iter().any(is_it)
        })
        .collect()
}

/// The family that a text names, and the year after that name or else before it.
fn family_and_year(text: &str) -> Option<(Family, Option<u16>)> {
    let tokens = tokens(text);
    let at =
        |name: &[&str]| tokens.windows(name.len()).position(|window| window.iter().eq(name)).map(|at| at + name.len());
    let (end, name, family) = FAMILIES.iter().find_map(|(name, family)| Some((at(name)?, name, *family)))?;
    let (before, after) = tokens.split_at_checked(end)?;
    let year = after.iter().chain(before).find_map(|token| year(token));
    let is_second = *name == ["OWL"] && after.first().is_some_and(|token| token == "2");
    Some((family, if is_second { Some(2006) } else { year }))
}

/// Runs of letters, and runs of digits.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut last = None;
    for letter in text.to_ascii_uppercase().chars() {
        let class = (letter.is_alphabetic(), letter.is_ascii_digit());
        match tokens.last_mut() {
            _ if class == (false, false) => {}
            Some(token) if last == Some(class) => token.push(letter),
            _ => tokens.push(letter.to_string()),
        }
        last = Some(class);
    }
    tokens
}

/// `21` or `2021`.
fn year(token: &str) -> Option<u16> {
    let number: u16 = token.parse().ok()?;
    match token.len() {
        2 => Some(2000 + number),
        4 if (2000..2100).contains(&number) => Some(number),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Alphabet;

    fn warnings(id: &str, title: &str, edition: &str, words: usize) -> Vec<String> {
        let mut options = ImportOptions::new(id, Alphabet::shipped("english").unwrap());
        (options.title, options.edition) = (title.to_owned(), edition.to_owned());
        unlike(&options, &BTreeMap::from([(2, 124), (9, words - 124)]))
    }

    #[test]
    fn a_list_with_another_number_of_words_than_its_name_claims_is_a_warning() {
        let said = "CSW21 is known to have 279077 words, and this list has 279076: is it that edition, and whole?";
        assert_eq!(warnings("CSW21", "Collins", "", 279_076), [said]);
        for (id, title, edition) in [
            ("main", "CSW 2021", ""),
            ("nwl", "North America", "2023"),
            ("main", "Collins Scrabble Words 2019", ""),
            ("main", "Collins Scrabble Words", "2019"),
            ("main", "2019 Collins Scrabble Words", ""),
            ("main", "NASPA Word List 2023 Edition", ""),
            ("TWL14", "TWL14", ""),
            ("OTCWL2014", "x", ""),
            ("OWL2", "x", ""),
            ("twl06", "x", ""),
            ("OSWI", "x", ""),
            ("CSW21-main", "x", ""),
            ("CSW07", "x", ""),
        ] {
            let said = warnings(id, title, edition, 1_000);
            assert!(
                said.len() == 1 && said[0].contains("and this list has 1000: is it"),
                "{id} {title} {edition}: {said:?}"
            );
        }
    }

    #[test]
    fn a_list_of_the_right_number_and_one_of_no_known_name_are_left_alone() {
        for (id, title, edition, words) in [
            ("CSW21", "Collins", "", 279_077),
            ("CSW07", "Collins Scrabble Words", "2007", 267_751),
            ("main", "NASPA Word List", "2023", 196_601),
            ("TWL14", "x", "", 187_632),
            ("OWL2", "x", "", 178_691),
            ("CLUB26", "Club list", "2026", 1_000),
            ("CSW24", "Collins Scrabble Words", "2024", 280_887),
            ("NSWL23", "NASPA School Word List 2023", "", 1_000),
        ] {
            assert_eq!(warnings(id, title, edition, words), [""; 0], "{id}");
        }
    }

    #[test]
    fn the_word_count_of_another_edition_is_a_warning() {
        let said = warnings("CSW21", "CSW21", "", 279_496);
        assert!(said[0].contains("this list has 279496, which is CSW19's number"), "{said:?}");
        assert_eq!(warnings("main", "x", "", 279_496), ["279496 is the number of words of CSW19: is it that list?"]);
        assert_eq!(warnings("CSW24", "x", "", 279_077), ["279077 is the number of words of CSW21: is it that list?"]);
    }
}
