//! The authenticated sender of a request (the holder of a token, a signed-in staff member or a paired device), and the
//! snapshot that the whole request works with.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::Extensions;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;

use crate::domain::accounts::{serves, session_s};
use crate::domain::ledger::Actor;
use crate::domain::{Action, Role, SERVER_LOG, SlipRecord, Tournament};
use crate::snapshot::Snapshot;
use crate::store::LedgerError;
use crate::store::accounts::sessions;
use crate::store::accounts::tokens::{Credential, Principal, sha256_hex};
use crate::transport::ConnectionIdentity;
use crate::web::state::AppState;

use super::cookies::{Cookie, is_same_origin_write};
use crate::web::http::error::WebError;
use crate::web::limits::rate_limit::{CLIENT_REQUESTS_PER_MINUTE, STATION_REQUESTS_PER_MINUTE};

/// How often the use of a session is recorded.
const TOUCH_INTERVAL_US: i64 = 60_000_000;

/// How long a request with an unknown secret waits for the ledger before it is refused.
const LOOK_UP_TIMEOUT: Duration = Duration::from_secs(1);

/// The snapshot of a request. It is taken once, before any other part of the request is read, so that all checks and
/// the answer depend on the same set-up.
#[derive(Clone, Debug)]
pub struct View(pub Arc<Snapshot>);

impl View {
    /// The snapshot of a request.
    pub fn of(request: &Extensions, app: &AppState) -> Arc<Snapshot> {
        request.get::<Self>().map_or_else(|| app.snapshot(), |view| Arc::clone(&view.0))
    }
}

impl FromRequestParts<AppState> for View {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, Infallible> {
        Ok(Self(Self::of(&parts.extensions, app)))
    }
}

/// An authenticated caller, and the snapshot that the request works with from beginning to end.
#[derive(Clone, Debug)]
pub struct Caller {
    pub principal: Principal,
    snapshot: Arc<Snapshot>,
}

impl Caller {
    #[must_use]
    pub const fn new(principal: Principal, snapshot: Arc<Snapshot>) -> Self {
        Self { principal, snapshot }
    }

    /// The snapshot of the request. The caller is in it, and it does not change while the request is answered.
    #[must_use]
    pub fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.snapshot)
    }

    /// Like [`Caller::snapshot`], for as long as the caller stays as they are.
    #[must_use]
    pub fn borrow_snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// Takes the current snapshot, and the caller as they are in it: for a request whose body took its time to arrive.
    /// The decision depends on that snapshot alone.
    ///
    /// # Errors
    /// 401 `not-signed-in` for a caller that was revoked or signed out meanwhile; 503 if a session cannot be read.
    pub async fn renew(&mut self, app: &AppState) -> Result<(), WebError> {
        let (snapshot, secret) = (app.snapshot(), &self.principal.secret_sha256);
        let again = match self.principal.by {
            Credential::Token | Credential::Device => {
                snapshot.holder_by_hash(secret).cloned().map(|same| Self { principal: same, snapshot })
            }
            Credential::Session => in_session(app, snapshot, secret).await?,
        };
        *self = again.ok_or(if self.principal.by == Credential::Token {
            WebError::UnknownToken
        } else {
            WebError::NotSignedIn
        })?;
        Ok(())
    }

    /// Like [`Caller::renew`], with a snapshot that has the whole set-up until now: for requests that change the
    /// set-up, and after a concurrent change of it.
    ///
    /// # Errors
    /// As [`Caller::renew`].
    pub async fn refresh(&mut self, app: &AppState) -> Result<(), WebError> {
        app.refresh().await;
        self.renew(app).await
    }

    /// Checks the permission table.
    ///
    /// # Errors
    /// 403 `forbidden`.
    pub fn may(&self, action: Action) -> Result<(), WebError> {
        if self.principal.role.may(action) { Ok(()) } else { Err(WebError::WrongRole(action, self.principal.role)) }
    }

    /// Checks that the test deck of a station did not fail; other roles have none.
    ///
    /// # Errors
    /// 409 `station-closed`.
    pub fn check_station_open(&self) -> Result<(), WebError> {
        if self.snapshot.setup.is_closed(&self.principal.id) { Err(WebError::StationClosed) } else { Ok(()) }
    }

    /// The tournament of that id, if it is the caller's own.
    ///
    /// # Errors
    /// 404 `not-found`, also for another tournament's.
    pub fn tournament<'p>(&self, snapshot: &'p Snapshot, id: &str) -> Result<&'p Tournament, WebError> {
        snapshot.setup.tournament(id).filter(|_| self.belongs_to(id)).ok_or(WebError::NotFound)
    }

    /// Whether the caller belongs to a tournament; the server's directors belong to every one.
    #[must_use]
    pub fn belongs_to(&self, tournament: &str) -> bool {
        self.principal.tournament == tournament || self.principal.tournament == SERVER_LOG
    }

    /// The slip of that id, if the caller may read it: a station its own, every other role those of the tournament.
    ///
    /// # Errors
    /// 404 `not-found`, 503 if it cannot be read.
    pub async fn slip(&self, app: &AppState, id: &str) -> Result<SlipRecord, WebError> {
        let is_own = |record: &SlipRecord| {
            self.belongs_to(&record.tournament)
                && (self.principal.role != Role::Station || record.filed_by.id == self.principal.id)
        };
        app.ledger.slip(id).await?.filter(is_own).ok_or(WebError::NotFound)
    }

    /// Whether a station serves a division; every other role serves all.
    #[must_use]
    pub fn serves(&self, division: &str) -> bool {
        serves(&self.principal.divisions, division)
    }

    /// The limit on a caller's writing requests; `None` is no limit.
    #[must_use]
    pub fn requests_per_minute(&self) -> Option<usize> {
        match self.principal.role {
            Role::Station => Some(STATION_REQUESTS_PER_MINUTE),
            Role::Client => Some(self.principal.per_minute.map_or(CLIENT_REQUESTS_PER_MINUTE, |most| most as usize)),
            Role::Judge | Role::Director | Role::Observer => None,
        }
    }

    /// The actor by which the ledger names the caller.
    #[must_use]
    pub fn actor(&self) -> Actor {
        Actor {
            id: self.principal.id.clone(),
            name: self.principal.name.clone(),
            role: self.principal.role.to_string(),
        }
    }

    /// Whether the token, device or session of the caller is still valid.
    pub async fn is_still_authenticated(&self, app: &AppState) -> bool {
        let snapshot = app.snapshot();
        let is_known = snapshot.knows(&self.principal);
        match self.principal.by {
            Credential::Token | Credential::Device => is_known,
            Credential::Session => {
                is_known && matches!(in_session(app, snapshot, &self.principal.secret_sha256).await, Ok(Some(_)))
            }
        }
    }
}

impl FromRequestParts<AppState> for Caller {
    type Rejection = WebError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, WebError> {
        let caller = authenticate(parts, app).await?;
        if let Some(connection) = parts.extensions.get::<ConnectionIdentity>() {
            connection.mark_known();
        }
        Ok(caller)
    }
}

async fn authenticate(parts: &mut Parts, app: &AppState) -> Result<Caller, WebError> {
    let header = parts.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    if let Some(header) = header {
        let secret = bearer(header).ok_or(WebError::NotSignedIn)?;
        return find_holder(&mut parts.extensions, app, secret).await.ok_or(WebError::UnknownToken);
    }
    let caller = by_cookie(parts, app).await?.ok_or(WebError::NotSignedIn)?;
    // A browser attaches its cookies to requests that other sites trigger.
    if is_same_origin_write(parts) {
        Ok(caller)
    } else {
        Err(WebError::Forbidden("this was sent by another site: open this server's own page and try again"))
    }
}

/// The staff member who signed in at this browser, or else its device.
async fn by_cookie(parts: &mut Parts, app: &AppState) -> Result<Option<Caller>, WebError> {
    if let Some(secret) = Cookie::Session.of(&parts.headers, app.identity.is_tls())
        && let Some(caller) = in_session(app, View::of(&parts.extensions, app), &sha256_hex(secret)).await?
    {
        return Ok(Some(caller));
    }
    let device = Cookie::Device.of(&parts.headers, app.identity.is_tls()).map(str::to_owned);
    let Some(secret) = device else { return Ok(None) };
    // A token is no cookie: its holder sends it in a header.
    Ok(find_holder(&mut parts.extensions, app, &secret)
        .await
        .filter(|caller| caller.principal.by == Credential::Device))
}

/// The principal of a token or device secret. A secret that was created a moment ago, by this process or another, may
/// be missing from the server's snapshot: for an unknown secret the ledger is read once more, within a rate limit.
async fn find_holder(request: &mut Extensions, app: &AppState, secret: &str) -> Option<Caller> {
    let find = |snapshot: Arc<Snapshot>| {
        let principal = snapshot.principal(secret).cloned()?;
        Some(Caller { principal, snapshot })
    };
    match find(View::of(request, app)) {
        Some(caller) => Some(caller),
        None if look_for_newcomer(request, app).await => find(View::of(request, app)),
        None => None,
    }
}

/// Refreshes the snapshot of a request whose caller is unknown. False if the ledger was not read because that address
/// sent too many unknown secrets; the server reads it by itself within a second anyway.
pub async fn look_for_newcomer(request: &mut Extensions, app: &AppState) -> bool {
    let peer = request.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| peer.ip());
    let address = peer.unwrap_or(IpAddr::from([0, 0, 0, 0]));
    let is_read = app.rate_limits.unknown_secret(address, app.system.monotonic()).is_ok()
        && tokio::time::timeout(LOOK_UP_TIMEOUT, app.refresh()).await.is_ok();
    if is_read {
        request.insert(View(app.snapshot()));
    }
    is_read
}

/// The staff member of a session, unless it ended, was idle for too long or is too old.
async fn in_session(app: &AppState, snapshot: Arc<Snapshot>, hash: &str) -> Result<Option<Caller>, WebError> {
    let Some(session) = sessions::session(&app.ledger, hash).await.map_err(LedgerError::from)? else {
        return Ok(None);
    };
    let Some(staff) = snapshot.people.staff_of(&session.staff) else { return Ok(None) };
    let is_revoked = session.device.as_ref().is_some_and(|device| snapshot.people.device(device).is_none());
    let (now, (idle_s, whole_s)) = (app.now().micros(), session_s(staff.role));
    // After the clock was set back and confirmed a session is as old as it was when it was last used.
    let (began_us, seen_us) = session.as_of(now);
    let is_over = now - seen_us >= idle_s * 1_000_000 || now - began_us >= whole_s * 1_000_000;
    if is_revoked || is_over {
        return Ok(None);
    }
    if now - session.seen_us >= TOUCH_INTERVAL_US || session.seen_us > now {
        sessions::touch(&app.ledger, (began_us, now), hash).await.map_err(WebError::from_failed_write)?;
    }
    let principal = Principal {
        id: staff.id.clone(),
        tournament: staff.tournament.clone(),
        role: staff.role,
        name: staff.name.clone(),
        secret_sha256: hash.to_owned(),
        created_us: began_us,
        divisions: Vec::new(),
        plays: staff.plays.clone(),
        per_minute: None,
        by: Credential::Session,
    };
    Ok(Some(Caller { principal, snapshot }))
}

fn bearer(header: &str) -> Option<&str> {
    let (scheme, secret) = header.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| secret.trim())
}
