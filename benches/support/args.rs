//! What was said after `cargo bench … --`.

use std::str::FromStr;

use anyhow::Context as _;

/// The arguments of a bench.
pub struct Args(Vec<String>);

impl Args {
    /// The arguments of this process, or `None` if no figures are wanted: `cargo test` runs benches
    /// too, and then there is nothing to do.
    pub fn of_bench() -> Option<Self> {
        let args: Vec<String> = std::env::args().skip(1).collect();
        args.iter().any(|arg| arg == "--bench").then_some(Self(args))
    }

    /// Whether a flag like `--long` was given.
    pub fn has(&self, flag: &str) -> bool {
        self.0.iter().any(|arg| arg == flag)
    }

    /// The text after a flag.
    pub fn text(&self, flag: &str) -> Option<&str> {
        let place = self.0.iter().position(|arg| arg == flag)?;
        self.0.get(place + 1).map(String::as_str)
    }

    /// The number after a flag.
    pub fn number<T: FromStr>(&self, flag: &str) -> anyhow::Result<Option<T>>
    where
        T::Err: std::error::Error + Send + Sync + 'static,
    {
        let number = self.text(flag).map(str::parse).transpose();
        number.with_context(|| format!("{flag} takes a number"))
    }
}
