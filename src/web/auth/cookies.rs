//! Cookies: of a paired device for its event, of a person who signed in, and of the language that players chose.

use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, header};

/// A cookie of this server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cookie {
    /// Identifies the device of a browser.
    Device,
    /// Identifies the person who signed in.
    Session,
    /// The language of a station for the players at it.
    Language,
}

/// A device stays paired for its event, also when its browser is closed. Two weeks are longer than any.
const DEVICE_S: u32 = 14 * 24 * 3_600;

/// A session ends earlier on the server; after this time a browser forgets it.
const SESSION_S: u32 = 16 * 3_600;

impl Cookie {
    /// Over TLS the prefix ensures that no other host and no plain page can set it.
    const fn name(self, is_secure: bool) -> &'static str {
        match (self, is_secure) {
            (Self::Device, false) => "adjudge-device",
            (Self::Device, true) => "__Host-adjudge-device",
            (Self::Session, false) => "adjudge-session",
            (Self::Session, true) => "__Host-adjudge-session",
            (Self::Language, false) => "adjudge-language",
            (Self::Language, true) => "__Host-adjudge-language",
        }
    }

    /// The secret in it; none if there are two cookies of one name, since another site may have set one.
    #[must_use]
    pub fn of(self, headers: &HeaderMap, is_secure: bool) -> Option<&str> {
        let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let pairs = all.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let mut own = pairs.filter(|(name, _)| *name == self.name(is_secure)).map(|(_, secret)| secret);
        own.next().filter(|_| own.next().is_none())
    }

    /// The header that sets it.
    #[must_use]
    pub fn set(self, secret: &str, is_secure: bool) -> Option<HeaderValue> {
        let lasts_s = match self {
            Self::Device => DEVICE_S,
            // A page with scripts drops the language sooner, between two slips.
            Self::Session | Self::Language => SESSION_S,
        };
        self.header(secret, lasts_s, is_secure)
    }

    /// The header that removes it.
    #[must_use]
    pub fn end(self, is_secure: bool) -> Option<HeaderValue> {
        self.header("", 0, is_secure)
    }

    fn header(self, secret: &str, lasts_s: u32, is_secure: bool) -> Option<HeaderValue> {
        let name = self.name(is_secure);
        let secure = if is_secure { "; Secure" } else { "" };
        format!("{name}={secret}; Path=/; Max-Age={lasts_s}; HttpOnly; SameSite=Strict{secure}").try_into().ok()
    }
}

/// Whether a request changes nothing, or comes from a page of this server.
pub fn is_same_origin_write(parts: &Parts) -> bool {
    let text = |name: &str| parts.headers.get(name).and_then(|value| value.to_str().ok());
    let is_own = || match text("sec-fetch-site") {
        Some(site) => site == "same-origin" || site == "none",
        None => match text("origin") {
            Some(origin) => origin.split_once("://").map(|(_, host)| host) == text("host"),
            // Every current browser sends one of the two headers with a form.
            None => false,
        },
    };
    parts.method == Method::GET || parts.method == Method::HEAD || is_own()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(cookies: &str) -> HeaderMap {
        HeaderMap::from_iter([(header::COOKIE, HeaderValue::from_str(cookies).unwrap())])
    }

    #[test]
    fn a_cookie_is_read_as_it_was_set() {
        let set = Cookie::Device.set("abc", true).unwrap();
        assert_eq!(
            set.to_str().unwrap(),
            "__Host-adjudge-device=abc; Path=/; Max-Age=1209600; HttpOnly; SameSite=Strict; Secure"
        );
        assert_eq!(Cookie::Device.of(&headers("x=1; __Host-adjudge-device=abc"), true), Some("abc"));
        assert_eq!(Cookie::Device.of(&headers("adjudge-device=abc"), true), None, "a plain page may have set it");
        assert_eq!(Cookie::Session.of(&headers("adjudge-session=a; adjudge-session=b"), false), None);
    }
}
