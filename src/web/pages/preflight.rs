//! The checks before round 1: what is ready, and what is left to do.

use crate::domain::SERVER_LOG;
use crate::domain::accounts::Pairing;
use crate::domain::event::DeviceKind;
use crate::domain::ledger::base_log;
use crate::domain::{Division, Tournament};
use crate::snapshot::Snapshot;
use crate::transport::MdnsStatus;
use crate::web::auth::caller::Caller;
use crate::web::state::AppState;

use super::director::own_tournaments;
use super::views::director::{Alarm, Check};

/// The logs of a director, and the server's own, that lost entries or had them changed while the server ran.
pub fn alarms(app: &AppState, caller: &Caller) -> Vec<Alarm> {
    let alarms = app.checkpoint_copies.alarms().into_iter();
    let own = alarms.filter(|(log, _)| base_log(log) == SERVER_LOG || caller.belongs_to(base_log(log)));
    own.map(|(log, copy)| Alarm { command: format!("adjudge ledger verify --checkpoint \"{}\"", copy.display()), log })
        .collect()
}

/// The divisions of a tournament in which no round was opened yet.
pub fn unopened(tournament: &Tournament) -> impl Iterator<Item = &Division> {
    tournament.divisions().filter(|division| division.rounds.first_opened().is_none())
}

/// The checks, for the tournaments of a director.
pub fn checks(app: &AppState, snapshot: &Snapshot, caller: &Caller) -> Vec<Check> {
    let mut checks = Vec::new();
    let mut report = |is_good: bool, good: String, open: String| {
        checks.push(Check { is_good, text: if is_good { good } else { open } });
    };
    for Alarm { log, .. } in alarms(app, caller) {
        report(false, String::new(), format!("The ledger of {log} lost entries, or entries were changed: see above."));
    }
    for warning in app.warnings() {
        report(false, String::new(), warning);
    }
    report(
        app.clock_doubt().is_none(),
        "The clock fits the newest entry of the ledger.".to_owned(),
        "The clock seems wrong: see above.".to_owned(),
    );
    for tournament in own_tournaments(snapshot, caller) {
        for division in snapshot.setup.waiting_divisions(&tournament.id) {
            for field in snapshot.setup.waiting(&tournament.id, division) {
                let text = format!("{}: division {division} changes on its day: {field}.", tournament.title);
                report(true, text, String::new());
            }
        }
    }
    report(
        !snapshot.has_failures(),
        "Every lexicon that is played with is open and verified.".to_owned(),
        format!("A lexicon is not served: {}", snapshot.failures().next().unwrap_or_default()),
    );
    for tournament in own_tournaments(snapshot, caller) {
        let title = &tournament.title;
        let judges = snapshot.judges(&tournament.id);
        report(
            judges >= 2 || tournament.settings.same_judge(),
            format!("{title}: another judge can review what one ruled."),
            match judges {
                0 => format!("{title}: there is no judge yet: add one below."),
                _ => format!(
                    "{title}: there is one judge, who would review their own rulings, and the ledger would record it: add another."
                ),
            },
        );
        let unopened: Vec<&str> = unopened(tournament).map(|division| division.id.as_str()).collect();
        report(
            unopened.is_empty(),
            format!("{title}: rounds are opened."),
            format!(
                "{title}: no round is open yet in {}. Open round 1 before play begins: until then the server takes slips with any \
                 round, and tells plays apart by time alone.",
                unopened.join(", ")
            ),
        );
        let of_kind = |kind, pairing: fn(Pairing) -> bool| {
            let devices = snapshot.people.devices().filter(|device| device.tournament == tournament.id);
            devices.filter(|device| device.kind == kind && pairing(device.pairing)).count()
        };
        // The demonstration's station is open to this machine without a code.
        let is_open =
            |name: &str| snapshot.holder_named(name).is_some_and(|principal| principal.tournament == tournament.id);
        let paired = of_kind(DeviceKind::Station, |pairing| pairing == Pairing::Paired)
            + usize::from(app.open_station.as_deref().is_some_and(is_open));
        report(
            paired > 0,
            format!("{title}: stations paired: {paired}."),
            format!("{title}: no station is paired yet: make one below."),
        );
        let waiting = of_kind(DeviceKind::Station, |pairing| pairing == Pairing::Unconfirmed)
            + of_kind(DeviceKind::Tablet, |pairing| pairing == Pairing::Unconfirmed);
        if waiting > 0 {
            report(false, String::new(), format!("{title}: devices to confirm below: {waiting}."));
        }
    }
    report(
        app.is_lan_reached(),
        "Devices in the network reach this server.".to_owned(),
        "No other device has reached this server yet. Open its address with /pair on a tablet. If the tablet does not find \
         it, the Wi-Fi keeps devices apart: use your own router."
            .to_owned(),
    );
    match &app.identity.mdns {
        MdnsStatus::Off => {}
        MdnsStatus::Announced => report(true, "Devices find this server as adjudge.local.".to_owned(), String::new()),
        MdnsStatus::Failed(why) => {
            report(false, String::new(), format!("The name adjudge.local is not announced on the network: {why}."));
        }
    }
    report(
        app.identity.is_tls(),
        "Pages and cookies travel encrypted.".to_owned(),
        "Plain HTTP: anyone who listens in the network can take over a device. Start with adjudge serve --tls."
            .to_owned(),
    );
    checks
}
