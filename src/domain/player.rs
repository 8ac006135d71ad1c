//! The two players of a slip.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// One of the two players of a slip. The opponent is the player of the challenged play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Player {
    Challenger,
    Opponent,
}

/// The player on whom a penalty falls, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PlayerOrNone {
    Challenger,
    Opponent,
    None,
}

impl From<Player> for PlayerOrNone {
    fn from(player: Player) -> Self {
        match player {
            Player::Challenger => Self::Challenger,
            Player::Opponent => Self::Opponent,
        }
    }
}
