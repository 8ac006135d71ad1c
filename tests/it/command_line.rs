//! The command line as a director uses it.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::harness::{Desk, Server, WORDS, files_below, is_on_postgres, output_of};

#[test]
fn check_needs_no_data_folder_for_the_built_in_list() {
    let desk = Desk::empty();
    for (words, printed, code) in [
        (vec!["CAT"], "acceptable\n", 0),
        (vec!["cat", "dog"], "acceptable\n", 0),
        (vec!["CAT", "XQJZ"], "unacceptable\n", 1),
    ] {
        let output = desk.run(&[&["check", "--lexicon", "wordnik"], words.as_slice()].concat());
        assert_eq!(
            (String::from_utf8(output.stdout).unwrap().as_str(), output.status.code()),
            (printed, Some(code)),
            "{words:?}"
        );
    }
    for cannot in [["X-RAY", "CAT"], ["A", "CAT"], ["CAT", ""], ["CAT", "COUNTERREVOLUTIONARIES"]] {
        let output = desk.run(&[&["check", "--lexicon", "wordnik"], cannot.as_slice()].concat());
        assert_eq!((output.stdout.as_slice(), output.status.code()), (b"".as_slice(), Some(2)), "{cannot:?}");
        assert!(!output.stderr.is_empty());
    }
    assert!(!desk.data().exists(), "nothing is recorded");
}

#[test]
fn check_asks_an_imported_list_too() {
    let desk = Desk::ready();
    assert_eq!(desk.done(&["check", "--lexicon", "T", "qi", "ZO"]), "acceptable\n");
    assert_eq!(desk.refused(1, &["check", "--lexicon", "T", "DOG"]), "");
    assert!(desk.refused(2, &["check", "--lexicon", "CSW24", "DOG"]).contains("no lexicon"));
}

#[test]
fn an_uninitialised_folder_asks_for_init() {
    let desk = Desk::empty();
    let list = desk.file("list.txt", WORDS.as_bytes());
    for command in [
        vec!["lexicon", "import", list.to_str().unwrap(), "--id", "T"],
        vec!["lexicon", "list"],
        vec!["tournament", "list"],
        vec!["token", "list"],
        vec!["ledger", "verify"],
        vec!["ledger", "export", "out"],
        vec!["ledger", "checkpoint"],
        vec!["tournament", "create", "t", "--title", "T", "--division", "A:wordnik:wespa"],
    ] {
        assert!(desk.refused(2, &command).contains("run adjudge init"), "{command:?}");
    }
    assert!(!desk.data().exists());
}

#[test]
fn adjudge_alone_prints_its_help() {
    let output = Desk::empty().run(&[]);
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), b"".as_slice()));
    for part in ["Usage: adjudge", "tournament", "Example:"] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
}

/// One voice: `adjudge: `, what is wrong, the system's cause once, and what to do.
#[test]
fn errors_are_one_or_two_lines_with_the_cause_once() {
    let desk = Desk::ready();
    let said = desk.refused(2, &["lexicon", "import", "nowhere.txt", "--id", "N"]);
    assert_eq!(said, "adjudge: cannot read nowhere.txt: No such file or directory (os error 2)\n");
    let said = desk.refused(2, &["serve", "--listen", "everywhere"]);
    assert!(
        said.starts_with("adjudge: invalid value 'everywhere' for '--listen <ADDRESS>': write ADDRESS:PORT"),
        "{said}"
    );
    assert!(said.ends_with("\nhelp: adjudge serve --help\n") && said.lines().count() == 2, "{said}");
    desk.settings("# ours\nlog = \"loud\"\n");
    let said = desk.refused(2, &["tournament", "list"]);
    let file = desk.data().join("adjudge.toml");
    let wanted = format!(
        "adjudge: {}, line 2, column 7: log takes \"error\", \"warn\", \"info\" or \"debug\"\n",
        file.display()
    );
    assert_eq!(said, wanted);
}

#[test]
fn a_server_that_makes_a_new_ledger_says_so_loudly() {
    let desk = Desk::empty();
    let mut child = desk.command(&["--listen", "0", "serve"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut printed = String::new();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    while !printed.contains("/first-run") {
        printed.push_str(&lines.next().expect("it says where the first director comes in"));
        printed.push('\n');
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let place = desk.data().canonicalize().unwrap();
    for part in ["*** NEW LEDGER", place.to_str().unwrap(), "adjudge serve --data FOLDER", "http://127.0.0.1:"] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
}

#[test]
fn a_setting_that_names_its_division_twice_is_refused_with_the_way_to_write_it() {
    let desk = Desk::ready();
    let said = desk.refused(2, &["division", "set", "lagos", "A", "--set", "A.points=7"]);
    assert!(said.contains("leave off A. and write --set points=7"), "{said}");
    desk.done(&["division", "set", "lagos", "A", "--set", "points=7", "--set", "tables=1-20"]);
    let listed = desk.done(&["tournament", "list"]);
    assert!(listed.lines().any(|line| line.trim() == "settings: points=7 tables=1-20"), "{listed}");
    let created =
        ["tournament", "create", "abuja", "--title", "Abuja", "--division", "A:T:wespa", "--set", "two_person=true"];
    assert!(desk.done(&created).ends_with("Next: adjudge serve\n"));
    assert!(desk.done(&["tournament", "list"]).contains("settings: two_person=true"));
    let listed: Value = serde_json::from_str(&desk.done(&["tournament", "list", "--json"])).unwrap();
    assert_eq!(listed["tournaments"][0]["settings"], json!({"two_person": true}));
}

#[test]
fn init_makes_a_private_key_once() {
    let desk = Desk::empty();
    desk.done(&["init"]);
    let key = desk.data().join("keys/signing.key");
    let before = fs::read(&key).unwrap();
    assert!(desk.refused(2, &["init"]).contains("already holds a ledger"));
    assert_eq!(fs::read(&key).unwrap(), before);
    assert_eq!(fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_folder_that_lost_its_database_or_its_key_is_not_begun_anew() {
    let desk = Desk::ready();
    let (database, key) = (desk.data().join("adjudge.db"), desk.data().join("keys/signing.key"));
    let kept = fs::read(&key).unwrap();
    fs::remove_file(&key).unwrap();
    assert!(desk.refused(2, &["serve", "--listen", "127.0.0.1:0"]).contains("put it back from the backup"));
    fs::write(&key, &kept).unwrap();
    assert!(desk.refused(2, &["serve", "--listen", "127.0.0.1:0"]).contains("chmod 600"));
    let other = Desk::empty();
    other.done(&["init"]);
    fs::remove_file(&key).unwrap();
    fs::copy(other.data().join("keys/signing.key"), &key).unwrap();
    assert!(desk.refused(2, &["serve", "--listen", "127.0.0.1:0"]).contains("another signing key"));
    if is_on_postgres() {
        return;
    }
    // A refused start may leave a write-ahead log, which has a message of its own.
    for lost in ["adjudge.db", "adjudge.db-wal", "adjudge.db-shm"] {
        let _ = fs::remove_file(desk.data().join(lost));
    }
    assert!(!database.exists());
    for command in [vec!["serve", "--listen", "127.0.0.1:0"], vec!["init"], vec!["token", "list"]] {
        assert!(desk.refused(2, &command).contains("no database"), "{command:?}");
    }
    // FAULTS B10: lexica alone, or checkpoints alone, are what is left of a ledger too.
    fs::remove_dir_all(desk.data().join("keys")).unwrap();
    assert!(desk.refused(2, &["serve", "--listen", "127.0.0.1:0"]).contains("no database"));
    fs::rename(desk.data().join("lexicons"), desk.data().join("checkpoints")).unwrap();
    for command in [vec!["serve", "--listen", "127.0.0.1:0"], vec!["init"], vec!["token", "list"]] {
        assert!(desk.refused(2, &command).contains("no database"), "{command:?}");
    }
}

#[test]
fn a_tournament_that_cannot_be_is_refused_with_the_reason() {
    let desk = Desk::ready();
    let create = |id: &str, division: &str, extra: &[&str]| {
        desk.refused(2, &[&["tournament", "create", id, "--title", "X", "--division", division], extra].concat())
    };
    assert!(create("server", "A:T:wespa", &[]).contains("own log"));
    assert!(create("LAGOS", "A:T:wespa", &[]).contains("already"));
    assert!(create("../x", "A:T:wespa", &[]).contains("cannot name a tournament"));
    assert!(create("x", "A:CSW24:wespa", &[]).contains("no lexicon"));
    assert!(create("x", "A:T:chess", &[]).contains("no ruleset"));
    assert!(create("x", "A:T", &[]).contains("DIVISION:LEXICON:RULESET"));
    assert!(create("x", "A:T:wespa", &["--division", "a:T:wespa"]).contains("named twice"));
    assert!(create("x", "A:T:wespa", &["--set", "B.points=3"]).contains("division \"B\""));
    assert!(create("x", "A:T:wespa", &["--set", "A.points=many"]).contains("whole number from 0 to 100"));
    assert!(create("x", "A:T:wespa", &["--set", "names=some"]).contains("full, initials or none"));
    assert!(create("x", "A:T:wespa", &["--time-zone", "Mars/Base"]).contains("no time zone"));
    let listed: Value = serde_json::from_str(&desk.done(&["tournament", "list", "--json"])).unwrap();
    assert_eq!(listed["tournaments"].as_array().unwrap().len(), 1, "nothing was half created");
}

#[test]
fn a_list_that_is_not_yet_in_force_is_not_played_with() {
    let desk = Desk::ready();
    let list = desk.file("next.txt", b"CAT\nDOG\n");
    desk.done(&["lexicon", "import", list.to_str().unwrap(), "--id", "N", "--effective-from", "2999-01-01"]);
    let said = desk.refused(2, &["tournament", "create", "x", "--title", "X", "--division", "A:N:wespa"]);
    assert!(said.contains("in force from 2999-01-01"), "{said}");
}

#[test]
fn a_token_is_shown_once_and_kept_nowhere() {
    let desk = Desk::ready();
    let token = desk.token("judge", "Judge 1");
    assert_eq!(token.len(), 43, "256 bits");
    assert!(
        desk.refused(2, &["token", "create", "--role", "judge", "--tournament", "lagos", "--name", "Judge 1"])
            .contains("choose another name")
    );
    assert!(
        desk.refused(2, &["token", "create", "--role", "king", "--tournament", "lagos", "--name", "x"])
            .contains("observer or client")
    );
    assert!(
        desk.refused(2, &["token", "create", "--role", "judge", "--tournament", "abuja", "--name", "x"])
            .contains("no tournament")
    );
    let listed: Value = serde_json::from_str(&desk.done(&["token", "list", "--json"])).unwrap();
    assert_eq!((&listed["tokens"][0]["name"], &listed["tokens"][0]["role"]), (&json!("Judge 1"), &json!("judge")));
    for file in files_below(&desk.data()) {
        let bytes = fs::read(&file).unwrap();
        assert!(!bytes.windows(token.len()).any(|window| window == token.as_bytes()), "{}", file.display());
    }
    desk.done(&["token", "revoke", "Judge 1"]);
    assert!(desk.refused(2, &["token", "revoke", "Judge 1"]).contains("no token named"));
    assert_eq!(desk.done(&["token", "list"]), "");
}

#[test]
fn healthcheck_tells_a_server_from_none() {
    let desk = Desk::ready();
    let server = Server::start(&desk);
    let address = server.base.trim_start_matches("http://").to_owned();
    desk.done(&["healthcheck", "--listen", &address]);
    server.kill();
    assert!(desk.refused(1, &["healthcheck", "--listen", &address]).contains("no server at"));
}

#[test]
fn an_address_in_use_is_said_with_the_way_out() {
    let desk = Desk::ready();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    assert!(desk.refused(2, &["serve", "--listen", &address]).contains("choose another with --listen"));
}

/// A real ledger would keep a demonstration's director, judge and token for ever.
#[tokio::test]
async fn demo_writes_to_no_ledger_but_a_demonstration() {
    let (ready, begun) = (Desk::ready(), Desk::empty());
    begun.done(&["init"]);
    for desk in [&ready, &begun] {
        let database = desk.database().await;
        let before = database.all_rows().await;
        let refused = output_of(desk.demo_command("127.0.0.1:0"));
        let why = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(2), "{why}");
        assert!(why.contains("no demonstration") && why.contains("--data"), "{why}");
        assert_eq!(database.all_rows().await, before, "nothing was written");
        database.close().await;
    }
    let (_server, said) =
        Server::spawn_and_hear(begun.command(&["serve", "--listen", "127.0.0.1:0"]), Stdio::null(), 1);
    assert!(said[0].contains("There is no director yet"), "{said:?}");
}

#[test]
fn demo_takes_its_folder_from_the_command_line_alone() {
    let desk = Desk::ready();
    let log = desk.data().join("adjudge.db");
    let before = fs::metadata(&log).map(|file| file.len()).ok();
    // The environment names the ledger of a tournament.
    let server = Server::spawn(desk.command(&["demo", "--listen", "127.0.0.1:0"]));
    assert!(desk.folder.path().join("demo-data/adjudge.db").exists());
    assert_eq!(server.stop(), Some(0));
    assert_eq!(fs::metadata(&log).map(|file| file.len()).ok(), before);
    assert!(!desk.done(&["tournament", "list"]).contains("demo"));
}

#[test]
fn demo_leaves_a_folder_of_other_files_alone() {
    let desk = Desk::empty();
    let folder = desk.folder.path().join("letters");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("letter.txt"), "Dear Ada").unwrap();
    let why = desk.refused(2, &["demo", "--data", folder.to_str().unwrap(), "--listen", "127.0.0.1:0"]);
    assert!(why.contains("holds other files"), "{why}");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
}

#[test]
fn demo_is_ready_at_once_and_can_be_started_again() {
    let desk = Desk::empty();
    for _ in 0..2 {
        let server = Server::spawn(desk.command(&["demo", "--listen", "127.0.0.1:0"]));
        assert_eq!(server.stop(), Some(0));
    }
    let folder = desk.folder.path().join("demo-data");
    let database = format!("sqlite://{}", folder.join("adjudge.db").display());
    let list =
        |args: &[&str]| desk.done(&[args, &["--data", folder.to_str().unwrap(), "--database-url", &database]].concat());
    assert!(list(&["tournament", "list"]).contains("wordnik"));
    assert!(list(&["ledger", "verify"]).contains("demo: whole, 2 entries"));
    assert_eq!(list(&["token", "list"]).lines().count(), 2, "one station and the last client");
}
