//! `tournament create | list`.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, bail};
use serde::Serialize;
use serde_json::json;

use crate::domain::division::WantedDivision;
use crate::domain::event::{LogOpened, TournamentCreated};
use crate::domain::player_name::MAX_NAME_CHARS;
use crate::domain::player_name::normal_name;
use crate::domain::settings::{Settings, TournamentSettings};
use crate::domain::{Event, LexiconName, SERVER_LOG, Setup, Tournament, is_id};
use crate::snapshot::{open_division_lexica, setup_of};
use crate::store::{Draft, Ledger};

use super::args::{CreateTournament, Output, TournamentCommand};
use super::ruleset::named;
use super::{Context, Outcome, complain, operator};

pub async fn run(context: &Context, command: TournamentCommand) -> anyhow::Result<Outcome> {
    let ledger = context.ledger().await?;
    match command {
        TournamentCommand::Create(asked) => {
            let CreateTournament { id, title, time_zone, divisions, settings } = asked;
            let wanted = NewTournament::parse(&id, &title, &time_zone, &divisions, &settings)?;
            create(context, &ledger, &wanted).await?;
            println!("The tournament {id} is created. Next: adjudge serve");
        }
        TournamentCommand::List(Output { json }) => list(&setup_of(&ledger, context.system.now()).await?, json),
    }
    ledger.db.close().await;
    Ok(Outcome::Done)
}

/// A tournament to create, whose form was checked.
pub struct NewTournament {
    id: String,
    title: String,
    time_zone: String,
    settings: TournamentSettings,
    divisions: Vec<RawDivision>,
}

/// A division as the command line names it.
struct RawDivision {
    id: String,
    lexicon: String,
    second: Option<String>,
    ruleset: String,
    settings: Settings,
}

impl NewTournament {
    /// Checks the form; nothing is looked up yet.
    pub fn parse(
        id: &str,
        title: &str,
        time_zone: &str,
        divisions: &[String],
        settings: &[String],
    ) -> anyhow::Result<Self> {
        if !is_id(id) {
            bail!(
                "{id:?} cannot name a tournament: use 1 to 32 letters, digits, . _ or -, beginning with a letter or digit"
            );
        }
        if id.eq_ignore_ascii_case(SERVER_LOG) {
            bail!("{SERVER_LOG} is the id of the server's own log: choose another id");
        }
        let title = normal_name(title).with_context(|| {
            format!("--title takes 1 to {MAX_NAME_CHARS} visible characters and no control characters")
        })?;
        jiff::tz::TimeZone::get(time_zone)
            .with_context(|| format!("{time_zone:?} is no time zone: write an IANA name, like Africa/Lagos"))?;
        let (tournament, mut by_division) = settings_by_division(settings)?;
        let mut seen = BTreeSet::new();
        let mut parsed = Vec::with_capacity(divisions.len());
        for text in divisions {
            let division = RawDivision::parse(text, &mut by_division)?;
            if !seen.insert(division.id.to_ascii_lowercase()) {
                bail!("division {} is named twice", division.id);
            }
            parsed.push(division);
        }
        if let Some(unknown) = by_division.keys().next() {
            bail!("--set names division {unknown:?}, which no --division of this command makes");
        }
        let (id, time_zone) = (id.to_owned(), time_zone.to_owned());
        Ok(Self { id, title, time_zone, settings: tournament, divisions: parsed })
    }
}

impl RawDivision {
    /// Parses `A:CSW24:wespa`, with its settings.
    fn parse(text: &str, settings: &mut BTreeMap<String, Settings>) -> anyhow::Result<Self> {
        let parts: Vec<&str> = text.split(':').collect();
        let (id, lexicon, ruleset, second) = match parts.as_slice() {
            [id, lexicon, ruleset] => (id, lexicon, ruleset, None),
            [id, lexicon, ruleset, second] => (id, lexicon, ruleset, Some((*second).to_owned())),
            _ => bail!(
                "{text:?} is no division: write DIVISION:LEXICON:RULESET, like A:CSW24:wespa, or DIVISION:LEXICON:RULESET:SECOND"
            ),
        };
        let settings = settings.remove(*id).unwrap_or_default();
        let (id, lexicon, ruleset) = ((*id).to_owned(), (*lexicon).to_owned(), (*ruleset).to_owned());
        Ok(Self { id, lexicon, second, ruleset, settings })
    }

    fn wanted(&self, setup: &Setup) -> anyhow::Result<WantedDivision> {
        let ruleset = named(setup, &self.ruleset)?;
        let (id, lexicon, second) = (self.id.clone(), self.lexicon.clone(), self.second.clone());
        Ok(WantedDivision {
            id,
            lexicon,
            second,
            ruleset,
            settings: self.settings.clone(),
            from: None,
            fields: None,
            cancel: false,
            reason: None,
        })
    }
}

/// `A.points=10`: the key follows the last dot before the `=`; without a dot it is the tournament's.
fn settings_by_division(settings: &[String]) -> anyhow::Result<(TournamentSettings, BTreeMap<String, Settings>)> {
    let mut tournament = TournamentSettings::default();
    let mut by_division: BTreeMap<String, Settings> = BTreeMap::new();
    for text in settings {
        let name = text.split_once('=').map_or(text.as_str(), |(name, _)| name);
        let Some((division, key)) = name.rsplit_once('.') else {
            tournament.set(text)?;
            continue;
        };
        let value = text.get(name.len()..).unwrap_or_default();
        by_division.entry(division.to_owned()).or_default().set(&format!("{key}{value}"))?;
    }
    Ok((tournament, by_division))
}

/// Records a tournament and its divisions, all or nothing.
pub async fn create(context: &Context, ledger: &Ledger, wanted: &NewTournament) -> anyhow::Result<()> {
    // The write lock comes first: no one else can create the same tournament between the look and the write.
    let mut tx = ledger.begin().await?;
    let now = ledger.effective(context.system.now()).await?;
    let setup = setup_of(ledger, now).await?;
    if setup.tournaments().any(|tournament| tournament.id.eq_ignore_ascii_case(&wanted.id)) {
        bail!("a tournament {} exists already: choose another id", wanted.id);
    }
    let draft = |event| Draft::of(&wanted.id, operator(), event);
    let opened = Event::LogOpened(LogOpened { opened: wanted.id.clone() });
    let opened = Draft::of(SERVER_LOG, operator(), opened);
    let mut drafts = vec![
        opened,
        draft(Event::TournamentCreated(TournamentCreated {
            title: wanted.title.clone(),
            time_zone: wanted.time_zone.clone(),
            settings: wanted.settings.clone(),
            program: crate::PROGRAM.to_owned(),
        })),
    ];
    let mut all: Vec<WantedDivision> = Vec::new();
    for raw in &wanted.divisions {
        let division = raw.wanted(&setup)?;
        let others = all.iter().map(|other| (other.id.as_str(), &other.settings));
        division.check(wanted.settings.names(), others).with_context(|| format!("division {}", raw.id))?;
        let (lexicon, second) = lexica(context, &setup, &division, &now.day_in(&wanted.time_zone))?;
        drafts.push(draft(Event::DivisionSet(division.clone().into_event(lexicon, second))));
        all.push(division);
    }
    tx.append(now, drafts).await?;
    tx.commit().await?;
    Ok(())
}

/// Opens the lexica of a division. A second lexicon that has words which the main one lacks is accepted with a warning.
pub fn lexica(
    context: &Context,
    setup: &Setup,
    division: &WantedDivision,
    today: &str,
) -> anyhow::Result<(LexiconName, Option<LexiconName>)> {
    let lexica = open_division_lexica(setup, &context.folder.lexicons(), division, today)?;
    if let Some(second) = lexica.second.as_ref().filter(|_| lexica.beyond > 0) {
        complain(format_args!(
            "warning: {} words of the second lexicon {} are not in {}: check that it is the right edition",
            lexica.beyond, second.id, lexica.lexicon.id
        ));
    }
    Ok((lexica.lexicon, lexica.second))
}

fn list(setup: &Setup, as_json: bool) {
    if as_json {
        let all: Vec<_> = setup.tournaments().map(|tournament| json!({
            "id": tournament.id, "title": tournament.title, "time_zone": tournament.time_zone,
            "settings": tournament.settings,
            "divisions": tournament.divisions().map(|division| json!({
                "id": division.id, "lexicon": division.lexicon, "second": division.second, "ruleset": division.ruleset.name,
                "settings": division.settings, "waiting": setup.waiting(&tournament.id, &division.id),
            })).collect::<Vec<_>>(),
            "new_divisions": new_divisions(setup, tournament).map(|id| json!({
                "id": id, "waiting": setup.waiting(&tournament.id, id),
            })).collect::<Vec<_>>(),
        })).collect();
        println!("{}", json!({ "tournaments": all }));
        return;
    }
    for tournament in setup.tournaments() {
        println!("{:<16} {}", tournament.id, tournament.title);
        list_settings(&tournament.settings);
        for division in tournament.divisions() {
            let lexica: Vec<String> =
                division.lexica().map(|lexicon| format!("{} {}", lexicon.id, lexicon.edition)).collect();
            println!("  {:<14} {}, {}", division.id, lexica.join(" and "), division.ruleset.name);
            list_settings(&division.settings);
            list_waiting(setup, tournament, &division.id);
        }
        for id in new_divisions(setup, tournament) {
            println!("  {id:<14} begins later");
            list_waiting(setup, tournament, id);
        }
    }
}

/// The divisions that begin on a later day.
fn new_divisions<'a>(setup: &'a Setup, tournament: &'a Tournament) -> impl Iterator<Item = &'a str> {
    setup.waiting_divisions(&tournament.id).filter(|id| tournament.division(id).is_err())
}

/// Prints the settings that were chosen; all others have their default.
fn list_settings(settings: &impl Serialize) {
    let chosen = serde_json::to_value(settings).unwrap_or_default();
    let pairs: Vec<String> = chosen
        .as_object()
        .into_iter()
        .flatten()
        .map(|(key, value)| format!("{key}={}", value.as_str().map_or_else(|| value.to_string(), str::to_owned)))
        .collect();
    if !pairs.is_empty() {
        println!("  {:<14} settings: {}", "", pairs.join(" "));
    }
}

fn list_waiting(setup: &Setup, tournament: &Tournament, division: &str) {
    for field in setup.waiting(&tournament.id, division) {
        println!("  {:<14} waits for its day: {field}", "");
    }
}
