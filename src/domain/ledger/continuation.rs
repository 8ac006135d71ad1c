//! A log that lost or changed an entry is closed as it is, and another continues it: `demo`, then `demo~2`, then
//! `demo~3`. Programs before this one wrote `demo+2`; those logs are read as before. Source: CONTRACT section 6.

use crate::domain::is_id;

/// The characters that separate the name from the number. New names use the first; C2SP forbids the other in the name
/// of a key.
const SEPARATORS: [char; 2] = ['~', '+'];

/// The name that a log shares with its continuations: the tournament's id, or `server`.
///
/// ```
/// # use adjudge::domain::ledger::base_log;
/// assert_eq!((base_log("demo"), base_log("demo~2"), base_log("demo+2")), ("demo", "demo", "demo"));
/// ```
#[must_use]
pub fn base_log(log: &str) -> &str {
    log.split_once(SEPARATORS).map_or(log, |(base_log, _)| base_log)
}

/// The log that continues `log` after it was closed.
///
/// ```
/// # use adjudge::domain::ledger::continuation;
/// assert_eq!((continuation("demo").as_str(), continuation("demo~2").as_str()), ("demo~2", "demo~3"));
/// assert_eq!(continuation("demo+2"), "demo~3");
/// ```
#[must_use]
pub fn continuation(log: &str) -> String {
    format!("{}~{}", base_log(log), ordinal(log).unwrap_or(1).saturating_add(1))
}

/// The log's number among the logs of its name, from 1; `None` where the text is no log's name.
///
/// ```
/// # use adjudge::domain::ledger::ordinal;
/// assert_eq!((ordinal("demo"), ordinal("demo~2"), ordinal("demo+2")), (Some(1), Some(2), Some(2)));
/// assert_eq!((ordinal("demo~1"), ordinal("demo~02")), (None, None));
/// assert_eq!((ordinal("demo (1)~2"), ordinal("de~mo")), (None, None));
/// assert_eq!((ordinal("demo~2~3"), ordinal("demo+2~3"), ordinal("demo~+2")), (None, None, None));
/// ```
#[must_use]
pub fn ordinal(log: &str) -> Option<u32> {
    let Some((base_log, number)) = log.split_once(SEPARATORS) else { return is_id(log).then_some(1) };
    let place: u32 = number.parse().ok()?;
    let is_plain = (2..1_000_000).contains(&place) && place.to_string() == number;
    (is_plain && is_id(base_log)).then_some(place)
}
