//! Codes that people read to each other and type: Crockford's base32, which has no I, L, O and U.

const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// 40 bits as eight digits, `7K3M-9QTX`.
#[must_use]
pub fn written(bytes: [u8; 5]) -> String {
    let bits = bytes.into_iter().fold(0_u64, |bits, byte| (bits << 8) | u64::from(byte));
    let mut code = String::with_capacity(9);
    for shift in (0..40).step_by(5).rev() {
        code.push(digit(bits >> shift));
        if shift == 20 {
            code.push('-');
        }
    }
    code
}

/// Bytes as digits in groups of five, for a code that is typed now and then and not read aloud.
#[must_use]
pub fn phrase(bytes: &[u8]) -> String {
    let digits: Vec<char> = bytes.iter().map(|byte| digit(u64::from(*byte)).to_ascii_lowercase()).collect();
    digits.chunks(5).map(|group| group.iter().collect::<String>()).collect::<Vec<_>>().join("-")
}

/// Normalises a typed code to the form of [`written`]. The input may be in upper or lower case, with any blanks and
/// dashes, and with letters that look like digits. `None` where it is no code.
#[must_use]
pub fn read(typed: &str) -> Option<String> {
    let told_apart = |letter: char| match letter.to_ascii_uppercase() {
        'O' => '0',
        'I' | 'L' => '1',
        other => other,
    };
    let plain: String =
        typed.chars().filter(|letter| !letter.is_whitespace() && *letter != '-').map(told_apart).collect();
    let is_code = plain.len() == 8 && plain.bytes().all(|byte| DIGITS.contains(&byte));
    is_code.then(|| format!("{}-{}", plain.get(..4).unwrap_or_default(), plain.get(4..).unwrap_or_default()))
}

fn digit(bits: u64) -> char {
    usize::try_from(bits & 31).ok().and_then(|place| DIGITS.get(place)).map_or('0', |digit| char::from(*digit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_read_in_any_case_and_grouping() {
        let code = written([0, 68, 50, 20, 199]);
        assert_eq!(code, "0123-4567");
        for typed in ["0123-4567", " o1 23 4567", "Ol234567", "0 1 2 3 - 4 5 6 7"] {
            assert_eq!(read(typed).as_deref(), Some("0123-4567"), "{typed}");
        }
        for typed in ["", "0123-456", "0123-45678", "U123-4567", "0123-456É"] {
            assert_eq!(read(typed), None, "{typed}");
        }
    }

    #[test]
    fn a_phrase_is_written_in_groups() {
        assert_eq!(phrase(&[0, 1, 2, 3, 4, 31, 63, 10]), "01234-zza");
    }
}
