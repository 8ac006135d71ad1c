//! The arguments of `tournament`, `division` and `ruleset`.

use clap::Subcommand;

use super::Output;

#[derive(Debug, Subcommand)]
pub enum RulesetCommand {
    /// List the rulesets and their editions
    #[command(after_help = example!("adjudge ruleset list"))]
    List(Output),
    /// Show a ruleset, each value with the rule that it comes from
    #[command(after_help = example!("adjudge ruleset show wespa"))]
    Show {
        /// The ruleset's name
        name: String,
        #[command(flatten)]
        output: Output,
    },
    /// Copy a ruleset, to change the copy
    #[command(after_help = example!("adjudge ruleset copy wespa club"))]
    Copy {
        /// The ruleset to copy
        from: String,
        /// The name of the copy: letters, digits, . _ -
        name: String,
    },
    /// Change values of a copied ruleset
    #[command(after_help = example!("adjudge ruleset set club unsuccessful.points=10"))]
    Set {
        /// The ruleset's name
        name: String,
        /// A value, like unsuccessful.points=10; may be repeated
        #[arg(required = true, value_name = "KEY=VALUE")]
        pairs: Vec<String>,
    },
}

#[derive(Debug, Subcommand)]
pub enum DivisionCommand {
    /// Change a division, or add one to a tournament; what is not named stays as it is
    #[command(after_help = example!(
        "adjudge division set lagos A --set points=10 --set tables=1-20",
        "adjudge division set lagos A --lexicon CSW24 --from 2027-01-01"
    ))]
    Set(SetDivision),
}

#[derive(Debug, clap::Args)]
pub struct SetDivision {
    /// The tournament's id
    pub tournament: String,
    /// The division's id
    pub division: String,
    /// The lexicon
    #[arg(long, value_name = "ID")]
    pub lexicon: Option<String>,
    /// The first day on which the change holds, in the tournament's time zone [default: at once]
    #[arg(long, value_name = "DATE")]
    pub from: Option<String>,
    /// The second lexicon, which decides about waivers
    #[arg(long, value_name = "ID")]
    pub second: Option<String>,
    /// The ruleset
    #[arg(long, value_name = "NAME")]
    pub ruleset: Option<String>,
    /// A setting, like points=10; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
    /// Why; recorded, and required while a round is open
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
    /// Take back every change of the division that waits for its day
    #[arg(long)]
    pub cancel: bool,
}

#[derive(Debug, Subcommand)]
pub enum TournamentCommand {
    /// Create a tournament and its divisions
    #[command(after_help = example!(
        "adjudge tournament create lagos --title 'Lagos Open' --division A:CSW24:wespa"
    ))]
    Create(CreateTournament),
    /// List the tournaments, their divisions and settings
    #[command(after_help = example!("adjudge tournament list"))]
    List(Output),
}

#[derive(Debug, clap::Args)]
pub struct CreateTournament {
    /// The tournament's id: letters, digits, . _ -
    pub id: String,
    /// The title that people read
    #[arg(long)]
    pub title: String,
    /// The IANA time zone of the times on screens
    #[arg(long, default_value = "UTC", value_name = "ZONE")]
    pub time_zone: String,
    /// A division, its lexicon, its ruleset and, if the ruleset needs one, its second lexicon; may be repeated
    #[arg(long = "division", required = true, value_name = "DIVISION:LEXICON:RULESET[:SECOND]")]
    pub divisions: Vec<String>,
    /// A setting of a division, like A.points=10, or of the tournament, like `same_judge=true`; may be repeated
    #[arg(long = "set", value_name = "[DIVISION.]KEY=VALUE")]
    pub settings: Vec<String>,
}
