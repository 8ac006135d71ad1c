//! The views of a station's pages.
//!
//! None of them has room for a statement about a single word, so no page can reveal one.

use askama::Template;

use super::{LexiconLabel, WordList};
use crate::domain::Ruling;
use crate::web::pages::i18n::Messages;

/// The header of every station page: where it is shown.
#[derive(Debug, Clone)]
pub struct PageHeader {
    /// The texts of the page, in one language.
    pub t: &'static Messages,
    /// The station's language unless players choose another.
    pub own: &'static Messages,
    /// The station's label, as staff call it: `Station 1`.
    pub station: String,
    /// The tournament's title.
    pub tournament: String,
    /// The division's id. `None` while a station that serves several has no choice yet.
    pub division: Option<String>,
    /// The lexicon that will judge. `None` if it is not known.
    pub lexicon: Option<LexiconLabel>,
    /// The word list of that lexicon. `None` if it is not open.
    pub list: Option<WordList>,
}

impl PageHeader {
    /// The languages to choose from, without the current one.
    fn others(&self) -> impl Iterator<Item = &'static Messages> {
        Messages::all().iter().filter(|texts| texts.lang != self.t.lang)
    }
}

/// One field of a form: the typed text, unchanged, and what is wrong with it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Field {
    pub value: String,
    /// A sentence that says how to correct it; never whether a word is good.
    pub fault: Option<String>,
}

/// A division that a station serves, offered if it serves several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DivisionChoice {
    pub id: String,
    /// Its tables: `1-20,31`. `None` where it names none.
    pub tables: Option<String>,
    /// `None` where the division has no active lexicon.
    pub lexicon: Option<LexiconLabel>,
    pub is_chosen: bool,
}

/// The hidden inputs of the steps after the first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HiddenFields {
    /// The table's number as typed; empty if none is required.
    pub table: String,
    /// How many words are on the slip, 1 to 8.
    pub count: u32,
    /// The division's id; `None` where the table decides it.
    pub division: Option<String>,
    /// The id of the slip that is corrected; `None` for a new one.
    pub slip: Option<String>,
}

/// A word cut into the tiles that will be judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TiledWord {
    /// In writing order; a tile may be several characters (`CH`, `L·L`).
    pub tiles: Vec<String>,
    /// The typed text, so that going back to correct it shows exactly that.
    pub typed: String,
}

/// The first page: which table, how many words.
///
/// Posts `table`, `count`, `division` to `/station/words`. A tapped key sends
/// its number as `tap`, which then counts in place of `count`.
#[derive(Debug, Clone, Template)]
#[template(path = "station/idle.html")]
pub struct IdlePage {
    pub header: PageHeader,
    /// Whether the players enter the number of their table.
    pub asks_table: bool,
    pub table: Field,
    pub count: Field,
    /// Offered as radio buttons if there is more than one.
    pub divisions: Vec<DivisionChoice>,
    /// Whether the players choose their division; else their table determines it.
    pub chooses_division: bool,
    pub division_fault: Option<String>,
    /// Which round is open, in words.
    pub round: Option<String>,
    /// The first day on which the lexicon was used.
    pub in_force_since: Option<String>,
    /// The idempotency key of a call.
    pub key: String,
}

/// The keys of an alphabet, for a screen without a keyboard.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LetterKeys {
    /// The tiles, a row of the keyboard each; one row for the alphabet's own order.
    pub rows: Vec<Vec<String>>,
    /// Each letter that is read as another, followed by that one: `aAbB`.
    pub case_pairs: String,
}

/// The second page: exactly as many fields as words were announced.
///
/// Posts `word` once a field, in order, and the fields of [`HiddenFields`] to `/station/check`.
#[derive(Debug, Clone, Template)]
#[template(path = "station/words.html")]
pub struct WordsPage {
    pub header: PageHeader,
    pub hidden: HiddenFields,
    /// One for each announced word, in slip order.
    pub words: Vec<Field>,
    pub keys: LetterKeys,
}

impl WordsPage {
    /// Whether a word waits to be corrected.
    fn has_faults(&self) -> bool {
        self.words.iter().any(|word| word.fault.is_some())
    }

    /// The index of the first field to focus: the first with a fault, else the first that is empty.
    fn starts_at(&self) -> usize {
        let first = |which: fn(&Field) -> bool| self.words.iter().position(which);
        first(|word| word.fault.is_some()).or_else(|| first(|word| word.value.is_empty())).unwrap_or(0)
    }
}

/// A way to end the challenge without a look-up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndingChoice {
    /// The disposition, as the API names it.
    pub kind: &'static str,
    pub label: String,
}

/// The third page, turned to the opponent: are these the words on the slip?
///
/// Posts `word`, the fields of [`HiddenFields`] and `key` to `/station/ruling`, or without a ruling back to
/// `/station/words`; an [`EndingChoice`]'s `kind` to `/station/end`.
#[derive(Debug, Clone, Template)]
#[template(path = "station/hand_over.html")]
pub struct HandOverPage {
    pub header: PageHeader,
    pub hidden: HiddenFields,
    pub words: Vec<TiledWord>,
    /// The idempotency key: however often it is sent, the slip is ruled once.
    pub key: String,
    /// The endings that the ruleset lets players choose; none for a correction.
    pub endings: Vec<EndingChoice>,
}

/// The page before the third, if the slip comes so soon after another one of its table that both may be parts of one
/// play.
///
/// Posts the fields of [`HandOverPage`] with `another_play`: `yes` to `/station/check`, `no` to `/station/ruling`.
#[derive(Debug, Clone, Template)]
#[template(path = "station/another_play.html")]
pub struct AnotherPlayPage {
    pub header: PageHeader,
    /// `Slip 41 of this table was judged 1 minute ago.`
    pub earlier: String,
    pub hidden: HiddenFields,
    pub words: Vec<TiledWord>,
    /// The idempotency key of a slip that is filed as a part.
    pub key: String,
}

/// A reference to a slip for further requests. Every request has an idempotency key of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlipRef {
    /// The slip's id.
    pub id: String,
    /// The table's number; empty where the slip names none.
    pub table: String,
    pub key: String,
}

/// An instruction to one player, or to both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instruction {
    /// Whom it addresses: `Challenger:`.
    pub whom: String,
    /// `your turn.`
    pub text: String,
}

/// A change of a score.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PointsChange {
    /// `+10`
    pub amount: String,
    /// `for the player of the challenged play`
    pub whose: String,
}

/// The ruling for the play, and its effect at the table.
#[derive(Debug, Clone, Template)]
#[template(path = "station/ruling.html")]
pub struct RulingPage {
    pub header: PageHeader,
    pub ruling: Ruling,
    pub slip: SlipRef,
    /// The slip's number in the tournament, from 1.
    pub slip_number: u64,
    /// As entered and recorded, every one rendered alike.
    pub words: Vec<TiledWord>,
    /// The lexicon recorded with this ruling.
    pub lexicon: LexiconLabel,
    /// What each player does now, the more urgent first; none for a free look-up.
    pub instructions: Vec<Instruction>,
    /// The parts of an earlier ruling to undo, before anything else.
    pub undo: Vec<String>,
    /// The instructions for rare cases.
    pub rare: Vec<String>,
    /// Whose score changes and by how much; `None` if no points change hands.
    pub points: Option<PointsChange>,
    /// Whether the players may ask for another opinion now.
    pub may_ask: bool,
    /// Whether they may report a mistyped word.
    pub may_correct: bool,
    /// Whether the station sounds a tone.
    pub has_sound: bool,
    /// How long it stays even if keys are pressed, in milliseconds.
    pub hold_ms: u32,
    /// After how many seconds the page gives way to the first.
    pub clear_s: u32,
}

/// A kind of review that the players may request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewChoice {
    /// As the API names it.
    pub reason: &'static str,
    /// Its effect; none if there is only one kind.
    pub label: Option<String>,
}

/// Who requests which review. Posts `slip`, `key`, `reason` and `requested_by` to `/station/reviews`.
#[derive(Debug, Clone, Template)]
#[template(path = "station/ask.html")]
pub struct AskPage {
    pub header: PageHeader,
    pub slip: SlipRef,
    pub title: String,
    pub why: String,
    pub choices: Vec<ReviewChoice>,
    pub clear_s: u32,
}

/// A call that a page offers. Posts `for`, `table` and `key` to `/station/call`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// `judge` or `director`.
    pub whom: &'static str,
    /// `Call a judge`.
    pub label: String,
    /// The table's number as typed; empty where it is not known.
    pub table: String,
    /// The idempotency key.
    pub key: String,
}

/// A notice: why there is no ruling, what to do, whom to call; or that a judge or director comes.
#[derive(Debug, Clone, Template)]
#[template(path = "station/notice.html")]
pub struct NoticePage {
    pub header: PageHeader,
    /// The kind of notice, above the title: `No ruling was given`.
    pub head: String,
    /// The reason in a line: `No lexicon is loaded for this division`.
    pub title: String,
    /// What the players do now, a step a line.
    pub steps: Vec<String>,
    /// Whom to call about it.
    pub call: Option<Call>,
    /// Whether the station sounds a tone: a call was sent.
    pub has_sound: bool,
    /// The slip's number where one was recorded.
    pub slip_number: Option<u64>,
    /// The id of the ruled slip from which this was requested: the page leads back to its ruling.
    pub ruled_slip: Option<String>,
    /// The identical request, if repeating it may help.
    pub retry: Option<Retry>,
    /// Whether the station may be tested again.
    pub can_test: bool,
    /// Whether it replaces the first page, and so offers the languages.
    pub is_first: bool,
    /// After how many seconds the page gives way to the first; `None` for never.
    pub clear_s: Option<u32>,
}

impl NoticePage {
    /// Whether the main key sends the slip once more.
    fn offers_retry(&self) -> bool {
        self.retry.as_ref().is_some_and(|retry| !retry.by_itself)
    }
}

/// A request for a ruling that may be repeated under its own key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retry {
    pub hidden: HiddenFields,
    /// The words as typed, in slip order.
    pub words: Vec<String>,
    pub key: String,
    /// Whether the players answered that this is the same play as the slip before.
    pub is_same_play: bool,
    /// Whether a browser with scripts repeats it by itself, and so need not store the words.
    pub by_itself: bool,
}
