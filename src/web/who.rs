//! Who is asking: the holder of a token.

use axum::extract::FromRequestParts;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;

use crate::app::App;
use crate::domain::ledger::Actor;
use crate::domain::{Action, Role, SlipRecord, Tournament};
use crate::present::Present;
use crate::store::tokens::Holder;

use super::error::WebError;

/// A caller whose token was found.
#[derive(Clone, Debug)]
pub struct Who(pub Holder);

impl Who {
    /// Checks the permission table.
    ///
    /// # Errors
    /// 403 `forbidden`.
    pub fn may(&self, action: Action) -> Result<(), WebError> {
        if self.0.role.may(action) { Ok(()) } else { Err(WebError::Forbidden("this token's role does not allow it")) }
    }

    /// The tournament of that id, if it is the caller's own.
    ///
    /// # Errors
    /// 404 `not-found`, also for another tournament's.
    pub fn tournament<'p>(&self, present: &'p Present, id: &str) -> Result<&'p Tournament, WebError> {
        let own = present.floor.tournament(id).filter(|_| self.0.tournament == id);
        own.ok_or(WebError::NotFound)
    }

    /// The slip of that id, if the caller may read it: a station its own, everybody else those of the tournament.
    ///
    /// # Errors
    /// 404 `not-found`, 503 where it cannot be read.
    pub async fn slip(&self, app: &App, id: &str) -> Result<SlipRecord, WebError> {
        let is_own = |record: &SlipRecord| {
            record.tournament == self.0.tournament && (self.0.role != Role::Station || record.filed_by.id == self.0.id)
        };
        app.ledger.slip(id).await?.filter(is_own).ok_or(WebError::NotFound)
    }

    /// As the ledger names the caller.
    #[must_use]
    pub fn actor(&self) -> Actor {
        Actor { id: self.0.id.clone(), name: self.0.name.clone(), role: self.0.role.to_string() }
    }
}

impl FromRequestParts<App> for Who {
    type Rejection = WebError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, WebError> {
        let header = parts.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let secret = header.and_then(bearer).ok_or(WebError::NotSignedIn)?;
        let holder = app.present().holder(secret).cloned();
        holder.map(Self).ok_or(WebError::NotSignedIn)
    }
}

fn bearer(header: &str) -> Option<&str> {
    let (scheme, secret) = header.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| secret.trim())
}
