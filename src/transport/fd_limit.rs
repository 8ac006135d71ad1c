//! The limit on open files: every connection takes one file descriptor, and many systems allow 1024 by default.

use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// The descriptors that the server needs besides connections: database, lexica, log.
const OWN_FILES: u64 = 128;

/// Raises the limit on open files to what this many connections need. If the system refuses, the server still works:
/// connections beyond the limit wait until others have ended.
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
