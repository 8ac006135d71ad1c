//! What each page shows, and nothing about how it was found out.
//!
//! A view is a page's data, complete and plain: drawing one needs no server, no
//! store and no clock. What a view does not hold its page cannot leak, so none
//! of them has room for anything said about a single word.

pub mod people;

use askama::Template;

/// Where a page is shown; stands at the head of every station page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The station's label, as staff call it: `Station 1`.
    pub station: String,
    /// The tournament's title.
    pub tournament: String,
    /// The division's id. `None` while a station that serves several has not
    /// yet been told which.
    pub division: Option<String>,
    /// The lexicon that will judge, or would. `None` where it is not known.
    pub lexicon: Option<LexiconName>,
}

/// A lexicon as people read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LexiconName {
    pub title: String,
    pub edition: String,
    /// Marks the list that ships inside the program, which no federation plays
    /// with: it is drawn so that nobody takes it for one of theirs.
    pub is_built_in: bool,
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
    /// `None` where the division has no active lexicon.
    pub lexicon: Option<LexiconName>,
    pub is_chosen: bool,
}

/// What the steps after the first carry along in hidden inputs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Carried {
    /// The table's number as typed; empty where none is asked for.
    pub table: String,
    /// How many words are on the slip, 1 to 8.
    pub count: u32,
    /// The division's id; `None` where the table decides it.
    pub division: Option<String>,
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
    pub place: Place,
    pub table: Field,
    pub count: Field,
    /// Offered as radio buttons where there is more than one.
    pub divisions: Vec<DivisionChoice>,
    pub division_fault: Option<String>,
}

/// The second page: exactly as many fields as words were announced.
///
/// Posts `word` once a field, in order, and what is [`Carried`] to
/// `/station/check`.
#[derive(Debug, Clone, Template)]
#[template(path = "station/words.html")]
pub struct WordsPage {
    pub place: Place,
    pub carried: Carried,
    /// One for each announced word, in slip order.
    pub words: Vec<Field>,
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

/// The third page, turned to the opponent: are these the words on the slip?
///
/// Posts `word`, what is [`Carried`] and `key` to `/station/ruling`, or without
/// a ruling back to `/station/words`.
#[derive(Debug, Clone, Template)]
#[template(path = "station/hand_over.html")]
pub struct HandOverPage {
    pub place: Place,
    pub carried: Carried,
    pub words: Vec<TiledWord>,
    /// The idempotency key: however often it is sent, the slip is ruled once.
    pub key: String,
}

/// Which of the two rulings a page draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RulingLook {
    /// Acceptable.
    Stays,
    /// Unacceptable.
    ComesOff,
}

/// The one ruling for the play, and what it means at the table.
#[derive(Debug, Clone, Template)]
#[template(path = "station/ruling.html")]
pub struct RulingPage {
    pub place: Place,
    pub look: RulingLook,
    /// The table's number; empty where the slip names none.
    pub table: String,
    /// The slip's number in the tournament, from 1.
    pub slip_number: u64,
    /// As entered and recorded, every one drawn alike.
    pub words: Vec<TiledWord>,
    /// The lexicon recorded with this ruling.
    pub lexicon: LexiconName,
    /// Whose move it is and what becomes of the play, in a sentence.
    /// None for a free look-up.
    pub instruction: Option<String>,
    /// Who gains or loses how much; `None` where no points change hands.
    pub points: Option<String>,
    /// After how many seconds the page gives way to the first; 0 is never.
    pub clear_s: u32,
}

/// No ruling was given: why not, what to do, whom to call.
#[derive(Debug, Clone, Template)]
#[template(path = "station/cannot_judge.html")]
pub struct CannotJudgePage {
    pub place: Place,
    /// The reason in a line: `No lexicon is loaded for this division`.
    pub title: String,
    /// What the players do now, a step a line.
    pub steps: Vec<String>,
    /// Who mends it: `Call a judge` or `Call the director`.
    pub call: String,
    /// The slip's number where one was recorded and waits for a judge.
    pub slip_number: Option<u64>,
    /// Where asking again may help: the very same request.
    pub retry: Option<Retry>,
}

/// A request for a ruling that may be sent once more under its own key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retry {
    pub carried: Carried,
    /// The words as typed, in slip order.
    pub words: Vec<String>,
    pub key: String,
}

/// This browser is no station of any tournament.
#[derive(Debug, Clone, Template)]
#[template(path = "station/not_a_station.html")]
pub struct NotAStationPage {
    /// Says whether `/pair` takes a code now.
    pub can_pair: bool,
}

/// A page that is not there, not allowed or not understood.
#[derive(Debug, Clone, Template)]
#[template(path = "problem.html")]
pub struct ProblemPage {
    /// Named where the browser is a station, so that its lexicon stays in sight.
    pub place: Option<Place>,
    /// The HTTP status: 404.
    pub status: u16,
    pub title: String,
    /// What to do now, in a sentence.
    pub detail: String,
}

/// The front door.
#[derive(Debug, Clone, Template)]
#[template(path = "home.html")]
pub struct HomePage {
    /// Whether nobody can use the server yet.
    pub is_new: bool,
    /// Whether this browser is a station.
    pub has_station: bool,
    /// The name of whoever signed in.
    pub signed_in: Option<String>,
    /// Every lexicon that is active on this server.
    pub lexica: Vec<LexiconName>,
    /// The program's version: `0.1.0`.
    pub version: String,
}

/// Why and how a device trusts this server.
#[derive(Debug, Clone, Template)]
#[template(path = "trust.html")]
pub struct TrustPage {
    pub wire: TrustWire,
    /// Every address of the server.
    pub urls: Vec<String>,
    /// The page's address for a camera; none where no other device reaches the server.
    pub scanned: Option<String>,
}

/// How the server speaks. Fingerprints are in groups of digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrustWire {
    Plain,
    /// By a certificate that somebody else issued: its fingerprint.
    Own {
        fingerprint: Vec<String>,
    },
    /// By the venue's authority: its fingerprint.
    Venue {
        fingerprint: Vec<String>,
    },
}
