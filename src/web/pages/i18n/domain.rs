//! The domain's texts, in the language of a page.
//!
//! The domain writes faults and penalties in English, and the ledger and the API have them in English. The file of a
//! language has a catalogue of these sentences; a sentence that it lacks stays English.

use std::collections::BTreeMap;

use serde::Deserialize;

/// Sentences of the domain and their translations. In an English sentence `{}` marks the place of a value; in a
/// translation `{1}` is the first of these values.
#[derive(Debug, Default, Deserialize)]
#[serde(transparent)]
pub struct DomainMessages(BTreeMap<String, String>);

impl DomainMessages {
    /// The text in this language: as a whole, or else sentence by sentence.
    pub fn translate(&self, english: &str) -> String {
        self.sentence(english).unwrap_or_else(|| {
            let sentences = english.split_inclusive(". ").map(str::trim_end);
            let said = sentences.map(|sentence| self.sentence(sentence).unwrap_or_else(|| sentence.to_owned()));
            said.collect::<Vec<_>>().join(" ")
        })
    }

    fn sentence(&self, english: &str) -> Option<String> {
        self.0.iter().find_map(|(pattern, said)| Some(filled(said, &values(pattern, english)?)))
    }
}

/// The values in a sentence, if it matches a pattern.
fn values<'said>(pattern: &str, sentence: &'said str) -> Option<Vec<&'said str>> {
    let (first, holes) = pattern.split_once("{}").map_or((pattern, None), |(first, rest)| (first, Some(rest)));
    let rest = sentence.strip_prefix(first)?;
    let Some(holes) = holes else { return rest.is_empty().then(Vec::new) };
    // The last value ends where the end of the pattern begins; each earlier one at the first possible place.
    let mut between: Vec<&str> = holes.split("{}").collect();
    let mut rest = rest.strip_suffix(between.pop()?)?;
    let mut values = Vec::new();
    for literal in between {
        let (value, after) = rest.split_once(literal)?;
        values.push(value);
        rest = after;
    }
    values.push(rest);
    Some(values)
}

fn filled(said: &str, values: &[&str]) -> String {
    let mut parts = said.split('{');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (hole, rest) = part.split_once('}').unwrap_or(("", part));
        let value = hole.parse::<usize>().ok().and_then(|place| values.get(place.checked_sub(1)?));
        text.push_str(value.copied().unwrap_or_default());
        text.push_str(rest);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn french(sentences: &[(&str, &str)]) -> DomainMessages {
        DomainMessages(sentences.iter().map(|(english, said)| ((*english).to_owned(), (*said).to_owned())).collect())
    }

    #[test]
    fn texts_are_translated_by_sentence_and_unknown_sentences_stay() {
        let french = french(&[
            ("The play stays and the opponent scores {} more points.", "Le coup reste, {1} points pour l’adversaire."),
            ("The game is over.", "La partie est finie."),
        ]);
        assert_eq!(
            french.translate("The play stays and the opponent scores 10 more points. The game is over."),
            "Le coup reste, 10 points pour l’adversaire. La partie est finie."
        );
        assert_eq!(french.translate("Nobody wrote this. The game is over."), "Nobody wrote this. La partie est finie.");
        assert_eq!(DomainMessages::default().translate("As it was. So it is."), "As it was. So it is.");
    }

    #[test]
    fn values_are_placed_where_the_translation_names_them() {
        let french = french(&[("{} at position {} is no letter of the {} alphabet", "en position {2} : {1}")]);
        assert_eq!(french.translate("“-” at position 2 is no letter of the english alphabet"), "en position 2 : “-”");
        assert_eq!(french.translate("“{1}” at position 3 is no letter of the x alphabet"), "en position 3 : “{1}”");
        assert_eq!(french.translate("“-” at position 2"), "“-” at position 2");
    }
}
