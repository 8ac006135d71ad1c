//! The database's copies of imported lexica: what a further server, or one that lost a file, has them
//! from. Nothing here is trusted; whoever opens a copy verifies it as he would a file.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::db::{Arg, Db, DbError};
use super::statements as sql;
use super::transaction::Transaction;

/// A lexicon as it is kept: its manifest's JSON and its index, byte for byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copy {
    pub manifest: String,
    pub index: Vec<u8>,
}

/// Keeps a copy.
///
/// # Errors
/// Where the database fails or has one already.
pub async fn keep(tx: &mut Transaction<'_>, id: &str, fingerprint: &str, copy: &Copy) -> Result<(), DbError> {
    let index = STANDARD.encode(&copy.index);
    let args = [Arg::Text(id), Arg::Text(fingerprint), Arg::Text(&copy.manifest), Arg::Text(&index)];
    tx.execute(sql::ADD_LEXICON, &args).await.map(drop)
}

/// The copy of a lexicon, if there is one.
///
/// # Errors
/// Where the database fails or the copy is no base64.
pub async fn copy_of(db: &Db, id: &str, fingerprint: &str) -> Result<Option<Copy>, DbError> {
    let rows = db.fetch(sql::LEXICON, &[Arg::Text(id), Arg::Text(fingerprint)]).await?;
    let Some(row) = rows.first() else { return Ok(None) };
    let index = STANDARD.decode(row.text("index_base64")?);
    let index = index.map_err(|_| DbError::Impossible { what: format!("the copy of lexicon {id} is no base64") })?;
    Ok(Some(Copy { manifest: row.text("manifest")?, index }))
}
