//! The command line. Exit codes: 0 done, 1 the answer is no, 2 could not do it, 70 the storage failed while
//! serving.

mod args;
mod check;
mod clock;
mod demo;
mod division;
mod export;
mod healthcheck;
mod ledger;
mod lexicon;
mod named;
mod recheck;
mod restore;
mod ruleset;
mod serve;
mod staff;
mod station;
mod token;
mod tournament;

use std::fmt::Display;
use std::io::{self, Write as _};
use std::process::ExitCode;

use crate::config::{Config, RawConfig};
use crate::domain::ledger::Actor;
use crate::store::{CheckpointCopies, DataDir, Ledger};
use crate::system::System;
use crate::transport::CertificateSource;

use args::{Args, Command};

/// A command was carried out, or its answer is no.
pub enum Outcome {
    Done,
    No,
    /// `serve` stopped itself after a storage fault.
    Broken,
}

/// The context that every command gets.
pub struct Context {
    pub config: Config,
    pub folder: DataDir,
    pub system: System,
}

impl Context {
    /// The folders for copies of checkpoints outside the database.
    fn checkpoint_copies(&self) -> CheckpointCopies {
        CheckpointCopies::at(self.folder.checkpoints(), self.config.checkpoint_dir.clone())
    }

    /// The venue's own certificates.
    fn venue(&self) -> CertificateSource {
        CertificateSource::VenueCa(self.config.data.join("tls"))
    }

    /// Opens the existing ledger.
    async fn ledger(&self) -> anyhow::Result<Ledger> {
        Ok(self.folder.open().await?)
    }
}

/// The person at the machine, as the ledger names them.
fn operator() -> Actor {
    Actor { id: "cli".to_owned(), name: "command line".to_owned(), role: "operator".to_owned() }
}

/// Prints a problem on standard error. Standard error may be a file on a disk that failed: then only the exit code is
/// left, and it must still be right.
fn complain(what: impl Display) {
    let _ = writeln!(io::stderr(), "adjudge: {what}");
}

/// Runs the command line.
#[must_use]
pub fn run() -> ExitCode {
    let outcome = match Args::read() {
        Ok(args) => carry_out(args),
        Err(stop) => return stop.report(),
    };
    match outcome {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::No) => ExitCode::from(1),
        Ok(Outcome::Broken) => ExitCode::from(70),
        Err(error) => {
            complain(with_causes(&error));
            ExitCode::from(2)
        }
    }
}

/// An error and its causes, each once: some errors have their cause in their own text.
fn with_causes(error: &anyhow::Error) -> String {
    error
        .chain()
        .map(ToString::to_string)
        .reduce(|told, cause| if told.contains(&cause) { told } else { format!("{told}: {cause}") })
        .unwrap_or_default()
}

fn carry_out(args: Args) -> anyhow::Result<Outcome> {
    let default_data = if matches!(args.command, Command::Demo { .. }) { "./demo-data" } else { "./data" };
    let server = args.command.server_options();
    let raw = RawConfig {
        data: args.data,
        listen: server.address.listen,
        log: server.log_level,
        database_url: args.database_url,
        mdns: server.mdns,
    };
    let config = Config::resolve(raw, default_data)?;
    let folder = match &config.database_url {
        Some(url) => DataDir::with_database(&config.data, url)?,
        None => DataDir::at(&config.data),
    };
    let context = Context { folder, config, system: System::Real };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(dispatch(context, args.command))
}

async fn dispatch(context: Context, command: Command) -> anyhow::Result<Outcome> {
    match command {
        Command::Init { join } => serve::init(&context, join.as_deref()).await,
        Command::Serve { tls, .. } => serve::serve(&context, tls).await,
        Command::Demo { .. } => demo::demo(&context).await,
        Command::Restore => restore::run(&context).await,
        Command::Healthcheck { .. } => healthcheck::run(&context).await,
        Command::Check(asked) => check::check(&context, &asked).await,
        Command::Lexicon(command) => lexicon::run(&context, command).await,
        Command::Ruleset(command) => ruleset::run(&context, command).await,
        Command::Division(command) => division::run(&context, command).await,
        Command::Tournament(command) => tournament::run(&context, command).await,
        Command::Staff(command) => staff::run(&context, command).await,
        Command::Station(command) => station::run(&context, command).await,
        Command::Token(command) => token::run(&context, command).await,
        Command::Recheck(asked) => recheck::run(&context, &asked).await,
        Command::Clock(command) => clock::run(&context, &command).await,
        Command::Ledger(command) => ledger::run(&context, command).await,
    }
}
