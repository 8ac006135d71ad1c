//! What a device needs to trust the server, and what is lost without. Anybody may read it, before anything is set up.

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use qrcode::QrCode;
use qrcode::render::svg;

use crate::app::App;
use crate::edge::{Shown, Wire};
use crate::web::error::WebError;

use super::render;
use super::views::{TrustPage, TrustTransport};

/// `GET /trust`
pub async fn trust_page(State(app): State<App>) -> Response {
    let wire = match &app.trust.wire {
        Wire::Plain => TrustTransport::Http,
        Wire::Venue(authority) => TrustTransport::VenueCa { fingerprint: authority.fingerprint.groups() },
        Wire::Own(certificate) => TrustTransport::OwnCertificate { fingerprint: certificate.fingerprint.groups() },
    };
    let page = TrustPage { wire, urls: app.trust.urls(), scanned: app.trust.page() };
    render(StatusCode::OK, &page)
}

/// `GET /trust/adjudge-ca.crt`
pub async fn download_ca(State(app): State<App>) -> Response {
    let Wire::Venue(Shown { der, .. }) = &app.trust.wire else { return WebError::NotFound.into_response() };
    ([(header::CONTENT_TYPE, "application/x-x509-ca-cert")], der.clone()).into_response()
}

/// `GET /trust/code.svg`: the page's address, for a camera.
pub async fn qr_code(State(app): State<App>) -> Response {
    let picture = app.trust.page().and_then(|page| qr_svg(&page));
    let Some(picture) = picture else { return WebError::NotFound.into_response() };
    ([(header::CONTENT_TYPE, "image/svg+xml")], picture).into_response()
}

/// An address as an SVG file that a camera reads; `None` for one that is too long for that.
pub fn qr_svg(address: &str) -> Option<String> {
    let code = QrCode::new(address).ok()?;
    Some(code.render::<svg::Color<'_>>().min_dimensions(240, 240).build())
}
