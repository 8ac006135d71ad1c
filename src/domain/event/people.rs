//! What is written of the people who work at an event and of their devices. Never a secret.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::domain::role::Role;

/// Somebody may sign in from now on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StaffAdded {
    /// A `UUIDv7`.
    pub staff: String,
    pub name: String,
    /// Judge, director or observer.
    pub role: Role,
    /// A tournament's id, or `server` for all of them.
    pub tournament: String,
    /// The player that this person is, where he plays too: he rules on no slip of his own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plays: Option<String>,
}

/// Somebody got a new PIN or passphrase, chose a passphrase himself, or may not sign in any more. Sessions end by each; by a
/// passphrase of his own choice all but the one in which he chose it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StaffNamed {
    pub staff: String,
    pub name: String,
}

/// Somebody signed in, at which device if it was a paired one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignedIn {
    pub staff: String,
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
}

/// A PIN or passphrase was wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignInRefused {
    pub staff: String,
    pub name: String,
    /// How often in a row.
    pub fails: u64,
    /// Whether only a new PIN helps now.
    pub is_locked: bool,
}

/// What a device is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DeviceKind {
    /// Players look up at it.
    Station,
    /// A judge signs in at it.
    Tablet,
}

impl DeviceKind {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Station => "station",
            Self::Tablet => "tablet",
        }
    }
}

/// A director made a device, which waits to be paired.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceMade {
    /// A `UUIDv7`.
    pub device: String,
    pub device_kind: DeviceKind,
    pub tournament: String,
    pub setting: DeviceSetting,
}

/// What a device is called, and where it stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceSetting {
    pub label: String,
    /// The divisions that it serves; all of them where none is named.
    pub divisions: Vec<String>,
    /// Where it stands.
    pub hall: String,
}

/// A device was named anew or moved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceSet {
    pub device: String,
    pub setting: DeviceSetting,
}

/// A device showed its code and got its secret. Whoever had it before has it no more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DevicePaired {
    pub device: String,
    pub label: String,
    /// Whether a director must confirm it first: its code came from a printed sheet.
    pub waits: bool,
}

/// A device got another code, was confirmed by a director, or ended for good.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceNamed {
    pub device: String,
    pub label: String,
}
