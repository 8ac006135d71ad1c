//! The options of the commands that serve.

use std::ffi::OsString;
use std::net::SocketAddr;

use clap::builder::BoolishValueParser;

use crate::config::{LOG_LEVELS, parse_listen};

#[derive(Clone, Debug, Default, clap::Args)]
pub struct ServerAddress {
    /// The server's address and port, like 0.0.0.0:8017 for the whole network; a port alone means this machine
    /// [default: 127.0.0.1:8017]
    #[arg(long, env = "ADJUDGE_LISTEN", value_name = "ADDRESS", value_parser = parse_listen)]
    pub listen: Option<SocketAddr>,
}

#[derive(Clone, Debug, Default, clap::Args)]
pub struct ServerOptions {
    #[command(flatten)]
    pub address: ServerAddress,
    /// How much the server logs on standard error [default: info]
    #[arg(long, env = "ADJUDGE_LOG", value_name = "LEVEL", value_parser = LOG_LEVELS)]
    pub log_level: Option<String>,
    /// Announce the name adjudge.local on the network, by multicast DNS
    #[arg(long, env = "ADJUDGE_MDNS", value_parser = BoolishValueParser::new())]
    pub mdns: bool,
}

/// Moves a server's options from before the command to behind it, where they belong.
pub(super) fn options_after_command(typed: Vec<OsString>) -> Vec<OsString> {
    let mut typed = typed.into_iter();
    let (mut before, mut moved) = (Vec::from_iter(typed.next()), Vec::new());
    while let Some(word) = typed.next() {
        let text = word.to_string_lossy();
        let to = match text.split('=').next() {
            Some("--listen" | "--log-level" | "--mdns") => &mut moved,
            _ => &mut before,
        };
        let takes_value = matches!(&*text, "--listen" | "--log-level" | "--data" | "--database-url");
        let is_command = !text.starts_with('-');
        to.push(word);
        if takes_value {
            to.extend(typed.next());
        }
        if is_command {
            before.append(&mut moved);
            break;
        }
    }
    before.into_iter().chain(moved).chain(typed).collect()
}
