//! The arguments of `ledger` and `recheck`.

use std::path::PathBuf;

use clap::Subcommand;

use super::Output;

#[derive(Debug, clap::Args)]
pub struct RecheckSlips {
    /// The tournament's id
    #[arg(long, value_name = "ID")]
    pub tournament: String,
    /// The lexicon to compare with
    #[arg(long, value_name = "ID")]
    pub lexicon: String,
    /// Slips of this division only
    #[arg(long, value_name = "ID")]
    pub division: Option<String>,
    /// Slips filed at this time or later, like 2026-11-29 or 2026-11-29T09:12:00Z
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Debug, Subcommand)]
pub enum LedgerCommand {
    /// Check every entry, hash and signature; exit 0 whole, 1 broken
    #[command(after_help = example!("adjudge ledger verify", "adjudge ledger verify --checkpoint server.checkpoint"))]
    Verify {
        /// Check this log only [default: all]
        #[arg(long, value_name = "LOG")]
        log: Option<String>,
        /// A checkpoint that was kept elsewhere, to compare with; may be repeated
        #[arg(long = "checkpoint", value_name = "FILE")]
        checkpoints: Vec<PathBuf>,
        /// Check an export instead of the database
        #[arg(long, value_name = "FOLDER")]
        export: Option<PathBuf>,
    },
    /// Write logs, checkpoints and verifier keys as files
    #[command(after_help = example!("adjudge ledger export ./export", "adjudge ledger export --log lagos ./export"))]
    Export {
        /// Export this log only [default: all]
        #[arg(long, value_name = "LOG")]
        log: Option<String>,
        /// The folder for the files; it is made if it is missing
        folder: PathBuf,
    },
    /// Print the newest checkpoint, to keep it elsewhere
    #[command(after_help = example!("adjudge ledger checkpoint --log lagos"))]
    Checkpoint {
        /// The log
        #[arg(long, default_value = "server", value_name = "LOG")]
        log: String,
    },
}
