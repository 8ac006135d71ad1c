//! Which station a browser is, and the frame of its pages.

use std::net::SocketAddr;
use std::sync::Arc;

use askama::Template;
use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::StatusCode;
use axum::http::header::HOST;
use axum::http::request::Parts;
use axum::response::{Html, IntoResponse, Response};

use crate::app::App;
use crate::domain::{Division, Tournament};
use crate::present::Present;
use crate::store::tokens::Entrance;
use crate::web::error::WebError;
use crate::web::who::Who;

use super::shown;
use super::views::{DivisionChoice, NotAStationPage, Place};

/// A browser that is a station, and what was so when its request came.
pub struct Seat {
    pub app: App,
    pub who: Who,
    pub present: Arc<Present>,
}

impl Seat {
    /// The tournament the station belongs to.
    ///
    /// # Errors
    /// Where there is no such tournament, which no station of ours can say.
    pub fn tournament(&self) -> Result<&Tournament, WebError> {
        self.who.tournament(&self.present, &self.who.0.tournament)
    }

    /// The division of that id, or the only one there is.
    pub fn division<'s>(&'s self, id: Option<&str>) -> Option<&'s Division> {
        let tournament = self.tournament().ok()?;
        let mut divisions = tournament.divisions().filter(|division| self.who.serves(&division.id));
        match (id, divisions.next(), divisions.next()) {
            (Some(id), _, _) => tournament.division(id).ok(),
            (None, Some(only), None) => Some(only),
            (None, _, _) => None,
        }
    }

    /// What stands at the head of every page.
    pub fn place(&self, division: Option<&Division>) -> Place {
        Place {
            station: self.who.0.name.clone(),
            tournament: self.tournament().map(|tournament| tournament.title.clone()).unwrap_or_default(),
            division: division.map(|division| division.id.clone()),
            lexicon: division.map(|division| shown(&division.lexicon)),
        }
    }

    /// The divisions to choose from, the chosen one marked.
    pub fn choices(&self, chosen: Option<&Division>) -> Vec<DivisionChoice> {
        let divisions = self.tournament().into_iter().flat_map(Tournament::divisions);
        divisions
            .filter(|division| self.who.serves(&division.id))
            .map(|division| DivisionChoice {
                id: division.id.clone(),
                lexicon: self.present.opened(&division.lexicon).map(|opened| shown(opened.name())),
                is_chosen: chosen.is_some_and(|chosen| chosen.id == division.id),
            })
            .collect()
    }
}

impl FromRequestParts<App> for Seat {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Response> {
        let own = Who::from_request_parts(parts, app).await.ok().filter(|who| who.0.by == Entrance::Device);
        if let Some(who) = own {
            return Ok(Self { app: app.clone(), who, present: app.present() });
        }
        let here = ConnectInfo::<SocketAddr>::from_request_parts(parts, app).await;
        let is_this_machine = here.is_ok_and(|ConnectInfo(peer)| peer.ip().is_loopback()) && names_this_machine(parts);
        let present = app.present();
        let open = app.open_station.as_deref().filter(|_| is_this_machine);
        let holder = open.and_then(|name| present.holder_named(name)).cloned();
        let holder = holder.ok_or_else(|| drawn(StatusCode::FORBIDDEN, &NotAStationPage { can_pair: true }))?;
        Ok(Self { app: app.clone(), who: Who(holder), present })
    }
}

/// Whether the browser asked for this machine by one of its own names: another name that leads here may be
/// a stranger's page that wants to use the station.
fn names_this_machine(parts: &Parts) -> bool {
    let host = parts.headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    matches!(name, "localhost" | "127.0.0.1" | "[::1]")
}

/// Draws a page.
pub fn drawn(status: StatusCode, page: &impl Template) -> Response {
    match page.render() {
        Ok(html) => (status, Html(html)).into_response(),
        Err(error) => {
            tracing::error!(error = %error, "a page cannot be drawn");
            WebError::Internal.into_response()
        }
    }
}
