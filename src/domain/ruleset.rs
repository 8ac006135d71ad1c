//! Rulesets: the penalties and procedures of a federation, as data.
//!
//! One file a ruleset under `rulesets/`, each value with the rule that it comes from, a `D` number where it is
//! our own decision, or `U` where the rules are silent. Unknown keys are refused, so that a misspelt one cannot
//! silently leave a default in force, and so are rulesets that contradict themselves.

use crate::domain::player::Player;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::ledger::{Hash, canonical};

/// The data of one ruleset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ruleset {
    /// The name in the API, for example `wespa`.
    pub name: String,
    /// The federation, for people.
    pub title: String,
    /// Which edition of the rules the values were taken from.
    pub edition: String,
    /// Whether that edition is in force.
    pub status: String,
    pub unacceptable: Unacceptable,
    pub unsuccessful: Unsuccessful,
    pub self_lookup: Allowed,
    pub binding: Binding,
    pub not_found: NotFound,
    pub reviews: Reviews,
    pub dispositions: Dispositions,
    pub lapses: Lapses,
    /// Whether a player may have a second opinion on a director's ruling.
    pub director_opinions: Allowed,
    /// Points of spread for an erroneous adjudication; none where the federation has none.
    pub compensation: Option<Compensation>,
    /// The deadlines of challenges and reviews, as lines of text, because the server does not see the game clock.
    /// Source: NSF II.L.2, NSF II.L.3, NSF II.P, NSF III.B, NASPA IV.I.2, NASPA V.E, INSA Challenges.
    #[serde(default)]
    pub windows: Vec<Line>,
    /// What the players put right on the board first when a play comes off, in order. Source: NSF II.L.3, NSF II.M,
    /// NASPA III.G.6.
    #[serde(default)]
    pub undo: Vec<Line>,
}

/// The rule for an unacceptable play. Its penalty does not differ between rulesets: the tiles go back and the turn is
/// lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unacceptable {
    pub rule: String,
}

/// The penalty for a challenge of an acceptable play.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unsuccessful {
    pub costs: Cost,
    /// 1 to 100. This field and the next two are set only where the cost is points.
    pub points: Option<i64>,
    pub per: Option<Per>,
    pub side: Option<Player>,
    /// The points of a player's first unsuccessful challenge of the tournament, of the second, and so on, in place of
    /// `points`; the last for all further ones. Each 0 to 100. The challenger's name is needed then.
    pub escalation: Option<Vec<i64>>,
    /// When the penalty is waived.
    pub waived: Option<Waiver>,
    pub rule: String,
}

/// The price of an unsuccessful challenge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cost {
    Nothing,
    /// The challenger loses the turn.
    Turn,
    Points,
}

/// The unit by which the points of an unsuccessful challenge are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Per {
    Play,
    /// Every challenged word, a repeated one as often as it stands on the slip.
    Word,
}

/// When the penalty of an unsuccessful challenge is waived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Waiver {
    /// None of the challenged words is in the division's second lexicon.
    NoneInSecondLexicon,
}

/// A permission of a ruleset, with its rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Allowed {
    pub allowed: bool,
    pub rule: String,
}

/// From when a challenge cannot be taken back. Source: NSF II.L.2, NASPA IV.I.3.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Binding {
    pub by: Binds,
    pub rule: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Binds {
    /// The spoken word.
    Spoken,
    /// Stopping the clock, writing the slip, walking to the station, or summoning a judge.
    Act,
}

/// What happens to a word that the lexicon does not have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotFound {
    pub then: Then,
    pub rule: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = NotFoundThen)]
#[serde(rename_all = "kebab-case")]
pub enum Then {
    /// The word is unacceptable, without a cross-check.
    Final,
    /// On request the word is cross-checked in the sources that the list was made from.
    OnRequest,
}

/// Which reviews players may ask for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reviews {
    pub chain: Chain,
    pub rule: String,
}

/// How a chain of opinions goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Chain {
    /// A second opinion; a third if the two differ; final after the third. Source: NSF II.L.6.
    ThirdIfTheyDiffer,
    /// A second opinion; a further request goes to the director, whose ruling is final. Source: INSA Challenges, D 5.
    ThenTheDirector,
    /// One repeated look-up of the words and one manual look-up. Source: NASPA IV.J.1 i, n.
    OneLookUpAndOneManual,
}

/// How players may end a challenge without a look-up, at a station or through a client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dispositions {
    pub by_players: Vec<DispositionKind>,
    pub rule: String,
}

/// How a challenge ended without a look-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DispositionKind {
    Withdrawn,
    ConcededByChallenger,
    ConcededByOpponent,
    Void,
    Abandoned,
    Refused,
}

/// The lapse reasons that a judge may declare to end the time for reviews. A director may always declare that the
/// players left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lapses {
    pub by_judges: Vec<LapseCause>,
    pub rule: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LapseCause {
    TilesCommingled,
    NextPlayAndClock,
    PlayersLeft,
}

/// Points of spread for an erroneous adjudication. Source: NSF II.L.7.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Compensation {
    /// Added to the value of the play.
    pub added: i64,
    pub rule: String,
}

/// A line of text with the rule that it comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    pub text: String,
    pub rule: String,
}

/// The text is no ruleset.
#[derive(Debug, thiserror::Error)]
#[error("this is no ruleset: {0}")]
pub struct NoRuleset(String);

fn is_escalation(steps: &[i64]) -> bool {
    (1..=20).contains(&steps.len()) && steps.iter().all(|points| (0..=100).contains(points))
}

impl Unsuccessful {
    /// The points of a challenge after `earlier` unsuccessful challenges of its player.
    #[must_use]
    pub fn points_after(&self, earlier: u64) -> Option<i64> {
        let Some(steps) = &self.escalation else { return self.points };
        let step = usize::try_from(earlier).ok().and_then(|earlier| steps.get(earlier));
        step.or(steps.last()).copied()
    }
}

impl Ruleset {
    /// Reads a ruleset file.
    ///
    /// # Errors
    /// [`NoRuleset`] names the first thing that is wrong.
    pub fn from_toml(text: &str) -> Result<Self, NoRuleset> {
        let read: Self = toml::from_str(text).map_err(|error| NoRuleset(error.message().to_owned()))?;
        read.contradiction().map_or(Ok(read), |why| Err(NoRuleset(why.to_owned())))
    }

    /// The ruleset as the text of a ruleset file.
    #[must_use]
    pub fn to_toml(&self) -> String {
        toml::to_string_pretty(self).unwrap_or_default()
    }

    /// The ruleset with one value changed, for example `unsuccessful.points` to `10`. No rule book contains the new
    /// value, so the rule of its part becomes the event's own choice, unless the change is to the rule itself.
    ///
    /// # Errors
    /// [`NoRuleset`] where there is no such key, or the whole would contradict itself.
    pub fn with(&self, key: &str, value: &str) -> Result<Self, NoRuleset> {
        let no_key = || NoRuleset(format!("there is no {key}; adjudge ruleset show {} has the keys", self.name));
        let mut whole = toml::Table::try_from(self).map_err(|error| NoRuleset(error.to_string()))?;
        let body: toml::Value = format!("said = {value}")
            .parse::<toml::Table>()
            .ok()
            .and_then(|table| table.get("said").cloned())
            .unwrap_or_else(|| toml::Value::String(value.to_owned()));
        match key.split_once('.') {
            None if ["title", "edition", "status"].contains(&key) => {
                whole.insert(key.to_owned(), toml::Value::String(value.to_owned()));
            }
            None => return Err(no_key()),
            Some((part, field)) => {
                let part =
                    whole.entry(part).or_insert_with(|| toml::Table::new().into()).as_table_mut().ok_or_else(no_key)?;
                part.insert(field.to_owned(), body);
                if field != "rule" {
                    part.insert("rule".to_owned(), OWN.into());
                }
            }
        }
        Self::from_toml(&whole.to_string())
    }

    /// The lower-case hex SHA-256 of the values as canonical JSON. A slip records it to name the values that apply to
    /// it, so it must not change from one version of the program to the next.
    #[must_use]
    pub fn sha256(&self) -> String {
        let text = serde_json::to_value(self).ok().and_then(|values| canonical(&values).ok());
        Hash::of(text.unwrap_or_default().as_bytes()).to_string()
    }

    fn contradiction(&self) -> Option<&'static str> {
        let price = &self.unsuccessful;
        let has_points = [price.points.is_some(), price.per.is_some(), price.side.is_some()];
        let may_say = |kind| self.dispositions.by_players.contains(&kind);
        let checks = [
            (
                price.costs == Cost::Points && has_points != [true; 3],
                "a cost in points needs points, per (play or word) and side (opponent or challenger)",
            ),
            (
                price.costs != Cost::Points && has_points != [false; 3],
                "points, per and side are only for a cost in points: set costs = \"points\" or leave them out",
            ),
            (price.points.is_some_and(|points| !(1..=100).contains(&points)), "points must be 1 to 100"),
            (
                price.escalation.is_some() && price.costs != Cost::Points,
                "an escalation is of points: set costs = \"points\" or leave it out",
            ),
            (
                price.escalation.as_ref().is_some_and(|steps| !is_escalation(steps)),
                "an escalation has 1 to 20 steps, each of 0 to 100 points",
            ),
            (
                price.costs == Cost::Nothing && price.waived.is_some(),
                "nothing can be waived where an unsuccessful challenge costs nothing",
            ),
            (
                may_say(DispositionKind::Void) || may_say(DispositionKind::Refused),
                "players cannot declare a challenge void or refused",
            ),
            (self.lapses.by_judges.contains(&LapseCause::PlayersLeft), "only a director may say that the players left"),
            (
                self.compensation.as_ref().is_some_and(|owed| !(0..=1000).contains(&owed.added)),
                "compensation adds 0 to 1000 points",
            ),
        ];
        checks.into_iter().find(|(is_wrong, _)| *is_wrong).map(|(_, why)| why)
    }

    /// Whether the penalty of a player grows with each unsuccessful challenge.
    #[must_use]
    pub const fn escalates(&self) -> bool {
        self.unsuccessful.escalation.is_some()
    }

    /// A shipped ruleset; `None` where there is none of that name.
    #[must_use]
    pub fn shipped(name: &str) -> Option<Self> {
        let text = SHIPPED.iter().find(|(shipped, _)| *shipped == name)?.1;
        Self::from_toml(text).ok()
    }

    /// The names of the shipped rulesets.
    pub fn shipped_names() -> impl Iterator<Item = &'static str> {
        SHIPPED.iter().map(|(name, _)| *name)
    }

    /// The file of a shipped ruleset, with its comments.
    #[must_use]
    pub fn shipped_text(name: &str) -> Option<&'static str> {
        SHIPPED.iter().find(|(shipped, _)| *shipped == name).map(|(_, text)| *text)
    }

    /// Whether a division with this ruleset needs a second lexicon.
    #[must_use]
    pub fn needs_second(&self) -> bool {
        self.unsuccessful.waived == Some(Waiver::NoneInSecondLexicon)
    }
}

/// A rule as a sentence cites it: ` (NASPA II.D)`. Empty where the rule is from no rule book: `U` and `D 5` are marks
/// of these files, which mean nothing to players.
#[must_use]
pub fn citation(rule: &str) -> String {
    let is_decision = rule.strip_prefix("D ").is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
    if rule == "U" || is_decision { String::new() } else { format!(" ({rule})") }
}

/// In place of a rule's id, where an event chose the value itself.
const OWN: &str = "the event's own choice";

const SHIPPED: [(&str, &str); 7] = [
    ("nsf", include_str!("rulesets/nsf.toml")),
    ("nigeria", include_str!("rulesets/nigeria.toml")),
    ("insa", include_str!("rulesets/insa.toml")),
    ("naspa", include_str!("rulesets/naspa.toml")),
    ("naspa-collins", include_str!("rulesets/naspa-collins.toml")),
    ("wespa", include_str!("rulesets/wespa.toml")),
    ("norway", include_str!("rulesets/norway.toml")),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_ruleset_can_be_read_and_bears_its_name() {
        for (name, text) in SHIPPED {
            let read = Ruleset::from_toml(text).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(read.name, name);
        }
    }

    /// RULES section 3, the table: the penalty of an unsuccessful challenge.
    #[test]
    fn the_prices_are_those_of_the_rule_books() {
        let price = |name: &str| {
            let Unsuccessful { costs, points, per, side, .. } = Ruleset::shipped(name).unwrap().unsuccessful;
            (costs, points.zip(per).zip(side).map(|((points, per), side)| (points, per, side)))
        };
        let points = |points, per, side| (Cost::Points, Some((points, per, side)));
        assert_eq!(price("nsf"), points(10, Per::Play, Player::Opponent));
        assert_eq!(price("nigeria"), points(10, Per::Play, Player::Opponent));
        assert_eq!(price("wespa"), points(5, Per::Word, Player::Opponent));
        assert_eq!(price("naspa-collins"), points(5, Per::Word, Player::Opponent));
        assert_eq!(price("norway"), points(10, Per::Play, Player::Challenger));
        assert_eq!(price("naspa"), (Cost::Turn, None));
        assert_eq!(price("insa"), (Cost::Turn, None));
        let second: Vec<&str> =
            Ruleset::shipped_names().filter(|name| Ruleset::shipped(name).unwrap().needs_second()).collect();
        assert_eq!(second, ["insa"]);
    }

    /// RULES section 3, the table: who may look up, and how players may end a challenge.
    #[test]
    fn stations_and_dispositions_are_those_of_the_rule_books() {
        let that = |is: fn(&Ruleset) -> bool| -> Vec<&str> {
            Ruleset::shipped_names().filter(|name| is(&Ruleset::shipped(name).unwrap())).collect()
        };
        assert_eq!(that(|one| one.self_lookup.allowed), ["nigeria", "naspa", "naspa-collins", "wespa"]);
        assert_eq!(that(|one| one.director_opinions.allowed), ["naspa", "naspa-collins"]);
        assert_eq!(that(|one| one.compensation.is_some()), ["nsf"]);
        assert_eq!(that(|one| one.not_found.then == Then::OnRequest), ["nsf"]);
        assert_eq!(that(|one| one.binding.by == Binds::Act), ["naspa", "naspa-collins"]);
        assert_eq!(that(|one| !one.lapses.by_judges.is_empty()), ["naspa", "naspa-collins"]);
        let withdrawn = |one: &Ruleset| one.dispositions.by_players.contains(&DispositionKind::Withdrawn);
        assert_eq!(that(withdrawn), ["nsf", "naspa", "naspa-collins"]);
        let conceded = |one: &Ruleset| one.dispositions.by_players.contains(&DispositionKind::ConcededByOpponent);
        assert_eq!(that(conceded), ["naspa", "naspa-collins"]);
    }

    #[test]
    fn a_misspelt_key_and_what_contradicts_itself_are_refused_with_a_reason() {
        let wespa = Ruleset::shipped_text("wespa").unwrap();
        let refused = |from: &str, to: &str| {
            assert!(wespa.contains(from), "{from}");
            Ruleset::from_toml(&wespa.replace(from, to)).unwrap_err().to_string()
        };
        assert!(refused("points = 5", "pionts = 5").contains("unknown field `pionts`"));
        assert!(refused("points = 5", "points = 500").contains("points must be 1 to 100"));
        assert!(refused("points = 5", "").contains("needs points"));
        assert!(refused("costs = \"points\"", "costs = \"turn\"").contains("only for a cost in points"));
        assert!(refused("by_players = []", "by_players = [\"void\"]").contains("void or refused"));
        assert!(refused("by_judges = []", "by_judges = [\"players-left\"]").contains("only a director"));
        let free = "costs = \"nothing\"\nwaived = \"none-in-second-lexicon\"\nrule";
        let insa = Ruleset::shipped_text("insa").unwrap();
        let insa = insa.replace("costs = \"turn\"\nwaived = \"none-in-second-lexicon\"\nrule", free);
        assert!(Ruleset::from_toml(&insa).unwrap_err().to_string().contains("nothing can be waived"));
    }

    #[test]
    fn the_digest_of_a_ruleset_is_that_of_its_values_in_every_version_of_the_program() {
        let wespa = Ruleset::shipped("wespa").unwrap();
        let seven = wespa.with("unsuccessful.points", "7").unwrap();
        assert_ne!(wespa.sha256(), seven.sha256());
        // The form in an entry. A field that is added to rulesets later is absent from this text where it is not set.
        let entry = r#"{"name": "club", "title": "Club", "edition": "1", "status": "own", "unacceptable": {"rule": "a"},
            "unsuccessful": {"costs": "points", "points": 7, "per": "word", "side": "opponent", "escalation": null,
            "waived": null, "rule": "b"}, "self_lookup": {"allowed": true, "rule": "c"}, "binding": {"by": "act",
            "rule": "d"}, "not_found": {"then": "final", "rule": "e"}, "reviews": {"chain": "then-the-director",
            "rule": "f"}, "dispositions": {"by_players": ["withdrawn"], "rule": "g"}, "lapses": {"by_judges": [],
            "rule": "h"}, "director_opinions": {"allowed": false, "rule": "i"}, "compensation": null, "windows": [],
            "undo": [{"text": "j", "rule": "k"}]}"#;
        let recorded: Ruleset = serde_json::from_str(entry).unwrap();
        assert_eq!(recorded.sha256(), "98b11f9d9faacaa6668340897ef673236ef84efd5650d0c9564088715ec94fd4");
    }

    #[test]
    fn only_a_rule_of_a_rule_book_is_cited() {
        assert_eq!(citation("NASPA II.D"), " (NASPA II.D)");
        assert_eq!(citation(OWN), " (the event's own choice)");
        assert_eq!([citation("U"), citation("D 5")], ["", ""]);
    }

    /// A rule is recorded in three places; this is the one that a person reads first.
    #[test]
    fn every_value_names_its_rule() {
        let known = ["NSF ", "INSA ", "NASPA ", "WESPA ", "NO", "D ", "U"];
        for (name, text) in SHIPPED {
            let rules = text.lines().filter_map(|line| line.strip_prefix("rule = \"")?.strip_suffix('"'));
            for rule in rules {
                assert!(known.iter().any(|begins| rule.starts_with(begins)), "{name}: {rule}");
            }
        }
    }
}
