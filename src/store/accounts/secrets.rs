//! PINs and passphrases: drawing and hashing them. The database keeps only the hashes.

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};

use crate::domain::{Role, human_code};
use crate::system::{NoRandomness, System};

use crate::store::accounts::staff::PeopleError;

/// A judge types six digits at a paired device; every other role has a passphrase of 100 bits.
pub(in crate::store) fn new_secret(system: &System, role: Role) -> Result<String, NoRandomness> {
    if role == Role::Judge {
        let drawn = u64::from_be_bytes(system.random_bytes::<8>()?);
        return Ok(format!("{:06}", drawn % 1_000_000));
    }
    Ok(human_code::phrase(&system.random_bytes::<20>()?))
}

/// Hashes slowly, on a blocking thread: Argon2id, 19 MiB, two passes.
///
/// # Errors
/// If hashing fails.
pub async fn hash_secret(secret: String) -> Result<String, PeopleError> {
    let hash = move || Argon2::default().hash_password(secret.as_bytes()).map(|hash| hash.to_string());
    let done = tokio::task::spawn_blocking(hash).await.map_err(|error| PeopleError::Hash(error.to_string()))?;
    done.map_err(|error| PeopleError::Hash(error.to_string()))
}

/// Whether the secret has this hash. Without a hash the answer is false and takes as long.
pub async fn verify_secret(secret: String, hash: Option<String>) -> bool {
    // The hash of a value that no one can type.
    const DUMMY_HASH: &str =
        "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$wWKIQYwzUCYbXAVQpmSyC5oOJnjVYrSUYBqWWwrmPJE";
    let checked = tokio::task::spawn_blocking(move || {
        let is_known = hash.is_some();
        let hash = hash.unwrap_or_else(|| DUMMY_HASH.to_owned());
        let fits = PasswordHash::new(&hash)
            .is_ok_and(|hash| Argon2::default().verify_password(secret.as_bytes(), &hash).is_ok());
        fits && is_known
    });
    checked.await.unwrap_or(false)
}
