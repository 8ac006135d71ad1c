//! What `scripts/faults` breaks on purpose to prove that it would notice. Without the cargo feature `fault-injection`,
//! which is off by default, nothing here does anything.

use sqlx::sqlite::SqliteSynchronous;

/// FULL: each commit is synced.
pub(super) fn synchronous() -> SqliteSynchronous {
    if is_asked("ADJUDGE_FAULT_SYNCHRONOUS") { SqliteSynchronous::Normal } else { SqliteSynchronous::Full }
}

/// Whether a setting that did not take effect is ignored.
pub(super) fn is_unchecked() -> bool {
    is_asked("ADJUDGE_FAULT_UNCHECKED")
}

/// How much memory the engine may take, in bytes.
pub(super) fn heap_bytes() -> Option<String> {
    std::env::var("ADJUDGE_FAULT_HEAP_BYTES").ok().filter(|_| cfg!(feature = "fault-injection"))
}

/// Whether the reply to each commit is lost while the commit takes place.
pub(super) fn loses_commits() -> bool {
    is_asked("ADJUDGE_FAULT_LOSE_COMMITS")
}

fn is_asked(name: &str) -> bool {
    cfg!(feature = "fault-injection") && std::env::var_os(name).is_some()
}
