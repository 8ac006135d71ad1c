//! What the API's description says of every route: how requests can fail, the forms of ids and times, and that objects
//! have no other fields than those that are named.

use serde_json::{Map, Value, json};

/// The properties of a route that determine how requests to it can fail.
#[expect(clippy::struct_excessive_bools, reason = "four independent properties")]
struct Route {
    is_public: bool,
    is_write: bool,
    has_query: bool,
    names_something: bool,
}

/// A way to fail: the status, what it means, and for which routes.
type Failure = (&'static str, &'static str, fn(&Route) -> bool);

const FAILURES: [Failure; 16] = [
    ("400", "`host-required`", |route| !route.is_write),
    ("400", "`idempotency-key-required`, `malformed-json`, `host-required`", |route| route.is_write),
    ("401", "`not-signed-in`: no token or cookie, an unknown, ended or revoked one", |route| !route.is_public),
    ("403", "`forbidden`", |route| !route.is_public),
    ("404", "`not-found`: it is not there, or belongs to another tournament or station", |route| route.names_something),
    ("408", "`too-slow`: the body did not arrive in 10 seconds", |route| route.is_write),
    (
        "409",
        "What is asked cannot happen to it as it is: `wrong-state`, `review-not-allowed`, `not-in-ruleset`, `words-differ`, \
            `station-closed`, `round-closed`, `no-active-lexicon`, `key-closed`, `in-question`",
        |route| route.is_write,
    ),
    ("413", "`too-large`: a body over 16 KiB", |route| route.is_write),
    ("414", "`path-too-long`: an address over 8 KiB", |_| true),
    ("415", "`unsupported-media-type`: not `application/json`", |route| route.is_write),
    ("422", "`invalid-request`: a field of the query that is missing, wrong, unknown or said twice", |route| {
        route.has_query && !route.is_write
    }),
    (
        "422",
        "A field that is missing, wrong or unknown: `invalid-request`, `invalid-slip`, `wrong-division`, `unreadable-word`; or \
            `idempotency-key-reused`",
        |route| route.is_write,
    ),
    ("429", "`too-many`: the token writes too often", |route| route.is_write),
    ("431", "`headers-too-large`: headers over 16 KiB", |_| true),
    ("500", "`internal`: something failed inside the server; nothing is recorded", |_| true),
    ("503", "`cannot-record`, `cannot-read` or `not-set-up`: no ruling; send it again with the same key", |_| true),
];

/// Completes a description.
#[must_use]
pub fn complete(mut described: Value) -> Value {
    if let Some(paths) = described.get_mut("paths").and_then(Value::as_object_mut) {
        for (path, methods) in paths {
            let operations = methods.as_object_mut().into_iter().flatten();
            for (method, operation) in operations.filter_map(|(method, one)| Some((method, one.as_object_mut()?))) {
                let has_security = operation.get("security").and_then(Value::as_array);
                let route = Route {
                    is_public: has_security.is_some_and(|all| all.iter().all(|one| one == &json!({}))),
                    is_write: ["post", "put"].contains(&method.as_str()),
                    has_query: parameters(operation).any(|parameter| parameter.get("in") == Some(&json!("query"))),
                    names_something: path.contains('{'),
                };
                parameters(operation).for_each(complete_parameter);
                complete_responses(operation, &route);
            }
        }
    }
    if let Some(schemas) = described.pointer_mut("/components/schemas").and_then(Value::as_object_mut) {
        // RFC 9457: clients ignore fields of a problem that they do not know.
        schemas.iter_mut().filter(|(name, _)| *name != "Problem").for_each(|(_, schema)| close(schema));
    }
    described
}

fn parameters(operation: &mut Map<String, Value>) -> impl Iterator<Item = &mut Value> {
    operation.get_mut("parameters").and_then(Value::as_array_mut).into_iter().flatten()
}

/// Completes a parameter: it is present or not, and never null; ids have their forms.
fn complete_parameter(parameter: &mut Value) {
    let name = parameter.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let is_path = parameter.get("in") == Some(&json!("path"));
    let Some(schema) = parameter.get_mut("schema") else { return };
    match name.as_str() {
        "tournament" | "division" if is_path => {
            *schema = json!({ "type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$" });
        }
        "id" if is_path => *schema = json!({ "$ref": "#/components/schemas/Id" }),
        _ => refuse_null(schema),
    }
}

fn refuse_null(schema: &mut Value) {
    let is_null = |one: &Value| one == &json!("null") || one == &json!({ "type": "null" });
    for list in ["type", "oneOf"] {
        let Some(all) = schema.get_mut(list).and_then(Value::as_array_mut) else { continue };
        all.retain(|one| !is_null(one));
        if let [only] = all.as_slice() {
            let only = only.clone();
            match (list, schema.as_object_mut()) {
                ("type", Some(schema)) => drop(schema.insert("type".to_owned(), only)),
                _ => *schema = only,
            }
        }
    }
}

fn complete_responses(operation: &mut Map<String, Value>, route: &Route) {
    let has_key = parameters(operation).any(|parameter| parameter.get("name") == Some(&json!("Idempotency-Key")));
    let Some(responses) = operation.get_mut("responses").and_then(Value::as_object_mut) else { return };
    // Each status is named below.
    responses.remove("4XX");
    for (status, means, _) in FAILURES.iter().filter(|(_, _, happens)| happens(route)) {
        let problem = || {
            json!({
                "description": means,
                "content": { "application/problem+json": { "schema": { "$ref": "#/components/schemas/Problem" } } },
            })
        };
        responses.entry(*status).or_insert_with(problem);
    }
    for (status, response) in responses.iter_mut() {
        describe(status, response);
        let header = match status.as_str() {
            "200" | "201" | "202" if has_key => ("Idempotency-Replayed", json!({ "type": "string", "const": "true" })),
            "401" => ("WWW-Authenticate", json!({ "type": "string" })),
            "429" | "503" => ("Retry-After", json!({ "type": "integer", "minimum": 1 })),
            _ => continue,
        };
        if let Some(response) = response.as_object_mut() {
            let headers = response.entry("headers").or_insert_with(|| json!({}));
            let headers = headers.as_object_mut();
            headers.map(|headers| headers.insert(header.0.to_owned(), json!({ "schema": header.1 })));
        }
    }
}

/// Describes a response that the route itself does not describe: a response without a description is not valid.
fn describe(status: &str, response: &mut Value) {
    let means = match status {
        "200" => "What was asked for",
        "201" => "It is recorded",
        "202" => "It is recorded, and another person must approve it",
        _ => "What is wrong, and what to do",
    };
    if let Some(response) = response.as_object_mut() {
        response.entry("description").or_insert_with(|| json!(means));
    }
}

/// Marks a text as a time.
fn say_time(schema: &mut Value) {
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("format".to_owned(), json!("date-time"));
    }
}

/// Marks every object with named fields as closed, and the fields that are times.
fn close(schema: &mut Value) {
    match schema {
        Value::Array(all) => all.iter_mut().for_each(close),
        Value::Object(object) => {
            if object.get("properties").is_some_and(Value::is_object) {
                object.entry("additionalProperties").or_insert(Value::Bool(false));
            }
            let properties = object.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten();
            properties.filter(|(name, _)| *name == "at" || name.ends_with("_at")).for_each(|(_, one)| say_time(one));
            object.values_mut().for_each(close);
        }
        _ => {}
    }
}
