//! The HTTP response of a committed entry, first or replayed. The entry alone determines it, and it reveals no more
//! than its receiver may know.

use axum::Json;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::domain::compensation::Decision;
use crate::domain::ruleset::DispositionKind;
use crate::domain::{Entry, Event, Faults};

use super::error::WebError;

/// The committed entry that answers a request.
#[derive(Debug)]
pub struct Answer {
    pub entry: Entry,
    /// Whether the key was answered before this request.
    pub replayed: bool,
}

/// The response for an entry.
pub fn entry_response(answered: &Answer) -> Response {
    let mut response = match status_and_body(&answered.entry.event) {
        Ok((status, body)) => (status, Json(body)).into_response(),
        Err(error) => error.into_response(),
    };
    let headers = response.headers_mut();
    if let Some(location) = location(&answered.entry) {
        headers.insert(header::LOCATION, location);
    }
    if answered.replayed {
        headers.insert(HeaderName::from_static("idempotency-replayed"), HeaderValue::from_static("true"));
    }
    response
}

/// The status and body for an event.
///
/// # Errors
/// For events that are recorded and answered as a problem.
pub fn status_and_body(event: &Event) -> Result<(StatusCode, Value), WebError> {
    let body = match event {
        Event::SlipRuled(event) => json!({ "ruling": event.ruling }),
        Event::SlipAdjudicated(event) => json!({ "ruling": event.ruling }),
        Event::SlipCorrected(event) => json!({ "ruling": event.ruling }),
        Event::PaperRuled(event) => json!({ "ruling": event.ruling }),
        Event::DirectorRuled(event) => json!({ "ruling": event.ruling }),
        Event::SlipReleased(event) => match &event.ruled {
            Some(released) => json!({ "ruling": released.ruling }),
            None => json!({ "disposition": DispositionKind::Refused }),
        },
        Event::ChallengeDisposed(event) => json!({ "disposition": event.disposition.kind }),
        Event::SlipDisposed(event) => json!({ "disposition": event.disposition.kind }),
        Event::ReviewRequested(event) => json!({ "review": event.review, "next": event.next }),
        Event::SlipLapsed(_) => json!({ "state": "lapsed" }),
        Event::DirectorsRulingReviewed(event) => json!({ "ordinal": event.ordinal }),
        Event::IncidentReviewed(event) => json!({ "ordinal": event.ordinal }),
        Event::CompensationDecided(event) => match &event.decision {
            Decision::Granted { spread } => json!({ "granted": true, "spread": spread }),
            Decision::Refused { failed } => json!({ "granted": false, "failed": failed }),
        },
        Event::IncidentRuled(event) => json!({ "incident": event.incident }),
        Event::TestDeckRun(event) => json!({ "passed": event.passed }),
        Event::ItemClaimed(_)
        | Event::ItemGivenBack(_)
        | Event::Called(_)
        | Event::CallEnded(_)
        | Event::ClockConfirmed(_)
        | Event::SlipSettled(_)
        | Event::RoundSet(_) => json!({}),
        Event::ApprovalAsked(event) => return Ok((StatusCode::ACCEPTED, json!({ "approval": event.approval }))),
        // Of the acts that need two persons, only setting a division is answered with an empty body, or with what it
        // replaced.
        Event::ApprovalGiven(event)
            if event.approve && (event.answer.is_empty() || event.answer.contains_key("replaced")) =>
        {
            return Ok((StatusCode::OK, Value::Object(event.answer.clone())));
        }
        Event::ApprovalGiven(event) => Value::Object(event.answer.clone()),
        Event::DivisionSet(event) if !event.replaced.is_empty() => {
            return Ok((StatusCode::OK, json!({ "replaced": event.replaced })));
        }
        Event::DivisionSet(_) | Event::TestDeckSet(_) => return Ok((StatusCode::OK, json!({}))),
        Event::KeyClosed(_) => return Ok((StatusCode::OK, json!({ "ruling": null }))),
        Event::SlipHeld(_) => return Err(WebError::SlipHeld),
        Event::SlipAwaitsManualLookup(event) => {
            return Err(Faults::of(event.faults.clone()).map_or(WebError::Internal, WebError::Faults));
        }
        // Set-up events never answer a request.
        _ => return Err(WebError::Internal),
    };
    Ok((StatusCode::CREATED, body))
}

fn location(entry: &Entry) -> Option<HeaderValue> {
    let slip = entry.event.slip()?;
    format!("/api/v1/slips/{}", slip.id).try_into().ok()
}
