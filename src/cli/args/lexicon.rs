//! The arguments of `lexicon` and `check`.

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};

use crate::domain::Lengths;
use crate::lexicon::import::{AllowedReject, parse_lengths};

use super::Output;

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
    /// Import a word list: one word a line, plain UTF-8 text
    #[command(after_help = example!(
        "adjudge lexicon import CSW24.txt --id CSW24 --expect-words 280887"
    ))]
    Import(Box<Import>),
    /// List the lexicons
    #[command(after_help = example!("adjudge lexicon list", "adjudge lexicon list --json"))]
    List(Output),
    /// Show the details of a lexicon
    #[command(after_help = example!("adjudge lexicon info CSW24"))]
    Info {
        /// The lexicon's id
        id: String,
        #[command(flatten)]
        output: Output,
    },
    /// Check a lexicon's index byte for byte; exit 0 whole, 1 damaged
    #[command(after_help = example!("adjudge lexicon verify CSW24"))]
    Verify {
        /// The lexicon's id
        id: String,
        #[command(flatten)]
        output: Output,
    },
    /// Change the first day on which a lexicon may be used; recorded
    #[command(after_help = example!(
        "adjudge lexicon effective CSW24 --from 2027-01-01 --reason 'new edition'"
    ))]
    Effective(SetEffective),
}

#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("day").required(true).args(["from", "always"])))]
pub struct SetEffective {
    /// The lexicon's id
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
    #[command(flatten)]
    pub output: Output,
}

#[derive(Debug, clap::Args)]
pub struct Import {
    /// The word list
    pub file: PathBuf,
    /// The lexicon's id: letters, digits, . _ -
    #[arg(long, value_name = "ID")]
    pub id: String,
    /// The title that people read [default: the id]
    #[arg(long)]
    pub title: Option<String>,
    /// The edition that people read, like 2024
    #[arg(long, default_value = "", hide_default_value = true)]
    pub edition: String,
    /// The language as a BCP 47 tag, like en [default: the alphabet's]
    #[arg(long, value_name = "TAG")]
    pub language: Option<String>,
    /// A shipped alphabet or the path of an alphabet file
    #[arg(long, default_value = "english", value_name = "NAME|FILE")]
    pub alphabet: String,
    /// The word lengths that the list covers, within 2-60: a word of these lengths that is not in it is unacceptable
    #[arg(long, default_value = "2-15", value_parser = parse_lengths)]
    pub lengths: Lengths,
    /// The first day on which it may be used, like 2027-01-01
    #[arg(long, value_name = "DATE")]
    pub effective_from: Option<String>,
    /// Refuse the list unless it has exactly this many words
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
    /// Import a list of 1000 words or more even if it has no word of some length that it covers
    #[arg(long)]
    pub allow_gaps: bool,
    /// The format of the file
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
    /// Read and report, but store nothing
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Format {
    Text,
}
