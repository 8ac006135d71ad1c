//! Requests that may be repeated: the key that a client chose, and the request that it stands for.
//!
//! A key that is repeated with its own request always gets the recorded answer; with another request
//! it is refused. Two requests are equal when their JSON is equal after parsing, where a field left out
//! equals null, and their words are equal tiles in equal order.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::alphabet::Alphabet;
use super::fields::RequestBody;
use super::ledger::{Hash, canonical};

/// An `Idempotency-Key`: 1 to 128 visible ASCII characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RequestKey(String);

impl RequestKey {
    /// `None` where the text is no key.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let sized = (1..=128).contains(&text.len());
        (sized && text.bytes().all(|byte| byte.is_ascii_graphic())).then(|| Self(text.to_owned()))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The trace of a request in the entry that it caused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequestMark {
    pub key: String,
    /// Lower-case hex SHA-256 of the route and the normalised request.
    pub digest: String,
}

/// The digest of a request to `route`, its words normalised by `alphabet`. `None` for a request that
/// cannot have been recorded, because no route takes such numbers.
#[must_use]
pub fn digest(route: &str, body: &RequestBody, alphabet: &Alphabet) -> Option<String> {
    let given = body.iter().filter(|(_, value)| !value.is_null());
    let normal = given.map(|(field, value)| (field.clone(), normalised(field, value, alphabet)));
    let whole = json!({ "request": Value::Object(normal.collect()), "route": route });
    let text = canonical(&whole).ok()?;
    Some(Hash::of(text.as_bytes()).to_string())
}

/// Words as tiles; a word that cannot be read stays as typed and so equals only itself.
fn normalised(field: &str, value: &Value, alphabet: &Alphabet) -> Value {
    match (field, value) {
        ("words", Value::Array(words)) => words.iter().map(|word| normalised_word(word, alphabet)).collect(),
        _ => value.clone(),
    }
}

fn normalised_word(word: &Value, alphabet: &Alphabet) -> Value {
    let read = word.as_str().and_then(|typed| alphabet.read(typed).ok().flatten());
    read.map_or_else(|| word.clone(), |word| word.as_str().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(body: &Value) -> Option<String> {
        digest("slips", body.as_object().unwrap(), &Alphabet::shipped("english").unwrap())
    }

    #[test]
    fn a_key_is_1_to_128_visible_characters() {
        assert!(RequestKey::parse(&"k".repeat(128)).is_some());
        for bad in ["", "a b", "é", "a\tb", &"k".repeat(129)] {
            assert_eq!(RequestKey::parse(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn case_blanks_and_null_fields_make_no_other_request() {
        let first = of(&json!({"words": ["CAT", "qi"], "table": 3}));
        assert!(first.is_some());
        assert_eq!(first, of(&json!({"table": 3, "round": null, "words": ["cat", " QI "]})));
    }

    #[test]
    fn any_other_change_makes_another_request() {
        let first = of(&json!({"words": ["CAT", "QI"], "table": 3, "challenger": "Ann"}));
        for other in [
            json!({"words": ["QI", "CAT"], "table": 3, "challenger": "Ann"}),
            json!({"words": ["CAT", "ZA"], "table": 3, "challenger": "Ann"}),
            json!({"words": ["CAT", "QI"], "table": 4, "challenger": "Ann"}),
            json!({"words": ["CAT", "QI"], "table": 3, "round": 1, "challenger": "Ann"}),
            json!({"words": ["CAT", "QI"], "table": 3, "challenger": "ann"}),
        ] {
            assert_ne!(of(&other), first, "{other}");
        }
    }
}
