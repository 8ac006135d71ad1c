//! What is said of a slip that is on record. Source: CONTRACT 3.1a, 3.3.

use axum::extract::{Request, State};
use axum::response::Response;

use crate::app::App;
use crate::domain::compensation::{Claim, added};
use crate::domain::event::{CompensationDecided, Method, Released};
use crate::domain::settle::{
    Answer, Correction, Decision, DirectorsRuling, Disposal, Lapse, LookedUp, ManualLookup, Opinion, OpinionOnRuling,
    Release, ReviewRequest, adjudicated,
};
use crate::domain::{Action, Event};
use crate::store::Watch;
use crate::web::answer::announce;
use crate::web::asking::{about_slip, asked, read};
use crate::web::error::{Problem, WebError};
use crate::web::openapi::{
    AnswerReview, ClaimCompensation, Compensated, CorrectSlip, DisposeSlip, Ended, GiveOpinion, Given, LapseSlip,
    Lapsed, LookUpManually, OpinionGiven, OptionalKey, ReleaseSlip, RequestReview, ReviewOpened, RuleOnSlip,
};
use crate::web::settlement::{Decided, settle};

/// Ask for another opinion on a slip.
#[utoipa::path(
    post,
    path = "/api/v1/slips/{id}/reviews",
    tag = "reviews",
    params(("id" = String, Path, description = "The slip's id"), OptionalKey),
    request_body = RequestReview,
    responses(
        (status = 201, body = ReviewOpened),
        (status = "4XX", body = Problem, content_type = "application/problem+json")
    )
)]
pub async fn request_review(State(app): State<App>, request: Request) -> Result<Response, WebError> {
    let (who, record, sent) = about_slip(&app, Action::SpeakOfSlip, request).await?;
    let id = app.world.new_id(app.world.now())?;
    let answered = settle(&app, &who, record, "reviews", &sent, |slip| {
        let wanted = ReviewRequest::read(&sent.said)?;
        Ok(Event::ReviewRequested(wanted.of(slip.before, id.clone())?))
    });
    Ok(announce(&answered.await?))
}

/// Give the opinion that an open review asks for.
#[utoipa::path(
    post,
    path = "/api/v1/reviews/{id}/adjudications",
    tag = "reviews",
    params(("id" = String, Path, description = "The review's id"), OptionalKey),
    request_body = AnswerReview,
    responses(
        (status = 201, body = Given),
        (status = "4XX", body = Problem, content_type = "application/problem+json")
    )
)]
pub async fn answer_review(State(app): State<App>, request: Request) -> Result<Response, WebError> {
    let (who, id, request) = asked(&app, Action::AdjudicateSlip, request).await?;
    let slip = app.ledger.slip_of_review(&id).await?.ok_or(WebError::NotFound)?;
    let record = who.slip(&app, &slip).await?;
    let sent = read(&app, &who, request).await?;
    let route = format!("reviews/{id}");
    let answered = settle(&app, &who, record, &route, &sent, |slip| {
        let answer = Answer::read(&sent.said)?;
        let board = match &answer {
            Answer::Lookup { board: Some(typed) } => Some(slip.read(typed)?.iter().map(ToString::to_string).collect()),
            _ => None::<Vec<String>>,
        };
        answer.check(&slip.before, &id, board.as_deref())?;
        let words = slip.words()?;
        let opinion = match answer {
            Answer::Lookup { .. } => {
                let (lexicon, ruling) = slip.look_up(&words)?;
                let penalty = slip.penalty(ruling, &words)?;
                Opinion { method: Method::Lookup, ruling, lexicon: Some(lexicon), sources: Vec::new(), penalty }
            }
            Answer::Manual(ManualLookup { ruling, sources }) => {
                let penalty = slip.penalty(ruling, &words)?;
                Opinion { method: Method::Manual, ruling, lexicon: None, sources, penalty }
            }
        };
        Ok(Event::SlipAdjudicated(adjudicated(slip.before, opinion)))
    });
    Ok(announce(&answered.await?))
}

/// Look a waiting slip up in other sources, as a judge.
#[utoipa::path(
    post,
    path = "/api/v1/slips/{id}/adjudications",
    tag = "slips",
    params(("id" = String, Path, description = "The slip's id"), OptionalKey),
    request_body = LookUpManually,
    responses(
        (status = 201, body = Given),
        (status = "4XX", body = Problem, content_type = "application/problem+json")
    )
)]
pub async fn adjudicate_slip(State(app): State<App>, request: Request) -> Result<Response, WebError> {
    let (who, record, sent) = about_slip(&app, Action::AdjudicateSlip, request).await?;
    let answered = settle(&app, &who, record, "adjudications", &sent, |slip| {
        let found = ManualLookup::read(&sent.said)?;
        let penalty = slip.penalty(found.ruling, &slip.words()?)?;
        Ok(Event::SlipAdjudicated(found.of_waiting(slip.before, penalty)?))
    });
    Ok(announce(&answered.await?))
}

/// Correct a slip that was mis-entered: the words as on the board.
#[utoipa::path(
    post,
    path = "/api/v1/slips/{id}/corrections",
    tag = "slips",
    params(("id" = String, Path, description = "The slip's id"), OptionalKey),
    request_body = CorrectSlip,
    responses(
        (status = 201, body = Given),
        (status = "4XX", body = Problem, content_type = "application/problem+json")
    )
)]
pub async fn correct_slip(State(app): State<App>, request: Request) -> Result<Response, WebError> {
    let (who, record, sent) = about_slip(&app, Action::SpeakOfSlip, request).await?;
    if app.present().floor.is_closed(&who.0.id) {
        return Err(WebError::StationClosed);
    }
    let speaks_for_players = who.0.role.speaks_for_players();
    let near = if speaks_for_players { app.ledger.slips_near(&record).await? } else { Vec::new() };
    let answered = settle(&app, &who, record, "corrections", &sent, |slip| {
        let correction = Correction::read(&sent.said)?;
        correction.check(&slip.before)?;
        let read = slip.read(&correction.typed);
        // A word that another slip tells of is refused before anything is said of its letters.
        if let Ok(words) = &read {
            let words: Vec<String> = words.iter().map(ToString::to_string).collect();
            Correction::check_near(&slip.before, &words, &near)?;
        }
        let lexicon = slip.lexicon_is_there();
        let words = lexicon.and(read)?;
        let (lexicon, ruling) = slip.look_up(&words)?;
        let penalty = slip.penalty(ruling, &words)?;
        let words = words.iter().map(ToString::to_string).collect();
        let watch = Watch::Correction(Box::new(slip.before.record.clone()));
        let event = Event::SlipCorrected(correction.of(slip.before, LookedUp { words, lexicon, ruling, penalty }));
        let decided = Decided::from(event);
        Ok(if speaks_for_players { decided.watched(watch) } else { decided })
    });
    Ok(announce(&answered.await?))
}

/// Release a held slip: a play of its own, or the same play once more.
#[utoipa::path(
    post,
    path = "/api/v1/slips/{id}/release",
    tag = "slips",
    params(("id" = String, Path, description = "The slip's id"), OptionalKey),
    request_body = ReleaseSlip,
    responses(
        (status = 201, body = Given, description = "A play of its own; for the same play: `{\"disposition\":\"refused\"}`"),
        (status = "4XX", body = Problem, content_type = "application/problem+json")
    )
)]
pub async fn release_slip(State(app): State<App>, request: Request) -> Result<Response, WebError> {
    let (who, record, sent) = about_slip(&app, Action::AdjudicateSlip, request).await?;
    let answered = settle(&app, &who, record, "release", &sent, |slip| {
        let release = Release::read(&sent.said)?;
        release.check(&slip.before)?;
        let ruled = match release.decision {
            Decision::SamePlay => None,
            Decision::NewPlay => {
                let words = slip.words()?;
                let (lexicon, ruling) = slip.look_up(&words)?;
                Some(Released { lexicon, ruling, penalty: slip.penalty(ruling, &words)? })
            }
        };
        Ok(Event::SlipReleased(release.of(slip.before, ruled)))
    });
    Ok(announce(&answered.await?))
}

/// Declare that no review can be asked for any more.
#[utoipa::path(
    post,
    path = "/api/v1/slips/{id}/lapse",
    tag = "reviews",
    params(("id" = String, Path, description = "The slip's id"), OptionalKey),
    request_body = LapseSlip,
    responses(
        (status = 201, body = Lapsed),
        (status = "4XX", body = Problem, content_type = "application/problem+json")
    )
)]
pub async fn lapse_slip(State(app): State<App>, request: Request) -> Result<Response, WebError> {
    let (who, record, sent) = about_slip(&app, Action::AdjudicateSlip, request).await?;
    let answered = settle(&app, &who, record, "lapse", &sent, |slip| {
        Ok(Event::SlipLapsed(Lapse::read(&sent.said)?.of(slip.before)?))
    });
    Ok(announce(&answered.await?))
}

/// End a slip that has no ruling yet without a look-up.
#[utoipa::path(
    post,
    path = "/api/v1/slips/{id}/dispositions",
    tag = "slips",
    params(("id" = String, Path, description = "The slip's id"), OptionalKey),
    request_body = DisposeSlip,
    responses(
        (status = 201, body = Ended),
        (status = "4XX", body = Problem, content_type = "application/problem+json")
    )
)]
pub async fn dispose_slip(State(app): State<App>, request: Request) -> Result<Response, WebError> {
    let (who, record, sent) = about_slip(&app, Action::SpeakOfSlip, request).await?;
    let answered = settle(&app, &who, record, "dispositions", &sent, |slip| {
        let disposal = Disposal::read(&sent.said)?;
        let penalty = slip.penalty_of(disposal.0.kind);
        Ok(Event::SlipDisposed(disposal.of(slip.before, penalty)?))
    });
    Ok(announce(&answered.await?))
}

/// Rule on a slip as the director, whatever was ruled before.
#[utoipa::path(
    post,
    path = "/api/v1/slips/{id}/rulings",
    tag = "director",
    params(("id" = String, Path, description = "The slip's id"), OptionalKey),
    request_body = RuleOnSlip,
    responses(
        (status = 201, body = Given),
        (status = "4XX", body = Problem, content_type = "application/problem+json")
    )
)]
pub async fn rule_on_slip(State(app): State<App>, request: Request) -> Result<Response, WebError> {
    let (who, record, sent) = about_slip(&app, Action::RuleOnSlip, request).await?;
    let answered = settle(&app, &who, record, "rulings", &sent, |slip| {
        let ruling = DirectorsRuling::read(&sent.said)?;
        let penalty = slip.penalty(ruling.ruling, &slip.words()?)?;
        Ok(Event::DirectorRuled(ruling.of(slip.before, penalty)?))
    });
    Ok(announce(&answered.await?))
}

/// Give another opinion on a director's ruling.
#[utoipa::path(
    post,
    path = "/api/v1/slips/{id}/opinions",
    tag = "director",
    params(("id" = String, Path, description = "The slip's id"), OptionalKey),
    request_body = GiveOpinion,
    responses(
        (status = 201, body = OpinionGiven),
        (status = "4XX", body = Problem, content_type = "application/problem+json")
    )
)]
pub async fn give_opinion(State(app): State<App>, request: Request) -> Result<Response, WebError> {
    let (who, record, sent) = about_slip(&app, Action::RuleOnSlip, request).await?;
    let answered = settle(&app, &who, record, "opinions", &sent, |slip| {
        let opinion = OpinionOnRuling::read(&sent.said, slip.before.record)?;
        OpinionOnRuling::check(&slip.before)?;
        let penalty = slip.penalty(opinion.ruling, &slip.words()?)?;
        Ok(Event::DirectorsRulingReviewed(opinion.of(slip.before, penalty)?))
    });
    Ok(announce(&answered.await?))
}

/// Decide on compensation for an erroneous adjudication.
#[utoipa::path(
    post,
    path = "/api/v1/slips/{id}/compensations",
    tag = "director",
    params(("id" = String, Path, description = "The slip's id"), OptionalKey),
    request_body = ClaimCompensation,
    responses(
        (status = 201, body = Compensated),
        (status = "4XX", body = Problem, content_type = "application/problem+json")
    )
)]
pub async fn compensate(State(app): State<App>, request: Request) -> Result<Response, WebError> {
    let (who, record, sent) = about_slip(&app, Action::RuleOnSlip, request).await?;
    let answered = settle(&app, &who, record, "compensations", &sent, |slip| {
        let added = added(slip.before.ruleset)?;
        let claim = Claim::read(&sent.said)?;
        let decision = claim.decide(slip.before.record, added)?;
        Ok(Event::CompensationDecided(CompensationDecided {
            follows: slip.before.record.follows(),
            claim,
            decision,
            request: slip.before.request,
            program: crate::PROGRAM.to_owned(),
        }))
    });
    Ok(announce(&answered.await?))
}
