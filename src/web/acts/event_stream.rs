//! The event stream: server-sent events out of the ledger, as entries are committed. Source: CONTRACT 3.4.
//!
//! The `id` of an event is its entry's number, so a client that lost the connection continues after that number
//! (`Last-Event-ID`) and misses nothing. The stream sends committed entries only. Comments say how far behind a stream
//! is while it catches up, and when the ledger cannot be read.

use std::time::Duration;

use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::domain::accounts::serves;
use crate::domain::event::{DivisionSet, RoundSet, TestDeckSet};
use crate::domain::ledger::Leaf;
use crate::domain::{Entry, Event, Role, SlipRecord};
use crate::store::LedgerError;
use crate::web::auth::caller::Caller;
use crate::web::http::error::WebError;
use crate::web::http::streaming_body::{BodyWriter, ReaderGone, streaming_body};
use crate::web::limits::stream_limit::StreamPermit;
use crate::web::state::AppState;

/// How often the ledger is read for new entries: entries of other servers arrive in no other way.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// After this many reads without an entry, a comment shows that the stream is alive.
const LOOKS_PER_KEEP_ALIVE: u32 = 40;

/// The last event of a stream that a newer one evicts. A browser that reconnects at once would only evict the next.
const EVICTED: &str = "retry: 60000\nevent: too-many-streams\ndata: {}\n\n";

/// How long the final event may wait for its reader.
const FINAL_EVENT_TIMEOUT: Duration = Duration::from_secs(1);

/// How many entries are read at a time.
const PAGE: u64 = 200;

/// The events of a tournament that the caller may see, without end.
///
/// # Errors
/// 503 if the ledger cannot be read.
pub async fn stream(
    app: AppState,
    caller: Caller,
    tournament: &str,
    headers: &HeaderMap,
) -> Result<Response, WebError> {
    let log = app.ledger.open_log(tournament).await.map_err(LedgerError::from)?;
    let newest = app.ledger.signed_size(&log).await.map_err(LedgerError::from)?.unwrap_or(0);
    let last = headers.get("last-event-id").and_then(|value| value.to_str().ok()?.trim().parse().ok());
    let newest = i64::try_from(newest).unwrap_or(i64::MAX) - 1;
    // A larger number belonged to a log that was closed since: every entry of the open log is new.
    let last: i64 = last.map_or(newest, |last: i64| if last > newest { -1 } else { last.max(-1) });
    let (writer, body) = streaming_body();
    let permit =
        app.stream_limit.acquire(&caller.principal.secret_sha256, Some((tournament.to_owned(), caller.principal.role)));
    let follower = Follower { app, caller, log, last, permit };
    tokio::spawn(follower.follow(writer));
    Ok(([(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-store")], body).into_response())
}

/// An open stream: its reader, and its position in the log.
struct Follower {
    app: AppState,
    caller: Caller,
    log: String,
    /// The number of the last entry that was read.
    last: i64,
    permit: StreamPermit,
}

impl Follower {
    /// Runs until the client disconnects, the server stops, the token is revoked or newer streams evict this one.
    async fn follow(mut self, writer: BodyWriter) {
        let app = self.app.clone();
        let evicted = self.permit.evicted();
        tokio::select! {
            () = app.stopped() => {}
            () = writer.closed() => {}
            // The stream does not wait for a client that does not read.
            () = evicted => drop(timeout(FINAL_EVENT_TIMEOUT, writer.write(EVICTED)).await),
            // A client that disconnected ends it too.
            _ = self.tell(&writer) => {}
        }
    }

    async fn tell(&mut self, writer: &BodyWriter) -> Result<(), ReaderGone> {
        writer.write("retry: 2000\n\n").await?;
        let mut silent = 0;
        loop {
            if !self.caller.is_still_authenticated(&self.app).await {
                return writer.write("event: token-revoked\ndata: {}\n\n").await;
            }
            match self.look(writer).await? {
                Ok(0) => silent += 1,
                Ok(_) => silent = 0,
                Err(error) => {
                    tracing::warn!(%error, "events cannot be read");
                    writer.write(": the ledger cannot be read now; nothing is lost, it is tried again\n\n").await?;
                }
            }
            if silent >= LOOKS_PER_KEEP_ALIVE {
                silent = 0;
                writer.write(format!(": nothing new after entry {}\n\n", self.last)).await?;
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// Sends all new events, and gives how many entries were read.
    async fn look(&mut self, writer: &BodyWriter) -> Result<Result<usize, LedgerError>, ReaderGone> {
        let mut seen = 0;
        loop {
            let some = match self.app.ledger.leaves(&self.log, self.last + 1, PAGE).await {
                Ok(some) => some,
                Err(error) => return Ok(Err(error)),
            };
            let is_page = some.len() as u64 == PAGE;
            seen += some.len();
            let mut has_looked = false;
            for (seq, leaf) in some {
                match self.visible_event(&leaf, &mut has_looked).await {
                    Ok(Some((kind, data))) => {
                        writer.write(format!("id: {seq}\nevent: {kind}\ndata: {data}\n\n")).await?;
                    }
                    Ok(None) => {}
                    Err(error) => return Ok(Err(error)),
                }
                self.last = seq;
            }
            if !is_page {
                return Ok(Ok(seen));
            }
            if let Ok(Some(size)) = self.app.ledger.signed_size(&self.log).await {
                let behind = i64::try_from(size).unwrap_or(i64::MAX) - 1 - self.last;
                writer.write(format!(": {behind} entries behind\n\n")).await?;
            }
        }
    }

    /// The event that this follower gets for an entry, if any. For a set-up entry the snapshot is refreshed first, so
    /// that a client that reacts to the event finds the new set-up: an entry of another process may be read here first.
    /// One refresh is enough for all entries that were read together.
    async fn visible_event(
        &self,
        leaf: &str,
        has_looked: &mut bool,
    ) -> Result<Option<(&'static str, String)>, LedgerError> {
        let entry = Entry::from_leaf(Leaf::parse(leaf)?)?;
        if entry.event.is_setup() && !std::mem::replace(has_looked, true) {
            self.app.refresh().await;
        }
        let kind = entry.event.kind();
        let data = match self.caller.principal.role {
            Role::Director | Role::Observer => Some(leaf.to_owned()),
            Role::Judge => self.to_judge(&entry).await?.map(|data| data.to_string()),
            Role::Station => self.to_station(&entry).await?.map(|data| data.to_string()),
            Role::Client => None,
        };
        Ok(data.map(|data| (kind, data)))
    }

    async fn to_judge(&self, entry: &Entry) -> Result<Option<Value>, LedgerError> {
        match &entry.event {
            Event::Called(call) => {
                let (table, whom) = (call.table, call.whom);
                Ok(Some(json!({ "call": call.call, "table": table, "for": whom, "kind": entry.event.kind() })))
            }
            Event::CallEnded(ended) => Ok(Some(json!({ "call": ended.item, "kind": entry.event.kind() }))),
            _ => {
                let slip = self.slip_then(entry).await?.map(|record| {
                    let slip = &record.slip;
                    json!({
                        "slip": slip.id, "number": slip.number, "division": slip.division, "table": slip.table,
                        "kind": entry.event.kind(), "state": record.state,
                    })
                });
                // An item that was claimed and is no slip is a call.
                Ok(slip.or_else(|| match &entry.event {
                    Event::ItemClaimed(claimed) => Some(json!({ "call": claimed.item, "kind": entry.event.kind() })),
                    _ => None,
                }))
            }
        }
    }

    /// Whether the station serves a division now; a director may have moved it since the stream began.
    fn serves(&self, division: &str) -> bool {
        self.app
            .snapshot()
            .holder_of(&self.caller.principal.id)
            .is_some_and(|station| serves(&station.divisions, division))
    }

    async fn to_station(&self, entry: &Entry) -> Result<Option<Value>, LedgerError> {
        match &entry.event {
            Event::RoundSet(RoundSet { division, .. })
            | Event::TestDeckSet(TestDeckSet { division, .. })
            | Event::DivisionSet(DivisionSet { division, .. })
                if !self.serves(division) =>
            {
                Ok(None)
            }
            Event::RoundSet(set) => {
                Ok(Some(json!({ "division": set.division, "round": set.number, "state": set.state })))
            }
            Event::TestDeckSet(set) => Ok(Some(json!({ "division": set.division }))),
            Event::DivisionSet(set) => Ok(Some(json!({
                "division": set.division,
                "lexicon": { "id": set.lexicon.id, "title": set.lexicon.title, "edition": set.lexicon.edition },
                "from": set.from,
            }))),
            _ => {
                let own = self.slip_then(entry).await?.filter(|record| record.filed_by.id == self.caller.principal.id);
                Ok(own.map(
                    |record| json!({ "slip": record.slip.id, "number": record.slip.number, "state": record.state }),
                ))
            }
        }
    }

    /// The slip of an entry, as it was right after that entry.
    async fn slip_then(&self, entry: &Entry) -> Result<Option<SlipRecord>, LedgerError> {
        if entry.event.slip().is_none() && entry.event.follows().is_none() {
            return Ok(None);
        }
        let Some(slip) = entry.event.subject() else { return Ok(None) };
        let all = self.app.ledger.entries_about(slip).await?;
        if all.first().is_none_or(|first| first.event.slip().is_none()) {
            return Ok(None);
        }
        let until = all.iter().position(|one| (&one.log, one.seq) == (&entry.log, entry.seq));
        let then = until.and_then(|until| all.get(..=until)).unwrap_or(&all);
        Ok(SlipRecord::fold(then)?)
    }
}
