//! What the station says, in one file a language.
//!
//! The keys are the fields of [`Texts`], so that a page cannot ask for a text that a language does not have. What the
//! domain says (faults, penalties) is written there.

use std::fmt;
use std::sync::LazyLock;

use serde::Deserialize;

/// One text; `{}` in it is where a value stands.
#[derive(Debug, Default, Deserialize)]
#[serde(transparent)]
pub struct Text(String);

impl Text {
    /// The text with its value.
    pub fn with(&self, value: impl fmt::Display) -> String {
        self.0.replacen("{}", &value.to_string(), 1)
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
    /// `ltr` or `rtl`.
    pub dir: Text,
    pub title: Text,
    pub division: Text,
    pub lexicon: Text,
    pub table: Text,
    pub table_number: Text,
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
    pub not_possible: Text,
    pub ended: Text,
    pub withdrawn: Text,
    pub conceded_by_challenger: Text,
    pub conceded_by_opponent: Text,
    pub withdrawn_reason: Text,
    pub conceded_reason: Text,
    pub abandoned_reason: Text,
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
    pub none_given: Text,
    pub none_given_why: Text,
    pub no_connection: Text,
    pub comes_back: Text,
    pub sent_slip: Text,
    pub still_there: Text,
    pub wiped_in: Text,
    pub seconds: Text,
    pub go_on: Text,
}

static ENGLISH: LazyLock<Result<Texts, toml::de::Error>> =
    LazyLock::new(|| toml::from_str(include_str!("texts/en.toml")));

impl Texts {
    /// English, the only language so far.
    pub fn english() -> &'static Self {
        static NONE: LazyLock<Texts> = LazyLock::new(Texts::default);
        ENGLISH.as_ref().unwrap_or(&NONE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_there_in_english() {
        assert!(ENGLISH.is_ok(), "{:?}", ENGLISH.as_ref().err());
        assert_eq!(Texts::english().table_number.with(12), "Table 12");
    }
}
