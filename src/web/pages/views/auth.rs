//! The pages of sign-in, first run, pairing and passphrases.

use askama::Template;

/// Name, and PIN or passphrase. Posts `name` and `secret` to `/sign-in`.
#[derive(Debug, Clone, Default, Template)]
#[template(path = "auth/sign_in.html")]
pub struct SignInPage {
    /// The paired device's label.
    pub device: Option<String>,
    pub name: String,
    pub fault: Option<String>,
}

/// Posts `code`, `name` and `secret` to `/first-run`.
#[derive(Debug, Clone, Default, Template)]
#[template(path = "auth/first_run.html")]
pub struct FirstRunPage {
    pub name: String,
    /// The shortest passphrase, in characters.
    pub shortest: usize,
    pub fault: Option<String>,
}

/// Posts `old`, `new` and `again` to `/passphrase`.
#[derive(Debug, Clone, Default, Template)]
#[template(path = "auth/passphrase.html")]
pub struct PassphrasePage {
    /// The person's name.
    pub name: String,
    /// The shortest passphrase, in characters.
    pub shortest: usize,
    pub fault: Option<String>,
    /// Whether the passphrase was just changed.
    pub is_changed: bool,
}

/// Posts `code` to `/pair`.
#[derive(Debug, Clone, Default, Template)]
#[template(path = "auth/pair.html")]
pub struct PairPage {
    /// The name of the device that the browser is already.
    pub device: Option<String>,
    pub fault: Option<String>,
}

/// A device that was paired by a printed code and waits for the director.
#[derive(Debug, Clone, Template)]
#[template(path = "auth/unconfirmed.html")]
pub struct UnconfirmedPage {
    pub device: String,
}
