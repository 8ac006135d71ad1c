//! The pages of the director's desk.

use askama::Template;

use super::{LexiconLabel, WordList};

/// The director's desk: who and what is there, and what to look at before round 1.
#[derive(Debug, Clone, Template)]
#[template(path = "director/desk.html")]
pub struct DeskPage {
    pub director: String,
    /// What cannot wait, a sentence each with the command to run.
    pub alarms: Vec<Alarm>,
    /// Why the machine's clock is not believed.
    pub clock: Option<String>,
    /// What waits for its day, a division each.
    pub waiting: Vec<WaitingDivision>,
    pub checks: Vec<Check>,
    /// Whose round 1 is still to be opened.
    pub unopened: Vec<UnopenedDivision>,
    pub played: Vec<PlayedRow>,
    /// How many slips are in question.
    pub questions: usize,
    pub devices: Vec<DeviceRow>,
    /// How many of them nothing was ever paired as.
    pub unpaired: usize,
    pub staff: Vec<StaffRow>,
    /// Those the director directs.
    pub tournaments: Vec<TournamentChoice>,
    /// As many devices as a sheet of codes has at most.
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
    /// None where it is not open.
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
    /// What shows it, on the server's machine.
    pub command: String,
}

/// A division in which something waits for its day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingDivision {
    pub tournament: String,
    pub division: String,
    /// A field each, with its new value and the day.
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

/// A pairing code, once.
#[derive(Debug, Clone, Template)]
#[template(path = "director/code.html")]
pub struct CodePage {
    pub label: String,
    pub code: String,
    /// Of this server, as the device will call it.
    pub address: String,
    /// The address in figures, where the other is a name.
    pub also: Option<String>,
    /// The address with the code, as an SVG.
    pub picture: String,
    pub is_for_sheet: bool,
    pub is_this_machine: bool,
}

/// A sheet of pairing codes to be printed, once.
#[derive(Debug, Clone, Template)]
#[template(path = "director/sheet.html")]
pub struct SheetPage {
    /// The tournament's title.
    pub tournament: String,
    /// What all of them are.
    pub kind: &'static str,
    /// Separated by blanks; empty for all.
    pub divisions: String,
    pub hall: String,
    /// Of this server, as the devices will call it.
    pub address: String,
    /// The address in figures, where the other is a name.
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

/// A PIN or passphrase, once.
#[derive(Debug, Clone, Template)]
#[template(path = "director/secret.html")]
pub struct SecretPage {
    pub name: String,
    pub secret: String,
    pub is_pin: bool,
}
