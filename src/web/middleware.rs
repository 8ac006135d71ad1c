//! Middleware: what applies to every request, whichever route it takes.

use std::any::Any;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Version, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::store::LedgerError;
use crate::store::db::DbError;
use crate::transport::ConnectionIdentity;
use crate::web::state::AppState;

use super::http::error::WebError;
use super::http::metrics;
use crate::web::auth::caller::{View, look_for_newcomer};
use crate::web::auth::cookies::{Cookie, is_same_origin_write};
use crate::web::{openapi, pages};

/// Allows nothing from other sites and nothing inline.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const HEADERS: [(HeaderName, HeaderValue); 6] = [
    (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
    (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
    (
        HeaderName::from_static("permissions-policy"),
        HeaderValue::from_static("camera=(), geolocation=(), microphone=()"),
    ),
];

/// The page that shows the API's description has scripts that style what they draw.
const POLICY_OF_DOCS: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
     connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
);

/// What every request passes: the check of its head, the check that the server is configured, the log line, the
/// headers. One layer, since each layer boxes the request.
pub async fn common_layer(State(app): State<AppState>, mut request: Request, next: Next) -> Response {
    request.extensions_mut().insert(View(app.snapshot()));
    let below = request.uri().path().strip_prefix(openapi::PAGE);
    let is_docs = below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let uri = request.uri().clone();
    recognise_device(&app, &request);
    let mut response = match refused(&app, &mut request).await {
        Some(refused) => refused,
        None => next.run(request).await,
    };
    // After a storage failure the server acknowledges nothing, not even what the handler has answered.
    if let Err(failed) = app.ledger.db.health().check() {
        response = pages::problem(&app, &uri, stopping(&method, failed));
    }
    log_request(&method, route.as_ref().map_or("none", MatchedPath::as_str), response.status());
    put_headers(response.headers_mut(), is_docs);
    response
}

/// Marks a paired device's connection as known, no longer a stranger's. Tokens and sessions are recognised where they
/// are authenticated.
fn recognise_device(app: &AppState, request: &Request) {
    let Some(connection) = request.extensions().get::<ConnectionIdentity>().filter(|one| !one.is_known()) else {
        return;
    };
    let secret = Cookie::Device.of(request.headers(), app.identity.is_tls());
    if secret.is_some_and(|secret| View::of(request.extensions(), app).device(secret).is_some()) {
        connection.mark_known();
    }
}

async fn refused(app: &AppState, request: &mut Request) -> Option<Response> {
    match check_head_size(request) {
        Some(error) => Some(error.into_response()),
        None if is_unconfigured(app, request).await => Some(pages::problem(app, request.uri(), WebError::NotSetUp)),
        None => None,
    }
}

/// The refusal of a request while the server stops because its storage failed.
fn stopping(method: &Method, failed: DbError) -> WebError {
    if method.is_safe() { LedgerError::from(failed).into() } else { WebError::from_failed_write(failed.into()) }
}

/// One line a request: method, matched route and status. Never the query, a word or a name.
fn log_request(method: &Method, route: &str, status: StatusCode) {
    metrics::answered(method, route, status);
    tracing::debug!(%method, route, status = status.as_u16(), "answered");
}

/// Puts the security headers on every response, and `no-store` unless a handler set something else: a ruling must not
/// be found in a cache.
fn put_headers(headers: &mut HeaderMap, is_docs: bool) {
    headers.reserve(HEADERS.len() + 1);
    for (name, value) in HEADERS {
        headers.insert(name, value);
    }
    if is_docs {
        headers.insert(header::CONTENT_SECURITY_POLICY, POLICY_OF_DOCS);
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}

/// The longest path, with its query.
const MAX_PATH_BYTES: usize = 8 * 1024;

/// The largest sum of the names and values of all headers.
const MAX_HEADERS_BYTES: usize = 16 * 1024;

/// Refuses a head that is too large or does not name exactly one host. hyper refuses what is not a head, or is far
/// larger. Source: RFC 9112 section 3.2.
fn check_head_size(request: &Request) -> Option<WebError> {
    let path = request.uri().path_and_query().map_or(0, |path| path.as_str().len());
    let headers: usize = request.headers().iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    let hosts = request.headers().get_all(header::HOST).iter().count();
    if hosts > 1 || (hosts == 0 && request.version() == Version::HTTP_11) {
        Some(WebError::HostRequired)
    } else if path > MAX_PATH_BYTES {
        Some(WebError::PathTooLong(MAX_PATH_BYTES))
    } else if headers > MAX_HEADERS_BYTES {
        Some(WebError::HeadersTooLarge(MAX_HEADERS_BYTES))
    } else {
        None
    }
}

/// Whether no token and no director exists, so that no caller could use the server. The first token may have been
/// created a moment ago.
async fn is_unconfigured(app: &AppState, request: &mut Request) -> bool {
    let path = request.uri().path();
    let is_page = ["/", "/first-run", "/pair", "/trust", "/healthz", "/readyz"].contains(&path);
    let is_open = is_page || ["/static/", "/trust/"].iter().any(|below| path.starts_with(below));
    let is_unconfigured = |request: &Request| View::of(request.extensions(), app).is_unconfigured();
    if is_open || !is_unconfigured(request) {
        return false;
    }
    look_for_newcomer(request.extensions_mut(), app).await;
    is_unconfigured(request)
}

/// Refuses a form that a page of another site submits through this browser.
pub async fn same_origin(request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    if is_same_origin_write(&parts) {
        return next.run(Request::from_parts(parts, body)).await;
    }
    WebError::Forbidden("this form was sent by another site: open this server's own page and try again").into_response()
}

/// The response when a handler panicked: a plain 500; the cause goes to the log only.
pub fn after_panic(_: Box<dyn Any + Send>) -> Response {
    tracing::error!("a request handler panicked");
    WebError::Internal.into_response()
}
