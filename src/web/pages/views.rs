//! What each page shows, and nothing about how it was found out.
//!
//! A view is a page's data, complete and plain: drawing one needs no server, no
//! store and no clock. What a view does not hold its page cannot leak, so none
//! of them has room for anything said about a single word.

pub mod auth;
pub mod director;
pub mod station;

use askama::Template;

/// A lexicon as people read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LexiconLabel {
    pub title: String,
    pub edition: String,
    /// Marks the list that ships inside the program, which no federation plays
    /// with: it is drawn so that nobody takes it for one of theirs.
    pub is_built_in: bool,
}

/// What tells two lists of one name apart.
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

/// The front door.
#[derive(Debug, Clone, Template)]
#[template(path = "home.html")]
pub struct HomePage {
    /// Whether nobody can use the server yet.
    pub is_new: bool,
    /// Whether this browser is a station.
    pub has_station: bool,
    /// The name of whoever signed in.
    pub signed_in: Option<String>,
    /// Whether he has a passphrase, which he may change.
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
    /// The page's address for a camera; none where no other device reaches the server.
    pub scanned: Option<String>,
}

/// How the server speaks. Fingerprints are in groups of digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrustTransport {
    Http,
    /// By a certificate that somebody else issued: its fingerprint.
    OwnCertificate {
        fingerprint: Vec<String>,
    },
    /// By the venue's authority: its fingerprint.
    VenueCa {
        fingerprint: Vec<String>,
    },
}
