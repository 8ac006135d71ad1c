//! The log: lines on standard error, written by a thread of their own. A caller never waits for a line: if standard
//! error is not read, or its disk is full, lines are dropped and counted, and rulings continue.

use std::io::{self, IsTerminal as _};
use std::panic;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::task::JoinHandle;
use tracing_appender::non_blocking::{ErrorCounter, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;

use crate::config::LOG_LEVELS;

/// How many lines may wait to be written. At about 200 bytes a line they take 2 MB.
const MAX_WAITING_LINES: usize = 8192;

/// How often the log reports dropped lines.
const REPORT_INTERVAL: Duration = Duration::from_secs(5);

/// The log cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    #[error("{0:?} is no log level: choose error, warn, info or debug")]
    UnknownLevel(String),
    #[error("the log is already started")]
    AlreadyStarted,
}

/// A running log. When it is dropped, it writes the waiting lines, for a second at most.
#[derive(Debug)]
pub struct Log {
    dropped: DroppedLines,
    reporter: JoinHandle<()>,
    _writer: WorkerGuard,
}

/// The number of log lines that were dropped because standard error was not read.
#[derive(Clone, Debug)]
pub struct DroppedLines(ErrorCounter);

impl DroppedLines {
    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.dropped_lines() as u64
    }
}

impl Log {
    /// Starts the log of this process, at a level. Standard output is reserved for the results of commands.
    ///
    /// # Errors
    /// [`LogError`] names the valid levels.
    pub fn start(level: &str) -> Result<Self, LogError> {
        if !LOG_LEVELS.contains(&level) {
            return Err(LogError::UnknownLevel(level.to_owned()));
        }
        // Of the libraries only warnings and errors: their debug lines show statements and addresses.
        let filter = EnvFilter::new(format!("warn,adjudge={level}"));
        let queue =
            NonBlockingBuilder::default().lossy(true).buffered_lines_limit(MAX_WAITING_LINES).thread_name("log");
        let (lines, writer) = queue.finish(io::stderr());
        let dropped = DroppedLines(lines.error_counter());
        tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_writer(lines)
            .with_ansi(io::stderr().is_terminal())
            .try_init()
            .map_err(|_| LogError::AlreadyStarted)?;
        // The default hook writes to standard error itself, and would wait for its reader.
        panic::set_hook(Box::new(|panic| tracing::error!(%panic, "a task panicked")));
        let reporter = tokio::spawn(report_dropped(dropped.clone()));
        Ok(Self { dropped, reporter, _writer: writer })
    }

    #[must_use]
    pub fn dropped(&self) -> DroppedLines {
        self.dropped.clone()
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        self.reporter.abort();
    }
}

/// Logs how many lines were dropped, once standard error is read again. If this line is dropped as well, the count
/// grows and the next report has it.
async fn report_dropped(dropped: DroppedLines) {
    let mut reported = 0;
    loop {
        tokio::time::sleep(REPORT_INTERVAL).await;
        let lines = dropped.count();
        if lines > reported {
            tracing::warn!(lines, "the log is not read fast enough: lines of it were dropped, so many since the start");
            reported = lines;
        }
    }
}

/// Admits one line a second, for lines that a storm of requests would repeat.
#[derive(Debug, Default)]
pub struct OncePerSecond {
    /// The second after the one of the last admitted line.
    next: AtomicU64,
    skipped: AtomicU64,
}

impl OncePerSecond {
    #[must_use]
    pub const fn new() -> Self {
        Self { next: AtomicU64::new(0), skipped: AtomicU64::new(0) }
    }

    /// Whether a line may be written at a moment of the monotonic clock; gives the number of lines that were suppressed
    /// since the last one.
    pub fn admit(&self, now: Duration) -> Option<u64> {
        let second = now.as_secs();
        let next = self.next.load(Ordering::Relaxed);
        let is_first = second >= next
            && self.next.compare_exchange(next, second + 1, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        if is_first {
            return Some(self.skipped.swap(0, Ordering::Relaxed));
        }
        self.skipped.fetch_add(1, Ordering::Relaxed);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_a_second_is_admitted_with_the_number_of_suppressed_lines() {
        let lines = OncePerSecond::new();
        let admitted: Vec<_> = (0..40).map(|tenth| lines.admit(Duration::from_millis(tenth * 100))).collect();
        let seconds: Vec<_> = admitted.iter().step_by(10).copied().collect();
        assert_eq!(seconds, [Some(0), Some(9), Some(9), Some(9)]);
        assert_eq!(admitted.iter().flatten().count(), 4);
    }
}
