//! The director's pages.

use askama::Template;

use super::{LexiconLabel, WordList};

/// The director's page: people and devices, and what to check before round 1.
#[derive(Debug, Clone, Template)]
#[template(path = "director/desk.html")]
pub struct DeskPage {
    pub director: String,
    /// Urgent alarms, a sentence each with the command to run.
    pub alarms: Vec<Alarm>,
    /// Why the machine's clock is not trusted.
    pub clock: Option<String>,
    /// The divisions with changes that wait for their day.
    pub waiting: Vec<WaitingDivision>,
    pub checks: Vec<Check>,
    /// The divisions whose round 1 is still to be opened.
    pub unopened: Vec<UnopenedDivision>,
    pub played: Vec<PlayedRow>,
    /// How many slips are in question.
    pub questions: usize,
    pub devices: Vec<DeviceRow>,
    /// How many of them were never paired.
    pub unpaired: usize,
    pub staff: Vec<StaffRow>,
    /// The tournaments of the director.
    pub tournaments: Vec<TournamentChoice>,
    /// The maximum number of devices on a sheet of codes.
    pub most_cards: u32,
    pub fault: Option<String>,
}

/// A division in which no round was opened yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnopenedDivision {
    /// The tournament's id.
    pub tournament: String,
    /// The tournament's title.
    pub title: String,
    pub division: String,
}

/// A tournament to choose, with its divisions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TournamentChoice {
    pub id: String,
    pub title: String,
    pub divisions: Vec<String>,
}

/// A check box of a division.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DivisionBox {
    pub id: String,
    pub is_ticked: bool,
}

/// The list that a division plays with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayedRow {
    pub tournament: String,
    pub division: String,
    pub lexicon: LexiconLabel,
    /// `None` if the lexicon is not open.
    pub list: Option<WordList>,
}

/// The slips in question. Posts `ground` to `/director/questions/{id}/keep`, `ruling` and `ground` to `…/rule`.
#[derive(Debug, Clone, Template)]
#[template(path = "director/questions.html")]
pub struct QuestionsPage {
    pub director: String,
    pub slips: Vec<QuestionRow>,
    pub fault: Option<String>,
}

#[derive(Debug, Clone)]
pub struct QuestionRow {
    pub id: String,
    pub number: u64,
    /// Tournament, division, round, table.
    pub place: String,
    pub words: String,
    /// The ruling that stands in the ledger, and who gave it.
    pub recorded: String,
}

/// A log that lost entries, or had them changed, while the server ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alarm {
    pub log: String,
    /// The command that shows it, for the server's machine.
    pub command: String,
}

/// A division in which a change waits for its day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingDivision {
    pub tournament: String,
    pub division: String,
    /// The changed fields, each with its new value and the day.
    pub fields: Vec<String>,
}

/// A line of the pre-flight.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    pub is_good: bool,
    pub text: String,
}

#[derive(Debug, Clone)]
pub struct DeviceRow {
    pub id: String,
    pub label: String,
    pub kind: &'static str,
    /// The tournament's title.
    pub tournament: String,
    /// Separated by blanks; empty for all.
    pub divisions: String,
    /// The tournament's divisions.
    pub boxes: Vec<DivisionBox>,
    pub hall: String,
    pub state: &'static str,
    pub can_confirm: bool,
}

#[derive(Debug, Clone)]
pub struct StaffRow {
    pub id: String,
    pub name: String,
    pub role: String,
    pub tournament: String,
    pub plays: Option<String>,
    pub has_pin: bool,
    pub is_locked: bool,
}

/// A pairing code, shown once.
#[derive(Debug, Clone, Template)]
#[template(path = "director/code.html")]
pub struct CodePage {
    pub label: String,
    pub code: String,
    /// The server's address, as the device will use it.
    pub address: String,
    /// The numeric address, if the other one is a name.
    pub also: Option<String>,
    /// The address with the code, as an SVG.
    pub picture: String,
    pub is_for_sheet: bool,
    pub is_this_machine: bool,
}

/// A sheet of pairing codes to print, shown once.
#[derive(Debug, Clone, Template)]
#[template(path = "director/sheet.html")]
pub struct SheetPage {
    /// The tournament's title.
    pub tournament: String,
    /// The kind of all these devices.
    pub kind: &'static str,
    /// Separated by blanks; empty for all.
    pub divisions: String,
    pub hall: String,
    /// The server's address, as the devices will use it.
    pub address: String,
    /// The numeric address, if the other one is a name.
    pub also: Option<String>,
    pub is_this_machine: bool,
    pub cards: Vec<Card>,
}

/// One device of a sheet.
#[derive(Debug, Clone)]
pub struct Card {
    pub label: String,
    pub code: String,
    /// The address with the code, as an SVG.
    pub picture: String,
}

/// A PIN or passphrase, shown once.
#[derive(Debug, Clone, Template)]
#[template(path = "director/secret.html")]
pub struct SecretPage {
    pub name: String,
    pub secret: String,
    pub is_pin: bool,
}
