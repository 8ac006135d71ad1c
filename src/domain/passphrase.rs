//! Which passphrases are refused: short ones, and those that a guesser tries first.

use super::accounts::MIN_PASSPHRASE_CHARS;

/// Words of the commonest passphrases and of the surroundings of a tournament. A passphrase of such words only is
/// refused.
const COMMON: [&str; 36] = [
    "password",
    "passphrase",
    "passwort",
    "motdepasse",
    "letmein",
    "welcome",
    "bienvenue",
    "iloveyou",
    "jetaime",
    "admin",
    "administrator",
    "administrateur",
    "root",
    "user",
    "guest",
    "login",
    "secret",
    "changeme",
    "default",
    "qwerty",
    "azerty",
    "qwertz",
    "dragon",
    "monkey",
    "football",
    "baseball",
    "princess",
    "sunshine",
    "scrabble",
    "adjudge",
    "tournament",
    "director",
    "judge",
    "station",
    "challenge",
    "master",
];

/// Runs of keys, read forwards and backwards.
const RUNS: [&str; 5] = [
    "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz",
    "012345678901234567890123456789",
    "qwertyuiopasdfghjklzxcvbnmqwertyuiop",
    "azertyuiopqsdfghjklmwxcvbnazertyuiop",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p",
];

/// The least number of characters in a run of keys or a repeated part.
const MIN_RUN_CHARS: usize = 4;

const MIN_DISTINCT_CHARS: usize = 5;

/// Why a passphrase is refused; `None` for one that may be used.
#[must_use]
pub fn passphrase_fault(text: &str) -> Option<&'static str> {
    if text.chars().count() < MIN_PASSPHRASE_CHARS {
        return Some("The passphrase is too short: take four words.");
    }
    let letters: Vec<char> = text.to_lowercase().chars().filter(|letter| letter.is_alphanumeric()).collect();
    is_easily_guessed(&letters).then_some(
        "The passphrase is easily guessed: it repeats itself, or is made of common words, runs of keys and digits. Take \
         four words that do not belong together.",
    )
}

fn is_easily_guessed(letters: &[char]) -> bool {
    let mut distinct = letters.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    distinct.len() < MIN_DISTINCT_CHARS || repeats(letters) || is_common(letters)
}

/// Whether the passphrase is one part repeated, the last time possibly cut short.
fn repeats(letters: &[char]) -> bool {
    (1..=letters.len() / 2).any(|period| letters.iter().zip(letters.iter().skip(period)).all(|(one, next)| one == next))
}

/// Whether the passphrase consists of common words, runs of keys and a number only.
fn is_common(letters: &[char]) -> bool {
    let mut rest = letters;
    while let Some(first) = rest.first() {
        let known = common_prefix(rest).max(run_prefix(rest)).max(usize::from(first.is_ascii_digit()));
        if known == 0 {
            return false;
        }
        rest = rest.get(known..).unwrap_or_default();
    }
    true
}

/// The length of the longest common word that the passphrase begins with.
fn common_prefix(letters: &[char]) -> usize {
    let begins =
        |word: &&&str| word.chars().count() <= letters.len() && word.chars().zip(letters).all(|(a, b)| a == *b);
    COMMON.iter().filter(begins).map(|word| word.chars().count()).max().unwrap_or(0)
}

/// The length of the run of keys that the passphrase begins with.
fn run_prefix(letters: &[char]) -> usize {
    let backwards = RUNS.iter().map(|run| run.chars().rev().collect::<String>());
    let runs: Vec<String> = RUNS.iter().map(|run| (*run).to_owned()).chain(backwards).collect();
    let is_run = |length: &usize| {
        let part: String = letters.iter().take(*length).collect();
        runs.iter().any(|run| run.contains(&part))
    };
    (MIN_RUN_CHARS..=letters.len()).take_while(is_run).last().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passphrase_that_a_guesser_tries_first_is_refused() {
        for refused in [
            "passwordpassword",
            "PasswordPassword1",
            "Password Password!",
            "password12345678",
            "scrabbletournament2026",
            "abcabcabcabcabcabc",
            "hunterhunterhunter",
            "abcdefghijklmnopqrs",
            "zyxwvutsrqponmlkj",
            "1234567890123456",
            "qwertyuiopasdfgh",
            "aaaaaaaaaaaaaaaaaa",
            "               ",
            "letmein-welcome-admin",
        ] {
            assert!(passphrase_fault(refused).is_some_and(|fault| fault.contains("easily guessed")), "{refused}");
        }
        assert!(passphrase_fault("four words now").is_some_and(|fault| fault.contains("too short")));
    }

    #[test]
    fn a_passphrase_of_four_words_is_accepted() {
        for taken in [
            "correct horse battery staple",
            "quartz lemon anvil whistle",
            "password of the lighthouse",
            "rivière bleue sous la lune",
            "日本語の長い合言葉を使います静かな海",
        ] {
            assert_eq!(passphrase_fault(taken), None, "{taken}");
        }
    }
}
