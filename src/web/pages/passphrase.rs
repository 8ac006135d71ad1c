//! Directors and observers choose a passphrase of their own. A judge's PIN is drawn: a director gives them a new one.

use std::net::SocketAddr;

use axum::extract::{ConnectInfo, FromRequestParts, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Redirect, Response};

use crate::domain::Action;
use crate::domain::accounts::{MIN_PASSPHRASE_CHARS, Staff};
use crate::domain::passphrase::passphrase_fault;
use crate::store::accounts::staff;
use crate::store::accounts::tokens::Credential;
use crate::web::auth::caller::Caller;
use crate::web::http::error::WebError;
use crate::web::state::AppState;

use super::form::Form;
use super::render;
use super::sign_in::verify_credential;
use super::views::auth::PassphrasePage;

/// A person who signed in by a passphrase.
pub struct PassphraseOwner {
    caller: Caller,
    staff: Staff,
    /// The hash of their session's secret.
    session: String,
}

impl FromRequestParts<AppState> for PassphraseOwner {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, Response> {
        let caller = Caller::from_request_parts(parts, app).await;
        let refused = |error| super::problem(app, &parts.uri, error);
        let caller = match caller {
            Ok(caller) => caller,
            Err(WebError::NotSignedIn) => return Err(Redirect::to("/sign-in").into_response()),
            Err(error) => return Err(refused(error)),
        };
        if caller.may(Action::ChoosePassphrase).is_err() {
            return Err(refused(WebError::Forbidden(
                "you sign in by a PIN, which is not chosen: a director gives you a new one",
            )));
        }
        // A token has no passphrase.
        let staff = caller
            .snapshot()
            .people
            .staff_of(&caller.principal.id)
            .filter(|_| caller.principal.by == Credential::Session)
            .cloned();
        let staff = staff.ok_or_else(|| refused(WebError::NotFound))?;
        Ok(Self { staff, session: caller.principal.secret_sha256.clone(), caller })
    }
}

fn page(staff: &Staff, fault: Option<&str>) -> PassphrasePage {
    PassphrasePage {
        name: staff.name.clone(),
        shortest: MIN_PASSPHRASE_CHARS,
        fault: fault.map(str::to_owned),
        is_changed: false,
    }
}

/// `GET /passphrase`
pub async fn passphrase_page(owner: PassphraseOwner) -> Response {
    render(StatusCode::OK, &page(&owner.staff, None))
}

/// `POST /passphrase`: requires the current passphrase, with the delays of the sign-in, so that an open session is not
/// enough.
pub async fn change_passphrase(
    State(app): State<AppState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    PassphraseOwner { mut caller, staff, session }: PassphraseOwner,
    form: Form,
) -> Result<Response, WebError> {
    caller.renew(&app).await?;
    let chosen = form.text("new");
    let refused = |status, fault| Ok(render(status, &page(&staff, Some(fault))));
    if let Some(fault) = passphrase_fault(&chosen) {
        return refused(StatusCode::UNPROCESSABLE_ENTITY, fault);
    }
    if chosen != form.text("again") {
        return refused(
            StatusCode::UNPROCESSABLE_ENTITY,
            "The two fields of the new passphrase differ: type it again in both.",
        );
    }
    app.rate_limits.sign_in(peer.ip(), app.system.monotonic())?;
    let Some(old_hash) = verify_credential(&app, peer.ip(), &staff, form.text("old")).await? else {
        let fault = "The current passphrase is wrong. After five wrong tries each further one has to wait.";
        return refused(StatusCode::FORBIDDEN, fault);
    };
    staff::choose_passphrase(&app.ledger, &app.system, &staff, (&old_hash, chosen), &session).await?;
    Ok(render(StatusCode::OK, &PassphrasePage { is_changed: true, ..page(&staff, None) }))
}
