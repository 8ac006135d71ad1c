//! What the store promises of its database.

use adjudge::domain::ledger::Actor;
use adjudge::store::{Address, Db, Folder, FolderError, statements};
use adjudge::world::World;

use crate::floor::Desk;

/// On SQLite and, where the tests run on Postgres, there too.
#[tokio::test]
async fn every_statement_can_be_prepared() {
    let desk = Desk::empty();
    let address = match &desk.postgres {
        Some(url) => Address::Postgres(url.clone()),
        None => Address::Sqlite(desk.folder.path().join("adjudge.db")),
    };
    let db = Db::open(&address, true).await.unwrap();
    assert!(statements::ALL.len() > 10);
    for statement in statements::ALL {
        db.prepare(*statement).await.unwrap_or_else(|error| panic!("{}: {error}", statement.0));
    }
    db.close().await;
}

#[tokio::test]
async fn a_database_is_made_only_where_it_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("adjudge.db");
    assert!(Db::open(&Address::Sqlite(file.clone()), false).await.is_err());
    assert!(!file.exists());
}

#[tokio::test]
async fn an_init_that_was_cut_short_is_taken_up() {
    let root = tempfile::tempdir().unwrap();
    let folder = Folder::at(root.path().join("data"));
    let by = Actor { id: "t".into(), name: "t".into(), role: "operator".into() };
    std::fs::create_dir(folder.root()).unwrap();
    // The database was made, and then the power went.
    Db::open(folder.address(), true).await.unwrap().close().await;
    assert!(matches!(folder.open().await, Err(FolderError::NotInitialised(_))));
    folder.init(&World::Real, &by).await.unwrap().db.close().await;
    folder.open().await.unwrap().db.close().await;
    assert!(matches!(folder.init(&World::Real, &by).await, Err(FolderError::AlreadyInitialised(_))));
}
