//! `lexicon import | list | info | verify | effective`.

mod effective;
mod import;

use std::sync::Arc;

use anyhow::Context as _;

use crate::domain::Setup;
use crate::domain::event::LexiconImported;
use crate::lexicon::{Manifest, Opened, built_in, files};
use crate::snapshot::{opened_now, setup_of};

use super::args::LexiconCommand;
use super::{Context, Outcome, complain, with_causes};

pub async fn run(context: &Context, command: LexiconCommand) -> anyhow::Result<Outcome> {
    let ledger = context.ledger().await?;
    let setup = setup_of(&ledger, context.system.now()).await?;
    let outcome = match command {
        LexiconCommand::Import(asked) => import::run(context, &ledger, *asked).await,
        LexiconCommand::List(output) => list(&setup, output.json),
        LexiconCommand::Info { id, output } => info(context, &setup, &id, output.json),
        LexiconCommand::Verify { id, output } => verify(context, &setup, &id, output.json),
        LexiconCommand::Effective(asked) => effective::run(context, &ledger, asked).await,
    };
    ledger.db.close().await;
    outcome
}

fn list(setup: &Setup, as_json: bool) -> anyhow::Result<Outcome> {
    let built_in = built_in::manifest()?.imported();
    let all: Vec<&LexiconImported> = std::iter::once(&built_in).chain(setup.lexica()).collect();
    if as_json {
        println!("{}", serde_json::json!({ "lexicons": all }));
        return Ok(Outcome::Done);
    }
    for imported in all {
        let name = &imported.lexicon;
        let code: String = name.fingerprint.chars().take(16).collect();
        println!(
            "{:<16} {code}  {:>8} words of {}  {} {}",
            name.id, imported.words, imported.lengths, name.title, name.edition
        );
    }
    Ok(Outcome::Done)
}

fn info(context: &Context, setup: &Setup, id: &str, as_json: bool) -> anyhow::Result<Outcome> {
    let manifest = if id == built_in::ID {
        built_in::manifest()?.clone()
    } else {
        let name = &found(setup, id)?.lexicon;
        let stored = files::manifest(&context.folder.lexicons(), &name.id, &name.fingerprint)?;
        // The file has the day of the import from which the lexicon may be used; the ledger has the current one.
        Manifest { effective_from: found(setup, id)?.effective_from.clone(), ..stored }
    };
    if as_json {
        println!("{}", serde_json::to_string_pretty(&manifest)?);
    } else {
        describe(&manifest);
    }
    Ok(Outcome::Done)
}

fn describe(manifest: &Manifest) {
    println!("id           {}", manifest.id);
    println!("title        {}", manifest.title);
    println!("edition      {}", manifest.edition);
    println!("language     {}, {} alphabet", manifest.language, manifest.alphabet);
    println!("words        {} of {} tiles", manifest.words, manifest.lengths);
    for (length, count) in &manifest.by_length {
        println!("             {count:>8} of {length}");
    }
    println!("in force     {}", manifest.effective_from.as_deref().unwrap_or("always"));
    println!("fingerprint  {}", manifest.fingerprint);
    println!(
        "source       {} ({} lines, {} rejected)",
        manifest.source.sha256, manifest.source.lines, manifest.source.rejected
    );
    println!("imported     {} by {}", manifest.imported_at, manifest.program);
}

fn verify(context: &Context, setup: &Setup, id: &str, as_json: bool) -> anyhow::Result<Outcome> {
    let opened = if id == built_in::ID {
        built_in::wordnik().map_err(anyhow::Error::from)
    } else {
        opened_now(found(setup, id)?, &context.folder.lexicons()).map_err(anyhow::Error::from)
    };
    let why_not = opened.as_ref().err().map(with_causes);
    if as_json {
        println!("{}", serde_json::json!({ "id": id, "whole": why_not.is_none(), "why_not": why_not }));
    }
    match opened {
        Ok(opened) => {
            if !as_json {
                println!("{id}: whole, {} words, fingerprint {}", opened.words(), opened.name().fingerprint);
            }
            Ok(Outcome::Done)
        }
        Err(error) => {
            complain(format_args!("{id}: {}", with_causes(&error)));
            Ok(Outcome::No)
        }
    }
}

fn found<'floor>(setup: &'floor Setup, id: &str) -> anyhow::Result<&'floor LexiconImported> {
    setup.lexicon(id).with_context(|| format!("there is no lexicon {id:?}; adjudge lexicon list shows the lexicons"))
}

/// Opens the lexicon of an id, the built-in one included.
pub async fn open_by_id(context: &Context, id: &str) -> anyhow::Result<Arc<Opened>> {
    if id == built_in::ID {
        return Ok(built_in::wordnik()?);
    }
    let ledger = context.ledger().await?;
    let setup = setup_of(&ledger, context.system.now()).await?;
    ledger.db.close().await;
    Ok(opened_now(found(&setup, id)?, &context.folder.lexicons())?)
}
