//! The description of the API that programs can read, and the page that shows it without the internet.
//! Source: CONTRACT 3.5.

use axum::Router;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::{IntoParams, Modify, OpenApi, ToSchema};
use utoipa_swagger_ui::{Config, SwaggerUi};

use crate::app::App;
use crate::domain::Ruling;

use super::api::{lexicons, operation, slips};
use super::error::Problem;

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
        slips::adjudicate_slip,
        slips::rule_on_slip,
        lexicons::list_lexicons,
        operation::health,
        operation::readiness,
        operation::metrics,
    ),
    components(schemas(FileSlip, LookUpManually, RuleOnSlip, Given, Resolved, Problem)),
    modifiers(&Bearer),
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

pub fn routes() -> Router<App> {
    // Its badge would ask a server elsewhere.
    let config = Config::default().validator_url("none");
    SwaggerUi::new(PAGE).url("/api/v1/openapi.json", Described::openapi()).config(config).into()
}

/// A challenge slip. A field that is left out equals null; an unknown one is refused.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes what RawSlip::read takes; a test files a slip with every field of it")]
pub struct FileSlip {
    /// The division's id.
    division: String,
    /// The challenged words as typed.
    #[schema(min_items = 1, max_items = 8, example = json!(["CAT", "QI"]))]
    words: Vec<String>,
    /// Equals the number of words.
    #[schema(minimum = 1, maximum = 8)]
    declared_count: Option<i64>,
    #[schema(minimum = 1, maximum = 999)]
    round: Option<i64>,
    /// A station must give it, unless the division's `table_required` is false.
    #[schema(minimum = 1, maximum = 9999)]
    table: Option<i64>,
    #[schema(min_length = 1, max_length = 100)]
    challenger: Option<String>,
    /// The player of the challenged play.
    #[schema(min_length = 1, max_length = 100)]
    opponent: Option<String>,
    #[schema(minimum = 0, maximum = 9999)]
    play_score: Option<i64>,
    /// Whether the challenged play ended the game.
    out_play: Option<bool>,
}

/// The ruling for the whole play.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes an answer that is made of an entry")]
pub struct Given {
    ruling: Ruling,
}

/// The ruling that was given, or null where none was.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes an answer that is made of an entry")]
pub struct Resolved {
    ruling: Option<Ruling>,
}

/// The key of a person's request. Devices and programs must send one.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "describes a header that Submission::read takes")]
pub struct OptionalKey {
    /// 1 to 128 visible ASCII characters, a new one for every request
    #[param(rename = "Idempotency-Key")]
    idempotency_key: Option<String>,
}

/// What a judge found in other sources. The ruling is the judge's, for the whole slip.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes what ManualLookup::read takes")]
pub struct LookUpManually {
    /// `manual`
    method: String,
    ruling: Ruling,
    #[schema(min_items = 1, max_items = 10)]
    sources: Vec<ConsultedSource>,
}

/// A source beside the lexicon.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes what ManualLookup::read takes")]
pub struct ConsultedSource {
    title: String,
    edition: Option<String>,
    /// Where in it, for example `p. 17`.
    entry: Option<String>,
}

/// A director's ruling, which is final.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes what DirectorsRuling::read takes")]
pub struct RuleOnSlip {
    ruling: Ruling,
    ground: String,
    note: Option<String>,
    /// Time given back, added at the end of the game.
    #[schema(minimum = 0, maximum = 3600)]
    seconds_restored: Option<i64>,
}
