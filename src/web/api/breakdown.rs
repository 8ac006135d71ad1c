//! The figures of a tournament by the subject of the challenges. Source: CONTRACT 3.4.

use std::cmp::Reverse;

use serde::Serialize;
use utoipa::ToSchema;

use crate::domain::slip_filter::{Statistics, Tally};

/// The challenges by division, round, station, length of word and word.
#[derive(Serialize, ToSchema)]
#[schema(as = StatisticsBy)]
pub struct Breakdown {
    division: Vec<OfDivision>,
    round: Vec<OfRound>,
    station: Vec<OfStation>,
    word_length: Vec<OfLength>,
    /// Most challenged first.
    word: Vec<OfWord>,
}

/// A row: its subject, and how many challenges there were of it.
macro_rules! row {
    ($(#[$doc:meta])* $row:ident, $as:ident, $(#[$about:meta])* $name:ident: $kind:ty) => {
        $(#[$doc])*
        #[derive(Serialize, ToSchema)]
        #[schema(as = $as)]
        struct $row {
            $(#[$about])*
            $name: $kind,
            challenges: u64,
            /// Challenges of plays that were acceptable.
            unsuccessful: u64,
        }

        impl From<($kind, Tally)> for $row {
            fn from(($name, Tally { challenges, unsuccessful }): ($kind, Tally)) -> Self {
                Self { $name, challenges, unsuccessful }
            }
        }
    };
}

row!(OfDivision, StatisticsOfDivision, division: String);
row!(
    OfRound,
    StatisticsOfRound,
    /// Null for slips that name none.
    #[schema(required = true)]
    round: Option<i64>
);
row!(OfStation, StatisticsOfStation, station: String);
row!(
    OfLength,
    StatisticsOfWordLength,
    /// In tiles.
    word_length: usize
);
row!(OfWord, StatisticsOfWord, word: String);

impl Breakdown {
    pub fn of(figures: Statistics) -> Self {
        let mut word: Vec<OfWord> = figures.by_word.into_iter().map(OfWord::from).collect();
        word.sort_by(|one, other| (Reverse(one.challenges), &one.word).cmp(&(Reverse(other.challenges), &other.word)));
        Self {
            division: figures.by_division.into_iter().map(OfDivision::from).collect(),
            round: figures.by_round.into_iter().map(OfRound::from).collect(),
            station: figures.by_station.into_iter().map(OfStation::from).collect(),
            word_length: figures.by_word_length.into_iter().map(OfLength::from).collect(),
            word,
        }
    }
}
