//! The architecture: which module may import which, and what no module may contain.

use std::fs;
use std::path::{Path, PathBuf};

use adjudge::domain::{Action, KINDS, Role};

fn sources(below: &str) -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(below);
    let files = crate::harness::files_below(&root)
        .into_iter()
        .filter(|path| path.extension().is_some_and(|found| found == "rs"));
    files.map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
}

/// The code of a file without its comments and its tests.
fn code(text: &str) -> String {
    let product = text.split("#[cfg(test)]").next().unwrap();
    product.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

fn never(below: &str, forbidden: &[&str]) {
    let files = sources(below);
    assert!(!files.is_empty(), "{below}");
    for (path, text) in files {
        for word in forbidden {
            assert!(!code(&text).contains(word), "{} must not know {word}", path.display());
        }
    }
}

#[test]
fn every_arrow_points_at_the_domain() {
    let outward = [
        "crate::store",
        "crate::web",
        "crate::lexicon",
        "crate::cli",
        "crate::app",
        "crate::snapshot",
        "crate::system",
        "crate::config",
    ];
    never("src/domain", &outward);
    never(
        "src/domain",
        &[
            "sqlx",
            "axum",
            "tokio",
            "hyper",
            "std::fs",
            "std::net",
            "std::io",
            "SystemTime",
            "Instant",
            "fst::",
            "memmap",
        ],
    );
    never(
        "src/lexicon",
        &["crate::store", "crate::web", "crate::cli", "crate::app", "crate::snapshot", "sqlx", "axum", "tokio"],
    );
    never("src/store", &["crate::web", "crate::cli", "crate::app", "crate::snapshot", "crate::lexicon", "axum"]);
    never("src/web", &["crate::cli", "crate::app", "sqlx", "std::fs"]);
}

/// Pages and API share acts and do not know each other; what a request passes first knows nothing of what it asks for.
#[test]
fn pages_and_api_share_acts_and_nothing_else() {
    never("src/web/pages", &["web::api"]);
    never("src/web/api", &["web::pages"]);
    never("src/web/acts", &["web::api", "web::pages", "web::openapi"]);
    for room in ["http", "auth", "limits"] {
        never(&format!("src/web/{room}"), &["web::acts", "web::api", "web::pages", "web::openapi"]);
    }
}

#[test]
fn only_store_db_and_migrations_use_sqlx() {
    for (path, text) in sources("src") {
        let behind = path.to_str().unwrap().contains("/store/db") || path.ends_with("store/migrations.rs");
        assert!(behind || !code(&text).contains("sqlx"), "{} knows the engine", path.display());
    }
}

/// Every commit is followed by the same checks, since there is one place that commits.
#[test]
fn every_write_goes_through_one_transaction() {
    for (path, text) in sources("src") {
        let code = code(&text);
        let is_door = path.ends_with("store/transaction.rs") || path.to_str().unwrap().contains("/store/db");
        let takes_the_lock = code.contains("db.write()") || code.contains("\"COMMIT");
        assert!(is_door || !takes_the_lock, "{} commits by itself", path.display());
    }
    never("src/web", &["ledger.begin(", "store::transaction", "db.write("]);
}

#[test]
fn unsafe_code_is_in_one_file() {
    for (path, text) in sources("src") {
        let code = code(&text);
        let is_unsafe =
            ["unsafe {", "unsafe fn", "unsafe impl", "unsafe extern"].iter().any(|begins| code.contains(begins));
        assert!(path.ends_with("lexicon/sealed_bytes.rs") || !is_unsafe, "{}", path.display());
    }
}

/// A module is `x.rs`, and its parts are in `x/`.
#[test]
fn no_module_is_a_mod_rs() {
    for (path, _) in sources("src") {
        assert!(!path.ends_with("mod.rs"), "{}: name it after its folder", path.display());
    }
}

#[test]
fn nothing_can_be_deleted() {
    for statement in adjudge::store::statements::all() {
        let text = statement.0.to_uppercase();
        let changes_a_record =
            text.starts_with("DELETE") || text.starts_with("UPDATE ENTRY") || text.contains("REPLACE INTO");
        assert!(!changes_a_record, "{}", statement.0);
    }
}

#[test]
fn the_manual_lists_every_kind_and_no_other() {
    let manual = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/ledger.md")).unwrap();
    let (_, table) = manual.split_once("| kind | log | payload |").expect("docs/ledger.md has the table of kinds");
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let listed: Vec<&str> = rows.map(|row| row.split('|').nth(1).unwrap().trim().trim_matches('`')).collect();
    assert_eq!(listed, KINDS);
}

/// Every route of the router is in the manual, with the roles that may use it.
#[test]
fn the_manual_names_every_route() {
    let manual = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/api.md")).unwrap();
    let source = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/web.rs")).unwrap();
    let routes: Vec<&str> = source.split(".route(").skip(1).map(|rest| rest.split('"').nth(1).unwrap()).collect();
    assert!(routes.len() > 8);
    for route in routes {
        assert!(manual.contains(&format!("`{route}`")), "docs/api.md does not name {route}");
    }
    assert!(Role::ALL.iter().all(|role| role.may(Action::ReadSlip)));
}

#[test]
fn no_page_has_inline_script_or_style() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates");
    for path in crate::harness::files_below(&root) {
        let text = fs::read_to_string(&path).unwrap().to_lowercase();
        // A script has an address of ours, and nothing between its tags.
        let own = ["code.js", "print.js", "station/main.js"];
        let text = own.iter().fold(text, |text, own| {
            text.replace(&format!("<script type=\"module\" src=\"/static/{own}\"></script>"), "")
        });
        for inline in ["<script", "<style", " style=", " onclick", " onload", "javascript:", "http://", "https://"] {
            assert!(!text.contains(inline), "{} has {inline}", path.display());
        }
    }
}

/// FIELD-REPORTS K12, F24: no word list leaves the server, and a station is there at once: all that it loads, without the
/// sheets and scripts of the staff's pages, is small as it is, and a third of that compressed. A module fits in a head.
#[test]
fn nothing_sent_to_a_browser_holds_a_word_list() {
    let mut all = 0;
    for path in crate::harness::files_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("static")) {
        let is_of_staff = ["staff.css", "code.js", "print.js"].iter().any(|name| path.ends_with(name));
        all += if is_of_staff { 0 } else { fs::metadata(&path).unwrap().len() };
        let is_module = path.extension().is_some_and(|found| found == "js");
        let lines = fs::read_to_string(&path).unwrap().lines().count();
        assert!(!is_module || lines < 150, "{} has {lines} lines", path.display());
    }
    // The ruling as a moment, tiles sized by their count, rows of letter keys and the tone took 6,000 bytes.
    assert!(all < 72_000, "{all} bytes");
}

/// A request works with one snapshot: the middleware takes it where the request arrives, and `Caller` and `View` hand it on.
/// The files listed here look at something else than the request's own set-up, or wait for a newer one.
#[test]
fn a_request_works_with_one_snapshot() {
    let takes = [
        "web/middleware.rs",
        "web/auth/caller.rs",
        "web/http/metrics.rs",
        "web/acts/event_stream.rs",
        "web/api/health.rs",
        "web/pages/first_run.rs",
        "web/pages/pairing.rs",
        "web/pages/sign_in.rs",
        "web/pages/station/test_run.rs",
    ];
    for (path, text) in sources("src/web") {
        let may = takes.iter().any(|one| path.ends_with(one));
        assert!(may || !code(&text).contains("app.snapshot()"), "{} takes a snapshot of its own", path.display());
    }
}

/// What stands between backquotes.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// The names that a text defines with one of the keywords, as in `struct Setup` or `fn read`.
fn definitions<'a>(text: &'a str, keywords: &[&str]) -> Vec<&'a str> {
    let mut names = Vec::new();
    for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
        let words: Vec<&str> = line.split_whitespace().collect();
        for pair in words.windows(2).filter(|pair| keywords.contains(&pair[0])) {
            names.extend(pair[1].split(|letter: char| !letter.is_alphanumeric() && letter != '_').next());
        }
    }
    names
}

#[test]
fn the_glossary_names_types_and_files_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let (_, rest) = text.split_once("\n## Glossary\n").expect("ARCHITECTURE.md has a glossary");
    let (glossary, _) = rest.split_once("\n## ").expect("ARCHITECTURE.md has a section after the glossary");
    let rows = glossary.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| term |"));
    let rows: Vec<Vec<&str>> = rows.map(|row| row.split('|').collect()).collect();
    assert!(rows.len() > 30, "{} rows", rows.len());
    for row in rows {
        let (term, types, files) = (row[1].trim(), quoted(row[3]), quoted(row[4]));
        assert!(!files.is_empty(), "{term}: the row names no file");
        let mut missing = types.clone();
        for file in files {
            let path = root.join("src").join(file);
            assert!(path.exists(), "{term}: there is no src/{file}");
            if !types.is_empty() {
                let source = fs::read_to_string(&path).unwrap_or_default();
                let names = definitions(&source, &["struct", "enum", "trait", "fn", "mod"]);
                assert!(types.iter().any(|name| names.contains(name)), "{term}: src/{file} defines none of {types:?}");
                missing.retain(|name| !names.contains(name));
            }
        }
        assert!(missing.is_empty(), "{term}: no file of the row defines {missing:?}");
    }
}

/// The code map, the walk of one slip and the recipes name files by the end of their path: `store/batch.rs`, `record/`.
#[test]
fn every_file_that_the_architecture_names_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["src", "tests", "benches", "scripts", "migrations", "lexicons", "static", "templates"];
    let mut files: Vec<PathBuf> =
        folders.iter().flat_map(|folder| crate::harness::files_below(&root.join(folder))).collect();
    files.push(root.join("build.rs"));
    let text = fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    for name in text.lines().flat_map(quoted).filter(|name| !name.contains(['*', ' '])) {
        let is_file =
            Path::new(name).extension().is_some_and(|end| ["rs", "toml", "js", "py"].iter().any(|of| end == *of));
        let is_folder = name.ends_with('/');
        let exists = if is_folder {
            files.iter().any(|path| path.to_str().unwrap().contains(&format!("/{name}")))
        } else {
            files.iter().any(|path| path.ends_with(name))
        };
        assert!(exists || !(is_file || is_folder), "ARCHITECTURE.md names {name}, which is not there");
    }
}

/// Files, folders, types and functions whose names a term of the field replaced, since readers had to guess them.
const OLD_FILES: &str = "
    after alone answer around arrival asking audience calm deck decks door floor folder gate guard hearing hooks
    kept keyed kinds known life line lost machine map near outside pad place playable present pulse quota reading
    remarks said screens scribe seat selection settle settlement settling slowly stream submission survey tables
    texts told trip twice venue watch who wide world";
const OLD_TYPES: &str = "
    Act App Audience CannotPlay CannotRecord CannotTell Carried Certified CutShort Desk Door Entered Entrance
    Filing Floor Folder Follows Gate Grown Heard Holder Inside Kept KeptCopy Lent Machine Moved NamesKept Near
    NoChance Outside Pass Pen Present Pulse Quotas Recorded RulingLook Running Said Scribe Sealed Seat Shown Slug
    Speaker Spoken Spot StationHurries Submission Survey Texts Ticket Told Trip Trust Unchanging Venue Watch Who
    Wide Wire World";
const OLD_FUNCTIONS: &str = "
    about_item about_slip admitted announce as_it_lies asked_for beginning_of break_off cannot_judge check_place
    come_in come_into_force coming coming_in drafted earlier_answer ends_with_next felt fetch_each follows_a_slip
    for_others fresh_id given_before has_due has_no_holders hashed healed hear heard holds_parts hurries isTold
    is_forgotten is_own_write is_secret keep_up lend lexica_for look_now make_folder make_room_for must_not
    must_wait needed_text not_counted opened_by or_refused owes_test patiently plays_by proved recalled recorded
    recorded_plain replayed revoke_odd says_nothing serves_others show_code slips_near spoken spots_of stocked
    take_first_run takes_challenges tell_of_haste tells_of_review told_by_correction unsuccessful_of
    verify_settled wait_for_room waits_for_judge was_reached was_right was_wrong weigh weigh_entries
    write_what_waits yes_or_no";

#[test]
fn no_old_name_is_left() {
    let is_old = |names: &str, name: &str| names.split_whitespace().any(|old| old == name);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for path in ["src", "static", "templates"].iter().flat_map(|below| crate::harness::files_below(&root.join(below))) {
        let place = path.strip_prefix(root).unwrap().to_str().unwrap();
        for part in place.split('/') {
            let stem = part.split('.').next().unwrap();
            assert!(!is_old(OLD_FILES, stem), "{place} has the old name {stem}");
        }
        // Pictures are no text.
        let text = fs::read_to_string(&path).unwrap_or_default();
        for name in definitions(&text, &["struct", "enum", "trait", "type"]) {
            assert!(!is_old(OLD_TYPES, name), "{place} defines the old name {name}");
        }
        for name in definitions(&text, &["fn", "function"]) {
            assert!(!is_old(OLD_FUNCTIONS, name), "{place} defines the old name {name}");
        }
    }
}
