//! The arguments of `staff`, `station` and `token`.

use clap::Subcommand;

use crate::domain::Role;

use super::Output;

/// A name that may occur in several tournaments.
#[derive(Debug, clap::Args)]
pub struct NameInTournament {
    /// The name, as `list` shows it
    pub name: String,
    /// The tournament's id, or `server` for all tournaments; needed if several have the name
    #[arg(long, value_name = "ID")]
    pub tournament: Option<String>,
}

#[derive(Debug, Subcommand)]
pub enum StaffCommand {
    /// Add a person; the PIN or passphrase is printed once and not stored
    #[command(after_help = example!(
        "adjudge staff add 'Ada Obi' --role judge --tournament lagos --plays 'Ada Obi'",
        "adjudge staff add 'Chief' --role director --tournament server"
    ))]
    Add {
        /// The person's name
        name: String,
        /// director, judge or observer
        #[arg(long, value_parser = staff_role)]
        role: Role,
        /// The tournament's id, or `server` for all tournaments
        #[arg(long, value_name = "ID")]
        tournament: String,
        /// The name that the person plays under: they decide on no slip of their own
        #[arg(long, value_name = "PLAYER")]
        plays: Option<String>,
    },
    /// List the people who may sign in
    #[command(after_help = example!("adjudge staff list"))]
    List(Output),
    /// Give a person a new PIN or passphrase, and end their sessions
    #[command(after_help = example!("adjudge staff reset 'Ada Obi'"))]
    Reset(NameInTournament),
    /// Remove a person, who can then no longer sign in
    #[command(after_help = example!("adjudge staff remove 'Ada Obi' --tournament lagos"))]
    Remove(NameInTournament),
}

#[derive(Debug, Subcommand)]
pub enum StationCommand {
    /// Make a station and print its pairing code, valid once and for ten minutes
    #[command(after_help = example!(
        "adjudge station create 'Station 1' --tournament lagos --division A",
        "adjudge station create 'Judges 1' --tournament lagos --tablet"
    ))]
    Create {
        /// The label of the device, like "Station 3"
        name: String,
        /// The tournament's id
        #[arg(long, value_name = "ID")]
        tournament: String,
        /// A division that it serves; may be repeated [default: all]
        #[arg(long = "division", value_name = "ID")]
        divisions: Vec<String>,
        /// Where the device stands
        #[arg(long, default_value = "", hide_default_value = true)]
        hall: String,
        /// Make a device at which judges sign in, instead of a station
        #[arg(long)]
        tablet: bool,
        /// Make a code for a printed sheet: valid until it is used, and a director confirms the device
        #[arg(long)]
        sheet: bool,
    },
    /// Print a new code for a device that lost its pairing or its address
    #[command(after_help = example!("adjudge station code 'Station 1'"))]
    Code(NameInTournament),
    /// List the devices and whether they are paired
    #[command(after_help = example!("adjudge station list"))]
    List(Output),
    /// Confirm a device that was paired with a printed code
    #[command(after_help = example!("adjudge station confirm 'Station 1'"))]
    Confirm(NameInTournament),
    /// Unpair a device and remove it, at once
    #[command(after_help = example!("adjudge station revoke 'Station 1' --tournament lagos"))]
    Revoke(NameInTournament),
}

#[derive(Debug, Subcommand)]
pub enum TokenCommand {
    /// Create a token; it is printed once and not stored
    #[command(after_help = example!("adjudge token create --role client --tournament lagos --name 'results desk'"))]
    Create {
        /// station, judge, director, observer or client
        #[arg(long, value_parser = role)]
        role: Role,
        /// The tournament's id
        #[arg(long, value_name = "ID")]
        tournament: String,
        /// The token's name, as the ledger and `list` show it
        #[arg(long)]
        name: String,
        /// How many requests a minute a client may make [default: 60]
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
        per_minute: Option<u32>,
    },
    /// List the tokens, not their secrets
    #[command(after_help = example!("adjudge token list"))]
    List(Output),
    /// Revoke a token at once
    #[command(after_help = example!("adjudge token revoke 'results desk'"))]
    Revoke(NameInTournament),
}

fn staff_role(text: &str) -> Result<Role, String> {
    let role = Role::named(text).filter(|role| !role.speaks_for_players());
    role.ok_or_else(|| "write director, judge or observer".to_owned())
}

fn role(text: &str) -> Result<Role, String> {
    Role::named(text).ok_or_else(|| "write station, judge, director, observer or client".to_owned())
}
