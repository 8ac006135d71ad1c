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

use crate::web::auth::caller::Who;
use crate::web::http::error::WebError;
use crate::web::http::submission::{Counted, Submission};

/// How long whoever files a slip waits for its ruling or for being told that there is none: a ledger that does not
/// answer while it is written is not waited for as long again while it is read.
const WAIT_TIMEOUT: Duration = Duration::from_millis(4800);

/// How often is decided anew where somebody else was faster.
const TRIES: usize = 5;

/// The committed entry that answers a challenge.
#[derive(Debug)]
pub struct Answered {
    pub entry: Entry,
    /// Whether the key had already been answered before this request.
    pub replayed: bool,
}

/// Has a draft recorded, and answers with the committed entry. A key that was answered before gets that entry again,
/// also where the request would be refused now.
///
/// # Errors
/// Why there is no draft, or no entry.
pub async fn recorded(
    app: &AppState,
    who: &Who,
    route: &str,
    sent: &Submission,
    drafted: Result<Draft, WebError>,
) -> Result<Answered, WebError> {
    let (present, too_late) = (who.present(), tokio::time::sleep(WAIT_TIMEOUT));
    let refusal = match drafted {
        Ok(draft) => match app.scribe.record(draft).await {
            Ok(Recorded::New(entry)) => return Ok(first_answer(app, who, sent, entry)),
            Ok(Recorded::Before(entry)) => {
                not_counted(app, who, sent, &entry);
                return replayed(&present, confirm_answer(app, entry).await?, route, sent);
            }
            Ok(Recorded::Stale) => WebError::Overtaken,
            Err(cannot_record) => cannot_record.into(),
        },
        Err(refusal) => refusal,
    };
    let earlier = tokio::select! {
        earlier = earlier_answer(app, who, sent) => earlier,
        () = too_late => Ok(None),
    };
    let earlier = match earlier {
        // What could not be recorded is told as such, whatever could not be read after it.
        Err(_) if matches!(refusal, WebError::CannotRecord(_)) => None,
        earlier => earlier?,
    };
    match earlier {
        Some(entry) => {
            not_counted(app, who, sent, &entry);
            replayed(&present, confirm_answer(app, entry).await?, route, sent)
        }
        None => Err(refusal),
    }
}

/// Has something decided by one view and recorded, and decided anew by another where something was set up meanwhile that may contradict it.
///
/// # Errors
/// What `attempt` is refused; 401 for an asker who may not come in any more; 503 where something else is always set up meanwhile.
pub async fn decided_anew<F: Future<Output = Result<Answered, WebError>>>(
    app: &AppState,
    who: &Who,
    attempt: impl Fn(Who) -> F,
) -> Result<Answered, WebError> {
    let mut who = who.clone();
    for _ in 0..TRIES {
        match attempt(who.clone()).await {
            Err(WebError::Overtaken) => who.refresh(app).await?,
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
pub async fn recorded_plain(
    app: &AppState,
    who: &Who,
    tournament: &str,
    last: &str,
    sent: &Submission,
    make: impl FnOnce(&Tournament, Option<RequestMark>) -> Result<Event, WebError>,
) -> Result<Answered, WebError> {
    let route = &route(tournament, last);
    let draft = match plain_draft(&who.present(), who, tournament, route, sent, make) {
        Ok(draft) => draft,
        refused => return recorded(app, who, route, sent, refused).await,
    };
    let attempt = |who: Who| {
        let draft = draft.clone().decided_by(who.present().basis(tournament));
        async move { recorded(app, &who, route, sent, Ok(draft)).await }
    };
    decided_anew(app, who, attempt).await
}

fn plain_draft(
    present: &Snapshot,
    who: &Who,
    tournament: &str,
    route: &str,
    sent: &Submission,
    make: impl FnOnce(&Tournament, Option<RequestMark>) -> Result<Event, WebError>,
) -> Result<Draft, WebError> {
    let tournament = who.tournament(present, tournament)?;
    let event = make(tournament, sent.mark(sent.plain_digest(route)))?;
    Ok(Draft::of(&tournament.id, who.actor(), event))
}

/// Like [`recorded_plain`], decided by what is set up at `present`: where something else is so when it is written, it is not
/// recorded.
///
/// # Errors
/// As [`recorded_plain`]; 409 `wrong-state` where something was set up meanwhile.
pub async fn recorded_plain_at(
    app: &AppState,
    present: &Snapshot,
    who: &Who,
    tournament: &str,
    last: &str,
    sent: &Submission,
    make: impl FnOnce(&Tournament, Option<RequestMark>) -> Result<Event, WebError>,
) -> Result<Answered, WebError> {
    let route = route(tournament, last);
    let drafted = plain_draft(present, who, tournament, &route, sent, make);
    let drafted = drafted.map(|draft| draft.decided_by(present.basis(tournament)));
    recorded(app, who, &route, sent, drafted).await
}

/// The answer to a request that was recorded now; where a quota counts its token, its key is known from now on.
fn first_answer(app: &AppState, who: &Who, sent: &Submission, entry: Entry) -> Answered {
    if let (Counted::Once, Some(key)) = (&sent.counted, &sent.key) {
        app.rate_limits.was_answered(&who.0.id, key.as_str(), app.system.monotonic());
    }
    Answered { entry, replayed: false }
}

/// A repeated request is not counted again, at its station or at its table.
fn not_counted(app: &AppState, who: &Who, sent: &Submission, entry: &Entry) {
    if matches!(sent.counted, Counted::Once) {
        app.rate_limits.was_replayed(&who.0.id);
    }
    if let Some(table) = entry.event.slip().and_then(|slip| slip.table)
        && sent.is_counted_at_table.load(Ordering::Relaxed)
    {
        app.rate_limits.table_was_replayed(entry.tournament(), table);
    }
}

/// Has something decided on a state and recorded on that state and no other: where somebody was faster it is decided
/// anew on what is so then. A key that was answered before gets that entry again.
///
/// # Errors
/// What `decide` refuses; 401 for an asker who may not come in any more; 409 `wrong-state` where others are always faster;
/// why there is no entry.
pub async fn decided<S, F: Future<Output = Result<S, WebError>>>(
    app: &AppState,
    who: &Who,
    sent: &Submission,
    digest: Option<String>,
    mut state: S,
    decide: impl Fn(&S, Option<RequestMark>) -> Result<Draft, WebError>,
    again: impl Fn() -> F,
) -> Result<Answered, WebError> {
    if let Some(entry) = earlier_answer(app, who, sent).await? {
        not_counted(app, who, sent, &entry);
        return same_request(confirm_answer(app, entry).await?, digest.as_deref());
    }
    let mut now = who.clone();
    for _ in 0..TRIES {
        let draft = decide(&state, sent.mark(digest.clone()))?;
        let basis = draft.basis.clone().unwrap_or_else(|| now.present().basis(&draft.log));
        match app.scribe.record(draft.decided_by(basis)).await? {
            Recorded::New(entry) => return Ok(first_answer(app, who, sent, entry)),
            Recorded::Before(entry) => {
                not_counted(app, who, sent, &entry);
                return same_request(confirm_answer(app, entry).await?, digest.as_deref());
            }
            Recorded::Stale => {
                now.refresh(app).await?;
                state = again().await?;
            }
        }
    }
    Err(WebError::Overtaken)
}

/// Finds the answer to a request whose answer was lost. Where there is none, the key is closed by an
/// entry, and a request that is still under way with it will get none.
///
/// # Errors
/// 422 `invalid-request`; 503 where nothing can be read or written.
pub async fn resolve(app: &AppState, who: &Who, tournament: &str, sent: &Submission) -> Result<Answered, WebError> {
    let key = sent.key.as_ref().ok_or(WebError::KeyRequired)?;
    // What it answers is no answer to this request, so there is nothing to compare its body with.
    sent.says_nothing()?;
    if let Some(entry) = earlier_answer(app, who, sent).await? {
        not_counted(app, who, sent, &entry);
        return Ok(Answered { entry: confirm_answer(app, entry).await?, replayed: true });
    }
    let request = RequestMark { key: key.as_str().to_owned(), digest: String::new() };
    let event = Event::KeyClosed(KeyClosed { request });
    let draft = Draft::of(tournament, who.actor(), event);
    match app.scribe.record(draft).await? {
        Recorded::New(entry) => Ok(first_answer(app, who, sent, entry)),
        Recorded::Before(entry) => {
            not_counted(app, who, sent, &entry);
            Ok(Answered { entry: confirm_answer(app, entry).await?, replayed: true })
        }
        Recorded::Stale => Err(WebError::Overtaken),
    }
}

/// The entry that answered the request's key, if there is one.
///
/// # Errors
/// 503 where it cannot be read.
pub async fn earlier_answer(app: &AppState, who: &Who, sent: &Submission) -> Result<Option<Entry>, WebError> {
    let Some(key) = &sent.key else { return Ok(None) };
    if let Counted::Answered(earlier) = &sent.counted {
        return Ok(Some(earlier.as_ref().clone()));
    }
    Ok(app.ledger.answer(&who.0.id, key.as_str()).await?)
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
pub fn replayed(present: &Snapshot, entry: Entry, route: &str, sent: &Submission) -> Result<Answered, WebError> {
    let recorded_then = || entry.event.slip().and_then(|slip| Alphabet::shipped(&slip.alphabet));
    let alphabet = entry.event.lexicon().and_then(|lexicon| present.alphabet(lexicon)).or_else(recorded_then);
    let now = match (entry.event.slip(), alphabet) {
        (_, Some(alphabet)) => digest(route, &sent.said, &alphabet),
        (None, None) => sent.plain_digest(route),
        (Some(_), None) => None,
    };
    same_request(entry, now.as_deref())
}

/// The earlier answer, where the digest is that of the request that it answered.
///
/// # Errors
/// 422 `idempotency-key-reused` for another request, 409 `key-closed`.
pub fn same_request(entry: Entry, digest: Option<&str>) -> Result<Answered, WebError> {
    if matches!(entry.event, Event::KeyClosed(_)) {
        return Err(WebError::KeyClosed);
    }
    let recorded = entry.event.request().map(|mark| mark.digest.as_str());
    let is_same = digest.is_some() && digest == recorded;
    if is_same { Ok(Answered { entry, replayed: true }) } else { Err(WebError::KeyReused) }
}

/// A route of a tournament as request digests name it.
pub fn route(tournament: &str, last: &str) -> String {
    format!("{tournament}/{last}")
}
