//! Line endings of all systems: LF, CR LF, and the CR alone of old Macs.

/// Splits text into lines and counts what they end with.
pub(super) struct Lines<'a> {
    rest: &'a str,
    pub(super) endings: Endings,
}

/// How many lines end in which way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Endings {
    pub(super) lf: usize,
    pub(super) crlf: usize,
    pub(super) cr: usize,
    /// One, where the last line has no ending.
    pub(super) none: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        Self { rest: text, endings: Endings::default() }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        if self.rest.is_empty() {
            return None;
        }
        let (line, after) = self.rest.split_at(self.rest.find(['\r', '\n']).unwrap_or(self.rest.len()));
        let (count, rest) = if let Some(rest) = after.strip_prefix("\r\n") {
            (&mut self.endings.crlf, rest)
        } else if let Some(rest) = after.strip_prefix('\n') {
            (&mut self.endings.lf, rest)
        } else if let Some(rest) = after.strip_prefix('\r') {
            (&mut self.endings.cr, rest)
        } else {
            (&mut self.endings.none, after)
        };
        *count += 1;
        self.rest = rest;
        Some(line)
    }
}

/// The number of the line that goes on after these bytes, from 1.
pub(super) fn line_at(before: &[u8]) -> usize {
    let line_feeds = before.split(|byte| *byte == b'\n').count() - 1;
    let lone_returns = before
        .iter()
        .zip(before.iter().skip(1).chain([&b'x']))
        .filter(|(byte, next)| **byte == b'\r' && **next != b'\n');
    line_feeds + lone_returns.count() + 1
}

impl Endings {
    /// The report's note about endings that are not plain LF.
    pub(super) fn note(self) -> Option<String> {
        match self {
            Self { crlf: 0, cr: 0, .. } => None,
            Self { lf: 0, cr: 0, .. } => Some("line endings: CRLF (Windows)".to_owned()),
            Self { lf: 0, crlf: 0, .. } => Some("line endings: CR only (old Mac)".to_owned()),
            Self { lf, crlf, cr, .. } => Some(format!("line endings: mixed ({lf} LF, {crlf} CRLF, {cr} CR)")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> (Vec<&str>, Endings) {
        let mut lines = Lines::of(text);
        let split = lines.by_ref().collect();
        (split, lines.endings)
    }

    #[test]
    fn every_ending_ends_one_line() {
        let (lines, endings) = split("A\nB\r\nC\rD\r\r\n\nE");
        assert_eq!(lines, ["A", "B", "C", "D", "", "", "E"]);
        assert_eq!(endings, Endings { lf: 2, crlf: 2, cr: 2, none: 1 });
    }

    #[test]
    fn an_ending_at_the_end_begins_no_further_line() {
        assert_eq!(split("A\n").0, ["A"]);
        assert_eq!(split("\n").0, [""]);
        assert_eq!(split("").0, [""; 0]);
    }

    #[test]
    fn a_position_in_the_bytes_has_a_line_number() {
        for (before, line) in
            [("", 1), ("A", 1), ("A\n", 2), ("A\r\nB", 2), ("A\rB\r", 3), ("\r\n\r\n", 3), ("\r\r\n", 3)]
        {
            assert_eq!(line_at(before.as_bytes()), line, "{before:?}");
        }
    }

    #[test]
    fn only_unusual_endings_are_noted() {
        let note = |text: &str| split(text).1.note();
        assert_eq!(note("A\nB"), None);
        assert_eq!(note("A"), None);
        assert_eq!(note("A\r\nB\r\n").unwrap(), "line endings: CRLF (Windows)");
        assert_eq!(note("A\rB\r").unwrap(), "line endings: CR only (old Mac)");
        assert_eq!(note("A\r\nB\nC\r").unwrap(), "line endings: mixed (1 LF, 1 CRLF, 1 CR)");
    }
}
