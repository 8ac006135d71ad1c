//! `lexicon import | list | info | verify`.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, bail};

use crate::domain::event::LexiconImported;
use crate::domain::names::normal_name;
use crate::domain::{Alphabet, Event, Floor, SERVER_LOG};
use crate::lexicon::files::{self, Found};
use crate::lexicon::{Import, ImportOptions, Manifest, Opened, built_in, read_text};
use crate::present::{floor_of, opened_now};
use crate::store::{Draft, Ledger, lexicons};

use super::args::{self, LexiconCommand};
use super::{Context, Outcome, operator};

/// The largest file that is read as a list, in bytes: three million words take a tenth of it.
const LARGEST_LIST: u64 = 512 * 1024 * 1024;

pub async fn run(context: &Context, command: LexiconCommand) -> anyhow::Result<Outcome> {
    let ledger = context.ledger().await?;
    let floor = floor_of(&ledger, context.world.now()).await?;
    let outcome = match command {
        LexiconCommand::Import(asked) => import(context, &ledger, *asked).await,
        LexiconCommand::List { json } => list(&floor, json),
        LexiconCommand::Info { id, json } => info(context, &floor, &id, json),
        LexiconCommand::Verify { id, json } => verify(context, &floor, &id, json),
    };
    ledger.db.close().await;
    outcome
}

async fn import(context: &Context, ledger: &Ledger, asked: args::Import) -> anyhow::Result<Outcome> {
    let bytes = read_file(&asked.file)?;
    let is_id_taken = asked.id.eq_ignore_ascii_case(built_in::ID);
    if is_id_taken {
        bail!("{} is the id of the built-in list: choose another id", built_in::ID);
    }
    let (dry_run, as_json) = (asked.dry_run, asked.json);
    let list = match read_text(&bytes, &options(asked)?) {
        Ok(list) => list,
        Err(refused) => {
            if let (true, Some(report)) = (as_json, refused.report()) {
                println!("{}", serde_json::to_string_pretty(report)?);
            }
            return Err(refused.into());
        }
    };
    let stored = if dry_run { "not stored: this was a dry run" } else { store(context, ledger, &list).await? };
    if as_json {
        println!("{}", serde_json::to_string_pretty(list.report())?);
    } else {
        println!("{}\n{stored}", list.report());
    }
    Ok(Outcome::Done)
}

/// Reads a list whole, and no more of it than any list has.
fn read_file(path: &Path) -> anyhow::Result<Vec<u8>> {
    let failed = || format!("{} cannot be read", path.display());
    let mut bytes = Vec::new();
    fs::File::open(path).with_context(failed)?.take(LARGEST_LIST + 1).read_to_end(&mut bytes).with_context(failed)?;
    if bytes.len() as u64 > LARGEST_LIST {
        bail!("{} is larger than {LARGEST_LIST} bytes, which no word list is", path.display());
    }
    Ok(bytes)
}

fn options(asked: args::Import) -> anyhow::Result<ImportOptions> {
    let (alphabet, alphabet_file) = alphabet(&asked.alphabet)?;
    let args::Format::Text = asked.format;
    Ok(ImportOptions {
        title: written(asked.title.unwrap_or_else(|| asked.id.clone())),
        id: asked.id,
        edition: written(asked.edition),
        language: asked.language.unwrap_or_else(|| alphabet.language().to_owned()),
        alphabet,
        alphabet_file,
        lengths: asked.lengths,
        effective_from: asked.effective_from,
        expect_words: asked.expect_words,
        expect_fingerprint: asked.expect_fingerprint,
        must_have: asked.must_have,
        must_lack: asked.must_lack,
        skip_first: asked.skip_first,
        allow_rejects: asked.allow_rejects,
    })
}

/// A shipped alphabet by its name, or an alphabet file and its text.
fn alphabet(said: &str) -> anyhow::Result<(Arc<Alphabet>, Option<String>)> {
    if let Some(shipped) = Alphabet::shipped(said) {
        return Ok((shipped, None));
    }
    let known: Vec<&str> = Alphabet::shipped_names().collect();
    let unknown = || format!("{said:?} is no shipped alphabet ({}) and no file that can be read", known.join(", "));
    let text = fs::read_to_string(said).with_context(unknown)?;
    Ok((Arc::new(Alphabet::from_toml(&text)?), Some(text)))
}

/// Puts a list on the shelf: its files first, then the entry that makes it known. An interrupted import
/// leaves files that nobody knows of, and the next one replaces them.
async fn store(context: &Context, ledger: &Ledger, list: &Import) -> anyhow::Result<&'static str> {
    let now = context.world.now();
    let manifest = list.manifest(now, crate::PROGRAM);
    let wanted = manifest.imported();
    // The write lock comes first: of two imports at once the second sees the first.
    let mut tx = ledger.begin().await?;
    let floor = floor_of(ledger, context.world.now()).await?;
    let known = floor.lexicon(&manifest.id);
    if known.is_some_and(|known| !is_same(known, &wanted)) {
        bail!("the id {} is used by another list or was imported with other options: choose another id", manifest.id);
    }
    let folder = context.folder.lexicons();
    let is_whole =
        files::inspect(&folder, &manifest.id, &manifest.fingerprint, &manifest.index_sha256)? == Found::Whole;
    if known.is_some() && is_whole {
        return Ok("already imported: nothing was changed");
    }
    files::store(&folder, &manifest, list.index().bytes())?;
    if known.is_some() {
        return Ok("already imported: its damaged or missing file was written anew");
    }
    let event = Event::LexiconImported(wanted);
    tx.append(now, vec![Draft::of(SERVER_LOG, operator(), event)]).await?;
    let copy = lexicons::Copy { manifest: manifest.to_json()?, index: list.index().bytes().to_vec() };
    lexicons::keep(&mut tx, &manifest.id, &manifest.fingerprint, &copy).await?;
    tx.commit().await?;
    Ok("imported: no division plays with it yet")
}

/// Whether an import says the same; who built the index and from which file does not matter.
fn is_same(known: &LexiconImported, wanted: &LexiconImported) -> bool {
    let mut wanted = wanted.clone();
    wanted.program.clone_from(&known.program);
    wanted.source_sha256.clone_from(&known.source_sha256);
    wanted.rejected = known.rejected;
    *known == wanted
}

fn list(floor: &Floor, as_json: bool) -> anyhow::Result<Outcome> {
    let built_in = built_in::manifest()?.imported();
    let all: Vec<&LexiconImported> = std::iter::once(&built_in).chain(floor.lexica()).collect();
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

fn info(context: &Context, floor: &Floor, id: &str, as_json: bool) -> anyhow::Result<Outcome> {
    let manifest = if id == built_in::ID {
        built_in::manifest()?.clone()
    } else {
        let name = &found(floor, id)?.lexicon;
        files::manifest(&context.folder.lexicons(), &name.id, &name.fingerprint)?
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

fn verify(context: &Context, floor: &Floor, id: &str, as_json: bool) -> anyhow::Result<Outcome> {
    let opened = if id == built_in::ID {
        built_in::wordnik().map_err(anyhow::Error::from)
    } else {
        opened_now(found(floor, id)?, &context.folder.lexicons()).map_err(anyhow::Error::from)
    };
    let why_not = opened.as_ref().err().map(|error| format!("{error:#}"));
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
            eprintln!("adjudge: {error:#}");
            Ok(Outcome::No)
        }
    }
}

fn found<'floor>(floor: &'floor Floor, id: &str) -> anyhow::Result<&'floor LexiconImported> {
    floor.lexicon(id).with_context(|| format!("there is no lexicon {id:?}; adjudge lexicon list shows them"))
}

/// Opens the list of that id, the built-in one included.
pub async fn open_by_id(context: &Context, id: &str) -> anyhow::Result<Arc<Opened>> {
    if id == built_in::ID {
        return Ok(built_in::wordnik()?);
    }
    let ledger = context.ledger().await?;
    let floor = floor_of(&ledger, context.world.now()).await?;
    ledger.db.close().await;
    Ok(opened_now(found(&floor, id)?, &context.folder.lexicons())?)
}

/// A title as it is recorded; what can be none stays as it is, and is refused.
fn written(title: String) -> String {
    normal_name(&title).unwrap_or(title)
}
