//! One entry of a log, and its single canonical text.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value, error::Category};

use super::canonical::{MAX_DEPTH, MAX_INTEGER, NotCanonical, write_string, write_value};

/// The version of the leaf's form, written as `"v":1` in each.
const VERSION: u64 = 1;

/// Who did what an entry records, as it was at the time.
///
/// The name and the role are copies and not references: a log can be read when
/// everything beside it is lost.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Actor {
    /// The id of the device, token or staff member.
    pub id: String,
    /// The name that people know it by.
    pub name: String,
    /// The role it acted in, such as `judge`.
    pub role: String,
}

/// One entry of a log before it is written, or after it is read.
#[derive(Debug, Clone, PartialEq)]
pub struct Leaf {
    /// Who did it.
    pub actor: Actor,
    /// When the server recorded it: RFC 3339 in UTC, six decimals, `Z`, such as
    /// `2026-05-01T09:30:00.000000Z`. In this form later is greater, as text too.
    pub at: String,
    /// What happened, from the closed list in docs/ledger.md.
    pub kind: String,
    /// The log that the entry belongs to; an entry cannot be moved to another one.
    pub log: String,
    /// The content of the entry: always an object, whose fields depend on `kind`.
    pub payload: Value,
    /// The place in the log, from 0 without gaps.
    pub seq: u64,
}

/// Why a text is not a leaf.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LeafError {
    /// Longer than [`Leaf::MAX_BYTES`].
    #[error("it has {0} bytes and {max} are the most", max = Leaf::MAX_BYTES)]
    TooLong(usize),
    /// No JSON at all; the text says where.
    #[error("it is not JSON: {0}")]
    NotJson(String),
    /// JSON with a field too few, too many, twice, or of another type; the text says which.
    #[error("it does not have the fields of an entry: {0}")]
    Fields(String),
    /// A later form of the leaf, or none that ever was.
    #[error("it is of version {0} and this program reads version {VERSION}: use a newer program")]
    Version(u64),
    /// A value in it that canonical JSON or its field does not take.
    #[error(transparent)]
    NotCanonical(#[from] NotCanonical),
    /// The right value in another spelling; the number is the first byte that differs, from 0.
    #[error("it is not in canonical form from byte {0} on")]
    Spelling(usize),
}

/// What is written, with the version. Serde refuses unknown, missing and repeated fields.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    actor: Actor,
    at: String,
    kind: String,
    log: String,
    payload: Map<String, Value>,
    seq: u64,
    v: u64,
}

impl From<Written> for Leaf {
    fn from(written: Written) -> Self {
        Self {
            actor: written.actor,
            at: written.at,
            kind: written.kind,
            log: written.log,
            payload: Value::Object(written.payload),
            seq: written.seq,
        }
    }
}

impl Leaf {
    /// The longest text of a leaf, 1 MiB. It bounds the memory of a program that verifies a log.
    pub const MAX_BYTES: usize = 1 << 20;

    /// Writes the leaf as the bytes that are stored and hashed: canonical JSON, one line, no line end.
    ///
    /// What this writes, [`Leaf::parse`] reads back.
    ///
    /// # Errors
    ///
    /// [`NotCanonical`] when the payload cannot be written canonically or is no
    /// object, `at` is not of its form, `seq` is beyond 2^53 - 1, or the text is
    /// longer than [`Leaf::MAX_BYTES`]. Nothing may then be recorded.
    pub fn to_text(&self) -> Result<String, NotCanonical> {
        self.check_fields()?;
        let mut out = String::with_capacity(512);
        self.write(&mut out)?;
        if out.len() > Self::MAX_BYTES { Err(NotCanonical::TooLong(out.len())) } else { Ok(out) }
    }

    /// Reads a stored leaf, strictly: it is a leaf only if writing it anew gives the same bytes.
    ///
    /// # Errors
    ///
    /// [`LeafError`] says what is wrong and, where it can, at which place.
    pub fn parse(text: &str) -> Result<Self, LeafError> {
        if text.len() > Self::MAX_BYTES {
            return Err(LeafError::TooLong(text.len()));
        }
        let written: Written = serde_json::from_str(text).map_err(|error| unreadable(&error))?;
        if written.v != VERSION {
            return Err(LeafError::Version(written.v));
        }
        let leaf = Self::from(written);
        let again = leaf.to_text()?;
        if again == text { Ok(leaf) } else { Err(LeafError::Spelling(first_difference(&again, text))) }
    }

    /// Appends the text. The keys stand here in canonical order, so nothing needs sorting.
    fn write(&self, out: &mut String) -> Result<(), NotCanonical> {
        let strings = [
            ("{\"actor\":{\"id\":", &self.actor.id),
            (",\"name\":", &self.actor.name),
            (",\"role\":", &self.actor.role),
            ("},\"at\":", &self.at),
            (",\"kind\":", &self.kind),
            (",\"log\":", &self.log),
        ];
        for (key, text) in strings {
            out.push_str(key);
            write_string(out, text);
        }
        out.push_str(",\"payload\":");
        // The leaf itself is the first level.
        write_value(out, &self.payload, MAX_DEPTH - 1)?;
        let end = format!(",\"seq\":{},\"v\":{VERSION}}}", self.seq);
        out.push_str(&end);
        Ok(())
    }

    fn check_fields(&self) -> Result<(), NotCanonical> {
        let refuse = |field, form| Err(NotCanonical::Field { field, form });
        if !is_time(&self.at) {
            return refuse("at", "a time in UTC like 2026-05-01T09:30:00.000000Z");
        }
        if !self.payload.is_object() {
            return refuse("payload", "an object");
        }
        if self.seq > MAX_INTEGER {
            return Err(NotCanonical::Number(self.seq.to_string()));
        }
        Ok(())
    }
}

/// Whether `at` is a time in the one spelling that the ledger uses.
///
/// Reading and writing it anew settles what a pattern would let through, such as
/// 30 February and the 61st second.
fn is_time(at: &str) -> bool {
    let length = "2026-05-01T09:30:00.000000Z".len();
    at.len() == length && at.parse::<Timestamp>().is_ok_and(|time| format!("{time:.6}") == at)
}

fn unreadable(error: &serde_json::Error) -> LeafError {
    match error.classify() {
        Category::Data => LeafError::Fields(error.to_string()),
        Category::Syntax | Category::Eof | Category::Io => LeafError::NotJson(error.to_string()),
    }
}

/// The first byte in which two texts differ; where one begins with the other, the end of the shorter.
fn first_difference(a: &str, b: &str) -> usize {
    a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const TEXT: &str = r#"{"actor":{"id":"s1","name":"Ann","role":"judge"},"at":"2026-05-01T09:30:00.000000Z","kind":"slip-ruled","log":"demo","payload":{"ruling":"acceptable","words":["QI"]},"seq":3,"v":1}"#;

    fn leaf() -> Leaf {
        Leaf {
            actor: Actor { id: "s1".into(), name: "Ann".into(), role: "judge".into() },
            at: "2026-05-01T09:30:00.000000Z".into(),
            kind: "slip-ruled".into(),
            log: "demo".into(),
            payload: json!({ "words": ["QI"], "ruling": "acceptable" }),
            seq: 3,
        }
    }

    #[test]
    fn a_leaf_is_written_in_its_one_text_and_read_back() {
        assert_eq!(leaf().to_text().unwrap(), TEXT);
        assert_eq!(Leaf::parse(TEXT), Ok(leaf()));
        let value: Value = serde_json::from_str(TEXT).unwrap();
        assert_eq!(super::super::canonical(&value).unwrap(), TEXT);
    }

    #[test]
    fn every_other_spelling_is_refused_at_its_place() {
        let changed = [
            TEXT.replace(r#""Ann","role":"judge""#, r#""Ann", "role":"judge""#),
            TEXT.replace(r#""id":"s1","name":"Ann""#, r#""name":"Ann","id":"s1""#),
            TEXT.replace("QI", "\\u0051I"),
            TEXT.replace(r#"{"id":"s1","name":"Ann","role":"judge"}"#, r#"["s1","Ann","judge"]"#),
            TEXT.replace(r#""words":["QI"]"#, r#""words":["CAT"],"words":["QI"]"#),
            format!("{TEXT}\r"),
            format!("{TEXT}\n"),
            format!(" {TEXT}"),
        ];
        for text in changed {
            assert!(matches!(Leaf::parse(&text), Err(LeafError::Spelling(_))), "{text}");
        }
        assert_eq!(Leaf::parse(&format!("{TEXT}\r")), Err(LeafError::Spelling(TEXT.len())));
        assert_eq!(Leaf::parse(&format!(" {TEXT}")), Err(LeafError::Spelling(0)));
    }

    #[test]
    fn a_missing_an_unknown_and_a_repeated_field_are_named() {
        let fields = |text: &str| match Leaf::parse(text) {
            Err(LeafError::Fields(what)) => what,
            other => panic!("{text}: {other:?}"),
        };
        assert!(fields(&TEXT.replace(r#","v":1"#, "")).contains("missing field `v`"));
        assert!(fields(&TEXT.replace(r#","v":1"#, r#","v":1,"w":1"#)).contains("unknown field `w`"));
        assert!(fields(&TEXT.replace(r#","v":1"#, r#","v":1,"v":1"#)).contains("duplicate field `v`"));
        assert!(fields(&TEXT.replace(r#""role":"judge""#, r#""role":"judge","x":0"#)).contains("unknown field `x`"));
        fields(&TEXT.replace(r#""seq":3"#, r#""seq":"3""#));
        fields(&TEXT.replace(r#""seq":3"#, r#""seq":-3"#));
        fields(&TEXT.replace(r#""seq":3"#, r#""seq":3.0"#));
        fields(&TEXT.replace(r#"{"ruling":"acceptable","words":["QI"]}"#, "[]"));
    }

    #[test]
    fn a_text_that_is_no_leaf_is_refused_with_the_reason() {
        let other_version = TEXT.replace(r#""v":1"#, r#""v":2"#);
        assert_eq!(Leaf::parse(&other_version), Err(LeafError::Version(2)));
        for text in ["", "{", "\u{feff}{}", &TEXT[..50], &format!("{TEXT}{TEXT}"), "\u{feff}"] {
            assert!(matches!(Leaf::parse(text), Err(LeafError::NotJson(_))), "{text}");
        }
        let fraction = TEXT.replace(r#"["QI"]"#, "1.5");
        assert!(matches!(Leaf::parse(&fraction), Err(LeafError::NotCanonical(NotCanonical::Number(_)))));
        let long = "x".repeat(Leaf::MAX_BYTES + 1);
        assert_eq!(Leaf::parse(&long), Err(LeafError::TooLong(long.len())));
    }

    #[test]
    fn a_time_has_one_spelling() {
        for at in [
            "2026-05-01T09:30:00Z",
            "2026-05-01T09:30:00.000Z",
            "2026-05-01T09:30:00.0000000Z",
            "2026-05-01T09:30:00.000000+00:00",
            "2026-05-01t09:30:00.000000Z",
            "2026-05-01T09:30:00,000000Z",
            "2026-02-30T09:30:00.000000Z",
            "2026-05-01T09:30:60.000000Z",
            "2026-05-01T24:00:00.000000Z",
            "2026-05-01 09:30:00.000000Z",
            "-000001-05-01T09:30:00.000000Z",
            "",
        ] {
            let refused = Leaf { at: at.into(), ..leaf() }.to_text();
            assert!(matches!(refused, Err(NotCanonical::Field { field: "at", .. })), "{at}");
        }
    }

    #[test]
    fn a_leaf_that_could_not_be_read_back_is_not_written() {
        let long = Leaf { payload: json!({ "note": "x".repeat(Leaf::MAX_BYTES) }), ..leaf() };
        assert!(matches!(long.to_text(), Err(NotCanonical::TooLong(_))));
        assert!(Leaf { payload: json!([]), ..leaf() }.to_text().is_err());
        assert!(Leaf { seq: MAX_INTEGER + 1, ..leaf() }.to_text().is_err());
        let nested = |levels: usize| (2..levels).fold(json!({}), |inner, _| json!({ "in": inner }));
        let deepest = Leaf { payload: nested(MAX_DEPTH), ..leaf() };
        assert_eq!(Leaf::parse(&deepest.to_text().unwrap()), Ok(deepest));
        assert_eq!(Leaf { payload: nested(MAX_DEPTH + 1), ..leaf() }.to_text(), Err(NotCanonical::TooDeep));
    }
}
