//! The shelf: the lexica that are loaded, each open or failed.
//!
//! A shelf never changes. Loading makes a new shelf out of the old one, and the server replaces the old one in a
//! single step; an adjudication that runs meanwhile continues with its lexicon. An open lexicon stays open: a
//! file that is damaged later changes nothing that is served.

use std::collections::HashSet;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::Arc;
use std::thread;

use super::built_in;
use super::files::{self, index_path};
use super::open::{Expected, Opened};

/// The loaded lexica. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Shelf {
    places: Vec<ShelfEntry>,
}

/// One lexicon on the shelf.
#[derive(Clone, Debug)]
struct ShelfEntry {
    expected: Expected,
    opened: Result<Arc<Opened>, String>,
}

impl Shelf {
    /// A shelf with nothing on it.
    #[must_use]
    pub fn empty() -> Self {
        Self::default()
    }

    /// The shelf with exactly the wanted lexica: an open lexicon is reused, one that failed before is tried
    /// again, and one that is no longer wanted is dropped. This reads files, so it takes a moment: about half a
    /// second for three million words.
    #[must_use]
    pub fn with(&self, wanted: &[Expected], folder: &Path) -> Self {
        let mut names = HashSet::new();
        let wanted: Vec<&Expected> =
            wanted.iter().filter(|one| names.insert((&one.name.id, &one.name.fingerprint))).collect();
        // Each lexicon is checked independently, so all processors share the work.
        let share = wanted.len().div_ceil(thread::available_parallelism().map_or(1, usize::from)).max(1);
        let places = thread::scope(|scope| {
            let opening: Vec<_> = wanted
                .chunks(share)
                .map(|some| scope.spawn(|| some.iter().map(|one| self.opened(one, folder)).collect::<Vec<_>>()))
                .collect();
            opening.into_iter().flat_map(|some| some.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
        });
        Self { places }
    }

    fn opened(&self, expected: &Expected, folder: &Path) -> ShelfEntry {
        let opened = self.find_opened(expected).map_or_else(|| open(expected, folder), Ok);
        ShelfEntry { expected: expected.clone(), opened }
    }

    /// The lexicon of this id and fingerprint; an `Err` says why it is not served, `None` that it was not
    /// wanted.
    #[must_use]
    pub fn get(&self, id: &str, fingerprint: &str) -> Option<Result<&Arc<Opened>, &str>> {
        let place = self.place(id, fingerprint)?;
        Some(place.opened.as_ref().map_err(String::as_str))
    }

    /// Every lexicon on the shelf with its state, in the order in which they were wanted.
    pub fn iter(&self) -> impl Iterator<Item = (&Expected, Result<&Arc<Opened>, &str>)> {
        self.places.iter().map(|place| (&place.expected, place.opened.as_ref().map_err(String::as_str)))
    }

    fn place(&self, id: &str, fingerprint: &str) -> Option<&ShelfEntry> {
        self.places.iter().find(|place| place.expected.name.id == id && place.expected.name.fingerprint == fingerprint)
    }

    /// The open lexicon of an equal description, if there is one.
    fn find_opened(&self, expected: &Expected) -> Option<Arc<Opened>> {
        let place = self.place(&expected.name.id, &expected.name.fingerprint)?;
        place.opened.as_ref().ok().filter(|opened| opened.expected().is_same(expected)).map(Arc::clone)
    }
}

fn open(expected: &Expected, folder: &Path) -> Result<Arc<Opened>, String> {
    if built_in::is_built_in(expected) {
        return built_in::wordnik().map_err(ToString::to_string);
    }
    let name = &expected.name;
    let path = index_path(folder, &name.id, &name.fingerprint).map_err(|error| error.to_string())?;
    let opened = Opened::from_file(&path, expected).map_err(|error| error.to_string())?;
    check_manifest(expected, folder)?;
    Ok(Arc::new(opened))
}

/// Checks that the manifest beside an index agrees with the ledger. Rulings do not rest on it, but people read it.
fn check_manifest(expected: &Expected, folder: &Path) -> Result<(), String> {
    let name = &expected.name;
    let manifest = files::manifest(folder, &name.id, &name.fingerprint).map_err(|error| error.to_string())?;
    if manifest.says(expected) {
        return Ok(());
    }
    Err(format!(
        "lexicon {} is not served: the manifest beside its index is not that of the import; take the file away and it is written anew",
        name.id
    ))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::files::store;
    use super::super::samples::{holds, imported};
    use super::*;

    /// Stores a list and returns the expected properties of its index.
    fn stored(folder: &Path, id: &str, words: &str) -> Expected {
        stored_up_to(15, folder, id, words)
    }

    /// Stores a list that covers words of up to `longest` tiles, and returns the expected properties of its index.
    fn stored_up_to(longest: usize, folder: &Path, id: &str, words: &str) -> Expected {
        let (mut manifest, index) = imported(id, words);
        manifest.lengths.longest = longest;
        store(folder, &manifest, &index).unwrap();
        manifest.expected().unwrap()
    }

    fn file(folder: &Path, expected: &Expected) -> std::path::PathBuf {
        index_path(folder, &expected.name.id, &expected.name.fingerprint).unwrap()
    }

    fn get<'a>(shelf: &'a Shelf, expected: &Expected) -> Option<Result<&'a Arc<Opened>, &'a str>> {
        shelf.get(&expected.name.id, &expected.name.fingerprint)
    }

    #[test]
    fn an_empty_shelf_has_no_lexicon() {
        assert!(Shelf::empty().get("wordnik", "").is_none());
        assert_eq!(Shelf::empty().iter().count(), 0);
    }

    #[test]
    fn a_wanted_lexicon_is_opened_and_the_old_shelf_stays_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = (stored(folder.path(), "A", "CRANE QI"), stored(folder.path(), "B", "RIVER"));
        let first = Shelf::empty().with(std::slice::from_ref(&a), folder.path());
        let second = first.with(&[a.clone(), b.clone()], folder.path());
        assert!(get(&first, &b).is_none());
        assert!(holds(get(&second, &b).unwrap().unwrap(), "RIVER"));
        let kept = (get(&first, &a).unwrap().unwrap(), get(&second, &a).unwrap().unwrap());
        assert!(Arc::ptr_eq(kept.0, kept.1));
        let third = second.with(&[b], folder.path());
        assert!(get(&third, &a).is_none());
    }

    #[test]
    fn an_open_lexicon_outlives_its_file_and_a_failed_one_is_tried_again() {
        let folder = tempfile::tempdir().unwrap();
        let (good, bad) = (stored(folder.path(), "A", "CRANE QI"), stored(folder.path(), "B", "RIVER"));
        let whole = fs::read(file(folder.path(), &bad)).unwrap();
        fs::write(file(folder.path(), &bad), "RIVER\n").unwrap();
        let wanted = [good.clone(), bad.clone()];
        let shelf = Shelf::empty().with(&wanted, folder.path());
        assert!(get(&shelf, &bad).unwrap().unwrap_err().contains("text file"));
        fs::write(file(folder.path(), &good), b"").unwrap();
        fs::write(file(folder.path(), &bad), whole).unwrap();
        let shelf = shelf.with(&wanted, folder.path());
        assert!(holds(get(&shelf, &good).unwrap().unwrap(), "CRANE"));
        assert!(holds(get(&shelf, &bad).unwrap().unwrap(), "RIVER"));
        assert!(get(&Shelf::empty().with(&wanted, folder.path()), &good).unwrap().is_err());
    }

    #[test]
    fn a_missing_file_fails_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (good, gone) = (stored(folder.path(), "A", "CRANE QI"), stored(folder.path(), "B", "RIVER"));
        fs::remove_file(file(folder.path(), &gone)).unwrap();
        let shelf = Shelf::empty().with(&[gone.clone(), good.clone()], folder.path());
        assert!(get(&shelf, &gone).unwrap().unwrap_err().contains("is missing"));
        assert!(get(&shelf, &good).unwrap().is_ok());
        let states: Vec<_> =
            shelf.iter().map(|(expected, opened)| (expected.name.id.as_str(), opened.is_ok())).collect();
        assert_eq!(states, [("B", false), ("A", true)]);
    }

    #[test]
    fn one_list_under_two_ids_is_two_lexica_with_their_own_coverage() {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = (stored(folder.path(), "A", "CRANE QI"), stored_up_to(21, folder.path(), "B", "CRANE QI"));
        assert_eq!(a.name.fingerprint, b.name.fingerprint);
        let shelf = Shelf::empty().with(&[a.clone(), b.clone()], folder.path());
        assert_eq!(get(&shelf, &a).unwrap().unwrap().lengths().longest, 15);
        assert_eq!(get(&shelf, &b).unwrap().unwrap().lengths().longest, 21);
    }

    #[test]
    fn another_description_of_the_same_words_is_opened_anew() {
        let folder = tempfile::tempdir().unwrap();
        let expected = stored(folder.path(), "A", "CRANE QI");
        let shelf = Shelf::empty().with(std::slice::from_ref(&expected), folder.path());
        let expected = stored_up_to(21, folder.path(), "A", "CRANE QI");
        let shelf = shelf.with(std::slice::from_ref(&expected), folder.path());
        assert_eq!(get(&shelf, &expected).unwrap().unwrap().lengths().longest, 21);
    }

    #[test]
    fn the_built_in_lexicon_needs_no_file() {
        let expected = built_in::manifest().unwrap().expected().unwrap();
        let shelf = Shelf::empty().with(std::slice::from_ref(&expected), Path::new("/nowhere"));
        assert!(get(&shelf, &expected).unwrap().is_ok());
    }
}
