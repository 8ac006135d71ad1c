//! What the station says, in one file a language.
//!
//! The keys are the fields of [`Texts`], so that a page cannot ask for a text that a language does not have. What the
//! domain says (faults, penalties) stands in the same file, in a catalogue of its own.

mod said;

use std::fmt;
use std::sync::LazyLock;

use axum::http::{HeaderMap, header};
use serde::Deserialize;

use said::Catalogue;

/// One text; `{}` in it is where a value stands.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Text(String);

impl Text {
    /// The text with its value.
    pub fn with(&self, value: impl fmt::Display) -> String {
        self.0.replacen("{}", &value.to_string(), 1)
    }

    /// The text with its two values, in their order.
    pub fn with_both(&self, one: impl fmt::Display, other: impl fmt::Display) -> String {
        let (before, after) = self.0.split_once("{}").unwrap_or((&self.0, ""));
        format!("{before}{one}{}", after.replacen("{}", &other.to_string(), 1))
    }

    /// What stands before the value, where a page draws it by itself.
    pub fn before(&self) -> &str {
        self.0.split_once("{}").map_or(&*self.0, |(before, _)| before.trim_end())
    }

    /// What stands after it.
    pub fn after(&self) -> &str {
        self.0.split_once("{}").map_or("", |(_, after)| after.trim_start())
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The station's texts in one language, as its file names them.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Texts {
    /// The language as a BCP 47 tag, for `<html lang>`.
    pub lang: Text,
    /// What the language calls itself.
    pub name: Text,
    /// `ltr` or `rtl`.
    pub dir: Text,
    pub title: Text,
    pub division: Text,
    pub lexicon: Text,
    pub table: Text,
    pub table_number: Text,
    pub thousands: Text,
    pub fingerprint: Text,
    pub back_to_ruling: Text,
    pub back_to_start: Text,
    pub call_judge: Text,
    pub call_director: Text,
    pub no_scripts: Text,
    pub clock_stopped: Text,
    pub slip_in_hand: Text,
    pub words_on_slip: Text,
    pub next: Text,
    pub or_tap: Text,
    pub one_word: Text,
    pub many_words: Text,
    pub erase: Text,
    pub choose_division: Text,
    pub whole_play: Text,
    pub round: Text,
    pub free_lookup_round: Text,
    pub in_force_since: Text,
    pub no_lexicon_loaded: Text,
    pub slow_mode: Text,
    pub slow_mode_on: Text,
    pub connected: Text,
    pub not_connected: Text,
    pub how_many: Text,
    pub table_unknown: Text,
    pub type_word: Text,
    pub type_words: Text,
    pub type_board_word: Text,
    pub word: Text,
    pub nothing_judged: Text,
    pub letter_keys: Text,
    pub next_word: Text,
    pub show_opponent: Text,
    pub start_over: Text,
    pub please_check: Text,
    pub are_these: Text,
    pub more_words: Text,
    pub earlier_slip: Text,
    pub earlier_slip_minutes: Text,
    pub another_play: Text,
    pub another_play_yes: Text,
    pub another_play_no: Text,
    pub judge: Text,
    pub fix: Text,
    pub end_without: Text,
    pub withdraw: Text,
    pub challenger_concedes: Text,
    pub opponent_concedes: Text,
    pub stays: Text,
    pub acceptable: Text,
    pub comes_off: Text,
    pub unacceptable: Text,
    pub what_now: Text,
    pub free_lookup: Text,
    pub nothing_follows: Text,
    pub points_to_opponent: Text,
    pub points_from_challenger: Text,
    pub write_number: Text,
    pub looked_up_in: Text,
    pub clear: Text,
    pub longer: Text,
    pub repeat: Text,
    pub mistyped: Text,
    pub ask_review: Text,
    pub who_asks: Text,
    pub another_judge: Text,
    pub look_up_again: Text,
    pub doubt_machine: Text,
    pub by_challenger: Text,
    pub by_opponent: Text,
    pub judge_corrects: Text,
    pub judge_corrects_why: Text,
    pub review_asked: Text,
    pub judge_comes: Text,
    pub judge_comes_to: Text,
    pub director_comes: Text,
    pub director_comes_to: Text,
    pub clock_stays_stopped: Text,
    pub do_not_draw: Text,
    pub station_is_free: Text,
    pub called: Text,
    pub wait_there: Text,
    pub wait_here: Text,
    pub not_possible: Text,
    pub ended: Text,
    pub withdrawn: Text,
    pub conceded_by_challenger: Text,
    pub conceded_by_opponent: Text,
    pub no_ruling: Text,
    pub no_lexicon: Text,
    pub not_recorded: Text,
    pub try_again_then: Text,
    pub asked_again: Text,
    pub try_again: Text,
    pub not_here: Text,
    pub players_do_not: Text,
    pub round_closed: Text,
    pub closed: Text,
    pub closed_why: Text,
    pub test_again: Text,
    pub not_covered: Text,
    pub judge_looks_up: Text,
    pub judge_sees: Text,
    pub judge_looks_at_play: Text,
    pub parts_of_play: Text,
    pub none_given: Text,
    pub none_given_why: Text,
    pub no_connection: Text,
    pub comes_back: Text,
    pub sent_slip: Text,
    pub still_there: Text,
    pub wiped_in: Text,
    pub seconds: Text,
    pub go_on: Text,
    /// What the domain says; none in English, which it says by itself.
    #[serde(default)]
    said: Catalogue,
}

/// Every language there is, English first.
static LANGUAGES: LazyLock<Vec<Texts>> =
    LazyLock::new(|| FILES.iter().filter_map(|file| toml::from_str(file).ok()).collect());

const FILES: [&str; 2] = [include_str!("texts/en.toml"), include_str!("texts/fr.toml")];

impl Texts {
    /// Every language there is.
    pub fn all() -> &'static [Self] {
        &LANGUAGES
    }

    /// The language of a tag, whatever its country: `fr` for `fr-CA`.
    pub fn of(tag: &str) -> Option<&'static Self> {
        let language = tag.split('-').next().unwrap_or_default().trim();
        Self::all().iter().find(|texts| texts.lang.0.eq_ignore_ascii_case(language))
    }

    /// Of those there are what a browser wants most; English where it wants none of them.
    pub fn asked_for(headers: &HeaderMap) -> &'static Self {
        static NONE: LazyLock<Texts> = LazyLock::new(Texts::default);
        let wanted = headers.get_all(header::ACCEPT_LANGUAGE).iter().filter_map(|wanted| wanted.to_str().ok());
        let mut wanted: Vec<_> = wanted.flat_map(|wanted| wanted.split(',')).filter_map(weighed).collect();
        wanted.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        wanted.into_iter().find_map(|(tag, _)| Self::of(tag)).or(Self::all().first()).unwrap_or(&NONE)
    }

    /// `279,077 words`, as the language groups its digits.
    pub fn count_words(&self, words: impl fmt::Display) -> String {
        let digits = words.to_string();
        let is_first_of_group = |place: usize| place > 0 && (digits.len() - place).is_multiple_of(3);
        let grouped = digits.chars().enumerate().flat_map(|(place, digit)| {
            let gap = if is_first_of_group(place) { &*self.thousands.0 } else { "" };
            gap.chars().chain([digit])
        });
        self.many_words.with(grouped.collect::<String>())
    }

    /// What the domain says, in this language.
    pub fn say(&self, english: &str) -> String {
        self.said.say(english)
    }
}

/// A language that a browser asks for, and how much it wants it; none where it does not. `fr;q=0.5` is half as much as `fr`.
fn weighed(wanted: &str) -> Option<(&str, f32)> {
    let (tag, weight) = wanted.split_once(';').unwrap_or((wanted, "q=1"));
    let weight = weight.trim().strip_prefix("q=").and_then(|weight| weight.parse().ok()).unwrap_or(0.0);
    (weight > 0.0).then_some((tag, weight))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::floor::TABLE_NEEDED;
    use crate::domain::penalty::{Challenged, Choices, ended, penalty, reversing};
    use crate::domain::ruleset::{DispositionKind, Ruleset};
    use crate::domain::{Alphabet, Faults, RawSlip, Ruling};
    use serde_json::json;

    #[test]
    fn every_text_is_there_in_every_language() {
        for file in FILES {
            let read: Result<Texts, _> = toml::from_str(file);
            assert!(read.is_ok(), "{:?}", read.err());
        }
        assert_eq!(Texts::of("en").unwrap().table_number.with(12), "Table 12");
        assert_eq!(Texts::of("fr-CA").unwrap().name.to_string(), "Français");
        let counted = |lang: &str, words| Texts::of(lang).unwrap().count_words(words);
        assert_eq!((counted("en", 279_077), counted("en", 44)), ("279,077 words".to_owned(), "44 words".to_owned()));
        assert_eq!(counted("fr", 1_279_077), "1\u{202f}279\u{202f}077 mots");
        assert!(Texts::of("zxx").is_none() && Texts::of("").is_none());
    }

    #[test]
    fn a_browser_is_spoken_to_as_it_asks() {
        let asked = |wanted: &str| {
            let headers = HeaderMap::from_iter([(header::ACCEPT_LANGUAGE, wanted.parse().unwrap())]);
            Texts::asked_for(&headers).lang.to_string()
        };
        assert_eq!(asked("de, fr-CH;q=0.8, en;q=0.5"), "fr");
        assert_eq!(asked("en-GB,en;q=0.9,fr;q=0.1"), "en");
        assert_eq!(asked("en;q=0.1,fr;q=0.9"), "fr");
        assert_eq!(asked("fr;q=0"), "en");
        assert_eq!(asked("*, fr ; q=x"), "en");
        assert_eq!(Texts::asked_for(&HeaderMap::new()).lang.to_string(), "en");
    }

    /// What the shipped rules can tell a table to do.
    fn instructions() -> Vec<String> {
        let mut said = Vec::new();
        for ruleset in Ruleset::shipped_names().filter_map(Ruleset::shipped) {
            let play = |out_play, any_in_second, earlier| Challenged { words: 2, out_play, earlier, any_in_second };
            let plays = [play(false, true, 0), play(true, true, 0), play(false, false, 3), play(true, false, 3)];
            let choices = Choices::default();
            let mut all = Vec::new();
            for play in plays {
                all.extend(
                    [Ruling::Acceptable, Ruling::Unacceptable].map(|ruling| penalty(&ruleset, choices, ruling, play)),
                );
                let kinds = [
                    DispositionKind::Withdrawn,
                    DispositionKind::ConcededByChallenger,
                    DispositionKind::ConcededByOpponent,
                ];
                all.extend(kinds.into_iter().filter_map(|kind| ended(&ruleset, choices, kind, play)));
            }
            let turned = all.iter().flat_map(|before| all.iter().map(move |now| reversing(before, now.clone())));
            said.extend(turned.flat_map(|now| [Some(now.instruction), now.undo]).flatten());
        }
        said
    }

    /// What players can type wrongly.
    fn faults() -> Vec<String> {
        let read = |said: serde_json::Value| RawSlip::read(said.as_object().unwrap(), |_| None);
        let alphabet = Alphabet::shipped("english").unwrap();
        let form = [
            json!({"division": "A", "words": [], "table": 0}),
            json!({"division": "A", "words": ["CAT", " "], "declared_count": 3}),
        ];
        let words = json!({"division": "A", "table": 1, "words": ["X-RAY", "Q\u{a0}I", "A B", "A", "OXYPHENBUTAZONES", "[QI", "[QU]IT", "\u{410}"]});
        let unreadable = read(words).unwrap().parse(&alphabet, 15).unwrap_err();
        let faults = form.map(|said| read(said).unwrap_err());
        let all = faults.iter().chain([&unreadable]).flat_map(Faults::iter).map(|fault| fault.detail.clone());
        let shown = |detail: String| match detail.split_once(": ") {
            Some((word, rest)) if word.starts_with("word ") => rest.to_owned(),
            _ => detail,
        };
        all.chain([TABLE_NEEDED.to_owned()]).map(shown).collect()
    }

    #[test]
    fn every_language_says_what_the_shipped_rules_and_a_slip_of_the_finger_bring() {
        let (instructions, faults) = (instructions(), faults());
        assert!(instructions.len() > 1000 && faults.len() >= 11, "{} {faults:?}", instructions.len());
        for t in Texts::all().iter().filter(|t| t.lang.0 != "en") {
            for sentence in instructions.iter().flat_map(|said| said.split_inclusive(". ")).map(str::trim_end) {
                assert_ne!(t.say(sentence), sentence, "{} has no word for it", t.name);
            }
            for fault in &faults {
                assert_ne!(t.say(fault), *fault, "{} has no word for it", t.name);
            }
        }
    }
}
