//! The fields of a form; a station's fields stay as typed from page to page.

use axum::extract::{FromRequest, Request};
use axum::http::header;
use serde_json::Value;

use crate::domain::RequestBody;
use crate::web::http::error::WebError;
use crate::web::http::request::collect_body;

use super::views::station::{Field, HiddenFields};

/// The fields of a form, in their order.
#[derive(Clone, Debug, Default)]
pub struct Form(Vec<(String, String)>);

impl Form {
    /// A field, trimmed; empty if it was not sent.
    pub fn text(&self, name: &str) -> String {
        let found = self.0.iter().find(|(field, _)| field == name);
        found.map(|(_, value)| value.trim().to_owned()).unwrap_or_default()
    }

    /// Every field of that name, as typed.
    pub fn texts(&self, name: &str) -> Vec<String> {
        self.0.iter().filter(|(field, _)| field == name).map(|(_, value)| value.clone()).collect()
    }
}

impl<S: Send + Sync> FromRequest<S> for Form {
    type Rejection = WebError;

    async fn from_request(request: Request, _: &S) -> Result<Self, WebError> {
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if !kind.starts_with("application/x-www-form-urlencoded") {
            return Err(WebError::UnsupportedMediaType);
        }
        let body = collect_body(request.into_body()).await?;
        Ok(Self(serde_urlencoded::from_bytes(&body).unwrap_or_default()))
    }
}

/// The fields of a station's forms; other fields are dropped.
#[derive(Clone, Debug, Default)]
pub struct SlipForm {
    pub table: String,
    pub count: String,
    pub division: Option<String>,
    pub words: Vec<String>,
    /// The id of the slip that is corrected; `None` for a new one.
    pub slip: Option<String>,
    pub key: Option<String>,
    /// Whether the players answered that this is the same play as the slip before.
    pub is_same_play: bool,
    /// Whether the players answered that this is another play.
    pub is_another_play: bool,
}

impl<S: Send + Sync> FromRequest<S> for SlipForm {
    type Rejection = WebError;

    async fn from_request(request: Request, state: &S) -> Result<Self, WebError> {
        Form::from_request(request, state).await.map(Self::from)
    }
}

impl From<Form> for SlipForm {
    fn from(Form(fields): Form) -> Self {
        let mut form = Self::default();
        let mut tapped = None;
        for (name, value) in fields {
            match name.as_str() {
                "table" => form.table = value,
                "count" => form.count = value,
                "tap" => tapped = Some(value),
                "division" => form.division = Some(value),
                "word" => form.words.push(value),
                "slip" => form.slip = Some(value),
                "key" => form.key = Some(value),
                "another_play" => (form.is_same_play, form.is_another_play) = (value == "no", value == "yes"),
                _ => {}
            }
        }
        form.count = tapped.unwrap_or(form.count);
        form
    }
}

impl SlipForm {
    /// The request body that a program would send, so that the same code reads both.
    pub fn to_body(&self, division: Option<&str>) -> RequestBody {
        let mut said = RequestBody::new();
        said.insert("table".to_owned(), number_or_text(&self.table));
        said.insert("declared_count".to_owned(), number_or_text(&self.count));
        said.insert("division".to_owned(), division.or(self.division.as_deref()).into());
        said.insert("words".to_owned(), self.words.clone().into());
        said
    }

    /// The table, if the typed text is a number.
    pub fn table_number(&self) -> Option<i64> {
        self.table.trim().parse().ok()
    }

    /// The fields that the next page carries in hidden inputs.
    pub fn hidden_fields(&self, division: Option<&str>) -> HiddenFields {
        HiddenFields {
            table: self.table_number().map_or_else(|| self.table.trim().to_owned(), |table| table.to_string()),
            count: self.count.trim().parse().unwrap_or(0),
            division: division.map(str::to_owned).or_else(|| self.division.clone()),
            slip: self.slip.clone(),
        }
    }

    /// A field for each announced word, with the text typed so far.
    pub fn word_fields(&self, count: usize) -> Vec<Field> {
        (0..count)
            .map(|place| Field { value: self.words.get(place).cloned().unwrap_or_default(), fault: None })
            .collect()
    }
}

/// A form sends texts only: a text that looks like a number is read as one, an empty field as null.
fn number_or_text(typed: &str) -> Value {
    match typed.trim() {
        "" => Value::Null,
        text => text.parse::<i64>().map_or_else(|_| text.into(), Into::into),
    }
}
