//! Instructions to the two players after a ruling: from the recorded penalty, each line to one of them by name.

use crate::domain::penalty::{Penalty, Play, Points};
use crate::domain::player::PlayerOrNone;
use crate::web::pages::i18n::Messages;
use crate::web::pages::views::station::{Instruction, PointsChange};

/// What each player does now. `out_play` ends the game where the play stays. Source: NSF II.L.5, NSF III.B, INSA
/// Challenges, NASPA IV.I.3, WESPA 3.10, NO.
pub fn instructions(t: &Messages, penalty: &Penalty, out_play: bool) -> Vec<Instruction> {
    let line =
        |whom: &dyn ToString, text: &dyn ToString| Instruction { whom: whom.to_string(), text: text.to_string() };
    let challenger = |text: &dyn ToString| line(&t.for_challenger, text);
    let player = |text: &dyn ToString| line(&t.for_player, text);
    match (penalty.play, penalty.loses_turn) {
        (Play::ComesOff, _) => vec![player(&t.take_back), challenger(&t.your_turn)],
        (Play::Stays, _) if out_play => vec![player(&t.play_stays), line(&t.for_both, &t.game_over)],
        (Play::Stays, PlayerOrNone::Challenger) => vec![player(&t.play_stays_your_turn), challenger(&t.lose_turn)],
        (Play::Stays, _) if penalty.waived => vec![player(&t.play_stays), challenger(&t.no_penalty)],
        (Play::Stays, _) => vec![player(&t.play_stays), challenger(&t.your_turn)],
    }
}

/// Whose score changes and by how much; `None` if no points change hands.
pub fn points_change(t: &Messages, points: Points) -> Option<PointsChange> {
    let (amount, whose) = match points.whose {
        PlayerOrNone::None => return None,
        PlayerOrNone::Opponent => (format!("+{}", points.amount), &t.points_to_player),
        PlayerOrNone::Challenger => (format!("−{}", -points.amount), &t.points_from_challenger),
    };
    Some(PointsChange { amount, whose: whose.to_string() })
}

/// The parts of an earlier ruling to undo first, and the instructions for rare cases.
pub fn undo_lines(t: &Messages, penalty: &Penalty) -> (Vec<String>, Vec<String>) {
    let lines = penalty.undo_lines();
    let translate = |lines: Vec<&str>| lines.into_iter().map(|line| t.translate(line)).collect();
    (translate(lines.reversal), translate(lines.rare))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Ruling;
    use crate::domain::penalty::{Challenged, Choices, penalty, reversing};
    use crate::domain::ruleset::Ruleset;

    fn lines_for(lang: &str, ruleset: &str, ruling: Ruling, play: Challenged) -> Vec<String> {
        let penalty = penalty(&Ruleset::shipped(ruleset).unwrap(), Choices::default(), ruling, play);
        let lines = instructions(Messages::of(lang).unwrap(), &penalty, play.out_play);
        lines.into_iter().map(|line| format!("{} {}", line.whom, line.text)).collect()
    }

    const PLAY: Challenged = Challenged { words: 2, out_play: false, earlier: 0, any_in_second: true };

    #[test]
    fn an_unacceptable_play_tells_both_players_what_to_do_under_every_ruleset() {
        for ruleset in Ruleset::shipped_names() {
            assert_eq!(
                lines_for("en", ruleset, Ruling::Unacceptable, PLAY),
                ["Player of the challenged play: take the tiles back, score 0.", "Challenger: your turn."]
            );
            assert_eq!(
                lines_for("fr", ruleset, Ruling::Unacceptable, PLAY),
                [
                    "Le joueur du coup contesté reprend ses lettres et marque zéro point.",
                    "Le joueur qui conteste joue."
                ]
            );
        }
    }

    #[test]
    fn an_acceptable_play_tells_whose_turn_it_is() {
        for ruleset in ["naspa", "insa"] {
            assert_eq!(
                lines_for("en", ruleset, Ruling::Acceptable, PLAY),
                [
                    "Player of the challenged play: your play stays, and it is your turn.",
                    "Challenger: you lose your turn."
                ]
            );
        }
        for ruleset in ["wespa", "nigeria", "nsf", "naspa-collins", "norway"] {
            assert_eq!(
                lines_for("en", ruleset, Ruling::Acceptable, PLAY),
                ["Player of the challenged play: your play stays.", "Challenger: your turn."]
            );
        }
        let waived = lines_for("en", "insa", Ruling::Acceptable, Challenged { any_in_second: false, ..PLAY });
        assert!(waived[1].starts_with("Challenger: no penalty"), "{waived:?}");
        let out = lines_for("en", "naspa", Ruling::Acceptable, Challenged { out_play: true, ..PLAY });
        assert_eq!(out[1], "Both players: the game is over.");
    }

    /// Every undo line of the shipped rulesets and of reversals begins with the player whom it addresses, in every
    /// language.
    #[test]
    fn every_undo_line_begins_with_whom_it_speaks_to() {
        for t in Messages::all() {
            for ruleset in Ruleset::shipped_names().filter_map(Ruleset::shipped) {
                let all = [Ruling::Acceptable, Ruling::Unacceptable]
                    .map(|ruling| penalty(&ruleset, Choices::default(), ruling, PLAY));
                let reversed = [reversing(&all[0], all[1].clone()), reversing(&all[1], all[0].clone())];
                for penalty in all.iter().chain(&reversed) {
                    let (first, rare) = undo_lines(t, penalty);
                    for line in first.iter().chain(&rare) {
                        let whom = [&t.for_player, &t.for_challenger, &t.for_both].map(ToString::to_string);
                        assert!(whom.iter().any(|whom| line.starts_with(whom.as_str())), "{}: {line}", ruleset.name);
                    }
                }
            }
        }
    }

    #[test]
    fn points_say_whose_they_are() {
        let t = Messages::of("en").unwrap();
        let change_for = |ruleset| {
            let penalty = penalty(&Ruleset::shipped(ruleset).unwrap(), Choices::default(), Ruling::Acceptable, PLAY);
            points_change(t, penalty.points).map(|change| format!("{} {}", change.amount, change.whose))
        };
        assert_eq!(change_for("wespa").as_deref(), Some("+10 for the player of the challenged play"));
        assert_eq!(change_for("norway").as_deref(), Some("−10 for the challenger"));
        assert_eq!(change_for("naspa"), None);
    }
}
