//! The migrations, carried inside the program.

use sqlx::SqlSafeStr;
use sqlx::migrate::{Migration, MigrationType, Migrator};

/// Version, name and text of each SQLite migration, in order.
const SQLITE: [(i64, &str, &str); 1] = [(1, "ledger", include_str!("../../migrations/sqlite/0001_ledger.sql"))];

/// The migrations of the SQLite engine.
pub fn sqlite() -> Migrator {
    let migrations = SQLITE.map(|(version, name, sql)| {
        Migration::new(version, name.into(), MigrationType::Simple, sql.into_sql_str(), false)
    });
    Migrator::with_migrations(migrations.into())
}
