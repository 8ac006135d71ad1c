//! Metrics of the server. They distinguish requests by route and status only: both rulings have the same status, and no
//! figure is about a word. There are no durations among them: they would show a client what it cannot measure over the
//! network.

use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use axum::http::{Method, StatusCode};
use metrics::{counter, describe_counter, describe_gauge, gauge};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};

use crate::log::DroppedLines;
use crate::store::Storage;
use crate::web::state::AppState;

const ANSWERS: &str = "adjudge_answers_total";
const WRITABLE: &str = "adjudge_ledger_writable";
const WAITING: &str = "adjudge_waiting_to_be_written";
const ALARMS: &str = "adjudge_ledger_alarms";
const COPIES: &str = "adjudge_checkpoint_copies_failing";
const LEXICA: &str = "adjudge_lexica";
const OVERGROWN: &str = "adjudge_write_ahead_log_overgrown";
const DROPPED_LINES: &str = "adjudge_log_lines_dropped_total";

/// Made-up methods must not create counters.
const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"];

/// How often each method and status was answered, by route.
type Answered = BTreeMap<(&'static str, u16), BTreeMap<String, u64>>;

static ANSWERED: Mutex<Answered> = Mutex::new(BTreeMap::new());

/// The recorder of this process: there is one, however many servers a process starts. It is created at the first read,
/// because calibrating its clock takes some milliseconds, and the first ruling after a start must not wait for that.
static RECORDER: LazyLock<PrometheusHandle> = LazyLock::new(|| {
    let recorder = PrometheusBuilder::new().build_recorder();
    let handle = recorder.handle();
    if metrics::set_global_recorder(recorder).is_err() {
        tracing::warn!("another recorder of metrics was there before: /metrics stays empty");
    }
    describe_counter!(ANSWERS, "Answers by method, route and status.");
    describe_gauge!(WRITABLE, "1 where the ledger took the last entry, else 0.");
    describe_gauge!(ALARMS, "Logs that lost entries, or had them changed, while this server ran.");
    describe_gauge!(OVERGROWN, "1 where another program keeps the write-ahead log from being taken into the database.");
    describe_gauge!(COPIES, "Copies of checkpoints, or folders for them, that cannot be written or read.");
    describe_gauge!(WAITING, "Entries that wait to be written.");
    describe_gauge!(LEXICA, "Lexica that divisions play with, by whether they can be served.");
    describe_counter!(DROPPED_LINES, "Lines of the log that were dropped because standard error was not read in time.");
    handle
});

/// Counts an answer.
pub fn answered(method: &Method, route: &str, status: StatusCode) {
    let method = METHODS.into_iter().find(|known| *known == method.as_str()).unwrap_or("other");
    let mut all = all_answered();
    let routes = all.entry((method, status.as_u16())).or_default();
    match routes.get_mut(route) {
        Some(count) => *count += 1,
        None => drop(routes.insert(route.to_owned(), 1)),
    }
}

fn all_answered() -> MutexGuard<'static, Answered> {
    ANSWERED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// All metrics, in the text format of Prometheus.
pub fn text(app: &AppState) -> String {
    let snapshot = app.snapshot();
    let active = snapshot.setup.active();
    let (served, failed): (Vec<_>, Vec<_>) = active.into_iter().partition(|name| snapshot.opened(name).is_some());
    LazyLock::force(&RECORDER);
    for ((method, status), routes) in all_answered().iter() {
        for (route, count) in routes {
            let labels = [("method", (*method).to_owned()), ("route", route.clone()), ("status", status.to_string())];
            counter!(ANSWERS, &labels).absolute(*count);
        }
    }
    gauge!(LEXICA, "state" => "active").set(count(served.len()));
    gauge!(LEXICA, "state" => "failed").set(count(failed.len()));
    gauge!(WRITABLE).set(count(usize::from(app.writer.storage() == Storage::Writable)));
    gauge!(ALARMS).set(count(app.checkpoint_copies.alarms().len()));
    gauge!(OVERGROWN).set(count(usize::from(app.ledger.db.overgrown_log().is_some())));
    gauge!(COPIES).set(count(app.checkpoint_copies.troubles().len()));
    gauge!(WAITING).set(count(app.writer.waiting()));
    counter!(DROPPED_LINES).absolute(app.dropped_log_lines.as_ref().map_or(0, DroppedLines::count));
    RECORDER.render()
}

/// A count as a float. No count here is large enough to be rounded.
fn count(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::INFINITY, f64::from)
}
