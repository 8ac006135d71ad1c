//! `lexicon import`.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, bail};

use crate::cli::args;
use crate::cli::{Context, Outcome, operator};
use crate::domain::event::LexiconImported;
use crate::domain::player_name::normal_name;
use crate::domain::{Alphabet, Event, SERVER_LOG, Setup};
use crate::lexicon::files::{self, Found};
use crate::lexicon::{Import, ImportOptions, Manifest, built_in, read_text};
use crate::snapshot::setup_of;
use crate::store::{Draft, Ledger, lexicons};

/// The largest word list file, in bytes: three million words take a tenth of it.
const MAX_LIST_BYTES: u64 = 512 * 1024 * 1024;

pub async fn run(context: &Context, ledger: &Ledger, asked: args::Import) -> anyhow::Result<Outcome> {
    let bytes = read_file(&asked.file)?;
    let is_id_taken = asked.id.eq_ignore_ascii_case(built_in::ID);
    if is_id_taken {
        bail!("{} is the id of the built-in list: choose another id", built_in::ID);
    }
    let (dry_run, as_json) = (asked.dry_run, asked.output.json);
    let mut list = match read_text(&bytes, &options(asked)?) {
        Ok(list) => list,
        Err(refused) => {
            if let (true, Some(report)) = (as_json, refused.report()) {
                println!("{}", serde_json::to_string_pretty(report)?);
            }
            return Err(refused.into());
        }
    };
    let setup = setup_of(ledger, context.system.now()).await?;
    for warning in same_words(&setup, &list.manifest(context.system.now(), crate::PROGRAM))? {
        list.warn(warning);
    }
    let stored = if dry_run { "not stored: this was a dry run" } else { store(context, ledger, &list).await? };
    if as_json {
        println!("{}", serde_json::to_string_pretty(list.report())?);
    } else {
        println!("{}\n{stored}", list.report());
    }
    Ok(Outcome::Done)
}

/// Reads a file whole, up to the size limit.
fn read_file(path: &Path) -> anyhow::Result<Vec<u8>> {
    let failed = || format!("cannot read {}", path.display());
    let mut bytes = Vec::new();
    fs::File::open(path).with_context(failed)?.take(MAX_LIST_BYTES + 1).read_to_end(&mut bytes).with_context(failed)?;
    if bytes.len() as u64 > MAX_LIST_BYTES {
        bail!(
            "{} is larger than {MAX_LIST_BYTES} bytes, more than any word list: give the list itself",
            path.display()
        );
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
        allow_rejects: asked.allow_rejects.into_iter().collect(),
        allow_gaps: asked.allow_gaps,
    })
}

/// A shipped alphabet by its name, or an alphabet file and its text.
fn alphabet(said: &str) -> anyhow::Result<(Arc<Alphabet>, Option<String>)> {
    if let Some(shipped) = Alphabet::shipped(said) {
        return Ok((shipped, None));
    }
    let known: Vec<&str> = Alphabet::shipped_names().collect();
    let unknown = || {
        format!(
            "--alphabet {said}: neither a shipped alphabet ({}) nor a readable file; for another alphabet write a file as \
            docs/alphabets.md shows and give its path",
            known.join(", ")
        )
    };
    let text = fs::read_to_string(said).with_context(unknown)?;
    Ok((Arc::new(Alphabet::from_toml(&text)?), Some(text)))
}

/// Stores a lexicon: its files first, then the entry that makes it known. An interrupted import leaves files that no
/// entry names, and the next import replaces them.
async fn store(context: &Context, ledger: &Ledger, list: &Import) -> anyhow::Result<&'static str> {
    let now = context.system.now();
    let manifest = list.manifest(now, crate::PROGRAM);
    let wanted = manifest.imported();
    // The write lock comes first: of two imports at once the second sees the first.
    let mut tx = ledger.begin().await?;
    let setup = setup_of(ledger, context.system.now()).await?;
    let known = setup.lexicon(&manifest.id);
    if let Some(known) = known {
        refuse_differences(known, &manifest)?;
    }
    let folder = context.folder.lexicons();
    let index_sha256 = known.map_or(&manifest.index_sha256, |known| &known.index_sha256);
    let is_whole = files::inspect(&folder, &manifest.id, &manifest.fingerprint, index_sha256)? == Found::Whole;
    if known.is_some() && is_whole {
        return Ok("already imported: nothing was changed");
    }
    if *index_sha256 != manifest.index_sha256 {
        bail!(
            "the index file of {} is damaged, and this version builds another: move the file away, and the server restores it from the database",
            manifest.id
        );
    }
    files::store(&folder, &manifest, list.index().bytes())?;
    if known.is_some() {
        return Ok("already imported: its damaged or missing file is restored");
    }
    let event = Event::LexiconImported(wanted);
    tx.append(now, vec![Draft::of(SERVER_LOG, operator(), event)]).await?;
    let copy = lexicons::Copy { manifest: manifest.to_json()?, index: list.index().bytes().to_vec() };
    lexicons::keep(&mut tx, &manifest.id, &manifest.fingerprint, &copy).await?;
    tx.commit().await?;
    Ok("imported. Next: adjudge tournament create, or adjudge division set --lexicon")
}

/// Refuses other content or options under a known id: an id stands for one list with one set of options.
fn refuse_differences(known: &LexiconImported, wanted: &Manifest) -> anyhow::Result<()> {
    let differences = wanted.differences(known);
    if differences.is_empty() {
        return Ok(());
    }
    let id = &known.lexicon.id;
    let date = match &wanted.effective_from {
        _ if wanted.effective_from == known.effective_from => String::new(),
        Some(from) => {
            format!("; the date alone is changed by: adjudge lexicon effective {id} --from {from} --reason TEXT")
        }
        None => format!("; the date alone is taken away by: adjudge lexicon effective {id} --always --reason TEXT"),
    };
    bail!("the id {id} is in use, and this import differs from it: {}; choose another id{date}", differences.join("; "))
}

/// The messages about other ids that have the same words.
fn same_words(setup: &Setup, wanted: &Manifest) -> anyhow::Result<Vec<String>> {
    let built_in = built_in::manifest()?.imported();
    let others = std::iter::once(&built_in)
        .chain(setup.lexica())
        .map(|imported| &imported.lexicon)
        .filter(|name| name.fingerprint == wanted.fingerprint && !name.id.eq_ignore_ascii_case(&wanted.id));
    Ok(others
        .map(|name| format!("the same words as {} ({} {})", name.id, name.title, name.edition).replace(" )", ")"))
        .collect())
}

/// A title in its recorded form; an invalid title is returned unchanged, and is refused later.
fn written(title: String) -> String {
    normal_name(&title).unwrap_or(title)
}
