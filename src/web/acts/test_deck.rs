//! Test decks: plays whose rulings are known, before a station's first challenge. Source: CONTRACT 3.3.

use crate::domain::event::TestDeckRun;
use crate::domain::fields::Fields;
use crate::domain::test_deck::Deck;
use crate::domain::{DivisionLexica, Event, FaultCode};
use crate::web::acts::challenge::{active_lexicon, second_lexicon};
use crate::web::acts::idempotency::record_event_once;
use crate::web::auth::caller::Caller;
use crate::web::http::entry_response::Answer;
use crate::web::http::error::WebError;
use crate::web::http::request::KeyedRequest;
use crate::web::state::AppState;

/// Runs a division's test deck for a station, and waits until the snapshot has the outcome.
///
/// # Errors
/// What the request lacks, or why there is nothing to run.
pub async fn run(app: &AppState, caller: &Caller, tournament: &str, sent: &KeyedRequest) -> Result<Answer, WebError> {
    let answer = record_event_once(app, caller, tournament, "test-decks", sent, |snapshot, tournament, request| {
        let mut fields = Fields::of(&sent.body, FaultCode::InvalidRequest);
        let named = fields.required_line("division", 32);
        let division = tournament.division(&fields.finish(named)?)?;
        let lexicon = active_lexicon(snapshot, division)?;
        let second = second_lexicon(snapshot, division)?;
        let lexica = DivisionLexica {
            lexicon: &*lexicon,
            second: second.as_deref(),
            alphabet: lexicon.alphabet(),
            covered: lexicon.lengths(),
        };
        let longest = division.settings.max_tiles().min(lexicon.lengths().longest);
        let drawn = Deck::of_list(|see| lexicon.each_word(see), lexicon.alphabet(), longest);
        let deck = drawn.and(&division.known_plays);
        Ok(Event::TestDeckRun(TestDeckRun {
            division: division.id.clone(),
            passed: deck.passes(division, &lexica),
            request,
            program: crate::PROGRAM.to_owned(),
        }))
    });
    let answer = answer.await?;
    app.refresh().await;
    Ok(answer)
}
