//! Advice about rejected lines. A director who follows it must end with the intended list: where a line may hold a
//! word, the advice never says to leave it out.

use crate::domain::alphabet::Alphabet;

use super::options::{MAX_WORD_CHARS, SHORTEST_WORD};
use super::rejects::limit;
use super::report::{Rejected, Report};
use crate::lexicon::import::rejection::Kind;

/// A heading has this many lines at most.
const HEADING_LINES: usize = 3;

/// The advice, one sentence for each measure, the most useful first.
pub(super) fn for_rejects(report: &Report) -> Vec<String> {
    let mut advice: Vec<String> = Vec::new();
    for kind in report.rejected_by_kind.keys() {
        let text = of_kind(*kind, report);
        if !advice.contains(&text) {
            advice.push(text);
        }
    }
    advice.extend(heading(report));
    advice.extend(leave_out(report));
    advice
}

fn of_kind(kind: Kind, report: &Report) -> String {
    let text = match kind {
        Kind::TextAfter | Kind::NumberAfter | Kind::NumberFirst | Kind::Table => {
            "save the column with the words alone, one word a line, as plain text"
        }
        Kind::Columns => "put every word that belongs to the list on a line of its own",
        Kind::Digit => "write the words without digits (where digits stand for tiles, with the tiles' letters)",
        Kind::Mark | Kind::MarkBefore | Kind::CommentedWord => {
            "find out what each mark means, leave out the words that do not belong, and take the marks off the others"
        }
        Kind::Bracket => "write every form in full on a line of its own",
        Kind::Slash => {
            "write every form in full on a line of its own (from a Hunspell dictionary no list of a game can be made)"
        }
        Kind::Hyphen | Kind::Apostrophe => "leave out what is no word of the game",
        Kind::Accent | Kind::OtherLetter | Kind::Tile => return alphabet(report),
        Kind::DecodedTwice => "get the list again and save it as UTF-8",
        Kind::LookAlike => "write the named characters as the letters of the alphabet that they look like",
        Kind::Invisible | Kind::Control | Kind::Other => {
            "take the named characters out, or get the list again from its publisher"
        }
        Kind::ByteOrderMark => {
            "import the one file that you mean, or join them without the mark and begin a new line there"
        }
        Kind::SpreadsheetError => {
            "get the list again and keep it out of a spreadsheet: the words that stood there are lost"
        }
        Kind::Length => return lengths(report),
    };
    text.to_owned()
}

/// Advice where the letters belong to another alphabet than the list's: which alphabet reads them, or how to give one.
fn alphabet(report: &Report) -> String {
    let is_about_letters =
        |rejected: &&Rejected| matches!(rejected.kind, Kind::Accent | Kind::OtherLetter | Kind::Tile);
    let lines: Vec<&str> =
        report.rejected_lines.iter().filter(is_about_letters).map(|rejected| rejected.text.as_str()).collect();
    let reads_all = |alphabet: &Alphabet| lines.iter().all(|line| alphabet.read_listed(line).is_ok());
    let shipped: Vec<&str> = Alphabet::shipped_names().filter(|name| *name != report.alphabet).collect();
    let fitting: Vec<String> = shipped
        .iter()
        .filter(|name| Alphabet::shipped(name).is_some_and(|alphabet| reads_all(&alphabet)))
        .map(|name| format!("--alphabet {name}"))
        .collect();
    let is_other = format!("if the list is written in another alphabet than {}", report.alphabet);
    if fitting.is_empty() {
        return format!(
            "{is_other}, give that one: none that ships ({}) reads the lines shown, so write a file for it as docs/alphabets.md \
            shows and give that with --alphabet FILE; otherwise put these words right",
            shipped.join(", ")
        );
    }
    format!(
        "{is_other}, give that one: {} reads the lines shown; otherwise put these words right",
        fitting.join(" or ")
    )
}

fn lengths(report: &Report) -> String {
    let lengths = report.lengths;
    let rejected =
        || report.rejected_by_length.keys().filter(|tiles| (SHORTEST_WORD..=MAX_WORD_CHARS).contains(*tiles));
    let (Some(shortest), Some(longest)) = (rejected().next(), rejected().next_back()) else {
        return format!("leave these lines out: --lengths reaches from {SHORTEST_WORD} to {MAX_WORD_CHARS} tiles");
    };
    let (shortest, longest) = (lengths.shortest.min(*shortest), lengths.longest.max(*longest));
    format!("if the list covers these lengths say so with --lengths {shortest}-{longest}")
}

/// Whether the rejected lines at the start may be a heading: nothing like them comes after, and none begins with a
/// word and goes on in small letters, as a definition does.
fn heading(report: &Report) -> Option<String> {
    let first = report.skipped + 1;
    let run: Vec<&Rejected> = report
        .rejected_lines
        .iter()
        .zip(first..)
        .take_while(|(line, number)| line.line == *number)
        .map(|(line, _)| line)
        .collect();
    let like_them: usize = report
        .rejected_by_kind
        .iter()
        .filter(|(kind, _)| run.iter().any(|line| line.kind == **kind))
        .map(|(_, count)| count)
        .sum();
    let is_heading =
        (1..=HEADING_LINES).contains(&run.len()) && like_them == run.len() && run.iter().all(|line| may_head(line));
    let last = report.skipped + run.len();
    is_heading.then(|| match run.len() {
        1 => format!("if line {last} is a heading, leave it out with --skip-first {last}"),
        _ => format!("if lines {first} to {last} are a heading, leave them out with --skip-first {last}"),
    })
}

fn may_head(line: &Rejected) -> bool {
    let (word, rest) = line.text.split_once(char::is_whitespace).unwrap_or((&line.text, ""));
    match line.kind {
        Kind::TextAfter => {
            let is_small = word.chars().all(char::is_lowercase);
            let is_in_capitals = word.chars().nth(1).is_some() && word.chars().all(char::is_uppercase);
            let has_text = is_in_capitals && rest.contains(char::is_lowercase);
            let is_definition = is_small || has_text || line.text.contains("\\u{9}");
            !is_definition
        }
        Kind::Columns | Kind::NumberAfter | Kind::NumberFirst | Kind::Table | Kind::Bracket | Kind::CommentedWord => {
            true
        }
        _ => false,
    }
}

/// The offer to leave lines out, for those kinds of which no line may hold a word of the list.
fn leave_out(report: &Report) -> Option<String> {
    let holds_none = |kind: &Kind| report.with_word.get(kind).copied().unwrap_or_default() == 0;
    let kinds: Vec<(&Kind, &usize)> = report.rejected_by_kind.iter().filter(|(kind, _)| holds_none(kind)).collect();
    let count: usize = kinds.iter().map(|(_, count)| **count).sum();
    if count == 0 {
        return None;
    }
    if count == report.rejected && count <= limit(report.lines, 0) {
        return Some(format!("or leave the rejected lines out with --allow-rejects {count}"));
    }
    let all_of: Vec<String> = kinds.iter().map(|(kind, _)| format!("all-of:{kind}")).collect();
    Some(format!(
        "or leave out the {count} lines that hold no word of the list with --allow-rejects {}",
        all_of.join(",")
    ))
}
