//! What each page of a station shows.
//!
//! None of them has room for anything said about a single word, so no page can tell.

use askama::Template;

use super::{LexiconLabel, WordList};
use crate::domain::Ruling;
use crate::web::pages::i18n::Messages;

/// Where a page is shown; stands at the head of every station page.
#[derive(Debug, Clone)]
pub struct PageHeader {
    /// What the page says, in one language.
    pub t: &'static Messages,
    /// The language that the station speaks unless players choose another.
    pub own: &'static Messages,
    /// The station's label, as staff call it: `Station 1`.
    pub station: String,
    /// The tournament's title.
    pub tournament: String,
    /// The division's id. `None` while a station that serves several has not
    /// yet been told which.
    pub division: Option<String>,
    /// The lexicon that will judge, or would. `None` where it is not known.
    pub lexicon: Option<LexiconLabel>,
    /// The list behind that name. `None` where it is not open.
    pub list: Option<WordList>,
}

impl PageHeader {
    /// The languages to choose from, without the one that is spoken.
    fn others(&self) -> impl Iterator<Item = &'static Messages> {
        Messages::all().iter().filter(|texts| texts.lang != self.t.lang)
    }
}

/// One field of a form: what was typed, kept as typed, and what is wrong with it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Field {
    pub value: String,
    /// A sentence that says how to mend it; never whether a word is good.
    pub fault: Option<String>,
}

/// A division that a station serves, offered where it serves several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DivisionChoice {
    pub id: String,
    /// Its tables: `1-20,31`. `None` where it names none.
    pub tables: Option<String>,
    /// `None` where the division has no active lexicon.
    pub lexicon: Option<LexiconLabel>,
    pub is_chosen: bool,
}

/// What the steps after the first carry along in hidden inputs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HiddenFields {
    /// The table's number as typed; empty where none is asked for.
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
    /// What was typed, so that going back to mend it shows just that.
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
    /// Whether the players say at which table they play.
    pub asks_table: bool,
    pub table: Field,
    pub count: Field,
    /// Offered as radio buttons where there is more than one.
    pub divisions: Vec<DivisionChoice>,
    /// Whether the players choose theirs; else their table decides it.
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
/// Posts `word` once a field, in order, and what is [`HiddenFields`] to
/// `/station/check`.
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
    /// Says whether a word waits to be mended.
    fn has_faults(&self) -> bool {
        self.words.iter().any(|word| word.fault.is_some())
    }

    /// The field to start in, from 0: the first at fault, else the first that is empty.
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
/// Posts `word`, what is [`HiddenFields`] and `key` to `/station/ruling`, or without
/// a ruling back to `/station/words`; an [`EndingChoice`]'s `kind` to `/station/end`.
#[derive(Debug, Clone, Template)]
#[template(path = "station/hand_over.html")]
pub struct HandOverPage {
    pub header: PageHeader,
    pub hidden: HiddenFields,
    pub words: Vec<TiledWord>,
    /// The idempotency key: however often it is sent, the slip is ruled once.
    pub key: String,
    /// What the ruleset lets players say; none for a correction.
    pub endings: Vec<EndingChoice>,
}

/// Before the third page, where the slip comes so soon after another one of its table that both may be parts of one play.
///
/// Posts the same as [`HandOverPage`] with `another_play`: `yes` to `/station/check`, `no` to `/station/ruling`.
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

/// A slip of which more can be said. Every act has an idempotency key of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlipRef {
    /// The slip's id.
    pub id: String,
    /// The table's number; empty where the slip names none.
    pub table: String,
    pub key: String,
}

/// What one player, or both, do now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instruction {
    /// Whom it speaks to: `Challenger:`.
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

/// The one ruling for the play, and what it means at the table.
#[derive(Debug, Clone, Template)]
#[template(path = "station/ruling.html")]
pub struct RulingPage {
    pub header: PageHeader,
    pub ruling: Ruling,
    pub slip: SlipRef,
    /// The slip's number in the tournament, from 1.
    pub slip_number: u64,
    /// As entered and recorded, every one drawn alike.
    pub words: Vec<TiledWord>,
    /// The lexicon recorded with this ruling.
    pub lexicon: LexiconLabel,
    /// What each player does now, the more urgent first; none for a free look-up.
    pub instructions: Vec<Instruction>,
    /// What to undo of an earlier ruling, before anything else.
    pub undo: Vec<String>,
    /// What holds in rare cases only.
    pub rare: Vec<String>,
    /// Whose score changes by how much; `None` where no points change hands.
    pub points: Option<PointsChange>,
    /// Whether the players may ask for another opinion now.
    pub may_ask: bool,
    /// Whether they may say that a word was mistyped.
    pub may_correct: bool,
    /// Whether the station sounds a tone.
    pub has_sound: bool,
    /// How long it stays whatever is pressed, in milliseconds.
    pub hold_ms: u32,
    /// After how many seconds the page gives way to the first.
    pub clear_s: u32,
}

/// One kind of review that the players may ask for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewChoice {
    /// As the API names it.
    pub reason: &'static str,
    /// What it brings; none where there is only one kind.
    pub label: Option<String>,
}

/// Who asks for which review. Posts `slip`, `key`, `reason` and `requested_by` to `/station/reviews`.
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

/// Whom a page calls, by a key of its own. Posts `for`, `table` and `key` to `/station/call`.
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

/// Something that is no ruling: why there is none, what to do, whom to call; or that somebody comes.
#[derive(Debug, Clone, Template)]
#[template(path = "station/notice.html")]
pub struct NoticePage {
    pub header: PageHeader,
    /// What this is, above the title: `No ruling was given`.
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
    /// The id of the ruled slip from whose ruling this was asked for: the page leads back to it.
    pub ruled_slip: Option<String>,
    /// Where asking again may help: the very same request.
    pub retry: Option<Retry>,
    /// Whether the station may be tested again.
    pub can_test: bool,
    /// Whether it stands in place of the first page, and so has the languages to choose from.
    pub is_first: bool,
    /// After how many seconds the page gives way to the first; `None` is never.
    pub clear_s: Option<u32>,
}

impl NoticePage {
    /// Whether the main key is the one that sends the slip once more.
    fn offers_retry(&self) -> bool {
        self.retry.as_ref().is_some_and(|retry| !retry.by_itself)
    }
}

/// A request for a ruling that may be sent once more under its own key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retry {
    pub hidden: HiddenFields,
    /// The words as typed, in slip order.
    pub words: Vec<String>,
    pub key: String,
    /// Whether the players answered that this is no other play than the one before.
    pub is_same_play: bool,
    /// Whether a browser with scripts asks by itself, and so need not keep the words.
    pub by_itself: bool,
}
