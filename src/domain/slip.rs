//! The challenge slip: from typed words to a slip that can be adjudicated.
//!
//! `RawSlip` is a request whose form is right; its words are still as typed. `Slip` is readable:
//! every word consists of tiles of the division's alphabet and fits on the board. Each step finds all faults
//! of its level at once. Source: NSF II.L.4, D 2, TILES.

use super::alphabet::Alphabet;
use super::fault::{Fault, FaultCode, Faults};
use super::fields::{Fields, RequestBody};
use super::lexicon::Lengths;
use super::player_name::MAX_NAME_CHARS;
use super::word::Word;
use crate::domain::player_name::is_one_of;

/// Seven tiles laid in one play form at most eight words. Source: D 2.
pub const MAX_WORDS: usize = 8;

/// No list has a word of one tile. Source: TILES.
pub const FEWEST_TILES: usize = 2;

/// The details of a challenge: round, table, players, play. The players give all fields but the last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChallengeDetails {
    /// 1 to 999.
    pub round: Option<i64>,
    /// 1 to 9999.
    pub table: Option<i64>,
    /// 1 to 100 characters.
    pub challenger: Option<String>,
    /// The player of the challenged play. 1 to 100 characters.
    pub opponent: Option<String>,
    /// The points of the challenged play, 0 to 9999.
    pub play_score: Option<i64>,
    /// Whether the challenged play ended the game.
    pub out_play: bool,
    /// How many unsuccessful challenges the challenger had made, where they are counted. The ledger gives this number.
    pub earlier: Option<u64>,
}

/// A slip whose form is right and whose words are as typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawSlip {
    pub division: String,
    pub typed: Vec<String>,
    pub place: ChallengeDetails,
    /// The earlier slip, where this slip makes its challenge anew. Source: NASPA IV.F.2.
    pub follows: Option<String>,
}

/// A readable slip: 1 to 8 words of at least two tiles that fit on the board, in the order typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slip {
    pub typed: Vec<String>,
    pub words: Vec<Word>,
    pub place: ChallengeDetails,
    pub follows: Option<String>,
}

impl ChallengeDetails {
    /// Whether a person plays in the game.
    #[must_use]
    pub fn is_game_of(&self, player: &str) -> bool {
        is_one_of(player, [&self.challenger, &self.opponent])
    }
}

/// The message where a request names no division, and its table belongs to none.
#[must_use]
pub const fn unnamed_division(table: Option<i64>) -> &'static str {
    match table {
        Some(_) => "name the division: the table belongs to none",
        None => "name the division, or a table that belongs to one",
    }
}

impl RawSlip {
    /// Reads the form of a request. `division_of` says which division a table belongs to.
    ///
    /// # Errors
    /// All faults of form at once, each `invalid-slip`.
    pub fn read(body: &RequestBody, division_of: impl Fn(i64) -> Option<String>) -> Result<Self, Faults> {
        let mut fields = Fields::of(body, FaultCode::InvalidSlip);
        let division = fields.line("division", 32);
        let typed = fields.texts("words");
        let declared = fields.number("declared_count", 1..=8);
        let place = ChallengeDetails {
            round: fields.number("round", 1..=999),
            table: fields.number("table", 1..=9999),
            challenger: fields.name("challenger"),
            opponent: fields.name("opponent"),
            play_score: fields.number("play_score", 0..=9999),
            out_play: fields.bool_field("out_play").unwrap_or(false),
            earlier: None,
        };
        let follows = fields.line("follows", MAX_NAME_CHARS);
        let division = division.or_else(|| place.table.filter(|_| !fields.is_given("division")).and_then(division_of));
        check_words(&mut fields, typed.as_deref(), declared);
        if division.is_none() && !fields.is_given("division") {
            fields.fault("division", unnamed_division(place.table));
        }
        match (fields.faults(), division, typed) {
            (None, Some(division), Some(typed)) => Ok(Self { division, typed, place, follows }),
            (Some(faults), _, _) => Err(faults),
            (None, _, _) => Err(Faults::one("words", FaultCode::InvalidSlip, "write the challenged words on the slip")),
        }
    }

    /// Reads the words as tiles of `alphabet` and measures them against a board of `max_tiles`.
    ///
    /// # Errors
    /// One fault for every word that cannot be read, each `unreadable-word`, naming the position in
    /// the typed text.
    pub fn parse(self, alphabet: &Alphabet, max_tiles: usize) -> Result<Slip, Faults> {
        let words = read_words(alphabet, &self.typed, max_tiles)?;
        Ok(Slip { typed: self.typed, words, place: self.place, follows: self.follows })
    }
}

/// Reads words as tiles of `alphabet` and measures them against a board of `max_tiles`.
///
/// # Errors
/// One fault for every word that cannot be read, each `unreadable-word`, naming the position in the typed text.
pub fn read_words(alphabet: &Alphabet, typed: &[String], max_tiles: usize) -> Result<Vec<Word>, Faults> {
    let mut words = Vec::with_capacity(typed.len());
    let mut faults = Vec::new();
    for (place, typed) in typed.iter().enumerate() {
        match read_word(alphabet, typed, max_tiles) {
            Ok(word) => words.push(word),
            Err(why) => {
                faults.push(word_fault(place, FaultCode::UnreadableWord, &format!("word {}: {why}", place + 1)));
            }
        }
    }
    Faults::of(faults).map_or(Ok(words), Err)
}

/// A fault for each word that is longer or shorter than the lexicon covers: a judge looks these up in other sources.
/// `then` is the sentence that says what happens next. Source: TILES, NSF I.A.1.b.
#[must_use]
pub fn outside(words: &[Word], covered: Lengths, then: &str) -> Option<Faults> {
    let outside = words.iter().enumerate().filter(|(_, word)| !covered.cover(word.tiles()));
    let fault = |(place, word): (usize, &Word)| {
        let tiles = word.tiles();
        let detail = format!("word {} has {tiles} tiles and the lexicon covers {covered}: {then}", place + 1);
        word_fault(place, FaultCode::NeedsManualLookup, &detail)
    };
    Faults::of(outside.map(fault).collect())
}

impl Slip {
    /// A fault for each word that the lexicon does not cover.
    #[must_use]
    pub fn outside(&self, covered: Lengths) -> Option<Faults> {
        outside(&self.words, covered, "call a judge, the slip is recorded and waits")
    }
}

/// Whether both lists have equal words, each as often, in any order.
#[must_use]
pub fn are_same_words(these: &[String], those: &[String]) -> bool {
    let sorted = |words: &[String]| {
        let mut words = words.to_vec();
        words.sort();
        words
    };
    sorted(these) == sorted(those)
}

/// Checks that there are 1 to 8 words, none empty, and as many as declared. Source: D 2.
pub fn check_words(fields: &mut Fields<'_>, typed: Option<&[String]>, declared: Option<i64>) {
    let Some(typed) = typed else {
        if !fields.is_given("words") {
            fields.fault("words", "write the challenged words on the slip");
        }
        return;
    };
    if typed.is_empty() {
        fields.fault("words", "a slip names at least one word");
    }
    if typed.len() > MAX_WORDS {
        fields.fault("words", format!("one play forms at most {MAX_WORDS} words, the slip has {}", typed.len()));
    }
    for (place, _) in typed.iter().take(MAX_WORDS).enumerate().filter(|(_, typed)| is_blank(typed)) {
        fields.fault(&format!("words[{place}]"), format!("word {} is empty", place + 1));
    }
    if declared.is_some_and(|declared| usize::try_from(declared) != Ok(typed.len())) {
        fields.fault(
            "declared_count",
            format!("declared_count and the number of words ({}) differ: count again", typed.len()),
        );
    }
}

fn is_blank(typed: &str) -> bool {
    typed.chars().all(|letter| letter.is_whitespace() || super::alphabet::is_default_ignorable(letter))
}

fn read_word(alphabet: &Alphabet, typed: &str, max_tiles: usize) -> Result<Word, String> {
    let word = alphabet.read(typed).map_err(|why| why.to_string())?.ok_or_else(|| "it is empty".to_owned())?;
    let end = typed.trim_end().chars().count();
    match word.tiles() {
        few if few < FEWEST_TILES => Err(format!("it has one tile, at position {end}, and a word has at least two")),
        many if many > max_tiles => {
            Err(format!("it has {many} tiles, the last at position {end}, and the board has room for {max_tiles}"))
        }
        _ => Ok(word),
    }
}

fn word_fault(place: usize, slug: FaultCode, detail: &str) -> Fault {
    Fault { field: format!("words[{place}]"), slug, detail: detail.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn request_body(body: &serde_json::Value) -> RequestBody {
        body.as_object().unwrap().clone()
    }

    fn faults(body: &serde_json::Value) -> Vec<(String, String)> {
        let faults = RawSlip::read(&request_body(body), |_| None).unwrap_err();
        faults.iter().map(|fault| (fault.field.clone(), fault.slug.to_string())).collect()
    }

    fn slip(words: &[&str]) -> Result<Slip, Faults> {
        let raw = RawSlip::read(&request_body(&json!({"division": "A", "words": words})), |_| None).unwrap();
        raw.parse(&Alphabet::shipped("english").unwrap(), 15)
    }

    fn details(faults: &Faults) -> Vec<&str> {
        faults.iter().map(|fault| fault.detail.as_str()).collect()
    }

    #[test]
    fn a_slip_needs_only_words_and_a_division() {
        let raw =
            RawSlip::read(&request_body(&json!({"division": "A", "words": ["CAT", "cat"], "round": null})), |_| None)
                .unwrap();
        assert_eq!(
            raw,
            RawSlip {
                division: "A".into(),
                typed: vec!["CAT".into(), "cat".into()],
                place: ChallengeDetails::default(),
                follows: None
            }
        );
    }

    #[test]
    fn every_fault_of_form_is_found_at_once() {
        let body = json!({"division": 1, "words": ["CAT", " ", "\u{200B}"], "declared_count": 2, "round": 0, "table": "12",
            "challenger": "", "opponent": "a\nb", "play_score": 1.5, "out_play": "no", "lexicon": "x", "follows": 7});
        let fields: Vec<String> = faults(&body).into_iter().map(|(field, _)| field).collect();
        assert_eq!(
            fields,
            [
                "division",
                "round",
                "table",
                "challenger",
                "opponent",
                "play_score",
                "out_play",
                "follows",
                "words[1]",
                "words[2]",
                "declared_count",
                "lexicon"
            ]
        );
    }

    #[test]
    fn no_words_and_nine_words_are_no_slip() {
        let invalid = |field: &str| vec![(field.to_owned(), "invalid-slip".to_owned())];
        assert_eq!(faults(&json!({"division": "A", "words": []})), invalid("words"));
        assert_eq!(faults(&json!({"division": "A"})), invalid("words"));
        assert_eq!(faults(&json!({"division": "A", "words": null})), invalid("words"));
        assert_eq!(faults(&json!({"division": "A", "words": "CAT"})), invalid("words"));
        assert_eq!(faults(&json!({"division": "A", "words": ["CAT", 7]})), invalid("words"));
        assert_eq!(faults(&json!({"division": "A", "words": vec!["AA"; 9]})), invalid("words"));
        assert!(slip(&["AA"; 8]).is_ok());
    }

    #[test]
    fn every_unreadable_word_is_named_by_its_position() {
        let faults = slip(&["CAT", "X-RAY", "A", "OXYPHENBUTAZONES"]).unwrap_err();
        assert_eq!(
            details(&faults),
            [
                "word 2: “-” at position 2 is no letter of the english alphabet",
                "word 3: it has one tile, at position 1, and a word has at least two",
                "word 4: it has 16 tiles, the last at position 16, and the board has room for 15",
            ]
        );
        assert!(slip(&["OXYPHENBUTAZONE"]).is_ok());
    }

    #[test]
    fn a_word_outside_the_coverage_waits_for_a_judge() {
        let slip = slip(&["CAT", "UNSTATES", "RETINALIS"]).unwrap();
        let outside = slip.outside(Lengths { shortest: 2, longest: 8 }).unwrap();
        assert_eq!(outside.first().field, "words[2]");
        assert_eq!(outside.iter().count(), 1);
        assert_eq!(slip.outside(Lengths { shortest: 2, longest: 9 }), None);
    }
}
