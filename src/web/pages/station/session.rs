//! A station's session in a browser, and the frame of its pages.

use std::net::SocketAddr;

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::StatusCode;
use axum::http::header::HOST;
use axum::http::request::Parts;
use axum::response::Response;

use crate::domain::{Division, FaultCode, Faults, Tournament};
use crate::snapshot::Snapshot;
use crate::store::accounts::tokens::Credential;
use crate::web::acts::challenge::{active_lexicon, second_lexicon, wrong_station};
use crate::web::auth::caller::{Caller, View};
use crate::web::auth::cookies::Cookie;
use crate::web::http::error::WebError;
use crate::web::state::AppState;

use crate::web::pages::i18n::Messages;
use crate::web::pages::views::NotAStationPage;
use crate::web::pages::views::station::{DivisionChoice, PageHeader};
use crate::web::pages::{render, shown, word_list};

/// A browser that is a station.
pub struct StationSession {
    pub app: AppState,
    pub caller: Caller,
    /// The texts of its pages.
    pub t: &'static Messages,
    /// The texts unless players choose another language: those of the browser's language.
    pub default_language: &'static Messages,
}

impl StationSession {
    /// Takes the current snapshot, as [`Caller::renew`].
    ///
    /// # Errors
    /// 401 for a station that was revoked meanwhile.
    pub async fn renew(&mut self) -> Result<(), WebError> {
        self.caller.renew(&self.app).await
    }

    /// The snapshot that its caller is in.
    pub fn snapshot(&self) -> &Snapshot {
        self.caller.borrow_snapshot()
    }

    /// The tournament the station belongs to.
    ///
    /// # Errors
    /// If there is no such tournament, which does not happen for a station of this server.
    pub fn tournament(&self) -> Result<&Tournament, WebError> {
        self.caller.tournament(self.snapshot(), &self.caller.principal.tournament)
    }

    /// The divisions that the station serves.
    pub fn divisions(&self) -> impl Iterator<Item = &Division> {
        let divisions = self.tournament().into_iter().flat_map(Tournament::divisions);
        divisions.filter(|division| self.caller.serves(&division.id))
    }

    /// The division of that id, or the only one there is.
    pub fn division(&self, id: Option<&str>) -> Option<&Division> {
        let mut divisions = self.divisions();
        match (id, divisions.next(), divisions.next()) {
            (Some(id), _, _) => self.tournament().ok()?.division(id).ok(),
            (None, Some(only), None) => Some(only),
            (None, _, _) => None,
        }
    }

    /// The division of a slip: the table's, if tables belong to divisions, else the chosen one or the only one.
    ///
    /// # Errors
    /// `wrong-division` if another station serves it, `invalid-slip` if it is not known yet; each names the field to
    /// correct.
    pub fn division_at(&self, chosen: Option<&str>, table: Option<i64>) -> Result<&Division, Faults> {
        let of_table = table.and_then(|table| self.tournament().ok()?.division_of_table(table));
        match of_table.or_else(|| self.division(chosen)) {
            Some(division) if self.caller.serves(&division.id) => Ok(division),
            Some(division) => {
                let elsewhere = wrong_station(self.snapshot(), &self.caller, division);
                Err(Faults::one("table", FaultCode::WrongDivision, elsewhere.first().detail.clone()))
            }
            None if self.asks_division() => {
                Err(Faults::one("division", FaultCode::InvalidSlip, self.t.choose_division.to_string()))
            }
            None => Err(Faults::one("table", FaultCode::InvalidSlip, self.t.table_unknown.to_string())),
        }
    }

    /// Whether a signed-in judge or director receives a call at once, because they follow the tournament's events.
    pub fn is_answered(&self, is_for_director: bool) -> bool {
        self.app.stream_limit.answers_calls(&self.caller.principal.tournament, is_for_director)
    }

    /// Whether the players choose their division, because their table does not determine it.
    pub fn asks_division(&self) -> bool {
        self.divisions().count() > 1 && self.divisions().any(|division| division.settings.tables.is_none())
    }

    /// Whether the players enter the number of their table.
    pub fn asks_table(&self) -> bool {
        self.divisions().any(|division| division.settings.table_required() || division.settings.tables.is_some())
    }

    /// Whether the station gives rulings at this moment, in one of its divisions at least.
    ///
    /// # Errors
    /// Why it does not.
    pub fn check_open(&self) -> Result<(), WebError> {
        self.caller.check_station_open()?;
        let mut reasons = self.divisions().map(|division| self.check_division_open(division));
        match reasons.next() {
            Some(Err(why)) if reasons.all(|reason| reason.is_err()) => Err(why),
            _ => Ok(()),
        }
    }

    /// Whether slips of a division are accepted at this moment.
    ///
    /// # Errors
    /// `self-lookup-off`, `round-closed`, `no-active-lexicon`, in this order.
    pub fn check_division_open(&self, division: &Division) -> Result<(), WebError> {
        division.check_self_lookup()?;
        division.check_round(division.round_or_open(None))?;
        active_lexicon(self.snapshot(), division)?;
        second_lexicon(self.snapshot(), division)?;
        Ok(())
    }

    /// The header of every page.
    pub fn header(&self, division: Option<&Division>) -> PageHeader {
        PageHeader {
            t: self.t,
            own: self.default_language,
            station: self.caller.principal.name.clone(),
            tournament: self.tournament().map(|tournament| tournament.title.clone()).unwrap_or_default(),
            division: division.map(|division| division.id.clone()),
            lexicon: division.map(|division| shown(&division.lexicon)),
            list: division.and_then(|division| word_list(self.snapshot(), &division.lexicon)),
        }
    }

    /// The divisions that the station serves, the chosen one marked.
    pub fn division_choices(&self, chosen: Option<&Division>) -> Vec<DivisionChoice> {
        self.divisions()
            .map(|division| DivisionChoice {
                id: division.id.clone(),
                tables: division.settings.tables.as_ref().map(ToString::to_string),
                lexicon: self.snapshot().opened(&division.lexicon).map(|opened| shown(opened.name())),
                is_chosen: chosen.is_some_and(|chosen| chosen.id == division.id),
            })
            .collect()
    }
}

impl FromRequestParts<AppState> for StationSession {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, Response> {
        let default_language = Messages::negotiate(&parts.headers);
        let chosen = Cookie::Language.of(&parts.headers, app.identity.is_tls()).and_then(Messages::of);
        let t = chosen.unwrap_or(default_language);
        let device = Caller::from_request_parts(parts, app)
            .await
            .ok()
            .filter(|caller| caller.principal.by == Credential::Device);
        if let Some(caller) = device {
            return Ok(Self { app: app.clone(), caller, t, default_language });
        }
        let here = ConnectInfo::<SocketAddr>::from_request_parts(parts, app).await;
        let is_this_machine = here.is_ok_and(|ConnectInfo(peer)| peer.ip().is_loopback()) && names_this_machine(parts);
        let snapshot = View::of(&parts.extensions, app);
        let open = app.open_station.as_deref().filter(|_| is_this_machine);
        let principal = open.and_then(|name| snapshot.holder_named(name)).cloned();
        let principal = principal.ok_or_else(|| render(StatusCode::FORBIDDEN, &NotAStationPage { can_pair: true }))?;
        Ok(Self { app: app.clone(), caller: Caller::new(principal, snapshot), t, default_language })
    }
}

/// Whether the browser addressed this machine by one of its own names: another name that leads here may be a stranger's
/// page that tries to use the station.
fn names_this_machine(parts: &Parts) -> bool {
    let host = parts.headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    matches!(name, "localhost" | "127.0.0.1" | "[::1]")
}
