//! Statements for many rows at once. Their texts are built at compile time, so that they are constants like every other
//! statement: `INSERT INTO entry (…) VALUES ($1, $2, …), ($13, $14, …)`.

use super::Statement;

/// One statement for different numbers of rows: powers of two, the widest first, so that any number of rows needs few
/// statements and an engine prepares each once.
#[derive(Clone, Copy, Debug)]
pub struct MultiRow {
    /// How many parameters a row has.
    pub columns: usize,
    /// The numbers of rows, each with the statement for that many.
    pub widths: &'static [(usize, Statement)],
}

/// Defines a [`MultiRow`] by the text before its rows, its number of columns, and the text after its rows.
macro_rules! wide {
    ($head:literal, $columns:literal, $tail:literal) => {
        MultiRow {
            columns: $columns,
            widths: &[
                (64, wide!($head, $columns, $tail, 64)),
                (32, wide!($head, $columns, $tail, 32)),
                (16, wide!($head, $columns, $tail, 16)),
                (8, wide!($head, $columns, $tail, 8)),
                (4, wide!($head, $columns, $tail, 4)),
                (2, wide!($head, $columns, $tail, 2)),
                (1, wide!($head, $columns, $tail, 1)),
            ],
        }
    };
    ($head:literal, $columns:literal, $tail:literal, $rows:literal) => {{
        const TEXT: Text = Text { head: $head, columns: $columns, rows: $rows, tail: $tail };
        const PAGE: [u8; TEXT.length()] = TEXT.written();
        Statement(as_text(&PAGE))
    }};
}

pub const ADD_ENTRIES: MultiRow = wide!(
    "INSERT INTO entry (log, seq, kind, slip, number, asked_by, asked_key, place, seat, review, hash, leaf) VALUES ",
    12,
    ""
);
pub const ANSWERS: MultiRow = wide!(
    "WITH asked (actor, key) AS (VALUES ",
    2,
    ") SELECT e.asked_by, e.asked_key, e.log, e.seq, e.hash, e.leaf FROM asked \
    JOIN entry e ON e.asked_by = asked.actor AND e.asked_key = asked.key"
);

/// All entries of the slips that were filed at a table or by a filer, in a round or in any. The left joins and the
/// `COALESCE` condition keep Postgres from reordering the joins: it looks each location up by its index,
/// regardless of its statistics.
pub const NEIGHBOURS: MultiRow = wide!(
    "WITH asked (spot) AS (VALUES ",
    1,
    ") SELECT asked.spot, e.log, e.seq, e.hash, e.leaf FROM asked \
    LEFT JOIN entry f ON f.place = asked.spot LEFT JOIN entry e ON e.slip = f.slip WHERE COALESCE(f.slip, '') <> '' \
    UNION ALL SELECT asked.spot, e.log, e.seq, e.hash, e.leaf FROM asked \
    LEFT JOIN entry f ON f.seat = asked.spot LEFT JOIN entry e ON e.slip = f.slip WHERE COALESCE(f.slip, '') <> '' \
    UNION ALL SELECT asked.spot, e.log, e.seq, e.hash, e.leaf FROM asked \
    LEFT JOIN entry f ON f.place_of_any_round = asked.spot LEFT JOIN entry e ON e.slip = f.slip WHERE COALESCE(f.slip, '') <> '' \
    UNION ALL SELECT asked.spot, e.log, e.seq, e.hash, e.leaf FROM asked \
    LEFT JOIN entry f ON f.seat_of_any_round = asked.spot LEFT JOIN entry e ON e.slip = f.slip WHERE COALESCE(f.slip, '') <> ''"
);

/// All multi-row statements, for the test that prepares each.
pub const ALL: [MultiRow; 3] = [ADD_ENTRIES, ANSWERS, NEIGHBOURS];

/// The parts of a statement's text.
struct Text {
    head: &'static str,
    columns: usize,
    rows: usize,
    tail: &'static str,
}

impl Text {
    /// The length of the text: the page is larger than any text, and its unused rest is subtracted.
    const fn length(&self) -> usize {
        let mut page = [b' '; 8192];
        8192 - self.write(&mut page)
    }

    const fn written<const LENGTH: usize>(&self) -> [u8; LENGTH] {
        let mut page = [b' '; LENGTH];
        self.write(&mut page);
        page
    }

    /// Writes the text at the beginning of a page, and returns how much of the page is left.
    const fn write(&self, page: &mut [u8]) -> usize {
        let mut rest = put(page, self.head.as_bytes());
        let mut argument = 1;
        while argument <= self.columns * self.rows {
            let before: &[u8] = match (argument, argument % self.columns) {
                (1, _) => b"($",
                (_, column) if column == 1 % self.columns => b"), ($",
                (_, _) => b", $",
            };
            rest = put_number(put(rest, before), argument);
            argument += 1;
        }
        put(put(rest, b")"), self.tail.as_bytes()).len()
    }
}

/// Writes a text and returns the rest of the page. A text that does not fit is not written, and the test
/// that prepares every statement fails.
const fn put<'page>(page: &'page mut [u8], text: &[u8]) -> &'page mut [u8] {
    if text.len() > page.len() {
        return page;
    }
    let (here, rest) = page.split_at_mut(text.len());
    here.copy_from_slice(text);
    rest
}

const fn put_number(page: &mut [u8], number: usize) -> &mut [u8] {
    let rest = if number >= 10 { put_number(page, number / 10) } else { page };
    put(rest, b"0123456789".split_at(number % 10).1.split_at(1).0)
}

const fn as_text(text: &'static [u8]) -> &'static str {
    match std::str::from_utf8(text) {
        Ok(text) => text,
        Err(_) => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_its_own_arguments() {
        let text = |rows| ANSWERS.widths.iter().find(|(width, _)| *width == rows).unwrap().1.0;
        assert!(text(1).contains("(VALUES ($1, $2)) SELECT"));
        assert!(text(2).contains("(VALUES ($1, $2), ($3, $4)) SELECT"));
        for wide in ALL {
            for (rows, statement) in wide.widths {
                let last = format!("${})", rows * wide.columns);
                assert_eq!(statement.0.matches(&last).count(), 1, "{}", statement.0);
                assert_eq!(statement.0.matches("($").count(), *rows, "{}", statement.0);
            }
        }
    }
}
