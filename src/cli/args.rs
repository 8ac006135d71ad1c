//! What can be said on the command line.

mod people;

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::builder::BoolishValueParser;
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum};

use crate::domain::Lengths;
use crate::lexicon::import::{AllowedReject, parse_lengths};

pub use people::{StaffCommand, StationCommand, TokenCommand};

/// Word adjudication for Scrabble-style tournaments.
///
/// One ruling for the whole play, written down before it is shown.
#[derive(Debug, Parser)]
#[command(name = "adjudge", version, max_term_width = 100)]
pub struct Args {
    /// The data folder [default: ./data; demo: ./demo-data, whatever the environment says]
    #[arg(long, global = true, env = "ADJUDGE_DATA", value_name = "FOLDER")]
    pub data: Option<PathBuf>,
    /// Where to listen [default: 127.0.0.1:8017]
    #[arg(long, global = true, env = "ADJUDGE_LISTEN", value_name = "ADDRESS")]
    pub listen: Option<SocketAddr>,
    /// How much the server writes to standard error: error, warn, info or debug [default: info]
    #[arg(long, global = true, env = "ADJUDGE_LOG", value_name = "LEVEL")]
    pub log_level: Option<String>,
    #[arg(
        long,
        global = true,
        env = "ADJUDGE_DATABASE_URL",
        hide_env_values = true,
        value_name = "URL",
        help = "The database, postgres://USER@HOST/DATABASE or sqlite://FILE [default: adjudge.db in the data folder]"
    )]
    pub database_url: Option<String>,
    /// Tell the network by multicast DNS that the server is adjudge.local
    #[arg(long, global = true, env = "ADJUDGE_MDNS", value_parser = BoolishValueParser::new())]
    pub mdns: bool,
    #[command(subcommand)]
    pub command: Option<Command>,
}

impl Args {
    /// Reads the command line, or prints why it cannot be read and exits. What the environment says of data folder and
    /// database is a server's: `demo` takes both from the command line alone, so that it never writes to a real ledger.
    #[must_use]
    pub fn read() -> Self {
        Self::from_matches(&Self::command().get_matches()).unwrap_or_else(|error| error.exit())
    }

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
    /// Make ledger and key in an empty data folder
    Init {
        /// Be a further server on a database that holds a ledger, with that ledger's key
        #[arg(long, value_name = "KEYFILE")]
        join: Option<PathBuf>,
    },
    /// Serve (the default); an empty data folder is initialised first
    Serve {
        /// Speak HTTPS, by a certificate of the venue's own CA, which is made once
        #[arg(long)]
        tls: bool,
    },
    /// Serve a ready tournament on the built-in lexicon, to try things out
    Demo,
    /// Look words up by hand; a set-up aid, not a ruling, and nothing is recorded
    Check(Check),
    /// Import and inspect word lists
    #[command(subcommand)]
    Lexicon(LexiconCommand),
    /// Show the rulesets: what each federation attaches to a ruling
    #[command(subcommand)]
    Ruleset(RulesetCommand),
    /// Change divisions
    #[command(subcommand)]
    Division(DivisionCommand),
    /// Create and list tournaments
    #[command(subcommand)]
    Tournament(TournamentCommand),
    /// Add, list, reset and remove directors, judges and observers
    #[command(subcommand)]
    Staff(StaffCommand),
    /// Make stations and judges' devices, and the codes by which they are paired
    #[command(subcommand)]
    Station(StationCommand),
    /// Create, list and revoke tokens
    #[command(subcommand)]
    Token(TokenCommand),
    /// Say which look-ups would come out otherwise in another lexicon; changes nothing, exit 1 where some would
    Recheck(RecheckSlips),
    /// Say that this machine's clock is right
    #[command(subcommand)]
    Clock(ClockCommand),
    /// Verify and export the ledger
    #[command(subcommand)]
    Ledger(LedgerCommand),
    /// Go on with a ledger that lost or changed entries: what lies there is kept, closed and continued
    Restore,
    /// Ask a running server whether it is up; exit 0 or 1
    Healthcheck,
}

#[derive(Debug, clap::Args)]
pub struct Check {
    /// The lexicon's id
    #[arg(long, value_name = "ID")]
    pub lexicon: String,
    /// The words of one play
    #[arg(required = true, value_name = "WORD")]
    pub words: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub enum LexiconCommand {
    /// Read a word list, one word a line, plain UTF-8 text
    Import(Box<Import>),
    /// Show every lexicon
    List {
        #[arg(long)]
        json: bool,
    },
    /// Show all that is known of one lexicon
    Info {
        id: String,
        #[arg(long)]
        json: bool,
    },
    /// Check a lexicon's index byte for byte; exit 0 whole, 1 not
    Verify {
        id: String,
        #[arg(long)]
        json: bool,
    },
    /// Change the day from which a lexicon may be played with; recorded
    Effective(SetEffective),
}

#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("day").required(true).args(["from", "always"])))]
pub struct SetEffective {
    pub id: String,
    /// The first day on which it may be used, like 2027-01-01
    #[arg(long, value_name = "DATE")]
    pub from: Option<String>,
    /// It may be used on any day
    #[arg(long)]
    pub always: bool,
    /// Why the day is changed
    #[arg(long, value_name = "TEXT")]
    pub reason: String,
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, clap::Args)]
pub struct Import {
    /// The word list
    pub file: PathBuf,
    /// A short name: letters, digits, . _ -
    #[arg(long, value_name = "ID")]
    pub id: String,
    /// A title for people [default: the id]
    #[arg(long)]
    pub title: Option<String>,
    #[arg(long, default_value = "")]
    pub edition: String,
    /// The language as a BCP 47 tag [default: the alphabet's]
    #[arg(long)]
    pub language: Option<String>,
    /// A shipped alphabet or an alphabet file
    #[arg(long, default_value = "english", value_name = "NAME|FILE")]
    pub alphabet: String,
    /// The word lengths that the list covers, within 2-60: a word of these lengths that is not in it is unacceptable
    #[arg(long, default_value = "2-15", value_parser = parse_lengths)]
    pub lengths: Lengths,
    /// The first day on which it may be used, like 2027-01-01
    #[arg(long, value_name = "DATE")]
    pub effective_from: Option<String>,
    /// Refuse the list unless it has exactly so many words
    #[arg(long, value_name = "N")]
    pub expect_words: Option<usize>,
    /// Refuse the list unless it has this fingerprint
    #[arg(long, value_name = "HASH")]
    pub expect_fingerprint: Option<String>,
    /// Refuse the list unless it has these words
    #[arg(long, value_delimiter = ',', value_name = "WORD,…")]
    pub must_have: Vec<String>,
    /// Refuse the list if it has any of these words
    #[arg(long, value_delimiter = ',', value_name = "WORD,…")]
    pub must_lack: Vec<String>,
    /// Leave out the first N lines, such as a heading
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub skip_first: usize,
    /// Leave out up to N lines that are no words, at most 5 % of them, or all lines that are rejected for a reason
    /// which the report names, like all-of:hyphen; recorded
    #[arg(long, value_delimiter = ',', value_name = "N|all-of:REASON")]
    pub allow_rejects: Vec<AllowedReject>,
    /// Take a list of 1000 words or more although it has no word of some length that it covers
    #[arg(long)]
    pub allow_gaps: bool,
    /// The form of the file
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
    /// Read and report, but store nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Print the report as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Format {
    Text,
}

#[derive(Debug, Subcommand)]
pub enum RulesetCommand {
    /// Show every ruleset with its edition
    List {
        #[arg(long)]
        json: bool,
    },
    /// Show one ruleset, each value with the rule that it comes from
    Show {
        name: String,
        #[arg(long)]
        json: bool,
    },
    /// Copy a ruleset under a name of your own
    Copy { from: String, name: String },
    /// Change a value of your own ruleset, like unsuccessful.points=10
    Set {
        name: String,
        #[arg(required = true, value_name = "KEY=VALUE")]
        pairs: Vec<String>,
    },
}

#[derive(Debug, clap::Args)]
pub struct RecheckSlips {
    #[arg(long, value_name = "ID")]
    pub tournament: String,
    #[arg(long, value_name = "ID")]
    pub lexicon: String,
    #[arg(long, value_name = "ID")]
    pub division: Option<String>,
    /// Slips that were filed then or later
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
pub enum DivisionCommand {
    /// Change a division, or add one to a tournament; what is not said stays
    Set(SetDivision),
}

#[derive(Debug, clap::Args)]
pub struct SetDivision {
    pub tournament: String,
    pub division: String,
    #[arg(long, value_name = "ID")]
    pub lexicon: Option<String>,
    /// The first day on which it is so, in the tournament's time zone
    #[arg(long, value_name = "DATE")]
    pub from: Option<String>,
    /// The lexicon that a waiver is decided by
    #[arg(long, value_name = "ID")]
    pub second: Option<String>,
    #[arg(long, value_name = "NAME")]
    pub ruleset: Option<String>,
    /// A setting, like points=10; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
    /// Why; needed while a round is open, and recorded
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
    /// Take back all that waits for its day in the division
    #[arg(long)]
    pub cancel: bool,
}

#[derive(Debug, Subcommand)]
pub enum TournamentCommand {
    /// Create a tournament with its divisions
    Create(CreateTournament),
    /// Show every tournament
    List {
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, clap::Args)]
pub struct CreateTournament {
    /// A short name: letters, digits, . _ -
    pub id: String,
    /// A title for people
    #[arg(long)]
    pub title: String,
    /// An IANA time zone for screens
    #[arg(long, default_value = "UTC", value_name = "ZONE")]
    pub time_zone: String,
    /// A division, its lexicon, its ruleset and, where that needs one, its second lexicon; may be repeated
    #[arg(long = "division", required = true, value_name = "DIVISION:LEXICON:RULESET[:SECOND]")]
    pub divisions: Vec<String>,
    /// A setting of a division, like A.points=10, or of the tournament, like `same_judge=true`; may be repeated
    #[arg(long = "set", value_name = "[DIVISION.]KEY=VALUE")]
    pub settings: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub enum ClockCommand {
    /// Confirm the time that this machine's clock shows: entries follow it from now on, also where newest ones are later
    Confirm,
}

#[derive(Debug, Subcommand)]
pub enum LedgerCommand {
    /// Check every entry, hash and signature; exit 0 whole, 1 broken
    Verify {
        /// One log only [default: all]
        #[arg(long, value_name = "LOG")]
        log: Option<String>,
        /// A checkpoint that was kept elsewhere and must fit; may be repeated
        #[arg(long = "checkpoint", value_name = "FILE")]
        checkpoints: Vec<PathBuf>,
        /// Check an export in place of the database
        #[arg(long, value_name = "FOLDER")]
        export: Option<PathBuf>,
    },
    /// Write logs, checkpoints and verifier keys as files
    Export {
        /// One log only [default: all]
        #[arg(long, value_name = "LOG")]
        log: Option<String>,
        folder: PathBuf,
    },
    /// Print the newest checkpoint, to keep it elsewhere
    Checkpoint {
        #[arg(long, default_value = "server", value_name = "LOG")]
        log: String,
    },
}
