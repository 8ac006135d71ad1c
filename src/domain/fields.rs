//! Reads a request field by field, so that it finds every fault and not only the first.
//!
//! A request is a JSON object: a program sends one, and the server converts a page's form into one. So the same code
//! reads the requests of the station, the tablet and the API.

use std::ops::RangeInclusive;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::fault::{Fault, FaultCode, Faults};
use super::time::Timestamp;
use crate::domain::player_name::{MAX_NAME_CHARS, normal_name, without_invisible};

/// The JSON object of a request, unchecked.
pub type RequestBody = Map<String, Value>;

/// The longest note, in characters.
pub const MAX_NOTE_CHARS: usize = 2000;

/// The most unknown fields that are reported: a person does not correct a request with more.
const MAX_UNKNOWN_FIELDS: usize = 20;

/// Takes fields out of a request and collects their faults. A field that is left out equals null.
pub struct Fields<'said> {
    body: &'said RequestBody,
    slug: FaultCode,
    taken: Vec<&'static str>,
    faults: Vec<Fault>,
}

impl<'said> Fields<'said> {
    /// A reader of this request, which gives every fault this slug.
    #[must_use]
    pub fn of(body: &'said RequestBody, slug: FaultCode) -> Self {
        Self { body, slug, taken: Vec::new(), faults: Vec::new() }
    }

    /// Records a fault of a field.
    pub fn fault(&mut self, field: &str, detail: impl Into<String>) {
        self.faults.push(Fault { field: field.to_owned(), slug: self.slug, detail: detail.into() });
    }

    /// Whether a field is there and not null.
    #[must_use]
    pub fn is_given(&self, field: &str) -> bool {
        self.body.get(field).is_some_and(|value| !value.is_null())
    }

    /// The value of a field, `None` where it is left out or null.
    fn take(&mut self, field: &'static str) -> Option<&'said Value> {
        self.taken.push(field);
        self.body.get(field).filter(|value| !value.is_null())
    }

    /// A whole number within `range`.
    pub fn number(&mut self, field: &'static str, range: RangeInclusive<i64>) -> Option<i64> {
        let value = self.take(field)?;
        let number = value.as_i64().filter(|number| range.contains(number));
        if number.is_none() {
            self.fault(field, format!("{field} must be a whole number from {} to {}", range.start(), range.end()));
        }
        number
    }

    /// Like [`number`](Self::number), but required.
    pub fn required_number(&mut self, field: &'static str, range: RangeInclusive<i64>) -> Option<i64> {
        self.need(field);
        self.number(field, range)
    }

    /// A line of text of 1 to `longest` characters without control characters.
    pub fn line(&mut self, field: &'static str, longest: usize) -> Option<String> {
        let value = self.take(field)?;
        let text = value.as_str().filter(|text| {
            let is_sized = (1..=longest).contains(&text.chars().count());
            is_sized && !text.trim().is_empty() && !text.chars().any(char::is_control)
        });
        if text.is_none() {
            self.fault(
                field,
                format!("{field} must be a text of 1 to {longest} characters without control characters"),
            );
        }
        text.map(str::to_owned)
    }

    /// A name of 1 to 100 characters without control characters, as names are recorded and compared.
    pub fn name(&mut self, field: &'static str) -> Option<String> {
        let value = self.take(field)?;
        let name = value.as_str().and_then(normal_name);
        if name.is_none() {
            self.fault(
                field,
                format!("{field} must be a text of 1 to {MAX_NAME_CHARS} characters without control characters"),
            );
        }
        name
    }

    /// Like [`name`](Self::name), but required.
    pub fn required_name(&mut self, field: &'static str) -> Option<String> {
        self.need(field);
        self.name(field)
    }

    /// A text of 1 to `longest` characters without control characters. Invisible characters are removed.
    pub fn text(&mut self, field: &'static str, longest: usize) -> Option<String> {
        let text = without_invisible(&self.line(field, longest)?);
        let is_blank = text.trim().is_empty();
        if is_blank {
            self.fault(field, format!("{field} must be a text that can be seen"));
        }
        (!is_blank).then_some(text)
    }

    /// Like [`text`](Self::text), but required.
    pub fn required_text(&mut self, field: &'static str, longest: usize) -> Option<String> {
        self.need(field);
        self.text(field, longest)
    }

    /// Like [`line`](Self::line), but required.
    pub fn required_line(&mut self, field: &'static str, longest: usize) -> Option<String> {
        self.need(field);
        self.line(field, longest)
    }

    /// A note of up to 2,000 characters without control characters, which may be empty. Invisible characters are
    /// removed.
    pub fn note(&mut self, field: &'static str) -> Option<String> {
        let value = self.take(field)?;
        let is_plain = |text: &&str| text.chars().count() <= MAX_NOTE_CHARS && !text.chars().any(char::is_control);
        let text = value.as_str().filter(is_plain).map(without_invisible);
        if text.is_none() {
            self.fault(
                field,
                format!("{field} must be a text of up to {MAX_NOTE_CHARS} characters without control characters"),
            );
        }
        text
    }

    /// Like [`choice`](Self::choice), but required.
    pub fn required_choice<T: DeserializeOwned>(&mut self, field: &'static str, wanted: &str) -> Option<T> {
        if !self.is_given(field) {
            self.taken.push(field);
            self.fault(field, format!("{field} must be {wanted}"));
            return None;
        }
        self.choice(field, wanted)
    }

    /// A list of 1 to `most` objects that must be given, each read by `read`.
    pub fn objects<T>(
        &mut self,
        field: &'static str,
        most: usize,
        read: impl Fn(&mut Fields<'_>) -> Option<T>,
    ) -> Option<Vec<T>> {
        let items = self.take(field).and_then(Value::as_array);
        let Some(items) = items.filter(|items| (1..=most).contains(&items.len())) else {
            self.fault(field, format!("{field} must be a list of 1 to {most} objects"));
            return None;
        };
        let mut objects = Vec::with_capacity(items.len());
        for (place, item) in items.iter().enumerate() {
            let Some(object) = item.as_object() else {
                self.fault(&format!("{field}[{place}]"), "this must be an object");
                continue;
            };
            let mut inner = Fields::of(object, self.slug);
            objects.extend(read(&mut inner));
            for Fault { field: within, detail, .. } in inner.faults().iter().flat_map(Faults::iter) {
                self.fault(&format!("{field}[{place}].{within}"), detail);
            }
        }
        Some(objects)
    }

    /// The fields of an object; none where it is left out.
    pub fn object(&mut self, field: &'static str) -> Map<String, Value> {
        match self.take(field) {
            Some(Value::Object(object)) => object.clone(),
            None => Map::new(),
            Some(_) => {
                self.fault(field, format!("{field} must be an object"));
                Map::new()
            }
        }
    }

    fn need(&mut self, field: &'static str) {
        if !self.is_given(field) {
            self.fault(field, format!("{field} must be given"));
        }
    }

    /// `true` or `false`.
    pub fn bool_field(&mut self, field: &'static str) -> Option<bool> {
        let value = self.take(field)?;
        if value.as_bool().is_none() {
            self.fault(field, format!("{field} must be true or false"));
        }
        value.as_bool()
    }

    /// Like [`bool_field`](Self::bool_field), but required.
    pub fn required_bool(&mut self, field: &'static str) -> Option<bool> {
        self.need(field);
        self.bool_field(field)
    }

    /// One of the values of `T`, by its name; `wanted` lists the names.
    pub fn choice<T: DeserializeOwned>(&mut self, field: &'static str, wanted: &str) -> Option<T> {
        let value = self.take(field)?;
        let word = serde_json::from_value(value.clone()).ok();
        if word.is_none() {
            self.fault(field, format!("{field} must be {wanted}"));
        }
        word
    }

    /// A list of texts, `None` where it is left out or is no such list.
    pub fn texts(&mut self, field: &'static str) -> Option<Vec<String>> {
        let value = self.take(field)?;
        let texts: Option<Vec<String>> =
            value.as_array().and_then(|items| items.iter().map(|item| item.as_str().map(str::to_owned)).collect());
        if texts.is_none() {
            self.fault(field, format!("{field} must be a list of texts"));
        }
        texts
    }

    /// Refuses a field that has no meaning beside the request's other fields: any value but null is a fault.
    pub fn forbid(&mut self, field: &'static str, detail: &str) {
        if self.take(field).is_some() {
            self.fault(field, detail);
        }
    }

    /// A moment in the form of RFC 3339, with any offset.
    pub fn time(&mut self, field: &'static str) -> Option<Timestamp> {
        let value = self.take(field)?;
        let moment = value.as_str().and_then(Timestamp::parse_any);
        if moment.is_none() {
            self.fault(field, format!("{field} must be a time, like 2026-11-29T09:12:00Z"));
        }
        moment
    }

    /// Like [`time`](Self::time), but required.
    pub fn required_time(&mut self, field: &'static str) -> Option<Timestamp> {
        self.need(field);
        self.time(field)
    }

    /// The value that was read, if the whole request has no fault.
    ///
    /// # Errors
    /// All faults.
    pub fn finish<T>(self, read: Option<T>) -> Result<T, Faults> {
        let slug = self.slug;
        match self.faults() {
            Some(faults) => Err(faults),
            // A missing field has recorded a fault; this covers a reader that did not record one.
            None => read.ok_or_else(|| Faults::one("", slug, "the request is not complete")),
        }
    }

    /// All faults, those of unknown fields last.
    #[must_use]
    pub fn faults(mut self) -> Option<Faults> {
        let unknown: Vec<&String> = self.body.keys().filter(|key| !self.taken.contains(&key.as_str())).collect();
        for key in unknown.into_iter().take(MAX_UNKNOWN_FIELDS) {
            let shown: String = key.chars().take(40).filter(|letter| !letter.is_control()).collect();
            self.fault(&shown, format!("there is no field {shown:?}; see docs/api.md for the fields"));
        }
        Faults::of(self.faults)
    }
}
