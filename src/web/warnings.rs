//! Warnings: shown in `/readyz` and at the desk.

use crate::app::App;

/// What does not keep the server from ruling and is to be looked after, one sentence each.
pub fn warnings(app: &App) -> Vec<String> {
    let copies = app.outside.troubles().into_iter().map(|trouble| format!("Copies of checkpoints: {trouble}."));
    app.ledger.db.overgrown_log().map(overgrown).into_iter().chain(copies).collect()
}

/// That another program keeps the write-ahead log from being taken into the database.
fn overgrown(bytes: u64) -> String {
    format!(
        "The database's write-ahead log has {} MB: another program holds the database open for reading. End that program; \
         the log is cut by itself then.",
        bytes / 1_000_000
    )
}
