//! What a device needs to trust the server, and what is lost without. Anybody may read it, before anything is set up.

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use qrcode::QrCode;
use qrcode::render::svg;

use crate::app::App;
use crate::edge::{Shown, Wire};
use crate::web::error::WebError;

use super::seat::drawn;
use super::views::{TrustPage, TrustWire};

/// `GET /trust`
pub async fn explain(State(app): State<App>) -> Response {
    let wire = match &app.trust.wire {
        Wire::Plain => TrustWire::Plain,
        Wire::Venue(authority) => TrustWire::Venue { fingerprint: authority.fingerprint.groups() },
        Wire::Own(certificate) => TrustWire::Own { fingerprint: certificate.fingerprint.groups() },
    };
    let page = TrustPage { wire, urls: app.trust.urls(), scanned: app.trust.page() };
    drawn(StatusCode::OK, &page)
}

/// `GET /trust/adjudge-ca.crt`
pub async fn authority(State(app): State<App>) -> Response {
    let Wire::Venue(Shown { der, .. }) = &app.trust.wire else { return WebError::NotFound.into_response() };
    ([(header::CONTENT_TYPE, "application/x-x509-ca-cert")], der.clone()).into_response()
}

/// `GET /trust/code.svg`: the page's address, for a camera.
pub async fn code(State(app): State<App>) -> Response {
    let picture = app.trust.page().and_then(|page| picture_of(&page));
    let Some(picture) = picture else { return WebError::NotFound.into_response() };
    ([(header::CONTENT_TYPE, "image/svg+xml")], picture).into_response()
}

/// An address as an SVG file that a camera reads; `None` for one that is too long for that.
pub fn picture_of(address: &str) -> Option<String> {
    let code = QrCode::new(address).ok()?;
    Some(code.render::<svg::Color<'_>>().min_dimensions(240, 240).build())
}
