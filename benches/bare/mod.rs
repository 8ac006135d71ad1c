//! The bare handler: what axum alone makes of the same request. It reads the slip's JSON and answers
//! with a ruling that means nothing; it looks nothing up, checks no token, and writes nothing.
//!
//! It runs as a process of its own, the bench itself started with `--bare`, so that CPU and memory are
//! counted as those of the product are.

use std::process::Command;

use axum::http::StatusCode;
use axum::routing::post;
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::fixture::Server;

/// Whether this process was started to be the bare server.
pub fn is_asked_for() -> bool {
    std::env::args().any(|arg| arg == "--bare")
}

/// Starts it.
pub fn start() -> anyhow::Result<Server> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("--bare");
    Server::spawn(command)
}

#[derive(Deserialize)]
struct Slip {
    division: String,
    words: Vec<String>,
}

async fn answer(Json(slip): Json<Slip>) -> (StatusCode, Json<Value>) {
    let is_slip = !slip.division.is_empty() && !slip.words.is_empty();
    (StatusCode::CREATED, Json(json!({ "ruling": if is_slip { "acceptable" } else { "unacceptable" } })))
}

/// Is the bare server until it is killed.
pub fn serve() -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        println!("bare: http://{}/", listener.local_addr()?);
        let router = Router::new().route("/api/v1/tournaments/{tournament}/slips", post(answer));
        Ok(axum::serve(listener, router).await?)
    })
}
