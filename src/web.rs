//! HTTP: the API and the pages. A handler calls each layer once; the domain decides, and the store records.

mod acts;
mod api;
mod auth;
mod http;
mod limits;
mod middleware;
mod openapi;
mod pages;
pub mod state;

pub use auth::first_run::FirstRunCode;
pub use auth::sign_in_throttle::SignInThrottle;
pub use limits::rate_limit::RateLimits;
pub use limits::stream_limit::StreamLimiter;
pub use limits::write_probe::CachedWriteProbe;

use axum::Router;
use axum::extract::{MatchedPath, State};
use axum::http::Uri;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::Response;
use axum::routing::{get, post, put};
use tower_http::catch_panic::CatchPanicLayer;

use api::{
    approvals, audit, calls, clock, decisions, events, exports, health, incidents, ledger, lexicons, proofs, queue,
    setup, slips, test_decks,
};
use http::error::WebError;
use pages::{
    assets, director, first_run, home, pairing, pairing_codes, passphrase, questions, sign_in, station, trust,
};
use state::AppState;

/// Every route of the server.
pub fn router(app: AppState) -> Router {
    let api = Router::new()
        .route("/api/v1/lexicons", get(lexicons::list_lexicons))
        .route("/api/v1/slips/{id}", get(slips::read_slip))
        .route("/api/v1/slips/{id}/corrections", post(decisions::correct_slip))
        .route("/api/v1/slips/{id}/adjudications", post(decisions::adjudicate_slip))
        .route("/api/v1/slips/{id}/release", post(decisions::release_slip))
        .route("/api/v1/slips/{id}/dispositions", post(decisions::dispose_slip))
        .route("/api/v1/slips/{id}/reviews", post(decisions::request_review))
        .route("/api/v1/slips/{id}/lapse", post(decisions::lapse_slip))
        .route("/api/v1/slips/{id}/rulings", post(decisions::rule_on_slip))
        .route("/api/v1/slips/{id}/settle", post(decisions::settle_slip))
        .route("/api/v1/slips/{id}/opinions", post(decisions::give_opinion))
        .route("/api/v1/slips/{id}/compensations", post(decisions::compensate))
        .route("/api/v1/reviews/{id}/adjudications", post(decisions::answer_review))
        .route("/api/v1/queue/{id}/claim", post(queue::claim_item))
        .route("/api/v1/queue/{id}/release", post(queue::release_item))
        .route("/api/v1/approvals/{id}", post(approvals::decide_approval))
        .route("/api/v1/tournaments/{tournament}/approvals", get(approvals::list_approvals))
        .route("/api/v1/incidents/{id}/opinions", post(incidents::review_incident))
        .route("/api/v1/server/clock", post(clock::confirm_clock))
        .route("/api/v1/server/ledger", get(ledger::server_entries))
        .route("/api/v1/server/ledger/checkpoint", get(ledger::server_checkpoint))
        .route("/api/v1/server/ledger/key", get(ledger::server_key))
        .route("/api/v1/server/ledger/proofs/inclusion", get(proofs::server_inclusion))
        .route("/api/v1/server/ledger/proofs/consistency", get(proofs::server_consistency))
        .route("/api/v1/tournaments/{tournament}/slips", post(slips::file_slip))
        .route("/api/v1/tournaments/{tournament}/slips/resolve", post(slips::resolve_key))
        .route("/api/v1/tournaments/{tournament}/dispositions", post(slips::dispose_challenge))
        .route("/api/v1/tournaments/{tournament}/paper-rulings", post(slips::enter_paper_ruling))
        .route("/api/v1/tournaments/{tournament}/rounds", post(setup::set_round))
        .route("/api/v1/tournaments/{tournament}/calls", post(calls::call))
        .route("/api/v1/tournaments/{tournament}/divisions/{division}", put(setup::set_division))
        .route("/api/v1/tournaments/{tournament}/test-decks", post(test_decks::run_test_deck))
        .route("/api/v1/tournaments/{tournament}/divisions/{division}/test-deck", put(test_decks::set_test_deck))
        .route("/api/v1/tournaments/{tournament}/queue", get(queue::read_queue))
        .route(
            "/api/v1/tournaments/{tournament}/incidents",
            get(incidents::list_incidents).post(incidents::report_incident),
        )
        .route("/api/v1/tournaments/{tournament}/incidents.jsonl", get(incidents::export_incidents))
        .route("/api/v1/tournaments/{tournament}/audit", get(audit::audit))
        .route("/api/v1/tournaments/{tournament}/audit.csv", get(exports::audit_csv))
        .route("/api/v1/tournaments/{tournament}/audit.jsonl", get(exports::audit_jsonl))
        .route("/api/v1/tournaments/{tournament}/audit.xlsx", get(exports::audit_xlsx))
        .route("/api/v1/tournaments/{tournament}/penalties.csv", get(exports::penalties_csv))
        .route("/api/v1/tournaments/{tournament}/statistics", get(audit::statistics))
        .route("/api/v1/tournaments/{tournament}/recheck", get(audit::recheck))
        .route("/api/v1/tournaments/{tournament}/ledger", get(ledger::entries))
        .route("/api/v1/tournaments/{tournament}/ledger/checkpoint", get(ledger::checkpoint))
        .route("/api/v1/tournaments/{tournament}/ledger/key", get(ledger::key))
        .route("/api/v1/tournaments/{tournament}/ledger/proofs/inclusion", get(proofs::inclusion))
        .route("/api/v1/tournaments/{tournament}/ledger/proofs/consistency", get(proofs::consistency))
        .route("/api/v1/tournaments/{tournament}/events", get(events::follow));
    let pages = Router::new()
        .route("/", get(home::home))
        .route("/trust", get(trust::trust_page))
        .route("/trust/adjudge-ca.crt", get(trust::download_ca))
        .route("/trust/code.svg", get(trust::qr_code))
        .route("/sign-in", get(sign_in::sign_in).post(sign_in::submit_sign_in))
        .route("/sign-out", post(sign_in::sign_out))
        .route("/passphrase", get(passphrase::passphrase_page).post(passphrase::change_passphrase))
        .route("/first-run", get(first_run::first_run).post(first_run::create_first_director))
        .route("/pair", get(pairing::pair).post(pairing::submit_code))
        .route("/director", get(director::desk))
        .route("/director/clock", post(director::confirm_clock))
        .route("/director/devices", post(pairing_codes::create_device))
        .route("/director/devices/{id}/code", post(pairing_codes::create_code))
        .route("/director/devices/{id}/confirm", post(director::confirm_device))
        .route("/director/devices/{id}/revoke", post(director::revoke_device))
        .route("/director/devices/{id}/set", post(director::set_device))
        .route("/director/questions", get(questions::questions_page))
        .route("/director/questions/{id}/keep", post(questions::keep_ruling))
        .route("/director/questions/{id}/rule", post(questions::rule_anew))
        .route("/director/sheets", post(pairing_codes::create_sheet))
        .route("/director/sheets/end", post(pairing_codes::revoke_unpaired))
        .route("/director/rounds", post(director::open_first_round))
        .route("/director/staff", post(director::add_staff))
        .route("/director/staff/{id}/reset", post(director::reset_staff))
        .route("/director/staff/{id}/remove", post(director::remove_staff))
        .merge(station_routes())
        .layer(from_fn(middleware::same_origin));
    #[cfg(feature = "fault-injection")]
    let api = api.merge(http::fault_injection::routes());
    api.merge(openapi::routes())
        .merge(pages)
        .route("/metrics", get(health::metrics))
        .route("/healthz", get(health::health))
        .route("/readyz", get(health::readiness))
        .route("/static/{*path}", get(assets::asset))
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed)
        .layer((
            from_fn_with_state(app.clone(), middleware::common_layer),
            CatchPanicLayer::custom(middleware::after_panic),
        ))
        .with_state(app)
}

/// The routes of a station's browser.
fn station_routes() -> Router<AppState> {
    Router::new()
        .route("/station", get(station::begin))
        .route("/station/words", post(station::write_words))
        .route("/station/check", post(station::hand_over))
        .route("/station/ruling", post(station::judge))
        .route("/station/resolve", post(station::resolve_slip))
        .route("/station/back", post(station::go_back_to_ruling))
        .route("/station/mistyped", post(station::mistyped))
        .route("/station/ask", post(station::ask_for_review))
        .route("/station/reviews", post(station::request_review))
        .route("/station/end", post(station::end))
        .route("/station/call", post(station::call))
        .route("/station/tests", post(station::run_tests))
        .route("/station/language", post(station::set_language))
        .route("/station/news", get(station::follow))
}

async fn not_found(State(app): State<AppState>, uri: Uri) -> Response {
    pages::problem(&app, &uri, WebError::NotFound)
}

async fn method_not_allowed(State(app): State<AppState>, uri: Uri, route: Option<MatchedPath>) -> Response {
    let methods = route.map(|route| openapi::methods_of(route.as_str())).unwrap_or_default();
    pages::problem(&app, &uri, WebError::MethodNotAllowed(methods))
}
