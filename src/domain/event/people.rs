//! Events of staff and devices. They hold no secrets.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::domain::role::Role;

/// A person may sign in from now on.
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
    /// The player that this person is, if they also play: they rule on no slip of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plays: Option<String>,
}

/// A person got a new PIN or passphrase, chose a passphrase, or may not sign in any more. Each of these ends the
/// person's sessions; choosing a passphrase does not end the session in which it is chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StaffNamed {
    pub staff: String,
    pub name: String,
}

/// A person signed in, and at which device if it was a paired one.
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
    /// How many wrong tries in a row.
    pub fails: u64,
    /// Whether the account is now locked until it gets a new PIN.
    pub is_locked: bool,
}

/// What a device is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DeviceKind {
    /// A device at which players look up words.
    Station,
    /// A device at which a judge signs in.
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

/// A director created a device, which waits to be paired.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceMade {
    /// A `UUIDv7`.
    pub device: String,
    pub device_kind: DeviceKind,
    pub tournament: String,
    pub setting: DeviceSetting,
}

/// The label and location of a device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceSetting {
    pub label: String,
    /// The divisions that it serves; all of them where none is named.
    pub divisions: Vec<String>,
    /// Where it stands.
    pub hall: String,
}

/// A device was renamed or moved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceSet {
    pub device: String,
    pub setting: DeviceSetting,
}

/// A device presented its pairing code and got its secret. An earlier secret of the device is no longer valid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DevicePaired {
    pub device: String,
    pub label: String,
    /// Whether a director must confirm it first: its code came from a printed sheet.
    pub waits: bool,
}

/// A device got another code, was confirmed by a director, or was revoked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceNamed {
    pub device: String,
    pub label: String,
}
