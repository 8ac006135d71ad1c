//! CPU time: of the measured processes, and of all other processes in the same period.
//!
//! A figure is valid only if no other process used the machine, so each cell prints its *foreign
//! share*: of all the CPU time that the machine could give, the part that went to processes other than
//! the bench, its children and the database server, or was stolen by the host. The kernel's own threads
//! count as foreign too. A cell with more than a few percent is to be measured again.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::{Duration, Instant};

/// The kernel counts CPU time in hundredths of a second for programs, independent of its internal unit.
const TICKS_PER_SECOND: f64 = 100.0;

/// A span of time that is being watched.
pub struct Watch {
    roots: Vec<u32>,
    begun: Instant,
    machine: Machine,
    own: u64,
}

/// What a span was like.
#[derive(Clone, Copy)]
pub struct Usage {
    pub elapsed: Duration,
    /// The foreign share, 0 to 1.
    pub foreign: f64,
}

impl Watch {
    /// Watches from now on. `roots` are processes that are no children of this one and yet part of what
    /// is measured, such as a database server.
    pub fn start(roots: &[u32]) -> Self {
        let roots: Vec<u32> = roots.iter().copied().chain([std::process::id()]).collect();
        Self { own: ticks_of_trees(&roots), roots, machine: Machine::now(), begun: Instant::now() }
    }

    pub fn stop(self) -> Usage {
        let elapsed = self.begun.elapsed();
        let (now, own) = (Machine::now(), ticks_of_trees(&self.roots).saturating_sub(self.own));
        let busy = now.busy.saturating_sub(self.machine.busy).saturating_sub(own);
        let all = now.all.saturating_sub(self.machine.all).max(1);
        Usage { elapsed, foreign: busy as f64 / all as f64 }
    }
}

/// The first line of `/proc/stat`, in ticks.
struct Machine {
    busy: u64,
    all: u64,
}

impl Machine {
    fn now() -> Self {
        let text = fs::read_to_string("/proc/stat").unwrap_or_default();
        let line = text.lines().next().unwrap_or_default();
        // user, nice, system, idle, iowait, irq, softirq, steal; guests are in user already.
        let ticks: Vec<u64> = line.split_whitespace().skip(1).take(8).filter_map(|field| field.parse().ok()).collect();
        let all = ticks.iter().sum();
        let idle: u64 = ticks.iter().skip(3).take(2).sum();
        Self { busy: all - idle, all }
    }
}

/// Parent and CPU time of every process; that of ended children is in their parent.
fn processes() -> BTreeMap<u32, (u32, u64)> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    ids.filter_map(|id| Some((id, stat(id)?))).collect()
}

fn stat(id: u32) -> Option<(u32, u64)> {
    let text = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name in brackets may hold anything, so fields are counted from behind it: state, parent, …
    let (_, fields) = text.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let parent = fields.get(1)?.parse().ok()?;
    let ticks = fields.get(11..15)?.iter().filter_map(|field| field.parse::<u64>().ok()).sum();
    Some((parent, ticks))
}

fn ticks_of_trees(roots: &[u32]) -> u64 {
    let processes = processes();
    let mut found: BTreeSet<u32> = roots.iter().copied().collect();
    loop {
        let known = found.len();
        found.extend(
            processes.iter().filter(|(_, (parent, _))| found.contains(parent)).map(|(id, _)| *id).collect::<Vec<_>>(),
        );
        if found.len() == known {
            return found.iter().filter_map(|id| processes.get(id)).map(|(_, ticks)| ticks).sum();
        }
    }
}

/// The CPU time that one process has taken so far.
pub fn taken_by(id: u32) -> Duration {
    let ticks = stat(id).map_or(0, |(_, ticks)| ticks);
    Duration::from_secs_f64(ticks as f64 / TICKS_PER_SECOND)
}

/// The CPU time that a process and everything it started have taken so far.
pub fn taken_by_tree(id: u32) -> Duration {
    Duration::from_secs_f64(ticks_of_trees(&[id]) as f64 / TICKS_PER_SECOND)
}

/// The process that started this one.
pub fn parent_of(id: u32) -> Option<u32> {
    stat(id).map(|(parent, _)| parent)
}

/// The memory that a process has now, in MiB (`VmRSS`).
pub fn resident_mib(id: u32) -> f64 {
    let text = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib: f64 = line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or_default();
    kib / 1024.0
}
