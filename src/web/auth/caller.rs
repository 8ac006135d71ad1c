//! Who is asking: the holder of a token, a staff member who signed in, or a paired device; and the view of what was set
//! up that the whole request works with.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::Extensions;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;

use crate::domain::ledger::Actor;
use crate::domain::people::{serves, session_s};
use crate::domain::{Action, Role, SERVER_LOG, SlipRecord, Tournament};
use crate::snapshot::Snapshot;
use crate::store::tokens::{Entrance, Holder, hash_of};
use crate::store::{LedgerError, sessions};
use crate::transport::ConnectionIdentity;
use crate::web::state::AppState;

use super::cookies::Cookie;
use crate::web::http::error::WebError;
use crate::web::http::middleware::is_own_write;
use crate::web::limits::rate_limit::{CLIENT_REQUESTS_PER_MINUTE, STATION_REQUESTS_PER_MINUTE};

/// After how long it is written down again that a session is in use.
const SEEN_US: i64 = 60_000_000;

/// How long a request with an unknown secret waits for the ledger before it is refused.
const LOOK_UP_TIMEOUT: Duration = Duration::from_secs(1);

/// What was set up when a request came. The view is taken once, before anything else of the request is looked at, so that
/// all checks and the answer rest on the same.
#[derive(Clone, Debug)]
pub struct View(pub Arc<Snapshot>);

impl View {
    /// The view of a request.
    pub fn of(request: &Extensions, app: &AppState) -> Arc<Snapshot> {
        request.get::<Self>().map_or_else(|| app.present(), |view| Arc::clone(&view.0))
    }
}

impl FromRequestParts<AppState> for View {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, Infallible> {
        Ok(Self(Self::of(&parts.extensions, app)))
    }
}

/// A caller who may come in, and the view that the request works with from beginning to end.
#[derive(Clone, Debug)]
pub struct Who(pub Holder, Arc<Snapshot>);

impl Who {
    #[must_use]
    pub const fn new(holder: Holder, present: Arc<Snapshot>) -> Self {
        Self(holder, present)
    }

    /// The one view of the request. It has the caller in it, and does not change while the request is answered.
    #[must_use]
    pub fn present(&self) -> Arc<Snapshot> {
        Arc::clone(&self.1)
    }

    /// Takes the view of this moment, and the caller as he is in it: for a request whose body took its time to arrive.
    /// What is decided on it rests on that view alone.
    ///
    /// # Errors
    /// 401 `not-signed-in` for whoever may not come in any more; 503 where a session cannot be read.
    pub async fn renew(&mut self, app: &AppState) -> Result<(), WebError> {
        let (present, secret) = (app.present(), &self.0.secret_sha256);
        let again = match self.0.by {
            Entrance::Token | Entrance::Device => {
                present.holder_by_hash(secret).cloned().map(|same| Self(same, present))
            }
            Entrance::Session => in_session(app, present, secret).await?,
        };
        *self = again.ok_or(WebError::NotSignedIn)?;
        Ok(())
    }

    /// The same in a view in which everything counts that was set up until now: for requests that change the set-up
    /// itself, and where something was set up meanwhile.
    ///
    /// # Errors
    /// As [`Who::renew`].
    pub async fn refresh(&mut self, app: &AppState) -> Result<(), WebError> {
        app.refresh().await;
        self.renew(app).await
    }

    /// Checks the permission table.
    ///
    /// # Errors
    /// 403 `forbidden`.
    pub fn may(&self, action: Action) -> Result<(), WebError> {
        if self.0.role.may(action) { Ok(()) } else { Err(WebError::Forbidden("your role does not allow it")) }
    }

    /// The tournament of that id, if it is the caller's own.
    ///
    /// # Errors
    /// 404 `not-found`, also for another tournament's.
    pub fn tournament<'p>(&self, present: &'p Snapshot, id: &str) -> Result<&'p Tournament, WebError> {
        present.floor.tournament(id).filter(|_| self.is_of(id)).ok_or(WebError::NotFound)
    }

    /// Whether somebody belongs to a tournament; the server's directors to every one.
    #[must_use]
    pub fn is_of(&self, tournament: &str) -> bool {
        self.0.tournament == tournament || self.0.tournament == SERVER_LOG
    }

    /// The slip of that id, if the caller may read it: a station its own, everybody else those of the tournament.
    ///
    /// # Errors
    /// 404 `not-found`, 503 where it cannot be read.
    pub async fn slip(&self, app: &AppState, id: &str) -> Result<SlipRecord, WebError> {
        let is_own = |record: &SlipRecord| {
            self.is_of(&record.tournament) && (self.0.role != Role::Station || record.filed_by.id == self.0.id)
        };
        app.ledger.slip(id).await?.filter(is_own).ok_or(WebError::NotFound)
    }

    /// Whether a station serves a division; everybody else serves all.
    #[must_use]
    pub fn serves(&self, division: &str) -> bool {
        serves(&self.0.divisions, division)
    }

    /// How many writing requests a minute are taken from a caller; any number where it is `None`.
    #[must_use]
    pub fn requests_per_minute(&self) -> Option<usize> {
        match self.0.role {
            Role::Station => Some(STATION_REQUESTS_PER_MINUTE),
            Role::Client => Some(self.0.per_minute.map_or(CLIENT_REQUESTS_PER_MINUTE, |most| most as usize)),
            Role::Judge | Role::Director | Role::Observer => None,
        }
    }

    /// As the ledger names the caller.
    #[must_use]
    pub fn actor(&self) -> Actor {
        Actor { id: self.0.id.clone(), name: self.0.name.clone(), role: self.0.role.to_string() }
    }

    /// Whether the session by which somebody came in was not ended since.
    pub async fn is_in(&self, app: &AppState) -> bool {
        let present = app.present();
        let is_known = present.knows(&self.0);
        match self.0.by {
            Entrance::Token | Entrance::Device => is_known,
            Entrance::Session => {
                is_known && matches!(in_session(app, present, &self.0.secret_sha256).await, Ok(Some(_)))
            }
        }
    }
}

impl FromRequestParts<AppState> for Who {
    type Rejection = WebError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, WebError> {
        let who = authenticate(parts, app).await?;
        if let Some(connection) = parts.extensions.get::<ConnectionIdentity>() {
            connection.mark_known();
        }
        Ok(who)
    }
}

async fn authenticate(parts: &mut Parts, app: &AppState) -> Result<Who, WebError> {
    let header = parts.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    if let Some(header) = header {
        let secret = bearer(header).ok_or(WebError::NotSignedIn)?;
        return find_holder(&mut parts.extensions, app, secret).await.ok_or(WebError::NotSignedIn);
    }
    let who = by_cookie(parts, app).await?.ok_or(WebError::NotSignedIn)?;
    // A browser sends its cookies along with whatever another site has it send.
    if is_own_write(parts) { Ok(who) } else { Err(WebError::Forbidden("this was sent by another site")) }
}

/// Whoever signed in at this browser, or else the device that it is.
async fn by_cookie(parts: &mut Parts, app: &AppState) -> Result<Option<Who>, WebError> {
    if let Some(secret) = Cookie::Session.of(&parts.headers, app.identity.is_tls())
        && let Some(who) = in_session(app, View::of(&parts.extensions, app), &hash_of(secret)).await?
    {
        return Ok(Some(who));
    }
    let device = Cookie::Device.of(&parts.headers, app.identity.is_tls()).map(str::to_owned);
    let Some(secret) = device else { return Ok(None) };
    // A token is no cookie: its holder sends it as a header.
    Ok(find_holder(&mut parts.extensions, app, &secret).await.filter(|who| who.0.by == Entrance::Device))
}

/// The holder of a token or device secret. One that was made a moment ago, by this process or another, may be missing
/// in the view of the server: for an unknown secret the ledger is read once more, within a limit.
async fn find_holder(request: &mut Extensions, app: &AppState, secret: &str) -> Option<Who> {
    let find = |present: Arc<Snapshot>| {
        let holder = present.holder(secret).cloned()?;
        Some(Who(holder, present))
    };
    match find(View::of(request, app)) {
        Some(who) => Some(who),
        None if look_for_newcomer(request, app).await => find(View::of(request, app)),
        None => None,
    }
}

/// Takes another view for a request whose caller is unknown, with what was set up until now. False where the ledger was
/// not read because that address asked too often; the server reads it by itself within a second anyway.
pub async fn look_for_newcomer(request: &mut Extensions, app: &AppState) -> bool {
    let peer = request.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| peer.ip());
    let address = peer.unwrap_or(IpAddr::from([0, 0, 0, 0]));
    let is_read = app.rate_limits.unknown_secret(address, app.system.monotonic()).is_ok()
        && tokio::time::timeout(LOOK_UP_TIMEOUT, app.refresh()).await.is_ok();
    if is_read {
        request.insert(View(app.present()));
    }
    is_read
}

/// The staff member that a session belongs to, while it is not ended, idle for too long or too old.
async fn in_session(app: &AppState, present: Arc<Snapshot>, hash: &str) -> Result<Option<Who>, WebError> {
    let Some(session) = sessions::session(&app.ledger, hash).await.map_err(LedgerError::from)? else {
        return Ok(None);
    };
    let Some(staff) = present.people.staff_of(&session.staff) else { return Ok(None) };
    let is_revoked = session.device.as_ref().is_some_and(|device| present.people.device(device).is_none());
    let (now, (idle_s, whole_s)) = (app.now().micros(), session_s(staff.role));
    // After the clock was set back and confirmed a session is as old as it was when it was last used.
    let (began_us, seen_us) = session.as_of(now);
    let is_over = now - seen_us >= idle_s * 1_000_000 || now - began_us >= whole_s * 1_000_000;
    if is_revoked || is_over {
        return Ok(None);
    }
    if now - session.seen_us >= SEEN_US || session.seen_us > now {
        sessions::see(&app.ledger, (began_us, now), hash).await.map_err(WebError::from_failed_write)?;
    }
    let holder = Holder {
        id: staff.id.clone(),
        tournament: staff.tournament.clone(),
        role: staff.role,
        name: staff.name.clone(),
        secret_sha256: hash.to_owned(),
        created_us: began_us,
        divisions: Vec::new(),
        plays: staff.plays.clone(),
        per_minute: None,
        by: Entrance::Session,
    };
    Ok(Some(Who(holder, present)))
}

fn bearer(header: &str) -> Option<&str> {
    let (scheme, secret) = header.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| secret.trim())
}
