//! The database's copies of imported lexica, from which a further server, or one that lost a file, gets them. The
//! copies are not trusted: a server that opens a copy verifies it like a file.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::db::{Arg, Db, DbError};
use super::statements as sql;
use super::transaction::Transaction;

/// A copy of a lexicon: its manifest's JSON and its index, byte for byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copy {
    pub manifest: String,
    pub index: Vec<u8>,
}

/// Stores a copy.
///
/// # Errors
/// If the database fails or has a copy already.
pub async fn keep(tx: &mut Transaction<'_>, id: &str, fingerprint: &str, copy: &Copy) -> Result<(), DbError> {
    let index = STANDARD.encode(&copy.index);
    let args = [Arg::Text(id), Arg::Text(fingerprint), Arg::Text(&copy.manifest), Arg::Text(&index)];
    tx.execute(sql::ADD_LEXICON, &args).await.map(drop)
}

/// The copy of a lexicon, if there is one.
///
/// # Errors
/// If the database fails or the copy is not base64.
pub async fn copy_of(db: &Db, id: &str, fingerprint: &str) -> Result<Option<Copy>, DbError> {
    let rows = db.fetch(sql::LEXICON, &[Arg::Text(id), Arg::Text(fingerprint)]).await?;
    let Some(row) = rows.first() else { return Ok(None) };
    let index = STANDARD.decode(row.text("index_base64")?);
    let index = index.map_err(|_| DbError::Impossible { what: format!("the copy of lexicon {id} is no base64") })?;
    Ok(Some(Copy { manifest: row.text("manifest")?, index }))
}
