//! What follows from the ruling: board, turn, points, and the sentence the table reads.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::ruleset::{Per, Ruleset, Side, Unsuccessful};
use super::ruling::Ruling;

/// The penalty of a standing ruling, as recorded and shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Penalty {
    pub play: Play,
    pub loses_turn: Loser,
    pub points: Points,
    /// Whether a penalty that would be due is not taken. Never on an unacceptable play.
    pub waived: bool,
    /// What the table does now, in one or two sentences.
    pub instruction: String,
    /// What to undo first, where a ruling was reversed.
    pub undo: Option<String>,
    /// The rule it rests on.
    pub rule: String,
}

/// What happens on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Play {
    Stays,
    ComesOff,
}

/// Who loses the turn. `Opponent` is the player of the challenged play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Loser {
    Challenger,
    Opponent,
    None,
}

/// Whose score changes, and by how much; the amount is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Points {
    pub to: Loser,
    pub amount: i64,
}

/// The ruleset's price of an unsuccessful challenge with the event's own choices in place of the
/// values a federation leaves to it. `None` keeps the ruleset's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    pub points: Option<i64>,
    pub per: Option<Per>,
    pub side: Option<Side>,
}

/// The challenged play as far as its penalty depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Challenged {
    /// How many words were challenged.
    pub words: usize,
    /// Whether the play ended the game.
    pub out_play: bool,
}

/// The penalty for a play on which `ruling` was given.
#[must_use]
pub fn penalty(ruleset: &Ruleset, choices: Choices, ruling: Ruling, play: Challenged) -> Penalty {
    match ruling {
        Ruling::Acceptable => stays(&ruleset.unsuccessful, choices, play),
        Ruling::Unacceptable => comes_off(&ruleset.unacceptable.rule),
    }
}

/// Source: WESPA 3.10; an unsuccessful challenge of the out-play ends the game, NSF III.B.
fn stays(price: &Unsuccessful, choices: Choices, play: Challenged) -> Penalty {
    let each = choices.points.unwrap_or(price.points);
    let times = match choices.per.unwrap_or(price.per) {
        Per::Play => 1,
        Per::Word => i64::try_from(play.words).unwrap_or(i64::MAX),
    };
    let points = points(choices.side.unwrap_or(price.side), each.saturating_mul(times));
    let loses_turn = if price.loses_turn { Loser::Challenger } else { Loser::None };
    let next = match loses_turn {
        _ if play.out_play => "The game is over.",
        Loser::Challenger => "The challenger loses the turn.",
        Loser::None | Loser::Opponent => "The challenger is on move.",
    };
    Penalty {
        play: Play::Stays,
        loses_turn,
        points,
        waived: false,
        instruction: format!("{} {next}", points.in_words()),
        undo: None,
        rule: price.rule.clone(),
    }
}

fn comes_off(rule: &str) -> Penalty {
    Penalty {
        play: Play::ComesOff,
        loses_turn: Loser::Opponent,
        points: Points { to: Loser::None, amount: 0 },
        waived: false,
        instruction: "The opponent takes the tiles back, scores 0 and loses the turn. The challenger is on move."
            .to_owned(),
        undo: None,
        rule: rule.to_owned(),
    }
}

fn points(side: Side, amount: i64) -> Points {
    match side {
        _ if amount == 0 => Points { to: Loser::None, amount: 0 },
        Side::Opponent => Points { to: Loser::Opponent, amount },
        Side::Challenger => Points { to: Loser::Challenger, amount: -amount },
    }
}

impl Points {
    fn in_words(self) -> String {
        match self.to {
            Loser::None => "The play stays.".to_owned(),
            Loser::Opponent => format!("The play stays and the opponent scores {} more points.", self.amount),
            Loser::Challenger => format!("The play stays and the challenger loses {} points.", -self.amount),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wespa(choices: Choices, ruling: Ruling, words: usize) -> Penalty {
        penalty(&Ruleset::shipped("wespa").unwrap(), choices, ruling, Challenged { words, out_play: false })
    }

    /// WESPA 3.10
    #[test]
    fn five_points_a_word_go_to_the_opponent() {
        let three = wespa(Choices::default(), Ruling::Acceptable, 3);
        assert_eq!(three.points, Points { to: Loser::Opponent, amount: 15 });
        assert_eq!((three.play, three.loses_turn, three.waived), (Play::Stays, Loser::None, false));
        assert_eq!(
            three.instruction,
            "The play stays and the opponent scores 15 more points. The challenger is on move."
        );
    }

    /// WESPA 3.10
    #[test]
    fn an_unacceptable_play_comes_off_whatever_the_number_of_words() {
        let one = wespa(Choices::default(), Ruling::Unacceptable, 1);
        assert_eq!(one, wespa(Choices::default(), Ruling::Unacceptable, 8));
        assert_eq!((one.play, one.loses_turn, one.points.amount), (Play::ComesOff, Loser::Opponent, 0));
    }

    /// NSF III.B
    #[test]
    fn an_unsuccessful_challenge_of_the_out_play_ends_the_game() {
        let wespa = Ruleset::shipped("wespa").unwrap();
        let of =
            |ruling| penalty(&wespa, Choices::default(), ruling, Challenged { words: 1, out_play: true }).instruction;
        assert_eq!(of(Ruling::Acceptable), "The play stays and the opponent scores 5 more points. The game is over.");
        assert!(of(Ruling::Unacceptable).ends_with("The challenger is on move."));
    }

    #[test]
    fn an_event_may_choose_its_points_their_count_and_their_side() {
        let ten_a_play = Choices { points: Some(10), per: Some(Per::Play), side: None };
        assert_eq!(wespa(ten_a_play, Ruling::Acceptable, 3).points, Points { to: Loser::Opponent, amount: 10 });
        let off_the_challenger = Choices { side: Some(Side::Challenger), ..ten_a_play };
        assert_eq!(
            wespa(off_the_challenger, Ruling::Acceptable, 3).points,
            Points { to: Loser::Challenger, amount: -10 }
        );
        let free = Choices { points: Some(0), ..Choices::default() };
        assert_eq!(wespa(free, Ruling::Acceptable, 3).points, Points { to: Loser::None, amount: 0 });
    }
}
