//! A log that lost or changed an entry is closed as it lies, and another goes on with it: `demo`, then
//! `demo+2`, then `demo+3`. Source: CONTRACT section 6.

/// The name that a log shares with its continuations: the tournament's id, or `server`.
///
/// ```
/// # use adjudge::domain::ledger::family;
/// assert_eq!((family("demo"), family("demo+2")), ("demo", "demo"));
/// ```
#[must_use]
pub fn family(log: &str) -> &str {
    log.split_once('+').map_or(log, |(family, _)| family)
}

/// The log that goes on where `log` was closed.
///
/// ```
/// # use adjudge::domain::ledger::continuation;
/// assert_eq!((continuation("demo").as_str(), continuation("demo+2").as_str()), ("demo+2", "demo+3"));
/// ```
#[must_use]
pub fn continuation(log: &str) -> String {
    let (family, number) = log.split_once('+').unwrap_or((log, "1"));
    format!("{family}+{}", number.parse::<u64>().map_or(2, |number| number + 1))
}
