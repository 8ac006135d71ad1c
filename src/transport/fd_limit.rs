//! Every connection takes one of the files that a process may have open, and many systems allow 1024 by default.

use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// What the server needs beside connections: database, lexica, log.
const OWN_FILES: u64 = 128;

/// Asks the system for as many files as so many connections need. Where it does not give them the server works all the
/// same: connections beyond then wait until others have ended.
pub fn raise_fd_limit(connections: usize) {
    let wanted = u64::try_from(connections).unwrap_or(u64::MAX).saturating_add(OWN_FILES);
    let Ok((now, most)) = getrlimit(Resource::RLIMIT_NOFILE) else { return };
    if now >= wanted {
        return;
    }
    let raised = wanted.min(most);
    let is_raised = setrlimit(Resource::RLIMIT_NOFILE, raised, most).is_ok();
    if !is_raised || raised < wanted {
        let allowed = if is_raised { raised } else { now };
        tracing::warn!(
            allowed,
            wanted,
            "the system allows too few open files for max_connections; raise its limit (ulimit -n) or lower the setting"
        );
    }
}
