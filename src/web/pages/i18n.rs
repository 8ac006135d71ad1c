//! The station's texts, one file per language.
//!
//! The keys are the fields of [`Messages`], so that a page cannot use a text that a language lacks. The domain's texts
//! (faults, penalties) are in the same file, in a table of their own.

mod domain;

use std::fmt;
use std::sync::LazyLock;

use axum::http::{HeaderMap, header};
use serde::Deserialize;

use domain::DomainMessages;

/// One text; `{}` marks the place of a value.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Message(String);

impl Message {
    /// The text with its value.
    pub fn with(&self, value: impl fmt::Display) -> String {
        self.0.replacen("{}", &value.to_string(), 1)
    }

    /// The text with its two values, in their order.
    pub fn with_both(&self, one: impl fmt::Display, other: impl fmt::Display) -> String {
        let (before, after) = self.0.split_once("{}").unwrap_or((&self.0, ""));
        format!("{before}{one}{}", after.replacen("{}", &other.to_string(), 1))
    }

    /// The text before the value, for a page that renders the value itself.
    pub fn before(&self) -> &str {
        self.0.split_once("{}").map_or(&*self.0, |(before, _)| before.trim_end())
    }

    /// The text after the value, with its space.
    pub fn rest(&self) -> &str {
        self.0.split_once("{}").map_or("", |(_, rest)| rest)
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The station's texts in one language, as its file names them.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Messages {
    /// The language as a BCP 47 tag, for `<html lang>`.
    pub lang: Message,
    /// The language's own name.
    pub name: Message,
    /// `ltr` or `rtl`.
    pub dir: Message,
    pub title: Message,
    pub division: Message,
    pub lexicon: Message,
    pub table: Message,
    pub table_number: Message,
    pub step_table: Message,
    pub step_type: Message,
    pub first_table: Message,
    pub tables: Message,
    pub thousands: Message,
    pub open_quote: Message,
    pub close_quote: Message,
    pub fingerprint: Message,
    pub back_to_ruling: Message,
    pub back_to_start: Message,
    pub call_judge: Message,
    pub call_director: Message,
    pub no_scripts: Message,
    pub clock_stopped: Message,
    pub slip_in_hand: Message,
    pub words_on_slip: Message,
    pub next: Message,
    pub tap_count: Message,
    pub one_word: Message,
    pub many_words: Message,
    pub key_enter: Message,
    pub key_escape: Message,
    pub erase: Message,
    pub choose_division: Message,
    pub whole_play: Message,
    pub round: Message,
    pub free_lookup_round: Message,
    pub in_force_since: Message,
    pub no_lexicon_loaded: Message,
    pub slow_mode: Message,
    pub slow_mode_on: Message,
    pub not_connected: Message,
    pub how_many: Message,
    pub table_unknown: Message,
    pub type_word: Message,
    pub type_words: Message,
    pub type_board_word: Message,
    pub word: Message,
    pub nothing_judged: Message,
    pub letter_keys: Message,
    pub next_word: Message,
    pub show_opponent: Message,
    pub start_over: Message,
    pub please_check: Message,
    pub are_these: Message,
    pub more_words: Message,
    pub earlier_slip: Message,
    pub under_a_minute: Message,
    pub one_minute: Message,
    pub minutes: Message,
    pub another_play: Message,
    pub another_play_yes: Message,
    pub another_play_no: Message,
    pub judge: Message,
    pub fix: Message,
    pub end_without: Message,
    pub withdraw: Message,
    pub challenger_concedes: Message,
    pub opponent_concedes: Message,
    pub what_now: Message,
    pub play_is: Message,
    pub acceptable: Message,
    pub unacceptable: Message,
    pub for_player: Message,
    pub for_challenger: Message,
    pub for_both: Message,
    pub take_back: Message,
    pub play_stays: Message,
    pub play_stays_your_turn: Message,
    pub your_turn: Message,
    pub lose_turn: Message,
    pub no_penalty: Message,
    pub game_over: Message,
    pub game_goes_on: Message,
    pub points_to_player: Message,
    pub points_from_challenger: Message,
    pub undo_first: Message,
    pub free_lookup: Message,
    pub nothing_follows: Message,
    pub write_number: Message,
    pub looked_up_in: Message,
    pub clear: Message,
    pub longer: Message,
    pub more: Message,
    pub repeat: Message,
    pub mistyped: Message,
    pub ask_review: Message,
    pub ask_review_why: Message,
    pub who_asks: Message,
    pub another_judge: Message,
    pub look_up_again: Message,
    pub doubt_machine: Message,
    pub by_challenger: Message,
    pub by_opponent: Message,
    pub judge_corrects: Message,
    pub judge_corrects_why: Message,
    pub review_asked: Message,
    pub judge_comes: Message,
    pub raise_hand: Message,
    pub raise_hand_director: Message,
    pub none_listens: Message,
    pub judge_comes_to: Message,
    pub director_comes: Message,
    pub director_comes_to: Message,
    pub clock_stays_stopped: Message,
    pub do_not_draw: Message,
    pub station_is_free: Message,
    pub called: Message,
    pub wait_there: Message,
    pub wait_here: Message,
    pub not_possible: Message,
    pub ended: Message,
    pub withdrawn: Message,
    pub conceded_by_challenger: Message,
    pub conceded_by_opponent: Message,
    pub no_ruling: Message,
    pub no_lexicon: Message,
    pub not_recorded: Message,
    pub try_again_then: Message,
    pub try_again: Message,
    pub not_here: Message,
    pub players_do_not: Message,
    pub round_closed: Message,
    pub closed: Message,
    pub closed_why: Message,
    pub test_again: Message,
    pub not_covered: Message,
    pub judge_looks_up: Message,
    pub judge_sees: Message,
    pub judge_looks_at_play: Message,
    pub parts_of_play: Message,
    pub none_given: Message,
    pub none_given_why: Message,
    pub no_connection: Message,
    pub comes_back: Message,
    pub sent_slip: Message,
    pub still_there: Message,
    pub wiped_in: Message,
    pub seconds: Message,
    pub go_on: Message,
    /// The domain's texts, as players read them in this language.
    #[serde(default)]
    domain: DomainMessages,
}

/// Every language, English first.
static LANGUAGES: LazyLock<Vec<Messages>> =
    LazyLock::new(|| FILES.iter().filter_map(|file| toml::from_str(file).ok()).collect());

const FILES: [&str; 2] = [include_str!("i18n/en.toml"), include_str!("i18n/fr.toml")];

impl Messages {
    /// Every language.
    pub fn all() -> &'static [Self] {
        &LANGUAGES
    }

    /// The language of a tag, with or without a country: `fr` for `fr-CA`.
    pub fn of(tag: &str) -> Option<&'static Self> {
        let language = tag.split('-').next().unwrap_or_default().trim();
        Self::all().iter().find(|texts| texts.lang.0.eq_ignore_ascii_case(language))
    }

    /// The available language that a browser prefers most; English if it prefers none of them.
    pub fn negotiate(headers: &HeaderMap) -> &'static Self {
        static NONE: LazyLock<Messages> = LazyLock::new(Messages::default);
        let wanted = headers.get_all(header::ACCEPT_LANGUAGE).iter().filter_map(|wanted| wanted.to_str().ok());
        let mut wanted: Vec<_> = wanted.flat_map(|wanted| wanted.split(',')).filter_map(parse_weighted).collect();
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

    /// A text of the domain, in this language.
    pub fn translate(&self, english: &str) -> String {
        let text = self.domain.translate(english);
        text.replace('“', &self.open_quote.0).replace('”', &self.close_quote.0)
    }
}

/// A language of a browser's list, and its weight; `None` if the weight is zero. `fr;q=0.5` has half the weight of
/// `fr`.
fn parse_weighted(wanted: &str) -> Option<(&str, f32)> {
    let (tag, weight) = wanted.split_once(';').unwrap_or((wanted, "q=1"));
    let weight = weight.trim().strip_prefix("q=").and_then(|weight| weight.parse().ok()).unwrap_or(0.0);
    (weight > 0.0).then_some((tag, weight))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::penalty::{Challenged, Choices, ended, penalty, reversing};
    use crate::domain::ruleset::{DispositionKind, Ruleset};
    use crate::domain::setup::TABLE_NEEDED;
    use crate::domain::{Alphabet, Faults, RawSlip, Ruling};
    use serde_json::json;

    #[test]
    fn every_text_is_there_in_every_language() {
        for file in FILES {
            let read: Result<Messages, _> = toml::from_str(file);
            assert!(read.is_ok(), "{:?}", read.err());
        }
        assert_eq!(Messages::of("en").unwrap().table_number.with(12), "Table 12");
        assert_eq!(Messages::of("fr-CA").unwrap().name.to_string(), "Français");
        let counted = |lang: &str, words| Messages::of(lang).unwrap().count_words(words);
        assert_eq!((counted("en", 279_077), counted("en", 44)), ("279,077 words".to_owned(), "44 words".to_owned()));
        assert_eq!(counted("fr", 1_279_077), "1\u{202f}279\u{202f}077 mots");
        assert!(Messages::of("zxx").is_none() && Messages::of("").is_none());
    }

    #[test]
    fn the_language_is_negotiated_from_accept_language() {
        let asked = |wanted: &str| {
            let headers = HeaderMap::from_iter([(header::ACCEPT_LANGUAGE, wanted.parse().unwrap())]);
            Messages::negotiate(&headers).lang.to_string()
        };
        assert_eq!(asked("de, fr-CH;q=0.8, en;q=0.5"), "fr");
        assert_eq!(asked("en-GB,en;q=0.9,fr;q=0.1"), "en");
        assert_eq!(asked("en;q=0.1,fr;q=0.9"), "fr");
        assert_eq!(asked("fr;q=0"), "en");
        assert_eq!(asked("*, fr ; q=x"), "en");
        assert_eq!(Messages::negotiate(&HeaderMap::new()).lang.to_string(), "en");
    }

    /// The instructions that the shipped rules can give to a table.
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

    /// The faults that players can cause by typing.
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
    fn every_language_translates_the_shipped_instructions_and_common_faults() {
        let (instructions, faults) = (instructions(), faults());
        assert!(instructions.len() > 1000 && faults.len() >= 11, "{} {faults:?}", instructions.len());
        for t in Messages::all().iter().filter(|t| t.lang.0 != "en") {
            for sentence in instructions.iter().flat_map(|said| said.split_inclusive(". ")).map(str::trim_end) {
                assert_ne!(t.translate(sentence), sentence, "{} has no word for it", t.name);
            }
            for fault in &faults {
                assert_ne!(t.translate(fault), *fault, "{} has no word for it", t.name);
            }
        }
    }
}
