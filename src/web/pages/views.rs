//! The content of each page, independent of its source.
//!
//! A view is a page's data, complete and plain: rendering it needs no server, no store and no clock. A page cannot leak
//! what its view does not hold, so no view has room for a statement about a single word.

pub mod auth;
pub mod director;
pub mod station;

use askama::Template;

/// A lexicon as people read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LexiconLabel {
    pub title: String,
    pub edition: String,
    /// Marks the list that ships inside the program, which no federation plays with: the page marks it clearly, so that
    /// no one mistakes it for a federation's list.
    pub is_built_in: bool,
}

/// The figures that tell two lists of one name apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordList {
    /// How many words it has.
    pub words: usize,
    /// The first 8 characters of its fingerprint.
    pub fingerprint: String,
}

/// This browser is no station of any tournament.
#[derive(Debug, Clone, Template)]
#[template(path = "station/not_a_station.html")]
pub struct NotAStationPage {
    /// Says whether `/pair` takes a code now.
    pub can_pair: bool,
}

/// A page that is not there, not allowed or not understood.
#[derive(Debug, Clone, Template)]
#[template(path = "problem.html")]
pub struct ProblemPage {
    /// The HTTP status: 404.
    pub status: u16,
    pub title: String,
    /// What to do now, in a sentence.
    pub detail: String,
}

/// The home page.
#[derive(Debug, Clone, Template)]
#[template(path = "home.html")]
pub struct HomePage {
    /// Whether the server has no users yet.
    pub is_new: bool,
    /// Whether this browser is a station.
    pub has_station: bool,
    /// The name of the person who signed in.
    pub signed_in: Option<String>,
    /// Whether they have a passphrase, which they may change.
    pub has_passphrase: bool,
    /// Every lexicon that is active on this server.
    pub lexica: Vec<LexiconLabel>,
    /// The program's version: `0.1.0`.
    pub version: String,
}

/// Why and how a device trusts this server.
#[derive(Debug, Clone, Template)]
#[template(path = "trust.html")]
pub struct TrustPage {
    pub wire: TrustTransport,
    /// Every address of the server.
    pub urls: Vec<String>,
    /// The page's address as a QR code; none if no other device reaches the server.
    pub scanned: Option<String>,
}

/// The server's transport. Fingerprints are in groups of digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrustTransport {
    Http,
    /// By a certificate of another authority: its fingerprint.
    OwnCertificate {
        fingerprint: Vec<String>,
    },
    /// By the venue's authority: its fingerprint.
    VenueCa {
        fingerprint: Vec<String>,
    },
}
