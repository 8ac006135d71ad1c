//! Staff and devices of an event, as the log `server` records them. They hold no secrets.

use std::collections::BTreeMap;

use super::entry::Entry;
use super::event::{DeviceKind, DeviceSetting, Event, SERVER_LOG};
use super::role::Role;
use crate::domain::player_name;

/// The shortest passphrase of a director or observer, in characters.
pub const MIN_PASSPHRASE_CHARS: usize = 15;

/// How many wrong PINs are allowed before each further try is delayed.
const FREE_TRIES: u64 = 5;

/// How many wrong PINs are allowed before the account is locked until it gets a new PIN.
pub const MAX_TRIES: u64 = 10;

/// The first delay, which doubles with each further try, in seconds.
const FIRST_DELAY_S: u64 = 15;

/// The delay, in seconds, after this many wrong tries in a row.
#[must_use]
pub const fn delay_s(fails: u64) -> u64 {
    match fails.checked_sub(FREE_TRIES) {
        None => 0,
        Some(doubled) if doubled < MAX_TRIES - FREE_TRIES => FIRST_DELAY_S << doubled,
        Some(_) => FIRST_DELAY_S << (MAX_TRIES - FREE_TRIES),
    }
}

/// Staff and devices.
#[derive(Clone, Debug, Default)]
pub struct People {
    staff: BTreeMap<String, Staff>,
    devices: BTreeMap<String, Device>,
}

/// A person who may sign in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Staff {
    pub id: String,
    pub name: String,
    pub role: Role,
    /// A tournament's id, or `server` for all.
    pub tournament: String,
    /// The player that this person is, if they also play.
    pub plays: Option<String>,
    /// Whether the account is locked until it gets a new PIN.
    pub is_locked: bool,
}

/// How long a session lasts, in seconds: unused, and in all. A judge works all day and types their PIN now and then.
#[must_use]
pub const fn session_s(role: Role) -> (i64, i64) {
    const HOUR: i64 = 3_600;
    match role {
        Role::Judge => (2 * HOUR, 16 * HOUR),
        Role::Director | Role::Observer | Role::Station | Role::Client => (4 * HOUR, 16 * HOUR),
    }
}

impl Staff {
    /// Whether this person signs in with a PIN at a paired device. All others sign in with a passphrase at any device.
    #[must_use]
    pub fn has_pin(&self) -> bool {
        self.role == Role::Judge
    }
}

/// A station or a judge's device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    pub id: String,
    pub kind: DeviceKind,
    pub tournament: String,
    pub setting: DeviceSetting,
    pub pairing: Pairing,
}

/// The state of a device's pairing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairing {
    /// No device has presented the pairing code yet.
    Waits,
    /// A device has presented the code, and a director must confirm it.
    Unconfirmed,
    Paired,
}

impl Device {
    /// Whether the device serves a division.
    #[must_use]
    pub fn serves(&self, division: &str) -> bool {
        serves(&self.setting.divisions, division)
    }
}

/// Whether a division is in the list of divisions served. An empty list serves all divisions.
#[must_use]
pub fn serves(divisions: &[String], division: &str) -> bool {
    divisions.is_empty() || divisions.iter().any(|served| served == division)
}

impl People {
    /// Applies the next entry of the log `server`.
    pub fn apply(&mut self, entry: &Entry) {
        match &entry.event {
            Event::StaffAdded(added) => {
                let staff = Staff {
                    id: added.staff.clone(),
                    name: added.name.clone(),
                    role: added.role,
                    tournament: added.tournament.clone(),
                    plays: added.plays.clone(),
                    is_locked: false,
                };
                self.staff.insert(added.staff.clone(), staff);
            }
            Event::StaffReset(reset) => self.lock(&reset.staff, false),
            Event::StaffRemoved(removed) => drop(self.staff.remove(&removed.staff)),
            Event::SignInRefused(refused) => self.lock(&refused.staff, refused.is_locked),
            Event::DeviceMade(made) => {
                let device = Device {
                    id: made.device.clone(),
                    kind: made.device_kind,
                    tournament: made.tournament.clone(),
                    setting: made.setting.clone(),
                    pairing: Pairing::Waits,
                };
                self.devices.insert(made.device.clone(), device);
            }
            Event::DeviceSet(set) => {
                if let Some(device) = self.devices.get_mut(&set.device) {
                    device.setting.clone_from(&set.setting);
                }
            }
            Event::DevicePaired(paired) => {
                let pairing = if paired.waits { Pairing::Unconfirmed } else { Pairing::Paired };
                self.pair(&paired.device, pairing);
            }
            Event::DeviceConfirmed(confirmed) => self.pair(&confirmed.device, Pairing::Paired),
            Event::DeviceRevoked(revoked) => drop(self.devices.remove(&revoked.device)),
            // All other events concern neither staff nor devices.
            _ => {}
        }
    }

    fn lock(&mut self, staff: &str, is_locked: bool) {
        if let Some(staff) = self.staff.get_mut(staff) {
            staff.is_locked = is_locked;
        }
    }

    fn pair(&mut self, device: &str, pairing: Pairing) {
        if let Some(device) = self.devices.get_mut(device) {
            device.pairing = pairing;
        }
    }

    /// The staff, in the order in which they were added.
    pub fn staff(&self) -> impl Iterator<Item = &Staff> {
        self.staff.values()
    }

    #[must_use]
    pub fn staff_of(&self, id: &str) -> Option<&Staff> {
        self.staff.get(id)
    }

    /// All staff of that name: at most one in each tournament, or a single one for all tournaments.
    pub fn staff_named<'p>(&'p self, name: &'p str) -> impl Iterator<Item = &'p Staff> {
        self.staff().filter(move |staff| player_name::are_same(&staff.name, name))
    }

    /// Whether that name is taken in a tournament, by its own staff or by staff of all tournaments.
    #[must_use]
    pub fn has_staff_named(&self, name: &str, tournament: &str) -> bool {
        self.staff_named(name).any(|staff| meet(&staff.tournament, tournament))
    }

    /// The devices, in the order in which they were created.
    pub fn devices(&self) -> impl Iterator<Item = &Device> {
        self.devices.values()
    }

    #[must_use]
    pub fn device(&self, id: &str) -> Option<&Device> {
        self.devices.get(id)
    }

    /// Every device with that label, at most one in a tournament.
    pub fn devices_labelled<'p>(&'p self, label: &'p str) -> impl Iterator<Item = &'p Device> {
        self.devices().filter(move |device| player_name::are_same(&device.setting.label, label))
    }

    /// The device of a tournament with that label.
    #[must_use]
    pub fn device_labelled(&self, label: &str, tournament: &str) -> Option<&Device> {
        let is_it = |device: &&Device| player_name::are_same(&device.setting.label, label);
        self.devices().filter(is_it).find(|device| meet(&device.tournament, tournament))
    }
}

/// Whether two scopes overlap, so that names in them must differ. Each is a tournament, or `server` for all of them.
#[must_use]
pub fn meet(one: &str, other: &str) -> bool {
    one == other || [one, other].contains(&SERVER_LOG)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_two_tournaments_may_be_the_same() {
        assert!(meet("lagos", "lagos") && meet("lagos", "server") && meet("server", "abuja"));
        assert!(!meet("lagos", "abuja"));
    }

    #[test]
    fn five_tries_are_free_and_then_each_delay_doubles() {
        let delays: Vec<u64> = (0..12).map(delay_s).collect();
        assert_eq!(delays, [0, 0, 0, 0, 0, 15, 30, 60, 120, 240, 480, 480]);
    }
}
