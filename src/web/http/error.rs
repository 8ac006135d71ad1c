//! Errors over HTTP, as RFC 9457 problems.

use std::sync::Arc;

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use crate::domain::decision::Refusal;
use crate::domain::{Action, Fault, FaultCode, Faults, Role};
use crate::log::OncePerSecond;
use crate::store::accounts::staff::PeopleError;
use crate::store::{LedgerError, WriteError};
use crate::system::{NoRandomness, System};

use crate::web::limits::rate_limit::TooMany;

/// The errors of a request.
#[derive(Debug, thiserror::Error)]
pub enum WebError {
    #[error("sign in, or send a token: Authorization: Bearer TOKEN")]
    NotSignedIn,
    #[error("this token is unknown or was revoked")]
    UnknownToken,
    #[error("{0}")]
    Forbidden(&'static str),
    #[error("this is for the role {}, and you are {}", roles_that_may(*.0), .1)]
    WrongRole(Action, Role),
    #[error("not found, or not visible with this token (a token belongs to one tournament)")]
    NotFound,
    #[error("send a header Idempotency-Key of 1 to 128 visible ASCII characters, a new one for every slip")]
    KeyRequired,
    #[error("the request is larger than {0} bytes")]
    TooLarge(usize),
    #[error("send one header Host, as HTTP/1.1 asks for")]
    HostRequired,
    #[error("the address is longer than {0} bytes")]
    PathTooLong(usize),
    #[error("the headers are larger than {0} bytes together")]
    HeadersTooLarge(usize),
    #[error("the request did not arrive in time; send it again with the same Idempotency-Key")]
    TooSlow,
    #[error("send JSON with Content-Type: application/json")]
    UnsupportedMediaType,
    #[error("the body is empty: send a JSON object with Content-Type: application/json")]
    NoBody,
    #[error("the body is not a JSON object in UTF-8: {0}")]
    MalformedJson(String),
    #[error("{}", .0.first().detail)]
    Faults(Faults),
    #[error("this Idempotency-Key was used for another request; choose a new one")]
    KeyReused,
    #[error(
        "this Idempotency-Key was closed: the answer was asked for and none had been given; send the slip with a new key"
    )]
    KeyClosed,
    #[error("{0}")]
    Refused(Refusal),
    #[error("call a judge: this slip is recorded and held, because it shares a word with another one of this table")]
    SlipHeld,
    #[error(
        "the answer that this Idempotency-Key had is in question, because its record was changed or damaged: call the director, who settles it"
    )]
    InQuestion,
    #[error("this station failed its test and gives no rulings: call the director")]
    StationClosed,
    #[error("too many requests: wait {} seconds", .0.retry_after_s)]
    TooMany(TooMany),
    #[error("too many people are signing in at this moment: try again")]
    SignInBusy,
    #[error("{0}")]
    NameTaken(String),
    #[error("another person is changing the same thing at this moment: read it again, then decide")]
    ConcurrentChange,
    #[error("{}", method_fault(.0))]
    MethodNotAllowed(Vec<String>),
    #[error(
        "this server is not set up: make the first director with the code that it printed (/first-run), or create a tournament and a token on its command line"
    )]
    NotSetUp,
    #[error(
        "this could not be recorded, so nothing was done and there is no ruling; send it again, with the same Idempotency-Key if it had one"
    )]
    WriteError(#[source] WriteError),
    #[error("the ledger cannot be read now; try again")]
    CannotRead(#[source] Arc<LedgerError>),
    #[error("something failed inside the server; call the director")]
    Internal,
}

impl WebError {
    /// The error of a failed write: no entry is known to be recorded.
    #[must_use]
    pub fn from_failed_write(error: LedgerError) -> Self {
        Self::WriteError(WriteError::Ledger(Arc::new(error)))
    }
}

impl From<Faults> for WebError {
    fn from(faults: Faults) -> Self {
        Self::Faults(faults)
    }
}

impl From<LedgerError> for WebError {
    fn from(error: LedgerError) -> Self {
        match error {
            LedgerError::InQuestion => Self::InQuestion,
            error => Self::CannotRead(Arc::new(error)),
        }
    }
}

impl From<Refusal> for WebError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Faults(faults) => Self::Faults(faults),
            Refusal::Forbidden(why) => Self::Forbidden(why),
            Refusal::Unreadable => Self::Internal,
            refusal => Self::Refused(refusal),
        }
    }
}

impl From<TooMany> for WebError {
    fn from(too_many: TooMany) -> Self {
        Self::TooMany(too_many)
    }
}

impl From<WriteError> for WebError {
    fn from(error: WriteError) -> Self {
        Self::WriteError(error)
    }
}

impl From<NoRandomness> for WebError {
    fn from(error: NoRandomness) -> Self {
        tracing::error!(error = %error, "no id can be made");
        Self::Internal
    }
}

impl From<PeopleError> for WebError {
    fn from(error: PeopleError) -> Self {
        match error {
            PeopleError::Ledger(error) => Self::from_failed_write(error),
            PeopleError::NoRandomness(error) => error.into(),
            PeopleError::NameTaken(_) | PeopleError::LabelTaken(_) | PeopleError::NotShown => {
                Self::NameTaken(error.to_string())
            }
            PeopleError::NoSuchStaff(_) | PeopleError::NoSuchDevice => Self::NotFound,
            PeopleError::Hash(_) => Self::Internal,
        }
    }
}

/// What is wrong, and what to do. RFC 9457.
#[derive(Serialize, ToSchema)]
pub struct Problem {
    /// `/problems/<slug>`
    r#type: String,
    title: &'static str,
    status: u16,
    /// A sentence for people.
    detail: String,
    /// The first field at fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    /// All faults of one level.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    faults: Vec<Fault>,
}

impl WebError {
    /// Status, slug and title of each error, in one place.
    #[must_use]
    pub fn status_slug_title(&self) -> (StatusCode, &'static str, &'static str) {
        match self {
            Self::NotSignedIn | Self::UnknownToken => (StatusCode::UNAUTHORIZED, "not-signed-in", "Not signed in"),
            Self::Forbidden(_) | Self::WrongRole(..) => (StatusCode::FORBIDDEN, "forbidden", "Not allowed"),
            Self::NotFound => (StatusCode::NOT_FOUND, "not-found", "Not found"),
            Self::KeyRequired => (StatusCode::BAD_REQUEST, "idempotency-key-required", "A key is required"),
            Self::TooLarge(_) => (StatusCode::PAYLOAD_TOO_LARGE, "too-large", "Too large"),
            Self::HostRequired => (StatusCode::BAD_REQUEST, "host-required", "One Host is required"),
            Self::PathTooLong(_) => (StatusCode::URI_TOO_LONG, "path-too-long", "Address too long"),
            Self::HeadersTooLarge(_) => {
                (StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, "headers-too-large", "Headers too large")
            }
            Self::TooSlow => (StatusCode::REQUEST_TIMEOUT, "too-slow", "Too slow"),
            Self::UnsupportedMediaType | Self::NoBody => {
                (StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported-media-type", "Not JSON")
            }
            Self::MalformedJson(_) => (StatusCode::BAD_REQUEST, "malformed-json", "Malformed JSON"),
            Self::Faults(faults) => fault_status_slug_title(faults.first().slug),
            Self::KeyReused => (StatusCode::UNPROCESSABLE_ENTITY, "idempotency-key-reused", "Key used before"),
            Self::KeyClosed => (StatusCode::CONFLICT, "key-closed", "Key closed"),
            Self::Refused(refusal) => refusal_status_slug_title(refusal),
            Self::ConcurrentChange => (StatusCode::CONFLICT, "wrong-state", "Not in this state"),
            Self::SlipHeld => (StatusCode::CONFLICT, "ask-a-judge", "Ask a judge"),
            Self::InQuestion => (StatusCode::CONFLICT, "in-question", "In question"),
            Self::StationClosed => (StatusCode::CONFLICT, "station-closed", "Station closed"),
            Self::TooMany(_) => (StatusCode::TOO_MANY_REQUESTS, "too-many", "Too many requests"),
            Self::SignInBusy => (StatusCode::SERVICE_UNAVAILABLE, "busy", "Busy"),
            Self::NameTaken(_) => (StatusCode::CONFLICT, "taken", "Taken"),
            Self::MethodNotAllowed(_) => (StatusCode::METHOD_NOT_ALLOWED, "method-not-allowed", "Method not allowed"),
            Self::NotSetUp => (StatusCode::SERVICE_UNAVAILABLE, "not-set-up", "Not set up"),
            Self::WriteError(_) => (StatusCode::SERVICE_UNAVAILABLE, "cannot-record", "Cannot record"),
            Self::CannotRead(_) => (StatusCode::SERVICE_UNAVAILABLE, "cannot-read", "Cannot read"),
            Self::Internal => (StatusCode::INTERNAL_SERVER_ERROR, "internal", "Internal error"),
        }
    }

    fn faults(&self) -> Vec<Fault> {
        match self {
            Self::Faults(faults) => faults.iter().cloned().collect(),
            _ => Vec::new(),
        }
    }

    /// Logs the cause, once a second at most; clients never see it.
    fn log(&self) {
        static REFUSED: OncePerSecond = OncePerSecond::new();
        static UNREAD: OncePerSecond = OncePerSecond::new();
        let now = System::Real.monotonic();
        match self {
            Self::WriteError(cause) => {
                if let Some(left_out) = REFUSED.admit(now) {
                    tracing::error!(%cause, left_out, "no ruling: cannot record");
                }
            }
            Self::CannotRead(cause) => {
                if let Some(left_out) = UNREAD.admit(now) {
                    tracing::error!(%cause, left_out, "cannot read the ledger");
                }
            }
            _ => {}
        }
    }
}

/// `judge or director`
fn roles_that_may(action: Action) -> String {
    let roles: Vec<&str> = Role::ALL.iter().filter(|role| role.may(action)).map(|role| role.as_str()).collect();
    roles.join(" or ")
}

fn method_fault(methods: &[String]) -> String {
    match methods {
        [] => "this address does not take this method".to_owned(),
        methods => format!("this address takes {} only", methods.join(" and ")),
    }
}

fn refusal_status_slug_title(refusal: &Refusal) -> (StatusCode, &'static str, &'static str) {
    match refusal {
        Refusal::Faults(faults) => fault_status_slug_title(faults.first().slug),
        Refusal::Forbidden(_) => (StatusCode::FORBIDDEN, "forbidden", "Not allowed"),
        Refusal::SamePerson => (StatusCode::FORBIDDEN, "same-person", "Another person must approve"),
        Refusal::OwnGame => (StatusCode::FORBIDDEN, "own-game", "A game of your own"),
        Refusal::SameJudge => (StatusCode::FORBIDDEN, "same-judge", "Another person must judge"),
        Refusal::ReviewNotAllowed(_) => (StatusCode::CONFLICT, "review-not-allowed", "No review"),
        Refusal::NotInRuleset(_) => (StatusCode::CONFLICT, "not-in-ruleset", "Not in this ruleset"),
        Refusal::WrongState(_) => (StatusCode::CONFLICT, "wrong-state", "Not in this state"),
        Refusal::Unreadable => (StatusCode::INTERNAL_SERVER_ERROR, "internal", "Internal error"),
        Refusal::WordsDiffer => (StatusCode::CONFLICT, "words-differ", "The words differ"),
    }
}

const fn fault_status_slug_title(slug: FaultCode) -> (StatusCode, &'static str, &'static str) {
    match slug {
        FaultCode::InvalidSlip => (StatusCode::UNPROCESSABLE_ENTITY, slug.as_str(), "Invalid slip"),
        FaultCode::InvalidRequest => (StatusCode::UNPROCESSABLE_ENTITY, slug.as_str(), "Invalid request"),
        FaultCode::WrongDivision => (StatusCode::UNPROCESSABLE_ENTITY, slug.as_str(), "Wrong division"),
        FaultCode::SelfLookupOff => (StatusCode::CONFLICT, slug.as_str(), "Ask a judge"),
        FaultCode::RoundClosed => (StatusCode::CONFLICT, slug.as_str(), "Round closed"),
        FaultCode::NoActiveLexicon => (StatusCode::CONFLICT, slug.as_str(), "No active lexicon"),
        FaultCode::UnreadableWord => (StatusCode::UNPROCESSABLE_ENTITY, slug.as_str(), "Unreadable word"),
        FaultCode::NeedsManualLookup => (StatusCode::UNPROCESSABLE_ENTITY, slug.as_str(), "Needs a manual look-up"),
    }
}

impl IntoResponse for WebError {
    fn into_response(self) -> Response {
        self.log();
        let (status, slug, title) = self.status_slug_title();
        let faults = self.faults();
        let problem = Problem {
            r#type: format!("/problems/{slug}"),
            title,
            status: status.as_u16(),
            detail: self.to_string(),
            field: faults.first().map(|fault| fault.field.clone()),
            faults,
        };
        let mut response = (status, Json(problem)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        match &self {
            Self::NotSignedIn | Self::UnknownToken => {
                headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))
            }
            Self::WriteError(_) | Self::CannotRead(_) | Self::NotSetUp | Self::SignInBusy => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from_static("2"))
            }
            Self::TooMany(too_many) => headers.insert(header::RETRY_AFTER, too_many.retry_after_s.into()),
            _ => None,
        };
        response
    }
}
