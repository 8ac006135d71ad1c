//! Statements that go to SQLite in one message. SQLite works in a thread of its own, and each round trip to it costs
//! more than most statements do.
//!
//! Every `$1` becomes a `?` with an argument of its own: the engine finds a named parameter by searching all names, at
//! every use.

use futures_util::TryStreamExt as _;
use sqlx::sqlite::{SqliteArguments, SqliteConnection};
use sqlx::{Arguments as _, Either, Executor as _};

use super::{Arg, Cells, DbError};

/// Statements, one after the other, with their arguments.
#[derive(Debug, Default)]
pub(super) struct Pipeline {
    text: String,
    arguments: SqliteArguments,
    /// What each statement does, for its error message.
    doing: Vec<&'static str>,
}

/// The result of a statement.
#[derive(Debug, Default)]
pub(super) struct Answer {
    pub(super) rows: Vec<Cells>,
    /// How many rows a write touched.
    pub(super) touched: u64,
}

impl Pipeline {
    /// Adds a statement, whose arguments are numbered from `$1`.
    pub(super) fn add(&mut self, doing: &'static str, text: &str, args: &[Arg<'_>]) {
        if !self.text.is_empty() {
            self.text.push_str(";\n");
        }
        let mut parts = text.split('$');
        self.text.push_str(parts.next().unwrap_or_default());
        for part in parts {
            let (number, rest) = part.split_at(part.bytes().take_while(u8::is_ascii_digit).count());
            let place = number.parse().unwrap_or(0_usize).saturating_sub(1);
            self.text.push('?');
            self.text.push_str(rest);
            self.bind(args.get(place).copied().unwrap_or(Arg::NoText));
        }
        self.doing.push(doing);
    }

    /// Binds the argument of the next parameter.
    fn bind(&mut self, arg: Arg<'_>) {
        // Encoding an integer or a text cannot fail.
        let _ = match arg {
            Arg::Int(number) => self.arguments.add(number),
            Arg::Text(text) => self.arguments.add(text.to_owned()),
            Arg::NoInt => self.arguments.add(None::<i64>),
            Arg::NoText => self.arguments.add(None::<String>),
        };
    }

    /// Runs all statements in order, up to the first that fails.
    ///
    /// # Errors
    /// If one fails, or not all were answered.
    pub(super) async fn run(self, connection: &mut SqliteConnection) -> Result<Vec<Answer>, DbError> {
        let Self { text, arguments, doing } = self;
        let mut answers: Vec<Answer> = Vec::with_capacity(doing.len());
        let mut rows = Vec::new();
        let mut steps = connection.fetch_many(sqlx::query_with(sqlx::AssertSqlSafe(text), arguments));
        let failure = loop {
            match steps.try_next().await {
                Ok(Some(Either::Right(row))) => rows.push(Cells::Sqlite(row)),
                Ok(Some(Either::Left(done))) => {
                    answers.push(Answer { rows: std::mem::take(&mut rows), touched: done.rows_affected() });
                }
                Ok(None) if answers.len() == doing.len() => return Ok(answers),
                Ok(None) => break sqlx::Error::WorkerCrashed,
                Err(error) => break error,
            }
        };
        let doing = doing.get(answers.len()).copied().unwrap_or("answering");
        Err(DbError::Engine { doing, source: failure })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_statement_finds_its_own_arguments() {
        let mut trip = Pipeline::default();
        trip.add("taking the write lock", "BEGIN", &[]);
        trip.add("reading", "SELECT $2, $1, $1 FROM a", &[Arg::Int(1), Arg::Text("b")]);
        trip.add("writing", "INSERT INTO c VALUES ($1, $2)", &[Arg::NoInt, Arg::NoText]);
        assert_eq!(trip.text, "BEGIN;\nSELECT ?, ?, ? FROM a;\nINSERT INTO c VALUES (?, ?)");
        assert_eq!((trip.arguments.len(), trip.doing.len()), (5, 3));
    }
}
