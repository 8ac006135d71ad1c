//! The arguments of the command line, each with its help, and an example for each command.

/// The end of a command's help: lines that can be typed as they are.
macro_rules! example {
    ($($line:literal),+) => { concat!("Example:" $(, "\n  ", $line)+) };
}

mod errors;
mod ledger;
mod lexicon;
mod people;
mod server;
mod setup;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

pub use errors::Stop;
pub use ledger::{LedgerCommand, RecheckSlips};
pub use lexicon::{Check, Format, Import, LexiconCommand, SetEffective};
pub use people::{NameInTournament, StaffCommand, StationCommand, TokenCommand};
pub use server::ServerOptions;
pub use setup::{CreateTournament, DivisionCommand, RulesetCommand, SetDivision, TournamentCommand};

/// Word adjudication for Scrabble-style tournaments.
///
/// One ruling for the whole play, recorded before it is shown.
#[derive(Debug, Parser)]
#[command(
    name = "adjudge",
    version,
    max_term_width = 100,
    after_help = example!("adjudge demo", "adjudge serve --listen 0.0.0.0:8017", "adjudge tournament create --help")
)]
pub struct Args {
    /// The data folder [default: ./data; demo: ./demo-data, whatever the environment says]
    #[arg(long, global = true, env = "ADJUDGE_DATA", value_name = "FOLDER", help_heading = "Where the ledger is")]
    pub data: Option<PathBuf>,
    #[arg(
        long,
        global = true,
        env = "ADJUDGE_DATABASE_URL",
        hide_env_values = true,
        value_name = "URL",
        help_heading = "Where the ledger is",
        help = "The database: postgres://USER@HOST/DATABASE or sqlite://FILE [default: adjudge.db in the data folder]"
    )]
    pub database_url: Option<String>,
    #[command(subcommand)]
    pub command: Command,
}

impl Args {
    /// Reads the command line.
    ///
    /// # Errors
    /// [`Stop`]: help or version was requested, or the command line is wrong.
    pub fn read() -> Result<Self, Stop> {
        let typed: Vec<OsString> = std::env::args_os().collect();
        if typed.len() < 2 {
            return Err(Stop::Help(Self::command().render_long_help().to_string()));
        }
        Self::try_read(&server::options_after_command(typed))
    }

    fn try_read(typed: &[OsString]) -> Result<Self, Stop> {
        let matches = Self::command().try_get_matches_from(typed);
        matches
            .and_then(|matches| Self::from_matches(&matches))
            .map_err(|error| Stop::new(&error, &Self::command(), typed))
    }

    /// The data folder and database in the environment belong to a server: `demo` takes both from the command line
    /// alone, so that it never writes to a real ledger.
    fn from_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let args = Self::from_arg_matches(matches)?;
        let Some((name, of_command)) = matches.subcommand() else { return Ok(args) };
        let is_typed = |id: &str| {
            [matches, of_command].iter().any(|level| level.value_source(id) == Some(ValueSource::CommandLine))
        };
        if name != "demo" {
            return Ok(args);
        }
        Ok(Self {
            data: args.data.filter(|_| is_typed("data")),
            database_url: args.database_url.filter(|_| is_typed("database_url")),
            ..args
        })
    }
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make a ledger and its signing key in an empty data folder
    #[command(after_help = example!("adjudge init", "adjudge init --data /srv/adjudge"))]
    Init {
        /// Serve the database of another server too: the signing key of its ledger
        #[arg(long, value_name = "KEYFILE")]
        join: Option<PathBuf>,
    },
    /// Serve; an empty data folder is initialised first
    #[command(after_help = example!("adjudge serve --listen 0.0.0.0:8017", "adjudge serve --tls --listen 0.0.0.0:8017"))]
    Serve {
        #[command(flatten)]
        server: ServerOptions,
        /// Serve HTTPS, with a certificate of the venue's own CA, which is made once
        #[arg(long)]
        tls: bool,
    },
    /// Serve a ready tournament on the built-in lexicon, to try the program
    #[command(after_help = example!("adjudge demo", "adjudge demo --data /tmp/demo --listen 8020"))]
    Demo {
        #[command(flatten)]
        server: ServerOptions,
    },
    /// Look words up; a set-up aid, not a ruling, and nothing is recorded
    #[command(after_help = example!("adjudge check --lexicon wordnik CAT QI"))]
    Check(Check),
    /// Import and inspect lexicons
    #[command(subcommand, after_help = example!("adjudge lexicon list"))]
    Lexicon(LexiconCommand),
    /// Show, copy and change rulesets
    #[command(subcommand, after_help = example!("adjudge ruleset show wespa"))]
    Ruleset(RulesetCommand),
    /// Change divisions
    #[command(subcommand, after_help = example!("adjudge division set lagos A --set points=10"))]
    Division(DivisionCommand),
    /// Create and list tournaments
    #[command(subcommand, after_help = example!("adjudge tournament list"))]
    Tournament(TournamentCommand),
    /// Add, list, reset and remove directors, judges and observers
    #[command(subcommand, after_help = example!("adjudge staff add 'Ada Obi' --role judge --tournament lagos"))]
    Staff(StaffCommand),
    /// Make stations and judges' devices, and the codes that pair them
    #[command(subcommand, after_help = example!("adjudge station create 'Station 1' --tournament lagos"))]
    Station(StationCommand),
    /// Create, list and revoke tokens for other programs
    #[command(subcommand, after_help = example!("adjudge token list"))]
    Token(TokenCommand),
    /// List the look-ups that would differ under another lexicon; exit 0 none, 1 some; changes nothing
    #[command(after_help = example!("adjudge recheck --tournament lagos --lexicon CSW24"))]
    Recheck(RecheckSlips),
    /// Confirm that this machine's clock is right
    #[command(subcommand, after_help = example!("adjudge clock confirm"))]
    Clock(ClockCommand),
    /// Verify and export the ledger
    #[command(subcommand, after_help = example!("adjudge ledger verify"))]
    Ledger(LedgerCommand),
    /// Continue a ledger that lost or changed entries; what is there is kept as it is
    #[command(after_help = example!("adjudge restore"))]
    Restore,
    /// Ask a running server whether it is up; exit 0 yes, 1 no
    #[command(after_help = example!("adjudge healthcheck", "adjudge healthcheck --listen 127.0.0.1:8017"))]
    Healthcheck {
        #[command(flatten)]
        server: server::ServerAddress,
    },
}

impl Command {
    /// The options of a command that serves, or that queries a server; no other command has any.
    pub fn server_options(&self) -> ServerOptions {
        match self {
            Self::Serve { server, .. } | Self::Demo { server } => server.clone(),
            Self::Healthcheck { server } => ServerOptions { address: server.clone(), ..ServerOptions::default() },
            _ => ServerOptions::default(),
        }
    }
}

#[derive(Debug, Subcommand)]
pub enum ClockCommand {
    /// Confirm the time of this machine's clock: new entries take it from now on, even if the newest entry is later
    #[command(after_help = example!("adjudge clock confirm"))]
    Confirm,
}

/// How a command prints its answer.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Output {
    /// Print JSON, for programs
    #[arg(long)]
    pub json: bool,
}
