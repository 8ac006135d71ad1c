//! `tournament create | list`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use anyhow::{Context as _, bail};
use serde_json::json;

use crate::domain::event::{DivisionSet, LogOpened, TournamentCreated};
use crate::domain::fields::LONGEST_NAME;
use crate::domain::settings::Settings;
use crate::domain::{Event, Floor, Lexicon as _, Ruleset, SERVER_LOG, is_id};
use crate::lexicon::{Opened, built_in};
use crate::present::floor_of;
use crate::store::{Draft, Ledger};

use super::args::{CreateTournament, TournamentCommand};
use super::ruleset::named;
use super::{Context, Outcome, complain, operator};

pub async fn run(context: &Context, command: TournamentCommand) -> anyhow::Result<Outcome> {
    let ledger = context.ledger().await?;
    match command {
        TournamentCommand::Create(asked) => {
            let CreateTournament { id, title, time_zone, divisions, settings } = asked;
            let wanted = NewTournament::parse(&id, &title, &time_zone, &divisions, &settings)?;
            create(context, &ledger, &wanted).await?;
            println!(
                "The tournament {id} is ready. Next: adjudge token create --role client --tournament {id} --name 'results desk'"
            );
        }
        TournamentCommand::List { json } => list(&floor_of(&ledger).await?, json),
    }
    ledger.db.close().await;
    Ok(Outcome::Done)
}

/// A tournament as asked for, its form checked.
pub struct NewTournament {
    id: String,
    title: String,
    time_zone: String,
    divisions: Vec<NewDivision>,
}

struct NewDivision {
    id: String,
    lexicon: String,
    second: Option<String>,
    ruleset: Ruleset,
    settings: Settings,
}

impl NewTournament {
    /// Checks what was said; nothing is looked up yet.
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
            bail!("{SERVER_LOG} is the name of the server's own log: choose another");
        }
        if !(1..=LONGEST_NAME).contains(&title.chars().count()) || title.chars().any(char::is_control) {
            bail!("a title has 1 to {LONGEST_NAME} characters and no control characters");
        }
        jiff::tz::TimeZone::get(time_zone)
            .with_context(|| format!("{time_zone:?} is no time zone, like Africa/Lagos"))?;
        let mut by_division = settings_by_division(settings)?;
        let mut seen = BTreeSet::new();
        let mut parsed = Vec::with_capacity(divisions.len());
        for said in divisions {
            let division = NewDivision::parse(said, &mut by_division)?;
            if !seen.insert(division.id.to_ascii_lowercase()) {
                bail!("division {} is named twice", division.id);
            }
            parsed.push(division);
        }
        if let Some(unknown) = by_division.keys().next() {
            bail!("--set names division {unknown:?}, which is none of this tournament's");
        }
        Ok(Self { id: id.to_owned(), title: title.to_owned(), time_zone: time_zone.to_owned(), divisions: parsed })
    }
}

impl NewDivision {
    fn parse(said: &str, settings: &mut BTreeMap<String, Settings>) -> anyhow::Result<Self> {
        let parts: Vec<&str> = said.split(':').collect();
        let (id, lexicon, ruleset, second) = match parts.as_slice() {
            [id, lexicon, ruleset] => (id, lexicon, ruleset, None),
            [id, lexicon, ruleset, second] => (id, lexicon, ruleset, Some((*second).to_owned())),
            _ => bail!(
                "{said:?} is no division: write DIVISION:LEXICON:RULESET, like A:CSW24:wespa, or DIVISION:LEXICON:RULESET:SECOND"
            ),
        };
        if !is_id(id) {
            bail!(
                "{id:?} cannot name a division: use 1 to 32 letters, digits, . _ or -, beginning with a letter or digit"
            );
        }
        let ruleset = named(ruleset)?;
        match &second {
            None if ruleset.needs_second() => {
                bail!("the ruleset {0} needs a second lexicon: write {id}:{lexicon}:{0}:SECOND", ruleset.name)
            }
            Some(second) if !ruleset.needs_second() => {
                bail!("the ruleset {} has no use for the second lexicon {second}: leave it out", ruleset.name)
            }
            _ => {}
        }
        let settings = settings.remove(*id).unwrap_or_default();
        settings.check(&ruleset).with_context(|| format!("division {id}"))?;
        Ok(Self { id: (*id).to_owned(), lexicon: (*lexicon).to_owned(), second, ruleset, settings })
    }
}

/// `A.points=10`: the key follows the last dot before the `=`.
fn settings_by_division(settings: &[String]) -> anyhow::Result<BTreeMap<String, Settings>> {
    let mut by_division: BTreeMap<String, Settings> = BTreeMap::new();
    for said in settings {
        let name = said.split_once('=').map_or(said.as_str(), |(name, _)| name);
        let Some((division, key)) = name.rsplit_once('.') else {
            bail!(
                "{said:?}: settings of the whole tournament are not available in this version; write DIVISION.KEY=VALUE, like A.points=10"
            );
        };
        let value = said.get(name.len()..).unwrap_or_default();
        by_division.entry(division.to_owned()).or_default().set(&format!("{key}{value}"))?;
    }
    Ok(by_division)
}

/// Records a tournament and its divisions, all or nothing.
pub async fn create(context: &Context, ledger: &Ledger, wanted: &NewTournament) -> anyhow::Result<()> {
    // The write lock comes first: nobody can create the same tournament between the look and the write.
    let mut tx = ledger.db.begin_write().await?;
    let floor = floor_of(ledger).await?;
    if floor.tournaments().any(|tournament| tournament.id.eq_ignore_ascii_case(&wanted.id)) {
        bail!("there is a tournament {} already", wanted.id);
    }
    let now = context.world.now();
    let draft = |event| Draft { log: wanted.id.clone(), actor: operator(), event };
    let opened = Event::LogOpened(LogOpened { opened: wanted.id.clone() });
    let opened = Draft { log: SERVER_LOG.to_owned(), actor: operator(), event: opened };
    let mut drafts = vec![
        opened,
        draft(Event::TournamentCreated(TournamentCreated {
            title: wanted.title.clone(),
            time_zone: wanted.time_zone.clone(),
            program: crate::PROGRAM.to_owned(),
        })),
    ];
    for division in &wanted.divisions {
        let lexicon = usable(context, &floor, &division.lexicon, &now.day())?;
        let second = match &division.second {
            Some(second) => Some(usable_second(&lexicon, usable(context, &floor, second, &now.day())?)?),
            None => None,
        };
        drafts.push(draft(Event::DivisionSet(DivisionSet {
            division: division.id.clone(),
            lexicon: lexicon.name().clone(),
            second: second.map(|second| second.name().clone()),
            ruleset: division.ruleset.name.clone(),
            settings: division.settings.clone(),
        })));
    }
    ledger.append(&mut tx, now, drafts).await?;
    tx.commit().await?;
    Ok(())
}

/// A lexicon that may be played with today and can be opened.
fn usable(context: &Context, floor: &Floor, id: &str, today: &str) -> anyhow::Result<Arc<Opened>> {
    if id == built_in::ID {
        return Ok(built_in::wordnik()?);
    }
    let imported =
        floor.lexicon(id).with_context(|| format!("there is no lexicon {id:?}; adjudge lexicon list shows them"))?;
    if let Some(from) = imported.effective_from.as_deref().filter(|from| *from > today) {
        bail!("the lexicon {id} is in force from {from} only");
    }
    super::lexicon::open(context, imported)
}

/// A second lexicon that can be asked for every word that the main one rules on. One that is no part of it is
/// taken with a warning: the waiver is then decided by words that cannot be played. Source: INSA Challenges.
fn usable_second(main: &Opened, second: Arc<Opened>) -> anyhow::Result<Arc<Opened>> {
    let (main_name, second_name) = (&main.name().id, &second.name().id);
    if main.alphabet().name() != second.alphabet().name() {
        bail!("the second lexicon {second_name} is written in another alphabet than {main_name}");
    }
    let (covers, must) = (second.lengths(), main.lengths());
    if covers.shortest > must.shortest || covers.longest < must.longest {
        bail!("the second lexicon {second_name} covers words of {covers} tiles, and {main_name} those of {must}");
    }
    let mut beyond = 0;
    second.each_word(|written| {
        let word = second.alphabet().read(written).ok().flatten();
        beyond += usize::from(!word.is_some_and(|word| main.contains(&word)));
    });
    if beyond > 0 {
        complain(format_args!(
            "warning: {beyond} words of the second lexicon {second_name} are not in {main_name}; is it the right edition?"
        ));
    }
    Ok(second)
}

fn list(floor: &Floor, as_json: bool) {
    if as_json {
        let all: Vec<_> = floor.tournaments().map(|tournament| json!({
            "id": tournament.id, "title": tournament.title, "time_zone": tournament.time_zone,
            "divisions": tournament.divisions().map(|division| json!({
                "id": division.id, "lexicon": division.lexicon, "second": division.second, "ruleset": division.ruleset.name,
                "settings": division.settings,
            })).collect::<Vec<_>>(),
        })).collect();
        println!("{}", json!({ "tournaments": all }));
        return;
    }
    for tournament in floor.tournaments() {
        println!("{:<16} {}", tournament.id, tournament.title);
        for division in tournament.divisions() {
            let lexica: Vec<String> =
                division.lexica().map(|lexicon| format!("{} {}", lexicon.id, lexicon.edition)).collect();
            println!("  {:<14} {}, {}", division.id, lexica.join(" and "), division.ruleset.name);
        }
    }
}
