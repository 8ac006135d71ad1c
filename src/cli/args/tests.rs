//! Tests of every command's help.

use clap::{Command, CommandFactory as _, Parser as _};

use super::Args;

/// A command and all below it, each with its full name.
fn commands() -> Vec<(String, Command)> {
    let mut root = Args::command();
    root.build();
    let (mut found, mut next) = (Vec::new(), vec![("adjudge".to_owned(), root)]);
    while let Some((name, command)) = next.pop() {
        let below = command.get_subcommands().filter(|one| one.get_name() != "help");
        next.extend(below.map(|one| (format!("{name} {}", one.get_name()), one.clone())));
        found.push((name, command));
    }
    found
}

/// Splits a line as a shell does: single quotes hold words together.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (index, part) in line.split('\'').enumerate() {
        if index % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

#[test]
fn every_argument_has_a_line_of_help() {
    let all = commands();
    assert!(all.len() > 30, "{}", all.len());
    for (name, command) in all {
        assert!(command.get_about().is_some(), "{name} does not say what it does");
        for argument in command.get_arguments() {
            assert!(argument.get_help().is_some(), "{name}: {} has no help", argument.get_id());
        }
    }
}

#[test]
fn every_help_ends_with_examples_that_can_be_typed() {
    for (name, mut command) in commands() {
        let help = command.render_long_help().to_string();
        let (_, examples) = help.rsplit_once("\nExample:\n").unwrap_or_else(|| panic!("{name} has no example"));
        let is_group = command.has_subcommands();
        for line in examples.lines() {
            assert!(line.len() <= 80, "a terminal breaks this line: {line}");
            let example = line.trim();
            assert!(example.starts_with(&format!("{name} ")) || example == name, "{name}: {example}");
            match Args::try_parse_from(words(example)) {
                Ok(_) => {}
                Err(error) => assert!(is_group && !error.use_stderr(), "{example}: {error}"),
            }
        }
    }
}

#[test]
fn a_servers_options_are_offered_only_where_they_apply() {
    for (name, command) in commands() {
        let has = |id: &str| command.get_arguments().any(|argument| argument.get_id() == id);
        let serves = ["adjudge serve", "adjudge demo"].contains(&name.as_str());
        assert_eq!((has("log_level"), has("mdns")), (serves, serves), "{name}");
        assert_eq!(has("listen"), serves || name == "adjudge healthcheck", "{name}");
        assert!(has("data") && has("database_url"), "{name}");
    }
}

#[test]
fn a_servers_options_may_stand_before_the_command() {
    let moved = |line: &str| {
        let typed = line.split(' ').map(Into::into).collect();
        let moved: Vec<String> =
            super::server::options_after_command(typed).into_iter().map(|word| word.into_string().unwrap()).collect();
        moved.join(" ")
    };
    assert_eq!(moved("adjudge --data d --listen 8017 serve --tls"), "adjudge --data d serve --listen 8017 --tls");
    assert_eq!(moved("adjudge --listen=8017 --mdns demo"), "adjudge demo --listen=8017 --mdns");
    assert_eq!(moved("adjudge check --lexicon wordnik CAT"), "adjudge check --lexicon wordnik CAT");
}
