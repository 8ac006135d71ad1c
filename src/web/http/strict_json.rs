//! JSON read strictly: what two programs could read differently is refused.
//!
//! A duplicate key, a number that is not exact, a lone surrogate or bad UTF-8 is malformed here;
//! `serde_json` alone would take the last of two keys and round the number.

use std::fmt;

use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::domain::RequestBody;

/// The largest whole number that every JSON reader reads exactly, 2^53 - 1.
const MAX_EXACT_INTEGER: u64 = (1 << 53) - 1;

/// Reads one JSON object and nothing after it.
///
/// # Errors
/// A sentence about the first thing that is wrong, with line and column.
pub fn read_object(bytes: &[u8]) -> Result<RequestBody, String> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = Strict.deserialize(&mut reader).map_err(|error| error.to_string())?;
    reader.end().map_err(|error| error.to_string())?;
    match value {
        Value::Object(body) => Ok(body),
        _ => Err("it is not an object".to_owned()),
    }
}

struct Strict;

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        if value <= MAX_EXACT_INTEGER { Ok(value.into()) } else { Err(E::custom("a number is too large to be exact")) }
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        self.visit_u64::<E>(value.unsigned_abs())?;
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        // Whole numbers too large for the other two arrive here.
        let exact = serde_json::Number::from_f64(value).filter(|_| value.abs() < 9.0e15);
        exact.map(Value::Number).ok_or_else(|| E::custom("a number is too large to be exact"))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut read = Vec::new();
        while let Some(item) = items.next_element_seed(Self)? {
            read.push(item);
        }
        Ok(Value::Array(read))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut read = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            let value = members.next_value_seed(Self)?;
            if read.insert(key, value).is_some() {
                return Err(A::Error::custom("a key stands twice in one object"));
            }
        }
        Ok(Value::Object(read))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_read_as_it_stands() {
        let body =
            read_object(r#"{"words":["CAT","Q\u00cd"],"table":12,"out_play":false,"x":null,"y":-1.5}"#.as_bytes())
                .unwrap();
        assert_eq!(
            Value::Object(body),
            serde_json::json!({"words": ["CAT", "QÍ"], "table": 12, "out_play": false, "x": null, "y": -1.5})
        );
    }

    #[test]
    fn ambiguous_json_is_malformed() {
        let deep = format!("{{\"a\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
        for text in [
            "",
            "[]",
            "null",
            "\"x\"",
            "{",
            "{}{}",
            "{} x",
            r#"{"a":1,"a":1}"#,
            r#"{"a":{"b":1,"b":2}}"#,
            r#"{"a":NaN}"#,
            r#"{"a":1e999}"#,
            r#"{"a":123456789012345678901234567890}"#,
            r#"{"a":9007199254740992}"#,
            r#"{"a":-9007199254740993}"#,
            r#"{"a":"\ud800"}"#,
            r#"{"a":"\udc00\ud800"}"#,
            "{'a':1}",
            &deep,
        ] {
            assert!(read_object(text.as_bytes()).is_err(), "{}", &text[..text.len().min(60)]);
        }
        assert!(read_object(b"{\"a\":\"\xff\"}").is_err());
        assert!(read_object(b"\xef\xbb\xbf{}").is_err());
    }
}
