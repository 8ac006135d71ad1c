//! A slip as CONTRACT 3.2 describes it, for everyone who may read it.

use crate::domain::player::Player;
use serde::Serialize;
use utoipa::ToSchema;

use crate::domain::event::{Declarer, Method, NextOpinion, ReviewReason, Source};
use crate::domain::probing::{self, FilingLocation};
use crate::domain::record::{Adjudication, OpenReview, SlipRecord, State};
use crate::domain::ruleset::DispositionKind;
use crate::domain::{Action, Lexicon as _, LexiconName, Penalty, Role, Ruling};
use crate::snapshot::Snapshot;
use crate::web::acts::slip_decision::{decision_context, windows};
use crate::web::auth::caller::Caller;
use crate::web::http::error::WebError;
use crate::web::state::AppState;

/// A slip. While a review is open a judge sees no ruling, and neither who requested the review nor why. Source: D 6.
#[derive(Serialize, ToSchema)]
pub struct SlipView {
    id: String,
    number: u64,
    tournament: String,
    division: String,
    #[schema(required = true)]
    round: Option<i64>,
    #[schema(required = true)]
    table: Option<i64>,
    words: Vec<String>,
    #[schema(required = true)]
    challenger: Option<String>,
    #[schema(required = true)]
    opponent: Option<String>,
    #[schema(required = true)]
    play_score: Option<i64>,
    out_play: bool,
    /// Only where it was one: players checked words between games.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    free_lookup: bool,
    follows: Option<String>,
    state: State,
    /// Only if nothing vouches for an entry of it: its record was changed or damaged, and no director has settled it.
    /// It has no ruling and no penalty then.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    in_question: bool,
    #[schema(required = true)]
    disposition: Option<DispositionKind>,
    #[schema(required = true)]
    ruling: Option<Ruling>,
    adjudications: Vec<AdjudicationView>,
    #[schema(required = true)]
    penalty: Option<Penalty>,
    review: ReviewView,
    ruleset: String,
    filed_at: String,
    entry: u64,
    /// For directors and observers only: slips of which its ruling could reveal something, or the other way round.
    #[serde(skip_serializing_if = "Option::is_none")]
    shares: Option<Vec<String>>,
    /// For judges, directors and observers only, and only where there is one: the ruled slip of its table of whose play
    /// it may be, or is, another part.
    #[serde(skip_serializing_if = "Option::is_none")]
    parts_of: Option<String>,
    /// For directors and observers only: by whom it was filed.
    #[serde(skip_serializing_if = "Option::is_none")]
    filed_by: Option<String>,
    /// For directors and observers only, where the challenge ended without a look-up: why, and who says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    declared: Option<DeclaredView>,
}

#[derive(Serialize, ToSchema)]
struct DeclaredView {
    reason: String,
    #[schema(required = true)]
    by: Option<Declarer>,
}

#[derive(Serialize, ToSchema)]
struct AdjudicationView {
    ordinal: usize,
    method: Method,
    #[schema(required = true)]
    ruling: Option<Ruling>,
    /// Only if nothing vouches for this opinion; its `ruling` is null then.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    in_question: bool,
    /// For directors and observers only, of an opinion in question: the ruling that stands in its record.
    #[serde(skip_serializing_if = "Option::is_none")]
    recorded_ruling: Option<Ruling>,
    at: String,
    by: String,
    typed: Vec<String>,
    late: bool,
    /// Null for what is no look-up in a lexicon.
    #[schema(required = true)]
    lexicon: Option<LexiconView>,
    /// Of a manual look-up.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sources: Vec<SourceView>,
    /// For directors and observers only; for everybody else the field is not there at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<WordView>>, required = false)]
    words: Option<WordsView>,
}

#[derive(Serialize, ToSchema)]
struct SourceView {
    title: String,
    edition: String,
    entry: String,
}

#[derive(Serialize, ToSchema)]
struct LexiconView {
    id: String,
    edition: String,
    fingerprint: String,
}

/// The result of each word by the recorded lexicon.
#[derive(Serialize)]
#[serde(untagged)]
enum WordsView {
    LookedUp(Vec<WordView>),
    /// The recorded lexicon is unavailable, or there was no look-up; written as null.
    Gone,
}

#[derive(Serialize, ToSchema)]
struct WordView {
    word: String,
    acceptable: bool,
}

#[derive(Serialize, ToSchema)]
struct ReviewView {
    /// Whether a player may ask for one now.
    allowed: bool,
    #[schema(required = true)]
    why_not: Option<String>,
    #[schema(required = true)]
    open: Option<OpenReviewView>,
}

#[derive(Serialize, ToSchema)]
struct OpenReviewView {
    id: String,
    #[schema(required = true)]
    reason: Option<ReviewReason>,
    #[schema(required = true)]
    requested_by: Option<Player>,
    next: NextOpinion,
    opened_at: String,
    #[schema(required = true)]
    claimed_by: Option<String>,
}

/// The role of the viewer, and whether rulings are hidden from them.
#[derive(Clone, Copy)]
pub struct Viewer {
    pub by: Role,
    pub is_blind: bool,
}

impl Viewer {
    /// The viewer of a slip, without regard to its neighbours.
    pub fn alone(record: &SlipRecord, by: Role) -> Self {
        Self { by, is_blind: record.is_hidden_from(by) }
    }

    /// The viewer of a slip, with regard to its neighbours: a judge who is to judge a slip blind must not see the
    /// rulings of neighbours that would reveal its ruling. Source: D 6.
    ///
    /// # Errors
    /// 503 if the ledger cannot be read.
    pub async fn beside(app: &AppState, record: &SlipRecord, caller: &Caller) -> Result<Self, WebError> {
        let alone = Self::alone(record, caller.principal.role);
        if caller.principal.role != Role::Judge || alone.is_blind {
            return Ok(alone);
        }
        let is_blind = probing::reveals_reviewed_slip(
            record,
            &app.ledger.neighbours(FilingLocation::of(record)).await?,
            windows(&caller.snapshot(), record),
        );
        Ok(Self { is_blind, ..alone })
    }
}

impl SlipView {
    pub fn of(record: &SlipRecord, viewer: Viewer, snapshot: &Snapshot) -> Self {
        let (sees_words, is_blind) = (viewer.by.may(Action::SeeWords), viewer.is_blind);
        let slip = record.slip.clone();
        let adjudications = record.adjudications.iter();
        Self {
            id: slip.id,
            number: slip.number,
            tournament: record.tournament.clone(),
            division: slip.division,
            round: slip.round,
            table: slip.table,
            words: record.words.clone(),
            challenger: slip.challenger,
            opponent: slip.opponent,
            play_score: slip.play_score,
            out_play: slip.out_play,
            free_lookup: slip.free_lookup,
            follows: slip.follows,
            state: record.state,
            in_question: record.in_question,
            disposition: record.disposition,
            ruling: record.ruling().filter(|_| !is_blind),
            adjudications: adjudications
                .map(|one| AdjudicationView::of(one, is_blind, sees_words.then_some(snapshot)))
                .collect(),
            penalty: record.penalty.clone().filter(|_| !is_blind),
            review: ReviewView::of(record, is_blind, snapshot),
            ruleset: slip.ruleset,
            filed_at: record.filed_at.to_string(),
            entry: record.entry,
            shares: sees_words.then(|| record.shares.clone()),
            parts_of: record.parts_of.clone().filter(|_| !viewer.by.speaks_for_players()),
            filed_by: sees_words.then(|| record.filed_by.name.clone()),
            declared: record
                .declared
                .clone()
                .filter(|_| sees_words)
                .map(|declared| DeclaredView { reason: declared.reason, by: declared.declared_by }),
        }
    }
}

impl ReviewView {
    fn of(record: &SlipRecord, is_blind: bool, snapshot: &Snapshot) -> Self {
        let next = decision_context(snapshot, record).next_for_players(record).map_err(|why| why.to_string());
        // Whether two opinions agree would reveal a ruling.
        let next =
            if is_blind { Err("a review is open here or beside it: wait for its opinion".to_owned()) } else { next };
        let open = |review: &OpenReview| OpenReviewView {
            id: review.id.clone(),
            reason: Some(review.reason).filter(|_| !is_blind),
            requested_by: Some(review.requested_by).filter(|_| !is_blind),
            next: review.next,
            opened_at: review.opened_at.to_string(),
            claimed_by: record.claimed_by.as_ref().map(|principal| principal.name.clone()),
        };
        Self { allowed: next.is_ok(), why_not: next.err(), open: record.review.as_ref().map(open) }
    }
}

impl AdjudicationView {
    fn of(adjudication: &Adjudication, is_blind: bool, words_by: Option<&Snapshot>) -> Self {
        let source = |source: &Source| SourceView {
            title: source.title.clone(),
            edition: source.edition.clone(),
            entry: source.entry.clone(),
        };
        Self {
            ordinal: adjudication.ordinal,
            method: adjudication.method,
            ruling: Some(adjudication.ruling).filter(|_| !is_blind && !adjudication.in_question),
            in_question: adjudication.in_question,
            recorded_ruling: words_by.filter(|_| adjudication.in_question).map(|_| adjudication.ruling),
            at: adjudication.at.to_string(),
            by: adjudication.by.name.clone(),
            typed: adjudication.typed.clone(),
            late: adjudication.method == Method::Paper,
            lexicon: adjudication.lexicon.as_ref().map(LexiconView::of),
            sources: adjudication.sources.iter().filter(|_| !is_blind).map(source).collect(),
            words: words_by
                .map(|snapshot| look_up_again(adjudication, snapshot).map_or(WordsView::Gone, WordsView::LookedUp)),
        }
    }
}

impl LexiconView {
    fn of(name: &LexiconName) -> Self {
        Self { id: name.id.clone(), edition: name.edition.clone(), fingerprint: name.fingerprint.clone() }
    }
}

/// The result of each word by the recorded lexicon; `None` if that is unavailable.
fn look_up_again(adjudication: &Adjudication, snapshot: &Snapshot) -> Option<Vec<WordView>> {
    let lexicon = snapshot.opened(adjudication.lexicon.as_ref()?)?;
    adjudication
        .words
        .iter()
        .map(|written| {
            let word = lexicon.alphabet().read(written).ok().flatten()?;
            Some(WordView { word: written.clone(), acceptable: lexicon.contains(&word) })
        })
        .collect()
}
