//! Style sheets and pictures, carried inside the program.

use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use rust_embed::RustEmbed;

use crate::web::http::error::WebError;

#[derive(RustEmbed)]
#[folder = "static"]
struct Files;

/// `GET /static/{path}`
pub async fn asset(path: Result<Path<String>, PathRejection>) -> Response {
    let Some(file) = path.ok().and_then(|Path(path)| Files::get(&path)) else {
        return WebError::NotFound.into_response();
    };
    let kind = file.metadata.mimetype().to_owned();
    // An address does not change with its content, so a browser asks again after a short while.
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "public, max-age=300".to_owned())], file.data)
        .into_response()
}
