//! The migrations, included in the program: the same versions and names for both engines.

use sqlx::SqlSafeStr as _;
use sqlx::migrate::{Migration, MigrationType, Migrator};

/// Version, name and text of each migration, in order.
type Migrations = &'static [(i64, &'static str, &'static str)];

const SQLITE: Migrations = &[
    (1, "ledger", include_str!("../../migrations/sqlite/0001_ledger.sql")),
    (2, "lexicon", include_str!("../../migrations/sqlite/0002_lexicon.sql")),
    (3, "answer_index", include_str!("../../migrations/sqlite/0003_answer_index.sql")),
    (4, "one_row_an_entry", include_str!("../../migrations/sqlite/0004_one_row_an_entry.sql")),
    (5, "continued", include_str!("../../migrations/sqlite/0005_continued.sql")),
    (6, "places", include_str!("../../migrations/sqlite/0006_places.sql")),
    (7, "people", include_str!("../../migrations/sqlite/0007_people.sql")),
    (8, "asked_approvals", include_str!("../../migrations/sqlite/0008_asked_approvals.sql")),
    (9, "any_round", include_str!("../../migrations/sqlite/0009_any_round.sql")),
    (10, "tokens", include_str!("../../migrations/sqlite/0010_tokens.sql")),
    (11, "clock", include_str!("../../migrations/sqlite/0011_clock.sql")),
];

const POSTGRES: Migrations = &[
    (1, "ledger", include_str!("../../migrations/postgres/0001_ledger.sql")),
    (2, "lexicon", include_str!("../../migrations/postgres/0002_lexicon.sql")),
    (3, "answer_index", include_str!("../../migrations/postgres/0003_answer_index.sql")),
    (4, "one_row_an_entry", include_str!("../../migrations/postgres/0004_one_row_an_entry.sql")),
    (5, "continued", include_str!("../../migrations/postgres/0005_continued.sql")),
    (6, "places", include_str!("../../migrations/postgres/0006_places.sql")),
    (7, "people", include_str!("../../migrations/postgres/0007_people.sql")),
    (8, "asked_approvals", include_str!("../../migrations/postgres/0008_asked_approvals.sql")),
    (9, "any_round", include_str!("../../migrations/postgres/0009_any_round.sql")),
    (10, "tokens", include_str!("../../migrations/postgres/0010_tokens.sql")),
    (11, "clock", include_str!("../../migrations/postgres/0011_clock.sql")),
];

pub fn sqlite() -> Migrator {
    migrator(SQLITE)
}

pub fn postgres() -> Migrator {
    migrator(POSTGRES)
}

/// Whether exactly these migrations were applied, by version and checksum.
pub fn are(migrator: &Migrator, applied: &[(i64, Vec<u8>)]) -> bool {
    migrator.iter().map(|one| (one.version, &*one.checksum)).eq(applied.iter().map(|(v, sum)| (*v, &**sum)))
}

fn migrator(migrations: Migrations) -> Migrator {
    let migrations = migrations.iter().map(|(version, name, sql)| {
        Migration::new(*version, (*name).into(), MigrationType::Simple, sql.into_sql_str(), false)
    });
    Migrator::with_migrations(migrations.collect())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn both_engines_have_the_same_migrations_tables_and_columns() {
        let named =
            |migrations: Migrations| migrations.iter().map(|(version, name, _)| (*version, *name)).collect::<Vec<_>>();
        let columns =
            |migrations: Migrations| migrations.iter().flat_map(|(_, _, sql)| columns(sql)).collect::<Vec<_>>();
        assert_eq!(named(SQLITE), named(POSTGRES));
        let (sqlite, postgres) = (columns(SQLITE), columns(POSTGRES));
        assert_eq!(BTreeSet::from_iter(&sqlite), BTreeSet::from_iter(&postgres));
        assert!(postgres.len() > 20);
    }

    /// Every `table.column` of a migration.
    fn columns(sql: &str) -> Vec<String> {
        let mut table = String::new();
        let mut found = Vec::new();
        for line in sql.lines() {
            let rest = line.strip_prefix("CREATE TABLE ").or_else(|| line.strip_prefix("ALTER TABLE "));
            if let Some(rest) = rest {
                rest.split_whitespace().next().unwrap().clone_into(&mut table);
            }
            let mut parts = line.split_whitespace();
            if let (Some(column), Some("TEXT" | "INTEGER" | "BIGINT")) = (parts.next(), parts.next()) {
                found.push(format!("{table}.{column}"));
            }
        }
        found
    }
}
