//! The domain: what a challenge is, in one page. This module opens no file, reads no clock, and contains no HTTP
//! and no SQL; every dependency of the program points here.
//!
//! Table 12 challenges a play that formed CAT and QI. The typed input is a [`RawSlip`]: its form is
//! right, its words are still text. The division's [`Alphabet`] reads the words as tiles and makes a
//! [`Slip`]; it returns every unreadable word as [`Faults`], all at once, and no word is looked up then.
//! [`adjudicate_slip`] looks up every word in the opened [`Lexicon`], never stopping early, and gives one
//! [`Ruling`] for the whole play with the [`Penalty`] that the division's [`Ruleset`] attaches to it.
//!
//! ```
//! use std::collections::HashSet;
//! use adjudge::domain::{Alphabet, Lexicon, Ruling, Word, adjudicate};
//!
//! struct List(HashSet<&'static str>);
//! impl Lexicon for List {
//!     fn contains(&self, word: &Word) -> bool { self.0.contains(word.as_str()) }
//! }
//!
//! let english = Alphabet::shipped("english").unwrap();
//! let list = List(HashSet::from(["CAT", "QI"]));
//! let read = |typed| english.read(typed).unwrap().unwrap();
//! assert_eq!(adjudicate(&[read("cat"), read("QI")], &list), Ruling::Acceptable);
//! assert_eq!(adjudicate(&[read("cat"), read("ZO")], &list), Ruling::Unacceptable);
//! ```
//!
//! The ruling is not announced yet. It becomes an [`Event`], and the event an [`Entry`] at its position in
//! the tournament's log ([`ledger`]); only the committed entry is folded into a [`SlipRecord`], and
//! only the [`Announcement`] of that record reaches the players. An announcement has no field for the
//! result of a single word.

pub mod accounts;
pub mod adjudication;
pub mod alphabet;
pub mod approval;
pub mod call;
pub mod clock;
pub mod compensation;
pub mod decision;
pub mod division;
pub mod edit_distance;
pub mod entry;
pub mod event;
pub mod fault;
pub mod fields;
pub mod human_code;
pub mod incident;
pub mod ledger;
pub mod lexicon;
pub mod pairing_sheet;
pub mod paper;
pub mod passphrase;
pub mod penalty;
pub mod player;
pub mod player_name;
pub mod probing;
pub mod recheck;
pub mod record;
pub mod refusal;
pub mod request;
pub mod role;
pub mod rounds;
pub mod ruleset;
pub mod ruling;
pub mod settings;
pub mod setup;
pub mod slip;
pub mod slip_filter;
pub mod table_ranges;
pub mod test_deck;
pub mod time;
pub mod word;

pub use adjudication::{Adjudicated, DivisionLexica, FilingDetails, adjudicate_slip};
pub use alphabet::{Alphabet, Unreadable};
pub use entry::Entry;
pub use event::{Event, KINDS, SERVER_LOG};
pub use fault::{Fault, FaultCode, Faults};
pub use fields::RequestBody;
pub use lexicon::{Lengths, Lexicon, LexiconName};
pub use penalty::Penalty;
pub use record::{Announcement, SlipRecord};
pub use role::{Action, Role};
pub use ruleset::Ruleset;
pub use ruling::{Ruling, adjudicate, is_any_listed};
pub use setup::{Division, Setup, Tournament};
pub use slip::{RawSlip, Slip};
pub use time::Timestamp;
pub use word::Word;

/// An id of a tournament, division or lexicon: 1 to 32 of the letters, digits, `.`, `_` and `-`, the
/// first a letter or digit. Ids are compared ignoring case, and an id that names a file can never
/// leave its directory.
#[must_use]
pub fn is_id(text: &str) -> bool {
    let mut bytes = text.bytes();
    let first = bytes.next().is_some_and(|byte| byte.is_ascii_alphanumeric());
    first && text.len() <= 32 && bytes.all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::is_id;

    #[test]
    fn an_id_cannot_be_a_path() {
        for good in ["A", "CSW24", "wordnik", "a.b_c-d", &"x".repeat(32)] {
            assert!(is_id(good), "{good}");
        }
        for bad in ["", ".", "..", "../x", "-a", "a/b", "a b", "é", "a\0", &"x".repeat(33)] {
            assert!(!is_id(bad), "{bad:?}");
        }
    }
}
