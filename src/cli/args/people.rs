//! What can be said of people, devices and tokens.

use clap::Subcommand;

use crate::domain::Role;

#[derive(Debug, Subcommand)]
pub enum StaffCommand {
    /// Add somebody; the PIN or passphrase is printed once and kept nowhere
    Add {
        name: String,
        /// director, judge or observer
        #[arg(long, value_parser = staff_role)]
        role: Role,
        /// A tournament, or `server` for all of them
        #[arg(long, value_name = "ID")]
        tournament: String,
        /// The player that this person is: he rules on no slip of his own
        #[arg(long, value_name = "PLAYER")]
        plays: Option<String>,
    },
    /// Show who may sign in
    List {
        #[arg(long)]
        json: bool,
    },
    /// Give somebody a new PIN or passphrase, and end his sessions
    Reset {
        name: String,
        /// The tournament, or `server` for all of them, where others have people of that name
        #[arg(long, value_name = "ID")]
        tournament: Option<String>,
    },
    /// Somebody may not sign in any more
    Remove {
        name: String,
        /// The tournament, or `server` for all of them, where others have people of that name
        #[arg(long, value_name = "ID")]
        tournament: Option<String>,
    },
}

#[derive(Debug, Subcommand)]
pub enum StationCommand {
    /// Make a station and print the code by which it is paired, good once and for ten minutes
    Create {
        /// Its label, like "Station 3"
        name: String,
        #[arg(long, value_name = "ID")]
        tournament: String,
        /// A division that it serves; may be repeated [default: all]
        #[arg(long = "division", value_name = "ID")]
        divisions: Vec<String>,
        /// Where it stands
        #[arg(long, default_value = "")]
        hall: String,
        /// A device at which judges sign in, in place of a station
        #[arg(long)]
        tablet: bool,
        /// A code for a printed sheet: good until it is used, and a director confirms what shows it
        #[arg(long)]
        sheet: bool,
    },
    /// Print a new code for a device that lost its pairing or its address
    Code {
        name: String,
        /// The tournament, where others have a device of that name
        #[arg(long, value_name = "ID")]
        tournament: Option<String>,
    },
    /// Show every device
    List {
        #[arg(long)]
        json: bool,
    },
    /// Confirm a device that showed a printed code
    Confirm {
        name: String,
        /// The tournament, where others have a device of that name
        #[arg(long, value_name = "ID")]
        tournament: Option<String>,
    },
    /// End a device at once
    Revoke {
        name: String,
        /// The tournament, where others have a device of that name
        #[arg(long, value_name = "ID")]
        tournament: Option<String>,
    },
}

#[derive(Debug, Subcommand)]
pub enum TokenCommand {
    /// Create a token; it is printed once and kept nowhere
    Create {
        #[arg(long, value_parser = role)]
        role: Role,
        #[arg(long, value_name = "ID")]
        tournament: String,
        #[arg(long)]
        name: String,
        /// How many requests a minute a client may make [default: 60]
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
        per_minute: Option<u32>,
    },
    /// Show who holds a token
    List {
        #[arg(long)]
        json: bool,
    },
    /// End a token at once
    Revoke {
        name: String,
        /// The tournament, where others have a token of that name
        #[arg(long, value_name = "ID")]
        tournament: Option<String>,
    },
}

fn staff_role(text: &str) -> Result<Role, String> {
    let role = Role::named(text).filter(|role| !role.speaks_for_players());
    role.ok_or_else(|| "write director, judge or observer".to_owned())
}

fn role(text: &str) -> Result<Role, String> {
    Role::named(text).ok_or_else(|| "write station, judge, director, observer or client".to_owned())
}
