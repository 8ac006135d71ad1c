//! Canonical JSON: one value, one text, one hash.
//!
//! A leaf is hashed as bytes, so two programs that mean the same thing have to
//! write the same bytes. RFC 8785 settles what JSON leaves open: no white space,
//! the keys of an object in one order, one spelling for each string. It also
//! settles how a fraction is spelled, at length; the ledger needs no fractions,
//! so it refuses them, which keeps an independent verifier short.

use std::cmp::Ordering;

use serde_json::{Map, Number, Value};

/// The largest whole number that canonical JSON may hold: 2^53 - 1.
///
/// Beyond it a reader that keeps numbers as doubles, as JavaScript does, would
/// silently see another number. Source: RFC 8785 section 3.1, RFC 7493 section 2.2.
pub const MAX_INTEGER: u64 = 9_007_199_254_740_991;

/// How many objects and lists may lie inside one another, the outermost counted.
///
/// Readers stop at some depth (`serde_json` at 128), and a text that one of them
/// cannot read back must never be written.
pub const MAX_DEPTH: usize = 64;

/// Why a value has no canonical text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotCanonical {
    /// A fraction, a number in exponent form, or a whole number beyond [`MAX_INTEGER`].
    #[error("{0} is not a whole number from -{MAX_INTEGER} to {MAX_INTEGER}")]
    Number(String),
    /// Nesting beyond [`MAX_DEPTH`].
    #[error("the value is nested more than {MAX_DEPTH} levels deep")]
    TooDeep,
    /// The text of a leaf beyond [`Leaf::MAX_BYTES`](super::Leaf::MAX_BYTES). Only leaves have this limit.
    #[error("the leaf has {0} bytes and {max} are the most", max = super::Leaf::MAX_BYTES)]
    TooLong(usize),
    /// A field of a leaf that is not of its own form. Only leaves have such fields.
    #[error("the leaf's `{field}` is not {form}")]
    Field {
        /// The key of the field.
        field: &'static str,
        /// What it has to be.
        form: &'static str,
    },
}

/// Writes `value` as canonical JSON (RFC 8785, whole numbers only).
///
/// The keys of each object come in the order of their UTF-16 code units. Cost:
/// one walk over the value, with one sort for each object.
///
/// ```
/// # use adjudge::domain::ledger::canonical;
/// let value = serde_json::json!({ "b": [1, true, null], "a": "é\n" });
/// assert_eq!(canonical(&value)?, r#"{"a":"é\n","b":[1,true,null]}"#);
/// # Ok::<(), adjudge::domain::ledger::NotCanonical>(())
/// ```
///
/// # Errors
///
/// [`NotCanonical::Number`] for a number that is not whole or lies beyond
/// ±(2^53 - 1), [`NotCanonical::TooDeep`] for nesting beyond [`MAX_DEPTH`].
pub fn canonical(value: &Value) -> Result<String, NotCanonical> {
    let mut out = String::new();
    write_value(&mut out, value, MAX_DEPTH)?;
    Ok(out)
}

/// Appends `value` to `out`; `levels` is how many objects and lists may still open.
pub(super) fn write_value(out: &mut String, value: &Value, levels: usize) -> Result<(), NotCanonical> {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => write_number(out, number)?,
        Value::String(text) => write_string(out, text),
        Value::Array(items) => write_array(out, items, levels)?,
        Value::Object(members) => write_object(out, members, levels)?,
    }
    Ok(())
}

fn write_number(out: &mut String, number: &Number) -> Result<(), NotCanonical> {
    let whole = number
        .as_i64()
        .filter(|whole| whole.unsigned_abs() <= MAX_INTEGER)
        .ok_or_else(|| NotCanonical::Number(number.to_string()))?;
    out.push_str(&whole.to_string());
    Ok(())
}

fn write_array(out: &mut String, items: &[Value], levels: usize) -> Result<(), NotCanonical> {
    let inside = levels.checked_sub(1).ok_or(NotCanonical::TooDeep)?;
    out.push('[');
    for (place, item) in items.iter().enumerate() {
        if place > 0 {
            out.push(',');
        }
        write_value(out, item, inside)?;
    }
    out.push(']');
    Ok(())
}

fn write_object(out: &mut String, members: &Map<String, Value>, levels: usize) -> Result<(), NotCanonical> {
    let inside = levels.checked_sub(1).ok_or(NotCanonical::TooDeep)?;
    let mut sorted: Vec<(&String, &Value)> = members.iter().collect();
    sorted.sort_unstable_by(|(a, _), (b, _)| utf_16_order(a, b));
    out.push('{');
    for (place, (key, member)) in sorted.into_iter().enumerate() {
        if place > 0 {
            out.push(',');
        }
        write_string(out, key);
        out.push(':');
        write_value(out, member, inside)?;
    }
    out.push('}');
    Ok(())
}

/// The order of UTF-16 code units. It is not the order of Rust strings: a character
/// beyond U+FFFF begins with a surrogate and so comes before U+E000 to U+FFFF.
fn utf_16_order(a: &str, b: &str) -> Ordering {
    // Nearly all keys are ASCII, where both orders are one and this is much faster.
    if a.is_ascii() && b.is_ascii() { a.cmp(b) } else { a.encode_utf16().cmp(b.encode_utf16()) }
}

/// Appends `text` between quotation marks, escaping only what RFC 8785 escapes.
pub(super) fn write_string(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    while let Some(place) = rest.bytes().position(is_special) {
        let (plain, from_here) = rest.split_at(place);
        out.push_str(plain);
        let mut following = from_here.chars();
        if let Some(special) = following.next() {
            write_escape(out, special);
        }
        rest = following.as_str();
    }
    out.push_str(rest);
    out.push('"');
}

/// Claims that a byte has to be escaped. All such are ASCII, so none is part of a longer character.
fn is_special(byte: u8) -> bool {
    byte < b' ' || byte == b'"' || byte == b'\\'
}

fn write_escape(out: &mut String, special: char) {
    match special {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\u{8}' => out.push_str("\\b"),
        '\t' => out.push_str("\\t"),
        '\n' => out.push_str("\\n"),
        '\u{c}' => out.push_str("\\f"),
        '\r' => out.push_str("\\r"),
        other => {
            // The two hexadecimal digits of a byte below 0x20.
            let code = u32::from(other);
            out.push_str(if code < 16 { "\\u000" } else { "\\u001" });
            out.extend(char::from_digit(code % 16, 16));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn keys_come_in_utf_16_order() {
        // The seven keys of the example in RFC 8785 section 3.2.3.
        let value = json!({ "\u{20ac}": 1, "\r": 2, "\u{fb33}": 3, "1": 4, "\u{1f600}": 5, "\u{80}": 6, "\u{f6}": 7 });
        let expected = "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"\u{f6}\":7,\"\u{20ac}\":1,\"\u{1f600}\":5,\"\u{fb33}\":3}";
        assert_eq!(canonical(&value).unwrap(), expected);
    }

    #[test]
    fn only_what_must_be_escaped_is_escaped() {
        let value = json!("€$\u{f}\nA'B\"\\\"/\u{8}\t\u{c}\r\u{0}\u{1f}\u{7f}\u{2028}");
        let expected = "\"€$\\u000f\\nA'B\\\"\\\\\\\"/\\b\\t\\f\\r\\u0000\\u001f\u{7f}\u{2028}\"";
        assert_eq!(canonical(&value).unwrap(), expected);
    }

    #[test]
    fn whole_numbers_up_to_the_limit_are_written_and_others_refused() {
        assert_eq!(canonical(&json!([0, -1, 9_007_199_254_740_991_i64])).unwrap(), "[0,-1,9007199254740991]");
        assert_eq!(canonical(&json!(-9_007_199_254_740_991_i64)).unwrap(), "-9007199254740991");
        for refused in
            ["1.0", "1e2", "0.5", "-0", "9007199254740992", "-9007199254740992", "18446744073709551615", "1e300"]
        {
            let value: Value = serde_json::from_str(refused).unwrap();
            assert!(matches!(canonical(&value), Err(NotCanonical::Number(_))), "{refused}");
        }
    }

    #[test]
    fn nesting_ends_at_the_limit() {
        let nested = |levels: usize| (1..levels).fold(json!([]), |inner, _| json!([inner]));
        assert!(canonical(&nested(MAX_DEPTH)).is_ok());
        assert_eq!(canonical(&nested(MAX_DEPTH + 1)), Err(NotCanonical::TooDeep));
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let scalar = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (-9_007_199_254_740_991_i64..=9_007_199_254_740_991).prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        scalar.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map(any::<String>(), inner, 0..6)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn canonical_text_reads_back_as_the_value_and_is_its_own_canonical_text(value in any_value()) {
            let text = canonical(&value).unwrap();
            let again: Value = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(&again, &value);
            prop_assert_eq!(canonical(&again).unwrap(), text);
        }
    }
}
