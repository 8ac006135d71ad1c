//! Word lists: imported, served, damaged.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::{Value, json};

use crate::harness::{Desk, Floor, Server, WORDS, files_below};

struct Import {
    desk: Desk,
}

impl Import {
    fn begun() -> Self {
        let desk = Desk::empty();
        desk.done(&["init"]);
        Self { desk }
    }

    fn args<'a>(path: &'a Path, options: &[&'a str]) -> Vec<&'a str> {
        [&["lexicon", "import", path.to_str().unwrap(), "--id", "L"], options].concat()
    }

    fn taken(&self, bytes: &[u8], options: &[&str]) -> Value {
        let path = self.desk.file("list.txt", bytes);
        let options = [options, &["--json"]].concat();
        serde_json::from_str(&self.desk.done(&Self::args(&path, &options))).unwrap()
    }

    fn refused(&self, bytes: &[u8], options: &[&str]) -> String {
        let path = self.desk.file("list.txt", bytes);
        let said = self.desk.refused(2, &Self::args(&path, options));
        assert_eq!(
            files_below(&self.desk.data().join("lexicons")),
            Vec::<std::path::PathBuf>::new(),
            "nothing is stored: {said}"
        );
        said
    }
}

/// FIELD-REPORTS F1, F2, F6, F7, F8, V35, I11; FAULTS F7
#[test]
fn the_same_words_are_the_same_list_whatever_file_they_came_in() {
    let plain = "AA\nCAT\nQI\nZO\n";
    let fingerprint = Import::begun().taken(plain.as_bytes(), &[])["fingerprint"].clone();
    for (what, bytes) in [
        ("CRLF", plain.replace('\n', "\r\n")),
        ("CR", plain.replace('\n', "\r")),
        ("mixed endings and duplicates", "AA\r\nAA\nCAT\rQI\r\nZO".to_owned()),
        ("no last newline", plain.trim_end().to_owned()),
        ("BOM", format!("\u{feff}{plain}")),
        ("unsorted, lower case", "zo\nqi\ncat\naa\n".to_owned()),
        ("blanks and comments", "# made for a test\n\n  AA \u{a0}\n\nCAT\nQI\n\nZO\n\n".to_owned()),
        ("a heading", "MY LIST 2026\nAA\nCAT\nQI\nZO\n".to_owned()),
    ] {
        let import = Import::begun();
        let options: &[&str] = if what == "a heading" { &["--skip-first", "1"] } else { &[] };
        let report = import.taken(bytes.as_bytes(), options);
        assert_eq!((&report["fingerprint"], &report["words"]), (&fingerprint, &json!(4)), "{what}");
        for word in ["AA", "ZO", "CAT", "QI"] {
            assert_eq!(import.desk.done(&["check", "--lexicon", "L", word]), "acceptable\n", "{what}: {word}");
        }
        import.desk.done(&["lexicon", "verify", "L"]);
    }
}

/// The contract's definition of a fingerprint, computed by another program.
#[test]
fn the_fingerprint_is_the_hash_of_the_sorted_words() {
    let report = Import::begun().taken(b"ZO\nAA\ncat\n", &[]);
    let hashed =
        std::process::Command::new("sh").args(["-c", "printf 'AA\\nCAT\\nZO\\n' | sha256sum"]).output().unwrap();
    let expected = String::from_utf8(hashed.stdout).unwrap();
    assert_eq!(report["fingerprint"].as_str(), expected.split_whitespace().next());
}

/// LEXICON-FORMATS: any other form is refused with a message, never mis-read.
#[test]
fn every_other_form_is_refused_and_nothing_is_stored() {
    let import = Import::begun();
    for (bytes, named) in [
        (b"".as_slice(), "no words"),
        (b"\n  \n# only a comment\n", "no words"),
        (b"QUAIL\nRI\0VER\n", "NUL"),
        (b"\xff\xfeQ\0U\0", "UTF-16"),
        (b"Q\0U\0A\0\n\0", "UTF-16"),
        (b"A\xd1O\n", "UTF-8"),
        (b"\x1f\x8b\x08\0\0", "gzip"),
        (b"PK\x03\x04....", "zip"),
        (b"%PDF-1.7\n", "PDF"),
        (b"SQLite format 3\0....", "SQLite"),
        (b"<!doctype html>\n<p>QUAIL\n", "HTML"),
        (b"version https://git-lfs.github.com/spec/v1\n", "LFS"),
        (b"QUAIL\ta small bird\n", "line 1"),
        (b"CAT\nQUAIL a small bird\n", "line 2"),
        (b"2501 QI\n", "line 1"),
        (b"QUAIL#\n", "line 1"),
        (b"x-ray\n", "line 1"),
        (b"don't\n", "line 1"),
        (b"QUAIL(S)\n", "line 1"),
        (b"MY LIST 2026\nQUAIL\n", "line 1"),
        (b"1A2A\n", "line 1"),
        ("ÉTÉ\n".as_bytes(), "U+00C9"),
        ("QU\u{410}IL\n".as_bytes(), "U+0410"),
        ("QU\u{ad}AIL\n".as_bytes(), "U+00AD"),
        ("CAT\n\u{feff}QUAIL\n".as_bytes(), "U+FEFF"),
        (b"A\nCAT\n", "--lengths"),
    ] {
        let said = import.refused(bytes, &[]);
        assert!(said.contains(named), "{}: {said}", String::from_utf8_lossy(bytes));
    }
}

/// FIELD-REPORTS F16
#[test]
fn a_file_that_is_not_there_or_cannot_be_read_is_said() {
    let import = Import::begun();
    let missing = import.desk.refused(2, &["lexicon", "import", "nowhere.txt", "--id", "L"]);
    assert!(missing.contains("nowhere.txt"), "{missing}");
    let folder = import.desk.folder.path().to_str().unwrap().to_owned();
    assert!(!import.desk.refused(2, &["lexicon", "import", &folder, "--id", "L"]).is_empty());
}

#[test]
fn import_checks_the_expected_count_and_fingerprint() {
    let import = Import::begun();
    let list = b"AA\nCAT\nQI\n";
    for (options, named) in [
        (vec!["--expect-words", "4"], "4"),
        (vec!["--expect-fingerprint", "00"], "fingerprint"),
        (vec!["--must-have", "ZO,CAT"], "ZO"),
        (vec!["--must-lack", "QI"], "QI"),
    ] {
        let said = import.refused(list, &options);
        assert!(said.contains(named), "{options:?}: {said}");
    }
    let fingerprint = Import::begun().taken(list, &[])["fingerprint"].as_str().unwrap().to_owned();
    import.taken(
        list,
        &["--expect-words", "3", "--expect-fingerprint", &fingerprint, "--must-have", "cat,qi", "--must-lack", "zo"],
    );
}

#[test]
fn ids_cannot_leave_the_folder_or_be_used_twice() {
    let import = Import::begun();
    let path = import.desk.file("list.txt", WORDS.as_bytes());
    let path = path.to_str().unwrap();
    for id in ["../x", "/etc/x", "a b", "", "%00", "wordnik", "WordNik"] {
        let output = import.desk.run(&["lexicon", "import", path, "--id", id]);
        assert_eq!(output.status.code(), Some(2), "{id}");
    }
    import.desk.done(&["lexicon", "import", path, "--id", "L"]);
    let log = |desk: &Desk| desk.done(&["ledger", "verify"]);
    let before = log(&import.desk);
    import.desk.done(&["lexicon", "import", path, "--id", "L"]);
    assert_eq!(log(&import.desk), before, "the same list under the same id does nothing");
    let other = import.desk.file("other.txt", b"AA\nCAT\n");
    for id in ["L", "l"] {
        let said = import.desk.refused(2, &["lexicon", "import", other.to_str().unwrap(), "--id", id]);
        assert!(said.contains("another id") || said.contains("other id"), "{said}");
    }
    assert!(
        import
            .desk
            .run(&["lexicon", "import", path, "--id", "L", "--lengths", "2-8", "--allow-rejects", "9"])
            .status
            .code()
            == Some(2)
    );
}

/// Importing again says which option differs; the day alone is changed by an act of its own, on record with a reason.
#[test]
fn a_second_import_names_what_differs_and_the_day_is_changed_by_a_recorded_act() {
    let desk = Desk::empty();
    desk.done(&["init"]);
    let path = desk.file("list.txt", WORDS.as_bytes());
    let import = |options: &[&'static str]| -> Vec<String> {
        let all = ["lexicon", "import", path.to_str().unwrap(), "--id", "N", "--title", "National"];
        [&all, options].concat().into_iter().map(str::to_owned).collect()
    };
    let refused =
        |options: &[&'static str]| desk.refused(2, &import(options).iter().map(String::as_str).collect::<Vec<_>>());
    let done = |options: &[&'static str]| desk.done(&import(options).iter().map(String::as_str).collect::<Vec<_>>());
    done(&["--effective-from", "2999-01-01"]);
    let said = refused(&["--effective-from", "2026-01-01"]);
    assert!(said.contains("--effective-from: 2999-01-01 there and 2026-01-01 here"), "{said}");
    assert!(said.contains("adjudge lexicon effective N --from 2026-01-01 --reason TEXT"), "{said}");
    assert!(!said.contains("--title") && !said.contains("the words"), "{said}");
    assert!(refused(&[]).contains("adjudge lexicon effective N --always --reason TEXT"));
    let said = refused(&["--effective-from", "2999-01-01", "--edition", "2026"]);
    assert!(said.contains("--edition: \"\" there and \"2026\" here") && !said.contains("lexicon effective"), "{said}");
    let create = ["tournament", "create", "abuja", "--title", "Abuja", "--division", "A:N:wespa"];
    assert!(desk.refused(2, &create).contains("in force from 2999-01-01"));

    let effective = ["lexicon", "effective", "N", "--from", "2026-01-01", "--reason", "the year was mistyped"];
    assert!(desk.done(&effective).contains("from 2026-01-01 on; it was from 2999-01-01 on"));
    assert!(desk.done(&effective).contains("nothing was changed"));
    let export = desk.folder.path().join("export");
    desk.done(&["ledger", "export", "--log", "server", export.to_str().unwrap()]);
    let entries = fs::read_to_string(export.join("server.jsonl")).unwrap();
    let set: Vec<Value> = entries
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|entry| entry["kind"] == "lexicon-effective-set")
        .collect();
    assert_eq!(set.len(), 1, "{entries}");
    let payload = &set[0]["payload"];
    assert_eq!((&payload["lexicon"]["id"], &payload["effective_from"]), (&json!("N"), &json!("2026-01-01")));
    assert_eq!((&payload["reason"], &set[0]["log"]), (&json!("the year was mistyped"), &json!("server")));
    assert!(desk.done(&["lexicon", "info", "N"]).contains("in force     2026-01-01"));
    assert!(done(&["--effective-from", "2026-01-01"]).contains("already imported: nothing was changed"));
    assert!(refused(&["--effective-from", "2999-01-01"]).contains("--effective-from"));
    desk.done(&create);

    let later = ["lexicon", "effective", "N", "--from", "2999-01-01", "--reason", "x"];
    assert!(desk.refused(2, &later).contains("division A of abuja plays with N today"));
    desk.done(&["lexicon", "effective", "N", "--always", "--reason", "x"]);
    // Nor is it moved past an order that waits for its day.
    desk.done(&["division", "set", "abuja", "A", "--lexicon", "wordnik"]);
    desk.done(&["division", "set", "abuja", "A", "--lexicon", "N", "--from", "2999-01-01"]);
    let later = ["lexicon", "effective", "N", "--from", "2999-01-02", "--reason", "x"];
    let why = desk.refused(2, &later);
    assert!(why.contains("is to play with N from 2999-01-01 on") && why.contains("set abuja A --cancel"), "{why}");
    desk.done(&["division", "set", "abuja", "A", "--cancel"]);
    desk.done(&later);
    desk.done(&["lexicon", "effective", "N", "--always", "--reason", "x"]);
    for wrong in [
        vec!["lexicon", "effective", "N", "--reason", "x"],
        vec!["lexicon", "effective", "N", "--from", "2026-01-01"],
        vec!["lexicon", "effective", "N", "--from", "2026-01-01", "--reason", " "],
        vec!["lexicon", "effective", "N", "--from", "1.1.2026", "--reason", "x"],
        vec!["lexicon", "effective", "M", "--from", "2026-01-01", "--reason", "x"],
        vec!["lexicon", "effective", "wordnik", "--from", "2026-01-01", "--reason", "x"],
    ] {
        desk.refused(2, &wrong);
    }
    desk.done(&["ledger", "verify"]);
}

#[test]
fn the_same_words_under_another_id_are_told() {
    let desk = Desk::empty();
    desk.done(&["init"]);
    let path = desk.file("list.txt", WORDS.as_bytes());
    let path = path.to_str().unwrap();
    desk.done(&["lexicon", "import", path, "--id", "ED", "--title", "First"]);
    let same = ["lexicon", "import", path, "--id", "NEW", "--title", "Second", "--edition", "2026"];
    assert!(desk.done(&same).contains("WARNING: the same words as ED (First)"));
    assert!(
        !desk.done(&["lexicon", "import", path, "--id", "ED", "--title", "First"]).contains("the same words as ED")
    );
}

#[test]
fn gaps_and_rejected_lines_are_left_to_the_director_by_name() {
    let import = Import::begun();
    let letters = || (b'A'..=b'Z').map(char::from);
    let words = letters().flat_map(|a| letters().map(move |b| (a, b)));
    let list: String = words.flat_map(|(a, b)| [format!("{a}{b}\n"), format!("{b}{a}{a}\n")]).collect();
    let said = import.refused(list.as_bytes(), &[]);
    assert!(said.contains("4-15 tiles") && said.contains("--lengths 2-3") && said.contains("--allow-gaps"), "{said}");
    assert!(import.refused(list.as_bytes(), &["--lengths", "2-61"]).contains("from 2 to 60"));
    let hyphens = list.clone() + &"X-RAY\n".repeat(80);
    let said = import.refused(hyphens.as_bytes(), &["--lengths", "2-3", "--allow-rejects", "80"]);
    assert!(said.contains("5 % of the lines") && said.contains("all-of:hyphen"), "{said}");
    assert!(said.contains("rejected by reason: hyphen: 80"), "{said}");
    let taken = ["--lengths", "2-60", "--allow-gaps", "--allow-rejects", "2,all-of:hyphen", "--dry-run"];
    assert_eq!(import.taken(hyphens.as_bytes(), &taken)["rejected_by_kind"], json!({"hyphen": 80}));
    let path = import.desk.file("list.txt", hyphens.as_bytes());
    let report = import.desk.done(&Import::args(&path, &["--lengths", "2-3", "--allow-rejects", "all-of:hyphen"]));
    assert!(report.contains("rejected by reason: hyphen: 80"), "{report}");
}

#[test]
fn an_alphabet_that_does_not_ship_can_be_written() {
    let said = Import::begun().refused(WORDS.as_bytes(), &["--alphabet", "klingon"]);
    assert!(said.contains("write a file as docs/alphabets.md shows"), "{said}");
}

#[test]
fn a_dry_run_stores_nothing_and_a_short_list_is_warned_about() {
    let import = Import::begun();
    let report = import.taken(b"AA\nCrane\nQI\n", &["--dry-run"]);
    assert_eq!(files_below(&import.desk.data().join("lexicons")).len(), 0);
    let warnings = report["warnings"].to_string();
    assert!(warnings.contains("100") && warnings.contains("capital"), "{warnings}");
    assert_eq!(report["by_length"], json!({"2": 2, "5": 1}));
}

/// FIELD-REPORTS V11, V41: the list and the index agree, seen through the command line.
#[test]
fn every_word_of_the_list_is_found_and_its_neighbours_are_not() {
    let desk = Desk::ready();
    let words: Vec<&str> = WORDS.lines().collect();
    for play in words.chunks(8) {
        assert_eq!(desk.done(&[&["check", "--lexicon", "T"], play].concat()), "acceptable\n");
    }
    let info: Value = serde_json::from_str(&desk.done(&["lexicon", "info", "T", "--json"])).unwrap();
    assert_eq!(info["words"], json!(words.len()));
}

/// FAULTS F1, FIELD-REPORTS V26
#[tokio::test]
async fn harming_the_file_while_serving_changes_nothing_and_is_seen_at_the_next_start() {
    for (number, harm) in ["truncate to 40", "truncate to 0", "overwrite", "remove", "forbid"].into_iter().enumerate() {
        let floor = Floor::open();
        let index = floor.desk.lexicon_file("fst");
        let whole = fs::read(&index).unwrap();
        match harm {
            "truncate to 40" => fs::File::options().write(true).open(&index).unwrap().set_len(40).unwrap(),
            "truncate to 0" => fs::File::options().write(true).open(&index).unwrap().set_len(0).unwrap(),
            "overwrite" => fs::write(&index, vec![0; whole.len()]).unwrap(),
            "remove" => fs::remove_file(&index).unwrap(),
            _ => fs::set_permissions(&index, fs::Permissions::from_mode(0o000)).unwrap(),
        }
        for table in 1..=10 {
            let words = if table % 2 == 0 { "CAT QI" } else { "CAT XQ" };
            let ruling = if table % 2 == 0 { "acceptable" } else { "unacceptable" };
            assert_eq!(floor.challenge(table, words).await.json(), json!({"ruling": ruling}), "{harm}");
        }
        // Root may read every file, so a forbidden file is no fault to it; a missing one is written anew.
        let is_harmless = harm == "remove" || (harm == "forbid" && fs::read(&index).is_ok());
        let floor = floor.power_cut();
        let after = floor.challenge(50, "CAT").await;
        if is_harmless {
            assert_eq!(after.status, 201);
        } else {
            assert_eq!((after.status, after.problem().as_str()), (409, "no-active-lexicon"), "{harm}");
            assert_eq!(floor.get(&floor.client, "/readyz").await.status, 503);
            let listed = floor.get(&floor.client, "/api/v1/lexicons").await.json();
            assert!(
                listed["lexicons"].as_array().unwrap().iter().any(|one| one["id"] == "T" && one["state"] == "failed")
            );
            assert_eq!(floor.ruled().await, 10, "nothing was ruled without a lexicon");
            floor.desk.refused(1, &["lexicon", "verify", "T"]);
            // Taking the wrong file away heals it, also while serving.
            fs::remove_file(&index).unwrap();
            let repaired = crate::harness::soon(|| async { floor.challenge(51, "CAT").await.status == 201 }).await;
            assert!(repaired && fs::read(&index).unwrap() == whole, "{number}");
        }
    }
}

#[tokio::test]
async fn a_missing_file_is_written_anew_only_from_a_copy_that_is_whole() {
    let floor = Floor::open();
    let index = floor.desk.lexicon_file("fst");
    let whole = fs::read(&index).unwrap();
    fs::remove_file(&index).unwrap();
    let floor = floor.power_cut();
    assert_eq!(floor.challenge(1, "CAT").await.status, 201);
    assert_eq!(fs::read(&index).unwrap(), whole);
    let written = "SELECT count(*) FROM entry WHERE kind = 'lexicon-file-written'";
    assert_eq!(floor.number(written).await, 1);

    let database = floor.desk.database().await;
    database.execute("UPDATE lexicon SET index_base64 = 'AAAA'").await.unwrap();
    database.close().await;
    fs::remove_file(&index).unwrap();
    let floor = floor.power_cut();
    let refused = floor.challenge(2, "CAT").await;
    assert_eq!((refused.status, refused.problem().as_str()), (409, "no-active-lexicon"));
    assert!(!index.exists());
    assert_eq!(floor.number(written).await, 1);
}

/// FAULTS F5: a lexicon whose manifest differs from the ledger's is not served.
#[tokio::test]
async fn a_lexicon_with_another_manifest_is_not_served_until_that_is_taken_away() {
    let mut floor = Floor::open();
    floor.close();
    let manifest = floor.desk.lexicon_file("json");
    let whole = fs::read_to_string(&manifest).unwrap();
    assert!(whole.contains("\"words\": 14"), "{whole}");
    for changed in [whole.replace("\"words\": 14", "\"words\": 15"), "{".to_owned()] {
        fs::write(&manifest, changed).unwrap();
        let server = Server::start(&floor.desk);
        let url = format!("{}/readyz", server.base);
        assert_eq!(reqwest::get(&url).await.unwrap().status(), 503);
        fs::remove_file(&manifest).unwrap();
        let repaired = crate::harness::soon(|| async { reqwest::get(&url).await.unwrap().status() == 200 }).await;
        assert!(repaired && fs::read_to_string(&manifest).unwrap() == whole);
    }
}

/// FAULTS F5
#[tokio::test]
async fn an_index_that_is_not_the_recorded_one_is_not_served() {
    let desk = Desk::ready();
    let other = Desk::with_list("AA\nCAT\nDOG\n", &[]);
    let index = desk.lexicon_file("fst");
    let whole = fs::read(&index).unwrap();
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    for bytes in [fs::read(other.lexicon_file("fst")).unwrap(), flipped, b"CAT\n".to_vec(), Vec::new()] {
        fs::write(&index, bytes).unwrap();
        assert_eq!(desk.run(&["lexicon", "verify", "T"]).status.code(), Some(1));
        assert_eq!(desk.run(&["check", "--lexicon", "T", "CAT"]).status.code(), Some(2));
        assert_eq!(desk.run(&["check", "--lexicon", "T", "CAT"]).stdout, b"");
    }
    fs::write(&index, whole).unwrap();
    desk.done(&["lexicon", "verify", "T"]);
}

/// FIELD-REPORTS V24, V25: a lexicon imported while serving is honoured within a second.
#[tokio::test]
async fn a_tournament_made_while_serving_is_served() {
    let floor = Floor::open();
    let list = floor.desk.file("new.txt", b"DOG\nEEL\n");
    floor.desk.done(&["lexicon", "import", list.to_str().unwrap(), "--id", "N"]);
    floor.desk.done(&["tournament", "create", "abuja", "--title", "Abuja", "--division", "B:N:wespa"]);
    let token = floor.desk.done(&["token", "create", "--role", "client", "--tournament", "abuja", "--name", "abuja"]);
    let url = floor.url("/api/v1/tournaments/abuja/slips");
    let ruled = crate::harness::soon(|| async {
        let request = floor.http.post(&url).bearer_auth(token.trim()).header("Idempotency-Key", "k");
        request.json(&json!({"division": "B", "words": ["DOG"]})).send().await.unwrap().status() == 201
    })
    .await;
    assert!(ruled);
}
