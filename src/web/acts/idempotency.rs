//! Idempotent requests: a key is recorded once and always gets the recorded answer. Independent of the request's
//! content.

use std::future::ready;
use std::time::Duration;

use crate::domain::event::KeyClosed;
use crate::domain::request::{RequestMark, digest};
use crate::domain::{Alphabet, Entry, Event, Tournament};
use crate::snapshot::Snapshot;
use crate::store::{Appended, Draft, WriteError};
use crate::web::auth::caller::Caller;
use crate::web::http::entry_response::Answer;
use crate::web::http::error::WebError;
use crate::web::http::request::KeyedRequest;
use crate::web::state::AppState;

/// How long a client waits for its answer or for a refusal. The time spent on writing counts against the time for
/// reading, so that a slow ledger does not double the wait.
const WAIT_TIMEOUT: Duration = Duration::from_millis(4800);

/// Retries after a concurrent change.
const TRIES: usize = 5;

/// One attempt to decide a request.
pub struct Attempt {
    /// With the snapshot that this attempt decides by.
    pub caller: Caller,
    /// False after a concurrent change: an attempt counts against limits only once per request.
    pub is_first: bool,
}

/// Records the draft of a request, and answers with the committed entry. A key that was answered before gets that entry
/// again, also if the request would be refused now. After a concurrent change `draft` decides anew, by a newer
/// snapshot.
///
/// # Errors
/// What `draft` refuses; 401 for a caller that was revoked meanwhile; 503 if there is no entry.
pub async fn record_once<F: Future<Output = Result<Draft, WebError>>>(
    app: &AppState,
    caller: &Caller,
    sent: &KeyedRequest,
    route: &str,
    draft: impl Fn(Attempt) -> F,
) -> Result<Answer, WebError> {
    let too_late = tokio::time::sleep(WAIT_TIMEOUT);
    if let Some(entry) = &sent.answered {
        return replay(app, caller, entry.clone(), route, sent).await;
    }
    let mut caller = caller.clone();
    for attempt in 0..TRIES {
        let refusal = match draft(Attempt { caller: caller.clone(), is_first: attempt == 0 }).await {
            Ok(draft) => {
                let basis = caller.snapshot().basis(&draft.log);
                match app.writer.record(draft.decided_by(basis)).await {
                    Ok(Appended::New(entry)) => return Ok(Answer { entry, replayed: false }),
                    Ok(Appended::Duplicate(entry)) => return replay(app, &caller, entry, route, sent).await,
                    Ok(Appended::Conflict) => {
                        caller.refresh(app).await?;
                        continue;
                    }
                    Err(cannot_record) => cannot_record.into(),
                }
            }
            Err(refusal) => refusal,
        };
        // A second request with the same key may have been answered since the key was looked up.
        let found = tokio::select! {
            found = find_answer(app, &caller, sent) => found,
            () = too_late => Ok(None),
        };
        return match found {
            Ok(Some(entry)) => replay(app, &caller, entry, route, sent).await,
            // A failed write is answered as such, even if the read after it fails too.
            Err(error) if !matches!(refusal, WebError::WriteError(_)) => Err(error),
            _ => Err(refusal),
        };
    }
    Err(WriteError::Slow.into())
}

/// Records an event once that concerns a tournament and has no words in it. After a concurrent change `make` builds it
/// anew.
///
/// # Errors
/// What `make` refuses; as [`record_once`].
pub async fn record_event_once(
    app: &AppState,
    caller: &Caller,
    tournament: &str,
    last: &str,
    sent: &KeyedRequest,
    make: impl Fn(&Snapshot, &Tournament, Option<RequestMark>) -> Result<Event, WebError>,
) -> Result<Answer, WebError> {
    let route = route(tournament, last);
    let draft = |Attempt { caller, .. }: Attempt| {
        let snapshot = caller.snapshot();
        let event = caller
            .tournament(&snapshot, tournament)
            .and_then(|tournament| make(&snapshot, tournament, sent.plain_mark(&route)));
        ready(event.map(|event| Draft::of(tournament, caller.actor(), event)))
    };
    record_once(app, caller, sent, &route, draft).await
}

/// Decides by a state, and records on that state and no other: after a concurrent change it loads the state and decides
/// anew. A key that was answered before gets that entry again.
///
/// # Errors
/// What `decide` refuses; 401 for a caller that was revoked meanwhile; 409 `wrong-state` after too many concurrent
/// changes; 503 if there is no entry.
pub async fn decide_and_record<S, F: Future<Output = Result<S, WebError>>>(
    app: &AppState,
    caller: &Caller,
    sent: &KeyedRequest,
    digest: Option<String>,
    mut state: S,
    decide: impl Fn(&S, Option<RequestMark>) -> Result<Draft, WebError>,
    load_again: impl Fn() -> F,
) -> Result<Answer, WebError> {
    if let Some(entry) = &sent.answered {
        return replay_if_same(app, entry.clone(), digest.as_deref()).await;
    }
    let mut now = caller.clone();
    for _ in 0..TRIES {
        let draft = decide(&state, sent.request_mark(digest.clone()))?;
        let basis = draft.basis.clone().unwrap_or_else(|| now.snapshot().basis(&draft.log));
        match app.writer.record(draft.decided_by(basis)).await? {
            Appended::New(entry) => return Ok(Answer { entry, replayed: false }),
            Appended::Duplicate(entry) => return replay_if_same(app, entry, digest.as_deref()).await,
            Appended::Conflict => {
                now.refresh(app).await?;
                state = load_again().await?;
            }
        }
    }
    Err(WebError::ConcurrentChange)
}

/// Finds the answer to a request whose answer was lost. If there is none, an entry closes the key, and a request
/// that is still under way with it gets no ruling.
///
/// # Errors
/// 422 `invalid-request`; 503 if the ledger cannot be read or written.
pub async fn resolve(
    app: &AppState,
    caller: &Caller,
    tournament: &str,
    sent: &KeyedRequest,
) -> Result<Answer, WebError> {
    let key = sent.key.as_ref().ok_or(WebError::KeyRequired)?;
    // The recorded answer is no answer to this request, so there is no body to compare with its own.
    sent.expect_empty_body()?;
    if let Some(entry) = &sent.answered {
        return Ok(Answer { entry: confirm_answer(app, entry.clone()).await?, replayed: true });
    }
    let request = RequestMark { key: key.as_str().to_owned(), digest: String::new() };
    let event = Event::KeyClosed(KeyClosed { request });
    match app.writer.record(Draft::of(tournament, caller.actor(), event)).await? {
        Appended::New(entry) => Ok(Answer { entry, replayed: false }),
        Appended::Duplicate(entry) => Ok(Answer { entry: confirm_answer(app, entry).await?, replayed: true }),
        Appended::Conflict => Err(WebError::ConcurrentChange),
    }
}

/// The entry that answered the request's key, if there is one now.
///
/// # Errors
/// 503 if it cannot be read.
pub async fn find_answer(app: &AppState, caller: &Caller, sent: &KeyedRequest) -> Result<Option<Entry>, WebError> {
    match &sent.key {
        Some(key) => Ok(app.ledger.entry_for_key(&caller.principal.id, key.as_str()).await?),
        None => Ok(None),
    }
}

/// The entry that answered a key, as it stands now.
///
/// # Errors
/// 409 `in-question` if nothing vouches for it and no director settled its slip; 503 if that cannot be read.
async fn confirm_answer(app: &AppState, entry: Entry) -> Result<Entry, WebError> {
    let Some(slip) = entry.event.subject().filter(|_| entry.in_question) else {
        return if entry.in_question { Err(WebError::InQuestion) } else { Ok(entry) };
    };
    let about = app.ledger.entries_about(slip).await?;
    entry.settled_by(&about).ok_or(WebError::InQuestion)
}

/// The recorded answer to the same request. The words are compared by the alphabet that was recorded with it.
async fn replay(
    app: &AppState,
    caller: &Caller,
    entry: Entry,
    route: &str,
    sent: &KeyedRequest,
) -> Result<Answer, WebError> {
    let shipped = || entry.event.slip().and_then(|slip| Alphabet::shipped(&slip.alphabet));
    let alphabet = entry.event.lexicon().and_then(|lexicon| caller.snapshot().alphabet(lexicon)).or_else(shipped);
    let now = match (entry.event.slip(), alphabet) {
        (_, Some(alphabet)) => digest(route, &sent.body, &alphabet),
        (None, None) => sent.plain_digest(route),
        (Some(_), None) => None,
    };
    replay_if_same(app, entry, now.as_deref()).await
}

/// The recorded answer, if the digest is that of the request that it answered.
///
/// # Errors
/// 409 `in-question`; 409 `key-closed`; 422 `idempotency-key-reused` for another request.
pub async fn replay_if_same(app: &AppState, entry: Entry, digest: Option<&str>) -> Result<Answer, WebError> {
    let entry = confirm_answer(app, entry).await?;
    if matches!(entry.event, Event::KeyClosed(_)) {
        return Err(WebError::KeyClosed);
    }
    let recorded = entry.event.request().map(|mark| mark.digest.as_str());
    let is_same = digest.is_some() && digest == recorded;
    if is_same { Ok(Answer { entry, replayed: true }) } else { Err(WebError::KeyReused) }
}

/// A route of a tournament as request digests name it.
pub fn route(tournament: &str, last: &str) -> String {
    format!("{tournament}/{last}")
}
