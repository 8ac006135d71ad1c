//! Requests under a key: each is recorded once and answered for ever by what was recorded. Nobody here knows what a request
//! is about.

use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::domain::event::KeyClosed;
use crate::domain::request::{RequestMark, digest};
use crate::domain::{Alphabet, Entry, Event, Tournament};
use crate::snapshot::Snapshot;
use crate::store::{CannotRecord, Draft, Recorded};
use crate::web::state::AppState;

use crate::web::auth::caller::Caller;
use crate::web::http::error::WebError;
use crate::web::http::submission::{Counted, KeyedRequest};

/// How long whoever files a slip waits for its ruling or for being told that there is none: a ledger that does not
/// answer while it is written is not waited for as long again while it is read.
const WAIT_TIMEOUT: Duration = Duration::from_millis(4800);

/// How often is decided anew where somebody else was faster.
const TRIES: usize = 5;

/// The committed entry that answers a challenge.
#[derive(Debug)]
pub struct Answer {
    pub entry: Entry,
    /// Whether the key had already been answered before this request.
    pub replayed: bool,
}

/// Has a draft recorded, and answers with the committed entry. A key that was answered before gets that entry again,
/// also where the request would be refused now.
///
/// # Errors
/// Why there is no draft, or no entry.
pub async fn record_once(
    app: &AppState,
    caller: &Caller,
    route: &str,
    sent: &KeyedRequest,
    drafted: Result<Draft, WebError>,
) -> Result<Answer, WebError> {
    let (snapshot, too_late) = (caller.snapshot(), tokio::time::sleep(WAIT_TIMEOUT));
    let refusal = match drafted {
        Ok(draft) => match app.scribe.record(draft).await {
            Ok(Recorded::New(entry)) => return Ok(record_first_answer(app, caller, sent, entry)),
            Ok(Recorded::Before(entry)) => {
                refund(app, caller, sent, &entry);
                return replay(&snapshot, confirm_answer(app, entry).await?, route, sent);
            }
            Ok(Recorded::Stale) => WebError::ConcurrentChange,
            Err(cannot_record) => cannot_record.into(),
        },
        Err(refusal) => refusal,
    };
    let earlier = tokio::select! {
        earlier = find_answer(app, caller, sent) => earlier,
        () = too_late => Ok(None),
    };
    let earlier = match earlier {
        // What could not be recorded is told as such, whatever could not be read after it.
        Err(_) if matches!(refusal, WebError::CannotRecord(_)) => None,
        earlier => earlier?,
    };
    match earlier {
        Some(entry) => {
            refund(app, caller, sent, &entry);
            replay(&snapshot, confirm_answer(app, entry).await?, route, sent)
        }
        None => Err(refusal),
    }
}

/// Has something decided by one view and recorded, and decided anew by another where something was set up meanwhile that may contradict it.
///
/// # Errors
/// What `attempt` is refused; 401 for an asker who may not come in any more; 503 where something else is always set up meanwhile.
pub async fn retry_on_conflict<F: Future<Output = Result<Answer, WebError>>>(
    app: &AppState,
    caller: &Caller,
    attempt: impl Fn(Caller) -> F,
) -> Result<Answer, WebError> {
    let mut caller = caller.clone();
    for _ in 0..TRIES {
        match attempt(caller.clone()).await {
            Err(WebError::ConcurrentChange) => caller.refresh(app).await?,
            answered => return answered,
        }
    }
    Err(CannotRecord::Slow.into())
}

/// Records once what concerns a tournament and has no words in it. Where something was set up meanwhile that may contradict
/// it, it is recorded again, if its asker may still come in.
///
/// # Errors
/// What `make` refuses, or why there is no entry.
pub async fn record_event_once(
    app: &AppState,
    caller: &Caller,
    tournament: &str,
    last: &str,
    sent: &KeyedRequest,
    make: impl FnOnce(&Tournament, Option<RequestMark>) -> Result<Event, WebError>,
) -> Result<Answer, WebError> {
    let route = &route(tournament, last);
    let draft = match plain_draft(&caller.snapshot(), caller, tournament, route, sent, make) {
        Ok(draft) => draft,
        refused => return record_once(app, caller, route, sent, refused).await,
    };
    let attempt = |caller: Caller| {
        let draft = draft.clone().decided_by(caller.snapshot().basis(tournament));
        async move { record_once(app, &caller, route, sent, Ok(draft)).await }
    };
    retry_on_conflict(app, caller, attempt).await
}

fn plain_draft(
    snapshot: &Snapshot,
    caller: &Caller,
    tournament: &str,
    route: &str,
    sent: &KeyedRequest,
    make: impl FnOnce(&Tournament, Option<RequestMark>) -> Result<Event, WebError>,
) -> Result<Draft, WebError> {
    let tournament = caller.tournament(snapshot, tournament)?;
    let event = make(tournament, sent.request_mark(sent.plain_digest(route)))?;
    Ok(Draft::of(&tournament.id, caller.actor(), event))
}

/// Like [`record_event_once`], decided by what is set up at `snapshot`: where something else is so when it is written, it is not
/// recorded.
///
/// # Errors
/// As [`record_event_once`]; 409 `wrong-state` where something was set up meanwhile.
pub async fn record_event_once_at(
    app: &AppState,
    snapshot: &Snapshot,
    caller: &Caller,
    tournament: &str,
    last: &str,
    sent: &KeyedRequest,
    make: impl FnOnce(&Tournament, Option<RequestMark>) -> Result<Event, WebError>,
) -> Result<Answer, WebError> {
    let route = route(tournament, last);
    let drafted = plain_draft(snapshot, caller, tournament, &route, sent, make);
    let drafted = drafted.map(|draft| draft.decided_by(snapshot.basis(tournament)));
    record_once(app, caller, &route, sent, drafted).await
}

/// The answer to a request that was recorded now; where a quota counts its token, its key is known from now on.
fn record_first_answer(app: &AppState, caller: &Caller, sent: &KeyedRequest, entry: Entry) -> Answer {
    if let (Counted::Once, Some(key)) = (&sent.counted, &sent.key) {
        app.rate_limits.remember_answered(&caller.principal.id, key.as_str(), app.system.monotonic());
    }
    Answer { entry, replayed: false }
}

/// A repeated request is not counted again, at its station or at its table.
fn refund(app: &AppState, caller: &Caller, sent: &KeyedRequest, entry: &Entry) {
    if matches!(sent.counted, Counted::Once) {
        app.rate_limits.refund(&caller.principal.id);
    }
    if let Some(table) = entry.event.slip().and_then(|slip| slip.table)
        && sent.is_counted_at_table.load(Ordering::Relaxed)
    {
        app.rate_limits.refund_table(entry.tournament(), table);
    }
}

/// Has something decided on a state and recorded on that state and no other: where somebody was faster it is decided
/// anew on what is so then. A key that was answered before gets that entry again.
///
/// # Errors
/// What `decide` refuses; 401 for an asker who may not come in any more; 409 `wrong-state` where others are always faster;
/// why there is no entry.
pub async fn decide_and_record<S, F: Future<Output = Result<S, WebError>>>(
    app: &AppState,
    caller: &Caller,
    sent: &KeyedRequest,
    digest: Option<String>,
    mut state: S,
    decide: impl Fn(&S, Option<RequestMark>) -> Result<Draft, WebError>,
    again: impl Fn() -> F,
) -> Result<Answer, WebError> {
    if let Some(entry) = find_answer(app, caller, sent).await? {
        refund(app, caller, sent, &entry);
        return replay_if_same(confirm_answer(app, entry).await?, digest.as_deref());
    }
    let mut now = caller.clone();
    for _ in 0..TRIES {
        let draft = decide(&state, sent.request_mark(digest.clone()))?;
        let basis = draft.basis.clone().unwrap_or_else(|| now.snapshot().basis(&draft.log));
        match app.scribe.record(draft.decided_by(basis)).await? {
            Recorded::New(entry) => return Ok(record_first_answer(app, caller, sent, entry)),
            Recorded::Before(entry) => {
                refund(app, caller, sent, &entry);
                return replay_if_same(confirm_answer(app, entry).await?, digest.as_deref());
            }
            Recorded::Stale => {
                now.refresh(app).await?;
                state = again().await?;
            }
        }
    }
    Err(WebError::ConcurrentChange)
}

/// Finds the answer to a request whose answer was lost. Where there is none, the key is closed by an
/// entry, and a request that is still under way with it will get none.
///
/// # Errors
/// 422 `invalid-request`; 503 where nothing can be read or written.
pub async fn resolve(
    app: &AppState,
    caller: &Caller,
    tournament: &str,
    sent: &KeyedRequest,
) -> Result<Answer, WebError> {
    let key = sent.key.as_ref().ok_or(WebError::KeyRequired)?;
    // What it answers is no answer to this request, so there is nothing to compare its body with.
    sent.expect_empty_body()?;
    if let Some(entry) = find_answer(app, caller, sent).await? {
        refund(app, caller, sent, &entry);
        return Ok(Answer { entry: confirm_answer(app, entry).await?, replayed: true });
    }
    let request = RequestMark { key: key.as_str().to_owned(), digest: String::new() };
    let event = Event::KeyClosed(KeyClosed { request });
    let draft = Draft::of(tournament, caller.actor(), event);
    match app.scribe.record(draft).await? {
        Recorded::New(entry) => Ok(record_first_answer(app, caller, sent, entry)),
        Recorded::Before(entry) => {
            refund(app, caller, sent, &entry);
            Ok(Answer { entry: confirm_answer(app, entry).await?, replayed: true })
        }
        Recorded::Stale => Err(WebError::ConcurrentChange),
    }
}

/// The entry that answered the request's key, if there is one.
///
/// # Errors
/// 503 where it cannot be read.
pub async fn find_answer(app: &AppState, caller: &Caller, sent: &KeyedRequest) -> Result<Option<Entry>, WebError> {
    let Some(key) = &sent.key else { return Ok(None) };
    if let Counted::Answered(earlier) = &sent.counted {
        return Ok(Some(earlier.as_ref().clone()));
    }
    Ok(app.ledger.answer(&caller.principal.id, key.as_str()).await?)
}

/// The entry that answered a key, as it stands now.
///
/// # Errors
/// 409 `in-question` where nobody vouches for it and no director settled its slip; 503 where that cannot be read.
pub async fn confirm_answer(app: &AppState, entry: Entry) -> Result<Entry, WebError> {
    let Some(slip) = entry.event.subject().filter(|_| entry.in_question) else {
        return if entry.in_question { Err(WebError::InQuestion) } else { Ok(entry) };
    };
    let about = app.ledger.entries_about(slip).await?;
    entry.settled_by(&about).ok_or(WebError::InQuestion)
}

/// The earlier answer to the same request. The words are compared by the alphabet that was recorded then.
///
/// # Errors
/// 422 `idempotency-key-reused` for another request, 409 `key-closed`.
pub fn replay(snapshot: &Snapshot, entry: Entry, route: &str, sent: &KeyedRequest) -> Result<Answer, WebError> {
    let recorded_then = || entry.event.slip().and_then(|slip| Alphabet::shipped(&slip.alphabet));
    let alphabet = entry.event.lexicon().and_then(|lexicon| snapshot.alphabet(lexicon)).or_else(recorded_then);
    let now = match (entry.event.slip(), alphabet) {
        (_, Some(alphabet)) => digest(route, &sent.said, &alphabet),
        (None, None) => sent.plain_digest(route),
        (Some(_), None) => None,
    };
    replay_if_same(entry, now.as_deref())
}

/// The earlier answer, where the digest is that of the request that it answered.
///
/// # Errors
/// 422 `idempotency-key-reused` for another request, 409 `key-closed`.
pub fn replay_if_same(entry: Entry, digest: Option<&str>) -> Result<Answer, WebError> {
    if matches!(entry.event, Event::KeyClosed(_)) {
        return Err(WebError::KeyClosed);
    }
    let recorded = entry.event.request().map(|request_mark| request_mark.digest.as_str());
    let is_same = digest.is_some() && digest == recorded;
    if is_same { Ok(Answer { entry, replayed: true }) } else { Err(WebError::KeyReused) }
}

/// A route of a tournament as request digests name it.
pub fn route(tournament: &str, last: &str) -> String {
    format!("{tournament}/{last}")
}
