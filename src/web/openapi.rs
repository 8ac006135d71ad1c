//! The API's description for programs, and the page that shows it without the internet. Source: CONTRACT 3.5.

use std::sync::LazyLock;

use axum::routing::get;
use axum::{Json, Router};
use serde_json::Value;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::{Modify, OpenApi};
use utoipa_swagger_ui::{Config, SwaggerUi};

use crate::web::state::AppState;

use super::api::{
    approvals, audit, calls, clock, events, exports, incidents, ledger, lexicons, proofs, queue, setup, slips,
};
use crate::web::api::{decisions, health, test_decks};
use crate::web::http::error::{Problem, WebError};

mod answers;
mod bodies;
mod complete;

pub use answers::*;
pub use bodies::*;

/// The address of the description.
const DESCRIPTION: &str = "/api/v1/openapi.json";

/// The page.
pub const PAGE: &str = "/api/docs";

#[derive(OpenApi)]
#[openapi(
    info(
        title = "adjudge",
        description = "Challenge slips to rulings. One ruling for the play, written down before it is given. \
            docs/api.md has the order of checks and every refusal."
    ),
    paths(
        slips::file_slip,
        slips::resolve_key,
        slips::read_slip,
        decisions::correct_slip,
        decisions::adjudicate_slip,
        decisions::release_slip,
        decisions::dispose_slip,
        decisions::request_review,
        decisions::answer_review,
        decisions::lapse_slip,
        decisions::rule_on_slip,
        decisions::settle_slip,
        decisions::give_opinion,
        decisions::compensate,
        slips::dispose_challenge,
        slips::enter_paper_ruling,
        setup::set_round,
        calls::call,
        setup::set_division,
        approvals::list_approvals,
        approvals::decide_approval,
        test_decks::run_test_deck,
        test_decks::set_test_deck,
        queue::read_queue,
        queue::claim_item,
        queue::release_item,
        incidents::report_incident,
        incidents::review_incident,
        incidents::list_incidents,
        incidents::export_incidents,
        audit::audit,
        audit::statistics,
        audit::recheck,
        exports::audit_csv,
        exports::audit_jsonl,
        exports::audit_xlsx,
        exports::penalties_csv,
        ledger::entries,
        ledger::checkpoint,
        ledger::key,
        ledger::server_entries,
        ledger::server_checkpoint,
        ledger::server_key,
        proofs::inclusion,
        proofs::consistency,
        proofs::server_inclusion,
        proofs::server_consistency,
        clock::confirm_clock,
        events::follow,
        lexicons::list_lexicons,
        health::health,
        health::readiness,
        health::metrics,
    ),
    components(schemas(Problem)),
    modifiers(&Bearer),
    servers((url = "/", description = "This server")),
    tags(
        (name = "slips", description = "Challenge slips and their rulings"),
        (name = "reviews", description = "Other opinions on a slip"),
        (name = "director", description = "What a director rules"),
        (name = "queue", description = "What waits for a judge or director"),
        (name = "approvals", description = "Acts that need two persons"),
        (name = "set-up", description = "Divisions, rounds and test decks"),
        (name = "audit", description = "What directors and observers read"),
        (name = "ledger", description = "The ledger and proofs about it"),
        (name = "lexica", description = "The word lists of the server"),
        (name = "operation", description = "Health, metrics and tests")
    ),
    security(("token" = []))
)]
struct Described;

struct Bearer;

impl Modify for Bearer {
    fn modify(&self, described: &mut utoipa::openapi::OpenApi) {
        let token = SecurityScheme::Http(HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build());
        described.components.get_or_insert_default().add_security_scheme("token", token);
    }
}

pub fn routes() -> Router<AppState> {
    // The validator badge would send a request to another server.
    let config = Config::from(DESCRIPTION).validator_url("none");
    Router::from(SwaggerUi::new(PAGE).config(config)).route(DESCRIPTION, get(description))
}

/// Built at its first use, so that a start does not wait for it.
static DESCRIBED: LazyLock<Option<Value>> =
    LazyLock::new(|| serde_json::to_value(Described::openapi()).ok().map(complete::complete));

async fn description() -> Result<Json<&'static Value>, WebError> {
    DESCRIBED.as_ref().map(Json).ok_or(WebError::Internal)
}

/// The methods of a route of the API; none for a page.
pub fn methods_of(route: &str) -> Vec<String> {
    let methods = DESCRIBED.as_ref().and_then(|described| described.get("paths")?.get(route)?.as_object());
    methods.into_iter().flatten().map(|(method, _)| method.to_ascii_uppercase()).collect()
}
