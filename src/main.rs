//! The program: reads what was said on the command line and does it.

use std::process::ExitCode;

use adjudge::cli;

fn main() -> ExitCode {
    cli::run()
}
