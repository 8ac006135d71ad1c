//! The penalty of a ruling: board, turn, points, and the sentence that the table reads.

use crate::domain::player::{Player, PlayerOrNone};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::ruleset::{Cost, DispositionKind, Per, Ruleset, Unsuccessful, Waiver};
use super::ruling::Ruling;

/// The penalty of a standing ruling, as recorded and shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Penalty {
    pub play: Play,
    pub loses_turn: PlayerOrNone,
    pub points: Points,
    /// Whether a penalty that would be due is not taken. Never on an unacceptable play.
    pub waived: bool,
    /// What the table does now, in one or two sentences.
    pub instruction: String,
    /// What the table undoes first, where a ruling was reversed.
    #[schema(required = true)]
    pub undo: Option<String>,
    /// The rule it rests on.
    pub rule: String,
}

/// What happens to the play on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Play {
    Stays,
    ComesOff,
}

/// Whose score changes, and by how much; the amount is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Points {
    #[serde(rename = "to")]
    pub whose: PlayerOrNone,
    pub amount: i64,
}

/// The event's own choices for the penalty of an unsuccessful challenge, in place of the ruleset's values that a
/// federation leaves open. `None` uses the ruleset's value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    pub points: Option<i64>,
    pub per: Option<Per>,
    pub side: Option<Player>,
}

/// The challenged play as far as its penalty depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Challenged {
    /// How many words were challenged.
    pub words: usize,
    /// Whether the play ended the game.
    pub out_play: bool,
    /// How many unsuccessful challenges the challenger had made before; 0 where the ruleset does not count them.
    pub earlier: u64,
    /// Whether a challenged word is in the division's second lexicon. It counts only where the play is acceptable.
    pub any_in_second: bool,
}

/// The penalty for a play on which `ruling` was given.
#[must_use]
pub fn penalty(ruleset: &Ruleset, choices: Choices, ruling: Ruling, play: Challenged) -> Penalty {
    match ruling {
        Ruling::Unacceptable => comes_off(ruleset),
        Ruling::Acceptable if is_waived(&ruleset.unsuccessful, play) => waived(&ruleset.unsuccessful, play),
        Ruling::Acceptable => stays(&ruleset.unsuccessful, choices, play),
    }
}

/// The penalty where a player concedes: that of an acceptable play for the challenger, of an unacceptable one for the
/// opponent, and nothing is waived, since nothing is looked up. Source: D 3.
fn conceded(ruleset: &Ruleset, choices: Choices, by: Player, play: Challenged) -> Penalty {
    match by {
        Player::Challenger => stays(&ruleset.unsuccessful, choices, play),
        Player::Opponent => comes_off(ruleset),
    }
}

/// The penalty where a challenge ends without a look-up; `None` for a challenge that was refused.
#[must_use]
pub fn ended(ruleset: &Ruleset, choices: Choices, kind: DispositionKind, play: Challenged) -> Option<Penalty> {
    match kind {
        DispositionKind::ConcededByChallenger => Some(conceded(ruleset, choices, Player::Challenger, play)),
        DispositionKind::ConcededByOpponent => Some(conceded(ruleset, choices, Player::Opponent, play)),
        DispositionKind::Withdrawn | DispositionKind::Void => Some(nothing(&ruleset.dispositions.rule)),
        DispositionKind::Abandoned => Some(nothing("D 4")),
        DispositionKind::Refused => None,
    }
}

/// The empty penalty of a challenge that is withdrawn, void or abandoned. Source: NSF II.L.1, NSF II.L.8, D 4.
fn nothing(rule: &str) -> Penalty {
    let instruction = "The challenge is over without a look-up. The play stays and the game goes on.".to_owned();
    Penalty { instruction, ..board(Play::Stays, PlayerOrNone::None, Points::NONE, rule) }
}

/// The penalty of a ruling that replaces another one. Its undo text lists what the table undoes of that one, in order.
/// Source: NSF II.L.3, NSF II.L.6, NASPA II.C.
#[must_use]
pub fn reversing(before: &Penalty, now: Penalty) -> Penalty {
    let is_reversed = before.play != now.play;
    let back_on = (is_reversed && now.play == Play::Stays).then(|| PUT_BACK.to_owned());
    let turn = match before.loses_turn {
        same if same == now.loses_turn => None,
        PlayerOrNone::Challenger => Some(CHALLENGER_TURN_BACK.to_owned()),
        PlayerOrNone::Opponent => Some(OPPONENT_TURN_BACK.to_owned()),
        PlayerOrNone::None => None,
    };
    let points = match before.points.whose {
        _ if before.points == now.points => None,
        PlayerOrNone::Opponent => {
            Some(format!("Take the {} points away from the opponent again.", before.points.amount))
        }
        PlayerOrNone::Challenger => Some(format!("Give the challenger the {} points back.", -before.points.amount)),
        PlayerOrNone::None => None,
    };
    let first = now.undo.clone().filter(|_| is_reversed);
    let lines: Vec<String> = first.into_iter().chain(back_on).chain(turn).chain(points).collect();
    Penalty { undo: (!lines.is_empty()).then(|| lines.join(" ")), ..now }
}

const PUT_BACK: &str = "Put the play back on the board and score it.";
const CHALLENGER_TURN_BACK: &str = "The challenger gets the lost turn back.";
const OPPONENT_TURN_BACK: &str = "The opponent gets the lost turn back.";

/// The lines of an undo text, by when the table needs them.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct UndoLines<'text> {
    /// The lines that undo the earlier ruling: the table does this before anything else.
    pub reversal: Vec<&'text str>,
    /// The lines that the ruleset adds to every unacceptable play, for rare cases.
    pub rare: Vec<&'text str>,
}

impl Penalty {
    /// The lines of [`Self::undo`], separated by kind.
    #[must_use]
    pub fn undo_lines(&self) -> UndoLines<'_> {
        let lines = self.undo.as_deref().unwrap_or_default().split_inclusive(". ").map(str::trim_end);
        let (reversal, rare) = lines.partition(|line| is_reversal(line));
        UndoLines { reversal, rare }
    }
}

fn is_reversal(line: &str) -> bool {
    let is_points = (line.starts_with("Take the ") && line.ends_with(" points away from the opponent again."))
        || (line.starts_with("Give the challenger the ") && line.ends_with(" points back."));
    is_points || [PUT_BACK, CHALLENGER_TURN_BACK, OPPONENT_TURN_BACK].contains(&line)
}

/// Whether the penalty of an unsuccessful challenge is waived. Only challenged words count. Source: INSA Challenges.
fn is_waived(price: &Unsuccessful, play: Challenged) -> bool {
    match price.waived {
        Some(Waiver::NoneInSecondLexicon) => !play.any_in_second,
        None => false,
    }
}

fn waived(price: &Unsuccessful, play: Challenged) -> Penalty {
    let instruction = "The play stays. Nothing is lost, since no challenged word is in the second lexicon.";
    Penalty {
        waived: true,
        instruction: format!("{instruction} {}", next(PlayerOrNone::None, play)),
        ..board(Play::Stays, PlayerOrNone::None, Points::NONE, &price.rule)
    }
}

/// The penalty of an acceptable play. Source: NSF II.L.5, NASPA IV.I.3, NASPA VI.B.3, WESPA 3.10, NO.
fn stays(price: &Unsuccessful, choices: Choices, play: Challenged) -> Penalty {
    let loses_turn = if price.costs == Cost::Turn { PlayerOrNone::Challenger } else { PlayerOrNone::None };
    let points = points(price, choices, play).unwrap_or(Points::NONE);
    Penalty {
        instruction: format!("{} {}", points.in_words(), next(loses_turn, play)),
        ..board(Play::Stays, loses_turn, points, &price.rule)
    }
}

/// The sentence that says who moves next. An unsuccessful challenge of the out-play ends the game. Source: NSF II.L.5
/// (the challenger keeps the turn), NSF III.B.
fn next(loses_turn: PlayerOrNone, play: Challenged) -> &'static str {
    match loses_turn {
        _ if play.out_play => "The game is over.",
        PlayerOrNone::Challenger => "The challenger loses the turn.",
        PlayerOrNone::None | PlayerOrNone::Opponent => "The challenger is on move.",
    }
}

/// The penalty of an unacceptable play. Source: NSF II.L.5, INSA Challenges, NASPA IV.I.3, WESPA 3.10.
fn comes_off(ruleset: &Ruleset) -> Penalty {
    let first: Vec<&str> = ruleset.undo.iter().map(|line| line.text.as_str()).collect();
    Penalty {
        instruction: "The opponent takes the tiles back, scores 0 and loses the turn. The challenger is on move."
            .to_owned(),
        undo: (!first.is_empty()).then(|| first.join(" ")),
        ..board(Play::ComesOff, PlayerOrNone::Opponent, Points::NONE, &ruleset.unacceptable.rule)
    }
}

fn board(play: Play, loses_turn: PlayerOrNone, points: Points, rule: &str) -> Penalty {
    Penalty { play, loses_turn, points, waived: false, instruction: String::new(), undo: None, rule: rule.to_owned() }
}

/// The points of an unsuccessful challenge; `None` where it costs none.
fn points(price: &Unsuccessful, choices: Choices, play: Challenged) -> Option<Points> {
    let each = choices.points.or(price.points_after(play.earlier))?;
    let times = match choices.per.or(price.per)? {
        Per::Play => 1,
        Per::Word => i64::try_from(play.words).unwrap_or(i64::MAX),
    };
    Some(Points::of(choices.side.or(price.side)?, each.saturating_mul(times)))
}

impl Points {
    const NONE: Self = Self { whose: PlayerOrNone::None, amount: 0 };

    fn of(side: Player, amount: i64) -> Self {
        match side {
            _ if amount == 0 => Self::NONE,
            Player::Opponent => Self { whose: PlayerOrNone::Opponent, amount },
            Player::Challenger => Self { whose: PlayerOrNone::Challenger, amount: -amount },
        }
    }
    fn in_words(self) -> String {
        match self.whose {
            PlayerOrNone::None => "The play stays.".to_owned(),
            PlayerOrNone::Opponent => format!("The play stays and the opponent scores {} more points.", self.amount),
            PlayerOrNone::Challenger => format!("The play stays and the challenger loses {} points.", -self.amount),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(ruleset: &str, ruling: Ruling, play: Challenged) -> Penalty {
        penalty(&Ruleset::shipped(ruleset).unwrap(), Choices::default(), ruling, play)
    }

    fn wespa(choices: Choices, ruling: Ruling, words: usize) -> Penalty {
        penalty(&Ruleset::shipped("wespa").unwrap(), choices, ruling, play(words))
    }

    fn play(words: usize) -> Challenged {
        Challenged { words, out_play: false, earlier: 0, any_in_second: true }
    }

    #[test]
    fn an_escalation_costs_more_with_each_unsuccessful_challenge() {
        let club = Ruleset::shipped("wespa").unwrap().with("unsuccessful.escalation", "[0, 5, 20]").unwrap();
        let after =
            |earlier: u64, choices| penalty(&club, choices, Ruling::Acceptable, Challenged { earlier, ..play(2) });
        let amounts = [0, 1, 2, 3, 100].map(|earlier| after(earlier, Choices::default()).points.amount);
        assert_eq!(amounts, [0, 10, 40, 40, 40]);
        let chosen = Choices { points: Some(3), ..Choices::default() };
        assert_eq!(after(2, chosen).points.amount, 6, "what the event chose stands");
        let refused = |value: &str| Ruleset::shipped("wespa").unwrap().with("unsuccessful.escalation", value).is_err();
        assert!(refused("[]") && refused("[101]") && refused("[-1]") && refused("5"));
        let naspa = Ruleset::shipped("naspa").unwrap().with("unsuccessful.escalation", "[5]");
        assert!(naspa.unwrap_err().to_string().contains("an escalation is of points"));
    }

    /// WESPA 3.10
    #[test]
    fn five_points_a_word_go_to_the_opponent() {
        let three = wespa(Choices::default(), Ruling::Acceptable, 3);
        assert_eq!(three.points, Points { whose: PlayerOrNone::Opponent, amount: 15 });
        assert_eq!((three.play, three.loses_turn, three.waived), (Play::Stays, PlayerOrNone::None, false));
        assert_eq!(
            three.instruction,
            "The play stays and the opponent scores 15 more points. The challenger is on move."
        );
    }

    /// WESPA 3.10
    #[test]
    fn an_unacceptable_play_comes_off_for_any_number_of_words() {
        let one = wespa(Choices::default(), Ruling::Unacceptable, 1);
        assert_eq!(one, wespa(Choices::default(), Ruling::Unacceptable, 8));
        assert_eq!((one.play, one.loses_turn, one.points.amount), (Play::ComesOff, PlayerOrNone::Opponent, 0));
    }

    /// NSF III.B
    #[test]
    fn an_unsuccessful_challenge_of_the_out_play_ends_the_game() {
        let out = Challenged { out_play: true, ..play(1) };
        let says = |ruleset, ruling| of(ruleset, ruling, out).instruction;
        assert_eq!(
            says("wespa", Ruling::Acceptable),
            "The play stays and the opponent scores 5 more points. The game is over."
        );
        assert_eq!(says("naspa", Ruling::Acceptable), "The play stays. The game is over.");
        assert!(says("wespa", Ruling::Unacceptable).ends_with("The challenger is on move."));
    }

    /// RULES section 3, row by row: the penalty for three challenged words that are all acceptable.
    #[test]
    fn every_federation_has_its_price() {
        let costs = |ruleset| {
            let Penalty { play, loses_turn, points, .. } = of(ruleset, Ruling::Acceptable, play(3));
            assert_eq!(play, Play::Stays);
            (loses_turn, points.whose, points.amount)
        };
        assert_eq!(costs("nsf"), (PlayerOrNone::None, PlayerOrNone::Opponent, 10));
        assert_eq!(costs("nigeria"), (PlayerOrNone::None, PlayerOrNone::Opponent, 10));
        assert_eq!(costs("insa"), (PlayerOrNone::Challenger, PlayerOrNone::None, 0));
        assert_eq!(costs("naspa"), (PlayerOrNone::Challenger, PlayerOrNone::None, 0));
        assert_eq!(costs("naspa-collins"), (PlayerOrNone::None, PlayerOrNone::Opponent, 15));
        assert_eq!(costs("wespa"), (PlayerOrNone::None, PlayerOrNone::Opponent, 15));
        assert_eq!(costs("norway"), (PlayerOrNone::None, PlayerOrNone::Challenger, -10));
        assert_eq!(
            of("norway", Ruling::Acceptable, play(3)).instruction,
            "The play stays and the challenger loses 10 points. The challenger is on move."
        );
        assert_eq!(
            of("naspa", Ruling::Acceptable, play(3)).instruction,
            "The play stays. The challenger loses the turn."
        );
    }

    /// RULES section 3: every ruleset has one penalty for an unacceptable play.
    #[test]
    fn an_unacceptable_play_comes_off_under_every_ruleset() {
        for ruleset in Ruleset::shipped_names() {
            for any_in_second in [false, true] {
                let Penalty { play, loses_turn, points, waived, .. } =
                    of(ruleset, Ruling::Unacceptable, Challenged { any_in_second, ..play(2) });
                assert_eq!(
                    (play, loses_turn, points),
                    (Play::ComesOff, PlayerOrNone::Opponent, Points::NONE),
                    "{ruleset}"
                );
                assert!(!waived, "{ruleset}");
            }
        }
    }

    /// INSA Challenges
    #[test]
    fn the_turn_is_kept_where_no_challenged_word_is_in_the_second_lexicon() {
        let none = of("insa", Ruling::Acceptable, Challenged { any_in_second: false, ..play(2) });
        assert_eq!((none.loses_turn, none.points, none.waived), (PlayerOrNone::None, Points::NONE, true));
        let some = of("insa", Ruling::Acceptable, play(2));
        assert_eq!((some.loses_turn, some.points, some.waived), (PlayerOrNone::Challenger, Points::NONE, false));
        let elsewhere = of("naspa", Ruling::Acceptable, Challenged { any_in_second: false, ..play(2) });
        assert!(!elsewhere.waived, "only where the ruleset says so");
    }

    /// NSF II.L.3, II.M
    #[test]
    fn an_unacceptable_play_lists_what_to_put_right_first() {
        let undo = of("nsf", Ruling::Unacceptable, play(1)).undo.unwrap();
        assert!(undo.starts_with("Show and return courtesy tiles") && undo.ends_with("count as overdrawn."), "{undo}");
        assert_eq!(of("nsf", Ruling::Acceptable, play(1)).undo, None);
    }

    /// Under every ruleset the lines that reverse a ruling are separated from those that the ruleset adds.
    #[test]
    fn undo_lines_are_reversals_or_the_ruleset_s_own() {
        for name in Ruleset::shipped_names() {
            let ruleset = Ruleset::shipped(name).unwrap();
            let [acceptable, unacceptable] =
                [Ruling::Acceptable, Ruling::Unacceptable].map(|ruling| of(name, ruling, play(2)));
            let own: Vec<&str> = ruleset.undo.iter().map(|line| line.text.as_str()).collect();
            assert_eq!(unacceptable.undo_lines(), UndoLines { reversal: Vec::new(), rare: own.clone() }, "{name}");
            let back = reversing(&unacceptable, acceptable.clone());
            assert!(back.undo_lines().rare.is_empty() && back.undo_lines().reversal[0] == PUT_BACK, "{name}");
            let off = reversing(&acceptable, unacceptable);
            assert_eq!(off.undo_lines().rare, own, "{name}");
            let is_reversed =
                acceptable.points.whose != PlayerOrNone::None || acceptable.loses_turn != PlayerOrNone::None;
            assert_eq!(!off.undo_lines().reversal.is_empty(), is_reversed, "{name}");
        }
    }

    #[test]
    fn an_event_may_choose_its_points_their_count_and_their_side() {
        let ten_a_play = Choices { points: Some(10), per: Some(Per::Play), side: None };
        assert_eq!(
            wespa(ten_a_play, Ruling::Acceptable, 3).points,
            Points { whose: PlayerOrNone::Opponent, amount: 10 }
        );
        let off_the_challenger = Choices { side: Some(Player::Challenger), ..ten_a_play };
        assert_eq!(
            wespa(off_the_challenger, Ruling::Acceptable, 3).points,
            Points { whose: PlayerOrNone::Challenger, amount: -10 }
        );
        let free = Choices { points: Some(0), ..Choices::default() };
        assert_eq!(wespa(free, Ruling::Acceptable, 3).points, Points { whose: PlayerOrNone::None, amount: 0 });
    }
}
