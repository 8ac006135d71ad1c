//! The program: reads what was said on the command line and does it.

use std::process::ExitCode;

use adjudge::cli;

/// A slip takes some hundred small pieces of memory on one thread and gives them back on another. That was a quarter of
/// the server's time with the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    cli::run()
}
