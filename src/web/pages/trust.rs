//! The page `/trust`: what a device needs to trust the server, and the risks without it. It is public, also before
//! anything is set up.

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use qrcode::QrCode;
use qrcode::render::svg;

use crate::transport::{PublicCertificate, Transport};
use crate::web::http::error::WebError;
use crate::web::state::AppState;

use super::render;
use super::views::{TrustPage, TrustTransport};

/// `GET /trust`
pub async fn trust_page(State(app): State<AppState>) -> Response {
    let wire = match &app.identity.transport {
        Transport::Http => TrustTransport::Http,
        Transport::VenueCa(authority) => TrustTransport::VenueCa { fingerprint: authority.fingerprint.groups() },
        Transport::OwnCertificate(certificate) => {
            TrustTransport::OwnCertificate { fingerprint: certificate.fingerprint.groups() }
        }
    };
    let page = TrustPage { wire, urls: app.identity.urls(), scanned: app.identity.page() };
    render(StatusCode::OK, &page)
}

/// `GET /trust/adjudge-ca.crt`
pub async fn download_ca(State(app): State<AppState>) -> Response {
    let Transport::VenueCa(PublicCertificate { der, .. }) = &app.identity.transport else {
        return WebError::NotFound.into_response();
    };
    ([(header::CONTENT_TYPE, "application/x-x509-ca-cert")], der.clone()).into_response()
}

/// `GET /trust/code.svg`: the page's address, for a camera.
pub async fn qr_code(State(app): State<AppState>) -> Response {
    let picture = app.identity.page().and_then(|page| qr_svg(&page));
    let Some(picture) = picture else { return WebError::NotFound.into_response() };
    ([(header::CONTENT_TYPE, "image/svg+xml")], picture).into_response()
}

/// An address as an SVG file that a camera reads; `None` for one that is too long for that.
pub fn qr_svg(address: &str) -> Option<String> {
    let code = QrCode::new(address).ok()?;
    Some(code.render::<svg::Color<'_>>().min_dimensions(240, 240).build())
}
