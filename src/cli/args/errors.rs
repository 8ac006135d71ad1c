//! The output for a command line that runs no command.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::Command;
use clap::error::ErrorKind;

use crate::cli::complain;

/// Why no command runs.
#[derive(Debug)]
pub enum Stop {
    /// Help or version, which the user requested.
    Help(String),
    /// What is wrong.
    Wrong(String),
}

impl Stop {
    /// Rewrites a parser's error in this program's words.
    pub(super) fn new(error: &clap::Error, root: &Command, typed: &[OsString]) -> Self {
        let rendered = error.render().to_string();
        match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Self::Help(rendered),
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
                let name = name_of(root, typed);
                Self::Wrong(format!("{name} needs a command\nhelp: {name} --help"))
            }
            _ => Self::Wrong(in_two_lines(&rendered, &name_of(root, typed))),
        }
    }

    /// Prints the help or the error.
    pub fn report(self) -> ExitCode {
        match self {
            Self::Help(text) => {
                // Standard output may be closed; the exit code is still right.
                let _ = io::stdout().write_all(text.as_bytes());
                ExitCode::SUCCESS
            }
            Self::Wrong(what) => {
                complain(what);
                ExitCode::from(2)
            }
        }
    }
}

/// The full name of the command that was typed: `adjudge token create`.
fn name_of(root: &Command, typed: &[OsString]) -> String {
    let (mut command, mut name) = (root, "adjudge".to_owned());
    for word in typed.iter().skip(1) {
        if let Some(found) = word.to_str().and_then(|word| command.find_subcommand(word)) {
            command = found;
            name = format!("{name} {}", found.get_name());
        }
    }
    name
}

/// An error in the form of this program's other errors: what is wrong, then where the help is.
fn in_two_lines(rendered: &str, name: &str) -> String {
    let lines = || rendered.lines().map(str::trim);
    let what = lines().take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    let tips: String = lines().filter_map(|line| line.strip_prefix("tip: ")).map(|tip| format!("; {tip}")).collect();
    format!("{}{tips}\nhelp: {name} --help", what.strip_prefix("error: ").unwrap_or(&what))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::Args;

    fn message_for(typed: &str) -> String {
        let typed: Vec<OsString> = typed.split(' ').map(Into::into).collect();
        match Args::try_read(&typed).unwrap_err() {
            Stop::Wrong(what) => what,
            Stop::Help(text) => panic!("{text}"),
        }
    }

    #[test]
    fn an_invalid_command_line_gets_an_error_of_two_lines() {
        assert_eq!(
            message_for("adjudge token create --role king"),
            "invalid value 'king' for '--role <ROLE>': write station, judge, director, observer or client\n\
             help: adjudge token create --help"
        );
        assert_eq!(
            message_for("adjudge serve --liste 8017"),
            "unexpected argument '--liste' found; a similar argument exists: '--listen'\nhelp: adjudge serve --help"
        );
        assert_eq!(
            message_for("adjudge tournament create lagos"),
            "the following required arguments were not provided: --title <TITLE> \
             --division <DIVISION:LEXICON:RULESET[:SECOND]>\nhelp: adjudge tournament create --help"
        );
        assert_eq!(
            message_for("adjudge tournament"),
            "adjudge tournament needs a command\nhelp: adjudge tournament --help"
        );
        assert_eq!(message_for("adjudge --data d"), "adjudge needs a command\nhelp: adjudge --help");
        assert!(
            message_for("adjudge tournament list --listen 8017").starts_with("unexpected argument '--listen' found")
        );
    }
}
