//! One challenge, one straight line: what was said, heard, recorded, and only then answered. The API
//! and the station's pages both come here.

use std::sync::Arc;

use crate::app::App;
use crate::domain::event::{KeyClosed, Method};
use crate::domain::request::{RequestMark, digest};
use crate::domain::{
    Alphabet, Division, Entry, Event, Faults, Filing, Lexica, LexiconName, RawSlip, Role, Slug, Tournament, hear,
};
use crate::lexicon::Opened;
use crate::present::Present;
use crate::store::{Draft, Recorded};

use super::error::WebError;
use super::submission::Submission;
use super::who::Who;

/// The route as request digests name it.
const ROUTE: &str = "slips";

/// The committed entry that answers a challenge.
#[derive(Debug)]
pub struct Answered {
    pub entry: Entry,
    /// Whether the key had already been answered before this request.
    pub replayed: bool,
}

/// Files a slip and answers with its committed entry. A key that was answered before gets that entry
/// again, whatever would be ruled now.
///
/// The scribe looks for an earlier answer anyway, under the write lock. So it is looked for here only where
/// a request does not come so far: because it is refused now, or because nothing can be written.
///
/// # Errors
/// Whatever CONTRACT's table of refusals names, in its order; there is no ruling then.
pub async fn challenge(app: &App, who: &Who, tournament: &str, sent: &Submission) -> Result<Answered, WebError> {
    let present = app.present();
    let tournament = who.tournament(&present, tournament)?;
    let refusal = match drafted(app, &present, who, tournament, sent) {
        Ok(draft) => match app.scribe.record(draft).await {
            Ok(Recorded::New(entry)) => return Ok(Answered { entry, replayed: false }),
            Ok(Recorded::Before(entry)) => return replayed(&present, entry, sent),
            Ok(Recorded::Stale) => WebError::Overtaken,
            Err(cannot_record) => cannot_record.into(),
        },
        Err(refusal) => refusal,
    };
    match earlier_answer(app, who, sent).await? {
        Some(entry) => replayed(&present, entry, sent),
        None => Err(refusal),
    }
}

/// Hears a slip; what is to be recorded of it.
fn drafted(
    app: &App,
    present: &Present,
    who: &Who,
    tournament: &Tournament,
    sent: &Submission,
) -> Result<Draft, WebError> {
    let raw = RawSlip::read(&sent.said, |division| who.0.role == Role::Station && tournament.requires_table(division))?;
    let division = tournament.division(&raw.division)?;
    if who.0.role == Role::Station {
        self_lookup(division)?;
    }
    let lexicon = active_lexicon(present, division)?;
    let second = second_lexicon(present, division)?;
    let lexica = Lexica {
        lexicon: &*lexicon,
        second: second.as_deref(),
        alphabet: lexicon.alphabet(),
        covered: lexicon.lengths(),
    };
    let heard = hear(raw, division, &lexica)?;
    let event = heard.recorded(division, filing(app, who, tournament, sent, &lexicon)?);
    Ok(Draft { log: tournament.id.clone(), actor: who.actor(), event })
}

fn filing(
    app: &App,
    who: &Who,
    tournament: &Tournament,
    sent: &Submission,
    lexicon: &Opened,
) -> Result<Filing, WebError> {
    let request = sent.key.as_ref().and_then(|key| {
        let digest = digest(&route(&tournament.id), &sent.said, lexicon.alphabet())?;
        Some(RequestMark { key: key.as_str().to_owned(), digest })
    });
    Ok(Filing {
        id: app.world.new_id(app.world.now())?,
        method: Method::of(who.0.role),
        lexicon: lexicon.name().clone(),
        alphabet: lexicon.alphabet().name().to_owned(),
        request,
        program: crate::PROGRAM.to_owned(),
    })
}

/// Whether the players of a division look words up by themselves.
///
/// # Errors
/// 409 `self-lookup-off`, with the rule.
pub fn self_lookup(division: &Division) -> Result<(), WebError> {
    if division.allows_self_lookup() {
        return Ok(());
    }
    let detail = format!(
        "in division {} the players do not look words up themselves ({}): call a judge",
        division.id, division.ruleset.self_lookup.rule
    );
    Err(WebError::Faults(Faults::one("division", Slug::SelfLookupOff, detail)))
}

/// The division's lexicon, opened and verified. There is no other to fall back on.
///
/// # Errors
/// 409 `no-active-lexicon`.
pub fn active_lexicon(present: &Present, division: &Division) -> Result<Arc<Opened>, WebError> {
    opened(present, division, &division.lexicon)
}

/// The second lexicon of a division whose ruleset has one.
///
/// # Errors
/// 409 `no-active-lexicon`, also where the play would need no look into it: nobody is to learn that.
pub fn second_lexicon(present: &Present, division: &Division) -> Result<Option<Arc<Opened>>, WebError> {
    division.second.as_ref().map(|second| opened(present, division, second)).transpose()
}

fn opened(present: &Present, division: &Division, lexicon: &LexiconName) -> Result<Arc<Opened>, WebError> {
    present.opened(lexicon).ok_or_else(|| {
        let detail = format!(
            "the lexicon {} of division {} is not loaded or failed its check: no ruling can be given, call the director",
            lexicon.id, division.id
        );
        WebError::Faults(Faults::one("division", Slug::NoActiveLexicon, detail))
    })
}

/// Finds the answer to a request whose answer was lost. Where there is none, the key is closed by an
/// entry, and a request that is still under way with it will get none.
///
/// # Errors
/// 422 `invalid-request`; 503 where nothing can be read or written.
pub async fn resolve(app: &App, who: &Who, tournament: &str, sent: &Submission) -> Result<Answered, WebError> {
    let key = sent.key.as_ref().ok_or(WebError::KeyRequired)?;
    if let Some(entry) = earlier_answer(app, who, sent).await? {
        return Ok(Answered { entry, replayed: true });
    }
    if !sent.said.is_empty() {
        return Err(WebError::InvalidRequest);
    }
    let request = RequestMark { key: key.as_str().to_owned(), digest: String::new() };
    let event = Event::KeyClosed(KeyClosed { request });
    let draft = Draft { log: tournament.to_owned(), actor: who.actor(), event };
    match app.scribe.record(draft).await? {
        Recorded::New(entry) => Ok(Answered { entry, replayed: false }),
        Recorded::Before(entry) => Ok(Answered { entry, replayed: true }),
        Recorded::Stale => Err(WebError::Overtaken),
    }
}

pub async fn earlier_answer(app: &App, who: &Who, sent: &Submission) -> Result<Option<Entry>, WebError> {
    let Some(key) = &sent.key else { return Ok(None) };
    Ok(app.ledger.answer(&who.0.id, key.as_str()).await?)
}

/// The earlier answer to the same request. The words are compared by the alphabet that was recorded then.
fn replayed(present: &Present, entry: Entry, sent: &Submission) -> Result<Answered, WebError> {
    let recorded_then = || entry.event.slip().and_then(|slip| Alphabet::shipped(&slip.alphabet));
    let alphabet = entry.event.lexicon().and_then(|lexicon| present.alphabet(lexicon)).or_else(recorded_then);
    let now = alphabet.and_then(|alphabet| digest(&route(entry.tournament()), &sent.said, &alphabet));
    same_request(entry, now.as_deref())
}

/// The earlier answer, where the digest is that of the request that it answered.
pub fn same_request(entry: Entry, digest: Option<&str>) -> Result<Answered, WebError> {
    if matches!(entry.event, Event::KeyClosed(_)) {
        return Err(WebError::KeyClosed);
    }
    let recorded = entry.event.request().map(|mark| mark.digest.as_str());
    let is_same = digest.is_some() && digest == recorded;
    if is_same { Ok(Answered { entry, replayed: true }) } else { Err(WebError::KeyReused) }
}

fn route(tournament: &str) -> String {
    format!("{tournament}/{ROUTE}")
}
